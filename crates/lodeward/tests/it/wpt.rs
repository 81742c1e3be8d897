//! The web platform tests of URLs and media types, as far as they apply.

use lodeward::model::Uri;
use lodeward::model::uri::MAX_URI_BYTES;
use lodeward_rdf::MediaType;
use serde_json::Value;
use url::Url;

use toyweb::test_data::{assert_expected_failures, suite};

fn entries(json: &[u8]) -> Vec<Value> {
    let values: Vec<Value> = serde_json::from_slice(json).unwrap();
    // Strings between the entries are comments.
    values.into_iter().filter(Value::is_object).collect()
}

#[test]
fn urls_are_resolved_as_in_browsers() {
    let Some(files) = suite("wpt-url-mimesniff") else { return };
    let (mut passed, mut failures) = (0, Vec::new());
    for entry in entries(&files["url/resources/urltestdata.json"]) {
        let input = entry["input"].as_str().unwrap();
        let base = entry["base"].as_str();
        let is_web = |url: &str| url.starts_with("http://") || url.starts_with("https://");
        let href = entry["href"].as_str();
        if !href.map_or_else(|| is_web(input) || base.is_some_and(is_web), is_web) {
            continue;
        }
        // The URL of a document has no fragment and no credentials.
        let expected = href.map(|href| href.split('#').next().unwrap_or_default()).filter(|href| {
            let has_credentials =
                Url::parse(href).is_ok_and(|url| !url.username().is_empty() || url.password().is_some());
            !has_credentials && href.len() <= MAX_URI_BYTES
        });
        let found = match base.map(Url::parse) {
            None => Uri::parse(input).ok(),
            Some(Ok(base)) => Uri::resolve(&base, input).ok(),
            Some(Err(_)) => None,
        };
        if found.as_ref().map(Uri::as_str) == expected {
            passed += 1;
        } else {
            failures.push(format!("{input:?}+{}", base.unwrap_or("-")).replace(' ', "\u{b7}"));
        }
    }
    assert_expected_failures(include_str!("expected_failures.txt"), "wpt-url", passed, failures);
}

#[test]
fn media_types_are_parsed_as_in_browsers() {
    let Some(files) = suite("wpt-url-mimesniff") else { return };
    let (mut passed, mut failures) = (0, Vec::new());
    for name in ["mime-types", "generated-mime-types"] {
        for entry in entries(&files[&format!("mimesniff/mime-types/resources/{name}.json")]) {
            let input = entry["input"].as_str().unwrap();
            if MediaType::parse(input).map(|parsed| serialise(&parsed)).as_deref() == entry["output"].as_str() {
                passed += 1;
            } else {
                failures.push(format!("{input:?}").replace(' ', "\u{b7}"));
            }
        }
    }
    assert_expected_failures(include_str!("expected_failures.txt"), "wpt-mimesniff", passed, failures);
}

/// A media type serialised as the standard requires.
fn serialise(content_type: &MediaType) -> String {
    let mut text = content_type.essence.clone();
    for (name, value) in &content_type.parameters {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_token = !value.is_empty() && value.bytes().all(is_plain);
        let quoted = || format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
        text.extend([";", name, "=", &if is_token { value.clone() } else { quoted() }]);
    }
    text
}
