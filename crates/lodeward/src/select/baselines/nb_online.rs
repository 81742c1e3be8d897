//! Online naive Bayes with a bandit over domains: Anthelion.
//!
//! Meusel, Mika, Blanco, "Focused Crawling for Structured Data" (CIKM 2014), as its published code
//! implements it: a bandit chooses the domain, and naive Bayes chooses the best URI of that domain.
//! All links are followed.
//!
//! Differences from Anthelion: its arms are hosts, here they are pay-level domains, because rate
//! limits apply to domains. Each result is learned immediately, not in batches of five. Candidates
//! are scored again as the model learns (its mode `OnDemand`). Bugs in its code are not reproduced.

use std::collections::BTreeSet;

use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::naive_bayes::NaiveBayesModel;
use crate::frontier::{DomainOrder, FeatureVector, Lease, Offer, QueueEntry};
use crate::model::{FoundBy, Link, LinkKind, Pld, Relevance, Uri, Verdict, VerdictAction};
use crate::select::breadth_first::queue_entry;
use crate::select::generational_cache::GenerationalCache;
use crate::select::{
    Decision, Judgement, LinkContext, RequestEnd, RequestResult, Strategy, StrategyError, ftrl, model_file, thompson,
};

/// Kind of the model files of this strategy.
pub(crate) const KIND: &str = "nb-online";

/// Number of hash buckets for the words of URLs.
const WORD_BUCKETS: u32 = 10_000;
/// Feature: the parent has RDF.
const PARENT_RDF: u32 = WORD_BUCKETS;
/// Feature: the parent has no RDF.
const PARENT_NO_RDF: u32 = WORD_BUCKETS + 1;
/// Feature: another link of the same document led to RDF.
const SIBLING_RDF: u32 = WORD_BUCKETS + 2;
/// Feature: another link of the same document led to no RDF.
const SIBLING_NO_RDF: u32 = WORD_BUCKETS + 3;
/// The lowest feature number of hosts, which are hashed to this number and those above it.
const FIRST_HOST_FEATURE: u32 = WORD_BUCKETS + 4;
const DIMENSIONS: u32 = FIRST_HOST_FEATURE + (1 << 16);

/// Maximum number of documents for which the results of their links are stored.
const MAX_SOURCES: usize = 1 << 18;
/// Maximum number of domains for which results are counted.
const MAX_ARMS: usize = 1 << 20;

/// Score of seeds: above all links.
const SEED_SCORE: f32 = 2.0;

/// The strategy `nb-online`.
#[derive(Clone, Debug)]
pub(crate) struct NbOnlineStrategy {
    model: NaiveBayesModel,
    arms: GenerationalCache<BanditArm>,
    families: GenerationalCache<SourceStats>,
}

/// Results of requests to a domain.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct BanditArm {
    good: u32,
    bad: u32,
}

/// Results of the links of one document.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct SourceStats {
    rdf: bool,
    no_rdf: bool,
}

impl Default for NbOnlineStrategy {
    fn default() -> Self {
        Self {
            model: NaiveBayesModel::new(DIMENSIONS as usize),
            arms: GenerationalCache::new(MAX_ARMS),
            families: GenerationalCache::new(MAX_SOURCES),
        }
    }
}

impl NbOnlineStrategy {
    /// Starts with the stored model of a crawl, or untrained.
    pub(crate) fn with_model(model: Option<&[u8]>) -> Result<Self, StrategyError> {
        model.map_or_else(|| Ok(Self::default()), Self::restore)
    }

    fn restore(model: &[u8]) -> Result<Self, StrategyError> {
        let payload = model_file::unpack_as(KIND, model)?;
        let damaged = |_| StrategyError::Model("the model of strategy nb-online is corrupted".to_owned());
        let (model, arms, families): (&[u8], &[u8], &[u8]) = postcard::from_bytes(&payload).map_err(damaged)?;
        Ok(Self {
            model: NaiveBayesModel::from_bytes(model).map_err(damaged)?,
            arms: GenerationalCache::from_bytes(MAX_ARMS, arms).map_err(damaged)?,
            families: GenerationalCache::from_bytes(MAX_SOURCES, families).map_err(damaged)?,
        })
    }

