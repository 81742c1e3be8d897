//! Decides which links are followed, by the settings of the user.

use std::collections::HashSet;

use regex::RegexSet;

use crate::model::rdf_likelihood::is_non_rdf_extension;
use crate::model::{DropReason, Link, LinkKind, Pld, Uri};
use crate::select::LinkContext;

/// Which links a crawl considers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowedLinks {
    /// Every link of every page fetched.
    #[default]
    All,
    /// Links in RDF only, as in the crawler of the LDCOC paper.
    Rdf,
}

/// The domains that the operator allows, and what must not be requested. A domain includes its subdomains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomainPolicy {
    /// Allowed domains; empty for all.
    pub allowed: HashSet<String>,
    /// Denied domains.
    pub denied: HashSet<String>,
    /// Denied URIs.
    pub denied_uris: HashSet<String>,
}

impl DomainPolicy {
    /// Whether a URI may be requested.
    #[must_use]
    pub fn allows(&self, uri: &Uri) -> bool {
        if self.denied_uris.contains(uri.as_str()) {
            return false;
        }
        let host = uri.host().trim_end_matches('.');
        let is_below = |domains: &HashSet<String>| {
            let dots = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
            std::iter::once(host).chain(dots).any(|domain| domains.contains(domain))
        };
        (self.allowed.is_empty() || is_below(&self.allowed)) && (self.denied.is_empty() || !is_below(&self.denied))
    }
}

/// The scope of a crawl. Seeds are always in scope, unless the domain policy denies them.
///
/// A redirect inherits the permission of the link that led to it: its target is another address of the same resource.
/// Only the rules that forbid an address apply to it: the domain policy, `exclude` and `skipped_extensions`. The domain
/// and the host of a seed's redirect are added to `domains` and `hosts`, because links within the site that a seed
/// names would be out of scope otherwise.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The domain policy.
    pub domain_policy: DomainPolicy,
    /// Which links are considered. Others are not recorded.
    pub links: FollowedLinks,
    /// Maximum number of hops from the seeds.
    pub max_depth: Option<u16>,
    /// If set, only URIs of these domains are in scope.
    pub domains: Option<HashSet<Pld>>,
    /// If set, only URIs of these hosts are in scope.
    pub hosts: Option<HashSet<String>>,
    /// If set, only URIs that match one of these patterns are in scope.
    pub include: Option<RegexSet>,
    /// URIs that match one of these patterns are out of scope.
    pub exclude: RegexSet,
    /// If not empty, only links with these predicates are followed.
    pub follow_predicates: HashSet<String>,
    /// Whether links to vocabulary terms are skipped.
    pub skips_vocabularies: bool,
    /// Skipped extensions, in lower case; `None` for the built-in list.
    pub skipped_extensions: Option<HashSet<String>>,
}

impl Scope {
    /// Whether a link is of a kind this crawl considers.
    #[must_use]
    pub(crate) fn is_followed_kind(&self, link: &Link) -> bool {
        self.links == FollowedLinks::All || link.via.is_rdf()
    }

    /// Why a URI is not followed; `None` if it is. `via` is `None` for a step of a service.
    #[must_use]
    pub fn reason_to_drop(&self, uri: &Uri, via: Option<&LinkKind>, found: &LinkContext<'_>) -> Option<DropReason> {
        if !self.domain_policy.allows(uri) {
            return Some(DropReason::Policy);
        }
        if matches!(via, Some(LinkKind::Seed)) {
            return None;
        }
        if self.exclude.is_match(uri.as_str()) {
            return Some(DropReason::Pattern);
        }
        if uri.extension().is_some_and(|extension| self.skips_extension(&extension)) {
            return Some(DropReason::Extension);
        }
        let is_redirect = found.redirects > 0;
        if is_redirect { None } else { self.reason_not_to_follow(uri, via, found) }
    }

