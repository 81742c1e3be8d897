//! The prefixes of a query, for results in Turtle, and usual ones that it does not declare. spargebra
//! does not return them, so the prologue is parsed a second time.

use super::options::PrefixLookup;
use super::tokens::{TokenKind, tokens};

/// The prefixes that a query declares, and usual ones that it uses. If a prefix is declared
/// repeatedly, the last declaration applies.
pub(super) fn all_prefixes(sparql: &str, usual: Option<PrefixLookup>) -> Vec<(String, String)> {
    let mut found = prefixes(sparql);
    found.extend(usual_prefixes(sparql, usual).into_iter().map(|(name, iri)| (name.to_owned(), iri.to_owned())));
    found
}

/// The usual prefixes that a text uses and does not declare.
pub(super) fn usual_prefixes(sparql: &str, usual: Option<PrefixLookup>) -> Vec<(&str, &'static str)> {
    let Some(usual) = usual else { return Vec::new() };
    let declared = prefixes(sparql);
    let mut found: Vec<(&str, &'static str)> = Vec::new();
    for token in tokens(after_prologue(sparql)) {
        let TokenKind::Name(prefix, _) = token.kind else { continue };
        let is_known = found.iter().any(|(known, _)| *known == prefix);
        if !is_known && declared.iter().all(|(known, _)| known != prefix) {
            found.extend(usual(prefix).map(|namespace| (prefix, namespace)));
        }
    }
    found
}

/// The prefixes that a query declares.
pub(super) fn prefixes(sparql: &str) -> Vec<(String, String)> {
    parse_prologue(sparql).0
}

/// A query without its prologue.
pub(super) fn after_prologue(sparql: &str) -> &str {
    parse_prologue(sparql).1
}

fn parse_prologue(sparql: &str) -> (Vec<(String, String)>, &str) {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut rest = skip_blank(sparql);
    loop {
        if let Some(after) = strip_keyword(rest, "base") {
            let Some((_, after)) = take_iri(after) else { return (found, rest) };
            rest = after;
        } else if let Some(after) = strip_keyword(rest, "prefix") {
            let Some((name, after)) = skip_blank(after).split_once(':') else { return (found, rest) };
            let Some((namespace, after)) = take_iri(after) else { return (found, rest) };
            found.retain(|(known, _)| known != name.trim_end());
            found.push((name.trim_end().to_owned(), namespace.to_owned()));
            rest = after;
        } else {
            return (found, rest);
        }
    }
}

/// Skips white space and comments.
pub(super) fn skip_blank(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment.split_once(['\n', '\r']).map_or("", |(_, after)| after).trim_start();
    }
    rest
}

fn strip_keyword<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    (head.eq_ignore_ascii_case(word) && rest.starts_with([' ', '\t', '\n', '\r', '<', '#', ':'])).then_some(rest)
}

fn take_iri(text: &str) -> Option<(&str, &str)> {
    let (iri, rest) = skip_blank(text).strip_prefix('<')?.split_once('>')?;
    Some((iri, skip_blank(rest)))
}

#[cfg(test)]
mod tests {
    use super::{prefixes, usual_prefixes};

    fn check(sparql: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(name, iri)| ((*name).to_owned(), (*iri).to_owned())).collect();
        assert_eq!(prefixes(sparql), expected, "{sparql}");
    }

    #[test]
    fn usual_prefixes_are_those_that_are_used_and_not_declared() {
        let usual = |prefix: &str| (prefix == "foaf").then_some("http://xmlns.com/foaf/0.1/");
        let check = |sparql: &str, expected: &[(&str, &str)]| assert_eq!(usual_prefixes(sparql, Some(usual)), expected);

        check("SELECT * { ?s foaf:name ?n ; foaf:knows ?k }", &[("foaf", "http://xmlns.com/foaf/0.1/")]);
        check("PREFIX foaf: <urn:own:> SELECT * { ?s foaf:name ?n }", &[]);
        check("SELECT * { ?s ?p 'foaf:name' } # foaf:name", &[]);
        check("SELECT * { ?s other:name ?n }", &[]);
    }

    #[test]
    fn prefixes_are_read_from_the_prologue() {
        check("SELECT * {}", &[]);
        check("PREFIX a: <http://a/> SELECT * {}", &[("a", "http://a/")]);
        check("prefix : <x#>\n# PREFIX b: <b>\nBASE<http://b/> PREFIX c:<c> ASK {}", &[("", "x#"), ("c", "c")]);
        check("PREFIX a: <1> PREFIX a: <2> ASK {}", &[("a", "2")]);
        check("PREFIXa: <1> ASK {}", &[]);
        check("PREFIX a", &[]);
    }
}
