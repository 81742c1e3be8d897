//! Finding crawls by name, and hints for crawls that cannot be opened.

use std::path::Path;

use lodeward::fetch::FetchOptionsError;
use lodeward::select::StrategyError;
use lodeward_app::assemble::AssembleError;
use lodeward_app::assemble::FoundCandidatesError;
use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::crawl_lock::CrawlLockError;
use lodeward_app::data_dir::{CrawlRecord, DataDir};
use lodeward_app::settings::{ROWS, SettingRow};

use crate::args::CrawlSelectorArgs;
use crate::errors::{DataInUseError, EmptyCrawlError, UsageError, explain_damage};
use crate::service_guard::require_unserved;

/// The selected crawl, which must exist.
pub(super) fn find(place: &CrawlSelectorArgs) -> anyhow::Result<(DataDir, CrawlRecord)> {
    find_at(&place.data, place)
}

/// As [`find`], in a process that has opened the data directory by another path.
pub(super) fn find_at(path: &Path, place: &CrawlSelectorArgs) -> anyhow::Result<(DataDir, CrawlRecord)> {
    if !path.is_dir() {
        let message = format!("data directory {} does not exist", place.data.display());
        let hint = Some("set the data directory of the crawl with --data".to_owned());
        return Err(anyhow::Error::new(UsageError { message, hint }));
    }
    let data_dir = DataDir::open(path)?;
    let record = find_by_name(&data_dir, &place.data, &place.name)?;
    Ok((data_dir, record))
}

/// The crawl of this name, which must exist.
pub(super) fn find_by_name(data_dir: &DataDir, data: &Path, name: &str) -> anyhow::Result<CrawlRecord> {
    if let Some(record) = data_dir.find(name)? {
        return Ok(record);
    }
    let names: Vec<String> = data_dir.list()?.into_iter().map(|record| record.name).collect();
    let hint =
        if names.is_empty() { "crawl first or set --data".to_owned() } else { format!("crawls: {}", names.join(", ")) };
    let message = format!("no crawl `{name}` in {}", data.display());
    Err(anyhow::Error::new(UsageError { message, hint: Some(hint) }))
}

/// Adds a hint to the error of a model that cannot be used.
pub(super) fn explain_assemble(error: AssembleError) -> anyhow::Error {
    match error {
        AssembleError::Strategy(error) => explain_strategy(error),
        AssembleError::Fetch(error @ FetchOptionsError::ProxyUnreachable { .. }) => {
            let hint = "start the proxy, or set another one with --proxy or HTTPS_PROXY".to_owned();
            anyhow::Error::new(EmptyCrawlError { message: error.to_string(), seeds: Vec::new(), hint: Some(hint) })
        }
        AssembleError::Found(error @ FoundCandidatesError::NoIndex) => {
            let hint = Some("set `search.index = true`, or leave out --candidate-words".to_owned());
            anyhow::Error::new(UsageError { message: error.to_string(), hint })
        }
        error => anyhow::Error::new(error),
    }
}

/// Adds a hint to the error of a crawl that is in use.
pub(super) fn explain_open(error: CrawlOpenError) -> anyhow::Error {
    match error {
        CrawlOpenError::InUse(ref directory) => {
            // `directory` is `crawls/N` in a data directory, which a service may be using.
            let served = directory.ancestors().nth(2).and_then(|data| require_unserved(data).err());
            let hint = "wait until the crawl ends, or stop it; commands that only read (`explain`, `changes`, \
                        `query`, `export`) work meanwhile";
            let in_use = || DataInUseError { message: error.to_string(), hint: hint.to_owned() };
            served.unwrap_or_else(in_use).into()
        }
        error => explain_damage(error),
    }
}

/// Adds a hint to the error of a data directory in which another crawl runs.
pub(super) fn explain_lock(error: &CrawlLockError) -> anyhow::Error {
    let message = error.to_string();
    let hint = "wait until it ends or stop it (commands that only read work meanwhile), use another \
                directory with --data, or run several crawls with `lodeward serve`, where they share their delays";
    UsageError { message, hint: Some(hint.to_owned()) }.into()
}

/// Adds a hint to the error of a strategy that cannot start.
pub(super) fn explain_strategy(error: StrategyError) -> anyhow::Error {
    if let StrategyError::Setting(message) = &error
        && let Some((message, hint)) = message.split_once("; hint: ")
    {
        return UsageError { message: message.to_owned(), hint: Some(name_flags(hint)) }.into();
    }
    let hint = match error {
        StrategyError::File { .. } | StrategyError::Model(_) => {
            Some("--model takes the model of another crawl: crawls/1/model in its data directory".to_owned())
        }
        _ => None,
    };
    anyhow::Error::new(UsageError { message: format!("{:#}", anyhow::Error::new(error)), hint })
}

/// Adds the flags of settings to a hint: `strategy.initial_model` is set by --model.
fn name_flags(hint: &str) -> String {
    let with_flag = |hint: String, row: &SettingRow| match row.flag {
        Some(flag) => hint.replace(&format!("`{}`", row.name()), &format!("{} (`{}`)", flag.name, row.name())),
        None => hint,
    };
    ROWS.iter().fold(hint.to_owned(), with_flag)
}

#[cfg(test)]
mod tests {
    use super::name_flags;

    #[test]
    fn a_hint_names_the_flag_of_a_setting() {
        assert_eq!(name_flags("set `strategy.initial_model`"), "set --model (`strategy.initial_model`)");
        assert_eq!(name_flags("set `store.graph_base_iri`"), "set `store.graph_base_iri`");
    }
}
