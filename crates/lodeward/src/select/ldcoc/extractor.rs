//! Extracts the features of URIs for LDCOC and other classifiers.

use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

use super::features::{FeatureExtractor, UrlMemory};
use super::{FeatureSet, NO_MEDIA_TYPE, easy_judgement, is_gone, probed_media_type};
use crate::frontier::{Lease, Offer, QueueEntry};
use crate::model::rdf_likelihood::{RdfLikelihood, rdf_likelihood};
use crate::model::{Link, LinkKind, Promise, Relevance};
use crate::select::breadth_first::{depth_priority, queue_entry};
use crate::select::feature_names::StoredFeatureNames;
use crate::select::media_type_memory::{MediaTypeMemory, StoredMediaTypes, URIS_PER_FILTER, essence};
use crate::select::{Decision, FeatureNames, Judgement, LinkContext, RequestEnd, RequestResult};

/// Extracts features, and remembers media types and results of URIs: the part of LDCOC that is
/// independent of the classifier.
#[derive(Debug)]
pub(crate) struct LdcocFeatures {
    set: FeatureSet,
    extraction: FeatureExtractor,
    /// One filter per media type (§5, "Reducing HTTP lookup").
    media_types: MediaTypeMemory,
    /// Whether fetched URIs had RDF; used by `+x` only.
    relevance: MediaTypeMemory,
}

/// What is remembered of URIs, as part of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredUrlMemory {
    /// Media types of URIs.
    pub(super) media_types: StoredMediaTypes,
    /// Whether URIs had RDF.
    relevance: StoredMediaTypes,
}

/// Classifier input of a lease.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LdcocInput {
    /// The URI is judged without a prediction.
    Settled(Judgement),
    /// The features of a URI that is always fetched: a seed, or the target of a seed's redirect.
    Requested(Vec<u32>),
    /// The features of a hard URI, for which the classifier predicts whether it has RDF.
    Hard(Vec<u32>),
}

impl LdcocFeatures {
    /// Creates an extractor of these feature sets, with numbers below 2 to the power of `bits`,
    /// that stores at most `names_max` names.
    #[must_use]
    pub(crate) fn new(set: FeatureSet, bits: u8, names_max: usize) -> Self {
        Self::with_names(set, bits, FeatureNames::new(bits, names_max), URIS_PER_FILTER)
    }

    /// As [`new`](Self::new), with known names, and with this number of URIs per filter.
    #[must_use]
    pub(crate) fn with_names(set: FeatureSet, bits: u8, names: FeatureNames, uris_per_filter: usize) -> Self {
        let extraction = FeatureExtractor::new(set, bits, names);
        let memory = || MediaTypeMemory::new(uris_per_filter);
        Self { set, extraction, media_types: memory(), relevance: memory() }
    }

    /// What is remembered of URIs, in its stored form.
    #[must_use]
    pub(crate) fn stored_memory(&self) -> StoredUrlMemory {
        StoredUrlMemory { media_types: self.media_types.to_stored(), relevance: self.relevance.to_stored() }
    }

    /// Adds what an earlier run remembered.
    pub(crate) fn restore_memory(&mut self, stored: StoredUrlMemory) {
        self.media_types.restore(stored.media_types);
        self.relevance.restore(stored.relevance);
    }

