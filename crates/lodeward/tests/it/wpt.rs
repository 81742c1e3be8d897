//! The web platform tests of URLs and media types, where they are about what we
//! do.

use lodeward::extract::content_type::ContentType;
use lodeward::model::Uri;
use lodeward::model::uri::URI_BYTES_MAX;
use serde_json::Value;
use url::Url;

use toyweb::shared::{settle, suite};

fn entries(json: &[u8]) -> Vec<Value> {
    let values: Vec<Value> = serde_json::from_slice(json).unwrap();
    // Strings between the entries are comments.
    values.into_iter().filter(Value::is_object).collect()
}

#[test]
fn addresses_are_resolved_as_browsers_do() {
    let Some(files) = suite("wpt-url-mimesniff") else { return };
    let (mut passed, mut failures) = (0, Vec::new());
    for entry in entries(&files["url/resources/urltestdata.json"]) {
        let input = entry["input"].as_str().unwrap();
        let base = entry["base"].as_str();
        let is_web = |address: &str| address.starts_with("http://") || address.starts_with("https://");
        let href = entry["href"].as_str();
        if !href.map_or_else(|| is_web(input) || base.is_some_and(is_web), is_web) {
            continue;
        }
        // What a reference has that a document's address has not.
        let expected = href.map(|href| href.split('#').next().unwrap_or_default()).filter(|href| {
            let is_secret = Url::parse(href).is_ok_and(|url| !url.username().is_empty() || url.password().is_some());
            !is_secret && href.len() <= URI_BYTES_MAX
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
    settle(include_str!("expected_failures.txt"), "wpt-url", passed, failures);
}

#[test]
fn media_types_are_parsed_as_browsers_do() {
    let Some(files) = suite("wpt-url-mimesniff") else { return };
    let (mut passed, mut failures) = (0, Vec::new());
    for name in ["mime-types", "generated-mime-types"] {
        for entry in entries(&files[&format!("mimesniff/mime-types/resources/{name}.json")]) {
            let input = entry["input"].as_str().unwrap();
            if ContentType::parse(input).map(|parsed| written(&parsed)).as_deref() == entry["output"].as_str() {
                passed += 1;
            } else {
                failures.push(format!("{input:?}").replace(' ', "\u{b7}"));
            }
        }
    }
    settle(include_str!("expected_failures.txt"), "wpt-mimesniff", passed, failures);
}

/// A media type, serialised as the standard says.
fn written(content_type: &ContentType) -> String {
    let mut text = content_type.essence.clone();
    for (name, value) in &content_type.parameters {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_token = !value.is_empty() && value.bytes().all(is_plain);
        let quoted = || format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
        text.extend([";", name, "=", &if is_token { value.clone() } else { quoted() }]);
    }
    text
}
