//! What can be set, and who set it.
//!
//! There is one section for each room, with a default for every key that has a
//! sensible one. Layers are laid over each other: the defaults, then
//! `lodeward.toml`, then the environment (`LODEWARD_SECTION_KEY`), then flags;
//! the uppermost that says something about a key is right. [`resolve`] keeps
//! for each key where its value came from, and reports everything that is wrong
//! in any layer at once.

use std::fmt;

pub use layers::{Effective, Origin, Override, Setting, Sources, resolve};
pub use sections::{
    Attrition, Config, Crawl, Discover, Endpoints, Extract, Fetch, Focus, Frontier, Jaccard, KEYS, Links, Politeness,
    Provenance, Ranker, Refresh, Seeds, Select, Service, Sparql, StayOn, Store, Strategy,
};
pub use toml::Value;

mod check;
mod layers;
mod print;
mod sections;
#[cfg(test)]
mod tests;

/// The file that is read when no other is named.
pub const FILE_NAME: &str = "lodeward.toml";

/// How the names of environment variables begin.
pub const ENVIRONMENT_PREFIX: &str = "LODEWARD_";

/// Something wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Who said it: a file and its line, a variable, a flag.
    pub place: String,
    /// What is wrong, naming the key.
    pub what: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.what)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(formatter, "; {hint}"))
    }
}

/// Everything that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
