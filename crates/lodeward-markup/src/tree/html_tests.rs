//! Tests of HTML trees, compared with html5ever.

use std::fmt::Write;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};

use super::super::NodeData;
use super::*;
use crate::test_pages::real_pages;

/// The tree that html5ever builds with its own tokenizer.
fn reference(page: &str) -> PageTree {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    parse_document(GrowingTree::new(), ParseOpts { tree_builder, ..ParseOpts::default() }).one(page)
}

/// A tree as text, with the attributes that are used.
fn outline(tree: &PageTree) -> String {
    let mut text = String::new();
    for node in tree.descendants(PageTree::ROOT) {
        let depth = std::iter::successors(tree.parent(node), |node| tree.parent(*node)).count();
        write!(text, "{depth} ").unwrap();
        match tree.data(node) {
            NodeData::Document => text.push_str("document\n"),
            NodeData::Doctype(it) => writeln!(text, "!{}", it.public_id).unwrap(),
            NodeData::Text(it) => writeln!(text, "{:?}", &**it).unwrap(),
            NodeData::Comment(it) => writeln!(text, "-- {:?}", &**it).unwrap(),
            NodeData::Instruction { target, data } => writeln!(text, "? {target} {data}").unwrap(),
            NodeData::Element(element) => {
                write!(text, "<{}:{}", element.name.ns, element.name.local).unwrap();
                for it in element.attributes.iter().filter(|it| is_used_attribute(&it.name.local)) {
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
        let shorten = |line: &str| line.chars().take(300).collect::<String>();
        panic!("{name}: {}, expected {}", shorten(one), shorten(other));
    }
    assert_eq!(ours.len(), theirs.len(), "{name}");
}

#[test]
fn trees_of_real_pages_equal_those_of_html5ever() {
    for (path, page) in real_pages() {
        check(&path, &page);
    }
}

#[test]
fn trees_of_odd_pages_equal_those_of_html5ever() {
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
fn hostile_pages_are_truncated() {
    let deep = from_html(&"<div>".repeat(100_000));
    assert!(deep.is_truncated);
    let mut formats = String::new();
    (0..400).for_each(|number| write!(formats, "<font size={number}>").unwrap());
    let reopening = from_html(&format!("<p>{formats}{}", "<p>x".repeat(20_000)));
    assert!(reopening.is_truncated && reopening.nodes.len() <= MAX_NODES + MAX_DEPTH as usize * 2);
    let mut attributes = String::new();
    (0..200_000).for_each(|number| write!(attributes, " a{number}").unwrap());
    assert!(!from_html(&format!("<div{attributes} datatype>")).is_truncated);
}

/// Pages whose tags make the rules of tree construction search all open elements again and again.
#[test]
fn the_work_of_tree_construction_is_limited() {
    // The last tag may exceed the limit, by some searches of the open elements for each of them.
    const MAX_WORK: u64 = 1 << 20;
    const LAST_TAG: u64 = 4 * (MAX_DEPTH as u64) * (MAX_DEPTH as u64);
    let deep = "<span>".repeat(500);
    let mut fonts = String::new();
    (0..500).for_each(|number| write!(fonts, "<font size={number}>").unwrap());
    for repeated in ["</x>", "<p>", "</p>", "</li>", "<b></b>", "</b>", "<table></table>", "<a href=x>", "<td>"] {
        for open in [&deep, &fonts] {
            let page = format!("{open}{}", repeated.repeat(20_000));

            let (tree, work) = parse_counting(&page, false, MAX_WORK);

            assert!(work <= MAX_WORK + LAST_TAG, "{repeated}: {work}");
            assert!(tree.is_truncated || work <= MAX_WORK, "{repeated}: {work}");
        }
    }
    assert!(from_html(&format!("{deep}{}", "</x>".repeat(60_000))).is_truncated);
}

#[test]
fn real_pages_need_little_work() {
    for (path, page) in real_pages() {
        let (_, work) = parse_counting(&page, false, u64::MAX);
        assert!(work <= 200_000 + 4 * page.len() as u64, "{path}: {work} for {} bytes", page.len());
    }
}

#[test]
fn elements_after_the_deepest_one_have_the_right_depth() {
    let page = format!("{}<i>x</i>{}<p id=after>", "<div>".repeat(600), "</div>".repeat(600));
    let tree = from_html(&page);
    let after = tree
        .descendants(PageTree::ROOT)
        .find(|node| tree.element(*node).is_some_and(|it| it.attribute("id").is_some()))
        .unwrap();
    assert_eq!(tree.node(after).depth, 3);
}

#[test]
fn leaf_elements_close_at_any_depth() {
    let tree = from_html(&("<b>".repeat(600) + "<title>x</title><b><script>y</script>z"));
    assert!(tree.text(PageTree::ROOT).ends_with("xyz"));
}

#[test]
fn no_content_is_lost_at_any_depth() {
    let page = "<div>".repeat(600) + &"<p>x".repeat(2_000) + &"</div>".repeat(600) + "<b id=after>";
    let tree = from_html(&page);
    assert_eq!(tree.text(PageTree::ROOT).len(), 2_000);
    let is_after = |node: &NodeId| tree.element(*node).is_some_and(|it| it.attribute("id").is_some());
    assert!(tree.descendants(PageTree::ROOT).any(|node| is_after(&node)));
    let attributes: String = (0..3_000).fold(String::new(), |page, number| page + &format!("<body xmlns:a{number}>"));
    assert!(from_html(&attributes).descendants(PageTree::ROOT).count() < 10);
}

#[test]
fn the_number_of_attributes_of_a_tag_is_limited() {
    let attributes: String = (0..70_000).fold(String::new(), |page, number| page + &format!(" a{number}=x"));
    let page = format!("<div{attributes}><p id=after>");
    let tree = from_html_with(&page, true);
    let counts = tree.descendants(PageTree::ROOT).filter_map(|node| tree.element(node)).map(|it| it.attributes.len());
    assert_eq!(counts.max(), Some(65_536));
    assert!(
        tree.descendants(PageTree::ROOT).any(|node| tree.element(node).is_some_and(|it| it.attribute("id").is_some()))
    );
}

#[test]
fn mathml_annotations_are_parsed() {
    check(
        "math",
        "<math><annotation-xml encoding='MathML-Content'><apply></apply></annotation-xml><annotation-xml><b>",
    );
    check("math", "<math><annotation-xml encoding='text/html'><p typeof=x>y</p></annotation-xml></math>");
}
