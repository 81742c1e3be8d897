//! Naive Bayes that learns as it goes, and a bandit over domains: Anthelion.
//!
//! Meusel, Mika, Blanco, "Focused Crawling for Structured Data" (CIKM 2014), as
//! PEERS.md §4 tells it from its code: a bandit draws the domain, and naive Bayes
//! says which of its URIs is best. All links are followed.
//!
//! Where this is not Anthelion: its arms are hosts, and ours are pay-level
//! domains, because those wait and rest as one; each lesson is learned at once,
//! not in batches of five; candidates are scored again as the model learns (its
//! mode `OnDemand`); and we leave out what PEERS.md lists as bugs.

use std::collections::BTreeSet;

use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::breadth_first::candidate;
use super::generations::Generations;
use super::naive_bayes::NaiveBayes;
use super::{
    Action, Decision, End, Found, Judgement, Lesson, Order, Strategy, StrategyError, Verdict, ftrl, model_file,
    thompson,
};
use crate::frontier::Offer;
use crate::model::{Candidate, Features, How, Link, Pld, Relevance, Uri, Via, Visit};

/// The kind of models that hold what this strategy has learned.
pub const KIND: &str = "nb-online";

/// Words of addresses are hashed to below this.
const WORDS: u32 = 10_000;
/// The parent held RDF.
const PARENT_RDF: u32 = WORDS;
/// The parent held none.
const PARENT_BARREN: u32 = WORDS + 1;
/// Somebody else that the same document refers to held RDF.
const SIBLING_RDF: u32 = WORDS + 2;
/// Somebody else that the same document refers to held none.
const SIBLING_BARREN: u32 = WORDS + 3;
/// Hosts are hashed to from here on.
const HOSTS: u32 = WORDS + 4;
const DIMENSIONS: u32 = HOSTS + (1 << 16);

/// Documents whose links' ends are remembered.
const FAMILIES_MAX: usize = 1 << 18;
/// Domains whose good and bad visits are remembered.
const ARMS_MAX: usize = 1 << 20;

/// Seeds come before everything that was found.
const SEED_SCORE: f32 = 2.0;

/// By what the bandit values a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// A share drawn from Beta(good + 1, bad + 1).
    #[default]
    Thompson,
    /// The same, times the score of its best candidate.
    ThompsonTimesBest,
}

/// The strategy `nb-online`.
#[derive(Clone, Debug)]
pub struct NbOnline {
    value: Value,
    model: NaiveBayes,
    arms: Generations<Arm>,
    families: Generations<Family>,
}

/// How the visits to a domain have ended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Arm {
    good: u32,
    bad: u32,
}

/// How those have ended that one document refers to.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Family {
    rdf: bool,
    barren: bool,
}

impl Default for NbOnline {
    fn default() -> Self {
        Self::new(Value::default())
    }
}

impl NbOnline {
    /// Knows nothing.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self {
            value,
            model: NaiveBayes::new(DIMENSIONS as usize),
            arms: Generations::new(ARMS_MAX),
            families: Generations::new(FAMILIES_MAX),
        }
    }

    /// Goes on with what a crawl has learned before.
    pub fn resume(self, kept: &[u8]) -> Result<Self, StrategyError> {
        let payload = model_file::unpack_as(KIND, kept)?;
        let damaged = |_| StrategyError::Model("the model of strategy nb-online is damaged".to_owned());
        let (model, arms, families): (&[u8], &[u8], &[u8]) = postcard::from_bytes(&payload).map_err(damaged)?;
        Ok(Self {
            value: self.value,
            model: NaiveBayes::from_bytes(model).map_err(damaged)?,
            arms: Generations::from_bytes(ARMS_MAX, arms).map_err(damaged)?,
            families: Generations::from_bytes(FAMILIES_MAX, families).map_err(damaged)?,
        })
    }

    /// What is seen of a candidate by now: what was seen when it was found, and
    /// what became of its siblings since.
    fn features(&self, candidate: &Candidate) -> Vec<u32> {
        let Some((family, features)) = family_and_features(&candidate.features) else { return Vec::new() };
        let Family { rdf, barren } = self.families.peek(family).copied().unwrap_or_default();
        let siblings = [(SIBLING_RDF, rdf), (SIBLING_BARREN, barren)];
        features.iter().copied().chain(siblings.iter().filter(|(_, is)| *is).map(|(feature, _)| *feature)).collect()
    }

    fn probability(&self, candidate: &Candidate) -> f32 {
        ftrl::sigmoid(self.model.log_odds(&self.features(candidate)))
    }

    fn verdict(&self, candidate: &Candidate, action: Action) -> Verdict {
        let features = self.features(candidate);
        let score = ftrl::sigmoid(self.model.log_odds(&features));
        Verdict::new(action, score, features.iter().map(|&feature| (feature, self.model.weight(feature))))
    }

    fn place_one(&mut self, found: &Found<'_>, link: Link) -> Candidate {
        let begun = match (&link.via, found.visit) {
            (Via::Redirect(_), Some(visit)) => family_and_features(&visit.candidate.features),
            _ => None,
        };
        let own = described(found, &link.target);
        // What a redirect ends at is seen as what it began with and as itself, so
        // that its end teaches about both.
        let (family, begun) = begun.unwrap_or((found.source.map_or(0, family), &[]));
        let features = begun.iter().copied().chain(own).collect::<BTreeSet<_>>();
        let mut candidate = candidate(found, link, 0.0, with_family(family, features));
        candidate.priority = self.urgency(&candidate);
        candidate
    }

    fn urgency(&self, candidate: &Candidate) -> f32 {
        if candidate.how == How::Seed { SEED_SCORE } else { self.probability(candidate) }
    }

    fn note_arm(&mut self, pld: &Pld, is_good: bool) {
        let arm = self.arms.entry(arm(pld));
        let count = if is_good { &mut arm.good } else { &mut arm.bad };
        *count = count.saturating_add(1);
    }
}

