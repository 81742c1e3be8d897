//! Features of a link: LDCOC §4.2, crossed and hashed (§4.3).

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::FeatureSet;
use super::url_parts::{PARTS, split_parts};
use crate::frontier::FeatureVector;
use crate::model::Uri;
use crate::select::FeatureNames;
use crate::select::feature_hash::{FeatureHasher, normalise};
use crate::select::media_type_memory::MediaTypeMemory;
use crate::select::url_similarity::Similarity;

/// Similarity above which two URLs are considered similar (docs/algorithms.md §1).
const SIMILARITY_THRESHOLD: f64 = 0.8;
/// Maximum number of properties whose features are cached.
const MAX_CACHED_PROPERTIES: usize = 4_096;

/// Names of the parts of a URL.
type UrlFieldNames = [&'static str; PARTS.len()];

const TARGET_FIELDS: UrlFieldNames =
    ["t.scheme", "t.authority", "t.host", "t.userinfo", "t.path", "t.query", "t.fragment"];
const REFERRER_FIELDS: UrlFieldNames =
    ["r.scheme", "r.authority", "r.host", "r.userinfo", "r.path", "r.query", "r.fragment"];
const PROPERTY_FIELDS: UrlFieldNames =
    ["p.scheme", "p.authority", "p.host", "p.userinfo", "p.path", "p.query", "p.fragment"];
const SIBLING_FIELDS: UrlFieldNames =
    ["x.scheme", "x.authority", "x.host", "x.userinfo", "x.path", "x.query", "x.fragment"];

/// Extracts the features of links.
#[derive(Debug)]
pub(super) struct FeatureExtractor {
    set: FeatureSet,
    hasher: FeatureHasher,
    pub(super) names: FeatureNames,
    /// Cached features: documents use the same few properties repeatedly.
    properties: HashMap<Arc<str>, Box<[u32]>, FixedState>,
    similarity: Similarity,
}

/// What is known about fetched URLs: media types, and whether they had RDF. Used for the features of siblings.
pub(super) struct UrlMemory<'a> {
    pub(super) media_types: &'a MediaTypeMemory,
    pub(super) relevance: &'a MediaTypeMemory,
}

impl FeatureExtractor {
    pub(super) fn new(set: FeatureSet, bits: u8, names: FeatureNames) -> Self {
        let hasher = FeatureHasher::new(bits);
        Self { set, hasher, names, properties: HashMap::default(), similarity: Similarity::default() }
    }

    /// Features of the document with the links, which are the same for all its links.
    pub(super) fn referrer_features(&mut self, referrer: Option<&Uri>) -> Vec<u32> {
        let mut features = Vec::new();
        if let Some(referrer) = referrer.filter(|_| self.set.referrer) {
            self.push_intrinsic(&REFERRER_FIELDS, referrer.as_str(), &[], &mut features);
        }
        features
    }

    /// Features of a target: its URL, and its link.
    pub(super) fn target_features(
        &mut self,
        target: &Uri,
        referrer_features: &[u32],
        properties: &[Arc<str>],
        siblings: &[Uri],
        memory: &UrlMemory<'_>,
    ) -> FeatureVector {
        let mut features = Vec::with_capacity(8 + referrer_features.len() + 5 * properties.len());
        self.push_target(target, &mut features);
        features.extend_from_slice(referrer_features);
        if self.set.properties {
            for property in properties {
                self.push_property(property, &mut features);
            }
        }
        if self.set.siblings {
            for sibling in siblings {
                self.push_sibling(target, sibling, memory, &mut features);
            }
        }
        into_features(features)
    }

    /// Features of the target of a redirect: its URL, and the link to the redirecting URL (Alg. 2,
    /// line 32).
    pub(super) fn redirect_features(&mut self, target: &Uri, from: &Uri, context: &FeatureVector) -> FeatureVector {
        let mut source_features = Vec::new();
        self.push_target(from, &mut source_features);
        let mut features: Vec<u32> =
            context.0.iter().copied().filter(|number| !source_features.contains(number)).collect();
        self.push_target(target, &mut features);
        into_features(features)
    }

    /// The header feature `F_head` of a target: its media type, empty if the server does not state
    /// it. Used by `+t` only.
    pub(super) fn media_type_feature(&mut self, essence: &str) -> Option<u32> {
        self.set.target.then(|| self.names.feature_index(&mut self.hasher, "t.type", &[essence]))
    }

    /// As [`media_type_feature`](Self::media_type_feature), without counting an occurrence of the
    /// name.
    pub(super) fn peek_media_type_feature(&self, essence: &str) -> Option<u32> {
        self.set.target.then(|| self.hasher.clone().feature_index("t.type", &[essence]))
    }

    fn push_target(&mut self, target: &Uri, features: &mut Vec<u32>) {
        if self.set.target {
            self.push_intrinsic(&TARGET_FIELDS, target.as_str(), &[], features);
        }
    }

    /// Adds one feature for each part of a URL, crossed with the words in `crossed`.
    fn push_intrinsic(&mut self, fields: &UrlFieldNames, url: &str, crossed: &[&str], features: &mut Vec<u32>) {
        let mut words = [""; 4];
        words[1..=crossed.len()].copy_from_slice(crossed);
        for (field, part) in fields.iter().zip(split_parts(url)).filter(|(_, part)| !part.is_empty()) {
            words[0] = part;
            features.push(self.names.feature_index(&mut self.hasher, field, &words[..=crossed.len()]));
        }
    }

    fn push_property(&mut self, property: &Arc<str>, features: &mut Vec<u32>) {
        let Some(known) = self.properties.get(property) else {
            let begin = features.len();
            self.push_intrinsic(&PROPERTY_FIELDS, property, &[], features);
            if self.properties.len() >= MAX_CACHED_PROPERTIES {
                self.properties.clear();
            }
            self.properties.insert(Arc::clone(property), features[begin..].into());
            return;
        };
        features.extend_from_slice(known);
        for (index, &number) in known.iter().enumerate() {
            if self.names.record_occurrence(number) {
                let mut parts = PROPERTY_FIELDS.iter().zip(split_parts(property)).filter(|(_, part)| !part.is_empty());
                let words = parts.nth(index).map(|(field, part)| format!("{field}={part}"));
                self.names.insert(number, &words.unwrap_or_default());
            }
        }
    }

    /// `F_x(s) = F_int(s) × F_head(s) × F_sim(s, t) × F_RDFrel(s)`, where an unknown part is `?`.
    fn push_sibling(&mut self, target: &Uri, sibling: &Uri, memory: &UrlMemory<'_>, features: &mut Vec<u32>) {
        let is_similar = self.similarity.is_above(SIMILARITY_THRESHOLD, target.as_str(), sibling.as_str());
        let similarity = if is_similar { "high" } else { "low" };
        let media_type = memory.media_types.find(sibling).unwrap_or("?");
        let relevance = memory.relevance.find(sibling).unwrap_or("?");
        self.push_intrinsic(&SIBLING_FIELDS, sibling.as_str(), &[media_type, similarity, relevance], features);
    }
}

fn into_features(features: Vec<u32>) -> FeatureVector {
    let mut features = FeatureVector(features);
    normalise(&mut features);
    features
}