    /// Returns the current features of a candidate: those stored when its link was found, and whether
    /// other links of the same document have led to RDF since then.
    fn features(&self, candidate: &QueueEntry) -> Vec<u32> {
        let Some((family, features)) = split_source_key(&candidate.features) else { return Vec::new() };
        let SourceStats { rdf, no_rdf } = self.families.peek(family).copied().unwrap_or_default();
        let siblings = [(SIBLING_RDF, rdf), (SIBLING_NO_RDF, no_rdf)];
        features.iter().copied().chain(siblings.iter().filter(|(_, is)| *is).map(|(feature, _)| *feature)).collect()
    }

    fn probability(&self, candidate: &QueueEntry) -> f32 {
        ftrl::sigmoid(self.model.log_odds(&self.features(candidate)))
    }

    fn verdict(&self, candidate: &QueueEntry, action: VerdictAction) -> Verdict {
        let features = self.features(candidate);
        let score = ftrl::sigmoid(self.model.log_odds(&features));
        Verdict::new(action, score, features.iter().map(|&feature| (feature, self.model.weight(feature))))
    }

    fn link_entry(&mut self, found: &LinkContext<'_>, link: Link) -> QueueEntry {
        let redirected = match (&link.via, found.lease) {
            (LinkKind::Redirect(_), Some(lease)) => split_source_key(&lease.entry.features),
            _ => None,
        };
        let own = link_features(found, &link.target);
        // The target of a redirect also has the features of the link to the redirect, so that its result trains both.
        let (family, redirected) = redirected.unwrap_or((found.source.map_or(0, source_key), &[]));
        let features = redirected.iter().copied().chain(own).collect::<BTreeSet<_>>();
        let mut candidate = queue_entry(found, link, 0.0, with_source_key(family, features));
        candidate.priority = self.priority(&candidate);
        candidate
    }

    fn priority(&self, candidate: &QueueEntry) -> f32 {
        if candidate.found_by == FoundBy::Seed { SEED_SCORE } else { self.probability(candidate) }
    }

    fn record_arm(&mut self, pld: &Pld, is_good: bool) {
        let arm = self.arms.entry(arm_key(pld));
        let count = if is_good { &mut arm.good } else { &mut arm.bad };
        *count = count.saturating_add(1);
    }
}

impl Strategy for NbOnlineStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        links.into_iter().map(|link| Offer::Queue(self.link_entry(found, link))).collect()
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let verdict = self.verdict(&lease.entry, VerdictAction::Predicted);
        Judgement { decision: Decision::Fetch, verdict: Some(verdict) }
    }

    /// The label is whether a document has RDF. A redirect is labelled when its target is fetched.
    /// If the target was known before, the request yielded nothing new. Such redirects are labelled
    /// negative, like failures, because otherwise redirects of vocabularies would dominate the
    /// crawl (docs/algorithms.md §2c).
    fn learn(&mut self, result: &RequestResult<'_>) {
        let candidate = &result.lease.entry;
        let label = match result.end {
            RequestEnd::Document { relevance, .. } => relevance == Relevance::Rdf,
            RequestEnd::Redirect { is_new: true, .. } => return,
            RequestEnd::Redirect { is_new: false, .. } | RequestEnd::Failure => false,
        };
        self.model.learn(&self.features(candidate), label);
        if let Some((family, _)) = split_source_key(&candidate.features).filter(|(family, _)| *family != 0) {
            let family = self.families.entry(family);
            family.rdf |= label;
            family.no_rdf |= !label;
        }
        let pld = candidate.pld();
        self.record_arm(&pld, label);
        if let (FoundBy::Redirect(_), Some(source)) = (&candidate.found_by, &candidate.source)
            && source.pld() != pld
        {
            self.record_arm(&source.pld(), label);
        }
    }

    fn score(&mut self, candidate: &QueueEntry, _: &mut SmallRng) -> f32 {
        self.priority(candidate)
    }

    fn order(&self) -> DomainOrder {
        DomainOrder::Sampled
    }

    fn sample_domain_score(&mut self, pld: &Pld, best: f32, rng: &mut SmallRng) -> f32 {
        if best >= SEED_SCORE {
            return SEED_SCORE;
        }
        let BanditArm { good, bad } = self.arms.peek(arm_key(pld)).copied().unwrap_or_default();
        thompson::sample_beta(good, bad, rng)
    }

    fn explain(&self, candidate: &QueueEntry) -> Option<Verdict> {
        Some(self.verdict(candidate, VerdictAction::None))
    }

    fn feature_name(&self, feature: u32) -> Option<&str> {
        Some(match feature {
            ..WORD_BUCKETS => "a word of its URL",
            PARENT_RDF => "the linking document has RDF",
            PARENT_NO_RDF => "the linking document has no RDF",
            SIBLING_RDF => "other links of that document led to RDF",
            SIBLING_NO_RDF => "other links of that document led to no RDF",
            FIRST_HOST_FEATURE..DIMENSIONS => "its host",
            _ => return None,
        })
    }

    fn save(&self) -> Option<Vec<u8>> {
        let parts = (self.model.to_bytes(), self.arms.to_bytes(), self.families.to_bytes());
        Some(model_file::pack(KIND, &postcard::to_stdvec(&parts).expect("serialisation to memory does not fail")))
    }
}

