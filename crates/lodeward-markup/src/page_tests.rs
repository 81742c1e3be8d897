//! Tests of the page reader.

use std::collections::BTreeSet;

use super::*;
use crate::test_pages::real_pages;

#[derive(Default)]
struct PageCollector {
    statements: BTreeSet<String>,
    faults: Vec<MarkupFault>,
}

impl PageSink for PageCollector {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        self.statements.insert(quad.to_string());
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

const URL: &str = "http://example.org/dir/page?q";

fn only_rdfa() -> PageReader {
    PageReader::new(PageOptions { microdata: None, json_ld: None, ..PageOptions::default() })
}

fn read(reader: &PageReader, page: &str) -> (PageSummary, PageCollector) {
    let mut collector = PageCollector::default();
    let summary = reader.read(page, URL, HostLanguage::Html, &mut collector);
    (summary, collector)
}

/// The statements that the full tree gives.
fn statements_of_tree(page: &str) -> BTreeSet<String> {
    let mut collector = PageCollector::default();
    rdfa::read(page, URL, HostLanguage::Html, &rdfa::RdfaOptions::default(), &mut collector);
    collector.statements
}

#[test]
fn statements_of_real_pages_are_the_same_with_and_without_a_tree() {
    let reader = only_rdfa();
    let (mut pages, mut trees) = (0, 0);
    for (path, page) in real_pages() {
        let (summary, collector) = read(&reader, &page);
        pages += 1;
        trees += usize::from(summary.needed_tree);
        if !summary.needed_tree {
            let expected = statements_of_tree(&page);
            let difference = collector.statements.symmetric_difference(&expected).next();
            assert_eq!(difference, None, "{path}");
        }
    }
    eprintln!("{pages} pages, {trees} trees");
    assert!(pages == 0 || trees * 4 < pages, "most pages need no tree");
}

#[test]
fn flat_pages_need_no_tree() {
    let without_tree = [
        "<meta property='og:title' content='a&amp;b'>",
        "<html lang=de prefix='x: http://x.org/'><head lang=fr><meta property='x:y' content='a'><body lang=it><meta property='og:z' content=b>",
        "<base href=/other/><link rel=license href=x><link rel='stylesheet' href=y><a rel='License nofollow' href=z>x</a>",
        "<a rel=nofollow href=x>y</a><meta property='og:title' content=z>",
        "<svg><title>x</title><a href=y></a></svg><meta property='og:title' content=z>",
        "<template><p property='og:title'>x</p></template><meta property='og:title' content=z>",
        "<script>'<p typeof=x>'</script><meta property='og:title' content=z><!-- <p property=x>y -->",
        "<link rel='https://api.w.org/' href=json><area rel=license href=y>",
        "<meta property='og:title' content='a\r\nb\rc'>",
        "<meta property='unknown title' content=x><meta property content=x><meta property='og:title'>",
    ];
    for page in without_tree {
        let (summary, collector) = read(&only_rdfa(), page);
        assert!(!summary.needed_tree, "{page}");
        assert_eq!(collector.statements, statements_of_tree(page), "{page}");
    }
}

#[test]
fn position_dependent_statements_are_the_same_as_with_a_tree() {
    let with_tree = [
        "<p property='og:title'>x</p>",
        "<a href=x><meta property='og:title' content=y></a>",
        "<div lang=de><meta property='og:title' content=y></div>",
        "<div prefix='og: http://x.org/'><meta property='og:title' content=y></div>",
        "<body vocab='http://x.org/'><a rel=nofollow href=x>y</a>",
        "<p about=x><meta property='og:title' content=y></p>",
        "<a rel=license href=x property='og:url'>y</a>",
        "<a rel=license><i rel=next></i></a>",
        "<a rel=license><img src=x.png></a>",
        "<div about='#x'><div>foo</div><meta property='og:title' content=t></div>",
        "<video src=x><video></video><meta property='og:title' content=t></video>",
        "<html><head prefix='og: http://x.org/'></head><body><meta property='og:y' content=z>",
        "<html><head lang=de><title>x</title>y<meta property='og:y' content=z>",
        "<html><body><head prefix='og: http://x.org/'><meta property='og:y' content=z>",
        "<html>\u{feff}<head prefix='og: http://x.org/'><meta property='og:y' content=z>",
        "<meta property='og:y' content=z><body lang=de><p>x<head lang=fr>",
        "<svg xmlns:dc='http://purl.org/dc/elements/1.1/'><a rel='dc:creator' href=x></a></svg>",
        "<svg><base href='http://q.org/'></svg><link rel=license href=x>",
        "<frameset cols='*'><meta property='og:title' content=t>",
        "<svg></p><title><meta property='og:title' content=t></title>",
        "<a href=1><table><tr><td><a href=2></a><meta property='og:title' content=t>",
        "<math><annotation-xml><title><meta property='og:title' content=t></title>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML+RDFa 1.0//EN' 'x'><link rel=next href=y>",
        "<html lang=de><html lang=fr xml:lang=it><meta property='og:title' content=y>",
    ];
    for page in with_tree {
        let (_, collector) = read(&only_rdfa(), page);
        let statements = statements_of_tree(page);
        assert_eq!(collector.statements, statements, "{page}");
    }
}

#[test]
fn a_requested_version_applies_to_every_page() {
    let rdfa = rdfa::RdfaOptions { version: Some(RdfaVersion::V10), ..rdfa::RdfaOptions::default() };
    let reader = PageReader::new(PageOptions { rdfa: Some(rdfa), ..PageOptions::default() });

    assert_eq!(read(&reader, "<link rel=next href=y>").1.statements.len(), 1);
    let literal = "<p xmlns:x='http://x.org/' property='x:y'>a<b class=c>d</b></p>";
    assert!(read(&reader, literal).1.statements.iter().any(|it| it.contains("class")));
}

#[test]
fn script_types_can_contain_character_references() {
    let page = "<script type='application/ld&#x2B;json'>{\"@id\": \"a:b\", \"c:d\": \"\0\"}</script>";
    let (without_tree, with_tree) =
        (read(&PageReader::default(), page), read(&PageReader::default(), &format!("<p typeof=x>{page}")));

    assert_eq!(without_tree.1.statements.len(), 1);
    assert!(without_tree.1.statements.is_subset(&with_tree.1.statements));
}

#[test]
fn all_syntaxes_and_links_of_a_page_are_read() {
    let links = Some(links::LinkOptions::default());
    let reader = PageReader::new(PageOptions { links, ..PageOptions::default() });
    let page = "<base href=/b/><div itemscope itemtype='http://schema.org/Thing'><a itemprop=url href=u>x</a></div>\
                <p about=#it property='http://purl.org/dc/terms/title'>t</p>\
                <script type='application/ld+json'>{\"@id\": \"i\", \"http://p.org/\": 1}</script>";
    let (summary, collector) = read(&reader, page);

    assert_eq!((summary.base.as_str(), summary.label), ("http://example.org/b/", PageLabel::Rdf));
    assert_eq!(summary.links.iter().map(|link| link.href.as_str()).collect::<Vec<_>>(), ["u"]);
    for part in ["<http://example.org/b/u>", "<http://example.org/b/#it>", "<http://example.org/b/i>"] {
        assert!(collector.statements.iter().any(|statement| statement.contains(part)), "{part}");
    }
}

#[test]
fn a_page_too_long_for_a_tree_is_read_for_links_and_scripts() {
    let options =
        PageOptions { links: Some(links::LinkOptions::default()), max_tree_bytes: 10, ..PageOptions::default() };
    let (summary, collector) = read(&PageReader::new(options), "<p property=x>y<a href=z>z</a>");

    assert_eq!(summary.links.len(), 1);
    assert_eq!(collector.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [RdfFaultKind::Limit]);
}

#[test]
fn a_relative_page_url_is_a_fault() {
    let mut collector = PageCollector::default();
    let summary = PageReader::default().read("<p>", "not absolute", HostLanguage::Html, &mut collector);

    assert_eq!((summary.label, collector.faults.len()), (PageLabel::None, 1));
}
