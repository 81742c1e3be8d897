//! Which links are followed: what the user said about it.

use std::collections::HashSet;

use regex::RegexSet;

use crate::model::media_type::is_barren_extension;
use crate::model::{DropReason, Link, Pld, Uri, Via};
use crate::select::Found;

/// Which links a crawl looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkKinds {
    /// Every link of every page fetched.
    #[default]
    All,
    /// Links of RDF graphs only, as the LDCOC paper's crawler.
    Rdf,
}

/// Which domains may be visited at all, as whoever runs a service for others says.
/// A domain stands for all below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    /// Only these; empty for all.
    pub allowed: HashSet<String>,
    /// These never.
    pub denied: HashSet<String>,
}

impl Domains {
    /// Whether somebody may be visited.
    #[must_use]
    pub fn allows(&self, uri: &Uri) -> bool {
        let host = uri.host().trim_end_matches('.');
        let is_below = |domains: &HashSet<String>| {
            let dots = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
            std::iter::once(host).chain(dots).any(|domain| domains.contains(domain))
        };
        (self.allowed.is_empty() || is_below(&self.allowed)) && (self.denied.is_empty() || !is_below(&self.denied))
    }
}

/// The bounds of a crawl. Seeds are within any bounds, but for domains.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Which domains may be visited at all.
    pub domains: Domains,
    /// Which links are looked at at all. Others leave no trace.
    pub links: LinkKinds,
    /// The farthest from the seeds.
    pub depth_max: Option<u16>,
    /// When given, only these domains.
    pub plds: Option<HashSet<Pld>>,
    /// When given, only these hosts.
    pub hosts: Option<HashSet<String>>,
    /// When given, only URIs that match one of these.
    pub include: Option<RegexSet>,
    /// Never URIs that match one of these.
    pub exclude: RegexSet,
    /// When not empty, only links by these predicates.
    pub follow: HashSet<String>,
    /// Whether terms of vocabularies are passed over.
    pub skips_vocabularies: bool,
    /// Never URIs with these extensions, in lower case; when not given, those of a
    /// built-in list.
    pub skipped_extensions: Option<HashSet<String>>,
}

impl Scope {
    /// Whether a link is of a kind this crawl looks at.
    #[must_use]
    pub fn is_of_interest(&self, link: &Link) -> bool {
        self.links == LinkKinds::All || link.via.is_rdf()
    }

    /// Why a link is not followed, if it is not.
    #[must_use]
    pub fn reason_to_drop(&self, link: &Link, found: &Found<'_>) -> Option<DropReason> {
        let uri = &link.target;
        if !self.domains.allows(uri) {
            return Some(DropReason::Policy);
        }
        if matches!(link.via, Via::Seed) {
            return None;
        }
        if self.depth_max.is_some_and(|max| found.depth > max) {
            return Some(DropReason::Depth);
        }
        if self.plds.as_ref().is_some_and(|plds| !plds.contains(&uri.pld())) {
            return Some(DropReason::Stay);
        }
        if self.hosts.as_ref().is_some_and(|hosts| !hosts.contains(uri.host())) {
            return Some(DropReason::Stay);
        }
        if self.skips_vocabularies && matches!(link.via, Via::Triple { vocabulary: true, .. }) {
            return Some(DropReason::Vocabulary);
        }
        if !self.follows(link) {
            return Some(DropReason::Predicate);
        }
        let included = self.include.as_ref().is_none_or(|patterns| patterns.is_match(uri.as_str()));
        if !included || self.exclude.is_match(uri.as_str()) {
            return Some(DropReason::Pattern);
        }
        uri.extension().is_some_and(|extension| self.skips(&extension)).then_some(DropReason::Extension)
    }

    fn skips(&self, extension: &str) -> bool {
        match &self.skipped_extensions {
            Some(skipped) => skipped.contains(extension),
            None => is_barren_extension(extension),
        }
    }