fn arm_key(pld: &Pld) -> u64 {
    xxh3_64(pld.as_str().as_bytes())
}

/// Key under which the results of a document's links are stored. 0 is for links without a document.
fn source_key(parent: &Uri) -> u64 {
    xxh3_64(parent.as_str().as_bytes()).max(1)
}

/// Features as they are stored: the source key in two halves, then the features.
fn with_source_key(family: u64, features: BTreeSet<u32>) -> FeatureVector {
    #[expect(clippy::cast_possible_truncation, reason = "the key is split into its two halves")]
    let halves = [family as u32, (family >> 32) as u32];
    FeatureVector(halves.into_iter().chain(features).collect())
}

fn split_source_key(features: &FeatureVector) -> Option<(u64, &[u32])> {
    let [low, high, features @ ..] = features.0.as_slice() else { return None };
    Some((u64::from(*low) | u64::from(*high) << 32, features))
}

/// Features of a link when it is found.
fn link_features(found: &LinkContext<'_>, target: &Uri) -> Vec<u32> {
    let host = xxh3_64(target.host().as_bytes()) % u64::from(DIMENSIONS - FIRST_HOST_FEATURE);
    let mut features = vec![FIRST_HOST_FEATURE + u32::try_from(host).unwrap_or_default()];
    if !found.format.is_empty() {
        features.push(if found.relevance == Relevance::Rdf { PARENT_RDF } else { PARENT_NO_RDF });
    }
    features.extend(words(target.path_and_query()).map(|word| {
        let number = xxh3_64(word.as_bytes()) % u64::from(WORD_BUCKETS);
        u32::try_from(number).unwrap_or_default()
    }));
    features
}

