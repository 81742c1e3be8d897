//! Status and header fields of answers as RDF, as LDSpider writes them: of the
//! document, in the graph that its statements are in, and in the vocabulary HTTP in
//! RDF of 2006.

use std::sync::Arc;

use lodeward::engine::{Observer, Request, Visited};
use lodeward::provenance::graph_of;
use lodeward::store::nquads::write_quad;
use oxrdf::{BlankNode, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use super::file::JournalFile;

const HEADER_INFO: &str = "http://code.google.com/p/ldspider/ns#headerInfo";
const HTTP: &str = "http://www.w3.org/2006/http#";

pub(crate) struct HeaderTriples {
    pub(crate) file: Arc<JournalFile>,
}

impl Observer for HeaderTriples {
    fn wants_fields(&self) -> bool {
        true
    }

    fn visited(&mut self, visited: &Visited<'_>) {
        if visited.request == Request::Document && visited.status.is_some() {
            let mut lines = Vec::new();
            for quad in quads(visited) {
                write_quad(&mut lines, quad.as_ref());
            }
            self.file.write(visited.depth, &lines);
        }
    }

    fn keep(&mut self) {
        self.file.keep();
    }
}

fn quads(visited: &Visited<'_>) -> Vec<Quad> {
    let document = graph_of(visited.uri);
    let label = format!("header{:032x}x{}", visited.uri.fingerprint(), visited.departed_at_ms);
    let header = BlankNode::new_unchecked(label);
    let mut quads =
        vec![Quad::new(document.clone(), NamedNode::new_unchecked(HEADER_INFO), header.clone(), document.clone())];
    let mut say = |name: &str, value: Term| {
        let property = NamedNode::new_unchecked(format!("{HTTP}{name}"));
        quads.push(Quad::new(NamedOrBlankNode::from(header.clone()), property, value, document.clone()));
    };
    if let Some(status) = visited.status {
        say("responseCode", Literal::from(i64::from(status)).into());
    }
    for (name, value) in visited.fields {
        // What a field may be called beyond that cannot be in an IRI, or means
        // something else there.
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')) {
            say(name, Literal::from(value.as_str()).into());
        }
    }
    quads
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lodeward::engine::Came;
    use lodeward::model::Uri;

    use super::*;

    #[test]
    fn fields_are_said_of_the_document_in_its_graph() {
        let uri = Uri::parse("http://a.example/a|b").unwrap();
        let fields = [("content-type", "text/turtle"), ("link", "<x>; rel=\"y\"\nz"), ("a#b", "no name")];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let visited = Visited {
            uri: &uri,
            request: Request::Document,
            depth: 0,
            source: None,
            departed_at_ms: 5,
            elapsed: Duration::ZERO,
            status: Some(303),
            content_type: None,
            bytes: 0,
            fields: &fields,
            came: Came::Redirect(None),
        };

        let mut lines = Vec::new();
        for quad in quads(&visited) {
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
