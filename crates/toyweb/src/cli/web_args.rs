//! The arguments that select a web: a world, a replay or an entity graph.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use toyweb::UnknownHosts;
use toyweb::entities::{EntityWeb, EntityWebSources, ListedLinks};
use toyweb::replay::ReplayWeb;
use toyweb::world::{World, WorldParameters};

/// The parameters of a generated world.
#[derive(Debug, Args)]
#[command(next_help_heading = "World")]
pub(super) struct WorldArguments {
    /// Start from a preset: mixed, tiny, rdfxml, polite, faults, focus, …
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Read parameters from a TOML file.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Set one parameter, as in `--set links.max=20`; repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl WorldArguments {
    pub(super) fn build(&self) -> anyhow::Result<World> {
        let table = load_parameters(self.preset.as_deref(), self.parameters.as_deref(), &self.set)?;
        let hint = || format!("cannot generate the world (hint: presets are {})", WorldParameters::PRESETS.join(", "));
        let parameters = WorldParameters::from_toml(&table.to_string()).with_context(hint)?;
        World::new(parameters).with_context(hint)
    }
}

/// Reads the parameters of `file`, then applies `preset` and `settings` to them.
pub(super) fn load_parameters(
    preset: Option<&str>,
    file: Option<&Path>,
    settings: &[String],
) -> anyhow::Result<toml::Table> {
    let mut table = match file {
        None => toml::Table::new(),
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.with_context(|| format!("cannot read parameters `{}`", path.display()))?;
            text.parse().with_context(|| format!("cannot parse parameters `{}`", path.display()))?
        }
    };
    if let Some(preset) = preset {
        table.insert("preset".to_owned(), preset.into());
    }
    for setting in settings {
        apply_setting(&mut table, setting)?;
    }
    Ok(table)
}

/// Sets `a.b=value` in a table.
fn apply_setting(table: &mut toml::Table, setting: &str) -> anyhow::Result<()> {
    let (key, text) =
        setting.split_once('=').with_context(|| format!("invalid setting `{setting}`: expected KEY=VALUE"))?;
    // A text that is not a TOML value is a string, so that names need no nested quotes in a shell.
    let value = format!("value = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
    let value = value.unwrap_or_else(|| text.into());
    let (path, name) = key.trim().rsplit_once('.').unwrap_or(("", key.trim()));
    let mut target = table;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let entry = target.entry(part).or_insert_with(|| toml::Table::new().into());
        target = entry
            .as_table_mut()
            .with_context(|| format!("invalid setting `{setting}`: `{part}` is a value, not a table"))?;
    }
    target.insert(name.to_owned(), value);
    Ok(())
}

/// The response to requests for unknown hosts.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum UnknownHostsArgument {
    /// Answer 502, like a proxy that cannot reach the host.
    BadGateway,
    /// Close the connection.
    Dropped,
}

impl From<UnknownHostsArgument> for UnknownHosts {
    fn from(argument: UnknownHostsArgument) -> Self {
        match argument {
            UnknownHostsArgument::BadGateway => Self::BadGateway,
            UnknownHostsArgument::Dropped => Self::Dropped,
        }
    }
}

/// Arguments of `toyweb replay`.
#[derive(Debug, Args)]
pub(super) struct ReplayArguments {
    /// WARC files, compressed or not.
    #[arg(required = true, value_name = "WARC")]
    files: Vec<PathBuf>,
    /// Response to requests for hosts that were not recorded.
    #[arg(long, value_enum, default_value = "bad-gateway")]
    unknown_hosts: UnknownHostsArgument,
}

impl ReplayArguments {
    pub(super) fn build(&self) -> anyhow::Result<ReplayWeb> {
        open_replay(&self.files, self.unknown_hosts.into())
    }
}

/// Opens recordings and prints a warning for each unreadable part.
pub(super) fn open_replay(files: &[PathBuf], unknown_hosts: UnknownHosts) -> anyhow::Result<ReplayWeb> {
    let replay = ReplayWeb::open(files, unknown_hosts)?;
    for fault in replay.faults() {
        eprintln!("toyweb: recording was not read completely: {fault}");
    }
    Ok(replay)
}

/// Arguments of `toyweb entities`.
#[derive(Debug, Args)]
pub(super) struct EntityArguments {
    /// Tables of entities: tab-separated, with a header line (uri, label, …).
    #[arg(long, required = true, value_name = "FILE", num_args = 1..)]
    entities: Vec<PathBuf>,
    /// Tables of links: subject, predicate or `relation_id`, object.
    #[arg(long, required = true, value_name = "FILE", num_args = 1..)]
    links: Vec<PathBuf>,
    /// Omit links with this predicate; repeatable.
    #[arg(long, value_name = "PREDICATE")]
    hide: Vec<String>,
    /// List only the outgoing links of an entity, not the incoming ones.
    #[arg(long)]
    forward: bool,
    /// Response to requests for hosts without entities.
    #[arg(long, value_enum, default_value = "bad-gateway")]
    unknown_hosts: UnknownHostsArgument,
}

impl EntityArguments {
    pub(super) fn build(&self) -> anyhow::Result<EntityWeb> {
        EntityWeb::load(&EntityWebSources {
            entities: self.entities.clone(),
            links: self.links.clone(),
            hidden: self.hide.iter().cloned().collect(),
            listed: listed_links(self.forward),
            unknown_hosts: self.unknown_hosts.into(),
        })
    }
}

/// The tables of an entity web, for commands whose default is a generated world.
#[derive(Debug, Args)]
#[command(next_help_heading = "Entities")]
pub(super) struct OptionalEntities {
    /// Use the graph of these entity tables instead of a generated world.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["preset", "parameters", "set"])]
    entities: Vec<PathBuf>,
    /// Tables of links of that graph.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "entities")]
    links: Vec<PathBuf>,
    /// Omit links with this predicate; repeatable.
    #[arg(long, value_name = "PREDICATE", requires = "entities")]
    hide: Vec<String>,
    /// List only the outgoing links of an entity, not the incoming ones.
    #[arg(long, requires = "entities")]
    forward: bool,
}

impl OptionalEntities {
    /// The entity web, or `None` without `--entities`.
    pub(super) fn build(&self) -> anyhow::Result<Option<EntityWeb>> {
        if self.entities.is_empty() {
            return Ok(None);
        }
        let sources = EntityWebSources {
            entities: self.entities.clone(),
            links: self.links.clone(),
            hidden: self.hide.iter().cloned().collect(),
            listed: listed_links(self.forward),
            ..EntityWebSources::default()
        };
        EntityWeb::load(&sources).map(Some)
    }
}

fn listed_links(forward: bool) -> ListedLinks {
    if forward { ListedLinks::Forward } else { ListedLinks::BothWays }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_inserted_into_nested_tables() {
        let mut table: toml::Table = "seed = 1\n[links]\nmin = 2".parse().expect("TOML");

        for setting in ["seed=7", "links.max = 20", "kinds.turtle=0.5", "preset=tiny"] {
            apply_setting(&mut table, setting).expect("a setting");
        }

        let expected = "seed = 7\npreset = 'tiny'\n[links]\nmin = 2\nmax = 20\n[kinds]\nturtle = 0.5";
        assert_eq!(table, expected.parse().expect("TOML"));
        assert!(apply_setting(&mut table, "seed").is_err());
        assert!(apply_setting(&mut table, "seed.x=1").is_err());
    }
}
