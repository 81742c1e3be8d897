//! The service description of an endpoint, returned for requests without a query.

use http::StatusCode;

use crate::accept::AcceptHeader;
use crate::message::WebResponse;
use crate::unknown_hosts::status_response;
use crate::world::responses::{html_response, text_response, with_vary_accept};

#[derive(Clone, Copy)]
enum ServiceDescriptionFormat {
    Page,
    Turtle,
    RdfXml,
    NTriples,
}

impl ServiceDescriptionFormat {
    fn media_type(self) -> &'static str {
        match self {
            Self::Page => "text/html",
            Self::Turtle => "text/turtle",
            Self::RdfXml => "application/rdf+xml",
            Self::NTriples => "application/n-triples",
        }
    }
}

/// A service description for clients that accept RDF, and an HTML form for all others.
pub(super) fn respond(url: &str, accept: &AcceptHeader, union_default_graph: bool) -> WebResponse {
    use ServiceDescriptionFormat::{NTriples, Page, RdfXml, Turtle};
    let union = union_default_graph.then_some("UnionDefaultGraph");
    let features: Vec<&str> = ["DereferencesURIs"].into_iter().chain(union).collect();
    with_vary_accept(match accept.best(&[Page, Turtle, RdfXml, NTriples], ServiceDescriptionFormat::media_type) {
        None => status_response(StatusCode::NOT_ACCEPTABLE),
        Some(Page) => html_response(query_form(url)),
        Some(chosen @ Turtle) => text_response(Some(chosen.media_type()), turtle(url, &features)),
        Some(chosen @ RdfXml) => text_response(Some(chosen.media_type()), rdf_xml(url, &features)),
        Some(chosen @ NTriples) => text_response(Some(chosen.media_type()), n_triples(url, &features)),
    })
}

const SD: &str = "http://www.w3.org/ns/sparql-service-description#";
const FORMATS: [&str; 4] = ["SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "Turtle"];

fn turtle(url: &str, features: &[&str]) -> String {
    let features: Vec<String> = features.iter().map(|feature| format!("sd:{feature}")).collect();
    let formats: Vec<String> =
        FORMATS.iter().map(|format| format!("<http://www.w3.org/ns/formats/{format}>")).collect();
    format!(
        "@prefix sd: <{SD}> .\n<{url}> a sd:Service ;\n\tsd:endpoint <{url}> ;\n\tsd:supportedLanguage \
         sd:SPARQL11Query ;\n\tsd:feature {} ;\n\tsd:resultFormat {} .\n",
        features.join(", "),
        formats.join(", ")
    )
}

fn n_triples(url: &str, features: &[&str]) -> String {
    let statement = |predicate: &str, object: &str| format!("<{url}> <{predicate}> <{object}> .\n");
    let mut lines = statement("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", &format!("{SD}Service"));
    lines += &statement(&format!("{SD}endpoint"), url);
    lines += &statement(&format!("{SD}supportedLanguage"), &format!("{SD}SPARQL11Query"));
    for feature in features {
        lines += &statement(&format!("{SD}feature"), &format!("{SD}{feature}"));
    }
    for format in FORMATS {
        lines += &statement(&format!("{SD}resultFormat"), &format!("http://www.w3.org/ns/formats/{format}"));
    }
    lines
}

fn rdf_xml(url: &str, features: &[&str]) -> String {
    let property = |name: &str, object: &str| format!("    <sd:{name} rdf:resource=\"{object}\"/>\n");
    let mut properties = property("endpoint", url) + &property("supportedLanguage", &format!("{SD}SPARQL11Query"));
    for feature in features {
        properties += &property("feature", &format!("{SD}{feature}"));
    }
    for format in FORMATS {
        properties += &property("resultFormat", &format!("http://www.w3.org/ns/formats/{format}"));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rdf:RDF \
         xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:sd=\"{SD}\">\n  <sd:Service \
         rdf:about=\"{url}\">\n{properties}  </sd:Service>\n</rdf:RDF>\n"
    )
}

fn query_form(url: &str) -> String {
    let path = url::Url::parse(url).map_or_else(|_| "/sparql".to_owned(), |url| url.path().to_owned());
    format!(
        "<!DOCTYPE html>\n<html><head><title>OpenLink Virtuoso SPARQL Query Editor</title></head>\n<body>\n\
         <h1>Virtuoso SPARQL Query Editor</h1>\n<form action=\"{path}\" method=\"get\">\n\
         <label for=\"default-graph-uri\">Default Data Set Name (Graph IRI)</label>\n\
         <input type=\"text\" name=\"default-graph-uri\" id=\"default-graph-uri\" value=\"\">\n\
         <label for=\"query\">Query Text</label>\n<textarea name=\"query\" id=\"query\">select distinct ?Concept where \
         {{[] a ?Concept}} LIMIT 100</textarea>\n<select name=\"format\"><option \
         value=\"application/sparql-results+json\">JSON</option></select>\n<input type=\"submit\" value=\"Run Query\">\n\
         </form>\n</body></html>\n"
    )
}
