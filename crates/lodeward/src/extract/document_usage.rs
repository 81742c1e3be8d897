//! What the publisher of a document states about its use: directives for robots, TDM reservation, licences.

use lodeward_markup::UsageDirectives;
use oxrdf::{NamedOrBlankNodeRef, QuadRef, TermRef};

use super::ExtractOptions;
use crate::model::UsageTerms;

/// Maximum number of licences stored with a document.
const MAX_LICENSES: usize = 8;

/// The properties that link a document to its licence.
const LICENSE_PROPERTIES: [&str; 6] = [
    "http://purl.org/dc/terms/license",
    "http://www.w3.org/1999/xhtml/vocab#license",
    "http://creativecommons.org/ns#license",
    "http://web.resource.org/cc/license",
    "http://schema.org/license",
    "https://schema.org/license",
];

/// What is known about the use of a document.
#[derive(Default)]
pub(super) struct DocumentUsage {
    /// Why its statements are not stored.
    pub(super) exclusion: Option<&'static str>,
    /// Whether its links must not be followed.
    pub(super) is_nofollow: bool,
    pub(super) terms: UsageTerms,
}

impl DocumentUsage {
    /// Adds directives of the header or of the page.
    pub(super) fn add(&mut self, found: UsageDirectives, options: &ExtractOptions) {
        self.is_nofollow |= found.nofollow;
        self.terms.tdm_reservation = found.tdm_reservation.or(self.terms.tdm_reservation);
        self.terms.tdm_policy = found.tdm_policy.or(self.terms.tdm_policy.take());
        if found.noindex && options.obey_noindex {
            self.exclusion = Some("noindex (extract.obey_noindex)");
        }
        if self.terms.tdm_reservation == Some(true) && options.obey_tdm_reservation {
            self.exclusion = Some("text and data mining is reserved (extract.obey_tdm_reservation)");
        }
    }

    pub(super) fn add_license(&mut self, iri: &str) {
        let licenses = &mut self.terms.licenses;
        if licenses.len() < MAX_LICENSES && !licenses.iter().any(|known| known == iri) {
            licenses.push(iri.to_owned());
        }
    }

    /// Notes the licence that a statement assigns to the document with this IRI.
    pub(super) fn observe(&mut self, quad: QuadRef<'_>, document: &str) {
        // Almost no property ends so.
        if !quad.predicate.as_str().ends_with("icense") || !LICENSE_PROPERTIES.contains(&quad.predicate.as_str()) {
            return;
        }
        if let (NamedOrBlankNodeRef::NamedNode(subject), TermRef::NamedNode(license)) = (quad.subject, quad.object)
            && subject.as_str().split('#').next() == document.split('#').next()
        {
            self.add_license(license.as_str());
        }
    }
}
