//! The prefixes of a query, for results in Turtle. spargebra does not return them, so the prologue
//! is parsed a second time.

/// The prefixes that a query declares. If a prefix is declared repeatedly, the last declaration
/// applies.
pub(super) fn prefixes(sparql: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut rest = skip_blank(sparql);
    loop {
        if let Some(after) = strip_keyword(rest, "base") {
            let Some((_, after)) = take_iri(after) else { return found };
            rest = after;
        } else if let Some(after) = strip_keyword(rest, "prefix") {
            let Some((name, after)) = skip_blank(after).split_once(':') else { return found };
            let Some((namespace, after)) = take_iri(after) else { return found };
            found.retain(|(known, _)| known != name.trim_end());
            found.push((name.trim_end().to_owned(), namespace.to_owned()));
            rest = after;
        } else {
            return found;
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
    use super::prefixes;

    fn check(sparql: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(name, iri)| ((*name).to_owned(), (*iri).to_owned())).collect();
        assert_eq!(prefixes(sparql), expected, "{sparql}");
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
