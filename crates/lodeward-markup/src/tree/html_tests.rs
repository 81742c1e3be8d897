use std::fmt::Write;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};

use super::super::Data;
use super::*;
use crate::pages::real_pages;

/// The tree as html5ever makes it all by itself.
fn reference(page: &str) -> Tree {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    parse_document(Growing::new(), ParseOpts { tree_builder, ..ParseOpts::default() }).one(page)
}

/// A tree as text, with the attributes that are read.
fn outline(tree: &Tree) -> String {
    let mut text = String::new();
    for node in tree.descendants(Tree::ROOT) {
        let depth = std::iter::successors(tree.parent(node), |node| tree.parent(*node)).count();
        write!(text, "{depth} ").unwrap();
        match tree.data(node) {
            Data::Document => text.push_str("document\n"),
            Data::Doctype(it) => writeln!(text, "!{}", it.public_id).unwrap(),
            Data::Text(it) => writeln!(text, "{:?}", &**it).unwrap(),
            Data::Comment(it) => writeln!(text, "-- {:?}", &**it).unwrap(),
            Data::Instruction { target, data } => writeln!(text, "? {target} {data}").unwrap(),
            Data::Element(element) => {
                write!(text, "<{}:{}", element.name.ns, element.name.local).unwrap();
                for it in element.attributes.iter().filter(|it| is_read(&it.name.local)) {
                    write!(text, " {}:{}={:?}", it.name.ns, it.name.local, &*it.value).unwrap();
                }
                text.push('\n');
            }
        }
    }
    text
}

fn check(name: &str, page: &str) {
    let (ours, theirs) = (outline(&from_html(page)), outline(&reference(page)));
    if let Some((one, other)) = ours.lines().zip(theirs.lines()).find(|(one, other)| one != other) {
        let cut = |line: &str| line.chars().take(300).collect::<String>();
        panic!("{name}: {} is not {}", cut(one), cut(other));
    }
    assert_eq!(ours.len(), theirs.len(), "{name}");
}

#[test]
fn trees_of_real_pages_are_those_of_html5ever() {
    for (path, page) in real_pages() {
        check(&path, &page);
    }
}

#[test]
fn odd_pages_are_read_as_html5ever_reads_them() {
    for page in [
        "",
        "\u{feff}<p>x",
        "a\0b<p title='\0'>c\0<script>\0</script><textarea>\0&amp;</textarea>",
        "<svg><title><![CDATA[a<b]]></title><style><a href=x>y</a></style></svg><![CDATA[z]]>",
        "<table><a href=1>x<tr><td><a href=2>y</table><b><p></b>z",
        "<script><!--<script></script>--></script><title></TITLE x>t",
        "<p a=1 A=2 a=3 id=x id=y>\r\n\rz<plaintext></plaintext>",
        "<select><option><a href=x>y</select><frameset><frame src=x></frameset>",
        "<template><p property=x></template><noscript><a href=y></noscript>",
        "</><//a><?x?><!x><!doctype html><!---->--!><a href=x/></a/><br/ a>",
    ] {
        check(page, page);
    }
}

#[test]
fn hostile_pages_are_cut() {
    let deep = from_html(&"<div>".repeat(100_000));
    assert!(deep.is_cut);
    let mut formats = String::new();
    (0..400).for_each(|number| write!(formats, "<font size={number}>").unwrap());
    let reopening = from_html(&format!("<p>{formats}{}", "<p>x".repeat(20_000)));
    assert!(reopening.is_cut && reopening.nodes.len() <= NODES_MAX + DEPTH_MAX as usize * 2);
    let mut attributes = String::new();
    (0..200_000).for_each(|number| write!(attributes, " a{number}").unwrap());
    assert!(!from_html(&format!("<div{attributes} datatype>")).is_cut);
}

#[test]
fn what_closes_after_the_deepest_is_read() {
    let page = format!("{}<i>x</i>{}<p id=after>", "<div>".repeat(600), "</div>".repeat(600));
    let tree = from_html(&page);
    let after = tree
        .descendants(Tree::ROOT)
        .find(|node| tree.element(*node).is_some_and(|it| it.attribute("id").is_some()))
        .unwrap();
    assert_eq!(tree.node(after).depth, 3);
}

#[test]
fn leaves_close_however_deep_they_are() {
    let tree = from_html(&("<b>".repeat(600) + "<title>x</title><b><script>y</script>z"));
    assert!(tree.text(Tree::ROOT).ends_with("xyz"));
}

#[test]
fn nothing_is_lost_however_deep_it_is() {
    let page = "<div>".repeat(600) + &"<p>x".repeat(2_000) + &"</div>".repeat(600) + "<b id=after>";
    let tree = from_html(&page);
    assert_eq!(tree.text(Tree::ROOT).len(), 2_000);
    let is_after = |node: &NodeId| tree.element(*node).is_some_and(|it| it.attribute("id").is_some());
    assert!(tree.descendants(Tree::ROOT).any(|node| is_after(&node)));
    let attributes: String = (0..3_000).fold(String::new(), |page, number| page + &format!("<body xmlns:a{number}>"));
    assert!(from_html(&attributes).descendants(Tree::ROOT).count() < 10);
}

#[test]
fn annotations_of_formulae_are_read() {
    check(
        "math",
        "<math><annotation-xml encoding='MathML-Content'><apply></apply></annotation-xml><annotation-xml><b>",
    );
    check("math", "<math><annotation-xml encoding='text/html'><p typeof=x>y</p></annotation-xml></math>");
}
