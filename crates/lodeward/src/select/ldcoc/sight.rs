//! What LDCOC sees of a URI, for whatever else predicts from the same.

use rand::rngs::SmallRng;

use super::features::{Extraction, Memory};
use super::{FeatureSet, UNSAID, is_gone, settled, told};
use crate::discover::promise::Promise;
use crate::frontier::Offer;
use crate::model::media_type::{Ease, ease};
use crate::model::{Candidate, Link, Relevance, Via, Visit};
use crate::select::breadth_first::{by_depth, candidate};
use crate::select::media_types::{FilterBank, essence};
use crate::select::names::KeptNames;
use crate::select::{Decision, End, Found, Judgement, Lesson, Names};

/// Features, and what is remembered of URIs: the part of LDCOC that does not
/// depend on its classifier.
#[derive(Debug)]
pub struct Sight {
    set: FeatureSet,
    extraction: Extraction,
    /// One filter for each media type (§5, "Reducing HTTP lookup").
    media_types: FilterBank,
    /// Whether visited URIs held RDF; only `+x` asks.
    relevance: FilterBank,
}

/// What there is to see of somebody who may be visited.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// Nobody needs to predict anything.
    Settled(Judgement),
    /// Somebody who was asked for, and is visited in any case.
    Given(Vec<u32>),
    /// A hard URI, and its features.
    Hard(Vec<u32>),
}

impl Sight {
    /// Sees these feature sets, as numbers below 2 to the power of `bits`, and
    /// remembers some of their names.
    #[must_use]
    pub fn new(set: FeatureSet, bits: u8, names_max: usize) -> Self {
        Self::with_names(set, bits, Names::new(bits, names_max))
    }

    /// The same, and goes on with names that are known already.
    #[must_use]
    pub fn with_names(set: FeatureSet, bits: u8, names: Names) -> Self {
        let extraction = Extraction::new(set, bits, names);
        Self { set, extraction, media_types: FilterBank::default(), relevance: FilterBank::default() }
    }

    /// Queues links breadth first, with their features.
    pub fn place(&mut self, found: &Found<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let Self { extraction, media_types, relevance, .. } = self;
        let memory = Memory { media_types, relevance };
        let of_referrer = extraction.of_referrer(found.source);
        let offer = |link: Link| {
            let features = match (&link.via, found.visit) {
                (Via::Redirect(_), Some(visit)) => {
                    extraction.of_redirect(&link.target, &visit.candidate.target, &visit.candidate.features)
                }
                (Via::Triple { properties, siblings, .. }, _) => {
                    extraction.of_target(&link.target, &of_referrer, properties, siblings, &memory)
                }
                _ => extraction.of_target(&link.target, &of_referrer, &[], &[], &memory),
            };
            Offer::Queue(candidate(found, link, by_depth(found), features))
        };
        links.into_iter().map(offer).collect()
    }

    /// Looks at somebody who may be visited. Asks for a probe where the media type
    /// is needed and nobody knows it.
    pub fn look(&mut self, visit: &Visit) -> Look {
        let candidate = &visit.candidate;
        if candidate.depth == 0 {
            return Look::Given(candidate.features.0.clone());
        }
        if let Some(judgement) = settled(ease(&candidate.target, None)) {
            return Look::Settled(judgement);
        }
        if visit.probe.as_ref().is_some_and(is_gone) {
            return Look::Settled(settled(Ease::Barren).expect("it is settled"));
        }
        let Some(media_type) = self.media_type(visit) else {
            return Look::Settled(Judgement::plain(Decision::Probe));
        };
        let judgement = settled(match ease(&candidate.target, Some(&media_type)) {
            Ease::Archive if candidate.how.promise() == Some(Promise::Dump) => Ease::Rdf,
            ease => ease,
        });
        judgement.map_or_else(|| Look::Hard(self.features(visit, &media_type)), Look::Settled)
    }

    /// What a visit has shown: the features of a hard URI, as they were when it
    /// was looked at, and whether it holds RDF. Nothing for what is easy or was not
    /// had.
    pub fn lesson(&mut self, lesson: &Lesson<'_>) -> Option<(Vec<u32>, bool)> {
        let End::Document { relevance, media_type: declared, .. } = lesson.end else { return None };
        let uri = &lesson.visit.candidate.target;
        let is_relevant = relevance == Relevance::Rdf;
        if self.set.siblings {
            self.relevance.remember(uri, if is_relevant { "rdf" } else { "none" });
        }
        // As it was judged, so that the lesson is about the prediction; who was
        // not asked before is known by what it is declared as.
        let media_type = self.media_type(lesson.visit).unwrap_or_else(|| {
            let declared = declared.map_or(UNSAID.to_owned(), essence);
            self.media_types.remember(uri, &declared);
            declared
        });
        let is_hard = ease(uri, Some(&media_type)) == Ease::Hard;
        is_hard.then(|| (self.features(lesson.visit, &media_type), is_relevant))
    }

    /// The features of somebody who waits, as far as they are known by now.
    #[must_use]
    pub fn recall(&self, candidate: &Candidate) -> Vec<u32> {
        let mut features = candidate.features.0.clone();
        let media_type = self.media_types.find(&candidate.target);
        features.extend(media_type.and_then(|media_type| self.extraction.media_type_unnamed(media_type)));
        features
    }

    /// The names that are remembered, to be kept.
    #[must_use]
    pub fn kept_names(&self) -> KeptNames {
        self.extraction.names.to_kept()
    }

    /// What a feature is called, if that is remembered.
    #[must_use]
    pub fn name_of(&self, feature: u32) -> Option<&str> {
        self.extraction.names.get(feature)
    }

    /// The media type of who is visited, if a probe or a filter tells.
    fn media_type(&mut self, visit: &Visit) -> Option<String> {
        let uri = &visit.candidate.target;
        let Some(probe) = &visit.probe else { return self.media_types.find(uri).map(str::to_owned) };
        let told = told(probe);
        if self.media_types.find(uri).is_none() {
            self.media_types.remember(uri, &told);
        }
        Some(told)
    }

    fn features(&mut self, visit: &Visit, media_type: &str) -> Vec<u32> {
        let mut features = visit.candidate.features.0.clone();
        let number = self.extraction.media_type(media_type);
        features.extend(number.filter(|number| !visit.candidate.features.0.contains(number)));
        features
    }
}
