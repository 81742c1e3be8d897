//! Rankers by what people call them.
//!
//! `hybrid`, `ejsim`, `auto`; after a colon the attrition, if it is to differ:
//! `ejsim+:published`.

use std::str::FromStr;

use lodeward::rank::{Attrition, Options, RankerKind};

/// A ranker as it takes part.
#[derive(Clone, Debug, PartialEq)]
pub struct RankerEntry {
    /// What it was called.
    pub name: String,
    /// Who it is; `None` for whoever suits the seeds.
    pub kind: Option<RankerKind>,
    /// How the weight of a seed follows from its centrality.
    pub attrition: Attrition,
}

impl RankerEntry {
    /// Who takes part if nobody is named.
    pub const ALL: &[&str] = &["hybrid", "ejsim", "ejsim+", "ejsim+:published", "njsim", "ppr", "pagerank", "nb"];

    /// How it ranks, so many links from the seeds.
    #[must_use]
    pub fn options(&self, depth: u8) -> Options {
        Options { ranker: self.kind, depth: Some(depth), attrition: self.attrition, ..Options::default() }
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
            other => return Err(format!("`{other}` is none of intent, published, off")),
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
        for name in RankerEntry::ALL {
            assert!(name.parse::<RankerEntry>().is_ok(), "{name}");
        }
        assert!("best".parse::<RankerEntry>().unwrap_err().starts_with("`best` is none of hybrid, "));
        assert_eq!("nb:much".parse::<RankerEntry>().unwrap_err(), "`much` is none of intent, published, off");
    }
}
