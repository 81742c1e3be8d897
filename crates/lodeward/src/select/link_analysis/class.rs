//! The classes of link analysis, the heuristics for them, and their encoding as features of a
//! candidate.

use serde::{Deserialize, Serialize};

use super::neighbourhood::SiblingGroup;
use crate::frontier::FeatureVector;

/// The number of the first class. Heuristics are bits of a 32-bit word, so their numbers are less.
const FIRST_CLASS_NUMBER: u32 = 32;

/// Class of a link's target (link analysis §III.A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LinkClass {
    /// Neither RDF nor a page.
    N,
    /// A page without links to RDF documents.
    H,
    /// A page with at least one link to an RDF document.
    Hr,
    /// An RDF document.
    R,
}

impl LinkClass {
    /// Every class, lowest priority first.
    pub(crate) const ALL: [Self; 4] = [Self::N, Self::H, Self::Hr, Self::R];

    /// Name of the class in the paper.
    #[must_use]
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::N => "class N",
            Self::H => "class H",
            Self::Hr => "class HR",
            Self::R => "class R",
        }
    }

    /// The prediction of the class, with its meaning.
    #[must_use]
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::N => "predicted class N: neither RDF nor a page",
            Self::H => "predicted class H: a page",
            Self::Hr => "predicted class HR: a page that leads to RDF",
            Self::R => "predicted class R: an RDF document",
        }
    }

    /// The number of the class among the reasons of a verdict: they follow the heuristics.
    #[must_use]
    pub(super) fn number(self) -> u32 {
        FIRST_CLASS_NUMBER + self as u32
    }

    /// The class with this number.
    #[must_use]
    pub(super) fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number.checked_sub(FIRST_CLASS_NUMBER)?).ok()?).copied()
    }

    /// Its priority (link analysis Fig. 3). The paper gives N the priority −1 and removes it.
    #[must_use]
    pub(crate) fn priority(self) -> f32 {
        match self {
            Self::N => -1.0,
            Self::H => 1.0,
            Self::Hr => 2.0,
            Self::R => 3.0,
        }
    }
}

/// Declares the heuristics: each a bit of [`FiredHeuristics`], with its name in Table II of the
/// paper and a description.
macro_rules! heuristics {
    ($($(#[$meta:meta])* $name:ident = $table:literal, $description:literal;)+) => {
        /// A heuristic for a class (link analysis §III.C.2 and 3, Table II).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Heuristic { $($(#[$meta])* $name,)+ }

        impl Heuristic {
            /// Every heuristic, in the order of Table II.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name in the rows of Table II.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $table,)+ }
            }

            /// Description for the user.
            #[must_use]
            pub(crate) fn description(self) -> &'static str {
                match self { $(Self::$name => $description,)+ }
            }
        }
    };
}

heuristics! {
    /// The `type` attribute has an RDF term.
    TypeTerm = "type: terms", "its type attribute mentions RDF";
    /// The `title` attribute has an RDF term.
    TitleTerm = "title: terms", "its title mentions RDF";
    /// The anchor text has an RDF term.
    AnchorTerm = "anchor text: terms", "its anchor text mentions RDF";
    /// The text around the anchor has an RDF term.
    ContextTerm = "context: terms", "the text around it mentions RDF";
    /// A directory has an RDF term.
    PathTerm = "path: terms", "its directories mention RDF";
    /// The file name has an RDF term.
    FilenameTerm = "filename: terms", "its file name mentions RDF";
    /// The `type` attribute has an RDF media type.
    TypeMediaType = "type: content types", "its type attribute is an RDF media type";
    /// The `title` attribute has an RDF media type.
    TitleMediaType = "title: content types", "its title has an RDF media type";
    /// The anchor text has an RDF media type.
    AnchorMediaType = "anchor text: content types", "its anchor text has an RDF media type";
    /// The text around the anchor has an RDF media type.
    ContextMediaType = "context: content types", "the text around it has an RDF media type";
    /// The file extension is an RDF extension.
    Extension = "extension: file extensions", "its extension is an RDF extension";
    /// The link was found in an RDF document, and its target has no extension.
    RdfLink = "RDF link without extension", "it is linked from RDF, and has no extension";
    /// The target is similar to a page that leads to RDF. This is evidence for HR; all other heuristics
    /// are evidence for R.
    Similar = "path or filename: similarity metric", "similar pages lead to RDF";
}

impl Heuristic {
    /// The number of the heuristic among the reasons of a verdict.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The heuristic with this number.
    #[must_use]
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// A set of heuristics that have fired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FiredHeuristics(pub(super) u32);

impl FiredHeuristics {
    /// Adds a heuristic.
    pub(crate) fn add(&mut self, heuristic: Heuristic) {
        self.0 |= 1 << heuristic.number();
    }

