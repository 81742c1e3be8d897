//! The classes of link analysis, what speaks for them, and how both are kept
//! with a candidate.

use serde::{Deserialize, Serialize};

use super::neighbourhood::Place;
use crate::model::Features;

/// What a link leads to (link analysis §III.A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// Anything that is neither RDF nor a page.
    N,
    /// A page without links to RDF documents.
    H,
    /// A page with at least one link to an RDF document.
    Hr,
    /// An RDF document.
    R,
}

impl Class {
    /// Every class, the least urgent first.
    pub const ALL: [Self; 4] = [Self::N, Self::H, Self::Hr, Self::R];

    /// Its name in the paper.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::N => "N",
            Self::H => "H",
            Self::Hr => "HR",
            Self::R => "R",
        }
    }

    /// Its place in the queue (link analysis Fig. 3). The paper gives N a −1 and
    /// removes it.
    #[must_use]
    pub fn priority(self) -> f32 {
        match self {
            Self::N => -1.0,
            Self::H => 1.0,
            Self::Hr => 2.0,
            Self::R => 3.0,
        }
    }
}

/// Declares the heuristics: each a bit of [`Evidence`], with its name in Table II
/// of the paper and what it means in words.
macro_rules! heuristics {
    ($($(#[$meta:meta])* $name:ident = $table:literal, $words:literal;)+) => {
        /// What may speak for a class (link analysis §III.C.2 and 3, Table II).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Heuristic { $($(#[$meta])* $name,)+ }

        impl Heuristic {
            /// Every heuristic, in the order of Table II.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name, as in the rows of Table II.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $table,)+ }
            }

            /// What it means when it fires.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)+ }
            }
        }
    };
}

heuristics! {
    /// The `type` attribute has an RDF term.
    TypeTerm = "type: terms", "its type attribute speaks of RDF";
    /// The `title` attribute has an RDF term.
    TitleTerm = "title: terms", "its title speaks of RDF";
    /// The anchor text has an RDF term.
    AnchorTerm = "anchor text: terms", "its anchor text speaks of RDF";
    /// The text around the anchor has an RDF term.
    ContextTerm = "context: terms", "the text around it speaks of RDF";
    /// A directory has an RDF term.
    PathTerm = "path: terms", "its directories speak of RDF";
    /// The file name has an RDF term.
    FilenameTerm = "filename: terms", "its file name speaks of RDF";
    /// The `type` attribute has an RDF media type.
    TypeMediaType = "type: content types", "its type attribute is a media type of RDF";
    /// The `title` attribute has an RDF media type.
    TitleMediaType = "title: content types", "its title names a media type of RDF";
    /// The anchor text has an RDF media type.
    AnchorMediaType = "anchor text: content types", "its anchor text names a media type of RDF";
    /// The text around the anchor has an RDF media type.
    ContextMediaType = "context: content types", "the text around it names a media type of RDF";
    /// The file extension is one of RDF.
    Extension = "extension: file extensions", "its extension is one of RDF";
    /// It was found in an RDF document, and has no extension.
    RdfLink = "RDF link without extension", "it was found in RDF, and has no extension";
    /// It is similar to a page that leads to RDF. This one speaks for HR.
    Similar = "path or filename: similarity metric", "pages like it lead to RDF";
}

impl Heuristic {
    /// Its number, as the reasons of a verdict have it.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The heuristic with this number.
    #[must_use]
    pub fn numbered(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Which heuristics have fired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Evidence(pub u32);

impl Evidence {
    /// Notes that a heuristic has fired.
    pub fn add(&mut self, heuristic: Heuristic) {
        self.0 |= 1 << heuristic.number();
    }

    /// Whether nothing has fired.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a heuristic has fired.
    #[must_use]
    pub fn has(self, heuristic: Heuristic) -> bool {
        self.0 >> heuristic.number() & 1 == 1
    }

    /// The heuristics that have fired.
    pub fn iter(self) -> impl Iterator<Item = Heuristic> {
        Heuristic::ALL.iter().copied().filter(move |heuristic| self.has(*heuristic))
    }
}

/// Who referred to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// Not a page.
    NoPage,
    /// A page: the source of the candidate.
    Page,
    /// This page, by way of a redirect. The papers' crawlers follow redirects
    /// without telling, so the parent of what a redirect ends at is the page
    /// that links to its beginning.
    Redirecting(Place),
}

/// What is thought of a link, as it is kept with a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prediction {
    pub(super) class: Class,
    pub(super) evidence: Evidence,
    pub(super) parent: Parent,
}

