//! Provenance as RDF: a record in, quads out.

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Quad, Term};

use super::time::{date_time, http_date};
use super::vocabulary::{dcterms, foaf, http, own, prov, void};
use super::{Names, Provenance, Redirect, graph_of};
use crate::model::Uri;

impl Provenance {
    /// What is known of a document with so many statements, in the graph that is
    /// for it. The same record makes the same quads; there are no blank nodes.
    ///
    /// There are as many of these as there are documents, so things that occur
    /// again and again have one name in the whole crawl: an archive keeps each
    /// name once.
    #[must_use]
    pub fn quads(&self, names: &Names, document: &Uri, quads: u64) -> Vec<Quad> {
        let mut writer = Writer { graph: names.provenance_graph(document), quads: Vec::with_capacity(48) };
        if self.is_end() {
            writer.end(self, names, document, quads);
            return writer.quads;
        }
        writer.document(self, names, document, quads);
        writer.fetch(self, names);
        writer.redirects(&self.redirects);
        writer.faults(self, document);
        writer.quads
    }
}

struct Writer {
    graph: NamedNode,
    quads: Vec<Quad>,
}

impl Writer {
    fn say(&mut self, subject: &NamedNode, predicate: NamedNodeRef<'_>, object: impl Into<Term>) {
        let subject = NamedOrBlankNode::from(subject.clone());
        self.quads.push(Quad::new(subject, predicate, object, self.graph.clone()));
    }

    /// Something that only this graph speaks of.
    fn part(&self, name: &str) -> NamedNode {
        NamedNode::new_unchecked(format!("{}#{name}", self.graph.as_str()))
    }

    /// A document that was there once: when it was gone, and how that was seen.
    fn end(&mut self, about: &Provenance, names: &Names, document: &Uri, quads: u64) {
        let it = graph_of(document);
        self.say(&it, rdf::TYPE, prov::ENTITY);
        self.say(&it, prov::WAS_INVALIDATED_BY, self.part("fetch"));
        self.say(&it, prov::INVALIDATED_AT_TIME, date_time(about.fetched_at_ms));
        self.say(&it, void::IN_DATASET, names.crawl());
        self.say(&it, void::TRIPLES, count(quads));
        let about = Provenance { declared: None, ..about.clone() };
        self.fetch(&about, names);
    }

    fn document(&mut self, about: &Provenance, names: &Names, document: &Uri, quads: u64) {
        let it = graph_of(document);
        self.say(&it, rdf::TYPE, prov::ENTITY);
        self.say(&it, prov::WAS_GENERATED_BY, self.part("fetch"));
        self.say(&it, prov::GENERATED_AT_TIME, date_time(about.fetched_at_ms));
        self.say(&it, void::IN_DATASET, names.crawl());
        self.say(&it, void::TRIPLES, count(quads));
        self.say(&it, own::BYTES, count(about.bytes));
        self.say(&it, own::SYNTAX, Literal::from(about.syntax.as_str()));
        for (syntax, _) in about.quads_by_syntax.iter().filter(|(syntax, _)| *syntax != about.syntax) {
            self.say(&it, own::SYNTAX, Literal::from(syntax.as_str()));
        }
        if let Some(format) = format_of(&about.syntax) {
            self.say(&it, dcterms::FORMAT, format);
        }
        if about.digest != 0 {
            self.say(&it, own::DIGEST, Literal::from(format!("xxh3-64:{:016x}", about.digest)));
        }
        if let Some(etag) = &about.etag {
            self.say(&it, own::ETAG, Literal::from(etag.as_str()));
        }
        if let Some(modified) = &about.last_modified {
            self.say(&it, dcterms::MODIFIED, http_date(modified));
        }
        for redirect in &about.redirects {
            self.say(&it, prov::WAS_DERIVED_FROM, graph_of(&redirect.from));
        }
    }

    fn fetch(&mut self, about: &Provenance, names: &Names) {
        let (fetch, response) = (self.part("fetch"), self.part("response"));
        let agent = names.part("agent", &about.user_agent);
        self.request(&fetch, &response, about.status);
        self.say(&fetch, prov::STARTED_AT_TIME, date_time(about.requested_at_ms));
        self.say(&fetch, prov::ENDED_AT_TIME, date_time(about.fetched_at_ms));
        self.say(&fetch, prov::WAS_ASSOCIATED_WITH, agent.clone());
        self.say(&agent, rdf::TYPE, prov::SOFTWARE_AGENT);
        self.say(&agent, foaf::NAME, Literal::from(about.user_agent.as_str()));
        if let Some(declared) = &about.declared {
            self.content_type(&response, names, declared);
        }
    }

    fn request(&mut self, request: &NamedNode, response: &NamedNode, status: u16) {
        self.say(request, rdf::TYPE, prov::ACTIVITY);
        self.say(request, rdf::TYPE, http::REQUEST);
        self.say(request, http::METHOD_NAME, Literal::from("GET"));
        self.say(request, http::RESP, response.clone());
        self.say(response, rdf::TYPE, http::RESPONSE);
        self.say(response, http::STATUS_CODE_VALUE, count(status.into()));
    }

