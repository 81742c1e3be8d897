//! Tests of what the suite does not cover: languages, cyclic references, hostile pages.

use std::fmt::Write;

use oxrdf::QuadRef;
use proptest::prelude::*;

use super::{MicrodataOptions, StrayItemPolicy, contains_itemscope, read};
use crate::{EmbeddedSyntax, MarkupFault, PageSink, RdfFaultKind};

#[derive(Default)]
struct PageCollector {
    lines: Vec<String>,
    faults: Vec<MarkupFault>,
    literal_bytes: usize,
}

impl PageSink for PageCollector {
    fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>) {
        assert_eq!(syntax, EmbeddedSyntax::Microdata);
        self.lines.push(quad.to_string());
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

/// Only counts the output of hostile pages.
#[derive(Default)]
struct OutputCounter(PageCollector);

impl PageSink for OutputCounter {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        self.0.literal_bytes += 100;
        if let oxrdf::TermRef::Literal(literal) = quad.object {
            self.0.literal_bytes += literal.value().len();
        }
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.0.faults.push(fault);
    }

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

fn collect(page: &str) -> PageCollector {
    let mut collect = PageCollector::default();
    read(page, "http://a.org/d/", &MicrodataOptions::default(), &mut collect);
    collect
}

fn check(page: &str, lines: &[&str]) {
    let found = collect(page);
    assert_eq!(found.lines, lines, "{page}\n{:?}", found.faults);
    assert_eq!(found.faults, []);
}

#[test]
fn languages_are_inherited_and_typed_values_have_none() {
    check(
        "<html lang='de '><p itemscope><b itemprop=a>x</b><b itemprop=b lang=''>y</b><b itemprop=c lang=en-GB>z</b>\
         <meta itemprop=d content=m lang=no/language><time itemprop=e>heute</time><time itemprop=f>2011</time>\
         <data itemprop=g value=w></data>",
        &[
            r#"_:m0 <http://a.org/d/#a> "x"@de"#,
            r#"_:m0 <http://a.org/d/#b> "y""#,
            r#"_:m0 <http://a.org/d/#c> "z"@en-gb"#,
            r#"_:m0 <http://a.org/d/#d> "m""#,
            r#"_:m0 <http://a.org/d/#e> "heute"@de"#,
            r#"_:m0 <http://a.org/d/#f> "2011"^^<http://www.w3.org/2001/XMLSchema#gYear>"#,
            r#"_:m0 <http://a.org/d/#g> "w""#,
        ],
    );
}

#[test]
fn a_base_element_is_applied_and_templates_are_ignored() {
    check(
        "<base href=/e/><template><p itemscope itemid=hidden><b itemprop=a>x</b></template>\
         <p itemscope itemid=y><a itemprop=b href=z></a><template><b itemprop=c>x</b></template>",
        &["<http://a.org/e/y> <http://a.org/e/#b> <http://a.org/e/z>"],
    );
}

#[test]
fn content_replaces_the_text_of_an_element() {
    check(
        "<p itemscope><b itemprop=price content=9.99>about ten</b><a itemprop=b>no address</a>",
        &[r#"_:m0 <http://a.org/d/#price> "9.99""#],
    );
}

#[test]
fn an_empty_itemid_is_ignored() {
    check("<p itemscope itemid=' '><b itemprop=a>x</b>", &[r#"_:m0 <http://a.org/d/#a> "x""#]);
}

#[test]
fn a_shared_item_without_type_has_properties_in_each_vocabulary() {
    check(
        "<p itemscope itemtype=http://b/T itemref=s></p><p itemscope itemtype=http://c/T itemref='s s'></p>\
         <p id=s itemprop=p itemscope><b itemprop=q>x</b></p>",
        &[
            "_:m0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://b/T>",
            "_:m0 <http://b/p> _:m1",
            r#"_:m1 <http://b/q> "x""#,
            "_:m2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://c/T>",
            "_:m2 <http://c/p> _:m1",
            r#"_:m1 <http://c/q> "x""#,
        ],
    );
}

/// Example 14 of the Note.
#[test]
fn an_item_is_shared_by_itemref() {
    check(
        "<p><span itemscope itemtype=http://microformats.org/profile/hcard itemref=home>\
         <span itemprop=fn><span itemprop=n itemscope><span itemprop=given-name>Princeton</span></span></span></span>\
         <span id=home itemprop=adr itemscope><span itemprop=street-address>Avenue Q</span></span>",
        &[
            "_:m0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://microformats.org/profile/hcard>",
            r#"_:m0 <http://microformats.org/profile/hcard#fn> "Princeton""#,
            "_:m0 <http://microformats.org/profile/hcard#n> _:m1",
            r#"_:m1 <http://microformats.org/profile/hcard#given-name> "Princeton""#,
            "_:m0 <http://microformats.org/profile/hcard#adr> _:m2",
            r#"_:m2 <http://microformats.org/profile/hcard#street-address> "Avenue Q""#,
        ],
    );
}

#[test]
fn text_of_nested_properties_belongs_to_both() {
    check(
        "<p itemscope>0<b itemprop=a>1<i itemprop=b>2<script>3</script></i>4<u itemprop=c itemscope>5</u></b>6",
        &[r#"_:m0 <http://a.org/d/#a> "12345""#, r#"_:m0 <http://a.org/d/#b> "23""#, "_:m0 <http://a.org/d/#c> _:m1"],
    );
}

#[test]
fn stray_items_are_read_only_if_requested() {
    let page = "<p itemscope itemprop=a><b itemprop=b itemscope itemid=x><i itemprop=c>y</i></b></p>\
                <p itemscope><b itemscope itemprop=''><i itemprop=d>z</i></b></p>";
    let mut found = PageCollector::default();
    let options = MicrodataOptions { stray_items: StrayItemPolicy::Read, ..MicrodataOptions::default() };
    read(page, "http://a.org/d/", &options, &mut found);

    assert_eq!(
        found.lines,
        [
            "_:m1 <http://a.org/d/#b> <http://a.org/d/x>",
            r#"<http://a.org/d/x> <http://a.org/d/#c> "y""#,
            r#"_:m2 <http://a.org/d/#d> "z""#
        ]
    );
    assert!(collect(page).lines.is_empty());
}

#[test]
fn an_item_that_is_a_value_of_itself_is_a_fault() {
    let found = collect(
        "<p itemscope itemref=x></p><p itemscope itemprop=p id=x itemref='x y'></p>\
         <p itemscope itemprop=q id=y itemref=x></p>",
    );

    assert_eq!(found.lines, ["_:m0 <http://a.org/d/#p> _:m1", "_:m1 <http://a.org/d/#q> _:m2"]);
    let details: Vec<&str> = found.faults.iter().map(|it| it.detail.as_str()).collect();
    assert_eq!(details, ["itemprop `p` makes an item a value of itself"]);
}

#[test]
fn invalid_iris_are_faults_without_statements() {
    let found = collect(
        "<p itemscope itemid='http://[' itemtype='Person http://b#T'><b itemprop='a#b c'>x</b>\
         <a itemprop=d href='http://]'></a><meta itemprop-reverse=e content=f>",
    );

    assert_eq!(
        found.lines,
        ["_:m0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://b#T>", r#"_:m0 <http://b#c> "x""#]
    );
    let details: Vec<&str> = found.faults.iter().map(|it| it.detail.as_str()).collect();
    assert_eq!(
        details,
        [
            "itemid `http://[` is not an IRI",
            "itemtype `Person` is not an absolute IRI",
            "itemprop `a#b` is not a valid part of an IRI",
            "reference `http://]` is not an IRI",
            "itemprop-reverse `e` has a literal as subject",
        ]
    );
}

#[test]
fn the_number_of_reported_faults_is_limited() {
    let found = collect(&"<p itemscope itemtype=nothing></p>".repeat(1000));

    assert_eq!(found.faults.len(), 16);
}

#[test]
fn itemscope_is_found_in_any_case() {
    assert!(contains_itemscope("<p ItemScope>"));
    assert!(contains_itemscope("p itemscope"));
    assert!(!contains_itemscope("<p itemscop"));
    assert!(!contains_itemscope("Scope emscope"));
}

/// Reads a page whose output would be too large, and checks that it is limited.
fn check_limited(page: &str) {
    let mut count = OutputCounter::default();
    read(page, "http://a.org/d/", &MicrodataOptions::default(), &mut count);
    let kinds: Vec<_> = count.0.faults.iter().map(|it| it.kind).collect();
    assert!(kinds.contains(&RdfFaultKind::Limit), "{:?}", count.0.faults);
    assert!(count.0.literal_bytes < 100 * page.len() + 4_000_000, "{}", count.0.literal_bytes);
}

#[test]
fn items_that_share_a_large_subtree_are_limited() {
    let subtree = "<b itemprop=a>x</b>".repeat(10_000);
    let items = "<p itemscope itemref=s></p>".repeat(5_000);
    check_limited(&format!("{items}<div id=s>{subtree}</div>"));
}

#[test]
fn nested_properties_are_limited() {
    check_limited(&format!("<div itemscope>{}{}", "<i itemprop=a>xyz".repeat(5_000), "x".repeat(10_000)));
}

#[test]
fn property_names_of_a_shared_element_are_limited() {
    let items = "<p itemscope itemref=s></p>".repeat(1_000);
    check_limited(&format!("{items}<b id=s itemprop='{}'>x</b>", "[ ".repeat(50_000)));
}

#[test]
fn deep_items_and_cyclic_references_terminate() {
    // Deeper trees are truncated.
    let depth = 500;
    assert_eq!(collect(&"<div itemprop=a itemscope>".repeat(depth)).lines.len(), 0);
    let found = collect(&format!("<div itemscope>{}", "<div itemprop=a itemscope>".repeat(depth)));
    assert_eq!(found.lines.len(), depth);

    let depth = 2_000;
    let mut page = String::new();
    for item in 0..depth {
        let next = (item + 1) % depth;
        let _ = write!(page, "<p itemprop=a id=i{item} itemscope itemref=i{next}></p>");
    }
    let found = collect(&format!("{page}<p itemscope itemref=i0>"));
    assert_eq!((found.lines.len(), found.faults.len()), (depth, 1));
}

proptest! {
    #[test]
    fn any_tags_are_read_without_panic(tags in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let page: String = tags.into_iter().map(|it| PIECES[it]).collect();
        let found = collect(&page);
        for line in found.lines {
            let line = format!("{line} .");
            prop_assert!(oxttl::NQuadsParser::new().for_slice(line.as_bytes()).all(|it| it.is_ok()), "{}", line);
        }
    }
}

const PIECES: [&str; 24] = [
    "<div itemscope>",
    "<div itemscope itemprop=a>",
    "<p itemscope itemprop-reverse='r s' id=i itemref='j i k'>",
    "<span id=j itemprop='b c' itemref=i>",
    "<table id=k itemscope itemref='j'>",
    "<tr itemprop=d><td>",
    "<b itemscope itemtype='http://b/T urn:x U' itemid='x y|z'>",
    "<a itemprop=e href='q\\\u{e9}%'>",
    "<img itemprop='\u{fffe} <> http://a/\u{e9}' src='//[::1]/'>",
    "<time itemprop=f datetime=2011-06-28>",
    "<meter itemprop=g value=-1.5e3>",
    "<meta itemprop=h content='\u{1F600}\"\\'>",
    "<svg itemprop=a itemscope xml:lang=fr>",
    "<template itemscope>",
    "<i lang=en itemprop=i>",
    "</div>",
    "</p>",
    "</span>",
    "</table>",
    "</b>",
    "</a>",
    "</template>",
    "text &amp; text",
    "<base href='http://other/'>",
];
