//! Features of a link: LDCOC §4.2, crossed and hashed (§4.3).

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::FeatureSet;
use super::parts::{PARTS, parts};
use crate::model::{Features, Uri};
use crate::select::Names;
use crate::select::hash::{FeatureHasher, normalise};
use crate::select::media_types::FilterBank;
use crate::select::similarity::Similarity;

/// Above this two addresses are alike (ALGORITHMS.md §1).
const LIKENESS: f64 = 0.8;
/// Properties whose features are remembered; beyond, all are computed anew.
const PROPERTIES_MAX: usize = 4_096;

/// What the parts of each sort of address are called.
type Fields = [&'static str; PARTS.len()];

const TARGET: Fields = ["t.scheme", "t.authority", "t.host", "t.userinfo", "t.path", "t.query", "t.fragment"];
const REFERRER: Fields = ["r.scheme", "r.authority", "r.host", "r.userinfo", "r.path", "r.query", "r.fragment"];
const PROPERTY: Fields = ["p.scheme", "p.authority", "p.host", "p.userinfo", "p.path", "p.query", "p.fragment"];
const SIBLING: Fields = ["x.scheme", "x.authority", "x.host", "x.userinfo", "x.path", "x.query", "x.fragment"];

/// Makes features of what is known of a link.
#[derive(Debug)]
pub(super) struct Extraction {
    set: FeatureSet,
    hasher: FeatureHasher,
    pub(super) names: Names,
    /// Documents name the same few properties over and over.
    properties: HashMap<Arc<str>, Box<[u32]>, FixedState>,
    similarity: Similarity,
}

/// What is remembered of addresses, for the features of siblings.
pub(super) struct Memory<'a> {
    pub(super) media_types: &'a FilterBank,
    pub(super) relevance: &'a FilterBank,
}

impl Extraction {
    pub(super) fn new(set: FeatureSet, bits: u8, names: Names) -> Self {
        let hasher = FeatureHasher::new(bits);
        Self { set, hasher, names, properties: HashMap::default(), similarity: Similarity::default() }
    }

    /// The features of the document that links were found in: the same for all.
    pub(super) fn of_referrer(&mut self, referrer: Option<&Uri>) -> Vec<u32> {
        let mut features = Vec::new();
        if let Some(referrer) = referrer.filter(|_| self.set.referrer) {
            self.intrinsic(&REFERRER, referrer.as_str(), &[], &mut features);
        }
        features
    }

    /// The features of a target: its address, and what its referrer says of it.
    pub(super) fn of_target(
        &mut self,
        target: &Uri,
        of_referrer: &[u32],
        properties: &[Arc<str>],
        siblings: &[Uri],
        memory: &Memory<'_>,
    ) -> Features {
        let mut features = Vec::with_capacity(8 + of_referrer.len() + 5 * properties.len());
        self.own(target, &mut features);
        features.extend_from_slice(of_referrer);
        if self.set.properties {
            for property in properties {
                self.property(property, &mut features);
            }
        }
        if self.set.siblings {
            for sibling in siblings {
                self.sibling(target, sibling, memory, &mut features);
            }
        }
        finished(features)
    }

    /// The features of where a redirect leads: its own address, and the context
    /// of whoever redirected there (Alg. 2, line 32).
    pub(super) fn of_redirect(&mut self, target: &Uri, from: &Uri, context: &Features) -> Features {
        let mut of_redirecting = Vec::new();
        self.own(from, &mut of_redirecting);
        let mut features: Vec<u32> =
            context.0.iter().copied().filter(|number| !of_redirecting.contains(number)).collect();
        self.own(target, &mut features);
        finished(features)
    }

    /// The header feature `F_head` of a target: its media type, empty if its
    /// server does not say. Only `+t` looks at it.
    pub(super) fn media_type(&mut self, essence: &str) -> Option<u32> {
        self.set.target.then(|| self.names.number(&mut self.hasher, "t.type", &[essence]))
    }

    /// The same, without remembering its name.
    pub(super) fn media_type_unnamed(&self, essence: &str) -> Option<u32> {
        self.set.target.then(|| self.hasher.clone().number("t.type", &[essence]))
    }

    fn own(&mut self, target: &Uri, features: &mut Vec<u32>) {
        if self.set.target {
            self.intrinsic(&TARGET, target.as_str(), &[], features);
        }
    }

    /// The features of an address, each crossed with some words.
    fn intrinsic(&mut self, fields: &Fields, address: &str, crossed: &[&str], features: &mut Vec<u32>) {
        let mut words = [""; 4];
        words[1..=crossed.len()].copy_from_slice(crossed);
        for (field, part) in fields.iter().zip(parts(address)).filter(|(_, part)| !part.is_empty()) {
            words[0] = part;
            features.push(self.names.number(&mut self.hasher, field, &words[..=crossed.len()]));
        }
    }

    fn property(&mut self, property: &Arc<str>, features: &mut Vec<u32>) {
        let Some(known) = self.properties.get(property) else {
            let begin = features.len();
            self.intrinsic(&PROPERTY, property, &[], features);
            if self.properties.len() >= PROPERTIES_MAX {
                self.properties.clear();
            }
            self.properties.insert(Arc::clone(property), features[begin..].into());
            return;
        };
        features.extend_from_slice(known);
        for (index, &number) in known.iter().enumerate() {
            if self.names.meets(number) {
                let mut there = PROPERTY.iter().zip(parts(property)).filter(|(_, part)| !part.is_empty());
                let words = there.nth(index).map(|(field, part)| format!("{field}={part}"));
                self.names.keep(number, &words.unwrap_or_default());
            }
        }
    }

    /// `F_x(s) = F_int(s) × F_head(s) × F_sim(s, t) × F_RDFrel(s)`, where a part
    /// that is not known yet is `?`.
    fn sibling(&mut self, target: &Uri, sibling: &Uri, memory: &Memory<'_>, features: &mut Vec<u32>) {
        let is_alike = self.similarity.is_above(LIKENESS, target.as_str(), sibling.as_str());
        let likeness = if is_alike { "high" } else { "low" };
        let media_type = memory.media_types.find(sibling).unwrap_or("?");
        let relevance = memory.relevance.find(sibling).unwrap_or("?");
        self.intrinsic(&SIBLING, sibling.as_str(), &[media_type, likeness, relevance], features);
    }
}

fn finished(features: Vec<u32>) -> Features {
    let mut features = Features(features);
    normalise(&mut features);
    features
}
