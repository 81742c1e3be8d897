//! html5lib's tokenizer tests.

use serde_json::{Map, Value, json};
use toyweb::shared::{settle, suite};

use super::*;

/// The tokens of an input, as html5lib writes them.
fn tokens(input: &str, raw: Option<Raw>, last_start_tag: &str) -> Vec<Value> {
    let input = with_line_feeds(input);
    let mut tokens = Tokens::new(&input);
    if let Some(raw) = raw {
        // A page, and so a test, does not begin with raw text.
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
        let token = if token == Token::Cdata { tokens.cdata(false) } else { token };
        match token {
            Token::Text { text, raw } => {
                let text = if raw.is_some() { without_nul(text) } else { Cow::Borrowed(text) };
                push_text(&mut found, &unescaped_text(&text, raw));
            }
            Token::Start(tag) => found.push(start_tag(tag, tokens.attributes())),
            Token::End(tag) => found.push(json!(["EndTag", lower_case(tag.name)])),
            Token::Comment(text) => found.push(json!(["Comment", without_nul(text)])),
            Token::Doctype(it) => {
                let id = |id: Option<&str>| id.map(|id| without_nul(id).into_owned());
                let name = it.name.map(lower_case);
                found.push(json!(["DOCTYPE", name, id(it.public_id), id(it.system_id), !it.is_quirky]));
            }
            Token::Cdata => unreachable!("it was turned into a comment"),
        }
    }
    found
}

fn start_tag(tag: Tag<'_>, attributes: &Attributes<'_>) -> Value {
    let mut map = Map::new();
    for (name, value) in attributes.iter() {
        map.entry(lower_case(name)).or_insert_with(|| json!(unescaped_value(value)));
    }
    let name = lower_case(tag.name);
    if tag.is_self_closing { json!(["StartTag", name, map, true]) } else { json!(["StartTag", name, map]) }
}

/// What a test begins in.
fn raw_of_state(state: &str) -> Option<Raw> {
    match state {
        "PLAINTEXT state" => Some(Raw::Plain),
        "RCDATA state" => Some(Raw::Rcdata),
        "RAWTEXT state" => Some(Raw::Text),
        "Script data state" => Some(Raw::Script),
        _ => None,
    }
}

#[test]
fn tokens_are_those_of_html5lib() {
    let Some(files) = suite("html5lib-tests") else { return };
    let (mut passed, mut failed) = (0, Vec::new());
    let is_wanted = |path: &str| path.starts_with("tokenizer/") && !path.contains("README");
    for (path, file) in files.iter().filter(|(path, _)| is_wanted(path)) {
        let file: Value = serde_json::from_slice(file).unwrap();
        let Some(tests) = file["tests"].as_array() else { continue };
        // Surrogates cannot be written in UTF-8, nor read from it.
        for test in tests.iter().filter(|test| test["doubleEscaped"] != true) {
            let data_state = json!(["Data state"]);
            let states = test["initialStates"].as_array().or(data_state.as_array()).unwrap();
            // Only a tree can ask for a section of CDATA.
            for state in states.iter().filter(|state| **state != "CDATA section state") {
                let raw = raw_of_state(state.as_str().unwrap());
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
    settle("", "html5lib-tokenizer", passed, failed);
}
