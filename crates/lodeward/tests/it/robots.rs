//! External test cases for robots.txt: Google's unit tests, and the collection of its
//! specification tests.

use std::io::Read;

use lodeward::fetch::robots::RobotsRules;
use serde::Deserialize;

/// Path and query as Google's matcher cuts them from a URL, which may be invalid.
fn path_and_query(url: &str) -> String {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    match rest.find(['/', '?', ';']) {
        Some(start) if rest[start..].starts_with('/') => rest[start..].to_owned(),
        Some(start) => format!("/{}", &rest[start..]),
        None => "/".to_owned(),
    }
}

#[derive(Deserialize)]
struct Case {
    test: String,
    robots: String,
    ua: String,
    url: String,
    allowed: bool,
}

/// A pattern that Google's matcher compares as written. RFC 9309 §2.2.2 requires to decode it; this very pattern is an
/// example there.
const DECODED_BY_THE_RFC: &str = "/foo/bar/%62%61%7A";

#[test]
fn googles_unit_tests_pass() {
    let Some(path) = toyweb::test_data::find("suites/robots_cases.json") else { return };
    let cases: Vec<Case> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();

    let wrong: Vec<_> = cases
        .iter()
        .filter(|case| {
            let is_allowed = RobotsRules::parse(case.robots.as_bytes(), &case.ua).allows(&path_and_query(&case.url));
            is_allowed != (case.allowed || case.robots.contains(DECODED_BY_THE_RFC))
        })
        .map(|case| format!("{}: {:?} {} {} should be {}", case.test, case.robots, case.ua, case.url, case.allowed))
        .collect();

    assert!(cases.len() >= 142);
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn the_specification_tests_pass() {
    let Some(path) = toyweb::test_data::find("suites/robotstxt-spec-test.tar.gz") else { return };
    let mut archive = Vec::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut archive).unwrap();

    let mut expectations = 0;
    let mut wrong = Vec::new();
    for (name, text) in tar_files(&archive).filter(|(name, _)| name.ends_with(".textproto")) {
        for (robots, url, agent, allowed) in textproto_cases(&text) {
            expectations += 1;
            let is_decoded = String::from_utf8_lossy(&robots).contains(DECODED_BY_THE_RFC);
            if RobotsRules::parse(&robots, &agent).allows(&path_and_query(&url)) != (allowed || is_decoded) {
                wrong.push(format!("{name}: {url} {agent} should be {allowed}: {}", robots.escape_ascii()));
            }
        }
    }

    assert!(expectations > 100, "{expectations}");
    assert!(wrong.is_empty(), "{} of {expectations} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The regular files of a tar archive with short names.
fn tar_files(archive: &[u8]) -> impl Iterator<Item = (String, String)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let header = archive.get(offset..offset + 512).filter(|header| header[0] != 0)?;
        let field = |range: std::ops::Range<usize>| {
            String::from_utf8_lossy(&header[range]).trim_matches(['\0', ' ']).to_owned()
        };
        let size = usize::from_str_radix(&field(124..136), 8).unwrap();
        let content = String::from_utf8_lossy(&archive[offset + 512..offset + 512 + size]).into_owned();
        offset += 512 + size.div_ceil(512) * 512;
        Some((field(0..100), content))
    })
}

/// The expectations in protobuf text format: only the grammar these files use.
fn textproto_cases(text: &str) -> Vec<(Vec<u8>, String, String, bool)> {
    let (mut key, mut robots, mut url, mut agent) = ("", Vec::new(), Vec::new(), Vec::new());
    let mut cases = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let value = match line.split_once(": ") {
            Some((name, value)) if !line.starts_with('"') => {
                key = name;
                match name {
                    "robotstxt" => robots.clear(),
                    "testurl" => url.clear(),
                    "useragent" => agent.clear(),
                    _ => {}
                }
                value
            }
            _ => line,
        };
        match key {
            "robotstxt" => robots.extend(unquote(value)),
            "testurl" => url.extend(unquote(value)),
            "useragent" => agent.extend(unquote(value)),
            "expected_outcome" if value.ends_with("ALLOWED") => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                cases.push((robots.clone(), text(&url), text(&agent), value == "ALLOWED"));
                key = "";
            }
            _ => {}
        }
    }
    cases
}

/// The bytes of a quoted string with C escapes; empty if it is not quoted.
fn unquote(text: &str) -> Vec<u8> {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else { return Vec::new() };
    let mut bytes = inner.bytes().peekable();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        out.push(match (byte, if byte == b'\\' { bytes.next() } else { None }) {
            (_, Some(b'n')) => b'\n',
            (_, Some(b'r')) => b'\r',
            (_, Some(b't')) => b'\t',
            (_, Some(b'x')) => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            (_, Some(digit @ b'0'..=b'7')) => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                u8::try_from(value).unwrap()
            }
            (_, Some(other)) => other,
            (byte, None) => byte,
        });
    }
    out
}