impl Strategy for NbOnline {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        links.into_iter().map(|link| Offer::Queue(self.place_one(found, link))).collect()
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let verdict = self.verdict(&visit.candidate, Action::Predicted);
        Judgement { decision: Decision::Fetch, verdict: Some(verdict) }
    }

    /// The label is whether a document holds RDF. A redirect counts for its end:
    /// whoever is found there teaches it. If somebody had pointed there before,
    /// the request was spent on nothing new, as it is when nothing can be had;
    /// both are bad, or else redirects of vocabularies would swamp the crawl
    /// (SELECTION-STUDY §9).
    fn learn(&mut self, lesson: &Lesson<'_>) {
        let candidate = &lesson.visit.candidate;
        let label = match lesson.end {
            End::Document { relevance, .. } => relevance == Relevance::Rdf,
            End::Redirect { is_new: true, .. } => return,
            End::Redirect { is_new: false, .. } | End::Failure => false,
        };
        self.model.learn(&self.features(candidate), label);
        if let Some((family, _)) = family_and_features(&candidate.features).filter(|(family, _)| *family != 0) {
            let family = self.families.entry(family);
            family.rdf |= label;
            family.barren |= !label;
        }
        let pld = candidate.pld();
        self.note_arm(&pld, label);
        if let (How::Redirect(_), Some(source)) = (&candidate.how, &candidate.source)
            && source.pld() != pld
        {
            self.note_arm(&source.pld(), label);
        }
    }

    fn score(&mut self, candidate: &Candidate, _: &mut SmallRng) -> f32 {
        self.urgency(candidate)
    }

    fn order(&self) -> Order {
        Order::Drawn
    }

    fn draw(&mut self, pld: &Pld, best: f32, rng: &mut SmallRng) -> f32 {
        if best >= SEED_SCORE {
            return SEED_SCORE;
        }
        let Arm { good, bad } = self.arms.peek(arm(pld)).copied().unwrap_or_default();
        let share = thompson::share(good, bad, rng);
        match self.value {
            Value::Thompson => share,
            Value::ThompsonTimesBest => share * best,
        }
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        Some(self.verdict(candidate, Action::None))
    }

    fn name_of(&self, feature: u32) -> Option<&str> {
        Some(match feature {
            ..WORDS => "a word of its address",
            PARENT_RDF => "the document that refers to it holds RDF",
            PARENT_BARREN => "the document that refers to it holds none",
            SIBLING_RDF => "others that this document refers to hold RDF",
            SIBLING_BARREN => "others that this document refers to hold none",
            HOSTS..DIMENSIONS => "its host",
            _ => return None,
        })
    }

    fn save(&self) -> Option<Vec<u8>> {
        let parts = (self.model.to_bytes(), self.arms.to_bytes(), self.families.to_bytes());
        Some(model_file::pack(KIND, &postcard::to_stdvec(&parts).expect("bytes can be written")))
    }
}

