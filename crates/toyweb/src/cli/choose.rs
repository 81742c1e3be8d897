//! Which web: the arguments that make one.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use toyweb::Elsewhere;
use toyweb::entities::{EntityWeb, Listed, Sources};
use toyweb::replay::Replay;
use toyweb::world::{Parameters, World};

/// What a generated world is like.
#[derive(Debug, Args)]
#[command(next_help_heading = "World")]
pub(super) struct WorldArguments {
    /// Start from a world with a name: mixed, tiny, rdfxml, polite, faults, focus, …
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Read the parameters from a TOML file.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Set one parameter, as in `--set links.max=20`; repeat for several.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl WorldArguments {
    pub(super) fn build(&self) -> anyhow::Result<World> {
        let table = table(self.preset.as_deref(), self.parameters.as_deref(), &self.set)?;
        let hint = || format!("cannot make this world (hint: the presets are {})", Parameters::PRESETS.join(", "));
        let parameters = Parameters::from_toml(&table.to_string()).with_context(hint)?;
        World::new(parameters).with_context(hint)
    }
}

/// The parameters of a file, with a preset and settings laid over them.
pub(super) fn table(preset: Option<&str>, file: Option<&Path>, settings: &[String]) -> anyhow::Result<toml::Table> {
    let mut table = match file {
        None => toml::Table::new(),
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.with_context(|| format!("cannot read the parameters {}", path.display()))?;
            text.parse().with_context(|| format!("the parameters {} are not TOML", path.display()))?
        }
    };
    if let Some(preset) = preset {
        table.insert("preset".to_owned(), preset.into());
    }
    for setting in settings {
        set(&mut table, setting)?;
    }
    Ok(table)
}

/// Puts `a.b=value` into a table.
fn set(table: &mut toml::Table, setting: &str) -> anyhow::Result<()> {
    let (key, text) = setting.split_once('=').with_context(|| format!("`{setting}` is not of the form KEY=VALUE"))?;
    // What is not a number, a truth value or the like is a string, so that
    // names need no quotes within quotes.
    let value = format!("value = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
    let value = value.unwrap_or_else(|| text.into());
    let (path, name) = key.trim().rsplit_once('.').unwrap_or(("", key.trim()));
    let mut within = table;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let entry = within.entry(part).or_insert_with(|| toml::Table::new().into());
        within = entry.as_table_mut().with_context(|| format!("`{part}` in `{setting}` is a value, not a table"))?;
    }
    within.insert(name.to_owned(), value);
    Ok(())
}

/// What hosts do that a web does not have.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ElsewhereArgument {
    /// Answer 502, as a proxy does that cannot reach the host.
    BadGateway,
    /// Close the connection.
    Dropped,
}

impl From<ElsewhereArgument> for Elsewhere {
    fn from(argument: ElsewhereArgument) -> Self {
        match argument {
            ElsewhereArgument::BadGateway => Self::BadGateway,
            ElsewhereArgument::Dropped => Self::Dropped,
        }
    }
}

/// Which recordings.
#[derive(Debug, Args)]
pub(super) struct ReplayArguments {
    /// WARC files, compressed or not.
    #[arg(required = true, value_name = "WARC")]
    files: Vec<PathBuf>,
    /// What becomes of requests to hosts that were not recorded.
    #[arg(long, value_enum, default_value = "bad-gateway")]
    elsewhere: ElsewhereArgument,
}

impl ReplayArguments {
    pub(super) fn build(&self) -> anyhow::Result<Replay> {
        open_replay(&self.files, self.elsewhere.into())
    }
}

/// Opens recordings, and says what could not be read of them.
pub(super) fn open_replay(files: &[PathBuf], elsewhere: Elsewhere) -> anyhow::Result<Replay> {
    let replay = Replay::open(files, elsewhere)?;
    for fault in replay.faults() {
        eprintln!("toyweb: used as far as it could be read: {fault}");
    }
    Ok(replay)
}

/// Which graph.
#[derive(Debug, Args)]
pub(super) struct EntityArguments {
    /// Tables of entities: tab-separated, with headings (uri, label, …).
    #[arg(long, required = true, value_name = "FILE", num_args = 1..)]
    entities: Vec<PathBuf>,
    /// Tables of links: subject, predicate or `relation_id`, object.
    #[arg(long, required = true, value_name = "FILE", num_args = 1..)]
    links: Vec<PathBuf>,
    /// Do not tell links with this predicate; repeat for several.
    #[arg(long, value_name = "PREDICATE")]
    hide: Vec<String>,
    /// List only the links that go out from an entity, not those that lead to it.
    #[arg(long)]
    forward: bool,
    /// What becomes of requests to hosts without entities.
    #[arg(long, value_enum, default_value = "bad-gateway")]
    elsewhere: ElsewhereArgument,
}

impl EntityArguments {
    pub(super) fn build(&self) -> anyhow::Result<EntityWeb> {
        EntityWeb::load(&Sources {
            entities: self.entities.clone(),
            links: self.links.clone(),
            hidden: self.hide.iter().cloned().collect(),
            listed: listed(self.forward),
            elsewhere: self.elsewhere.into(),
        })
    }
}

/// The tables of an entity web, where another web is the default.
#[derive(Debug, Args)]
#[command(next_help_heading = "Entities")]
pub(super) struct OptionalEntities {
    /// Take the graph of these tables of entities instead of a generated world.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["preset", "parameters", "set"])]
    entities: Vec<PathBuf>,
    /// The tables of links of that graph.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "entities")]
    links: Vec<PathBuf>,
    /// Do not tell links with this predicate; repeat for several.
    #[arg(long, value_name = "PREDICATE", requires = "entities")]
    hide: Vec<String>,
    /// List only the links that go out from an entity, not those that lead to it.
    #[arg(long, requires = "entities")]
    forward: bool,
}

impl OptionalEntities {
    /// The entity web; `None` if it is not the one that is asked for.
    pub(super) fn build(&self) -> anyhow::Result<Option<EntityWeb>> {
        if self.entities.is_empty() {
            return Ok(None);
        }
        let sources = Sources {
            entities: self.entities.clone(),
            links: self.links.clone(),
            hidden: self.hide.iter().cloned().collect(),
            listed: listed(self.forward),
            ..Sources::default()
        };
        EntityWeb::load(&sources).map(Some)
    }
}

fn listed(forward: bool) -> Listed {
    if forward { Listed::Forward } else { Listed::BothWays }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_laid_into_tables() {
        let mut table: toml::Table = "seed = 1\n[links]\nmin = 2".parse().expect("TOML");

        for setting in ["seed=7", "links.max = 20", "kinds.turtle=0.5", "preset=tiny"] {
            set(&mut table, setting).expect("a setting");
        }

        let expected = "seed = 7\npreset = 'tiny'\n[links]\nmin = 2\nmax = 20\n[kinds]\nturtle = 0.5";
        assert_eq!(table, expected.parse().expect("TOML"));
        assert!(set(&mut table, "seed").is_err());
        assert!(set(&mut table, "seed.x=1").is_err());
    }
}
