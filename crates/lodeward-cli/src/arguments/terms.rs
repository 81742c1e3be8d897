//! RDF terms on the command line: as in N-Triples, or bare IRIs.

use std::str::FromStr as _;

use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term};

/// `<http://a.example/>` or `http://a.example/`.
pub(super) fn iri(text: &str) -> Result<NamedNode, String> {
    if text.starts_with('<') {
        return NamedNode::from_str(text).map_err(|error| error.to_string());
    }
    NamedNode::new(text).map_err(|error| format!("not an absolute IRI: {error}"))
}

/// An IRI, or `_:label`.
pub(super) fn node(text: &str) -> Result<NamedOrBlankNode, String> {
    if text.starts_with("_:") {
        return BlankNode::from_str(text).map(NamedOrBlankNode::from).map_err(|error| error.to_string());
    }
    iri(text).map(NamedOrBlankNode::from)
}

/// An IRI, a blank node, or a literal in its quotes.
pub(super) fn term(text: &str) -> Result<Term, String> {
    if text.starts_with('"') {
        return Term::from_str(text).map_err(|error| error.to_string());
    }
    node(text).map(Term::from).map_err(|error| format!("{error}; a literal needs its quotes: '\"{text}\"'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_written_as_in_n_triples_or_as_bare_iris() {
        let check = |given: &str, meant: &str| assert_eq!(term(given).unwrap().to_string(), meant);

        check("http://a.example/x", "<http://a.example/x>");
        check("<http://a.example/x>", "<http://a.example/x>");
        check("_:b1", "_:b1");
        check("\"chat\"@fr", "\"chat\"@fr");
        check("\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>", "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    }

    #[test]
    fn what_is_no_term_is_refused_with_a_word_on_literals() {
        assert!(term("Alice").unwrap_err().contains("a literal needs its quotes: '\"Alice\"'"));
        assert!(iri("alice").is_err());
        assert!(node("\"Alice\"").is_err());
    }
}
