//! What `lang` and `xml:lang` say.

use oxilangtag::LanguageTag;

/// The language tag in an attribute, in lower case and without the white space
/// around it. An empty one is none; and so is what is no language tag: better
/// than a literal that is not RDF.
pub(crate) fn language_tag(value: &str) -> Option<String> {
    let tag = value.trim_ascii().to_ascii_lowercase();
    LanguageTag::parse(tag.as_str()).is_ok().then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_a_tag_or_none() {
        let check = |value: &str, tag: Option<&str>| assert_eq!(language_tag(value).as_deref(), tag, "{value}");

        check("de", Some("de"));
        check(" DE-at\n", Some("de-at"));
        check("", None);
        check(" ", None);
        check("de_AT", None);
        check("no/language", None);
    }
}
