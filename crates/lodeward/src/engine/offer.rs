//! Offers links to the frontier.

use std::collections::HashSet;

use super::CrawlError;
use super::conductor::Conductor;
use super::steps::{is_from_step, step_offer};
use crate::frontier::Offer;
use crate::model::{DropReason, FeatureVector, Link, LinkKind, Uri};
use crate::select::{LinkContext, breadth_first};

impl Conductor {
    /// Prioritises and offers new links, and records links out of scope as dropped. Returns how
    /// many were queued.
    pub(super) async fn offer(&mut self, found: &LinkContext<'_>, mut links: Vec<Link>) -> Result<u64, CrawlError> {
        links.retain(|link| {
            let is_allowed = link.via.step().is_none_or(|step| self.crawl.discover.allows(step));
            is_allowed && self.crawl.scope.is_followed_kind(link)
        });
        let promised = self.promised_services(&links);
        let mut links = self.crawl.frontier.sift(links).await?;
        if !promised.is_empty() {
            let new: HashSet<&Uri> = links.iter().map(|link| &link.target).collect();
            let known = promised.into_iter().filter(|(target, _)| !new.contains(target));
            let next_links = known.flat_map(|(_, next_links)| next_links).collect();
            links.extend(self.crawl.frontier.sift(next_links).await?);
        }
        if links.is_empty() {
            return Ok(0);
        }
        let mut offers = Vec::with_capacity(links.len());
        let mut for_strategy = Vec::with_capacity(links.len());
        for link in links {
            if let Some(reason) = self.reason_to_drop(found, &link) {
                let priority = breadth_first::depth_priority(found);
                let entry = breadth_first::queue_entry(found, link, priority, FeatureVector::default());
                offers.push(Offer::Drop(entry, reason));
                continue;
            }
            match self.first_step(link) {
                Link { target, via: via @ LinkKind::Step(_) } => offers.push(step_offer(found, Link { target, via })),
                link => for_strategy.push(link),
            }
        }
        offers.extend(self.crawl.strategy.offer_links(found, for_strategy, &mut self.rng));
        let offered = self.crawl.frontier.offer(offers).await?;
        for (reason, count) in offered.dropped {
            self.tally.count_drops(reason, count);
        }
        self.commits.record_change();
        Ok(offered.queued)
    }

    fn reason_to_drop(&self, found: &LinkContext<'_>, link: &Link) -> Option<DropReason> {
        if found.redirects > self.crawl.options.max_redirects {
            return Some(DropReason::Redirects);
        }
        // The scope and the trap detection do not apply to steps of a service that are found in
        // another step of the same origin.
        let is_same_origin = found.source.is_some_and(|source| source.origin() == link.target.origin());
        if is_same_origin && link.via.step().is_some() && is_from_step(found) {
            return None;
        }
        let trapped = found.source.is_some_and(|source| self.traps.is_trap(source, &link.target));
        self.crawl.scope.reason_to_drop(link, found).or(trapped.then_some(DropReason::Trap))
    }
}
