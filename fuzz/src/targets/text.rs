//! Small texts: robots.txt, `Link` fields, URLs.

use bytes::Bytes;
use lodeward::extract::{DocumentReader, ExtractOptions, Extractor as _};
use lodeward::fetch::robots::RobotsRules;
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::Uri;
use lodeward::model::uri::MAX_URI_BYTES;
use url::Url;

use super::Target;
use super::extract::CheckingSink;
use super::seeds::{LINK_HEADERS, ROBOTS, URLS};

fn owned(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

/// robots.txt. The first line of an input is the requested path.
pub(super) struct RobotsFiles;

impl Target for RobotsFiles {
    fn name(&self) -> &'static str {
        "robots"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        ROBOTS.iter().map(|text| format!("/a/b/%7ex/é.php?q\n{text}").into_bytes()).collect()
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        let is_robots = path.ends_with("robots.txt") || path.ends_with(".textproto");
        if is_robots { vec![[b"/a\n", document].concat()] } else { Vec::new() }
    }

    fn run(&self, input: &[u8]) {
        let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
        let (path, text) = input.split_at(end);
        let robots = RobotsRules::parse(text, "lodeward");
        let _ = robots.allows(&String::from_utf8_lossy(path));
    }
}

/// `Link` fields.
pub(super) struct LinkHeaders;

impl Target for LinkHeaders {
    fn name(&self) -> &'static str {
        "link-header"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        owned(LINK_HEADERS)
    }

    fn run(&self, input: &[u8]) {
        let uri = Uri::parse("http://a.example/b").expect("a valid URL");
        let mut sink = CheckingSink::new(&uri);
        let body = ResponseBody::Buffered { bytes: Bytes::new(), truncation: None };
        let mut representation = Representation::new(uri, Some("text/turtle".to_owned()), body);
        representation.links = vec![String::from_utf8_lossy(input).into_owned()];
        let _ = DocumentReader::new(ExtractOptions::default()).extract(representation, &mut sink);
        sink.check();
    }
}

/// URLs, absolute and as references.
pub(super) struct Urls;

impl Target for Urls {
    fn name(&self) -> &'static str {
        "uri"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        owned(URLS)
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        if !path.ends_with("urltestdata.json") {
            return Vec::new();
        }
        let entries: Vec<serde_json::Value> = serde_json::from_slice(document).unwrap_or_default();
        entries.iter().filter_map(|entry| Some(entry["input"].as_str()?.as_bytes().to_vec())).collect()
    }

    fn run(&self, input: &[u8]) {
        let text = String::from_utf8_lossy(input);
        if let Ok(uri) = Uri::parse(&text) {
            check_url(&uri);
        }
        let base = Url::parse("http://a.example/b/c?d").expect("a valid URL");
        if let Ok(uri) = Uri::resolve(&base, &text) {
            check_url(&uri);
        }
    }
}

fn check_url(uri: &Uri) {
    assert_eq!(Uri::parse(uri.as_str()).as_ref(), Ok(uri), "parsing again changes nothing");
    assert!(uri.as_str().len() <= MAX_URI_BYTES, "URLs are bounded");
    assert_eq!(format!("{}{}", uri.origin(), uri.path_and_query()), uri.as_str(), "a URL equals its parts");
    assert_eq!(format!("{}://{}", uri.scheme(), uri.authority()), uri.origin(), "an origin equals its parts");
    let url = uri.to_url();
    assert_eq!(Some(uri.host()), url.host_str(), "the host is that of the URL standard");
    assert_eq!(uri.path(), url.path(), "the path is that of the URL standard");
    assert!(uri.path().starts_with('/') && !uri.as_str().contains('#'), "it can be requested");
    // `a.org.` belongs to the domain `a.org`.
    let (host, pld) = (uri.host().trim_end_matches('.'), uri.pld());
    assert!(host.ends_with(pld.as_str().trim_end_matches('.')), "a host is within its domain");
    let _ = (uri.extension(), uri.fingerprint());
}
