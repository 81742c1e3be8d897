//! Offers links to the frontier.

use std::collections::HashSet;

use super::CrawlError;
use super::conductor::Conductor;
use super::steps::{found_by_step, is_from_step, step_offer};
use crate::discover::{NextStep, promise};
use crate::frontier::{FeatureVector, Offer};
use crate::model::{DropReason, Link, LinkKind, Uri};
use crate::select::{LinkContext, breadth_first};

impl Conductor {
    /// Prioritises and offers new links, and records links out of scope as dropped. Returns how
    /// many were queued.
    pub(super) async fn offer(&mut self, found: &LinkContext<'_>, mut links: Vec<Link>) -> Result<u64, CrawlError> {
        links.retain(|link| self.crawl.scope.is_followed_kind(link));
        let promised = self.promised_services(&links);
        let (links, readmitted) = self.retain_admissible(links).await?;
        let mut next_steps = Vec::new();
        if !promised.is_empty() {
            let new: HashSet<&Uri> = links.iter().map(|link| &link.target).collect();
            let known = promised.into_iter().filter(|(target, _)| !new.contains(target));
            next_steps.extend(known.flat_map(|(_, steps)| steps));
        }
        let mut offers = Vec::with_capacity(links.len());
        let mut for_strategy = Vec::with_capacity(links.len());
        for link in links {
            if let Some(reason) = self.reason_to_drop(found, &link.target, Some(&link.via)) {
                let priority = breadth_first::depth_priority(found);
                let entry = breadth_first::queue_entry(found, link, priority, FeatureVector::default());
                offers.push(Offer::Drop(entry, reason));
                continue;
            }
            match self.crawl.discover.first_step(&link) {
                Some(step) => {
                    let found_by = promise::found_by(&link);
                    offers.push(step_offer(found, NextStep { uri: link.target, step }, found_by));
                }
                None => for_strategy.push(link),
            }
        }
        offers.extend(self.step_offers(found, found_by_step(next_steps)).await?);
        if !for_strategy.is_empty() {
            offers.extend(self.crawl.strategy.offer_links(found, for_strategy, &mut self.rng));
        }
        if !readmitted.is_empty() {
            let is_readmitted = |offer: &Offer| readmitted.contains(&offer.entry().target);
            let change = |offer| if is_readmitted(&offer) { readmit(offer) } else { offer };
            offers = offers.into_iter().map(change).collect();
        }
        self.offer_entries(offers).await
    }

    /// Returns the links to unknown URIs, and those to URIs that may be queued although an earlier link to them was
    /// dropped: seeds and redirects, whose permission does not depend on that link. The latter are returned as a set,
    /// too.
    async fn retain_admissible(&mut self, links: Vec<Link>) -> Result<(Vec<Link>, HashSet<Uri>), CrawlError> {
        let (mut admissible, links): (Vec<Link>, Vec<Link>) = if self.tally.has_links_dropped() {
            links.into_iter().partition(|link| matches!(link.via, LinkKind::Seed | LinkKind::Redirect(_)))
        } else {
            (Vec::new(), links)
        };
        let mut readmitted = HashSet::new();
        if !admissible.is_empty() {
            let targets = || admissible.iter().map(|link| link.target.clone()).collect::<Vec<Uri>>();
            let is_new = self.frontier().await?.sift(targets()).await?;
            let reasons = self.frontier().await?.drop_reasons(targets()).await?;
            let mut states = is_new.into_iter().zip(reasons);
            admissible.retain(|link| {
                let (is_new, reason) = states.next().expect("there is a state for each link");
                let is_readmitted = reason.is_some_and(DropReason::depends_on_link);
                if is_readmitted {
                    readmitted.insert(link.target.clone());
                }
                is_new || is_readmitted
            });
        }
        admissible.extend(self.retain_new(links, |link| &link.target).await?);
        Ok((admissible, readmitted))
    }

    /// Returns the items whose URIs are unknown to the frontier.
    pub(super) async fn retain_new<T>(
        &mut self,
        items: Vec<T>,
        uri: impl Fn(&T) -> &Uri,
    ) -> Result<Vec<T>, CrawlError> {
        if items.is_empty() {
            return Ok(items);
        }
        let is_new = self.frontier().await?.sift(items.iter().map(|item| uri(item).clone()).collect()).await?;
        Ok(items.into_iter().zip(is_new).filter_map(|(item, is_new)| is_new.then_some(item)).collect())
    }

    /// Offers entries to the frontier and counts those that are dropped. Returns how many were queued.
    pub(super) async fn offer_entries(&mut self, offers: Vec<Offer>) -> Result<u64, CrawlError> {
        if offers.is_empty() {
            return Ok(0);
        }
        let offered = self.frontier().await?.offer(offers).await?;
        for (reason, count) in offered.dropped {
            self.tally.count_drops(reason, count);
        }
        for reason in offered.readmitted {
            self.tally.uncount_drops(reason, 1);
        }
        self.commits.record_change();
        Ok(offered.queued)
    }

    /// Why a link is dropped, or a step of a service if `via` is `None`.
    pub(super) fn reason_to_drop(
        &self,
        found: &LinkContext<'_>,
        target: &Uri,
        via: Option<&LinkKind>,
    ) -> Option<DropReason> {
        if found.redirects > self.crawl.options.max_redirects {
            return Some(DropReason::Redirects);
        }
        // The scope and the trap detection do not apply to steps of a service that are found in
        // another step of the same origin.
        let is_same_origin = found.source.is_some_and(|source| source.origin() == target.origin());
        if is_same_origin && via.is_none() && is_from_step(found) {
            return None;
        }
        let trapped = found.source.is_some_and(|source| self.traps.is_trap(source, target));
        self.crawl.scope.reason_to_drop(target, via, found).or(trapped.then_some(DropReason::Trap))
    }
}

/// Turns an offer of a URI that an earlier offer dropped into one that queues it.
pub(super) fn readmit(offer: Offer) -> Offer {
    match offer {
        Offer::Queue(entry) => Offer::Readmit(entry),
        offer => offer,
    }
}
