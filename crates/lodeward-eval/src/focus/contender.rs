//! Parses the rankers of an evaluation from names.
//!
//! A name is that of a ranker (`hybrid`, `ejsim`) or `auto`, optionally followed by the attrition:
//! `ejsim+:published`.

use std::str::FromStr;

use lodeward_focus::rank::{Attrition, RankerKind, RankingOptions};

/// A ranker of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct RankerEntry {
    /// The name of the ranker, followed by the attrition if the user gave one.
    pub name: String,
    /// The ranker; `None` if it is chosen for each list of seeds (`auto`).
    pub kind: Option<RankerKind>,
    /// How the weight of a seed is derived from its centrality.
    pub attrition: Attrition,
}

impl RankerEntry {
    /// The rankers that are compared if the user names none.
    pub const DEFAULT_NAMES: &[&str] =
        &["hybrid", "ejsim", "ejsim+", "ejsim+:published", "njsim", "ppr", "pagerank", "nb"];

    /// The options of a ranking whose candidates are at most `depth` links from a seed.
    #[must_use]
    pub fn options(&self, depth: u8) -> RankingOptions {
        RankingOptions {
            ranker: self.kind,
            max_hops: Some(depth),
            attrition: self.attrition,
            ..RankingOptions::default()
        }
    }
}

impl FromStr for RankerEntry {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let (ranker, attrition) = name.split_once(':').unwrap_or((name, "intent"));
        let kind = if ranker == "auto" { None } else { Some(ranker.parse()?) };
        let attrition = match attrition {
            "intent" => Attrition::Intent,
            "published" => Attrition::Published,
            "off" => Attrition::Off,
            other => return Err(format!("`{other}` is not one of intent, published, off")),
        };
        Ok(Self { name: name.to_owned(), kind, attrition })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranker_may_be_followed_by_its_attrition() {
        let check = |name: &str, kind: Option<RankerKind>, attrition: Attrition| {
            let entry: RankerEntry = name.parse().unwrap();
            assert_eq!((entry.kind, entry.attrition, entry.name.as_str()), (kind, attrition, name));
        };

        check("auto", None, Attrition::Intent);
        check("ejsim+", Some(RankerKind::EjsimPlus), Attrition::Intent);
        check("ejsim+:published", Some(RankerKind::EjsimPlus), Attrition::Published);
        for name in RankerEntry::DEFAULT_NAMES {
            assert!(name.parse::<RankerEntry>().is_ok(), "{name}");
        }
        assert!("best".parse::<RankerEntry>().unwrap_err().starts_with("`best` is not one of hybrid, "));
        assert_eq!("nb:much".parse::<RankerEntry>().unwrap_err(), "`much` is not one of intent, published, off");
    }
}
