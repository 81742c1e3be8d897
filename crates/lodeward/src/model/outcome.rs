//! The outcome of a URI, with its drop reasons: the vocabulary of reports, request logs and `explain`.

use serde::{Deserialize, Serialize};

use super::stored_enum::stored_enum;
use super::{Fault, FetchFacts, Uri};

/// The final state of a URI. Stored by the position of the variant: append only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// A representation was fetched (status 200).
    Document(DocumentSummary),
    /// The server redirected.
    Redirected {
        /// The status code.
        status: u16,
        /// The target, if it can be followed.
        target: Option<Uri>,
    },
    /// The request failed.
    Failed(Fault),
    /// The URI was not requested.
    Dropped(DropReason),
    /// The document was fetched earlier and has been deleted by its server.
    Deleted {
        /// When the deletion was first observed, in milliseconds since the Unix epoch.
        since_ms: u64,
        /// When the document was last available, in milliseconds since the Unix epoch.
        last_seen_ms: u64,
        /// The fault of the last request.
        fault: Fault,
    },
}

/// The properties of a fetched document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSummary {
    /// The facts of its last complete fetch.
    pub fetch: FetchFacts,
    /// Number of quads stored.
    pub quads: u64,
    /// Number of links found.
    pub links: u32,
    /// Whether it contains RDF.
    pub relevance: Relevance,
    /// xxh3-64 of the statements as N-Quads; 0 when there are none. It stays the same when only the rest of the page
    /// changes.
    pub statements_digest: u64,
}

stored_enum! {
    /// Whether a document contains RDF, and of which kind (docs/algorithms.md, section 1). Stored by number: append only.
    #[derive(Default)]
    Relevance {
        /// No triples.
        #[default]
        None = 0 "none",
        /// At least one triple that is not only page metadata.
        Rdf = 1 "rdf",
        /// Only `og:`, `fb:`, `article:` or `twitter:` properties. Not relevant.
        OgOnly = 2 "og-only",
        /// Only `xhv:` or `rdfa:` terms, as from rel=license. Not relevant.
        XhvOnly = 3 "xhv-only",
    }
}

stored_enum! {
    /// Why a URI is not requested. Stored by number: append only.
    #[non_exhaustive]
    DropReason {
        /// robots.txt disallows it.
        Robots = 0 "robots",
        /// robots.txt could not be fetched.
        RobotsUnreachable = 1 "robots-unreachable",
        /// Deeper than the maximum depth.
        Depth = 2 "depth",
        /// The limit of documents per domain is reached.
        DomainLimit = 3 "domain-limit",
        /// Outside the domains of the seeds.
        Scope = 4 "scope",
        /// An include or exclude pattern rejects it.
        Pattern = 5 "pattern",
        /// Its predicate is not followed.
        Predicate = 6 "predicate",
        /// Its extension excludes RDF.
        Extension = 7 "extension",
        /// Too many redirects in a row.
        Redirects = 8 "redirects",
        /// Part of a trap: an endless calendar, a path that repeats itself.
        Trap = 9 "trap",
        /// The strategy predicts that it contains no RDF.
        Strategy = 10 "strategy",
        /// Its server was abandoned after too many consecutive failures.
        Unreachable = 11 "unreachable",
        /// Its service has reached its limit of requests or quads.
        Quota = 12 "quota",
        /// Link analysis predicts that it leads neither to RDF nor to a page.
        LinkClass = 13 "link-class",
        /// A term of a vocabulary, and vocabularies are not followed.
        Vocabulary = 14 "vocabulary",
        /// The limit of documents of its hop is reached.
        HopLimit = 15 "hop-limit",
        /// The limit of documents per domain and hop is reached.
        HopDomainLimit = 16 "hop-domain-limit",
        /// Its domain is not among those selected for the hop.
        HopDomains = 17 "hop-domains",
        /// Its hop ended because too few domains were left.
        HopEnded = 18 "hop-ended",
        /// The policy of the service denies its domain.
        Policy = 19 "policy",
    }
}

impl DropReason {
    /// Whether a URI was dropped because of the link that led to it: as a seed, or as the target of a redirect, the same
    /// URI may be allowed.
    pub(crate) fn depends_on_link(self) -> bool {
        match self {
            Self::Depth
            | Self::Scope
            | Self::Pattern
            | Self::Predicate
            | Self::Extension
            | Self::Redirects
            | Self::Trap
            | Self::LinkClass
            | Self::Vocabulary
            | Self::Policy => true,
            Self::Robots
            | Self::RobotsUnreachable
            | Self::DomainLimit
            | Self::Strategy
            | Self::Unreachable
            | Self::Quota
            | Self::HopLimit
            | Self::HopDomainLimit
            | Self::HopDomains
            | Self::HopEnded => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_drop_reasons_on_disk_are_fixed() {
        let names: Vec<&str> = DropReason::ALL.iter().map(|reason| reason.name()).collect();
        assert_eq!(
            names,
            [
                "robots",
                "robots-unreachable",
                "depth",
                "domain-limit",
                "scope",
                "pattern",
                "predicate",
                "extension",
                "redirects",
                "trap",
                "strategy",
                "unreachable",
                "quota",
                "link-class",
                "vocabulary",
                "hop-limit",
                "hop-domain-limit",
                "hop-domains",
                "hop-ended",
                "policy"
            ]
        );
    }
}
