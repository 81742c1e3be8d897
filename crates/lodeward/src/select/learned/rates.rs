//! How visits like this one went so far.
//!
//! A rate is a running share of successes, kept under the hash of what it is a
//! rate of (a domain, a directory, a page's links …). Its estimate leans on that
//! of its parent, as a Beta prior of a few observations: what is seen first
//! counts for little, and what was never seen says nothing. The table is of fixed
//! size; what falls on the same slot shares it.

/// Rates kept: a slot for each of 2 to the power of this.
const SLOTS_BITS: u32 = 18;
/// How many observations the parent of a rate stands for.
const PRIOR_OBSERVATIONS: f32 = 2.0;
/// Observations after which old ones fade.
const OBSERVATIONS_MAX: f32 = 400.0;

/// Successes and trials under hashed keys.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    slots: Vec<Rate>,
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
        Self { slots: vec![Rate::default(); 1 << SLOTS_BITS] }
    }

    pub(super) fn get(&self, key: u32) -> Rate {
        self.slots[slot(key)]
    }

    /// Counts a trial under a key, a success to some degree.
    pub(super) fn observe(&mut self, key: u32, success: f32, weight: f32) {
        let rate = &mut self.slots[slot(key)];
        rate.successes += success * weight;
        rate.trials += weight;
        if rate.trials > OBSERVATIONS_MAX {
            rate.successes /= 2.0;
            rate.trials /= 2.0;
        }
    }
}

impl Rates {
    /// What was observed: slots, successes, trials.
    pub(super) fn to_kept(&self) -> Vec<(u32, f32, f32)> {
        let slots = (0..).zip(&self.slots).filter(|(_, rate)| rate.trials > 0.0);
        slots.map(|(slot, rate)| (slot, rate.successes, rate.trials)).collect()
    }

    /// Goes on from what was observed. Whether it could have been.
    pub(super) fn recall(&mut self, kept: &[(u32, f32, f32)]) -> bool {
        for &(slot, successes, trials) in kept {
            let is_sound = successes.is_finite() && trials.is_finite() && (0.0..=trials).contains(&successes);
            match self.slots.get_mut(slot as usize) {
                Some(rate) if is_sound => *rate = Rate { successes, trials },
                _ => return false,
            }
        }
        true
    }
}

fn slot(key: u32) -> usize {
    (key >> (32 - SLOTS_BITS)) as usize
}
