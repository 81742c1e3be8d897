//! Tests of `toyweb::entities`.

use std::collections::HashSet;

use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE};
use oxrdf::Triple;
use toyweb::entities::{EntityWeb, EntityWebSources, ListedLinks};
use toyweb::replay::ReplayWeb;
use toyweb::{UnknownHosts, Web, WebBody, WebRequest};

const ENTITIES: &str = "uri\ttypes\tlabel_en\tdefinition_en\tall_labels
http://a.example/Gül\thttp://a.example/Person\tGül\tA \"rose\".\tGül | Gul
http://a.example/Am_I%3F\t\tAm I?\t\t
http://a.example/Ankara\t\tAnkara\t\t
";
const LINKS: &str = "subject\trelation_id\tobject
http://a.example/Gül\tja:7\thttp://a.example/Ankara
http://a.example/Gül#note\thttp://a.example/secret\thttp://a.example/Am_I%3F
http://a.example/Ankara\tja:8\thttp://b.example/
http://a.example/Ankara\tja:8\tnot an iri
";

fn web(hidden: &[&str]) -> EntityWeb {
    web_listing(hidden, ListedLinks::BothWays)
}

fn web_listing(hidden: &[&str], listed: ListedLinks) -> EntityWeb {
    let directory = tempfile::tempdir().expect("a directory");
    let (entities, links) = (directory.path().join("entities.tsv"), directory.path().join("links.tsv"));
    std::fs::write(&entities, ENTITIES).expect("a file can be written");
    std::fs::write(&links, LINKS).expect("a file can be written");
    let hidden: HashSet<_> = hidden.iter().map(|&name| name.to_owned()).collect();
    let sources = EntityWebSources {
        entities: vec![entities],
        links: vec![links],
        hidden,
        listed,
        ..EntityWebSources::default()
    };
    EntityWeb::load(&sources).expect("tables")
}

fn lines(web: &EntityWeb, url: &str) -> Vec<String> {
    let request = WebRequest::get(url).with_header(ACCEPT, "application/n-triples");
    let response = web.respond(&request);
    assert_eq!(response.status, StatusCode::OK, "{url}");
    let text = text_of(response.body);
    text.lines().map(|line| line.replace("http://a.example/", "a:").trim_end_matches(" .").to_owned()).collect()
}

fn text_of(body: WebBody) -> String {
    match body {
        WebBody::Whole(body) => String::from_utf8(body.to_vec()).expect("UTF-8"),
        body => panic!("a document is whole, not {body:?}"),
    }
}

#[test]
fn links_are_listed_by_subject_and_by_object() {
    let web = web(&[]);
    let link = "<a:Gül> <http://dbpedia.org/property/ja-7> <a:Ankara>".to_owned();

    assert!(lines(&web, "http://a.example/Gül").contains(&link));
    assert!(lines(&web, "http://a.example/Ankara").contains(&link));
    assert!(lines(&web, "http://a.example/Am_I%3F").contains(&"<a:Gül#note> <a:secret> <a:Am_I%3F>".to_owned()));
}

#[test]
fn an_entity_is_described_under_its_iri_at_its_percent_encoded_url() {
    let web = web(&[]);

    assert_eq!(web.urls().next(), Some("http://a.example/G%C3%BCl"));
    let encoded = lines(&web, "http://a.example/%47%c3%bcl");
    assert_eq!(encoded, lines(&web, "http://a.example/Gül"));
    for expected in [
        "<a:Gül> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <a:Person>",
        "<a:Gül> <http://www.w3.org/2000/01/rdf-schema#label> \"Gül\"@en",
        "<a:Gül> <http://www.w3.org/2004/02/skos/core#altLabel> \"Gul\"",
        "<a:Gül> <http://www.w3.org/2004/02/skos/core#definition> \"A \\\"rose\\\".\"@en",
    ] {
        assert!(encoded.contains(&expected.to_owned()), "{expected} in {encoded:#?}");
    }
}

#[test]
fn a_hidden_predicate_is_listed_in_neither_direction() {
    for hidden in ["ja:7", "http://dbpedia.org/property/ja-7"] {
        let web = web(&[hidden]);

        for url in ["http://a.example/Gül", "http://a.example/Ankara"] {
            assert!(!lines(&web, url).iter().any(|line| line.contains("ja-7")), "{url}");
        }
    }
}

