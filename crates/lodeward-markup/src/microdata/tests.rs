//! What the suite does not ask: languages, references in circles, hostile
//! pages.

use std::fmt::Write;

use oxrdf::QuadRef;
use proptest::prelude::*;

use super::{Options, StrayItems, mentions_items, read};
use crate::{Fault, FaultKind, Sink, Syntax};

#[derive(Default)]
struct Basket {
    lines: Vec<String>,
    faults: Vec<Fault>,
    literal_bytes: usize,
}

impl Sink for Basket {
    fn quad(&mut self, syntax: Syntax, quad: QuadRef<'_>) {
        assert_eq!(syntax, Syntax::Microdata);
        self.lines.push(quad.to_string());
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: Syntax) {}
}

/// Counts only: what hostile pages say need not be kept.
#[derive(Default)]
struct Count(Basket);

impl Sink for Count {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        self.0.literal_bytes += 100;
        if let oxrdf::TermRef::Literal(literal) = quad.object {
            self.0.literal_bytes += literal.value().len();
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.0.faults.push(fault);
    }

    fn begin(&mut self, _: Syntax) {}
}

fn basket(page: &str) -> Basket {
    let mut basket = Basket::default();
    read(page, "http://a.org/d/", &Options::default(), &mut basket);
    basket
}

fn check(page: &str, lines: &[&str]) {
    let found = basket(page);
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
fn a_base_element_counts_and_a_template_does_not() {
    check(
        "<base href=/e/><template><p itemscope itemid=hidden><b itemprop=a>x</b></template>\
         <p itemscope itemid=y><a itemprop=b href=z></a><template><b itemprop=c>x</b></template>",
        &["<http://a.org/e/y> <http://a.org/e/#b> <http://a.org/e/z>"],
    );
}

#[test]
fn content_is_the_value_where_text_would_be() {
    check(
        "<p itemscope><b itemprop=price content=9.99>about ten</b><a itemprop=b>no address</a>",
        &[r#"_:m0 <http://a.org/d/#price> "9.99""#],
    );
}

#[test]
fn an_empty_itemid_is_no_name() {
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

/// The Note's example 14.
#[test]
fn two_people_live_at_one_address() {
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
fn text_of_properties_inside_properties_belongs_to_both() {
    check(
        "<p itemscope>0<b itemprop=a>1<i itemprop=b>2<script>3</script></i>4<u itemprop=c itemscope>5</u></b>6",
        &[r#"_:m0 <http://a.org/d/#a> "12345""#, r#"_:m0 <http://a.org/d/#b> "23""#, "_:m0 <http://a.org/d/#c> _:m1"],
    );
}

#[test]
fn stray_items_are_read_if_that_is_asked_for() {
    let page = "<p itemscope itemprop=a><b itemprop=b itemscope itemid=x><i itemprop=c>y</i></b></p>\
                <p itemscope><b itemscope itemprop=''><i itemprop=d>z</i></b></p>";
    let mut found = Basket::default();
    let options = Options { stray_items: StrayItems::Read, ..Options::default() };
    read(page, "http://a.org/d/", &options, &mut found);

    assert_eq!(
        found.lines,
        [
            "_:m1 <http://a.org/d/#b> <http://a.org/d/x>",
            r#"<http://a.org/d/x> <http://a.org/d/#c> "y""#,
            r#"_:m2 <http://a.org/d/#d> "z""#
        ]
    );
    assert!(basket(page).lines.is_empty());
}

#[test]
fn an_item_that_is_part_of_itself_is_a_fault() {
    let found = basket(
        "<p itemscope itemref=x></p><p itemscope itemprop=p id=x itemref='x y'></p>\
         <p itemscope itemprop=q id=y itemref=x></p>",
    );

    assert_eq!(found.lines, ["_:m0 <http://a.org/d/#p> _:m1", "_:m1 <http://a.org/d/#q> _:m2"]);
    let details: Vec<&str> = found.faults.iter().map(|it| it.detail.as_str()).collect();
    assert_eq!(details, ["itemprop `p` makes an item a part of itself"]);
}

#[test]
fn what_makes_no_iri_is_a_fault_and_no_statement() {
    let found = basket(
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
            "itemprop `a#b` makes no IRI",
            "reference `http://]` is not an IRI",
            "itemprop-reverse `e` has a literal for a subject",
        ]
    );
}

#[test]
fn faults_are_told_a_bounded_number_of_times() {
    let found = basket(&"<p itemscope itemtype=nothing></p>".repeat(1000));

    assert_eq!(found.faults.len(), 16);
}

#[test]
fn pages_without_items_are_told_apart_in_any_case() {
    assert!(mentions_items("<p ItemScope>"));
    assert!(mentions_items("p itemscope"));
    assert!(!mentions_items("<p itemscop"));
    assert!(!mentions_items("Scope emscope"));
}

/// Reads a page that asks for too much, and checks that it does not get it.
fn check_excess(page: &str) {
    let mut count = Count::default();
    read(page, "http://a.org/d/", &Options::default(), &mut count);
    let kinds: Vec<_> = count.0.faults.iter().map(|it| it.kind).collect();
    assert!(kinds.contains(&FaultKind::Excess), "{:?}", count.0.faults);
    assert!(count.0.literal_bytes < 100 * page.len() + 4_000_000, "{}", count.0.literal_bytes);
}

#[test]
fn thousands_of_items_with_one_large_subtree_are_cut_short() {
    let subtree = "<b itemprop=a>x</b>".repeat(10_000);
    let items = "<p itemscope itemref=s></p>".repeat(5_000);
    check_excess(&format!("{items}<div id=s>{subtree}</div>"));
}

#[test]
fn properties_inside_each_other_are_cut_short() {
    check_excess(&format!("<div itemscope>{}{}", "<i itemprop=a>xyz".repeat(5_000), "x".repeat(10_000)));
}

#[test]
fn an_element_with_too_many_names_is_cut_short() {
    let items = "<p itemscope itemref=s></p>".repeat(1_000);
    check_excess(&format!("{items}<b id=s itemprop='{}'>x</b>", "[ ".repeat(50_000)));
}

#[test]
fn deep_items_and_circles_of_references_end() {
    // Deeper trees are cut.
    let depth = 500;
    assert_eq!(basket(&"<div itemprop=a itemscope>".repeat(depth)).lines.len(), 0);
    let found = basket(&format!("<div itemscope>{}", "<div itemprop=a itemscope>".repeat(depth)));
    assert_eq!(found.lines.len(), depth);

    let depth = 2_000;
    let mut page = String::new();
    for item in 0..depth {
        let next = (item + 1) % depth;
        let _ = write!(page, "<p itemprop=a id=i{item} itemscope itemref=i{next}></p>");
    }
    let found = basket(&format!("{page}<p itemscope itemref=i0>"));
    assert_eq!((found.lines.len(), found.faults.len()), (depth, 1));
}

proptest! {
    #[test]
    fn any_tags_are_read_without_panic(tags in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let page: String = tags.into_iter().map(|it| PIECES[it]).collect();
        let found = basket(&page);
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
