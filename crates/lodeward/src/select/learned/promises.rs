//! The bonus of links that promise RDF.
//!
//! A link that declares what it leads to gets a bonus on its log odds even before similar links
//! have been fetched. The bonus decreases with the share of promises that were not kept, first by
//! that domain, then by all domains. The promise is also a feature whose weight is learned. Links
//! without a promise are not affected.

use super::evidence::{EvidenceKey, LinkEvidence};
use super::rates::{RateTable, SuccessRate};
use crate::model::Promise;

/// Counts of promises made and kept.
#[derive(Clone, Debug)]
pub(super) struct PromiseStats {
    /// Counts over all domains.
    everywhere: [SuccessRate; Promise::ALL.len()],
    /// Counts by domain.
    by_domain: RateTable,
}

impl PromiseStats {
    pub(super) fn new() -> Self {
        Self { everywhere: [SuccessRate::default(); Promise::ALL.len()], by_domain: RateTable::new() }
    }

    /// The bonus of a promise, in log odds.
    pub(super) fn log_odds_bonus(&self, promise: Promise, evidence: LinkEvidence<'_>) -> f32 {
        let everywhere = self.everywhere[promise as usize].mean(1.0);
        let kept = self.by_domain.get(domain_key(promise, evidence)).mean(everywhere);
        kept * base_bonus(promise)
    }

    /// Learns whether a promise was kept.
    pub(super) fn learn(&mut self, promise: Promise, evidence: LinkEvidence<'_>, was_kept: bool) {
        let kept = f32::from(u8::from(was_kept));
        let everywhere = &mut self.everywhere[promise as usize];
        everywhere.successes += kept;
        everywhere.trials += 1.0;
        self.by_domain.observe(domain_key(promise, evidence), kept, 1.0);
    }
}

/// Returns the bonus of a promise that was always kept, in log odds. Links that declare a dump or a
/// description are reliable. RDF is also indicated by extensions, media types and properties, whose
/// weights are learned, so its bonus is smaller. Services are harvested separately, so links to
/// them get no bonus.
fn base_bonus(promise: Promise) -> f32 {
    match promise {
        Promise::Dump | Promise::Description => 3.0,
        Promise::Catalogue => 2.0,
        Promise::Rdf => 1.0,
        Promise::Endpoint | Promise::Sitemap => 0.0,
    }
}

fn domain_key(promise: Promise, evidence: LinkEvidence<'_>) -> u32 {
    const HASH_MULTIPLIER: u32 = 0x9e37_79b1;
    evidence.keys[EvidenceKey::Domain as usize] ^ (promise as u32 + 1).wrapping_mul(HASH_MULTIPLIER)
}

/// Number of a promise among the reasons of a verdict, which is below the numbers of all keys.
pub(super) fn reason_id(promise: Promise) -> u32 {
    EvidenceKey::MIN_REASON_ID - 1 - promise as u32
}

/// Description of the promise with this number, shown to users as a reason of a verdict.
pub(super) fn reason_name(number: u32) -> Option<&'static str> {
    let promise = Promise::ALL.into_iter().find(|promise| reason_id(*promise) == number)?;
    Some(match promise {
        Promise::Rdf => "promised: rdf",
        Promise::Dump => "promised: dump",
        Promise::Description => "promised: description",
        Promise::Endpoint => "promised: endpoint",
        Promise::Catalogue => "promised: catalogue",
        Promise::Sitemap => "promised: sitemap",
    })
}
