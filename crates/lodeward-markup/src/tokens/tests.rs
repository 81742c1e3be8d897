//! Tests of the tokenizer with the html5lib test suite.

use serde_json::{Map, Value, json};
use toyweb::test_data::{assert_expected_failures, suite};

use super::*;

/// The tokens of an input in the format of html5lib.
fn tokens(input: &str, raw: Option<RawTextKind>, last_start_tag: &str) -> Vec<Value> {
    let input = normalize_newlines(input);
    let mut tokens = Tokenizer::new(&input);
    if let Some(raw) = raw {
        // Raw text normally follows a start tag, which the test does not contain.
        tokens.expect_raw(raw, last_start_tag.to_owned().leak());
    }
    let mut found = Vec::new();
    let push_text = |found: &mut Vec<Value>, text: &str| match found.last_mut() {
        Some(Value::Array(last)) if last[0] == "Character" => {
            last[1] = json!(format!("{}{text}", last[1].as_str().unwrap()));
        }
        _ if text.is_empty() => {}
        _ => found.push(json!(["Character", text])),
    };
    while let Some(token) = tokens.next() {
        let token = if token == HtmlToken::Cdata { tokens.cdata(false) } else { token };
        match token {
            HtmlToken::Text { text, raw } => {
                let text = if raw.is_some() { replace_nul(text) } else { Cow::Borrowed(text) };
                push_text(&mut found, &unescape_text(&text, raw));
            }
            HtmlToken::Start(tag) => found.push(start_tag(tag, tokens.attributes())),
            HtmlToken::End(tag) => found.push(json!(["EndTag", to_lower_case(tag.name)])),
            HtmlToken::Comment(text) => found.push(json!(["Comment", replace_nul(text)])),
            HtmlToken::Doctype(it) => {
                let id = |id: Option<&str>| id.map(|id| replace_nul(id).into_owned());
                let name = it.name.map(to_lower_case);
                found.push(json!(["DOCTYPE", name, id(it.public_id), id(it.system_id), !it.is_quirky]));
            }
            HtmlToken::Cdata => unreachable!("CDATA is read as a comment"),
        }
    }
    found
}

fn start_tag(tag: HtmlTag<'_>, attributes: &TagAttributes<'_>) -> Value {
    let mut map = Map::new();
    for (name, value) in attributes.iter() {
        map.entry(to_lower_case(name)).or_insert_with(|| json!(unescape_value(value)));
    }
    let name = to_lower_case(tag.name);
    if tag.is_self_closing { json!(["StartTag", name, map, true]) } else { json!(["StartTag", name, map]) }
}

/// The kind of raw text of an initial state.
fn raw_kind_of_state(state: &str) -> Option<RawTextKind> {
    match state {
        "PLAINTEXT state" => Some(RawTextKind::Plain),
        "RCDATA state" => Some(RawTextKind::Rcdata),
        "RAWTEXT state" => Some(RawTextKind::Text),
        "Script data state" => Some(RawTextKind::Script),
        _ => None,
    }
}

#[test]
fn the_tokenizer_passes_the_html5lib_suite() {
    let Some(files) = suite("html5lib-tests") else { return };
    let (mut passed, mut failed) = (0, Vec::new());
    let is_test_file = |path: &str| path.starts_with("tokenizer/") && !path.contains("README");
    for (path, file) in files.iter().filter(|(path, _)| is_test_file(path)) {
        let file: Value = serde_json::from_slice(file).unwrap();
        let Some(tests) = file["tests"].as_array() else { continue };
        // Unpaired surrogates cannot be represented in UTF-8.
        for test in tests.iter().filter(|test| test["doubleEscaped"] != true) {
            let data_state = json!(["Data state"]);
            let states = test["initialStates"].as_array().or(data_state.as_array()).unwrap();
            // Only tree construction can start a CDATA section.
            for state in states.iter().filter(|state| **state != "CDATA section state") {
                let raw = raw_kind_of_state(state.as_str().unwrap());
                let last_start_tag = test["lastStartTag"].as_str().unwrap_or("xmp");
                if tokens(test["input"].as_str().unwrap(), raw, last_start_tag) == *test["output"].as_array().unwrap() {
                    passed += 1;
                } else {
                    let name = path.rsplit('/').next().unwrap();
                    failed.push(format!("{name}:{}:{}", test["input"], state.as_str().unwrap()).replace(' ', "_"));
                }
            }
        }
    }
    assert_expected_failures("", "html5lib-tokenizer", passed, failed);
}
