//! Converts provenance records to RDF.

use lodeward::model::{Provenance, RedirectRecord, Uri, UsageTerms};
use lodeward::time::{format_iso8601, parse_http_date};
use lodeward_markup::EmbeddedSyntax;
use lodeward_rdf::RdfFormat;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Quad, Term};

use super::GraphNames;
use super::vocabulary::{dcterms, foaf, http, own, prov, tdm, void};

/// The provenance of a document with `quads` statements, in its own graph. The same record produces the same quads;
/// there are no blank nodes.
///
/// There are as many graphs as documents, so resources that repeat have one name in the whole crawl: an archive
/// stores each name once.
#[must_use]
pub fn provenance_quads(about: &Provenance, names: &GraphNames, document: &Uri, quads: u64) -> Vec<Quad> {
    let mut writer = ProvenanceWriter { graph: names.provenance_graph(document), quads: Vec::with_capacity(48) };
    if about.is_removal() {
        writer.write_removal(about, names, document, quads);
        return writer.quads;
    }
    writer.write_document(about, names, document, quads);
    let response = writer.write_fetch(about, names);
    if let Some(declared) = &about.fetch.declared_media_type {
        writer.write_content_type(&response, names, declared);
    }
    writer.write_redirects(&about.redirects);
    writer.write_faults(about, document);
    writer.quads
}

struct ProvenanceWriter {
    graph: NamedNode,
    quads: Vec<Quad>,
}

impl ProvenanceWriter {
    fn add(&mut self, subject: &NamedNode, predicate: NamedNodeRef<'_>, object: impl Into<Term>) {
        let subject = NamedOrBlankNode::from(subject.clone());
        self.quads.push(Quad::new(subject, predicate, object, self.graph.clone()));
    }

    /// The IRI of a resource that occurs only in this graph.
    fn part_iri(&self, name: &str) -> NamedNode {
        NamedNode::new_unchecked(format!("{}#{name}", self.graph.as_str()))
    }

    /// Describes a deleted document: when and by which response the crawl found that it was deleted.
    fn write_removal(&mut self, about: &Provenance, names: &GraphNames, document: &Uri, quads: u64) {
        let it = document.document_graph();
        self.add(&it, rdf::TYPE, prov::ENTITY);
        self.add(&it, prov::WAS_INVALIDATED_BY, self.part_iri("fetch"));
        self.add(&it, prov::INVALIDATED_AT_TIME, date_time(about.fetch.fetched_at_ms));
        self.add(&it, void::IN_DATASET, names.crawl());
        self.add(&it, void::TRIPLES, integer_literal(quads));
        // The media type is that of the deleted document.
        self.write_fetch(about, names);
    }

    fn write_document(&mut self, about: &Provenance, names: &GraphNames, document: &Uri, quads: u64) {
        let (it, fetch) = (document.document_graph(), &about.fetch);
        self.add(&it, rdf::TYPE, prov::ENTITY);
        self.add(&it, prov::WAS_GENERATED_BY, self.part_iri("fetch"));
        self.add(&it, prov::GENERATED_AT_TIME, date_time(fetch.fetched_at_ms));
        self.add(&it, void::IN_DATASET, names.crawl());
        self.add(&it, void::TRIPLES, integer_literal(quads));
        self.add(&it, own::BYTES, integer_literal(fetch.bytes));
        self.add(&it, own::SYNTAX, Literal::from(fetch.format.as_str()));
        for (syntax, _) in fetch.quads_by_format.iter().filter(|(syntax, _)| *syntax != fetch.format) {
            self.add(&it, own::SYNTAX, Literal::from(syntax.as_str()));
        }
        if let Some(format) = w3c_format(&fetch.format) {
            self.add(&it, dcterms::FORMAT, format);
        }
        if fetch.digest != 0 {
            self.add(&it, own::DIGEST, Literal::from(format!("xxh3-64:{:016x}", fetch.digest)));
        }
        if let Some(etag) = &fetch.validators.etag {
            self.add(&it, own::ETAG, Literal::from(etag.as_str()));
        }
        if let Some(modified) = &fetch.validators.last_modified {
            self.add(&it, dcterms::MODIFIED, http_date(modified));
        }
        self.write_terms(&it, &fetch.terms);
        for redirect in &about.redirects {
            self.add(&it, prov::WAS_DERIVED_FROM, redirect.from.document_graph());
        }
    }