    /// Queues links breadth first, with their features.
    pub(crate) fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        let Self { extraction, media_types, relevance, .. } = self;
        let memory = UrlMemory { media_types, relevance };
        let referrer_features = extraction.referrer_features(found.source);
        let offer = |link: Link| {
            let features = match (&link.via, found.lease) {
                (LinkKind::Redirect(_), Some(lease)) => {
                    extraction.redirect_features(&link.target, &lease.entry.target, &lease.entry.features)
                }
                (LinkKind::Triple { properties, siblings, .. }, _) => {
                    extraction.target_features(&link.target, &referrer_features, properties, siblings, &memory)
                }
                _ => extraction.target_features(&link.target, &referrer_features, &[], &[], &memory),
            };
            Offer::Queue(queue_entry(found, link, depth_priority(found), features))
        };
        links.into_iter().map(offer).collect()
    }

    /// Classifies a lease. Requests a probe if the media type is needed and unknown.
    pub(crate) fn classify(&mut self, lease: &Lease) -> LdcocInput {
        let candidate = &lease.entry;
        if candidate.depth == 0 {
            return LdcocInput::Requested(candidate.features.0.clone());
        }
        if let Some(judgement) = easy_judgement(rdf_likelihood(&candidate.target, None)) {
            return LdcocInput::Settled(judgement);
        }
        if lease.probe.as_ref().is_some_and(is_gone) {
            return LdcocInput::Settled(easy_judgement(RdfLikelihood::NonRdf).expect("NonRdf is an easy likelihood"));
        }
        let Some(media_type) = self.media_type(lease) else {
            return LdcocInput::Settled(Judgement::without_verdict(Decision::Probe));
        };
        let judgement = easy_judgement(match rdf_likelihood(&candidate.target, Some(&media_type)) {
            RdfLikelihood::Archive if candidate.found_by.promise() == Some(Promise::Dump) => RdfLikelihood::Rdf,
            likelihood => likelihood,
        });
        judgement.map_or_else(|| LdcocInput::Hard(self.features(lease, &media_type)), LdcocInput::Settled)
    }

    /// The training example of a result: the features of a hard URI as it was judged, and whether
    /// it has RDF. `None` for easy URIs and failed requests.
    pub(crate) fn training_example(&mut self, result: &RequestResult<'_>) -> Option<(Vec<u32>, bool)> {
        let RequestEnd::Document { relevance, media_type: declared, .. } = result.end else { return None };
        let uri = &result.lease.entry.target;
        let has_rdf = relevance == Relevance::Rdf;
        if self.set.siblings {
            self.relevance.insert(uri, if has_rdf { "rdf" } else { "none" });
        }
        // The example has the media type with which the URI was judged, so that it matches the
        // prediction. If that media type was unknown, the declared one is used.
        let media_type = self.media_type(result.lease).unwrap_or_else(|| {
            let declared = declared.map_or(NO_MEDIA_TYPE.to_owned(), essence);
            self.media_types.insert(uri, &declared);
            declared
        });
        let is_hard = rdf_likelihood(uri, Some(&media_type)) == RdfLikelihood::Hard;
        is_hard.then(|| (self.features(result.lease, &media_type), has_rdf))
    }

    /// Returns the features of a queued URI, as far as they are known.
    #[must_use]
    pub(crate) fn current_features(&self, candidate: &QueueEntry) -> Vec<u32> {
        let mut features = candidate.features.0.clone();
        let media_type = self.media_types.find(&candidate.target);
        features.extend(media_type.and_then(|media_type| self.extraction.peek_media_type_feature(media_type)));
        features
    }

    /// The names in their stored form.
    #[must_use]
    pub(crate) fn stored_names(&self) -> StoredFeatureNames {
        self.extraction.names.to_stored()
    }

    /// The name of a feature, if it is stored.
    #[must_use]
    pub(crate) fn feature_name(&self, feature: u32) -> Option<&str> {
        self.extraction.names.get(feature)
    }

    /// Returns the media type of a lease, if a probe or a filter provides it.
    fn media_type(&mut self, lease: &Lease) -> Option<String> {
        let uri = &lease.entry.target;
        let Some(probe) = &lease.probe else { return self.media_types.find(uri).map(str::to_owned) };
        let probed = probed_media_type(probe);
        if self.media_types.find(uri).is_none() {
            self.media_types.insert(uri, &probed);
        }
        Some(probed)
    }

    fn features(&mut self, lease: &Lease, media_type: &str) -> Vec<u32> {
        let mut features = lease.entry.features.0.clone();
        let number = self.extraction.media_type_feature(media_type);
        features.extend(number.filter(|number| !lease.entry.features.0.contains(number)));
        features
    }
}
