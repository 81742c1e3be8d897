//! What promises are worth.
//!
//! A link that says what it leads to is worth a try before anybody has tried one
//! like it: it has a head start, added to its log-odds. That is trust, and trust
//! is lost: the head start shrinks with the share of such promises that were
//! broken, by that domain first, by everybody next. Which promise it was is also
//! a feature like any other, whose weight is learned. A link that promises
//! nothing is not touched by any of this.

use super::evidence::{Evidence, Key};
use super::rates::{Rate, Rates};
use crate::discover::promise::Promise;

/// Promises made and kept.
#[derive(Clone, Debug)]
pub(super) struct Promises {
    /// By all.
    everywhere: [Rate; Promise::ALL.len()],
    /// By domains.
    by_domain: Rates,
}

impl Promises {
    pub(super) fn new() -> Self {
        Self { everywhere: [Rate::default(); Promise::ALL.len()], by_domain: Rates::new() }
    }

    /// What a promise adds to the log-odds of a candidate.
    pub(super) fn head_start(&self, promise: Promise, evidence: Evidence<'_>) -> f32 {
        let everywhere = self.everywhere[promise as usize].mean(1.0);
        let kept = self.by_domain.get(key(promise, evidence)).mean(everywhere);
        kept * trust(promise)
    }

    /// Learns whether a promise was kept.
    pub(super) fn learn(&mut self, promise: Promise, evidence: Evidence<'_>, was_kept: bool) {
        let kept = f32::from(u8::from(was_kept));
        let everywhere = &mut self.everywhere[promise as usize];
        everywhere.successes += kept;
        everywhere.trials += 1.0;
        self.by_domain.observe(key(promise, evidence), kept, 1.0);
    }
}

/// The head start of a promise that was never broken, in log-odds. Whoever names
/// a dump or a description means it. That something is RDF is said by extensions,
/// media types and properties, whose weights are learned anyway. Services are
/// asked by themselves; who does not want that does not want them sooner.
fn trust(promise: Promise) -> f32 {
    match promise {
        Promise::Dump | Promise::Description => 3.0,
        Promise::Catalogue => 2.0,
        Promise::Rdf => 1.0,
        Promise::Endpoint | Promise::Sitemap => 0.0,
    }
}

fn key(promise: Promise, evidence: Evidence<'_>) -> u32 {
    const SPREAD: u32 = 0x9e37_79b1;
    evidence.keys[Key::Domain as usize] ^ (promise as u32 + 1).wrapping_mul(SPREAD)
}

/// The number a promise has among the reasons of a verdict: below all keys.
pub(super) fn reason(promise: Promise) -> u32 {
    Key::LAST_REASON - 1 - promise as u32
}

/// In words, for people.
pub(super) fn name_of_reason(number: u32) -> Option<&'static str> {
    let promise = Promise::ALL.into_iter().find(|promise| reason(*promise) == number)?;
    Some(match promise {
        Promise::Rdf => "promised: rdf",
        Promise::Dump => "promised: dump",
        Promise::Description => "promised: description",
        Promise::Endpoint => "promised: endpoint",
        Promise::Catalogue => "promised: catalogue",
        Promise::Sitemap => "promised: sitemap",
    })
}