impl Prediction {
    /// In words of 32 bits: class and kind of parent, evidence, and the place of
    /// the parent if it cannot be told from the candidate.
    pub(super) fn pack(&self) -> Features {
        let class = Class::ALL.iter().position(|class| *class == self.class).unwrap_or_default();
        let parent = match self.parent {
            Parent::NoPage => 0,
            Parent::Page => 1,
            Parent::Redirecting(_) => 2,
        };
        let mut words = vec![u32::try_from(class).unwrap_or_default() | parent << 2, self.evidence.0];
        if let Parent::Redirecting(place) = self.parent {
            words.extend(place.words());
        }
        Features(words)
    }

    /// What [`Prediction::pack`] packed; `None` for a seed, of which nothing is
    /// predicted.
    pub(super) fn unpack(features: &Features) -> Option<Self> {
        let [head, evidence, place @ ..] = features.0.as_slice() else { return None };
        let parent = match head >> 2 {
            1 => Parent::Page,
            2 => Place::from_words(place).map_or(Parent::NoPage, Parent::Redirecting),
            _ => Parent::NoPage,
        };
        Some(Self { class: Class::ALL[(head & 3) as usize], evidence: Evidence(*evidence), parent })
    }
}

/// The class that was predicted for a candidate of link analysis; `None` for a
/// seed.
#[must_use]
pub fn class_of(features: &Features) -> Option<Class> {
    Prediction::unpack(features).map(|prediction| prediction.class)
}

/// What spoke for the class of a candidate of link analysis.
#[must_use]
pub fn heuristics_of(features: &Features) -> Evidence {
    Prediction::unpack(features).map_or(Evidence::default(), |prediction| prediction.evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Uri;

    #[test]
    fn a_prediction_is_kept_word_for_word() {
        let place = Place::of(&Uri::parse("http://a.example/people/bob/card.html").unwrap());
        let flat = Place::of(&Uri::parse("http://a.example/card.html").unwrap());
        for class in Class::ALL {
            for parent in [Parent::NoPage, Parent::Page, Parent::Redirecting(place), Parent::Redirecting(flat)] {
                let mut evidence = Evidence::default();
                evidence.add(Heuristic::TitleTerm);
                evidence.add(Heuristic::Similar);
                let prediction = Prediction { class, evidence, parent };

                let features = prediction.pack();

                assert_eq!(Prediction::unpack(&features), Some(prediction));
                assert_eq!(class_of(&features), Some(class));
                let fired: Vec<_> = heuristics_of(&features).iter().collect();
                assert_eq!(fired, [Heuristic::TitleTerm, Heuristic::Similar]);
            }
        }
        assert_eq!(class_of(&Features::default()), None);
        assert!(heuristics_of(&Features::default()).is_empty());
    }

    #[test]
    fn every_heuristic_is_known_by_its_number() {
        for heuristic in Heuristic::ALL {
            assert_eq!(Heuristic::numbered(heuristic.number()), Some(*heuristic));
        }
        assert_eq!(Heuristic::numbered(32), None);
    }

    #[test]
    fn the_more_a_class_promises_the_sooner_it_is_visited() {
        let priorities: Vec<f32> = Class::ALL.iter().map(|class| class.priority()).collect();

        assert_eq!(priorities, [-1.0, 1.0, 2.0, 3.0]);
    }
}
