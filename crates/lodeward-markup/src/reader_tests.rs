use std::collections::BTreeSet;

use super::*;
use crate::pages::real_pages;

#[derive(Default)]
struct Basket {
    statements: BTreeSet<String>,
    faults: Vec<Fault>,
}

impl Sink for Basket {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        self.statements.insert(quad.to_string());
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: Syntax) {}
}

const ADDRESS: &str = "http://example.org/dir/page?q";

fn only_rdfa() -> Reader {
    Reader::new(Options { microdata: None, json_ld: None, ..Options::default() })
}

fn read(reader: &Reader, page: &str) -> (Page, Basket) {
    let mut basket = Basket::default();
    let found = reader.read(page, ADDRESS, Host::Html, &mut basket);
    (found, basket)
}

/// What the large tree says.
fn of_tree(page: &str) -> BTreeSet<String> {
    let mut basket = Basket::default();
    rdfa::read(page, ADDRESS, Host::Html, &rdfa::Options::default(), &mut basket);
    basket.statements
}

#[test]
fn heads_say_without_a_tree_what_they_say_with_one() {
    let reader = only_rdfa();
    let (mut pages, mut trees) = (0, 0);
    for (path, page) in real_pages() {
        let (found, basket) = read(&reader, &page);
        pages += 1;
        trees += usize::from(found.needed_tree);
        if !found.needed_tree {
            let expected = of_tree(&page);
            let difference = basket.statements.symmetric_difference(&expected).next();
            assert_eq!(difference, None, "{path}");
        }
    }
    eprintln!("{pages} pages, {trees} trees");
    assert!(pages == 0 || trees * 4 < pages, "most pages need no tree");
}

#[test]
fn statements_without_a_tree() {
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
        let (found, basket) = read(&only_rdfa(), page);
        assert!(!found.needed_tree, "{page}");
        assert_eq!(basket.statements, of_tree(page), "{page}");
    }
}

#[test]
fn what_depends_on_its_place_is_said_as_with_a_tree() {
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
        let (_, basket) = read(&only_rdfa(), page);
        let statements = of_tree(page);
        assert_eq!(basket.statements, statements, "{page}");
    }
}

#[test]
fn a_version_that_is_asked_for_is_followed_on_every_page() {
    let rdfa = rdfa::Options { version: Some(Version::V10), ..rdfa::Options::default() };
    let reader = Reader::new(Options { rdfa: Some(rdfa), ..Options::default() });

    assert_eq!(read(&reader, "<link rel=next href=y>").1.statements.len(), 1);
    let literal = "<p xmlns:x='http://x.org/' property='x:y'>a<b class=c>d</b></p>";
    assert!(read(&reader, literal).1.statements.iter().any(|it| it.contains("class")));
}

#[test]
fn scripts_are_known_by_their_type_however_it_is_written() {
    let page = "<script type='application/ld&#x2B;json'>{\"@id\": \"a:b\", \"c:d\": \"\0\"}</script>";
    let (quick, with_tree) = (read(&Reader::default(), page), read(&Reader::default(), &format!("<p typeof=x>{page}")));

    assert_eq!(quick.1.statements.len(), 1);
    assert!(quick.1.statements.is_subset(&with_tree.1.statements));
}

#[test]
fn one_page_is_read_in_all_ways() {
    let links = Some(links::Options::default());
    let reader = Reader::new(Options { links, ..Options::default() });
    let page = "<base href=/b/><div itemscope itemtype='http://schema.org/Thing'><a itemprop=url href=u>x</a></div>\
                <p about=#it property='http://purl.org/dc/terms/title'>t</p>\
                <script type='application/ld+json'>{\"@id\": \"i\", \"http://p.org/\": 1}</script>";
    let (found, basket) = read(&reader, page);

    assert_eq!((found.base.as_str(), found.label), ("http://example.org/b/", Label::Rdf));
    assert_eq!(found.links.iter().map(|link| link.href.as_str()).collect::<Vec<_>>(), ["u"]);
    for part in ["<http://example.org/b/u>", "<http://example.org/b/#it>", "<http://example.org/b/i>"] {
        assert!(basket.statements.iter().any(|statement| statement.contains(part)), "{part}");
    }
}

#[test]
fn a_page_too_long_for_a_tree_has_links_and_scripts() {
    let options = Options { links: Some(links::Options::default()), tree_bytes_max: 10, ..Options::default() };
    let (found, basket) = read(&Reader::new(options), "<p property=x>y<a href=z>z</a>");

    assert_eq!(found.links.len(), 1);
    assert_eq!(basket.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Excess]);
}

#[test]
fn an_address_that_is_none_is_told() {
    let mut basket = Basket::default();
    let found = Reader::default().read("<p>", "not absolute", Host::Html, &mut basket);

    assert_eq!((found.label, basket.faults.len()), (Label::None, 1));
}
