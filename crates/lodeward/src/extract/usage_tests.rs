//! Tests of directives, licences, feeds and formats that are not read.

use bytes::Bytes;

use super::document_reader::tests::{TestSink, read, representation};
use super::{DocumentReader, ExtractOptions, ExtractSummary, Extractor as _};
use crate::fetch::ResponseBody;
use crate::model::{FaultKind, LinkKind, LinkListKind, Relevance};

const PAGE: &str = "<html prefix='dct: http://purl.org/dc/terms/'><head><title property=dct:title>A</title></head>\
    <body><a href=/next>next</a><a rel=license href=http://l.org/by>BY</a></body></html>";

fn polite() -> ExtractOptions {
    ExtractOptions { obey_noindex: true, ..ExtractOptions::default() }
}

/// Reads a document with `X-Robots-Tag` fields.
fn read_tagged(options: ExtractOptions, media_type: &str, text: &str, tags: &[&str]) -> (ExtractSummary, TestSink) {
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    let body = ResponseBody::Buffered { bytes, truncation: None };
    let mut document = representation("http://a.org/doc", Some(media_type), body);
    document.robots_tags = tags.iter().map(|&tag| tag.to_owned()).collect();
    let mut sink = TestSink::default();
    let extracted = DocumentReader::new(options).extract(document, &mut sink);
    (extracted, sink)
}

#[test]
fn noindex_omits_the_statements_and_keeps_the_links() {
    let page = PAGE.replace("<head>", "<head><meta name=robots content=noindex>");
    let (extracted, found) = read(&polite(), Some("text/html"), page.as_bytes());

    assert!(found.quads.is_empty());
    assert!(found.targets().contains(&"http://a.org/next"), "{:?}", found.links);
    assert_eq!(found.faults.len(), 1);
    assert_eq!(found.faults[0].to_string(), "excluded: 2 statements omitted: noindex (extract.obey_noindex)");
    assert_eq!(extracted.relevance, Relevance::Rdf, "the page has RDF, whether or not it is stored");
    assert!(extracted.quads_by_format.is_empty());

    let (_, found) = read(&ExtractOptions::default(), Some("text/html"), page.as_bytes());
    assert_eq!(found.quads.len(), 2);
}

#[test]
fn x_robots_tag_applies_to_every_format() {
    let turtle = "<> <http://p.org/> <http://b.org/> .";
    let (_, found) = read_tagged(polite(), "text/turtle", turtle, &["noindex"]);
    assert!(found.quads.is_empty());
    assert!(found.targets().contains(&"http://b.org/"), "triples are links");

    let (_, found) = read_tagged(polite(), "text/turtle", turtle, &["other-bot: noindex"]);
    assert_eq!(found.quads.len(), 1);

    let (_, found) = read_tagged(polite(), "text/html", PAGE, &["lodeward: nofollow"]);
    assert!(found.links.iter().all(|link| matches!(link.via, LinkKind::Triple { .. })), "{:?}", found.links);
    assert!(!found.quads.is_empty());
}

#[test]
fn reservation_of_mining_is_recorded_and_obeyed_on_request() {
    let page = PAGE.replace("<head>", "<head><meta name=tdm-reservation content=1>");
    let (extracted, found) = read(&ExtractOptions::default(), Some("text/html"), page.as_bytes());
    assert_eq!(extracted.terms.tdm_reservation, Some(true));
    assert_eq!(found.quads.len(), 2);

    let options = ExtractOptions { obey_tdm_reservation: true, ..ExtractOptions::default() };
    let (extracted, found) = read(&options, Some("text/html"), page.as_bytes());
    assert!(found.quads.is_empty());
    assert_eq!(extracted.terms.tdm_reservation, Some(true));
}

#[test]
fn licences_of_the_document_are_recorded() {
    let (extracted, _) = read(&ExtractOptions::default(), Some("text/html"), PAGE.as_bytes());
    assert_eq!(extracted.terms.licenses, ["http://l.org/by"]);

    let turtle = "@prefix d: <http://purl.org/dc/terms/> . <> d:license <http://l.org/0> . \
        <http://other.org/> d:license <http://l.org/1> . <#it> d:license <http://l.org/0>, 'text' .";
    let (extracted, _) = read(&ExtractOptions::default(), Some("text/turtle"), turtle.as_bytes());
    assert_eq!(extracted.terms.licenses, ["http://l.org/0"]);

    let body = ResponseBody::Buffered { bytes: Bytes::new(), truncation: None };
    let mut document = representation("http://a.org/doc", Some("text/turtle"), body);
    document.links = vec!["</license>; rel=license".to_owned()];
    let extracted = DocumentReader::new(ExtractOptions::default()).extract(document, &mut TestSink::default());
    assert_eq!(extracted.terms.licenses, ["http://a.org/license"]);
}