    /// Adds the domain and the host of a seed's redirect to the limits. Returns whether one of them is new.
    pub(crate) fn add_seed_redirect(&mut self, target: &Uri) -> bool {
        let is_new_domain = self.domains.as_mut().is_some_and(|domains| domains.insert(target.pld()));
        let is_new_host = self.hosts.as_mut().is_some_and(|hosts| hosts.insert(target.host().to_owned()));
        is_new_domain || is_new_host
    }

    /// Whether links are limited to the domains or hosts of the seeds.
    pub(crate) fn stays_with_seeds(&self) -> bool {
        self.domains.is_some() || self.hosts.is_some()
    }

    /// Why a link that is not a redirect is not followed, by the rules that select links.
    fn reason_not_to_follow(&self, uri: &Uri, via: Option<&LinkKind>, found: &LinkContext<'_>) -> Option<DropReason> {
        if self.max_depth.is_some_and(|max| found.depth > max) {
            return Some(DropReason::Depth);
        }
        if self.skips_vocabularies && matches!(via, Some(LinkKind::Triple { vocabulary: true, .. })) {
            return Some(DropReason::Vocabulary);
        }
        if via.is_some_and(|via| !self.follows_predicate(via)) {
            return Some(DropReason::Predicate);
        }
        let included = self.include.as_ref().is_none_or(|patterns| patterns.is_match(uri.as_str()));
        if !included {
            return Some(DropReason::Pattern);
        }
        // The last rule: a link that was dropped for this reason is followed if its domain is added.
        (!self.is_near_seeds(uri)).then_some(DropReason::Scope)
    }

    /// Whether a URI is on a domain and host of the seeds, if links are limited to them.
    pub(crate) fn is_near_seeds(&self, uri: &Uri) -> bool {
        self.domains.as_ref().is_none_or(|plds| plds.contains(&uri.pld()))
            && self.hosts.as_ref().is_none_or(|hosts| hosts.contains(uri.host()))
    }

    fn skips_extension(&self, extension: &str) -> bool {
        match &self.skipped_extensions {
            Some(skipped) => skipped.contains(extension),
            None => is_non_rdf_extension(extension),
        }
    }

