//! What is asked for besides documents.

use super::CrawlError;
use super::conductor::Conductor;
use crate::discover::{Step, sitemap};
use crate::fetch::Refusal;
use crate::fetch::robots::Robots;
use crate::frontier::Offer;
use crate::model::link::StepLink;
use crate::model::{Features, How, Link, List, Outcome, Relevance, Uri, Via, Visit};
use crate::select::{Found, breadth_first};

impl Conductor {
    /// A link, as the first step towards the service that it promises.
    pub(super) fn first_step(&self, link: Link) -> Link {
        if link.via.step().is_some() {
            return link;
        }
        match self.crawl.discover.first_step(&link) {
            Some(step) => {
                let how = link.how();
                Link { target: link.target, via: Via::Step(Box::new(StepLink { step, how })) }
            }
            None => link,
        }
    }

    /// Services that statements speak of, and what would be asked of each after
    /// its first step: their addresses may be known already, as documents that
    /// nobody took for a service.
    pub(super) fn promised(&self, links: &[Link]) -> Vec<(Uri, Vec<Link>)> {
        // An address that looks like a service was taken for one when it was first
        // met.
        let is_said = |via: &Via| matches!(via, Via::Triple { telling: Some(_), .. } | Via::Listed { .. });
        let said = links.iter().filter(|link| is_said(&link.via));
        let steps = said.filter_map(|link| Some((link, self.crawl.discover.first_step(link)?)));
        steps.map(|(one, step)| (one.target.clone(), step.after().into_iter().map(Link::from).collect())).collect()
    }

    /// Offers what is to be asked instead of a step that failed for good.
    pub(super) async fn step_failed(
        &mut self,
        visit: &Visit,
        step: &Step,
        refusal: &Refusal,
    ) -> Result<(), CrawlError> {
        // What was had before, and is kept, has not failed for good.
        let was_had = visit.candidate.again.as_ref().is_some_and(|again| !matches!(again.last, Outcome::Failed(_)));
        if !was_had {
            self.tally.step_failed(step);
        }
        let links: Vec<Link> = step.after_failure(refusal).into_iter().map(Link::from).collect();
        if links.is_empty() {
            return Ok(());
        }
        let source = visit.candidate.target.clone();
        let depth = visit.candidate.depth.saturating_add(1);
        let found = found(&source, Some(visit), depth);
        self.offer(&found, links).await?;
        Ok(())
    }

    /// Offers the sitemaps that a robots.txt names.
    pub(super) async fn offer_sitemaps(&mut self, robots_of: &Uri, robots: &Robots) -> Result<(), CrawlError> {
        if !self.crawl.discover.sitemaps {
            return Ok(());
        }
        let base = robots_of.to_url();
        let named = robots.sitemaps().iter().filter_map(|address| Uri::resolve(&base, address).ok());
        // Whoever writes a robots.txt speaks for their own domain.
        let own = named.filter(|address| address.pld() == robots_of.pld());
        let how = || How::Listed(List::Robots.name().to_owned());
        let link = |target: Uri| {
            let step = Step::Sitemap(sitemap::Step::first(&target));
            Link { target, via: Via::Step(Box::new(StepLink { step, how: how() })) }
        };
        let links: Vec<Link> = own.map(link).collect();
        if links.is_empty() {
            return Ok(());
        }
        let source = Uri::resolve(&base, "/robots.txt").unwrap_or_else(|_| robots_of.clone());
        self.offer(&found(&source, None, 1), links).await?;
        Ok(())
    }

    /// RDF was found: looks for more where its host may describe it.
    pub(super) async fn look_around(&mut self, visit: &Visit) -> Result<(), CrawlError> {
        let uri = visit.candidate.target.clone();
        let Some(target) = self.crawl.discover.well_known(&uri) else { return Ok(()) };
        let via = Via::Listed { list: List::WellKnown, media_type: None };
        let depth = visit.candidate.depth.saturating_add(1);
        self.offer(&found(&uri, Some(visit), depth), vec![Link { target, via }]).await?;
        Ok(())
    }
}

fn found<'a>(source: &'a Uri, visit: Option<&'a Visit>, depth: u16) -> Found<'a> {
    Found { source: Some(source), visit, syntax: "", relevance: Relevance::None, depth, redirects: 0 }
}

/// Whether something was found in a step of a service.
pub(super) fn is_step(found: &Found<'_>) -> bool {
    found.visit.is_some_and(|visit| visit.candidate.step.is_some())
}

/// A step, as it is queued: no strategy has a say in it. What a service has next
/// is not further from the seeds than what it had before.
pub(super) fn step_offer(found: &Found<'_>, link: Link) -> Offer {
    let is_further = !is_step(found) || found.redirects > 0;
    let depth = if is_further { found.depth } else { found.depth.saturating_sub(1) };
    let found = Found { depth, ..*found };
    Offer::Queue(breadth_first::candidate(&found, link, breadth_first::by_depth(&found), Features::default()))
}
