//! Distinguishing substantial RDF from the RDF that every page has.

/// How specific the statements of a page are. The label of a page is the maximum of the labels of
/// its statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageLabel {
    /// No statements.
    #[default]
    None,
    /// Only terms of the XHTML vocabulary and of `RDFa` itself, as from `rel=license`.
    XhvOnly,
    /// Also terms of Open Graph and similar vocabularies for link previews, but no others.
    OgOnly,
    /// Other RDF.
    Rdf,
}

impl PageLabel {
    /// The name used in reports: `none`, `xhv-only`, `og-only`, `rdf`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::XhvOnly => "xhv-only",
            Self::OgOnly => "og-only",
            Self::Rdf => "rdf",
        }
    }

    /// The label of a statement in `RDFa` with this predicate.
    #[must_use]
    pub fn from_rdfa_predicate(predicate: &str) -> Self {
        const PAGE_NAMESPACES: &[&str] = &["http://www.w3.org/1999/xhtml/vocab#", "http://www.w3.org/ns/rdfa#"];
        // Includes the prefixes themselves: a CURIE with an undeclared prefix is read as an
        // absolute IRI.
        const PREVIEW_NAMESPACES: &[&str] = &[
            "http://ogp.me/ns",
            "https://ogp.me/ns",
            "http://opengraphprotocol.org/schema/",
            "http://www.facebook.com/2008/fbml",
            "https://www.facebook.com/2008/fbml",
            "og:",
            "fb:",
            "article:",
            "twitter:",
        ];
        let is_in = |namespaces: &[&str]| namespaces.iter().any(|namespace| predicate.starts_with(namespace));
        if is_in(PAGE_NAMESPACES) {
            Self::XhvOnly
        } else if is_in(PREVIEW_NAMESPACES) {
            Self::OgOnly
        } else {
            Self::Rdf
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_statement_determines_the_label() {
        let label = |predicates: &[&str]| {
            predicates.iter().map(|it| PageLabel::from_rdfa_predicate(it)).max().unwrap_or_default()
        };

        assert_eq!(label(&[]), PageLabel::None);
        assert_eq!(label(&["http://www.w3.org/1999/xhtml/vocab#license"]), PageLabel::XhvOnly);
        assert_eq!(label(&["http://www.w3.org/1999/xhtml/vocab#license", "http://ogp.me/ns#title"]), PageLabel::OgOnly);
        assert_eq!(label(&["http://ogp.me/ns/article#tag", "twitter:card"]), PageLabel::OgOnly);
        assert_eq!(label(&["http://purl.org/dc/terms/title", "http://ogp.me/ns#title"]), PageLabel::Rdf);
    }
}
