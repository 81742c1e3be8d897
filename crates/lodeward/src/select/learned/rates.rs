//! Success rates of similar requests.
//!
//! A rate is a running share of successes, stored under the hash of its key (a domain, a directory,
//! the links of a page …). Its estimate uses the estimate of its parent as a Beta prior of a few
//! observations. So the first observations have little weight, and a key without observations has
//! the estimate of its parent. The table has a fixed size: if two keys have the same slot, the more
//! frequent one keeps it.

/// Number of bits: the table has 2 to the power of this many slots.
const SLOT_BITS: u32 = 18;
/// Weight of the parent's rate, in observations.
const PRIOR_OBSERVATIONS: f32 = 2.0;
/// Number of observations above which older observations lose weight.
const MAX_OBSERVATIONS: f32 = 400.0;

/// Successes and trials by hashed key.
#[derive(Clone, Debug)]
pub(super) struct RateTable {
    slots: Vec<RateSlot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RateSlot {
    /// The bits of the key that are not in the index of the slot.
    tag: u16,
    rate: SuccessRate,
}

/// Successes and trials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SuccessRate {
    pub(super) successes: f32,
    pub(super) trials: f32,
}

impl SuccessRate {
    /// The share of successes, with the parent's share as prior.
    pub(super) fn mean(self, parent: f32) -> f32 {
        (self.successes + PRIOR_OBSERVATIONS * parent) / (self.trials + PRIOR_OBSERVATIONS)
    }
}

impl RateTable {
    pub(super) fn new() -> Self {
        Self { slots: vec![RateSlot::default(); 1 << SLOT_BITS] }
    }

    pub(super) fn get(&self, key: u32) -> SuccessRate {
        let slot = self.slots[slot_index(key)];
        if slot.tag == tag(key) { slot.rate } else { SuccessRate::default() }
    }

    /// Counts a trial; `success` is between 0 and 1.
    pub(super) fn observe(&mut self, key: u32, success: f32, weight: f32) {
        let slot = &mut self.slots[slot_index(key)];
        if slot.tag != tag(key) {
            // The slot has another key. Its counts are halved, and it is replaced once they are below `weight`.
            slot.rate.successes /= 2.0;
            slot.rate.trials /= 2.0;
            if slot.rate.trials >= weight {
                return;
            }
            *slot = RateSlot { tag: tag(key), rate: SuccessRate::default() };
        }
        let rate = &mut slot.rate;
        rate.successes += success * weight;
        rate.trials += weight;
        if rate.trials > MAX_OBSERVATIONS {
            rate.successes /= 2.0;
            rate.trials /= 2.0;
        }
    }
}

impl RateTable {
    /// Encodes the rates: keys, successes, trials.
    pub(super) fn to_stored(&self) -> Vec<(u32, f32, f32)> {
        let slots = (0_u32..).zip(&self.slots).filter(|(_, slot)| slot.rate.trials > 0.0);
        let key = |index: u32, tag: u16| index << (32 - SLOT_BITS) | u32::from(tag);
        slots.map(|(index, RateSlot { tag, rate })| (key(index, *tag), rate.successes, rate.trials)).collect()
    }

    /// Restores the rates. Returns `false` if they are invalid.
    pub(super) fn restore(&mut self, stored: &[(u32, f32, f32)]) -> bool {
        for &(key, successes, trials) in stored {
            if !(successes.is_finite() && trials.is_finite() && (0.0..=trials).contains(&successes)) {
                return false;
            }
            self.slots[slot_index(key)] = RateSlot { tag: tag(key), rate: SuccessRate { successes, trials } };
        }
        true
    }
}

/// The slot of a key: its first bits.
fn slot_index(key: u32) -> usize {
    (key >> (32 - SLOT_BITS)) as usize
}

/// Distinguishes keys with the same slot: the remaining bits.
fn tag(key: u32) -> u16 {
    const MASK: u32 = u32::MAX >> SLOT_BITS;
    u16::try_from(key & MASK).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_observations_has_no_rate_even_if_its_slot_is_used() {
        let mut rates = RateTable::new();
        for _ in 0..10 {
            rates.observe(0x1234_5678, 1.0, 1.0);
        }

        assert_eq!(rates.get(0x1234_5679), SuccessRate::default());
        rates.observe(0x1234_5679, 0.0, 1.0);
        assert!(rates.get(0x1234_5678).trials >= 5.0, "the more frequent key keeps the slot");
        for _ in 0..9 {
            rates.observe(0x1234_5679, 0.0, 1.0);
        }
        assert!(rates.get(0x1234_5679).trials > 1.0, "and loses it to a key that becomes more frequent");
    }
}
