//! Links of real pages, compared with those of a plain regular-expression search.

use std::collections::BTreeSet;

use bytes::Bytes;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::link::LinkKind;
use lodeward::model::{Fault, Link, Uri};
use oxrdf::QuadRef;
use regex::Regex;
use url::Url;

use toyweb::test_data::pages;

#[derive(Default)]
struct FoundLinks {
    all: BTreeSet<Uri>,
    anchors: BTreeSet<Uri>,
}

impl ExtractSink for FoundLinks {
    fn quad(&mut self, _: QuadRef<'_>) {}

    fn link(&mut self, link: Link) {
        if matches!(&link.via, LinkKind::Html(html) if html.element == "a") {
            self.anchors.insert(link.target.clone());
        }
        self.all.insert(link.target);
    }

    fn fault(&mut self, _: Fault) {}
}

fn real_pages() -> Vec<(String, Vec<u8>)> {
    let mut pages = pages(&["readability-test-pages", "article-extraction-benchmark"]);
    // Expected results of article extraction are not pages.
    pages.retain(|(path, _)| !path.contains("/expected"));
    pages
}

fn extracted(uri: &str, page: &[u8]) -> FoundLinks {
    let mut found = FoundLinks::default();
    let representation = Representation::new(
        Uri::parse(uri).unwrap(),
        Some("text/html".to_owned()),
        ResponseBody::Buffered { bytes: Bytes::copy_from_slice(page), truncation: None },
    );
    let options = ExtractOptions { obey_nofollow: false, ..ExtractOptions::default() };
    DocumentReader::new(options).extract(representation, &mut found);
    found
}

struct RegexSearch {
    ignored: Regex,
    base: Regex,
    anchor: Regex,
}

impl RegexSearch {
    fn new() -> Self {
        let value = r#"\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)"#;
        Self {
            ignored: Regex::new(r"(?is)<!--.*?-->|<script\b.*?</script|<style\b.*?</style|<textarea\b.*?</textarea|<noframes\b.*?</noframes|<title\b.*?</title|<iframe\b.*?</iframe").unwrap(),
            base: Regex::new(&format!(r"(?is)<base\s[^>]*?href{value}")).unwrap(),
            anchor: Regex::new(&format!(r#"(?is)<a\s(?:[^>"']|"[^"]*"|'[^']*')*?\bhref{value}"#)).unwrap(),
        }
    }

    fn links(&self, uri: &str, page: &str) -> BTreeSet<Uri> {
        let page = self.ignored.replace_all(page, "");
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
    let search = RegexSearch::new();
    let (mut found, mut missing, mut extra) = (0, 0, 0);
    for (number, (path, page)) in real_pages().into_iter().enumerate() {
        let uri = "http://a.org/dir/page";
        let extracted_links = extracted(uri, &page);
        // The search is slow: every page is extracted, a quarter of them is searched.
        if number % 4 > 0 {
            continue;
        }
        let searched_links = search.links(uri, &String::from_utf8_lossy(&page));
        found += extracted_links.anchors.len();
        // A target linked in several ways is reported once.
        let missed: Vec<_> = searched_links.difference(&extracted_links.all).collect();
        missing += missed.len();
        extra += extracted_links.anchors.difference(&searched_links).count();
        if let Some(first) = missed.first() {
            println!("{path}: {first} and {} more missed", missed.len() - 1);
        }
    }
    println!("{found} links found, {missing} missed, {extra} found only by the extractor");
    assert!(missing * 200 <= found && extra * 200 <= found);
}
