//! Settings: their table, their sources, and their validation.
//!
//! There is one section for each part of the program, and every key with a sensible default has
//! one. Sources override each other in this order: the defaults, `lodeward.toml`, the environment
//! (`LODEWARD_SECTION_KEY`), the settings that a crawl remembers, a seed template, flags, `--set KEY=VALUE`. [`resolve`] stores the
//! source of each value, and reports all problems of all sources at once.

use std::fmt;

pub use choices::{ProvenanceStorage, RankerSetting, StayScope, StrategyKind, StrategyTraits};
pub use example::example_file;
pub use layers::{
    Assignment, EffectiveSetting, EffectiveSettings, FlagOverride, IgnoredSetting, SettingOrigin, SettingSources,
    resolve,
};
pub(crate) use options::{discover_policy, engine_options, fetch_options, frontier_options, graph_names, scope};
pub use options::{domain_policy, extract_options, followed_links, max_siblings, refresh_intervals};
pub use reference_source::{ReferenceSource, ReferenceSourceError};
pub(crate) use remembered::add_record;
pub use remembered::{SettingChange, changed_settings, public_settings, stored_settings};
pub use row::{FlagCommand, FlagHeading, SettingFlag, SettingOwner, SettingRow, ValueRange, value_text};
pub use secret::SecretText;
pub use table::{
    BUNDLED_CONTEXTS, Config, CrawlSettings, DiscoverSettings, ExtractSettings, FetchSettings, HopSettings,
    LdcocSettings, LearnedSettings, LinkAnalysisSettings, NotifySettings, PolitenessSettings, PublishedRankingSettings,
    PublishedSearchSettings, ROWS, RankingSettings, RefreshSettings, RemoteStoreSettings, SECTIONS, SearchSettings,
    SeedSettings, ServiceSettings, StoreSettings, StrategySettings,
};
pub use toml::{Table, Value};
pub use tuning::StrategyTuning;
pub use value::{ByteSize, NamedValue, SettingKind};

mod choices;
mod derived;
mod example;
mod layers;
mod options;
mod print;
mod reference_source;
mod remembered;
mod renamed;
mod row;
mod rules;
mod secret;
mod suggest;
mod table;
#[cfg(test)]
mod tests;
mod tuning;
pub mod units;
mod value;

/// The file that is read if no other file is given.
pub const FILE_NAME: &str = "lodeward.toml";

/// The prefix of the environment variables that are settings.
pub const ENVIRONMENT_PREFIX: &str = "LODEWARD_";

/// A problem with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingProblem {
    /// The source of the setting: a file and line, a variable, or a flag.
    pub location: String,
    /// What is wrong, with the key.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// Section and key of the setting, if there is one.
    pub key: Option<String>,
}

impl fmt::Display for SettingProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.location, self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(formatter, "; hint: {hint}"))
    }
}

/// All problems of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingProblems(pub Vec<SettingProblem>);

impl fmt::Display for SettingProblems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingProblems {}
