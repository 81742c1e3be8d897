//! Features of entities that are linked with a mentioned entity (`SEARCH-STUDY.md`, section 4).

use foldhash::{HashMap, HashMapExt};

use super::matches::{Matches, TermFlags};
use super::mention::Mentions;
use super::soft_mention::SoftMention;
use crate::index::{IndexView, SearchError};
use crate::numbers::real;
use crate::text::names::name_words;

/// Number of statements that are read for one query.
const MAX_EDGES: usize = 200_000;

/// Features of one entity by its links.
#[derive(Clone, Copy, Default)]
pub(crate) struct RelationScores {
    pub(crate) pair: f64,
    pub(crate) pair_relation: f64,
}

/// How the words of a predicate match the query.
#[derive(Clone, Copy)]
struct PredicateMatch {
    /// Terms of the query among the words, and terms with a word of the lexicon among them.
    direct: u16,
    lexicon: u16,
    /// Matching context words over the square root of the number of words.
    context: f64,
}

/// Computes the features; predicates are matched once per query.
pub(crate) struct Relations<'a> {
    view: &'a IndexView,
    matches: &'a Matches,
    mentions: &'a Mentions,
    predicates: HashMap<String, PredicateMatch>,
    edges_left: usize,
}

impl<'a> Relations<'a> {
    pub(crate) fn new(view: &'a IndexView, matches: &'a Matches, mentions: &'a Mentions) -> Self {
        Self { view, matches, mentions, predicates: HashMap::new(), edges_left: MAX_EDGES }
    }

    /// Computes `relmatch`: mentioned entities whose relation the context names.
    pub(crate) fn relation_matches(&mut self) -> Result<HashMap<u32, f64>, SearchError> {
        let mut total: HashMap<u32, f64> = HashMap::new();
        if self.mentions.context.is_empty() {
            return Ok(total);
        }
        let mentions = self.mentions;
        for segment in &mentions.segments {
            let mut best: HashMap<u32, f64> = HashMap::new();
            for (mentioned, probability) in &segment.readings {
                for (number, predicate) in self.linked(*mentioned)? {
                    if predicate.context > 0.0 {
                        let score = best.entry(number).or_default();
                        *score = score.max(probability * predicate.context);
                    }
                }
            }
            for (number, score) in best {
                *total.entry(number).or_default() += score;
            }
        }
        Ok(total)
    }

    /// Computes `pair` and `pairrel`: entities linked with a soft mention that have the other terms
    /// of the query.
    pub(crate) fn pairs(&mut self, soft: &[SoftMention]) -> Result<HashMap<u32, RelationScores>, SearchError> {
        let mut scores: HashMap<u32, RelationScores> = HashMap::new();
        for mention in soft {
            let linked = self.linked(mention.number)?;
            for group in linked.chunk_by(|a, b| a.0 == b.0) {
                let direct = group.iter().fold(0, |set, (_, predicate)| set | predicate.direct);
                let lexicon = group.iter().fold(0, |set, (_, predicate)| set | predicate.lexicon);
                let (pair, pair_relation) = self.pair(mention, group[0].0, direct, lexicon);
                let best = scores.entry(group[0].0).or_default();
                best.pair = best.pair.max(pair);
                best.pair_relation = best.pair_relation.max(pair_relation);
            }
        }
        Ok(scores)
    }

    fn pair(&self, mention: &SoftMention, number: u32, direct: u16, lexicon: u16) -> (f64, f64) {
        let rest = self.matches.all_terms() & !mention.terms;
        let cover = if mention.cover == 0.0 { 0.5 } else { mention.cover };
        let name = mention.hit * cover.powi(2) * mention.share.sqrt();
        if rest == 0 {
            return (name / 2.0, 0.0);
        }
        let flags = self.matches.flags[number as usize];
        let (mut both, mut relation) = (0.0, 0.0);
        for (at, term) in self.matches.terms.iter().enumerate().filter(|(at, _)| rest >> at & 1 == 1) {
            let bit = 1 << at;
            let related = if direct & bit != 0 {
                1.0
            } else if lexicon & bit != 0 {
                0.6
            } else {
                0.0
            };
            both += term.idf * own(flags, bit).max(related);
            relation += term.idf * related;
        }
        (name + both / self.matches.total_idf, mention.strength * relation / self.matches.total_idf)
    }

    /// Returns the neighbours of an entity that are in the index, by neighbour.
    fn linked(&mut self, number: u32) -> Result<Vec<(u32, PredicateMatch)>, SearchError> {
        let stored = self.view.neighbours(number)?;
        let predicates: Vec<PredicateMatch> = stored.predicates.iter().map(|iri| self.predicate(iri)).collect();
        let mut found: Vec<(u32, PredicateMatch)> = Vec::new();
        let mut last = None;
        for edge in stored.edges().take(self.edges_left) {
            // Several statements with one neighbour follow each other.
            let known = match last {
                Some((key, known)) if key == edge.neighbour => known,
                _ => self.view.number(edge.neighbour),
            };
            last = Some((edge.neighbour, known));
            if let Some(neighbour) = known {
                found.push((neighbour, predicates[edge.predicate as usize]));
            }
        }
        self.edges_left -= found.len().min(self.edges_left);
        Ok(found)
    }

    fn predicate(&mut self, iri: &str) -> PredicateMatch {
        if let Some(known) = self.predicates.get(iri) {
            return *known;
        }
        let words: Vec<String> = name_words(iri).into_iter().map(|word| self.view.stemmed.term(word, None)).collect();
        let set = |has: &dyn Fn(&super::matches::MatchedTerm) -> bool| {
            self.matches.terms.iter().enumerate().filter(|(_, term)| has(term)).fold(0, |set, (at, _)| set | 1 << at)
        };
        let context = words.iter().filter(|word| self.mentions.context.contains(*word)).count();
        let matched = PredicateMatch {
            direct: set(&|term| words.iter().any(|word| term.variants.contains(word))),
            lexicon: set(&|term| words.iter().any(|word| term.lexicon.contains(word))),
            context: real(context) / real(words.len().max(1)).sqrt(),
        };
        self.predicates.insert(iri.to_owned(), matched);
        matched
    }
}

/// Returns how well an entity itself has a term: in its types, in predicates that lead to it, in
/// its label.
fn own(flags: TermFlags, bit: u16) -> f64 {
    if flags.types & bit != 0 {
        0.9
    } else if (flags.predicate_in | flags.label | flags.lexicon_types) & bit != 0 {
        0.6
    } else if flags.lexicon_predicate_in & bit != 0 {
        0.5
    } else {
        0.0
    }
}

/// Returns the share of the query that an entity has itself: the second part of `pair2`.
pub(crate) fn own_share(matches: &Matches, number: u32) -> f64 {
    let flags = matches.flags[number as usize];
    let value = |at: usize| if flags.label >> at & 1 == 1 { 1.0 } else { own(flags, 1 << at) };
    let total: f64 = matches.terms.iter().enumerate().map(|(at, term)| term.idf * value(at)).sum();
    if matches.total_idf > 0.0 { total / matches.total_idf } else { 0.0 }
}
