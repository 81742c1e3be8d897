//! How visits like this one went so far.
//!
//! A rate is a running share of successes, kept under the hash of what it is a
//! rate of (a domain, a directory, a page's links …). Its estimate leans on that
//! of its parent, as a Beta prior of a few observations: what is seen first
//! counts for little, and what was never seen says nothing. The table is of fixed
//! size: of two that fall on the same slot, the one that is met more has it.

/// Rates kept: a slot for each of 2 to the power of this.
const SLOTS_BITS: u32 = 18;
/// How many observations the parent of a rate stands for.
const PRIOR_OBSERVATIONS: f32 = 2.0;
/// Observations after which old ones fade.
const OBSERVATIONS_MAX: f32 = 400.0;

/// Successes and trials under hashed keys.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The rest of the key.
    tag: u16,
    rate: Rate,
}

/// Successes and trials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rate {
    pub(super) successes: f32,
    pub(super) trials: f32,
}

impl Rate {
    /// The share of successes, given that of the parent.
    pub(super) fn mean(self, parent: f32) -> f32 {
        (self.successes + PRIOR_OBSERVATIONS * parent) / (self.trials + PRIOR_OBSERVATIONS)
    }
}

impl Rates {
    pub(super) fn new() -> Self {
        Self { slots: vec![Slot::default(); 1 << SLOTS_BITS] }
    }

    pub(super) fn get(&self, key: u32) -> Rate {
        let slot = self.slots[place(key)];
        if slot.tag == tag(key) { slot.rate } else { Rate::default() }
    }

    /// Counts a trial under a key, a success to some degree.
    pub(super) fn observe(&mut self, key: u32, success: f32, weight: f32) {
        let slot = &mut self.slots[place(key)];
        if slot.tag != tag(key) {
            // Whoever has the slot keeps it if it was met often enough.
            slot.rate.successes /= 2.0;
            slot.rate.trials /= 2.0;
            if slot.rate.trials >= weight {
                return;
            }
            *slot = Slot { tag: tag(key), rate: Rate::default() };
        }
        let rate = &mut slot.rate;
        rate.successes += success * weight;
        rate.trials += weight;
        if rate.trials > OBSERVATIONS_MAX {
            rate.successes /= 2.0;
            rate.trials /= 2.0;
        }
    }
}

impl Rates {
    /// What was observed: keys, successes, trials.
    pub(super) fn to_kept(&self) -> Vec<(u32, f32, f32)> {
        let slots = (0_u32..).zip(&self.slots).filter(|(_, slot)| slot.rate.trials > 0.0);
        let key = |place: u32, tag: u16| place << (32 - SLOTS_BITS) | u32::from(tag);
        slots.map(|(place, Slot { tag, rate })| (key(place, *tag), rate.successes, rate.trials)).collect()
    }

    /// Goes on from what was observed. Whether it could have been.
    pub(super) fn recall(&mut self, kept: &[(u32, f32, f32)]) -> bool {
        for &(key, successes, trials) in kept {
            if !(successes.is_finite() && trials.is_finite() && (0.0..=trials).contains(&successes)) {
                return false;
            }
            self.slots[place(key)] = Slot { tag: tag(key), rate: Rate { successes, trials } };
        }
        true
    }
}

/// The slot of a key: its first bits.
fn place(key: u32) -> usize {
    (key >> (32 - SLOTS_BITS)) as usize
}

/// What tells it from others in that slot: the rest.
fn tag(key: u32) -> u16 {
    const MASK: u32 = u32::MAX >> SLOTS_BITS;
    u16::try_from(key & MASK).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_seen_says_nothing_even_in_a_slot_that_is_taken() {
        let mut rates = Rates::new();
        for _ in 0..10 {
            rates.observe(0x1234_5678, 1.0, 1.0);
        }

        assert_eq!(rates.get(0x1234_5679), Rate::default());
        rates.observe(0x1234_5679, 0.0, 1.0);
        assert!(rates.get(0x1234_5678).trials >= 5.0, "who was met more keeps the slot");
        for _ in 0..9 {
            rates.observe(0x1234_5679, 0.0, 1.0);
        }
        assert!(rates.get(0x1234_5679).trials > 1.0, "and loses it to who is met more from now on");
    }
}
