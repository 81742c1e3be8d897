//! Settings whose value is one of a fixed set of names.

use lodeward::discover::EndpointPolicy;
use lodeward::engine::FollowedLinks;
use lodeward::extract::NamedGraphPolicy;
use lodeward_focus::rank::walk::WalkTransition;
use lodeward_focus::rank::{Attrition, JaccardMode, RankerKind, TextScope};
use toml::Value;

use super::value::{NamedValue, SettingKind, SettingType, read};

/// Gives the variants of an enum their names in settings.
macro_rules! names {
    ($Enum:ty { $($Variant:ident = $text:literal: $doc:literal,)+ }) => {
        impl SettingType for $Enum {
            const KIND: SettingKind = SettingKind::Choice(&[$(NamedValue { name: $text, doc: $doc },)+]);

            fn from_value(value: &Value) -> Result<Self, String> {
                match read::<String>(value)?.as_str() {
                    $($text => Ok(Self::$Variant),)+
                    // Not serde's message for an unknown variant, which is written for programmers.
                    text => Err(unknown_name(text, &[$($text,)+])),
                }
            }

            fn to_value(&self) -> Option<Value> {
                Some(match self { $(Self::$Variant => $text,)+ }.into())
            }
        }
    };
}

/// Declares an enum for a setting whose values are names.
macro_rules! choice {
    ($(#[$meta:meta])* $Name:ident { $($Variant:ident = $text:literal: $doc:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Name { $(#[doc = $doc] $Variant,)+ }

        names! { $Name { $($Variant = $text: $doc,)+ } }

        impl $Name {
            /// Every variant, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$Variant,)+];

            /// The name in settings.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$Variant => $text,)+ }
            }
        }

        impl std::str::FromStr for $Name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::from_value(&text.into())
            }
        }
    };
}

fn unknown_name(text: &str, known: &[&str]) -> String {
    format!("`{text}` is not one of {}", known.join(", "))
}

choice! {
    /// The order in which URIs are fetched.
    StrategyKind {
        Learned = "learned": "One online model of all evidence, best first across domains",
        Ldcoc = "ldcoc": "An online classifier, round robin over the domains (LDCOC)",
        LinkAnalysis = "link-analysis": "Prediction of the classes R, HR, H, N from links in HTML",
        Bfs = "bfs": "Breadth first, round robin over the domains",
        BfsRdf = "bfs-rdf": "Breadth first, over links found in RDF only",
        Heuristic = "heuristic": "The rules of LDSpider and SWSE: extensions and media types",
        NbOnline = "nb-online": "Online naive Bayes, and a bandit over domains (Anthelion)",
        Nb = "nb": "Naive Bayes, trained before the crawl: needs --model",
        Svm = "svm": "A support vector machine, trained before the crawl: needs --model",
        Knn = "knn": "Nearest neighbours among examples of a training set: needs --model",
        Focus = "focus": "The entities that are relevant to the seeds, best first (DURAARK): see --ranker",
    }
}

/// What the rest of the program needs to know about a strategy. The struct has no default, so that a
/// new strategy states each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each field is an independent property")]
pub struct StrategyTraits {
    /// The links it follows, if the setting does not decide.
    pub links: Option<FollowedLinks>,
    /// Whether it can fetch hop by hop.
    pub orders_by_hop: bool,
    /// Whether it uses the feature sets of `strategy.ldcoc.features`.
    pub uses_feature_sets: bool,
    /// Whether it needs a model that was trained before the crawl.
    pub needs_model: bool,
    /// Whether it fetches what is relevant to the seeds, instead of as much RDF as possible.
    pub is_focused: bool,
}

impl StrategyKind {
    /// The properties of the strategy.
    #[must_use]
    pub fn traits(self) -> StrategyTraits {
        let plain = StrategyTraits {
            links: None,
            orders_by_hop: false,
            uses_feature_sets: false,
            needs_model: false,
            is_focused: false,
        };
        match self {
            Self::Learned | Self::LinkAnalysis | Self::NbOnline => plain,
            Self::Ldcoc => StrategyTraits { uses_feature_sets: true, ..plain },
            Self::Bfs => StrategyTraits { orders_by_hop: true, ..plain },
            Self::BfsRdf | Self::Heuristic => {
                StrategyTraits { links: Some(FollowedLinks::Rdf), orders_by_hop: true, ..plain }
            }
            Self::Nb | Self::Svm | Self::Knn => StrategyTraits { uses_feature_sets: true, needs_model: true, ..plain },
            Self::Focus => StrategyTraits { orders_by_hop: true, is_focused: true, ..plain },
        }
    }
}

choice! {
    /// Which part of the web around the seeds a crawl is restricted to.
    StayScope {
        Off = "off": "No restriction",
        Domain = "domain": "Their domains: `example.org` for `data.example.org`",
        Host = "host": "Their hosts",
    }
}

choice! {
    /// Where provenance is stored.
    ProvenanceStorage {
        Archive = "archive": "In the archive, in a graph for each document",
        All = "all": "In the archive and in the file of --output",
        Off = "off": "Nowhere",
    }
}

names! {
    FollowedLinks { All = "all": "Links in RDF and in HTML", Rdf = "rdf": "Links in RDF, and redirects", }
}

names! {
    NamedGraphPolicy {
        Merge = "merge": "Into the graph that is named by the URL of the document",
        Keep = "keep": "As they are",
    }
}

names! {
    EndpointPolicy {
        Off = "off": "Treat them as any other document",
        Describe = "describe": "Read their service description and the list of their graphs",
        Harvest = "harvest": "Read all of their statements, page by page",
    }
}

names! {
    Attrition {
        Intent = "intent": "Less central seeds have more weight, as in the text of the paper",
        Published = "published": "More central seeds have more weight, as in the program of the authors",
        Off = "off": "All seeds have the same weight",
    }
}

names! {
    JaccardMode {
        Set = "set": "As sets of terms, as printed",
        Multiset = "multiset": "As multisets of terms, as in the program of the authors",
    }
}

names! {
    TextScope {
        Own = "own": "The texts of the entity itself",
        WithNeighbours = "with-neighbours": "Also the texts of its neighbours",
    }
}

names! {
    WalkTransition {
        Forward = "forward": "From subject to object",
        Both = "both": "In both directions",
    }
}

/// How candidates are ranked: by a ranker, or by the one that suits the seeds (`auto`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankerSetting(pub Option<RankerKind>);

const AUTO: NamedValue =
    NamedValue { name: "auto", doc: "The ranker that suits the seeds; the report states the reason" };

const RANKERS: [NamedValue; RankerKind::ALL.len() + 1] = {
    let mut rankers = [AUTO; RankerKind::ALL.len() + 1];
    let mut number = 0;
    while number < RankerKind::ALL.len() {
        let kind = RankerKind::ALL[number];
        rankers[number + 1] = NamedValue { name: kind.name(), doc: kind.description() };
        number += 1;
    }
    rankers
};

impl std::str::FromStr for RankerSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == AUTO.name {
            return Ok(Self(None));
        }
        let ranker = text.parse().map_err(|_| unknown_name(text, &RANKERS.map(|ranker| ranker.name)))?;
        Ok(Self(Some(ranker)))
    }
}

impl SettingType for RankerSetting {
    const KIND: SettingKind = SettingKind::Choice(&RANKERS);

    fn from_value(value: &Value) -> Result<Self, String> {
        read::<String>(value)?.parse()
    }

    fn to_value(&self) -> Option<Value> {
        Some(self.0.map_or(AUTO.name, RankerKind::name).into())
    }
}