fn arm(pld: &Pld) -> u64 {
    xxh3_64(pld.as_str().as_bytes())
}

/// Who has the same parent. 0 is for those who have none.
fn family(parent: &Uri) -> u64 {
    xxh3_64(parent.as_str().as_bytes()).max(1)
}

/// Features as they are kept: the family in two halves, then the features.
fn with_family(family: u64, features: BTreeSet<u32>) -> Features {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of it")]
    let halves = [family as u32, (family >> 32) as u32];
    Features(halves.into_iter().chain(features).collect())
}

fn family_and_features(features: &Features) -> Option<(u64, &[u32])> {
    let [low, high, features @ ..] = features.0.as_slice() else { return None };
    Some((u64::from(*low) | u64::from(*high) << 32, features))
}

/// What is seen of a link when it is found.
fn described(found: &Found<'_>, target: &Uri) -> Vec<u32> {
    let host = xxh3_64(target.host().as_bytes()) % u64::from(DIMENSIONS - HOSTS);
    let mut features = vec![HOSTS + u32::try_from(host).unwrap_or_default()];
    if !found.syntax.is_empty() {
        features.push(if found.relevance == Relevance::Rdf { PARENT_RDF } else { PARENT_BARREN });
    }
    features.extend(words(target.path_and_query()).map(|word| {
        let number = xxh3_64(word.as_bytes()) % u64::from(WORDS);
        u32::try_from(number).unwrap_or_default()
    }));
    features
}

