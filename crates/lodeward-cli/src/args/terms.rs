//! RDF terms on the command line: as in N-Triples, or bare IRIs.

use std::str::FromStr as _;

use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term};

/// Parses an IRI: `<http://a.example/>` or `http://a.example/`.
pub(super) fn parse_iri(text: &str) -> Result<NamedNode, String> {
    if text.starts_with('<') {
        return NamedNode::from_str(text).map_err(|error| error.to_string());
    }
    NamedNode::new(text).map_err(|error| format!("not an absolute IRI: {error}"))
}

/// Parses an IRI or a blank node (`_:label`).
pub(super) fn parse_node(text: &str) -> Result<NamedOrBlankNode, String> {
    if text.starts_with("_:") {
        return BlankNode::from_str(text).map(NamedOrBlankNode::from).map_err(|error| error.to_string());
    }
    parse_iri(text).map(NamedOrBlankNode::from)
}

/// Parses an IRI, a blank node, or a quoted literal.
pub(super) fn parse_term(text: &str) -> Result<Term, String> {
    if text.starts_with('"') {
        return Term::from_str(text).map_err(|error| error.to_string());
    }
    parse_node(text).map(Term::from).map_err(|error| format!("{error}; a literal needs its quotes: '\"{text}\"'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_written_as_in_n_triples_or_as_bare_iris() {
        let check = |text: &str, expected: &str| assert_eq!(parse_term(text).unwrap().to_string(), expected);

        check("http://a.example/x", "<http://a.example/x>");
        check("<http://a.example/x>", "<http://a.example/x>");
        check("_:b1", "_:b1");
        check("\"chat\"@fr", "\"chat\"@fr");
        check("\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>", "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    }

    #[test]
    fn invalid_terms_are_rejected_with_a_hint_about_literals() {
        assert!(parse_term("Alice").unwrap_err().contains("a literal needs its quotes: '\"Alice\"'"));
        assert!(parse_iri("alice").is_err());
        assert!(parse_node("\"Alice\"").is_err());
    }
}
