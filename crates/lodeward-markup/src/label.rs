//! Whether the RDF of a page is more than what every page has.

/// How much the statements of a page say. Later ones outweigh earlier ones:
/// the label of a page is the greatest of those of its statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// There is no statement.
    #[default]
    None,
    /// Nothing but terms of the XHTML vocabulary and of `RDFa` itself, as from
    /// `rel=license`.
    XhvOnly,
    /// Besides those nothing but Open Graph and its kin: what previews of a
    /// page in social networks are made of.
    OgOnly,
    /// There is RDF.
    Rdf,
}

impl Label {
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
    pub fn of_rdfa_predicate(predicate: &str) -> Self {
        const PAGE: &[&str] = &["http://www.w3.org/1999/xhtml/vocab#", "http://www.w3.org/ns/rdfa#"];
        // Declared or not: a prefix that is unknown makes an IRI of its own.
        const PREVIEW: &[&str] = &[
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
        let is_of = |namespaces: &[&str]| namespaces.iter().any(|namespace| predicate.starts_with(namespace));
        if is_of(PAGE) {
            Self::XhvOnly
        } else if is_of(PREVIEW) {
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
    fn the_weightiest_statement_counts() {
        let label =
            |predicates: &[&str]| predicates.iter().map(|it| Label::of_rdfa_predicate(it)).max().unwrap_or_default();

        assert_eq!(label(&[]), Label::None);
        assert_eq!(label(&["http://www.w3.org/1999/xhtml/vocab#license"]), Label::XhvOnly);
        assert_eq!(label(&["http://www.w3.org/1999/xhtml/vocab#license", "http://ogp.me/ns#title"]), Label::OgOnly);
        assert_eq!(label(&["http://ogp.me/ns/article#tag", "twitter:card"]), Label::OgOnly);
        assert_eq!(label(&["http://purl.org/dc/terms/title", "http://ogp.me/ns#title"]), Label::Rdf);
    }
}
