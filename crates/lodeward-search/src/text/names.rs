//! Words of IRIs: names of predicates, types, and entities without a label.

use super::words;

/// Returns the words of the local name of an IRI: `birthPlace` has `birth` and `place`.
///
/// A name of several parts joined by `./`, as Freebase has for statements about statements, has the
/// last word group of each part.
#[must_use]
pub fn name_words(iri: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in iri.split("./") {
        let part = part.trim_end_matches(['/', '#', '.']);
        for word in words(&split_camel_case(local_name(part))) {
            if !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found
}

/// Returns the name of an entity that has no label, from its IRI.
#[must_use]
pub fn name_from_iri(iri: &str) -> String {
    let name = local_name(iri.trim_end_matches(['/', '#']));
    let decoded = percent_decode(name);
    decoded.replace(['_', '+'], " ")
}

/// Returns the part of an IRI after its last `#`, `/` or, in a URN, `:`.
fn local_name(iri: &str) -> &str {
    let name = iri.rsplit(['#', '/']).next().unwrap_or_default();
    if iri.contains(['#', '/']) { name } else { name.rsplit(':').next().unwrap_or_default() }
}

/// Decodes `%C3%BC`; octets that are not UTF-8 stay encoded.
fn percent_decode(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let octet = after
            .get(..2)
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match octet {
            Some(octet) if *first == b'%' => {
                bytes.push(octet);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

/// Puts a space before each capital letter that starts a word: `birthPlace`, `HTMLPage`.
fn split_camel_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut split = String::with_capacity(name.len() + 4);
    for (at, c) in chars.iter().enumerate() {
        let after_lower = at > 0 && (chars[at - 1].is_lowercase() || chars[at - 1].is_numeric());
        let before_lower =
            at > 0 && chars[at - 1].is_uppercase() && chars.get(at + 1).is_some_and(|c| c.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) {
            split.push(' ');
        }
        split.push(*c);
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        let cases: [(&str, &[&str]); 6] = [
            ("http://dbpedia.org/property/currentMembers", &["current", "members"]),
            ("http://example.org/v#HTMLPage", &["html", "page"]),
            ("http://example.org/ns/place_of_birth", &["place", "of", "birth"]),
            (
                "http://f.example/film/release_date_s./film/regional_release/film_release_region",
                &["release", "date", "s", "film", "region"],
            ),
            ("urn:isbn:title", &["title"]),
            ("http://example.org/thing/", &["thing"]),
        ];
        for (iri, expected) in cases {
            assert_eq!(name_words(iri), expected, "{iri}");
        }
    }

    #[test]
    fn names_of_entities_are_decoded() {
        assert_eq!(name_from_iri("http://dbpedia.org/resource/Abdullah_G%C3%BCl"), "Abdullah Gül");
        assert_eq!(name_from_iri("http://example.org/100%25_%FF"), "100%25 %FF");
    }
}