    /// Whether the set is empty.
    #[must_use]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has a heuristic.
    #[must_use]
    pub(crate) fn contains(self, heuristic: Heuristic) -> bool {
        self.0 >> heuristic.number() & 1 == 1
    }

    /// The heuristics of the set.
    pub(crate) fn iter(self) -> impl Iterator<Item = Heuristic> {
        Heuristic::ALL.iter().copied().filter(move |heuristic| self.contains(*heuristic))
    }
}

/// Which kind of document links to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferrerClass {
    /// The linking document is not a page.
    NoPage,
    /// A page links directly to the candidate.
    Page,
    /// A page that links to a redirect to the candidate. The papers' crawlers follow redirects
    /// transparently, so the parent of a redirect's target is the page that links to the redirect.
    Redirecting(SiblingGroup),
}

/// Prediction for a link, stored as features of the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkPrediction {
    pub(super) class: LinkClass,
    pub(super) evidence: FiredHeuristics,
    pub(super) parent: ReferrerClass,
}

impl LinkPrediction {
    /// Encodes the prediction as 32-bit words: class and kind of parent, evidence, and the sibling
    /// group of the parent if it cannot be derived from the candidate.
    pub(super) fn pack(&self) -> FeatureVector {
        let class = LinkClass::ALL.iter().position(|class| *class == self.class).unwrap_or_default();
        let parent = match self.parent {
            ReferrerClass::NoPage => 0,
            ReferrerClass::Page => 1,
            ReferrerClass::Redirecting(_) => 2,
        };
        let mut words = vec![u32::try_from(class).unwrap_or_default() | parent << 2, self.evidence.0];
        if let ReferrerClass::Redirecting(group) = self.parent {
            words.extend(group.to_words());
        }
        FeatureVector(words)
    }

    /// Decodes the result of [`LinkPrediction::pack`]; `None` for a seed, which has no prediction.
    pub(super) fn unpack(features: &FeatureVector) -> Option<Self> {
        let [head, evidence, group @ ..] = features.0.as_slice() else { return None };
        let parent = match head >> 2 {
            1 => ReferrerClass::Page,
            2 => SiblingGroup::from_words(group).map_or(ReferrerClass::NoPage, ReferrerClass::Redirecting),
            _ => ReferrerClass::NoPage,
        };
        Some(Self { class: LinkClass::ALL[(head & 3) as usize], evidence: FiredHeuristics(*evidence), parent })
    }
}

/// The predicted class of a candidate of link analysis; `None` for a seed.
#[must_use]
pub fn predicted_class(features: &FeatureVector) -> Option<LinkClass> {
    LinkPrediction::unpack(features).map(|prediction| prediction.class)
}

/// The heuristics that fired for a candidate of link analysis.
#[must_use]
pub fn fired_heuristics(features: &FeatureVector) -> Vec<Heuristic> {
    LinkPrediction::unpack(features).map_or(Vec::new(), |prediction| prediction.evidence.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Uri;

    #[test]
    fn an_encoded_prediction_is_decoded() {
        let group = SiblingGroup::from_uri(&Uri::parse("http://a.example/people/bob/card.html").unwrap());
        let flat = SiblingGroup::from_uri(&Uri::parse("http://a.example/card.html").unwrap());
        for class in LinkClass::ALL {
            for parent in [
                ReferrerClass::NoPage,
                ReferrerClass::Page,
                ReferrerClass::Redirecting(group),
                ReferrerClass::Redirecting(flat),
            ] {
                let mut evidence = FiredHeuristics::default();
                evidence.add(Heuristic::TitleTerm);
                evidence.add(Heuristic::Similar);
                let prediction = LinkPrediction { class, evidence, parent };

                let features = prediction.pack();

                assert_eq!(LinkPrediction::unpack(&features), Some(prediction));
                assert_eq!(predicted_class(&features), Some(class));
                let fired = fired_heuristics(&features);
                assert_eq!(fired, [Heuristic::TitleTerm, Heuristic::Similar]);
            }
        }
        assert_eq!(predicted_class(&FeatureVector::default()), None);
        assert!(fired_heuristics(&FeatureVector::default()).is_empty());
    }

    #[test]
    fn every_heuristic_is_found_by_its_number() {
        for heuristic in Heuristic::ALL {
            assert_eq!(Heuristic::from_number(heuristic.number()), Some(*heuristic));
        }
        assert_eq!(Heuristic::from_number(32), None);
    }

    #[test]
    fn classes_that_lead_to_rdf_have_higher_priorities() {
        let priorities: Vec<f32> = LinkClass::ALL.iter().map(|class| class.priority()).collect();

        assert_eq!(priorities, [-1.0, 1.0, 2.0, 3.0]);
    }
}
