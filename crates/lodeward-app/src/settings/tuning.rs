//! Parameters of the strategies that only an evaluation varies.

use lodeward::select::ldcoc::LdcocOptions;
use lodeward::select::learned::LearnedOptions;

/// Parameters of the strategies that are constant in a crawl. They are not settings: only `lodeward-eval
/// select --set` can vary them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrategyTuning {
    /// A model has 2 to the power of this many coordinates of 12 bytes each. `learned` uses at most
    /// 20 bits; with fewer, it starts without its prior.
    pub bits: u8,
    /// Maximum number of feature names that are stored, for `lodeward explain` and `lodeward model
    /// show`.
    pub max_names: usize,
    /// The random part of the score of `learned`, in standard errors.
    pub noise: f32,
    /// The weight of links to RDF in the value that `learned` assigns to a page.
    pub hub_weight: f32,
    /// The bonus that `learned` gives to documents of domains with few requests.
    pub breadth: f32,
    /// While the domain of the best URI is rate-limited, `learned` defers URIs whose score is below
    /// this share of the best score.
    pub hold_share: f32,
}

impl Default for StrategyTuning {
    fn default() -> Self {
        let LearnedOptions { noise, hub_weight, breadth, hold_share, .. } = LearnedOptions::default();
        let LdcocOptions { bits, max_names, .. } = LdcocOptions::default();
        Self { bits, max_names, noise, hub_weight, breadth, hold_share }
    }
}

impl StrategyTuning {
    /// The names that [`Self::set`] accepts.
    pub const KEYS: &[&str] = &["bits", "max_names", "noise", "hub_weight", "breadth", "hold_share"];

    /// Sets one of [`Self::KEYS`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = || value.parse::<f32>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let share = || number().filter(|number| *number <= 1.0);
        let done = match key {
            "bits" => value.parse().ok().filter(|bits| (10..=28).contains(bits)).map(|bits| self.bits = bits),
            "max_names" => value.parse().ok().map(|names| self.max_names = names),
            "noise" => number().map(|noise| self.noise = noise),
            "hub_weight" => number().map(|weight| self.hub_weight = weight),
            "breadth" => number().map(|breadth| self.breadth = breadth),
            "hold_share" => share().map(|share| self.hold_share = share),
            _ => return Err(format!("`{key}` is not one of {}", Self::KEYS.join(", "))),
        };
        done.ok_or_else(|| format!("{key}: `{value}` is not a number in its range"))
    }
}