    /// Writes what the publisher states about the use of the document.
    fn write_terms(&mut self, document: &NamedNode, terms: &UsageTerms) {
        for license in terms.licenses.iter().filter_map(|iri| NamedNode::new(iri).ok()) {
            self.add(document, dcterms::LICENSE, license);
        }
        if let Some(is_reserved) = terms.tdm_reservation {
            self.add(document, tdm::RESERVATION, integer_literal(is_reserved.into()));
        }
        if let Some(policy) = terms.tdm_policy.as_deref().and_then(|iri| NamedNode::new(iri).ok()) {
            self.add(document, tdm::POLICY, policy);
        }
    }

    /// Writes the request and returns its response.
    fn write_fetch(&mut self, about: &Provenance, names: &GraphNames) -> NamedNode {
        let (fetch, response) = (self.part_iri("fetch"), self.part_iri("response"));
        let agent = names.part_iri("agent", &about.user_agent);
        self.write_request(&fetch, &response, about.fetch.status);
        self.add(&fetch, prov::STARTED_AT_TIME, date_time(about.requested_at_ms));
        self.add(&fetch, prov::ENDED_AT_TIME, date_time(about.fetch.fetched_at_ms));
        self.add(&fetch, prov::WAS_ASSOCIATED_WITH, agent.clone());
        self.add(&agent, rdf::TYPE, prov::SOFTWARE_AGENT);
        self.add(&agent, foaf::NAME, Literal::from(about.user_agent.as_str()));
        response
    }

    fn write_request(&mut self, request: &NamedNode, response: &NamedNode, status: u16) {
        self.add(request, rdf::TYPE, prov::ACTIVITY);
        self.add(request, rdf::TYPE, http::REQUEST);
        self.add(request, http::METHOD_NAME, Literal::from("GET"));
        self.add(request, http::RESP, response.clone());
        self.add(response, rdf::TYPE, http::RESPONSE);
        self.add(response, http::STATUS_CODE_VALUE, integer_literal(status.into()));
    }

    /// Writes the `Content-Type`, the only header field that no other term expresses. The HTTP vocabulary requires a
    /// list of header fields.
    fn write_content_type(&mut self, response: &NamedNode, names: &GraphNames, declared: &str) {
        let (list, header) = (names.part_iri("headers", declared), names.part_iri("header", declared));
        self.add(response, http::HEADERS, list.clone());
        self.add(&list, rdf::FIRST, header.clone());
        self.add(&list, rdf::REST, rdf::NIL);
        self.add(&header, rdf::TYPE, http::MESSAGE_HEADER);
        self.add(&header, http::FIELD_NAME, Literal::from("Content-Type"));
        self.add(&header, http::FIELD_VALUE, Literal::from(declared));
    }

    /// Each redirect is a request of its own that causes the next one.
    fn write_redirects(&mut self, redirects: &[RedirectRecord]) {
        for (number, redirect) in redirects.iter().enumerate() {
            let name = format!("redirect-{}", number + 1);
            let (request, response) = (self.part_iri(&name), self.part_iri(&format!("{name}-response")));
            let next = match redirects.get(number + 1) {
                Some(_) => self.part_iri(&format!("redirect-{}", number + 2)),
                None => self.part_iri("fetch"),
            };
            self.write_request(&request, &response, redirect.status);
            self.add(&request, http::ABSOLUTE_URI, Literal::from(redirect.from.as_str()));
            self.add(&next, prov::WAS_INFORMED_BY, request);
        }
    }

