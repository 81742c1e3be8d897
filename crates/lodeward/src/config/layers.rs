//! Layers, laid over each other.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::check::check;
use super::{Config, ENVIRONMENT_PREFIX, KEYS, Problem, Problems};

/// What is said about settings, and by whom. Defaults aside.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The name and text of a configuration file.
    pub file: Option<(PathBuf, String)>,
    /// Environment variables; those that do not begin with
    /// [`ENVIRONMENT_PREFIX`] are passed over.
    pub environment: Vec<(String, String)>,
    /// A seed template, as it is told (`template geography`), and what it says, section
    /// by section. Or whatever else is between the file and the flags.
    pub template: Option<(String, Table)>,
    /// What flags say. Of two for one key the last one is right.
    pub overrides: Vec<Override>,
}

/// A setting made by a flag.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Section and key: `crawl.max_depth`.
    pub key: &'static str,
    /// The value.
    pub value: Value,
    /// The flag: `--max-depth`.
    pub flag: &'static str,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// A line of a file, counted from 1.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(String),
    /// A seed template, or what stands in its place.
    Template(String),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(path, line) => write!(formatter, "{}:{line}", path.display()),
            Self::Environment(variable) => formatter.write_str(variable),
            Self::Template(name) => formatter.write_str(name),
            Self::Flag(flag) => formatter.write_str(flag),
        }
    }
}

/// The settings that hold, and where they came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// The settings.
    pub config: Config,
    /// All of them, one by one, in the order of declaration.
    pub settings: Vec<Setting>,
}

/// One setting that holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The section.
    pub section: &'static str,
    /// The key.
    pub key: &'static str,
    /// The value; `None` for a key without one.
    pub value: Option<Value>,
    /// Where it came from.
    pub origin: Origin,
}

/// Lays all layers over each other.
pub fn resolve(sources: &Sources) -> Result<Effective, Problems> {
    let mut layers = Layers::default();
    if let Some((path, text)) = &sources.file {
        layers.file(path, text);
    }
    for (variable, text) in &sources.environment {
        layers.variable(variable, text);
    }
    if let Some((name, settings)) = &sources.template {
        layers.template(name, settings);
    }
    for Override { key, value, flag } in &sources.overrides {
        let (section, key) = key.split_once('.').expect("a key is written with its section");
        layers.set(section, key, &[value], Origin::Flag(flag));
    }
    layers.finish()
}

#[derive(Default)]
struct Layers {
    said: BTreeMap<(&'static str, &'static str), (Value, Origin)>,
    problems: Vec<(Origin, Problem)>,
}

