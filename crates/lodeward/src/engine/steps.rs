//! Queues the steps of services: SPARQL endpoints, catalogues, sitemaps.

use super::CrawlError;
use super::conductor::Conductor;
use crate::discover::{Step, sitemap};
use crate::fetch::robots::RobotsRules;
use crate::frontier::{FeatureVector, Lease, Offer};
use crate::model::FetchFailure;
use crate::model::link::StepLink;
use crate::model::{FoundBy, Link, LinkKind, LinkListKind, Outcome, Relevance, Uri};
use crate::select::{LinkContext, breadth_first};

impl Conductor {
    /// Converts a link into the first step of the service that it promises. Other links are returned unchanged.
    pub(super) fn first_step(&self, link: Link) -> Link {
        if link.via.step().is_some() {
            return link;
        }
        match self.crawl.discover.first_step(&link) {
            Some(step) => {
                let found_by = link.found_by();
                Link { target: link.target, via: LinkKind::Step(Box::new(StepLink { step, found_by })) }
            }
            None => link,
        }
    }

    /// Services named in statements and lists, each with the steps that follow its first step. The
    /// caller queues these steps if the URL of the service is already known as a document.
    pub(super) fn promised_services(&self, links: &[Link]) -> Vec<(Uri, Vec<Link>)> {
        // Other links need no check: a URL that looks like a service was treated as one when it was first found.
        let is_declared =
            |via: &LinkKind| matches!(via, LinkKind::Triple { type_hint: Some(_), .. } | LinkKind::Listed { .. });
        let declared = links.iter().filter(|link| is_declared(&link.via));
        let steps = declared.filter_map(|link| Some((link, self.crawl.discover.first_step(link)?)));
        steps.map(|(one, step)| (one.target.clone(), step.next_steps().into_iter().map(Link::from).collect())).collect()
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
        let links: Vec<Link> = step.after_failure(failure).into_iter().map(Link::from).collect();
        if links.is_empty() {
            return Ok(());
        }
        let source = lease.entry.target.clone();
        let depth = lease.entry.depth.saturating_add(1);
        let found = link_context(&source, Some(lease), depth);
        self.offer(&found, links).await?;
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
        let how = || FoundBy::Listed(LinkListKind::Robots.name().to_owned());
        let link = |target: Uri| {
            let step = Step::Sitemap(sitemap::SitemapStep::first(&target));
            Link { target, via: LinkKind::Step(Box::new(StepLink { step, found_by: how() })) }
        };
        let links: Vec<Link> = own.map(link).collect();
        if links.is_empty() {
            return Ok(());
        }
        let source = Uri::resolve(&base, "/robots.txt").unwrap_or_else(|_| robots_of.clone());
        self.offer(&link_context(&source, None, 1), links).await?;
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
pub(super) fn step_offer(found: &LinkContext<'_>, link: Link) -> Offer {
    let is_further = !is_from_step(found) || found.redirects > 0;
    let depth = if is_further { found.depth } else { found.depth.saturating_sub(1) };
    let found = LinkContext { depth, ..*found };
    Offer::Queue(breadth_first::queue_entry(
        &found,
        link,
        breadth_first::depth_priority(&found),
        FeatureVector::default(),
    ))
}
