//! Limits per hop.
//!
//! With strict hops, all requests in flight belong to one hop, so the hop can be limited exactly:
//! no more errands start than its document limit allows, and a URI beyond a limit is dropped when
//! its turn comes, with a reason. The tally has the number of documents of each hop. Requests and
//! documents per domain of the current hop are counted here, and read from the frontier when a
//! crawl is resumed. The domains of a hop are chosen when it begins and stored with every commit.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::conductor::Conductor;
use super::{CrawlError, Tally};
use crate::frontier::{CurrentHop, HopShare, Lease, UriRecord};
use crate::model::{DropReason, Outcome, Pld};

/// Limits of each hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopLimits {
    /// Maximum number of documents per hop.
    pub max_documents: Option<u64>,
    /// Maximum number of documents per domain and hop.
    pub max_documents_per_domain: Option<u64>,
    /// Maximum number of domains per hop: those with the most waiting URIs when it begins. Redirects of their URIs may
    /// lead to further domains. The hop of the seeds has no such limit.
    pub max_domains: Option<u64>,
    /// A hop ends when fewer domains than this are left in it and each has received a request. Does
    /// not apply to the hop of the seeds.
    pub min_domains: Option<u64>,
}

impl HopLimits {
    fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    fn needs_shares(&self) -> bool {
        self.max_documents_per_domain.is_some() || self.min_domains.is_some()
    }
}

/// The progress of the current hop.
#[derive(Default)]
pub(super) struct HopProgress {
    depth: Option<u16>,
    /// Requests and documents of each domain in the current hop.
    shares: HashMap<Pld, HopShare>,
    /// Whether the hop ends because fewer domains than the minimum are left.
    is_ended: bool,
    chosen: Option<HopDomains>,
}

/// The chosen domains of a hop.
#[derive(Serialize, Deserialize)]
struct HopDomains {
    depth: u16,
    domains: BTreeSet<String>,
}

/// The memo stored with every commit: the tally and the chosen domains.
#[derive(Serialize)]
struct HopMemo<'a> {
    #[serde(flatten)]
    tally: &'a Tally,
    #[serde(skip_serializing_if = "Option::is_none")]
    hop_domains: &'a Option<HopDomains>,
}

/// The part of the memo that is not the tally.
#[derive(Default, Deserialize)]
struct StoredHopMemo {
    hop_domains: Option<HopDomains>,
}

/// Returns the memo of a frontier without the counts of documents that are fetched again.
#[must_use]
pub fn uncount_documents(memo: &[u8], requeued: &[UriRecord]) -> Vec<u8> {
    HopProgress::from_memo(memo).to_memo(&Tally::from_memo(memo, requeued))
}

impl HopProgress {
    /// Reads the chosen domains from a memo.
    pub(super) fn from_memo(memo: &[u8]) -> Self {
        let StoredHopMemo { hop_domains } = serde_json::from_slice(memo).unwrap_or_default();
        Self { chosen: hop_domains, ..Self::default() }
    }

    /// Encodes the tally and the chosen domains as a memo.
    pub(super) fn to_memo(&self, tally: &Tally) -> Vec<u8> {
        serde_json::to_vec(&HopMemo { tally, hop_domains: &self.chosen }).expect("the memo serialises as JSON")
    }

    /// Counts a settled URI if it belongs to the current hop.
    pub(super) fn count(&mut self, lease: &Lease, outcome: &Outcome) {
        if self.depth == Some(lease.entry.depth) {
            self.shares.entry(lease.entry.pld()).or_default().count(outcome);
        }
    }

    fn is_chosen(&self, depth: u16, pld: &Pld) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.depth != depth || chosen.domains.contains(pld.as_str()))
    }
}

impl Conductor {
    /// Reads the current hop from the frontier, and begins it if it is new. Does nothing during a refresh round.
    pub(super) async fn update_hop(&mut self) -> Result<(), CrawlError> {
        let limits = self.crawl.options.hops;
        if limits.is_unlimited() || self.refreshing {
            return Ok(());
        }
        let Some(CurrentHop { depth, domains }) = self.frontier().await?.current_hop().await? else { return Ok(()) };
        if self.hops.depth != Some(depth) {
            self.begin_hop(depth, limits).await?;
        }
        self.hops.is_ended |= depth > 0 && limits.min_domains.is_some_and(|min| domains < min);
        Ok(())
    }

    async fn begin_hop(&mut self, depth: u16, limits: HopLimits) -> Result<(), CrawlError> {
        let is_resumed = self.hops.depth.is_none();
        self.hops.shares = if is_resumed && limits.needs_shares() {
            self.frontier().await?.hop_shares(depth).await?
        } else {
            HashMap::new()
        };
        self.hops.is_ended = false;
        self.hops.depth = Some(depth);
        let is_decided = self.hops.chosen.as_ref().is_some_and(|chosen| chosen.depth == depth);
        match limits.max_domains {
            Some(max) if depth > 0 && !is_decided => self.choose_domains(depth, max).await?,
            Some(_) if depth > 0 => {}
            _ => self.hops.chosen = None,
        }
        Ok(())
    }

    /// Chooses the domains with the most waiting URIs; ties are broken by name.
    async fn choose_domains(&mut self, depth: u16, max: u64) -> Result<(), CrawlError> {
        let mut waiting = self.frontier().await?.waiting_by_domain().await?;
        waiting.sort_by(|(one, ones), (other, others)| others.cmp(ones).then_with(|| one.as_str().cmp(other.as_str())));
        let domains = waiting.len();
        waiting.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        tracing::info!(hop = depth, domains, chosen = waiting.len(), "hop domains chosen");
        let domains = waiting.into_iter().map(|(pld, _)| pld.as_str().to_owned()).collect();
        self.hops.chosen = Some(HopDomains { depth, domains });
        self.commits.record_change();
        Ok(())
    }

    /// The number of errands that may start without exceeding the document limit of the hop.
    pub(super) fn free_hop_slots(&self) -> usize {
        match self.crawl.options.hops.max_documents.filter(|_| !self.refreshing) {
            None => usize::MAX,
            // The next lease may belong to the next hop, which has other counts, so only one URI is leased.
            Some(_) if self.flights.len() == 0 => 1,
            Some(max) => {
                let fetched = self.hops.depth.map_or(0, |depth| self.tally.hop_documents(depth));
                usize::try_from(max.saturating_sub(fetched)).unwrap_or(usize::MAX).saturating_sub(self.flights.len())
            }
        }
    }

    /// Why a leased URI is dropped because of a limit of its hop. Revisits are not limited, because
    /// their first request was counted.
    pub(super) fn hop_drop_reason(&self, lease: &Lease) -> Option<DropReason> {
        let limits = self.crawl.options.hops;
        if limits.is_unlimited() || lease.entry.revisit.is_some() {
            return None;
        }
        let (depth, pld) = (lease.entry.depth, lease.entry.pld());
        let share = self.hops.shares.get(&pld).copied().unwrap_or_default();
        let is_full = |max: Option<u64>, fetched: u64| max.is_some_and(|max| fetched >= max);
        if is_full(limits.max_documents, self.tally.hop_documents(depth)) {
            return Some(DropReason::HopLimit);
        }
        if is_full(limits.max_documents_per_domain, share.documents) {
            return Some(DropReason::HopDomainLimit);
        }
        // A redirect belongs to the URI that led to it, whose domain was chosen.
        if lease.entry.redirects == 0 && !self.hops.is_chosen(depth, &pld) {
            return Some(DropReason::HopDomains);
        }
        (self.hops.is_ended && share.visits > 0).then_some(DropReason::HopEnded)
    }
}
