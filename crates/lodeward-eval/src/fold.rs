//! Folds of hosts, for training on some hosts and testing on others.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use lodeward::model::Pld;
use lodeward::select::feature_hash::murmur3;

use crate::web::RecordedWeb;

/// One of several folds of the hosts. The fold of a host depends only on the name of its pay-level
/// domain, because hosts of one domain are similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The number of the fold, from 1.
    pub part: u32,
    /// The number of folds.
    pub parts: u32,
}

impl Fold {
    /// Whether a host is in this fold.
    #[must_use]
    pub fn contains(self, host: &str) -> bool {
        Self::part_index(host, self.parts) == self.part - 1
    }

    /// The fold of a host, from 0.
    #[must_use]
    pub fn part_index(host: &str, parts: u32) -> u32 {
        murmur3(Pld::from_host(host).as_str().as_bytes(), 0) % parts
    }

    /// The hosts of a web in this fold, or those outside of it.
    #[must_use]
    pub fn hosts(self, web: &RecordedWeb, is_in: bool) -> HashSet<String> {
        let hosts = web.pages.iter().map(|page| page.uri.host());
        hosts.filter(|host| self.contains(host) == is_in).map(str::to_owned).collect()
    }
}

impl fmt::Display for Fold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.part, self.parts)
    }
}

impl FromStr for Fold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        match parsed {
            Some((part, parts)) if (1..=parts).contains(&part) => Ok(Self { part, parts }),
            _ => Err(format!("`{text}` is not a fold such as 1/5")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_in_one_fold() {
        let folds: Vec<Fold> = (1..=3).map(|part| format!("{part}/3").parse().unwrap()).collect();

        for host in ["a.example", "b.example", "c.example", "d.example"] {
            assert_eq!(folds.iter().filter(|fold| fold.contains(host)).count(), 1, "{host}");
        }
        for wrong in ["0/5", "6/5", "1", "a/b", "1/0"] {
            assert!(wrong.parse::<Fold>().is_err(), "{wrong}");
        }
    }
}
