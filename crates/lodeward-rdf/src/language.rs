//! Language tags in `lang` and `xml:lang`.

use oxilangtag::LanguageTag;

/// The language tag of an attribute, trimmed and in lower case. `None` if it is empty or invalid,
/// as an invalid tag would make an invalid literal.
#[must_use]
pub fn language_tag(value: &str) -> Option<String> {
    let tag = value.trim_ascii().to_ascii_lowercase();
    LanguageTag::parse(tag.as_str()).is_ok().then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_language_tags_are_ignored() {
        let check = |value: &str, tag: Option<&str>| assert_eq!(language_tag(value).as_deref(), tag, "{value}");

        check("de", Some("de"));
        check(" DE-at\n", Some("de-at"));
        check("", None);
        check(" ", None);
        check("de_AT", None);
        check("no/language", None);
    }
}
