//! Real pages: nothing breaks, and the links are those that a plain search
//! finds.

use std::collections::BTreeSet;

use bytes::Bytes;
use lodeward::extract::{Extractor, Options, Reader, Sink};
use lodeward::fetch::{Body, Representation};
use lodeward::model::link::Via;
use lodeward::model::{Fault, Link, Uri};
use oxrdf::QuadRef;
use regex::Regex;
use url::Url;

use toyweb::shared::pages;

#[derive(Default)]
struct Found {
    all: BTreeSet<Uri>,
    anchors: BTreeSet<Uri>,
}

impl Sink for Found {
    fn quad(&mut self, _: QuadRef<'_>) {}

    fn link(&mut self, link: Link) {
        if matches!(&link.via, Via::Html(html) if html.element == "a") {
            self.anchors.insert(link.target.clone());
        }
        self.all.insert(link.target);
    }

    fn fault(&mut self, _: Fault) {}
}

fn real_pages() -> Vec<(String, Vec<u8>)> {
    let mut pages = pages(&["readability-test-pages", "article-extraction-benchmark"]);
    // What a reader of articles is to make of a page is no page.
    pages.retain(|(path, _)| !path.contains("/expected"));
    pages
}

fn extracted(uri: &str, page: &[u8]) -> Found {
    let mut found = Found::default();
    let representation = Representation {
        uri: Uri::parse(uri).unwrap(),
        status: 200,
        content_type: Some("text/html".to_owned()),
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body: Body::Whole { bytes: Bytes::copy_from_slice(page), cut: None },
    };
    let options = Options { respect_nofollow: false, ..Options::default() };
    Reader::new(options).extract(representation, &mut found);
    found
}

struct Search {
    nothing: Regex,
    base: Regex,
    anchor: Regex,
}

impl Search {
    fn new() -> Self {
        let value = r#"\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)"#;
        Self {
            nothing: Regex::new(r"(?is)<!--.*?-->|<script\b.*?</script|<style\b.*?</style|<textarea\b.*?</textarea|<noframes\b.*?</noframes|<title\b.*?</title|<iframe\b.*?</iframe").unwrap(),
            base: Regex::new(&format!(r"(?is)<base\s[^>]*?href{value}")).unwrap(),
            anchor: Regex::new(&format!(r#"(?is)<a\s(?:[^>"']|"[^"]*"|'[^']*')*?\bhref{value}"#)).unwrap(),
        }
    }

    fn links(&self, uri: &str, page: &str) -> BTreeSet<Uri> {
        let page = self.nothing.replace_all(page, "");
        let clean = |value: &str| htmlize::unescape_attribute(value.trim_matches(['"', '\''])).into_owned();
        let mut base = Url::parse(uri).unwrap();
        if let Some(found) = self.base.captures(&page) {
            base = base.join(&clean(&found[1])).unwrap_or(base);
        }
        let links = self.anchor.captures_iter(&page).filter_map(|found| Uri::resolve(&base, &clean(&found[1])).ok());
        links.filter(|target| target.as_str() != uri).collect()
    }
}

#[test]
fn links_of_real_pages_are_those_a_plain_search_finds() {
    let search = Search::new();
    let (mut found, mut missing, mut extra) = (0, 0, 0);
    for (number, (path, page)) in real_pages().into_iter().enumerate() {
        let uri = "http://a.org/dir/page";
        let ours = extracted(uri, &page);
        // The plain search is slow: every page is read, some are searched.
        if number % 4 > 0 {
            continue;
        }
        let theirs = search.links(uri, &String::from_utf8_lossy(&page));
        found += ours.anchors.len();
        // What is linked in several ways is told once.
        let missed: Vec<_> = theirs.difference(&ours.all).collect();
        missing += missed.len();
        extra += ours.anchors.difference(&theirs).count();
        if let Some(first) = missed.first() {
            println!("{path}: {first} and {} more were missed", missed.len() - 1);
        }
    }
    println!("{found} links found, {missing} missed, {extra} found by us alone");
    assert!(missing * 200 <= found && extra * 200 <= found);
}
