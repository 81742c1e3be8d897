//! Collects the sources of settings: flags, environment and file.

use std::path::PathBuf;

use anyhow::Context as _;
use lodeward_app::data_dir::{CrawlRecord, DataDir};
use lodeward_app::seeds::template::Template;
use lodeward_app::settings::{
    self, Assignment, Config, ENVIRONMENT_PREFIX, EffectiveSettings, FlagOverride, SettingProblems, SettingSources,
    Table,
};

use serde::{Deserialize, Serialize};

use crate::args::{ConfigSourceArgs, DataDirArgs};
use crate::errors::UsageError;

/// The settings in effect: flags override a template, which overrides what the crawl remembers, which
/// overrides the environment, which overrides the file.
pub(crate) fn resolve(
    source: &ConfigSourceArgs,
    overrides: &[FlagOverride],
    template: Option<&Template>,
    crawl: Option<(String, Table)>,
) -> anyhow::Result<EffectiveSettings> {
    let sources = SettingSources {
        crawl,
        template: template.map(|template| (format!("template {}", template.name), template.settings.clone())),
        overrides: overrides.to_vec(),
        ..sources(source)?
    };
    Ok(settings::resolve(&sources)?)
}

/// The settings of a command that has no flags for single settings.
pub(crate) fn load_source(source: &ConfigSourceArgs) -> anyhow::Result<Config> {
    Ok(resolve(source, &[], None, None)?.config)
}

/// The settings that a crawl remembers, with its name for messages.
pub(crate) fn remembered(data_dir: &DataDir, record: &CrawlRecord) -> anyhow::Result<(String, Table)> {
    let mut settings = data_dir.crawl(record.id).settings().map_err(|error| UsageError {
        message: format!("{:#}", anyhow::Error::new(error)),
        hint: Some("`lodeward crawl --reset-settings` forgets the settings of the crawl".to_owned()),
    })?;
    record.add_to(&mut settings);
    Ok((format!("crawl `{}`", record.name), settings))
}

/// The settings of a command that reads a crawl: those that a resumed crawl would have.
pub(crate) fn load_crawl(
    source: &ConfigSourceArgs,
    overrides: &[FlagOverride],
    data_dir: &DataDir,
    record: &CrawlRecord,
) -> anyhow::Result<Config> {
    Ok(resolve(source, overrides, None, Some(remembered(data_dir, record)?))?.config)
}

/// The settings of a command that uses the archive.
pub(crate) fn load_config(data: &DataDirArgs) -> anyhow::Result<Config> {
    load_source(&data.source)
}

/// The sources of settings other than flags.
pub(crate) fn sources(source: &ConfigSourceArgs) -> anyhow::Result<SettingSources> {
    Ok(SettingsInput::read(source)?.sources()?)
}

/// The sources of settings other than flags, as they were when a command was started. The process
/// that holds the data directory gets them with a request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SettingsInput {
    file: Option<(PathBuf, String)>,
    environment: Vec<(String, String)>,
    set: Vec<String>,
}

impl SettingsInput {
    pub(crate) fn read(source: &ConfigSourceArgs) -> anyhow::Result<Self> {
        Ok(Self { file: read_config_file(source)?, environment: environment(), set: source.set.clone() })
    }

    fn sources(&self) -> Result<SettingSources, SettingProblems> {
        Ok(SettingSources {
            file: self.file.clone(),
            environment: self.environment.clone(),
            assignments: assignments(&self.set)?,
            ..SettingSources::default()
        })
    }

    /// The settings of a command that uses the archive.
    pub(crate) fn load(&self) -> Result<Config, SettingProblems> {
        Ok(settings::resolve(&self.sources()?)?.config)
    }

    /// The settings of a command that reads a crawl: those that a resumed crawl would have.
    pub(crate) fn load_crawl(&self, data_dir: &DataDir, record: &CrawlRecord) -> anyhow::Result<Config> {
        let sources = SettingSources { crawl: Some(remembered(data_dir, record)?), ..self.sources()? };
        Ok(settings::resolve(&sources)?.config)
    }
}

/// The file of --config, which must exist, or the default file, which need not.
fn read_config_file(source: &ConfigSourceArgs) -> anyhow::Result<Option<(PathBuf, String)>> {
    let path = source.config.clone().unwrap_or_else(|| PathBuf::from(settings::FILE_NAME));
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if source.config.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn environment() -> Vec<(String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        let name = name.into_string().ok().filter(|name| name.starts_with(ENVIRONMENT_PREFIX))?;
        Some((name, value.to_string_lossy().into_owned()))
    };
    let mut variables: Vec<_> = std::env::vars_os().filter_map(text).collect();
    variables.sort();
    variables
}

fn assignments(set: &[String]) -> Result<Vec<Assignment>, SettingProblems> {
    let (mut assignments, mut problems) = (Vec::new(), Vec::new());
    for text in set {
        match Assignment::parse(text) {
            Ok(assignment) => assignments.push(assignment),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(assignments) } else { Err(SettingProblems(problems)) }
}
