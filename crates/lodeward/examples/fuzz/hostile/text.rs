//! Small texts: robots.txt, `Link` fields, addresses, configuration.

use std::path::PathBuf;

use lodeward::config::{self, Sources};
use lodeward::extract::link_header;
use lodeward::fetch::robots::{CRAWL_DELAY_MAX, Robots, SITEMAPS_MAX};
use lodeward::model::Uri;
use lodeward::model::uri::URI_BYTES_MAX;
use url::Url;

use super::Target;
use super::seeds::{ADDRESSES, CONFIGURATION, LINK_HEADERS, ROBOTS};

fn owned(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

/// robots.txt. The first line of an input is the path that is asked for.
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
        let robots = Robots::parse(text, "lodeward");
        let _ = robots.allows(&String::from_utf8_lossy(path));
        assert!(robots.crawl_delay().is_none_or(|delay| delay <= CRAWL_DELAY_MAX), "delays are bounded");
        assert!(robots.sitemaps().len() <= SITEMAPS_MAX, "sitemaps are bounded");
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
        let text = String::from_utf8_lossy(input);
        for value in link_header::parse(&text) {
            assert!(!value.target.contains('>'), "a target ends with its bracket");
            let _ = value.parameter("rel");
        }
    }
}

/// Addresses, alone and as references.
pub(super) struct Addresses;

impl Target for Addresses {
    fn name(&self) -> &'static str {
        "uri"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        owned(ADDRESSES)
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
            check_address(&uri);
        }
        let base = Url::parse("http://a.example/b/c?d").expect("an address of ours");
        if let Ok(uri) = Uri::resolve(&base, &text) {
            check_address(&uri);
        }
    }
}

fn check_address(uri: &Uri) {
    assert_eq!(Uri::parse(uri.as_str()).as_ref(), Ok(uri), "parsing again changes nothing");
    assert!(uri.as_str().len() <= URI_BYTES_MAX, "addresses are bounded");
    assert_eq!(format!("{}{}", uri.origin(), uri.path_and_query()), uri.as_str(), "an address is its parts");
    assert_eq!(format!("{}://{}", uri.scheme(), uri.authority()), uri.origin(), "an origin is its parts");
    let url = uri.to_url();
    assert_eq!(Some(uri.host()), url.host_str(), "a host is what the standard says");
    assert_eq!(uri.path(), url.path(), "a path is what the standard says");
    assert!(uri.path().starts_with('/') && !uri.as_str().contains('#'), "a request can be made of it");
    // `a.org.` is paid for as `a.org`.
    let (host, pld) = (uri.host().trim_end_matches('.'), uri.pld());
    assert!(host.ends_with(pld.as_str().trim_end_matches('.')), "a host is within its domain");
    let _ = (uri.extension(), uri.fingerprint());
}

/// Configuration files; what is behind the first NUL is an environment
/// variable.
pub(super) struct Configurations;

impl Target for Configurations {
    fn name(&self) -> &'static str {
        "config"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        // Without its comments, of which it mostly consists.
        let lines = CONFIGURATION.lines().filter(|line| !line.starts_with("# ") || line.contains(" = "));
        let settings: Vec<&str> = lines.map(|line| line.trim_start_matches("# ")).collect();
        let small = "[crawl]\nmax_depth = 3\ninclude = ['a']\n[politeness]\n\0LODEWARD_CRAWL_SEED=7";
        owned(&[&settings.join("\n"), small, CONFIGURATION])
    }

    fn run(&self, input: &[u8]) {
        let text = String::from_utf8_lossy(input);
        let (file, variable) = text.split_once('\0').unwrap_or((&text, ""));
        let mut sources =
            Sources { file: Some((PathBuf::from("lodeward.toml"), file.to_owned())), ..Sources::default() };
        if let Some((name, value)) = variable.split_once('=') {
            sources.environment.push((name.to_owned(), value.to_owned()));
        }
        match config::resolve(&sources) {
            Ok(effective) => {
                let printed = Some((PathBuf::from("printed.toml"), effective.to_toml()));
                let again = config::resolve(&Sources { file: printed, ..Sources::default() });
                let again = again.unwrap_or_else(|problems| panic!("what is printed cannot be read: {problems}"));
                let mut shown = effective.config.clone();
                // Secrets are kept to themselves.
                (shown.sparql.password, shown.sparql.token) = (None, None);
                assert_eq!(again.config, shown, "what is printed says the same");
            }
            Err(problems) => assert!(!problems.to_string().is_empty(), "a problem is told"),
        }
    }
}