#[test]
fn every_syntax_has_the_same_triples() {
    let web = web(&[]);
    let url = url::Url::parse("http://a.example/Gül").expect("a URL");
    let expected: HashSet<Triple> = web.statements(&url).expect("a document").into_iter().collect();
    let fetch = |accept: &str| {
        let response = web.respond(&WebRequest::get(url.as_str()).with_header(ACCEPT, accept));
        let content_type = response.headers[CONTENT_TYPE].to_str().expect("ASCII").to_owned();
        assert!(content_type.starts_with(accept), "{content_type}");
        text_of(response.body)
    };

    let turtle = fetch("text/turtle");
    let turtle: HashSet<_> =
        oxttl::TurtleParser::new().for_slice(&turtle).map(|triple| triple.expect("a triple")).collect();
    assert_eq!(turtle, expected);
    let xml = fetch("application/rdf+xml");
    let xml: HashSet<_> =
        oxrdfxml::RdfXmlParser::new().for_slice(&xml).map(|triple| triple.expect("a triple")).collect();
    assert_eq!(xml, expected);
    let json = fetch("application/ld+json");
    let json = oxjsonld::JsonLdParser::new().for_slice(&json).map(|quad| Triple::from(quad.expect("a quad")));
    assert_eq!(json.collect::<HashSet<_>>(), expected);
    let html = fetch("text/html");
    assert!(html.contains("<a href=\"http://a.example/G%C3%BCl\">http://a.example/Gül</a>"), "{html}");
    assert!(html.contains("A &quot;rose&quot;."), "{html}");
}

#[test]
fn a_url_without_an_entity_is_not_found() {
    let web = web(&[]);

    assert_eq!(web.respond(&WebRequest::get("http://a.example/Person")).status, StatusCode::NOT_FOUND);
    assert_eq!(web.respond(&WebRequest::get("http://b.example/")).status, StatusCode::BAD_GATEWAY);
}

#[test]
fn the_shared_graphs_load_as_webs() {
    let Some(directory) = toyweb::test_data::find("data/entities") else { return };
    let files = |names: [&str; 2]| names.map(|name| directory.join(name)).into();
    let sources = EntityWebSources {
        entities: files(["dbp15k-en.entities.tsv.gz", "nomisma.entities.tsv.gz"]),
        links: files(["dbp15k-en.triples.tsv.gz", "nomisma.links.tsv.gz"]),
        ..EntityWebSources::default()
    };

    let web = EntityWeb::load(&sources).expect("tables");

    assert_eq!(web.urls().count(), 69_377);
    let statements = lines(&web, "http://dbpedia.org/resource/Angola");
    let incoming = "<http://dbpedia.org/resource/!Kung_language> <http://dbpedia.org/property/ja-1987> \
                    <http://dbpedia.org/resource/Angola>";
    assert!(statements.iter().any(|line| line == incoming), "{statements:#?}");
}

#[test]
fn forward_documents_list_no_incoming_links() {
    let web = web_listing(&[], ListedLinks::Forward);

    assert!(lines(&web, "http://a.example/Gül").iter().any(|line| line.contains("ja-7")));
    assert!(!lines(&web, "http://a.example/Ankara").iter().any(|line| line.contains("ja-7")));
}

#[test]
fn a_recorded_graph_responds_like_the_graph() {
    let directory = tempfile::tempdir().expect("a directory");
    let web = web(&[]);

    let summary = toyweb::record::record_entities(&web, directory.path()).expect("a recording");

    let replay =
        ReplayWeb::open(&[directory.path().join("world-1.warc.gz")], UnknownHosts::BadGateway).expect("a WARC file");
    assert_eq!((summary.documents, summary.rdf), (3, 3));
    let seeds = std::fs::read_to_string(directory.path().join("seeds.txt")).expect("seeds");
    assert_eq!(seeds.lines().collect::<Vec<_>>(), web.urls().collect::<Vec<_>>());
    for url in web.urls() {
        let fetch = |web: &dyn Web| {
            let response = web.respond(&WebRequest::get(url).with_header(ACCEPT, "text/turtle"));
            (response.status, response.headers[CONTENT_TYPE].clone(), text_of(response.body))
        };
        assert_eq!(fetch(&replay), fetch(&web), "{url}");
    }
}
