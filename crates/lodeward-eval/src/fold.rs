//! Hosts in parts, so that something can be learned on some and tried on others.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use lodeward::model::Pld;
use lodeward::select::hash::murmur3;

use crate::web::Web;

/// One of several parts of the hosts. Which part a host is in depends on the name
/// of its pay-level domain alone: what is learned about one host of a domain says
/// too much about the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Which part, counted from 1.
    pub part: u32,
    /// Of how many.
    pub parts: u32,
}

impl Fold {
    /// Whether a host is in this part.
    #[must_use]
    pub fn holds(self, host: &str) -> bool {
        Self::of(host, self.parts) == self.part - 1
    }

    /// Which of so many parts a host is in, counted from 0.
    #[must_use]
    pub fn of(host: &str, parts: u32) -> u32 {
        murmur3(Pld::of_host(host).as_str().as_bytes(), 0) % parts
    }

    /// The hosts of a web that are in this part, or those that are not.
    #[must_use]
    pub fn hosts(self, web: &Web, is_in: bool) -> HashSet<String> {
        let hosts = web.pages.iter().map(|page| page.uri.host());
        hosts.filter(|host| self.holds(host) == is_in).map(str::to_owned).collect()
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
            _ => Err(format!("`{text}` is not a part such as 1/5")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_in_one_part() {
        let folds: Vec<Fold> = (1..=3).map(|part| format!("{part}/3").parse().unwrap()).collect();

        for host in ["a.example", "b.example", "c.example", "d.example"] {
            assert_eq!(folds.iter().filter(|fold| fold.holds(host)).count(), 1, "{host}");
        }
        for wrong in ["0/5", "6/5", "1", "a/b", "1/0"] {
            assert!(wrong.parse::<Fold>().is_err(), "{wrong}");
        }
    }
}