/// The words of an address: three letters at least; numbers are all alike, and
/// what mixes both is an identifier and left out.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| word.len() >= 3).filter_map(|word| {
        match word.bytes().filter(u8::is_ascii_digit).count() {
            0 => Some(word.to_ascii_lowercase()),
            digits if digits == word.len() => Some("[NUMBER]".to_owned()),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    fn place(strategy: &mut NbOnline, source: &str, via: Via, target: &str) -> Candidate {
        let source = uri(source);
        let relevance = Relevance::None;
        let found = Found { source: Some(&source), visit: None, syntax: "html", relevance, depth: 1, redirects: 0 };
        strategy.place_one(&found, Link { target: uri(target), via })
    }

    fn found(strategy: &mut NbOnline, source: &str, target: &str) -> Candidate {
        place(strategy, source, Via::Html(Box::default()), target)
    }

    fn visit(candidate: &Candidate) -> Visit {
        Visit { lease: 0, candidate: candidate.clone(), attempt: 0, probe: None, verdict: None }
    }

    fn end(strategy: &mut NbOnline, candidate: &Candidate, end: End<'_>) {
        strategy.learn(&Lesson { visit: &visit(candidate), weight: 1.0, end });
    }

    fn document(is_rdf: bool) -> End<'static> {
        let relevance = if is_rdf { Relevance::Rdf } else { Relevance::None };
        End::Document { relevance, media_type: None, digest: 0 }
    }

    fn redirected(strategy: &mut NbOnline, from: &Candidate, target: &str) -> Candidate {
        let visit = visit(from);
        let relevance = Relevance::None;
        let source = Some(&from.target);
        let found = Found { source, visit: Some(&visit), syntax: "", relevance, depth: 1, redirects: 1 };
        strategy.place_one(&found, Link { target: uri(target), via: Via::Redirect(303) })
    }

    #[test]
    fn words_are_folded_as_anthelion_folds_them() {
        let found: Vec<_> = words("/People/x/item42/2024/a-bc-def?Format=RDF&n=12").collect();

        assert_eq!(found, ["people", "[NUMBER]", "def", "format", "rdf"]);
    }

    #[test]
    fn what_looks_like_rdf_so_far_is_scored_higher() {
        let mut strategy = NbOnline::default();
        for number in 0..10 {
            let data = found(&mut strategy, "http://a.example/", &format!("http://a.example/data/{number}"));
            end(&mut strategy, &data, document(true));
            let news = found(&mut strategy, "http://a.example/", &format!("http://a.example/news/{number}"));
            end(&mut strategy, &news, document(false));
        }

        let data = found(&mut strategy, "http://b.example/", "http://a.example/data/new");
        let news = found(&mut strategy, "http://b.example/", "http://a.example/news/new");

        assert!(data.priority > 0.8 && news.priority < 0.2, "{} {}", data.priority, news.priority);
    }

    #[test]
    fn those_who_wait_are_scored_by_what_became_of_their_siblings() {
        let mut strategy = NbOnline::default();
        let mut rng = SmallRng::seed_from_u64(0);
        for (family, is_rdf) in [("a", true), ("b", false)].repeat(6) {
            for number in 0..2 {
                let parent = format!("http://{family}.example/{number}");
                let one = found(&mut strategy, &parent, "http://c.example/one");
                end(&mut strategy, &one, document(is_rdf));
            }
        }
        let waiting = found(&mut strategy, "http://d.example/", "http://e.example/one");
        let before = strategy.score(&waiting, &mut rng);

        let sibling = found(&mut strategy, "http://d.example/", "http://f.example/two");
        end(&mut strategy, &sibling, document(true));

        assert!(strategy.score(&waiting, &mut rng) > before + 0.1);
    }

    #[test]
    fn a_redirect_counts_for_its_end() {
        let mut strategy = NbOnline::default();
        let term = found(&mut strategy, "http://a.example/", "http://purl.example/term");
        let target = uri("http://b.example/vocabulary");
        let data = redirected(&mut strategy, &term, target.as_str());

        end(&mut strategy, &term, End::Redirect { target: &target, is_new: true });
        assert_eq!(strategy.model.examples(), 0, "its end is not known yet");
        end(&mut strategy, &data, document(true));

        let arms = ["purl.example", "b.example"].map(|host| *strategy.arms.peek(arm(&Pld::of_host(host))).unwrap());
        assert!(arms.iter().all(|arm| (arm.good, arm.bad) == (1, 0)), "{arms:?}");
        let like = found(&mut strategy, "http://c.example/", "http://purl.example/term");
        let other = found(&mut strategy, "http://c.example/", "http://other.example/thing");
        assert!(like.priority > other.priority);
    }

    #[test]
    fn what_brings_nothing_new_is_bad() {
        let target = uri("http://b.example/known");
        for bad in [End::Redirect { target: &target, is_new: false }, End::Failure, document(false)] {
            let mut strategy = NbOnline::default();
            let candidate = found(&mut strategy, "http://a.example/", "http://b.example/x");

            end(&mut strategy, &candidate, bad);

            let arm = strategy.arms.peek(arm(&candidate.pld())).unwrap();
            assert_eq!((arm.good, arm.bad), (0, 1), "{bad:?}");
        }
    }

    #[test]
    fn the_bandit_draws_good_domains_more_often_and_seeds_first() {
        for value in [Value::Thompson, Value::ThompsonTimesBest] {
            let mut strategy = NbOnline::new(value);
            let (good, bad) = (Pld::of_host("good.example"), Pld::of_host("bad.example"));
            for _ in 0..10 {
                strategy.note_arm(&good, true);
                strategy.note_arm(&bad, false);
            }
            let mut rng = SmallRng::seed_from_u64(3);

            let wins =
                (0..100).filter(|_| strategy.draw(&good, 0.5, &mut rng) > strategy.draw(&bad, 0.5, &mut rng)).count();

            assert!(wins > 95, "{wins}");
            let seed = place(&mut strategy, "http://bad.example/", Via::Seed, "http://bad.example/seed");
            let drawn = strategy.draw(&bad, seed.priority, &mut rng);
            assert!(drawn > strategy.draw(&good, 1.0, &mut rng));
        }
    }

    #[test]
    fn the_value_function_is_a_choice() {
        let pld = Pld::of_host("a.example");
        let draw = |value, best| NbOnline::new(value).draw(&pld, best, &mut SmallRng::seed_from_u64(5));

        assert_eq!(draw(Value::Thompson, 0.1).to_bits(), draw(Value::Thompson, 0.9).to_bits());
        assert!(draw(Value::ThompsonTimesBest, 0.1) < draw(Value::ThompsonTimesBest, 0.9));
    }

    #[test]
    fn what_was_learned_outlives_the_process() {
        let mut strategy = NbOnline::default();
        for (number, is_rdf) in [true, false, true].into_iter().enumerate() {
            let target = format!("http://a{number}.example/data/x");
            let candidate = found(&mut strategy, "http://a.example/", &target);
            end(&mut strategy, &candidate, document(is_rdf));
        }

        let again = NbOnline::default().resume(&strategy.save().unwrap()).unwrap();

        assert_eq!(again.save(), strategy.save());
        let candidate = found(&mut strategy, "http://a.example/", "http://a0.example/data/y");
        assert_eq!(again.explain(&candidate), strategy.explain(&candidate));
    }
}
