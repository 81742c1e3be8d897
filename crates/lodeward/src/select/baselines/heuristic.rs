//! The rules of LDSpider and of the SWSE crawler: a baseline without learning.
//!
//! LDCOC §2 describes them: "The URIs with common file extensions (e.g., html/htm, jpg, pdf, etc.)
//! and those without appropriate HTTP Content-Type Header (such as `application/rdf+xml`) are
//! classified as non-RDF content URIs. The content of these URIs would not be retrieved." The order
//! is breadth first, round robin over the domains, following links found in RDF.
//!
//! Differences from LDSpider: LDSpider also rejects `.ttl`, `.nt` and `.json` by extension, because
//! its parser cannot read them. It sends GET and closes the connection; this strategy sends HEAD.
//! It does not support dumps; this strategy fetches a link that is declared to be a dump.

use rand::rngs::SmallRng;

use crate::frontier::{FeatureVector, Lease, Offer};
use crate::model::rdf_likelihood::is_non_rdf_extension;
use crate::model::{DropReason, FoundBy, Link, LinkKind, ProbeResult, Promise, Uri, Verdict, VerdictAction};
use crate::select::breadth_first::{depth_priority, queue_entry};
use crate::select::{Decision, Judgement, LinkContext, RequestResult, Strategy};
use lodeward_rdf::RdfFormat;

/// The strategy `heuristic`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeuristicStrategy;

/// Extensions of pages and texts. They are rejected like the extensions of formats that never hold RDF.
const PAGE_EXTENSIONS: &[&str] = &["html", "htm", "xhtml", "xht", "shtml", "txt"];

impl Strategy for HeuristicStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let offer_link = |link: Link| {
            let is_seed = matches!(link.via, LinkKind::Seed);
            let is_common = !is_seed && has_common_extension(&link.target);
            let candidate = queue_entry(found, link, depth_priority(found), FeatureVector::default());
            if is_common { Offer::Drop(candidate, DropReason::Extension) } else { Offer::Queue(candidate) }
        };
        links.into_iter().map(offer_link).collect()
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let candidate = &lease.entry;
        if candidate.found_by == FoundBy::Seed {
            return Judgement::without_verdict(Decision::Fetch);
        }
        let by_extension = candidate.target.extension().and_then(|extension| RdfFormat::from_extension(&extension));
        let is_rdf = match &lease.probe {
            _ if by_extension.is_some_and(RdfFormat::is_rdf) => true,
            // A link that declares a dump is fetched even if its target has the extension of an archive.
            _ if candidate.found_by.promise() == Some(Promise::Dump) => true,
            None => return Judgement::without_verdict(Decision::Probe),
            Some(probe) => promises_rdf(probe),
        };
        let (decision, score) = if is_rdf { (Decision::Fetch, 1.0) } else { (Decision::Skip, 0.0) };
        let action = if is_rdf { VerdictAction::Easy } else { VerdictAction::Skipped };
        Judgement { decision, verdict: Some(Verdict { action, score, reasons: Vec::new() }) }
    }

    fn learn(&mut self, _: &RequestResult<'_>) {}
}

fn has_common_extension(uri: &Uri) -> bool {
    uri.extension()
        .is_some_and(|extension| is_non_rdf_extension(&extension) || PAGE_EXTENSIONS.contains(&extension.as_str()))
}

/// Whether the response to a HEAD request has an RDF media type. If the server does not support
/// HEAD, only GET can determine it, so the result is true.
fn promises_rdf(probe: &ProbeResult) -> bool {
    const METHOD_NOT_ALLOWED: u16 = 405;
    const NOT_IMPLEMENTED: u16 = 501;
    match probe.status {
        METHOD_NOT_ALLOWED | NOT_IMPLEMENTED => true,
        400.. => false,
        _ => probe.media_type.as_deref().and_then(RdfFormat::from_media_type).is_some_and(RdfFormat::is_rdf),
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::frontier::LeaseToken;
    use crate::frontier::QueueEntry;
    use crate::model::Relevance;

    fn triple() -> LinkKind {
        LinkKind::Triple { properties: Vec::new(), vocabulary: false, siblings: Vec::new(), type_hint: None }
    }

    fn offer(target: &str, via: LinkKind) -> Offer {
        let source = Uri::parse("http://a.example/").unwrap();
        let found = LinkContext {
            source: Some(&source),
            lease: None,
            format: "turtle",
            relevance: Relevance::Rdf,
            depth: 1,
            redirects: 0,
        };
        let link = Link { target: Uri::parse(target).unwrap(), via };
        HeuristicStrategy.offer_links(&found, vec![link], &mut SmallRng::seed_from_u64(0)).remove(0)
    }

    fn judge(entry: QueueEntry, probe: Option<ProbeResult>) -> Decision {
        let lease = Lease { token: LeaseToken::default(), entry, attempt: 0, probe, verdict: None };
        HeuristicStrategy.judge(&lease, &mut SmallRng::seed_from_u64(0)).decision
    }

    #[test]
    fn common_extensions_are_dropped() {
        let check = |target: &str, via: LinkKind, is_dropped| {
            let offer = offer(target, via);
            assert_eq!(matches!(offer, Offer::Drop(_, DropReason::Extension)), is_dropped, "{target}");
        };

        check("http://a.example/x.html", triple(), true);
        check("http://a.example/x.JPG", triple(), true);
        check("http://a.example/x.txt", triple(), true);
        check("http://a.example/x", triple(), false);
        check("http://a.example/x.ttl", triple(), false);
        check("http://a.example/x.html", LinkKind::Seed, false);
    }

    #[test]
    fn uris_without_an_rdf_media_type_are_skipped() {
        let probe = |status, media_type: Option<&str>| {
            Some(ProbeResult { status, media_type: media_type.map(str::to_owned), location: None, retry_after_s: None })
        };
        let check = |target: &str, via: LinkKind, probe, expected| {
            assert_eq!(judge(offer(target, via).entry().clone(), probe), expected, "{target}");
        };

        check("http://a.example/x", triple(), None, Decision::Probe);
        check("http://a.example/x", triple(), probe(200, Some("text/turtle; charset=utf-8")), Decision::Fetch);
        check("http://a.example/x", triple(), probe(200, Some("text/html")), Decision::Skip);
        check("http://a.example/x", triple(), probe(200, None), Decision::Skip);
        check("http://a.example/x", triple(), probe(404, Some("text/turtle")), Decision::Skip);
        check("http://a.example/x", triple(), probe(405, None), Decision::Fetch);
        check("http://a.example/x.rdf", triple(), None, Decision::Fetch);
        check("http://a.example/x", LinkKind::Seed, None, Decision::Fetch);
        let dump = LinkKind::Header { rel: "http://rdfs.org/ns/void#dataDump".to_owned(), media_type: None };
        check("http://a.example/x", dump, None, Decision::Fetch);
        check("http://a.example/x.zip", triple(), probe(200, Some("application/zip")), Decision::Skip);
    }
}
