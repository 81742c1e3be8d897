//! Tests of the statements that pages make.

use super::*;

#[test]
fn properties_chain_through_blank_nodes() {
    check(
        "<div about='#a' rel='s:knows'><p typeof='Person'><b property='name'>B</b></p><a href='/c'>C</a></div>",
        // The prefix `s` is not declared, so it is the scheme of an absolute IRI.
        &["page#a s:knows _:r1", "_:r1 rdf:type s:Person", "_:r1 s:name \"B\"", "page#a s:knows c"],
    );
    check(
        "<p typeof='A'><b property='b' typeof='B'><i property='c'>d</i></b></p>",
        &["_:r0 rdf:type s:A", "_:r1 rdf:type s:B", "_:r0 s:b _:r1", "_:r1 s:c \"d\""],
    );
    check(
        "<p about='#a' rel='b'>text <i>and <a property='c'>more</a></i></p>",
        &["page#a s:b _:r0", "_:r0 s:c \"more\""],
    );
}

#[test]
fn an_unknown_link_type_has_no_effect() {
    let page = "<p about='#a' rel='nofollow'><b property='schema:name'>B</b></p>";
    assert_eq!(read_as(page, HostLanguage::Html, &RdfaOptions::default()).lines, ["page#a s:name \"B\""]);
}

#[test]
fn lists_belong_to_their_subject() {
    check(
        "<p about='#a'><b property='b' inlist>1</b><i><b property='b' inlist>2</b></i></p>",
        &[
            "page#a s:b _:r0",
            "_:r0 rdf:first \"1\"",
            "_:r0 rdf:rest _:r1",
            "_:r1 rdf:first \"2\"",
            "_:r1 rdf:rest rdf:nil",
        ],
    );
    // An incomplete triple makes a new subject.
    check(
        "<p about='#a' rel='b'><b property='c' inlist>1</b></p>",
        &["page#a s:b _:r0", "_:r0 s:c _:r1", "_:r1 rdf:first \"1\"", "_:r1 rdf:rest rdf:nil"],
    );
    // List items can have lists.
    check(
        "<p about='#a' rel='b' inlist><i about='#c'><b property='d' inlist>1</b></i></p>",
        &[
            "page#a s:b _:r2",
            "_:r2 rdf:first page#c",
            "_:r2 rdf:rest rdf:nil",
            "page#c s:d _:r1",
            "_:r1 rdf:first \"1\"",
            "_:r1 rdf:rest rdf:nil",
        ],
    );
    check("<p about='#a' rel='b' inlist>none</p>", &["page#a s:b rdf:nil"]);
}

#[test]
fn references_are_escaped_or_omitted() {
    check("<a property='b' href=' two words '>c</a>", &["page s:b two%20words"]);
    check("<a property='b' href='http://[no'>c</a>", &[]);
    check("<a property='b' href='' lang=de>c</a>", &["page s:b page"]);
    check("<b property='http://b.org/a|b a:{c}'>d</b>", &["page http://b.org/a%7Cb \"d\"", "page a:%7Bc%7D \"d\""]);

    let faults = read_html("<a property='b' href='http://[no'>c</a>").faults;
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].detail, "`http://[no` is not an IRI");
}

#[test]
fn an_invalid_iri_is_not_replaced_by_another_resource() {
    check("<p about='http://[no' property=a>b</p>", &[]);
    check("<p about='http://[no' typeof=A><b property=b>c</b><i rel=d resource='#d'></i></p>", &[]);
    check("<p about='http://[no' rel=a href='#a'><b property=b>c</b></p>", &["page#a s:b \"c\""]);
    check("<p about='#a' rel=b href='http://[no'><b property=c>d</b></p>", &[]);
    check("<p about='#a' rev=b href='http://[no'></p><p rel=b><b about='http://[no'></b></p>", &[]);
    check("<p about='http://[no' rel=a><b about='#b' property=c>d</b></p>", &["page#b s:c \"d\""]);
    // The next attribute is not used instead.
    check("<a property=a resource='http://[no' href='#a'>b</a>", &[]);
    check("<img property=image src='http://[no'>", &[]);
    // Next to `content`, `src` is the subject.
    check("<img property=image src='http://[no' content=a>", &[]);
    check("<p prefix='no: http://[' about='[no:a]' property=a>b</p>", &[]);
    check("<p prefix='no: http://[' typeof='no:a B' property='no:c d'></p>", &["_:r0 rdf:type s:B", "page s:d _:r0"]);
    // An ignored attribute is replaced by the next one.
    check("<p about='[]' property=a>b</p><p about='[no:a]' property=c>d</p>", &["page s:a \"b\"", "page s:c \"d\""]);
    check("<a property=a resource='[]' href='#a'>b</a>", &["page s:a page#a"]);
}

#[test]
fn lists_omit_invalid_iris() {
    check(
        "<p about='#a'><a rel=b inlist href='http://[no'></a><b property=b inlist>1</b></p>",
        &["page#a s:b _:r0", "_:r0 rdf:first \"1\"", "_:r0 rdf:rest rdf:nil"],
    );
    check("<p about='http://[no'><b property=b inlist>1</b><i rel=c inlist></i></p>", &[]);
}

