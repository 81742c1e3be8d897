//! Entities whose names share words with the query (`SEARCH-STUDY.md`, section 4).

use foldhash::{HashMap, HashMapExt};

use super::matches::Matches;
use crate::index::{FieldName, IndexView, SearchError};
use crate::numbers::real;

/// Number of soft mentions that are used.
const MAX_SOFT_MENTIONS: usize = 150;

/// Number of entities whose names are compared with the query.
const MAX_COMPARED: usize = 20_000;

/// Number of entities with the same name that are counted.
const MAX_NAMESAKES: usize = 20_000;

const MIN_COVER: f64 = 0.55;
const MIN_ALIAS_HIT: f64 = 0.3;
const MIN_STRENGTH: f64 = 0.02;

/// An entity that the query may be about.
pub(crate) struct SoftMention {
    pub(crate) number: u32,
    /// Share of the query's weight in the names of the entity.
    pub(crate) hit: f64,
    /// Share of the main name's weight in the query.
    pub(crate) cover: f64,
    /// Share of the links among all entities with the same name.
    pub(crate) share: f64,
    pub(crate) strength: f64,
    /// Terms of the query in the names of the entity.
    pub(crate) terms: u16,
}

/// Returns the strongest soft mentions of a query.
pub(crate) fn find(view: &IndexView, matches: &Matches) -> Result<Vec<SoftMention>, SearchError> {
    let named = |number: &u32| {
        let flags = matches.flags[*number as usize];
        (*number, matches.label_idf_of(flags.label) + matches.idf_of(flags.alias))
    };
    let has_aliases = view.mean_lengths[FieldName::Alias as usize] > 0.0;
    let mut shares = Shares { view, totals: HashMap::new() };
    let mut found = Vec::new();
    for (number, _) in super::matches::best(matches.touched.iter().map(named), MAX_COMPARED) {
        let flags = matches.flags[number as usize];
        let hit = matches.idf_of(flags.label | flags.alias) / matches.total_idf;
        let weight = view.main_name_weight(number)?;
        let cover = if weight > 0.0 { (matches.label_idf_of(flags.label) / weight).min(1.0) } else { 0.0 };
        if cover < MIN_COVER && !(has_aliases && hit > MIN_ALIAS_HIT) {
            continue;
        }
        let extra = matches.idf_of(flags.alias & !flags.label) / matches.total_idf;
        let upper = hit * cover.max(extra).powi(2);
        if upper <= MIN_STRENGTH {
            continue;
        }
        let share = shares.share(number)?;
        let strength = upper * share.sqrt();
        if strength > MIN_STRENGTH {
            found.push(SoftMention { number, hit, cover, share, strength, terms: flags.label | flags.alias });
        }
    }
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.number.cmp(&b.number)));
    found.truncate(MAX_SOFT_MENTIONS);
    Ok(found)
}

/// Sums of degrees by main name.
struct Shares<'a> {
    view: &'a IndexView,
    totals: HashMap<String, f64>,
}

impl Shares<'_> {
    fn share(&mut self, number: u32) -> Result<f64, SearchError> {
        let name = self.view.main_name(number)?;
        let degree = |number: u32| real(self.view.degree(number)) + 1.0;
        let total = match self.totals.get(&name) {
            Some(total) => *total,
            None => {
                let namesakes = self.view.entities_with(self.view.schema.main, &name, MAX_NAMESAKES)?;
                let total = namesakes.into_iter().map(degree).sum();
                self.totals.insert(name, total);
                total
            }
        };
        Ok(degree(number) / total)
    }
}