    /// The one header field that is not told otherwise. The HTTP vocabulary wants
    /// a list of them.
    fn content_type(&mut self, response: &NamedNode, names: &Names, declared: &str) {
        let (list, header) = (names.part("headers", declared), names.part("header", declared));
        self.say(response, http::HEADERS, list.clone());
        self.say(&list, rdf::FIRST, header.clone());
        self.say(&list, rdf::REST, rdf::NIL);
        self.say(&header, rdf::TYPE, http::MESSAGE_HEADER);
        self.say(&header, http::FIELD_NAME, Literal::from("Content-Type"));
        self.say(&header, http::FIELD_VALUE, Literal::from(declared));
    }

    /// Each redirect was a request too, and the next was made because of it.
    fn redirects(&mut self, redirects: &[Redirect]) {
        for (number, redirect) in redirects.iter().enumerate() {
            let name = format!("redirect-{}", number + 1);
            let (request, response) = (self.part(&name), self.part(&format!("{name}-response")));
            let next = match redirects.get(number + 1) {
                Some(_) => self.part(&format!("redirect-{}", number + 2)),
                None => self.part("fetch"),
            };
            self.request(&request, &response, redirect.status);
            self.say(&request, http::ABSOLUTE_URI, Literal::from(redirect.from.as_str()));
            self.say(&next, prov::WAS_INFORMED_BY, request);
        }
    }

    fn faults(&mut self, about: &Provenance, document: &Uri) {
        for (number, fault) in about.faults.iter().enumerate() {
            let it = self.part(&format!("fault-{}", number + 1));
            self.say(&graph_of(document), own::FAULT, it.clone());
            self.say(&it, rdf::TYPE, own::FAULT_CLASS);
            self.say(&it, dcterms::TYPE, Literal::from(fault.kind.as_str()));
            self.say(&it, dcterms::DESCRIPTION, Literal::from(fault.detail.as_str()));
        }
    }
}

pub(super) fn count(number: u64) -> Literal {
    Literal::new_typed_literal(number.to_string(), xsd::INTEGER)
}

/// The W3C's name of a syntax, where it has one.
fn format_of(syntax: &str) -> Option<NamedNode> {
    let name = match syntax {
        "turtle" => "Turtle",
        "trig" => "TriG",
        "n-triples" => "N-Triples",
        "n-quads" => "N-Quads",
        "rdf-xml" => "RDF_XML",
        "json-ld" => "JSON-LD",
        "n3" => "N3",
        "rdfa" => "RDFa",
        "microdata" => "microdata",
        _ => return None,
    };
    Some(NamedNode::new_unchecked(format!("http://www.w3.org/ns/formats/{name}")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names() -> Names {
        Names::new("urn:lodeward:", 1)
    }

    #[test]
    fn a_record_is_told_with_public_terms_in_a_graph_of_its_own() {
        let document = Uri::parse("http://a.example/bob").unwrap();
        let mut about = Provenance::sample(7);
        about.redirects.insert(0, Redirect { from: Uri::parse("http://a.example/first").unwrap(), status: 301 });

        let quads = about.quads(&names(), &document, 7);

        let graph = names().provenance_graph(&document);
        assert!(quads.iter().all(|quad| quad.graph_name == graph.clone().into()));
        assert!(names().is_made(graph.as_str()));
        let part = format!("<{}#", graph.as_str());
        let lines = quads.iter().map(|quad| {
            let line = format!("{} {} {}", quad.subject, quad.predicate, quad.object).replace(&part, "<#");
            [
                ("http://www.w3.org/ns/prov#", "prov:"),
                ("http://www.w3.org/2011/http#", "http:"),
                ("http://purl.org/dc/terms/", "dcterms:"),
                ("http://rdfs.org/ns/void#", "void:"),
                ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"),
                ("http://www.w3.org/2001/XMLSchema#", "xsd:"),
            ]
            .iter()
            .fold(line, |line, (namespace, prefix)| line.replace(namespace, prefix))
        });
        let lines: Vec<String> = lines.collect();
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "nothing is said twice");
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let document = Uri::parse("http://a.example/100%?a|b").unwrap();
        let about = Provenance {
            redirects: Vec::new(),
            declared: None,
            etag: None,
            last_modified: None,
            faults: Vec::new(),
            digest: 0,
            syntax: "html".to_owned(),
            quads_by_syntax: vec![("rdfa".to_owned(), 3), ("microdata".to_owned(), 4)],
            ..Provenance::sample(1)
        };

        let quads = about.quads(&names(), &document, 7);

        let text: Vec<String> = quads.iter().map(Quad::to_string).collect();
        let text = text.join("\n");
        for absent in ["headers", "wasDerivedFrom", "digest", "fault", "format", "etag", "modified"] {
            assert!(!text.contains(absent), "{absent}");
        }
        let syntaxes: Vec<&str> = text.lines().filter(|line| line.contains("/ns#syntax")).collect();
        assert_eq!(syntaxes.len(), 3);
        assert!(text.starts_with("<http://a.example/100%25?a%7Cb> "));
        let parsed = oxttl::NQuadsParser::new().for_slice(&(text.replace('\n', " .\n") + " .")).count();
        assert_eq!(parsed, quads.len());
    }
}