#[test]
fn rdfa_1_0_omits_invalid_iris() {
    let check = |body: &str, expected: &[&str]| {
        let page = format!("<html xmlns='http://www.w3.org/1999/xhtml' xmlns:s='http://schema.org/'>{body}</html>");
        let options = RdfaOptions { version: Some(RdfaVersion::V10), ..RdfaOptions::default() };
        assert_eq!(read_as(&page, HostLanguage::Xhtml, &options).lines, expected, "{body}");
    };

    check("<p about='http://[no' property='s:a'>b</p>", &[]);
    check("<img src='http://[no' property='s:a' content='b'/>", &[]);
    check("<p about='#a' rel='s:a' href='http://[no'><b property='s:b'>c</b></p>", &[]);
    check("<p about='[no:a]' property='s:a'>b</p>", &["page s:a \"b\""]);
}

#[test]
fn base_elements_and_xml_base_are_applied() {
    let page = "<base href='/x/'><p about=y property=schema:a>b</p>";
    assert_eq!(read_as(page, HostLanguage::Html, &RdfaOptions::default()).lines, ["x/y s:a \"b\""]);
    let svg = "<svg xml:base='/x/'><g xml:base='z/'><p about='y' property='schema:a'>b</p></g></svg>";
    assert_eq!(read_as(svg, HostLanguage::Svg, &RdfaOptions::default()).lines, ["x/z/y s:a \"b\""]);
}

#[test]
fn invalid_language_tags_are_ignored() {
    check("<p lang='DE-at' property=a>b</p>", &["page s:a \"b\"@de-at"]);
    check("<p lang=' de ' property=a>b</p>", &["page s:a \"b\"@de"]);
    check("<p lang='de_AT' property=a>b</p>", &["page s:a \"b\""]);
    check("<div lang=de><p lang='' property=a>b</p></div>", &["page s:a \"b\""]);
    check("<div lang=de><p property=a datatype=xsd:string>b</p></div>", &["page s:a \"b\""]);
    check("<div lang=de><p property=a datatype=rdf:langString>b</p></div>", &["page s:a \"b\"@de"]);
}

#[test]
fn values_get_datatypes() {
    check("<time property=a datetime=2012-03-18>x</time>", &["page s:a \"2012-03-18\"^^xsd:date"]);
    check("<data property=a value=5>five</data>", &["page s:a \"5\""]);
    check("<data property=a value=5 datatype=xsd:int>five</data>", &["page s:a \"5\"^^xsd:int"]);
    check("<li property=a value=5>five</li>", &["page s:a \"five\""]);
    check("<p property=a datatype=rdf:HTML>b<br>c</p>", &["page s:a \"bbrc\"^^rdf:HTML"]);
    check("<p property=a datatype='no colon'>b</p>", &["page s:a \"b\""]);
    check("<p property=a datatype=_:b>b</p>", &["page s:a \"b\""]);
}

#[test]
fn named_and_generated_blank_nodes_are_distinct() {
    check(
        "<p about='_:r1' property=a>1</p><p typeof=B></p><p about='[_:r1]' property=c resource='_:ä b'>2</p>",
        &["_:r0 s:a \"1\"", "_:r1 rdf:type s:B", "_:r0 s:c _:r2"],
    );
    check("<p property='_:a' about=x>b</p>", &[]);
}

#[test]
fn the_version_is_detected_from_its_declaration() {
    let page = "<p xmlns:f='http://f/' property='f:a'>b <b>c</b></p>";
    let doctype = "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML+RDFa 1.0//EN' ''>";
    let html = "<html xmlns='http://www.w3.org/1999/xhtml'";
    let old = "page http://f/a \"b b xmlns=\\\"http://www.w3.org/1999/xhtml\\\" xmlns:f=\\\"http://f/\\\"c/b\"^^rdf:XMLLiteral";
    let new = "page http://f/a \"b c\"";
    let check = |document: String, version, expected: &str| {
        let options = RdfaOptions { version, ..RdfaOptions::default() };
        assert_eq!(read_as(&document, HostLanguage::Xhtml, &options).lines, [expected], "{document}");
    };

    check(format!("{html}>{page}</html>"), None, new);
    check(format!("{html}>{page}</html>"), Some(RdfaVersion::V10), old);
    check(format!("{html} version='XHTML+RDFa 1.0'>{page}</html>"), None, old);
    check(format!("{doctype}{html}>{page}</html>"), None, old);
    check(format!("{doctype}{html}>{page}</html>"), Some(RdfaVersion::V11), new);
    check(format!("{doctype}{html} version='XHTML+RDFa 1.1'>{page}</html>"), None, new);
}

#[test]
fn undefined_names_are_reported_in_the_processor_graph() {
    let options = RdfaOptions { processor_graph: true, ..RdfaOptions::default() };
    let found = read_as("<p property='no' resource='[no:no]'>a</p>", HostLanguage::Html, &options);

    let in_graph = found.lines.iter().filter(|line| line.ends_with("rdfa#processor_graph")).count();
    assert_eq!((in_graph, found.lines.len(), found.faults.len()), (8, 8, 1));
}

#[test]
fn an_unavailable_vocabulary_is_reported() {
    struct NoVocabularies;
    impl VocabularySource for NoVocabularies {
        fn triples(&self, _: &str) -> Option<Vec<Triple>> {
            None
        }
    }
    let options = RdfaOptions { vocabularies: Some(Arc::new(NoVocabularies)), ..RdfaOptions::default() };

    let found = read_as("<p vocab='http://schema.org/' property=a>b</p>", HostLanguage::Html, &options);

    assert_eq!(found.lines.len(), 2);
    assert_eq!(found.faults[0].kind, RdfFaultKind::Remote);
}