impl Layers {
    fn file(&mut self, path: &Path, text: &str) {
        let line = |span: Range<usize>| 1 + text[..span.start].matches('\n').count();
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let origin = Origin::File(path.to_path_buf(), error.span().map_or(1, line));
            self.problem(&origin, error.message().to_owned(), None);
        }
        for (section, content) in table.into_inner() {
            let origin = Origin::File(path.to_path_buf(), line(section.span()));
            let DeValue::Table(keys) = content.into_inner() else {
                let what = format!("`{}` is outside of its section", section.get_ref());
                let home = KEYS.iter().find(|(_, keys)| keys.contains(&section.get_ref().as_ref()));
                self.problem(&origin, what, home.map(|(home, _)| format!("put it below [{home}]")));
                continue;
            };
            if !KEYS.iter().any(|(known, _)| *known == section.get_ref()) {
                let what = format!("unknown section `{}`", section.get_ref());
                self.problem(&origin, what, nearest(section.get_ref(), KEYS.iter().map(|(known, _)| *known)));
                continue;
            }
            for (key, value) in keys {
                let origin = Origin::File(path.to_path_buf(), line(key.span()));
                match owned(value) {
                    Ok(value) => self.set(section.get_ref(), key.get_ref(), &[&value], origin),
                    Err(error) => {
                        let what = format!("{}.{}: {}", section.get_ref(), key.get_ref(), error.message());
                        self.problem(&origin, what, None);
                    }
                }
            }
        }
    }

    fn variable(&mut self, variable: &str, text: &str) {
        /// Variables with our prefix that are not settings.
        const OTHERS: &[&str] = &[
            "LODEWARD_LOG",
            "LODEWARD_OXIGRAPH",
            "LODEWARD_PYTHON",
            "LODEWARD_SHARED",
            "LODEWARD_SKIPPED",
            // Of those who ask a service, as docs/api.md does.
            "LODEWARD_TOKEN",
            "LODEWARD_TORTURE",
        ];
        let Some(name) = variable.strip_prefix(ENVIRONMENT_PREFIX).filter(|_| !OTHERS.contains(&variable)) else {
            return;
        };
        let name = name.to_ascii_lowercase();
        let origin = Origin::Environment(variable.to_owned());
        let section =
            KEYS.iter().find_map(|(section, _)| Some((*section, name.strip_prefix(section)?.strip_prefix('_')?)));
        let Some((section, key)) = section else {
            let names = KEYS.iter().flat_map(|(section, keys)| keys.iter().map(move |key| variable_name(section, key)));
            let names: Vec<String> = names.collect();
            let hint = nearest(variable, names.iter().map(String::as_str));
            let what = "names no setting (LODEWARD_SECTION_KEY would)".to_owned();
            return self.problem(&origin, what, hint);
        };
        // A variable has no type: `7` may be a number or a contact, and a
        // single pattern is a list of one.
        let text_value = Value::from(text);
        let typed =
            toml::from_str::<Table>(&format!("value = {text}")).ok().and_then(|mut table| table.remove("value"));
        let list = Value::Array(vec![text_value.clone()]);
        let meanings: Vec<&Value> = typed.iter().chain([&text_value, &list]).collect();
        self.set(section, key, &meanings, origin);
    }

    fn template(&mut self, name: &str, settings: &Table) {
        let origin = Origin::Template(name.to_owned());
        for (section, keys) in settings {
            if !KEYS.iter().any(|(known, _)| known == section) {
                let hint = nearest(section, KEYS.iter().map(|(known, _)| *known));
                self.problem(&origin, format!("unknown section `{section}`"), hint);
                continue;
            }
            for (key, value) in keys.as_table().into_iter().flatten() {
                self.set(section, key, &[value], origin.clone());
            }
        }
    }

    /// Sets a key to the first of some meanings that is of its type.
    fn set(&mut self, section: &str, key: &str, meanings: &[&Value], origin: Origin) {
        let (section, keys) = KEYS.iter().find(|(known, _)| *known == section).expect("a section that exists");
        let Some(key) = keys.iter().find(|known| **known == key) else {
            let what = format!("unknown key `{key}` in [{section}]");
            return self.problem(&origin, what, nearest(key, keys.iter().copied()));
        };
        let attempts = meanings.iter().map(|value| typed(section, key, value).map(|()| *value));
        let mut failure = None;
        for attempt in attempts {
            match attempt {
                Ok(value) => {
                    self.said.insert((section, key), (value.clone(), origin));
                    return;
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        self.problem(&origin, format!("{section}.{key}: {}", failure.unwrap_or_default()), None);
    }

    fn problem(&mut self, origin: &Origin, what: String, hint: Option<String>) {
        self.problems.push((origin.clone(), Problem { place: origin.to_string(), what, hint }));
    }

    fn finish(mut self) -> Result<Effective, Problems> {
        let mut table = Table::new();
        for ((section, key), (value, _)) in &self.said {
            let section = table.entry(*section).or_insert_with(|| Table::new().into());
            section.as_table_mut().expect("sections are tables").insert((*key).to_owned(), value.clone());
        }
        let config = Config::deserialize(table).expect("every value has been tried");
        for (name, what) in check(&config) {
            let (section, key) = name.split_once('.').expect("a key is written with its section");
            let said = self.said.iter().find(|((s, k), _)| (*s, *k) == (section, key));
            let origin = said.map_or(Origin::Default, |(_, (_, origin))| origin.clone());
            self.problem(&origin, format!("{name}: {what}"), None);
        }
        if !self.problems.is_empty() {
            return Err(in_order(self.problems));
        }
        let settings = settings(&config, &self.said);
        Ok(Effective { config, settings })
    }
}

/// Problems in the order of what people have before their eyes. Of two in one
/// line of a file the first is told: the second follows from it.
fn in_order(mut problems: Vec<(Origin, Problem)>) -> Problems {
    problems.sort_by_key(|(origin, _)| match origin {
        Origin::File(_, line) => (0, *line),
        Origin::Environment(_) => (1, 0),
        Origin::Template(_) => (2, 0),
        Origin::Flag(_) => (3, 0),
        Origin::Default => (4, 0),
    });
    problems.dedup_by(|(later, _), (earlier, _)| matches!(later, Origin::File(..)) && later == earlier);
    Problems(problems.into_iter().map(|(_, problem)| problem).collect())
}

fn settings(config: &Config, said: &BTreeMap<(&'static str, &'static str), (Value, Origin)>) -> Vec<Setting> {
    let values = Table::try_from(config).expect("a configuration is a table");
    let of = |section: &'static str, key: &'static str| {
        let value = values.get(section).and_then(|section| section.get(key)).cloned();
        let origin = said.get(&(section, key)).map_or(Origin::Default, |(_, origin)| origin.clone());
        Setting { section, key, value, origin }
    };
    KEYS.iter().flat_map(|(section, keys)| keys.iter().map(move |key| of(section, key))).collect()
}

/// The environment variable of a key.
pub(super) fn variable_name(section: &str, key: &str) -> String {
    format!("{ENVIRONMENT_PREFIX}{section}_{key}").to_ascii_uppercase()
}

/// Whether a value is of the type of its key.
fn typed(section: &str, key: &str, value: &Value) -> Result<(), String> {
    let keys = Table::from_iter([(key.to_owned(), value.clone())]);
    let table = Table::from_iter([(section.to_owned(), keys.into())]);
    let config = Config::deserialize(table);
    config.map(drop).map_err(|error| error.message().to_owned())
}

/// A value with its numbers read, which may be too large for their type.
fn owned(value: Spanned<DeValue<'_>>) -> Result<Value, toml::de::Error> {
    use serde::de::IntoDeserializer as _;
    Value::deserialize(value.into_deserializer())
}

/// The name that comes nearest to what was written, if any comes near.
fn nearest<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let (distance, name) = names.map(|name| (distance(written, name), name)).min()?;
    (distance <= 1 + name.len() / 4).then(|| format!("did you mean `{name}` ?"))
}

/// Levenshtein's distance: letters to insert, delete or replace.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, a) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, b) in right.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
