//! Settings whose value is one of a fixed set of names.

use serde::{Deserialize, Serialize};

/// Declares an enum for a setting whose values are names.
macro_rules! choice {
    ($(#[$meta:meta])* $Name:ident { $($(#[$variant_meta:meta])* $Variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub enum $Name { $($(#[$variant_meta])* $Variant,)+ }

        impl From<$Name> for String {
            fn from(chosen: $Name) -> Self {
                chosen.name().to_owned()
            }
        }

        impl $Name {
            /// Every variant, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$Variant,)+];

            /// The name in settings.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$Variant => $text,)+ }
            }
        }

        // Not derived: serde's message for an unknown variant is written for programmers.
        impl TryFrom<String> for $Name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                match text.as_str() {
                    $($text => Ok(Self::$Variant),)+
                    _ => Err(unknown_name(&text, &[$($text,)+])),
                }
            }
        }
    };
}

/// Declares the names of an enum of another module, for `#[serde(with = "…")]`.
macro_rules! names {
    ($(#[$meta:meta])* $module:ident: $Enum:ty { $($Variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        pub(super) mod $module {
            use serde::{Deserialize as _, Deserializer, Serializer};

            type Choice = $Enum;

            pub(in crate::settings) fn serialize<S: Serializer>(
                choice: &Choice,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(match choice { $(Choice::$Variant => $text,)+ })
            }

            pub(in crate::settings) fn deserialize<'de, D>(deserializer: D) -> Result<Choice, D::Error>
            where
                D: Deserializer<'de>,
            {
                let text = String::deserialize(deserializer)?;
                match text.as_str() {
                    $($text => Ok(Choice::$Variant),)+
                    _ => Err(serde::de::Error::custom(super::unknown_name(&text, &[$($text,)+]))),
                }
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
        /// One online model of all features; the best URI of all domains is fetched first.
        Learned = "learned",
        /// An online classifier, round robin over the domains (LDCOC).
        Ldcoc = "ldcoc",
        /// Prediction of the classes R, HR, H, N from links in HTML.
        LinkAnalysis = "link-analysis",
        /// Breadth first.
        Bfs = "bfs",
        /// Breadth first, over links found in RDF only.
        BfsRdf = "bfs-rdf",
        /// The rules of LDSpider and SWSE: extensions and media types.
        Heuristic = "heuristic",
        /// Online naive Bayes, and a bandit over domains (Anthelion).
        NbOnline = "nb-online",
        /// Naive Bayes, trained before the crawl.
        Nb = "nb",
        /// A linear support vector machine, trained before the crawl.
        Svm = "svm",
        /// Nearest neighbours among examples of a training set.
        Knn = "knn",
        /// Entities that are relevant to the seeds first (DURAARK).
        Focus = "focus",
    }
}

choice! {
    /// How candidates are ranked.
    RankerSetting {
        /// The ranker is selected from the properties of the seeds.
        Auto = "auto",
        /// Links, walks and texts combined.
        Hybrid = "hybrid",
        /// Similarity of texts, with seeds weighted by attrition (DURAARK).
        EjsimPlus = "ejsim+",
        /// Similarity of texts.
        Ejsim = "ejsim",
        /// Similarity of neighbourhoods.
        Njsim = "njsim",
        /// PageRank, independent of the seeds.
        Pagerank = "pagerank",
        /// Personalised PageRank from the seeds.
        Ppr = "ppr",
        /// Naive Bayes, trained on the candidates that users kept and dropped.
        Nb = "nb",
    }
}

choice! {
    /// Which part of the web around the seeds a crawl is restricted to.
    StayScope {
        /// No restriction.
        Off = "off",
        /// The domains of the seeds.
        Domain = "domain",
        /// The hosts of the seeds.
        Host = "host",
    }
}

choice! {
    /// Where provenance is stored.
    ProvenanceStorage {
        /// In the archive, in a graph for each document.
        Archive = "archive",
        /// In the archive, and in the file that a crawl writes with `--output`.
        All = "all",
        /// Provenance is not stored.
        Off = "off",
    }
}

names! {
    /// The names of the values of `crawl.links`.
    followed_links: lodeward::engine::FollowedLinks { All = "all", Rdf = "rdf", }
}

names! {
    /// The names of the values of `extract.named_graphs`.
    named_graphs: lodeward::extract::NamedGraphPolicy { Merge = "merge", Keep = "keep", }
}

names! {
    /// The names of the values of `discover.sparql_endpoints`.
    endpoint_policy: lodeward::discover::EndpointPolicy { Off = "off", Describe = "describe", Harvest = "harvest", }
}

names! {
    /// The names of the values of `ranking.published.attrition`.
    attrition: lodeward::rank::options::Attrition { Intent = "intent", Published = "published", Off = "off", }
}

names! {
    /// The names of the values of `ranking.published.jaccard`.
    jaccard: lodeward::rank::options::JaccardMode { Set = "set", Multiset = "multiset", }
}

names! {
    /// The names of the values of `ranking.published.text`.
    text_scope: lodeward::rank::options::TextScope { Own = "own", WithNeighbours = "with-neighbours", }
}

names! {
    /// The names of the values of `ranking.published.pagerank_direction`.
    walk_transition: lodeward::rank::walk::WalkTransition { Forward = "forward", Both = "both", }
}
