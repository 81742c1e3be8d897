//! Gaps between requests, as the server sees them.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// How well the gaps between requests were kept, over all groups of requests
/// (by pay-level domain, or by address).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Politeness {
    /// The least ratio over all groups of the gap kept to the gap required:
    /// 1 and more is polite. `None` where no gap was required.
    pub ratio_min: Option<f64>,
    /// How many requests came too early.
    pub too_early: u64,
    /// The groups that did worst, worst first; a hundred at most.
    pub groups: Vec<Group>,
}

/// The requests of one domain or address.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The domain or address.
    pub name: String,
    /// How many requests.
    pub requests: u64,
    /// The smallest gap from the end of an answer to the arrival of the next
    /// request, in seconds; negative when they overlap.
    pub gap_s_min: Option<f64>,
    /// The largest gap required, in seconds.
    pub required_s: f64,
    /// The least gap kept as a multiple of that required.
    pub ratio_min: Option<f64>,
    /// How many requests came too early.
    pub too_early: u64,
}

/// One request, for the sake of gaps.
pub(super) struct Moment {
    pub(super) start_us: u64,
    pub(super) end_us: u64,
    pub(super) required_s: f64,
}

const GROUPS_MAX: usize = 100;

impl Politeness {
    pub(super) fn of(groups: BTreeMap<String, Vec<Moment>>) -> Self {
        let mut groups: Vec<Group> = groups.into_iter().map(|(name, moments)| Group::of(name, moments)).collect();
        let worth = |group: &Group| group.ratio_min.unwrap_or(f64::INFINITY);
        groups.sort_by(|left, right| worth(left).total_cmp(&worth(right)));
        let ratio_min = groups.first().and_then(|group| group.ratio_min);
        let too_early = groups.iter().map(|group| group.too_early).sum();
        groups.truncate(GROUPS_MAX);
        Self { ratio_min, too_early, groups }
    }
}

impl Group {
    fn of(name: String, mut moments: Vec<Moment>) -> Self {
        moments.sort_by_key(|moment| moment.start_us);
        let requests = moments.len() as u64;
        let mut group = Self { name, requests, gap_s_min: None, required_s: 0.0, ratio_min: None, too_early: 0 };
        let mut previous_end_us: Option<u64> = None;
        for Moment { start_us, end_us, required_s } in moments {
            if let Some(end_us) = previous_end_us {
                group.note(gap_s(end_us, start_us), required_s);
            }
            // The latest end so far: an earlier answer may still be going on.
            previous_end_us = previous_end_us.max(Some(end_us));
        }
        group
    }

    fn note(&mut self, gap_s: f64, required_s: f64) {
        let least = |known: Option<f64>, new: f64| Some(known.map_or(new, |known| known.min(new)));
        self.gap_s_min = least(self.gap_s_min, gap_s);
        self.required_s = self.required_s.max(required_s);
        if required_s > 0.0 {
            self.ratio_min = least(self.ratio_min, gap_s / required_s);
            self.too_early += u64::from(gap_s < required_s);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a crawl of 2^53 microseconds would take 285 years")]
fn gap_s(end_us: u64, start_us: u64) -> f64 {
    (start_us as f64 - end_us as f64) / 1e6
}

impl fmt::Display for Politeness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ratio_min, self.groups.first()) {
            (Some(ratio), Some(worst)) => {
                write!(
                    formatter,
                    "{ratio:.3} of the required gap at worst ({}), {} too early",
                    worst.name, self.too_early
                )
            }
            _ => formatter.write_str("no gap required"),
        }
    }
}
