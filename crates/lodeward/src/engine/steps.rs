//! Queues the steps of services: SPARQL endpoints, catalogues, sitemaps.

use super::CrawlError;
use super::conductor::Conductor;
use crate::discover::{NextStep, Step, sitemap};
use crate::fetch::robots::RobotsRules;
use crate::frontier::{FeatureVector, Lease, Offer, QueueEntry};
use crate::model::{FetchFailure, FoundBy, Link, LinkKind, LinkListKind, Outcome, Relevance, Uri};
use crate::select::{LinkContext, breadth_first};

/// A step, and how it was found.
pub(super) type FoundStep = (NextStep, FoundBy);

/// Adds to steps that they were found by a previous step.
pub(super) fn found_by_step(steps: Vec<NextStep>) -> Vec<FoundStep> {
    let with_origin = |next: NextStep| {
        let found_by = next.found_by();
        (next, found_by)
    };
    steps.into_iter().map(with_origin).collect()
}

impl Conductor {
    /// Offers steps that are new and allowed. Returns how many were queued.
    pub(super) async fn offer_steps(
        &mut self,
        found: &LinkContext<'_>,
        steps: Vec<FoundStep>,
    ) -> Result<u64, CrawlError> {
        let offers = self.step_offers(found, steps).await?;
        self.offer_entries(offers).await
    }

    /// The offers of the steps that are new and allowed.
    pub(super) async fn step_offers(
        &mut self,
        found: &LinkContext<'_>,
        mut steps: Vec<FoundStep>,
    ) -> Result<Vec<Offer>, CrawlError> {
        steps.retain(|(next, _)| self.crawl.discover.allows(&next.step));
        let steps = self.retain_new(steps, |(next, _)| &next.uri).await?;
        let offer = |(next, found_by): FoundStep| match self.reason_to_drop(found, &next.uri, None) {
            Some(reason) => Offer::Drop(step_entry(found, next, found_by), reason),
            None => step_offer(found, next, found_by),
        };
        Ok(steps.into_iter().map(offer).collect())
    }

    /// Services named in statements and lists, each with the steps that follow its first step. The
    /// caller queues these steps if the URL of the service is already known as a document.
    pub(super) fn promised_services(&self, links: &[Link]) -> Vec<(Uri, Vec<NextStep>)> {
        // Other links need no check: a URL that looks like a service was treated as one when it was first found.
        let is_declared =
            |via: &LinkKind| matches!(via, LinkKind::Triple { type_hint: Some(_), .. } | LinkKind::Listed { .. });
        let declared = links.iter().filter(|link| is_declared(&link.via));
        let steps = declared.filter_map(|link| Some((link, self.crawl.discover.first_step(link)?)));
        steps.map(|(link, step)| (link.target.clone(), step.next_steps())).collect()
    }

    /// Counts a failed step and offers its alternatives.
    pub(super) async fn handle_failed_step(
        &mut self,
        lease: &Lease,
        step: &Step,
        failure: &FetchFailure,
    ) -> Result<(), CrawlError> {
        // A step whose earlier result is still stored has not failed.
        let has_result =
            lease.entry.revisit.as_ref().is_some_and(|revisit| !matches!(revisit.last, Outcome::Failed(_)));
        if !has_result {
            self.tally.count_failed_step(step);
        }
        let steps = found_by_step(step.after_failure(failure));
        if steps.is_empty() {
            return Ok(());
        }
        let source = lease.entry.target.clone();
        let depth = lease.entry.depth.saturating_add(1);
        let found = link_context(&source, Some(lease), depth);
        self.offer_steps(&found, steps).await?;
        Ok(())
    }

    /// Offers the sitemaps that a robots.txt names.
    pub(super) async fn offer_sitemaps(&mut self, robots_of: &Uri, robots: &RobotsRules) -> Result<(), CrawlError> {
        if !self.crawl.discover.sitemaps {
            return Ok(());
        }
        let base = robots_of.to_url();
        let named = robots.sitemaps().iter().filter_map(|url| Uri::resolve(&base, url).ok());
        // Sitemaps of other domains are ignored.
        let own = named.filter(|url| url.pld() == robots_of.pld());
        let step = |uri: Uri| {
            let step = Step::from(sitemap::SitemapStep::first(&uri));
            (NextStep { uri, step }, FoundBy::Listed(LinkListKind::Robots.name().to_owned()))
        };
        let steps: Vec<FoundStep> = own.map(step).collect();
        if steps.is_empty() {
            return Ok(());
        }
        let source = Uri::resolve(&base, "/robots.txt").unwrap_or_else(|_| robots_of.clone());
        self.offer_steps(&link_context(&source, None, 1), steps).await?;
        Ok(())
    }

    /// Offers the well-known `VoID` description of a host that has RDF.
    pub(super) async fn offer_well_known(&mut self, lease: &Lease) -> Result<(), CrawlError> {
        let uri = lease.entry.target.clone();
        let Some(target) = self.crawl.discover.well_known_uri(&uri) else { return Ok(()) };
        let via = LinkKind::Listed { list: LinkListKind::WellKnown, media_type: None };
        let depth = lease.entry.depth.saturating_add(1);
        self.offer(&link_context(&uri, Some(lease), depth), vec![Link { target, via }]).await?;
        Ok(())
    }
}

fn link_context<'a>(source: &'a Uri, lease: Option<&'a Lease>, depth: u16) -> LinkContext<'a> {
    LinkContext { source: Some(source), lease, format: "", relevance: Relevance::None, depth, redirects: 0 }
}

/// Whether links were found in a step of a service.
pub(super) fn is_from_step(found: &LinkContext<'_>) -> bool {
    found.lease.is_some_and(|lease| lease.entry.step.is_some())
}

/// The offer of a step; strategies do not score steps. The next step of a service is not
/// further from the seeds than the previous one.
pub(super) fn step_offer(found: &LinkContext<'_>, next: NextStep, found_by: FoundBy) -> Offer {
    let is_further = !is_from_step(found) || found.redirects > 0;
    let depth = if is_further { found.depth } else { found.depth.saturating_sub(1) };
    Offer::Queue(step_entry(&LinkContext { depth, ..*found }, next, found_by))
}

fn step_entry(found: &LinkContext<'_>, next: NextStep, found_by: FoundBy) -> QueueEntry {
    QueueEntry {
        target: next.uri,
        source: found.source.cloned(),
        found_by,
        depth: found.depth,
        redirects: found.redirects,
        priority: breadth_first::depth_priority(found),
        features: FeatureVector::default(),
        step: Some(Box::new(next.step)),
        revisit: None,
    }
}
