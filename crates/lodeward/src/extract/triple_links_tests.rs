//! Tests of the links in triples.

use crate::extract::ExtractOptions;
use crate::extract::document_reader::tests::read;
use crate::model::{Link, LinkKind, Uri};

fn links(max_siblings: usize, turtle: &str) -> Vec<Link> {
    let options = ExtractOptions { max_siblings, ..ExtractOptions::default() };
    read(&options, Some("text/turtle"), turtle.as_bytes()).1.links
}

fn find<'a>(links: &'a [Link], target: &str) -> (Vec<&'a str>, bool, Vec<&'a str>) {
    let link = links.iter().find(|link| link.target.as_str() == target).unwrap();
    let LinkKind::Triple { properties, vocabulary, siblings, .. } = &link.via else { panic!("not from a triple") };
    (properties.iter().map(|property| &**property).collect(), *vocabulary, siblings.iter().map(Uri::as_str).collect())
}

#[test]
fn target_is_linked_once_with_all_its_properties() {
    let links = links(
        0,
        "<#me> <http://v.org/#knows> <http://b.org/x#1>, <http://b.org/x#2> .
         <HTTP://b.org:80/x> <http://v.org/#name> \"b\" ; a <http://v.org/#Person> .
         <#me> <http://v.org/#see> <urn:x>, <mailto:a@b.org>, <http://user:pw@b.org/> , <#me>.",
    );

    let targets: Vec<_> = links.iter().map(|link| link.target.as_str()).collect();
    assert_eq!(targets, ["http://v.org/", "http://b.org/x", "http://www.w3.org/1999/02/22-rdf-syntax-ns"]);
    let rdf_type = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
    let expected = vec!["http://v.org/#knows", "http://v.org/#name", rdf_type];
    assert_eq!(find(&links, "http://b.org/x"), (expected, false, vec![]));
    assert_eq!(find(&links, "http://v.org/"), (vec![rdf_type], true, vec![]));
}

#[test]
fn siblings_share_a_subject_or_an_object_if_requested() {
    let turtle = "<#a> <p:p> <http://1.org/>, <http://2.org/> . <#a> <p:q> <http://3.org/> .
                  <http://4.org/> <p:r> \"x\" . <http://5.org/> <p:r> \"x\" . <http://6.org/> <p:r> \"y\" .";

    let with = links(2, turtle);
    assert_eq!(find(&with, "http://1.org/").2, ["http://2.org/"]);
    assert_eq!(find(&with, "http://2.org/").2, ["http://1.org/"]);
    assert_eq!(find(&with, "http://5.org/").2, ["http://4.org/"]);
    assert!(find(&with, "http://3.org/").2.is_empty() && find(&with, "http://6.org/").2.is_empty());
    assert!(find(&links(0, turtle), "http://1.org/").2.is_empty());
}

#[test]
fn properties_and_siblings_are_bounded() {
    let turtle = (0..100)
        .map(|n| format!("<#a> <p:{n}> <http://b.org/> . <#a> <p:p> <http://{n}.org/> ."))
        .collect::<Vec<_>>()
        .concat();

    let links = links(5, &turtle);

    let (properties, _, _) = find(&links, "http://b.org/");
    assert_eq!(properties.len(), 8);
    assert_eq!(find(&links, "http://99.org/").2.len(), 5);
    assert_eq!(find(&links, "http://0.org/").2.len(), 5);
}

#[test]
fn most_specific_type_hint_is_reported() {
    let links = links(
        0,
        "<#a> <http://www.w3.org/2000/01/rdf-schema#seeAlso> <http://b.org/dump> ;
              <http://rdfs.org/ns/void#dataDump> <http://b.org/dump> ;
              <http://p.org/knows> <http://b.org/who> .
         <http://b.org/subject> <http://rdfs.org/ns/void#dataDump> <http://b.org/other> .",
    );

    let check = |target: &str, expected: Option<&str>| {
        let link = links.iter().find(|link| link.target.as_str() == target).unwrap();
        let LinkKind::Triple { type_hint, .. } = &link.via else { panic!("not from a triple") };
        assert_eq!(type_hint.as_deref(), expected, "{target}");
    };
    check("http://b.org/dump", Some("http://rdfs.org/ns/void#dataDump"));
    check("http://b.org/other", Some("http://rdfs.org/ns/void#dataDump"));
    check("http://b.org/subject", None);
    check("http://b.org/who", None);
}
