//! What `toyweb::entities` answers.

use std::collections::HashSet;

use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE};
use oxrdf::Triple;
use toyweb::entities::{EntityWeb, Listed, Sources};
use toyweb::replay::Replay;
use toyweb::{Body, Elsewhere, Request, Web};

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
    web_listing(hidden, Listed::BothWays)
}

fn web_listing(hidden: &[&str], listed: Listed) -> EntityWeb {
    let folder = tempfile::tempdir().expect("a folder");
    let (entities, links) = (folder.path().join("entities.tsv"), folder.path().join("links.tsv"));
    std::fs::write(&entities, ENTITIES).expect("a file can be written");
    std::fs::write(&links, LINKS).expect("a file can be written");
    let hidden: HashSet<_> = hidden.iter().map(|&name| name.to_owned()).collect();
    let sources = Sources { entities: vec![entities], links: vec![links], hidden, listed, ..Sources::default() };
    EntityWeb::load(&sources).expect("tables")
}

fn lines(web: &EntityWeb, url: &str) -> Vec<String> {
    let request = Request::get(url).with(ACCEPT, "application/n-triples");
    let response = web.respond(&request);
    assert_eq!(response.status, StatusCode::OK, "{url}");
    let text = text_of(response.body);
    text.lines().map(|line| line.replace("http://a.example/", "a:").trim_end_matches(" .").to_owned()).collect()
}

fn text_of(body: Body) -> String {
    match body {
        Body::Whole(body) => String::from_utf8(body.to_vec()).expect("UTF-8"),
        body => panic!("a document is whole, not {body:?}"),
    }
}

#[test]
fn links_are_listed_where_they_lead_from_and_where_they_lead_to() {
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
    for said in [
        "<a:Gül> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <a:Person>",
        "<a:Gül> <http://www.w3.org/2000/01/rdf-schema#label> \"Gül\"@en",
        "<a:Gül> <http://www.w3.org/2004/02/skos/core#altLabel> \"Gul\"",
        "<a:Gül> <http://www.w3.org/2004/02/skos/core#definition> \"A \\\"rose\\\".\"@en",
    ] {
        assert!(encoded.contains(&said.to_owned()), "{said} in {encoded:#?}");
    }
}

#[test]
fn a_hidden_predicate_is_told_in_neither_direction() {
    for hidden in ["ja:7", "http://dbpedia.org/property/ja-7"] {
        let web = web(&[hidden]);

        for url in ["http://a.example/Gül", "http://a.example/Ankara"] {
            assert!(!lines(&web, url).iter().any(|line| line.contains("ja-7")), "{url}");
        }
    }
}

#[test]
fn every_syntax_says_the_same() {
    let web = web(&[]);
    let url = url::Url::parse("http://a.example/Gül").expect("a URL");
    let expected: HashSet<Triple> = web.statements(&url).expect("a document").into_iter().collect();
    let ask = |accept: &str| {
        let response = web.respond(&Request::get(url.as_str()).with(ACCEPT, accept));
        let content_type = response.headers[CONTENT_TYPE].to_str().expect("ASCII").to_owned();
        assert!(content_type.starts_with(accept), "{content_type}");
        text_of(response.body)
    };

    let turtle = ask("text/turtle");
    let turtle: HashSet<_> =
        oxttl::TurtleParser::new().for_slice(&turtle).map(|triple| triple.expect("a triple")).collect();
    assert_eq!(turtle, expected);
    let xml = ask("application/rdf+xml");
    let xml: HashSet<_> =
        oxrdfxml::RdfXmlParser::new().for_slice(&xml).map(|triple| triple.expect("a triple")).collect();
    assert_eq!(xml, expected);
    let json = ask("application/ld+json");
    let json = oxjsonld::JsonLdParser::new().for_slice(&json).map(|quad| Triple::from(quad.expect("a quad")));
    assert_eq!(json.collect::<HashSet<_>>(), expected);
    let html = ask("text/html");
    assert!(html.contains("<a href=\"http://a.example/G%C3%BCl\">http://a.example/Gül</a>"), "{html}");
    assert!(html.contains("A &quot;rose&quot;."), "{html}");
}

#[test]
fn what_is_no_entity_is_not_found() {
    let web = web(&[]);

    assert_eq!(web.respond(&Request::get("http://a.example/Person")).status, StatusCode::NOT_FOUND);
    assert_eq!(web.respond(&Request::get("http://b.example/")).status, StatusCode::BAD_GATEWAY);
}

#[test]
fn the_shared_graphs_are_webs() {
    let Some(folder) = toyweb::shared::find("data/entities") else { return };
    let files = |names: [&str; 2]| names.map(|name| folder.join(name)).into();
    let sources = Sources {
        entities: files(["dbp15k-en.entities.tsv.gz", "nomisma.entities.tsv.gz"]),
        links: files(["dbp15k-en.triples.tsv.gz", "nomisma.links.tsv.gz"]),
        ..Sources::default()
    };

    let web = EntityWeb::load(&sources).expect("tables");

    assert_eq!(web.urls().count(), 69_377);
    let said = lines(&web, "http://dbpedia.org/resource/Angola");
    let incoming = "<http://dbpedia.org/resource/!Kung_language> <http://dbpedia.org/property/ja-1987> \
                    <http://dbpedia.org/resource/Angola>";
    assert!(said.iter().any(|line| line == incoming), "{said:#?}");
}

#[test]
fn forward_documents_do_not_list_the_links_that_lead_to_them() {
    let web = web_listing(&[], Listed::Forward);

    assert!(lines(&web, "http://a.example/Gül").iter().any(|line| line.contains("ja-7")));
    assert!(!lines(&web, "http://a.example/Ankara").iter().any(|line| line.contains("ja-7")));
}

#[test]
fn a_recorded_graph_answers_as_the_graph_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let web = web(&[]);

    let recorded = toyweb::record::record_entities(&web, folder.path()).expect("a recording");

    let replay = Replay::open(&[folder.path().join("world-1.warc.gz")], Elsewhere::BadGateway).expect("a WARC file");
    assert_eq!((recorded.documents, recorded.rdf), (3, 3));
    let seeds = std::fs::read_to_string(folder.path().join("seeds.txt")).expect("seeds");
    assert_eq!(seeds.lines().collect::<Vec<_>>(), web.urls().collect::<Vec<_>>());
    for url in web.urls() {
        let ask = |web: &dyn Web| {
            let answer = web.respond(&Request::get(url).with(ACCEPT, "text/turtle"));
            (answer.status, answer.headers[CONTENT_TYPE].clone(), text_of(answer.body))
        };
        assert_eq!(ask(&replay), ask(&web), "{url}");
    }
}
