//! Status and header fields of responses as RDF, as LDSpider writes them: statements about the document
//! in its graph, in the vocabulary HTTP in RDF of 2006.

use std::sync::Arc;

use lodeward::engine::{Observer, RequestKind, RequestRecord};
use lodeward_rdf::write::n_quads::write_quad;
use oxrdf::{BlankNode, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use super::file::RequestLogFile;

const HEADER_INFO: &str = "http://code.google.com/p/ldspider/ns#headerInfo";
const HTTP_NAMESPACE: &str = "http://www.w3.org/2006/http#";

pub(super) struct HeaderTriples {
    pub(super) file: Arc<RequestLogFile>,
}

impl Observer for HeaderTriples {
    fn needs_fields(&self) -> bool {
        true
    }

    fn request_finished(&mut self, request: &RequestRecord<'_>) {
        if request.kind == RequestKind::Document && request.status.is_some() {
            let mut lines = Vec::new();
            for quad in header_quads(request) {
                write_quad(&mut lines, quad.as_ref());
            }
            self.file.write(request.depth, &lines);
        }
    }

    fn before_commit(&mut self) {
        self.file.flush_if_due();
    }
}

fn header_quads(request: &RequestRecord<'_>) -> Vec<Quad> {
    let document = request.uri.document_graph();
    let label = format!("header{:032x}x{}", request.uri.fingerprint(), request.sent_at_ms);
    let header = BlankNode::new_unchecked(label);
    let mut quads =
        vec![Quad::new(document.clone(), NamedNode::new_unchecked(HEADER_INFO), header.clone(), document.clone())];
    let mut add = |name: &str, value: Term| {
        let property = NamedNode::new_unchecked(format!("{HTTP_NAMESPACE}{name}"));
        quads.push(Quad::new(NamedOrBlankNode::from(header.clone()), property, value, document.clone()));
    };
    if let Some(status) = request.status {
        add("responseCode", Literal::from(i64::from(status)).into());
    }
    for (name, value) in request.fields {
        // Fields with other characters in their name are omitted: they are invalid in an IRI, or change its meaning.
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')) {
            add(name, Literal::from(value.as_str()).into());
        }
    }
    quads
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lodeward::engine::RequestOutcome;
    use lodeward::model::Uri;

    use super::*;

    #[test]
    fn header_fields_are_statements_in_the_graph_of_the_document() {
        let uri = Uri::parse("http://a.example/a|b").unwrap();
        let fields = [("content-type", "text/turtle"), ("link", "<x>; rel=\"y\"\nz"), ("a#b", "no name")];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let request = RequestRecord {
            uri: &uri,
            kind: RequestKind::Document,
            depth: 0,
            source: None,
            sent_at_ms: 5,
            elapsed: Duration::ZERO,
            status: Some(303),
            content_type: None,
            bytes: 0,
            fields: &fields,
            outcome: RequestOutcome::Redirect(None),
        };

        let mut lines = Vec::new();
        for quad in header_quads(&request) {
            write_quad(&mut lines, quad.as_ref());
        }

        let (document, header) = ("<http://a.example/a%7Cb>", format!("_:header{:032x}x5", uri.fingerprint()));
        let http = "http://www.w3.org/2006/http#";
        let expected = [
            format!("{document} <{HEADER_INFO}> {header} {document} ."),
            format!("{header} <{http}responseCode> \"303\"^^<http://www.w3.org/2001/XMLSchema#integer> {document} ."),
            format!("{header} <{http}content-type> \"text/turtle\" {document} ."),
            format!(r#"{header} <{http}link> "<x>; rel=\"y\"\nz" {document} ."#),
        ];
        assert_eq!(String::from_utf8(lines).unwrap().lines().collect::<Vec<_>>(), expected);
    }
}