    fn follows(&self, link: &Link) -> bool {
        match &link.via {
            _ if self.follow.is_empty() => true,
            Via::Seed | Via::Redirect(_) | Via::Step(_) => true,
            Via::Triple { properties, .. } => properties.iter().any(|property| self.follow.contains(&**property)),
            Via::Html(_) | Via::Header { .. } | Via::Listed { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Relevance;

    fn check(scope: &Scope, uri: &str, via: Via, depth: u16, expected: Option<DropReason>) {
        let link = Link { target: Uri::parse(uri).unwrap(), via };
        let found = Found { source: None, visit: None, syntax: "", relevance: Relevance::None, depth, redirects: 0 };
        assert_eq!(scope.reason_to_drop(&link, &found), expected, "{uri}");
    }

    #[test]
    fn domains_stand_for_all_below_them() {
        let set = |domains: &[&str]| domains.iter().map(|&domain| domain.to_owned()).collect();
        let domains = Domains { allowed: set(&["a.example", "127.0.0.1"]), denied: set(&["secret.a.example"]) };
        let scope = Scope { domains, ..Scope::default() };
        for uri in ["http://a.example/", "http://x.y.a.example/", "http://a.example./", "http://127.0.0.1/"] {
            check(&scope, uri, Via::Seed, 0, None);
        }
        let refused =
            ["http://b.example/", "http://ba.example/", "http://secret.a.example/", "http://x.secret.a.example/"];
        for uri in refused {
            check(&scope, uri, Via::Seed, 0, Some(DropReason::Policy));
            check(&scope, uri, Via::Redirect(302), 0, Some(DropReason::Policy));
        }
    }

    fn triple(property: &str) -> Via {
        Via::Triple { properties: vec![property.into()], vocabulary: false, siblings: Vec::new(), telling: None }
    }

    #[test]
    fn every_bound_has_its_reason() {
        let scope = Scope {
            depth_max: Some(2),
            plds: Some(HashSet::from([Pld::of_host("a.example")])),
            include: Some(RegexSet::new(["/data/", "/people/"]).unwrap()),
            exclude: RegexSet::new([r"\?print="]).unwrap(),
            follow: HashSet::from(["http://p.example/knows".to_owned()]),
            ..Scope::default()
        };
        let knows = || triple("http://p.example/knows");

        check(&scope, "http://a.example/data/1", knows(), 2, None);
        check(&scope, "http://a.example/data/1", knows(), 3, Some(DropReason::Depth));
        check(&scope, "http://b.example/data/1", knows(), 1, Some(DropReason::Stay));
        check(&scope, "http://a.example/other/1", knows(), 1, Some(DropReason::Pattern));
        check(&scope, "http://a.example/data/1?print=1", knows(), 1, Some(DropReason::Pattern));
        check(&scope, "http://a.example/data/1", triple("http://p.example/hates"), 1, Some(DropReason::Predicate));
        check(&scope, "http://a.example/data/1.png", knows(), 1, Some(DropReason::Extension));
        check(&scope, "http://b.example/other.png", Via::Seed, 0, None);
    }

    #[test]
    fn hosts_extensions_and_vocabularies_can_be_told_apart() {
        let scope = Scope {
            hosts: Some(HashSet::from(["www.a.example".to_owned()])),
            skipped_extensions: Some(HashSet::from(["ttl".to_owned()])),
            skips_vocabularies: true,
            ..Scope::default()
        };
        let term = Via::Triple { properties: Vec::new(), telling: None, vocabulary: true, siblings: Vec::new() };

        check(&scope, "http://www.a.example/1", triple("http://p.example/p"), 1, None);
        check(&scope, "http://data.a.example/1", triple("http://p.example/p"), 1, Some(DropReason::Stay));
        check(&scope, "http://www.a.example/terms", term, 1, Some(DropReason::Vocabulary));
        check(&scope, "http://www.a.example/1.TTL", Via::Redirect(303), 1, Some(DropReason::Extension));
        check(&scope, "http://www.a.example/1.png", Via::Redirect(303), 1, None);
    }
}
