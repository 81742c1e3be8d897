//! What a hop may have.
//!
//! Where hops are strict, all that is under way is of one hop, so that it can be
//! bounded exactly: no more departs than its documents allow, and whoever is beyond
//! a bound is dropped when its turn comes, with a reason. How many documents there
//! are of each hop is in the tally. What domains have had of the present one is
//! counted here, and looked up in the frontier when a crawl is resumed; which
//! domains go on to it is decided when it begins, and kept with every commit.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::conductor::Conductor;
use super::{CrawlError, Tally};
use crate::frontier::{Hop, Share};
use crate::model::{DropReason, Outcome, Pld, Visit};

/// What a hop may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopLimits {
    /// Documents of a hop.
    pub documents_max: Option<u64>,
    /// Documents of a domain in one hop.
    pub documents_per_pld_max: Option<u64>,
    /// Domains that go on to a hop: those where most wait when it begins. The
    /// seeds' all do.
    pub plds_max: Option<u64>,
    /// A hop is ended when fewer domains than this are left in it, and each of them
    /// has had a visit. That of the seeds is not.
    pub plds_min: Option<u64>,
}

impl HopLimits {
    fn are_none(&self) -> bool {
        *self == Self::default()
    }

    fn need_shares(&self) -> bool {
        self.documents_per_pld_max.is_some() || self.plds_min.is_some()
    }
}

/// The hop that is under way.
#[derive(Default)]
pub(super) struct Hops {
    depth: Option<u16>,
    /// What domains have had of it.
    shares: HashMap<Pld, Share>,
    /// Whether fewer domains are left in it than it goes on for.
    is_ended: bool,
    chosen: Option<Chosen>,
}

/// The domains that go on to a hop.
#[derive(Serialize, Deserialize)]
struct Chosen {
    depth: u16,
    plds: BTreeSet<String>,
}

/// What is kept with every commit.
#[derive(Serialize)]
struct Memo<'a> {
    #[serde(flatten)]
    tally: &'a Tally,
    #[serde(skip_serializing_if = "Option::is_none")]
    hop_plds: &'a Option<Chosen>,
}

/// Of that, what is not the tally.
#[derive(Default, Deserialize)]
struct Remembered {
    hop_plds: Option<Chosen>,
}

impl Hops {
    /// What a memo says of hops.
    pub(super) fn remembered(memo: &[u8]) -> Self {
        let Remembered { hop_plds } = serde_json::from_slice(memo).unwrap_or_default();
        Self { chosen: hop_plds, ..Self::default() }
    }

    /// A memo with all that is counted.
    pub(super) fn memo(&self, tally: &Tally) -> Vec<u8> {
        serde_json::to_vec(&Memo { tally, hop_plds: &self.chosen }).expect("a tally is plain data")
    }

    /// Counts a URI of this hop whose life has ended.
    pub(super) fn count(&mut self, visit: &Visit, outcome: &Outcome) {
        if self.depth == Some(visit.candidate.depth) {
            self.shares.entry(visit.candidate.pld()).or_default().count(outcome);
        }
    }

    fn is_chosen(&self, depth: u16, pld: &Pld) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.depth != depth || chosen.plds.contains(pld.as_str()))
    }
}

impl Conductor {
    /// Looks which hop is under way; a new one is prepared. A round of visits to
    /// known documents is none.
    pub(super) async fn look_at_hop(&mut self) -> Result<(), CrawlError> {
        let limits = self.crawl.settings.hops;
        if limits.are_none() || self.refreshing {
            return Ok(());
        }
        let Some(Hop { depth, domains }) = self.crawl.frontier.hop().await? else { return Ok(()) };
        if self.hops.depth != Some(depth) {
            self.begin_hop(depth, limits).await?;
        }
        self.hops.is_ended |= depth > 0 && limits.plds_min.is_some_and(|min| domains < min);
        Ok(())
    }

    async fn begin_hop(&mut self, depth: u16, limits: HopLimits) -> Result<(), CrawlError> {
        let is_resumed = self.hops.depth.is_none();
        self.hops.shares = if is_resumed && limits.need_shares() {
            self.crawl.frontier.shares_of_hop(depth).await?
        } else {
            HashMap::new()
        };
        self.hops.is_ended = false;
        self.hops.depth = Some(depth);
        let is_decided = self.hops.chosen.as_ref().is_some_and(|chosen| chosen.depth == depth);
        match limits.plds_max {
            Some(max) if depth > 0 && !is_decided => self.choose_domains(depth, max).await?,
            Some(_) if depth > 0 => {}
            _ => self.hops.chosen = None,
        }
        Ok(())
    }

    /// Decides which domains go on: those where most wait; of several with as many,
    /// those that come first by name.
    async fn choose_domains(&mut self, depth: u16, max: u64) -> Result<(), CrawlError> {
        let mut waiting = self.crawl.frontier.waiting_by_pld().await?;
        waiting.sort_by(|(one, ones), (other, others)| others.cmp(ones).then_with(|| one.as_str().cmp(other.as_str())));
        let domains = waiting.len();
        waiting.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        tracing::info!(hop = depth, domains, chosen = waiting.len(), "domains are chosen");
        let plds = waiting.into_iter().map(|(pld, _)| pld.as_str().to_owned()).collect();
        self.hops.chosen = Some(Chosen { depth, plds });
        self.uncommitted = true;
        Ok(())
    }

    /// How many more errands may depart so that a hop has no more documents than it
    /// may have.
    pub(super) fn free_in_hop(&self) -> usize {
        match self.crawl.settings.hops.documents_max.filter(|_| !self.refreshing) {
            None => usize::MAX,
            // Whoever is leased next may be of the next hop.
            Some(_) if self.under_way() == 0 => 1,
            Some(max) => {
                let had = self.hops.depth.map_or(0, |depth| self.tally.documents_of_hop(depth));
                usize::try_from(max.saturating_sub(had)).unwrap_or(usize::MAX).saturating_sub(self.under_way())
            }
        }
    }

    /// Why a visit is not made, if it is beyond what its hop may have. Who is
    /// visited again has had its place in its hop before.
    pub(super) fn beyond_hop(&self, visit: &Visit) -> Option<DropReason> {
        let limits = self.crawl.settings.hops;
        if limits.are_none() || visit.candidate.again.is_some() {
            return None;
        }
        let (depth, pld) = (visit.candidate.depth, visit.candidate.pld());
        let share = self.hops.shares.get(&pld).copied().unwrap_or_default();
        let is_full = |max: Option<u64>, had: u64| max.is_some_and(|max| had >= max);
        if is_full(limits.documents_max, self.tally.documents_of_hop(depth)) {
            return Some(DropReason::HopLimit);
        }
        if is_full(limits.documents_per_pld_max, share.documents) {
            return Some(DropReason::HopPldLimit);
        }
        if !self.hops.is_chosen(depth, &pld) {
            return Some(DropReason::HopPlds);
        }
        (self.hops.is_ended && share.visits > 0).then_some(DropReason::HopEnded)
    }
}