#[test]
fn feeds_are_lists_of_links() {
    let check = |media_type: &str, text: &str, expected: &[&str]| {
        let (extracted, found) = read(&ExtractOptions::default(), Some(media_type), text.as_bytes());
        assert_eq!(extracted.format, "xml");
        assert_eq!(found.targets(), expected);
        let is_listed = |via: &LinkKind| matches!(via, LinkKind::Listed { list: LinkListKind::Feed, .. });
        assert!(found.links.iter().all(|link| is_listed(&link.via)), "{:?}", found.links);
        assert!(found.faults.is_empty(), "{:?}", found.faults);
    };

    check(
        "application/atom+xml",
        "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='/feed'/>\
         <entry><link href='http://b.org/1' type='text/html'/><content type='html'>&lt;a href='no'&gt;</content></entry></feed>",
        &["http://a.org/feed", "http://b.org/1"],
    );
    check(
        "text/xml",
        "<rss version='2.0'><channel><link>http://a.org/</link><item><link>http://b.org/1</link>\
         <guid>http://b.org/2</guid><enclosure url='http://b.org/3.ttl' type='text/turtle'/></item>\
         <item><guid isPermaLink='false'>tag:7</guid></item></channel></rss>",
        &["http://a.org/", "http://b.org/1", "http://b.org/2", "http://b.org/3.ttl"],
    );
}

#[test]
fn generic_xml_has_rdfa() {
    let xml = "<?xml version='1.0'?><report xmlns:d='http://purl.org/dc/terms/'><t property='d:title'>A</t></report>";
    for media_type in ["application/xml", "text/xml", "application/x-report+xml"] {
        let (extracted, found) = read(&ExtractOptions::default(), Some(media_type), xml.as_bytes());
        assert_eq!(extracted.format, "xml");
        assert_eq!(extracted.quads_by_format, [("rdfa", 1)]);
        assert_eq!(found.quads.len(), 1, "{media_type}");
    }
}

#[test]
fn formats_that_are_not_read_are_reported_by_name() {
    let check = |media_type: &str, text: &str, name: &str| {
        let (extracted, found) = read(&ExtractOptions::default(), Some(media_type), text.as_bytes());
        assert_eq!(extracted.format, "other");
        assert_eq!(found.faults.len(), 1, "{media_type}");
        assert_eq!(found.faults[0].kind, FaultKind::UnsupportedFormat);
        assert_eq!(found.faults[0].detail, format!("{name} is not read"));
    };

    check("text/owl-manchester", "Class: A", "OWL Manchester syntax");
    check("text/plain", "Prefix(:=<http://a.org/>)\nOntology(<http://a.org/>)", "OWL functional syntax");
    check("application/octet-stream", "$HDT\u{1}", "HDT");
    check("application/rdf+thrift", "\u{1c}", "RDF Thrift");
    let (_, found) = read(&ExtractOptions::default(), Some("text/turtle"), b"<a> <b> <<( <c> <d> <e> )>> .");
    assert!(found.faults.iter().any(|fault| fault.kind == FaultKind::UnsupportedFormat), "{:?}", found.faults);
}

#[test]
fn ontologies_in_owl_xml_are_rdf() {
    let ontology = "<?xml version='1.0'?><Ontology xmlns='http://www.w3.org/2002/07/owl#' \
        xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' ontologyIRI='http://o.org/'>\
        <SubClassOf><Class IRI='http://o.org/A'/><Class IRI='http://o.org/B'/></SubClassOf></Ontology>";
    let (extracted, found) = read(&ExtractOptions::default(), Some("application/rdf+xml"), ontology.as_bytes());

    assert_eq!(extracted.format, "owl-xml");
    assert_eq!(found.quads.len(), 2);
    assert!(found.targets().contains(&"http://o.org/B"));
}

#[test]
fn microformats_are_read_on_request() {
    let page = "<div class=vcard><b class=fn>Ada Lovelace</b></div>";
    let (_, found) = read(&ExtractOptions::default(), Some("text/html"), page.as_bytes());
    assert!(found.quads.is_empty());

    let options = ExtractOptions { microformats: true, ..ExtractOptions::default() };
    let (extracted, found) = read(&options, Some("text/html"), page.as_bytes());
    assert_eq!(extracted.quads_by_format, [("microformats", found.quads.len() as u64)]);
    assert!(found.quads.len() > 4);
}