    fn follows_predicate(&self, via: &LinkKind) -> bool {
        match via {
            _ if self.follow_predicates.is_empty() => true,
            LinkKind::Seed | LinkKind::Redirect(_) => true,
            LinkKind::Triple { properties, .. } => {
                properties.iter().any(|property| self.follow_predicates.contains(&**property))
            }
            LinkKind::Html(_) | LinkKind::Header { .. } | LinkKind::Listed { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Relevance;

    fn check(scope: &Scope, uri: &str, via: LinkKind, depth: u16, expected: Option<DropReason>) {
        let redirects = u8::from(matches!(via, LinkKind::Redirect(_)));
        let found = LinkContext { source: None, lease: None, format: "", relevance: Relevance::None, depth, redirects };
        let link = Link { target: Uri::parse(uri).unwrap(), via };
        assert_eq!(scope.reason_to_drop(&link.target, Some(&link.via), &found), expected, "{uri}");
    }

    #[test]
    fn a_domain_of_the_policy_includes_its_subdomains() {
        let set = |domains: &[&str]| domains.iter().map(|&domain| domain.to_owned()).collect();
        let domain_policy = DomainPolicy {
            allowed: set(&["a.example", "127.0.0.1"]),
            denied: set(&["secret.a.example"]),
            ..DomainPolicy::default()
        };
        let scope = Scope { domain_policy, ..Scope::default() };
        for uri in ["http://a.example/", "http://x.y.a.example/", "http://a.example./", "http://127.0.0.1/"] {
            check(&scope, uri, LinkKind::Seed, 0, None);
        }
        let denied =
            ["http://b.example/", "http://ba.example/", "http://secret.a.example/", "http://x.secret.a.example/"];
        for uri in denied {
            check(&scope, uri, LinkKind::Seed, 0, Some(DropReason::Policy));
            check(&scope, uri, LinkKind::Redirect(302), 0, Some(DropReason::Policy));
        }
    }

    fn triple(property: &str) -> LinkKind {
        LinkKind::Triple { properties: vec![property.into()], vocabulary: false, siblings: Vec::new(), type_hint: None }
    }

    #[test]
    fn every_limit_has_its_drop_reason() {
        let scope = Scope {
            max_depth: Some(2),
            domains: Some(HashSet::from([Pld::from_host("a.example")])),
            include: Some(RegexSet::new(["/data/", "/people/"]).unwrap()),
            exclude: RegexSet::new([r"\?print="]).unwrap(),
            follow_predicates: HashSet::from(["http://p.example/knows".to_owned()]),
            ..Scope::default()
        };
        let knows = || triple("http://p.example/knows");

        check(&scope, "http://a.example/data/1", knows(), 2, None);
        check(&scope, "http://a.example/data/1", knows(), 3, Some(DropReason::Depth));
        check(&scope, "http://b.example/data/1", knows(), 1, Some(DropReason::Scope));
        check(&scope, "http://a.example/other/1", knows(), 1, Some(DropReason::Pattern));
        check(&scope, "http://a.example/data/1?print=1", knows(), 1, Some(DropReason::Pattern));
        check(&scope, "http://a.example/data/1", triple("http://p.example/hates"), 1, Some(DropReason::Predicate));
        check(&scope, "http://a.example/data/1.png", knows(), 1, Some(DropReason::Extension));
        check(&scope, "http://b.example/other.png", LinkKind::Seed, 0, None);
    }

    #[test]
    fn a_redirect_is_limited_only_by_what_forbids_its_target() {
        let mut scope = Scope {
            max_depth: Some(0),
            domains: Some(HashSet::from([Pld::from_host("w3id.example")])),
            hosts: Some(HashSet::from(["w3id.example".to_owned()])),
            include: Some(RegexSet::new(["^http://w3id[.]example/"]).unwrap()),
            exclude: RegexSet::new(["/login"]).unwrap(),
            follow_predicates: HashSet::from(["http://p.example/knows".to_owned()]),
            ..Scope::default()
        };
        let knows = || triple("http://p.example/knows");

        check(&scope, "http://a.example/data", LinkKind::Redirect(303), 0, None);
        check(&scope, "http://a.example/login", LinkKind::Redirect(302), 0, Some(DropReason::Pattern));
        check(&scope, "http://a.example/photo.png", LinkKind::Redirect(302), 0, Some(DropReason::Extension));
        check(&scope, "http://a.example/data", knows(), 0, Some(DropReason::Pattern));

        scope.add_seed_redirect(&Uri::parse("http://a.example/data").unwrap());

        check(&scope, "http://a.example/more", knows(), 0, Some(DropReason::Pattern));
        let scope = Scope { include: None, ..scope };
        check(&scope, "http://a.example/more", knows(), 0, None);
        check(&scope, "http://b.example/more", knows(), 0, Some(DropReason::Scope));
    }

    #[test]
    fn hosts_extensions_and_vocabularies_are_limited() {
        let scope = Scope {
            hosts: Some(HashSet::from(["www.a.example".to_owned()])),
            skipped_extensions: Some(HashSet::from(["ttl".to_owned()])),
            skips_vocabularies: true,
            ..Scope::default()
        };
        let term = LinkKind::Triple { properties: Vec::new(), type_hint: None, vocabulary: true, siblings: Vec::new() };

        check(&scope, "http://www.a.example/1", triple("http://p.example/p"), 1, None);
        check(&scope, "http://data.a.example/1", triple("http://p.example/p"), 1, Some(DropReason::Scope));
        check(&scope, "http://www.a.example/terms", term, 1, Some(DropReason::Vocabulary));
        check(&scope, "http://www.a.example/1.TTL", LinkKind::Redirect(303), 1, Some(DropReason::Extension));
        check(&scope, "http://www.a.example/1.png", LinkKind::Redirect(303), 1, None);
    }
}