    fn write_faults(&mut self, about: &Provenance, document: &Uri) {
        for (number, fault) in about.fetch.faults.iter().enumerate() {
            let it = self.part_iri(&format!("fault-{}", number + 1));
            self.add(&document.document_graph(), own::FAULT, it.clone());
            self.add(&it, rdf::TYPE, own::FAULT_CLASS);
            self.add(&it, dcterms::TYPE, Literal::from(fault.kind.name()));
            self.add(&it, dcterms::DESCRIPTION, Literal::from(fault.detail.as_str()));
        }
    }
}

pub(super) fn integer_literal(number: u64) -> Literal {
    Literal::new_typed_literal(number.to_string(), xsd::INTEGER)
}

/// The W3C IRI of a format or of a syntax inside pages, if there is one.
fn w3c_format(name: &str) -> Option<NamedNode> {
    let of_format = || RdfFormat::all().find(|format| format.name() == name)?.w3c_iri();
    let of_syntax = || EmbeddedSyntax::from_name(name)?.w3c_iri().map(str::to_owned);
    of_format().or_else(of_syntax).map(NamedNode::new_unchecked)
}

/// Milliseconds since the Unix epoch as an `xsd:dateTime`, in UTC.
pub(super) fn date_time(epoch_ms: u64) -> Literal {
    Literal::new_typed_literal(format_iso8601(epoch_ms), xsd::DATE_TIME)
}

/// An HTTP date as `xsd:dateTime`; unreadable text stays a plain literal.
fn http_date(text: &str) -> Literal {
    parse_http_date(text).map_or_else(|| Literal::from(text), |seconds| date_time(1_000 * seconds))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use lodeward::model::FetchFacts;

    fn names() -> GraphNames {
        GraphNames::new("urn:lodeward:", 1)
    }

    #[test]
    fn terms_of_use_are_part_of_the_provenance() {
        let document = Uri::parse("http://a.example/bob").unwrap();
        let mut about = Provenance::sample(7);
        *about.fetch.terms = UsageTerms {
            licenses: vec!["http://l.example/by".to_owned(), "not an IRI".to_owned()],
            tdm_reservation: Some(true),
            tdm_policy: Some("http://a.example/policy.json".to_owned()),
        };

        let quads = provenance_quads(&about, &names(), &document, 7);

        let has = |predicate: &str, object: &str| {
            let is_it = |quad: &&Quad| quad.predicate.as_str() == predicate && quad.object.to_string() == object;
            assert_eq!(quads.iter().filter(is_it).count(), 1, "{predicate} {object}");
        };
        has("http://purl.org/dc/terms/license", "<http://l.example/by>");
        has("http://www.w3.org/ns/tdmrep#reservation", "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>");
        has("http://www.w3.org/ns/tdmrep#policy", "<http://a.example/policy.json>");
    }

    #[test]
    fn record_is_written_with_public_terms_in_its_own_graph() {
        let document = Uri::parse("http://a.example/bob").unwrap();
        let mut about = Provenance::sample(7);
        about.redirects.insert(0, RedirectRecord { from: Uri::parse("http://a.example/first").unwrap(), status: 301 });

        let quads = provenance_quads(&about, &names(), &document, 7);

        let graph = names().provenance_graph(&document);
        assert!(quads.iter().all(|quad| quad.graph_name == graph.clone().into()));
        assert!(names().is_generated(graph.as_str()));
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
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "no statement is duplicated");
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn missing_values_are_omitted() {
        let document = Uri::parse("http://a.example/100%?a|b").unwrap();
        let about = Provenance {
            redirects: Vec::new(),
            fetch: FetchFacts {
                status: 200,
                format: "html".to_owned(),
                quads_by_format: vec![("rdfa".to_owned(), 3), ("microdata".to_owned(), 4)],
                ..FetchFacts::default()
            },
            ..Provenance::sample(1)
        };

        let quads = provenance_quads(&about, &names(), &document, 7);

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

    #[test]
    fn timestamps_are_written_in_utc() {
        assert_eq!(date_time(951_782_400_000).value(), "2000-02-29T00:00:00.000Z");
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT").value(), "1994-11-06T08:49:37.000Z");
        assert_eq!(http_date("yesterday"), Literal::from("yesterday"));
    }
}