/// The words of a URL: at least three letters; all numbers are one word; words that mix letters and
/// digits are identifiers and are ignored.
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
    use crate::frontier::LeaseToken;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    fn offer(strategy: &mut NbOnlineStrategy, source: &str, via: LinkKind, target: &str) -> QueueEntry {
        let source = uri(source);
        let relevance = Relevance::None;
        let found =
            LinkContext { source: Some(&source), lease: None, format: "html", relevance, depth: 1, redirects: 0 };
        strategy.link_entry(&found, Link { target: uri(target), via })
    }

    fn found(strategy: &mut NbOnlineStrategy, source: &str, target: &str) -> QueueEntry {
        offer(strategy, source, LinkKind::Html(Box::default()), target)
    }

    fn lease(candidate: &QueueEntry) -> Lease {
        Lease { token: LeaseToken::default(), entry: candidate.clone(), attempt: 0, probe: None, verdict: None }
    }

    fn end(strategy: &mut NbOnlineStrategy, candidate: &QueueEntry, end: RequestEnd<'_>) {
        strategy.learn(&RequestResult { lease: &lease(candidate), weight: 1.0, end });
    }

    fn document(is_rdf: bool) -> RequestEnd<'static> {
        let relevance = if is_rdf { Relevance::Rdf } else { Relevance::None };
        RequestEnd::Document { relevance, media_type: None, digest: 0 }
    }

    fn redirected(strategy: &mut NbOnlineStrategy, from: &QueueEntry, target: &str) -> QueueEntry {
        let lease = lease(from);
        let relevance = Relevance::None;
        let source = Some(&from.target);
        let found = LinkContext { source, lease: Some(&lease), format: "", relevance, depth: 1, redirects: 1 };
        strategy.link_entry(&found, Link { target: uri(target), via: LinkKind::Redirect(303) })
    }

    #[test]
    fn words_are_normalised_as_in_anthelion() {
        let found: Vec<_> = words("/People/x/item42/2024/a-bc-def?Format=RDF&n=12").collect();

        assert_eq!(found, ["people", "[NUMBER]", "def", "format", "rdf"]);
    }

    #[test]
    fn links_similar_to_those_with_rdf_are_scored_higher() {
        let mut strategy = NbOnlineStrategy::default();
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
    fn queued_candidates_are_scored_by_the_results_of_their_siblings() {
        let mut strategy = NbOnlineStrategy::default();
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
    fn a_redirect_is_labelled_by_its_target() {
        let mut strategy = NbOnlineStrategy::default();
        let term = found(&mut strategy, "http://a.example/", "http://purl.example/term");
        let target = uri("http://b.example/vocabulary");
        let data = redirected(&mut strategy, &term, target.as_str());

        end(&mut strategy, &term, RequestEnd::Redirect { target: &target, is_new: true });
        assert_eq!(strategy.model.example_count(), 0, "the target is not fetched yet");
        end(&mut strategy, &data, document(true));

        let arms =
            ["purl.example", "b.example"].map(|host| *strategy.arms.peek(arm_key(&Pld::from_host(host))).unwrap());
        assert!(arms.iter().all(|arm| (arm.good, arm.bad) == (1, 0)), "{arms:?}");
        let like = found(&mut strategy, "http://c.example/", "http://purl.example/term");
        let other = found(&mut strategy, "http://c.example/", "http://other.example/thing");
        assert!(like.priority > other.priority);
    }

    #[test]
    fn requests_without_new_rdf_are_negative_examples() {
        let target = uri("http://b.example/known");
        for bad in [RequestEnd::Redirect { target: &target, is_new: false }, RequestEnd::Failure, document(false)] {
            let mut strategy = NbOnlineStrategy::default();
            let candidate = found(&mut strategy, "http://a.example/", "http://b.example/x");

            end(&mut strategy, &candidate, bad);

            let arm = strategy.arms.peek(arm_key(&candidate.pld())).unwrap();
            assert_eq!((arm.good, arm.bad), (0, 1), "{bad:?}");
        }
    }

    #[test]
    fn the_bandit_prefers_good_domains_and_seeds() {
        let mut strategy = NbOnlineStrategy::default();
        let (good, bad) = (Pld::from_host("good.example"), Pld::from_host("bad.example"));
        for _ in 0..10 {
            strategy.record_arm(&good, true);
            strategy.record_arm(&bad, false);
        }
        let mut rng = SmallRng::seed_from_u64(3);

        let wins = (0..100)
            .filter(|_| {
                strategy.sample_domain_score(&good, 0.5, &mut rng) > strategy.sample_domain_score(&bad, 0.5, &mut rng)
            })
            .count();

        assert!(wins > 95, "{wins}");
        let seed = offer(&mut strategy, "http://bad.example/", LinkKind::Seed, "http://bad.example/seed");
        let drawn = strategy.sample_domain_score(&bad, seed.priority, &mut rng);
        assert!(drawn > strategy.sample_domain_score(&good, 1.0, &mut rng));
    }

    #[test]
    fn a_saved_model_is_restored() {
        let mut strategy = NbOnlineStrategy::default();
        for (number, is_rdf) in [true, false, true].into_iter().enumerate() {
            let target = format!("http://a{number}.example/data/x");
            let candidate = found(&mut strategy, "http://a.example/", &target);
            end(&mut strategy, &candidate, document(is_rdf));
        }

        let again = NbOnlineStrategy::restore(&strategy.save().unwrap()).unwrap();

        assert_eq!(again.save(), strategy.save());
        let candidate = found(&mut strategy, "http://a.example/", "http://a0.example/data/y");
        assert_eq!(again.explain(&candidate), strategy.explain(&candidate));
    }
}
