//! The rules of LDSpider and of SWSE's crawler: a baseline without learning.
//!
//! LDCOC §2 tells them: "The URIs with common file extensions (e.g., html/htm,
//! jpg, pdf, etc.) and those without appropriate HTTP Content-Type Header (such as
//! `application/rdf+xml`) are classified as non-RDF content URIs. The content of
//! these URIs would not be retrieved." Breadth first, in turn over the domains,
//! by links found in RDF.
//!
//! Where this is not LDSpider: it also refuses `.ttl`, `.nt` and `.json` by their
//! extension, because its own parser cannot read them; ours can. It asks with GET
//! and hangs up; we ask with HEAD. It knows no dumps; what a link says is one is
//! retrieved.

use rand::rngs::SmallRng;

use super::breadth_first::{by_depth, candidate};
use super::{Action, Decision, Found, Judgement, Lesson, Strategy, Verdict};
use crate::discover::promise::Promise;
use crate::frontier::Offer;
use crate::model::media_type::{Syntax, is_barren_extension};
use crate::model::{DropReason, Features, How, Link, Probe, Uri, Via, Visit};

/// The strategy `heuristic`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristic;

/// Extensions that the rules take for pages and texts, beyond those that can
/// hold no RDF at all.
const PAGES: &[&str] = &["html", "htm", "xhtml", "xht", "shtml", "txt"];

impl Strategy for Heuristic {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let place_one = |link: Link| {
            let is_seed = matches!(link.via, Via::Seed);
            let is_common = !is_seed && has_common_extension(&link.target);
            let candidate = candidate(found, link, by_depth(found), Features::default());
            if is_common { Offer::Drop(candidate, DropReason::Extension) } else { Offer::Queue(candidate) }
        };
        links.into_iter().map(place_one).collect()
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let candidate = &visit.candidate;
        if candidate.how == How::Seed {
            return Judgement::plain(Decision::Fetch);
        }
        let by_extension = candidate.target.extension().and_then(|extension| Syntax::of_extension(&extension));
        let is_rdf = match &visit.probe {
            _ if by_extension.is_some_and(Syntax::is_rdf) => true,
            // A dump is declared to be an archive, whatever is in it.
            _ if candidate.how.promise() == Some(Promise::Dump) => true,
            None => return Judgement::plain(Decision::Probe),
            Some(probe) => promises_rdf(probe),
        };
        let (decision, score) = if is_rdf { (Decision::Fetch, 1.0) } else { (Decision::Skip, 0.0) };
        let action = if is_rdf { Action::Easy } else { Action::Skipped };
        Judgement { decision, verdict: Some(Verdict { action, score, reasons: Vec::new() }) }
    }

    fn learn(&mut self, _: &Lesson<'_>) {}
}

fn has_common_extension(uri: &Uri) -> bool {
    uri.extension().is_some_and(|extension| is_barren_extension(&extension) || PAGES.contains(&extension.as_str()))
}

/// Whether a HEAD request was answered with a media type of RDF; or not
/// answered, because the server knows no HEAD: then GET is the only way to know.
fn promises_rdf(probe: &Probe) -> bool {
    const METHOD_NOT_ALLOWED: u16 = 405;
    const NOT_IMPLEMENTED: u16 = 501;
    match probe.status {
        METHOD_NOT_ALLOWED | NOT_IMPLEMENTED => true,
        400.. => false,
        _ => probe.media_type.as_deref().and_then(Syntax::of_media_type).is_some_and(Syntax::is_rdf),
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::model::{Candidate, Relevance};

    fn triple() -> Via {
        Via::Triple { properties: Vec::new(), vocabulary: false, siblings: Vec::new(), telling: None }
    }

    fn place(target: &str, via: Via) -> Offer {
        let source = Uri::parse("http://a.example/").unwrap();
        let found = Found {
            source: Some(&source),
            visit: None,
            syntax: "turtle",
            relevance: Relevance::Rdf,
            depth: 1,
            redirects: 0,
        };
        let link = Link { target: Uri::parse(target).unwrap(), via };
        Heuristic.place(&found, vec![link], &mut SmallRng::seed_from_u64(0)).remove(0)
    }

    fn judge(candidate: Candidate, probe: Option<Probe>) -> Decision {
        let visit = Visit { lease: 0, candidate, attempt: 0, probe, verdict: None };
        Heuristic.judge(&visit, &mut SmallRng::seed_from_u64(0)).decision
    }

    #[test]
    fn common_extensions_are_not_retrieved() {
        let check = |target: &str, via: Via, is_dropped| {
            let offer = place(target, via);
            assert_eq!(matches!(offer, Offer::Drop(_, DropReason::Extension)), is_dropped, "{target}");
        };

        check("http://a.example/x.html", triple(), true);
        check("http://a.example/x.JPG", triple(), true);
        check("http://a.example/x.txt", triple(), true);
        check("http://a.example/x", triple(), false);
        check("http://a.example/x.ttl", triple(), false);
        check("http://a.example/x.html", Via::Seed, false);
    }

    #[test]
    fn what_does_not_declare_rdf_is_not_retrieved() {
        let probe = |status, media_type: Option<&str>| {
            Some(Probe { status, media_type: media_type.map(str::to_owned), location: None })
        };
        let check = |target: &str, via: Via, probe, expected| {
            assert_eq!(judge(place(target, via).candidate().clone(), probe), expected, "{target}");
        };

        check("http://a.example/x", triple(), None, Decision::Probe);
        check("http://a.example/x", triple(), probe(200, Some("text/turtle; charset=utf-8")), Decision::Fetch);
        check("http://a.example/x", triple(), probe(200, Some("text/html")), Decision::Skip);
        check("http://a.example/x", triple(), probe(200, None), Decision::Skip);
        check("http://a.example/x", triple(), probe(404, Some("text/turtle")), Decision::Skip);
        check("http://a.example/x", triple(), probe(405, None), Decision::Fetch);
        check("http://a.example/x.rdf", triple(), None, Decision::Fetch);
        check("http://a.example/x", Via::Seed, None, Decision::Fetch);
        let dump = Via::Header { rel: "http://rdfs.org/ns/void#dataDump".to_owned(), media_type: None };
        check("http://a.example/x", dump, None, Decision::Fetch);
        check("http://a.example/x.zip", triple(), probe(200, Some("application/zip")), Decision::Skip);
    }
}
