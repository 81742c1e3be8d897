//! Merges the sources of settings.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::units::HINT_SEPARATOR;
use super::{
    Config, ENVIRONMENT_PREFIX, ROWS, SECTIONS, SettingKind, SettingProblem, SettingProblems, SettingRow, renamed,
    rules, suggest, value_text,
};

/// The sources of settings, except the defaults.
#[derive(Clone, Debug, Default)]
pub struct SettingSources {
    /// The name and text of a configuration file.
    pub file: Option<(PathBuf, String)>,
    /// Environment variables; those without [`ENVIRONMENT_PREFIX`] are ignored.
    pub environment: Vec<(String, String)>,
    /// The settings that a crawl remembers by section, with its name for messages.
    pub crawl: Option<(String, Table)>,
    /// The settings of a seed template by section, with the name of the template for messages
    /// (`template geography`).
    pub template: Option<(String, Table)>,
    /// Flags. If a key is set twice, the last flag takes effect.
    pub overrides: Vec<FlagOverride>,
    /// Assignments by key, from `--set`. They override flags.
    pub assignments: Vec<Assignment>,
}

/// A setting made by its flag.
#[derive(Clone, Debug)]
pub struct FlagOverride {
    /// The setting, which has a flag.
    pub row: &'static SettingRow,
    /// The value that the flag sets.
    pub value: Value,
}

/// A setting by section and key, with a value whose type is not determined yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Section and key: `crawl.hops.strict`.
    pub key: String,
    /// The value: TOML, or a text if it is not valid TOML.
    pub value: String,
    /// The source of the assignment, for messages: `--set crawl.hops.strict=true`.
    pub origin: String,
}

impl Assignment {
    /// Parses the `KEY=VALUE` of `--set`.
    pub fn parse(text: &str) -> Result<Self, SettingProblem> {
        let origin = format!("--set {text}");
        match text.split_once('=') {
            Some((key, value)) => Ok(Self { key: key.trim().to_owned(), value: value.trim().to_owned(), origin }),
            None => Err(SettingProblem {
                location: origin,
                message: format!("`{text}` is not of the form KEY=VALUE"),
                hint: Some("write KEY=VALUE, such as crawl.max_depth=3".to_owned()),
                key: None,
            }),
        }
    }
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The default of the setting.
    Default,
    /// A line of a file, counted from 1.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(String),
    /// The settings that a crawl remembers.
    Crawl(String),
    /// A seed template.
    Template(String),
    /// A command-line flag.
    Flag(&'static str),
    /// An assignment with `--set`.
    Assignment(String),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(path, line) => write!(formatter, "{}:{line}", path.display()),
            Self::Environment(name) | Self::Crawl(name) | Self::Template(name) | Self::Assignment(name) => {
                formatter.write_str(name)
            }
            Self::Flag(flag) => formatter.write_str(flag),
        }
    }
}

/// The settings in effect, and their sources.
#[derive(Clone, Debug)]
pub struct EffectiveSettings {
    /// The settings, merged from all sources.
    pub config: Config,
    /// Every setting with its value and source, in the order of declaration.
    pub settings: Vec<EffectiveSetting>,
    /// Values of the file and of the environment that the settings of the crawl override.
    pub ignored: Vec<IgnoredSetting>,
}

/// A value that the settings of a crawl override.
#[derive(Clone, Debug)]
pub struct IgnoredSetting {
    /// The setting.
    pub row: &'static SettingRow,
    /// The value that has no effect.
    pub value: Value,
    /// The source of the value.
    pub origin: SettingOrigin,
}

impl fmt::Display for IgnoredSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = {} ({})", self.row.name(), value_text(&self.value), self.origin)
    }
}

/// One setting in effect.
#[derive(Clone, Debug)]
pub struct EffectiveSetting {
    /// The setting.
    pub row: &'static SettingRow,
    /// The value; `None` if the key has none.
    pub value: Option<Value>,
    /// The source of the value.
    pub origin: SettingOrigin,
}

/// Merges all sources.
pub fn resolve(sources: &SettingSources) -> Result<EffectiveSettings, SettingProblems> {
    let mut layers = SettingLayers::default();
    if let Some((path, text)) = &sources.file {
        layers.apply_file(path, text);
    }
    for (variable, text) in &sources.environment {
        layers.apply_variable(variable, text);
    }
    if let Some((name, settings)) = &sources.crawl {
        layers.apply_crawl(name, settings);
    }
    if let Some((name, settings)) = &sources.template {
        layers.apply_table(&SettingOrigin::Template(name.clone()), settings);
    }
    for FlagOverride { row, value } in &sources.overrides {
        let flag = row.flag.map_or(row.key, |flag| flag.name);
        layers.set(row.section, row.key, &[value], SettingOrigin::Flag(flag));
    }
    for assignment in &sources.assignments {
        layers.apply_assignment(assignment);
    }
    layers.finish()
}

pub(super) type SectionAndKey = (&'static str, &'static str);

#[derive(Default)]
struct SettingLayers {
    config: Config,
    origins: BTreeMap<SectionAndKey, SettingOrigin>,
    problems: Vec<(SettingOrigin, SettingProblem)>,
    ignored: Vec<IgnoredSetting>,
}

impl SettingLayers {
    fn apply_file(&mut self, path: &Path, text: &str) {
        let line = |span: Range<usize>| 1 + text[..span.start].matches('\n').count();
        let origin = |span: Range<usize>| SettingOrigin::File(path.to_path_buf(), line(span));
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            self.add_problem(&origin(error.span().unwrap_or(0..0)), error.message().to_owned(), None);
        }
        for (section, content) in table.into_inner() {
            match content.into_inner() {
                DeValue::Table(keys) => self.apply_file_section(section.get_ref(), keys, section.span(), &origin),
                _ => self.add_homeless_key(&origin(section.span()), section.get_ref()),
            }
        }
    }

    fn apply_file_section(
        &mut self,
        section: &str,
        keys: DeTable<'_>,
        span: Range<usize>,
        origin: &impl Fn(Range<usize>) -> SettingOrigin,
    ) {
        if !self.check_section(section, &origin(span)) {
            for key in keys.keys() {
                self.add_former_key(section, key.get_ref(), &origin(key.span()));
            }
            return;
        }
        for (key, value) in keys {
            let path = format!("{section}.{}", key.get_ref());
            let place = origin(key.span());
            match value.get_ref() {
                DeValue::Table(_) if is_section(&path) => {
                    let DeValue::Table(keys) = value.into_inner() else { unreachable!("the value is a table") };
                    self.apply_file_section(&path, keys, key.span(), origin);
                }
                _ => match to_value(value) {
                    Ok(value) => self.set(section, key.get_ref(), &[&value], place),
                    Err(error) => self.add_problem(&place, format!("{path}: {}", error.message()), None),
                },
            }
        }
    }

    fn apply_variable(&mut self, variable: &str, text: &str) {
        /// Variables with the prefix of settings that are not settings: the log filter, the token
        /// of a client of the service (docs/api.md), and the test data.
        const OTHER_VARIABLES: &[&str] = &["LODEWARD_LOG", "LODEWARD_TOKEN", "LODEWARD_SHARED"];
        const TEST_PREFIX: &str = "LODEWARD_TEST_";
        if !variable.starts_with(ENVIRONMENT_PREFIX)
            || variable.starts_with(TEST_PREFIX)
            || OTHER_VARIABLES.contains(&variable)
        {
            return;
        }
        let origin = SettingOrigin::Environment(variable.to_owned());
        if let Some(row) = ROWS.iter().find(|row| row.variable() == variable) {
            return self.set_untyped(row.section, row.key, text, origin);
        }
        // The section exists, but the key does not.
        let section_of = |(section, _): &(&'static str, &str)| {
            let key = variable.strip_prefix(&variable_name(section, ""))?;
            Some((*section, key.to_ascii_lowercase()))
        };
        // If several sections match, the one with the longest prefix is the subsection.
        if let Some((section, key)) = SECTIONS.iter().filter_map(section_of).max_by_key(|(section, _)| section.len()) {
            return self.set_untyped(section, &key, text, origin);
        }
        let names: Vec<String> = ROWS.iter().map(SettingRow::variable).collect();
        let nearest = || suggest::nearest_name(variable, names.iter().map(String::as_str));
        let variable_of = |name| {
            let (section, key) = split_key(name);
            variable_name(section, key)
        };
        let former = renamed::KEYS.iter().find(|(old, _)| variable_of(old) == variable);
        let former = former.map(|(_, new)| format!("did you mean `{}`?", variable_of(new)));
        let is_removed = renamed::REMOVED.iter().any(|old| variable_of(old) == variable);
        let removed = is_removed.then(|| suggest::REMOVED_HINT.to_owned());
        let hint = former.or(removed).or_else(nearest);
        self.add_problem(&origin, "no such setting; variables are named LODEWARD_SECTION_KEY".to_owned(), hint);
    }

    fn apply_crawl(&mut self, name: &str, settings: &Table) {
        let (before, origins) = (self.config.clone(), self.origins.clone());
        self.apply_table(&SettingOrigin::Crawl(name.to_owned()), settings);
        let overridden = |row: &'static SettingRow| {
            let value = row.value(&before).filter(|value| row.value(&self.config).as_ref() != Some(value))?;
            let origin = origins.get(&(row.section, row.key))?.clone();
            Some(IgnoredSetting { row, value, origin })
        };
        self.ignored = ROWS.iter().filter_map(overridden).collect();
    }

    fn apply_table(&mut self, origin: &SettingOrigin, settings: &Table) {
        for (section, keys) in settings {
            match keys.as_table() {
                Some(keys) => self.apply_section(origin, section, keys),
                None => self.add_homeless_key(origin, section),
            }
        }
    }

    fn apply_section(&mut self, origin: &SettingOrigin, section: &str, keys: &Table) {
        if !self.check_section(section, origin) {
            return;
        }
        for (key, value) in keys {
            let path = format!("{section}.{key}");
            match value.as_table().filter(|_| is_section(&path)) {
                Some(keys) => self.apply_section(origin, &path, keys),
                None => self.set(section, key, &[value], origin.clone()),
            }
        }
    }

    fn apply_assignment(&mut self, Assignment { key, value, origin }: &Assignment) {
        let origin = SettingOrigin::Assignment(origin.clone());
        let Some((section, key)) = key.rsplit_once('.') else { return self.add_homeless_key(&origin, key) };
        if !self.add_former_key(section, key, &origin) && self.check_section(section, &origin) {
            self.set_untyped(section, key, value, origin);
        }
    }

    /// Adds a problem if this key was renamed or removed. Returns whether it was.
    fn add_former_key(&mut self, section: &str, key: &str, origin: &SettingOrigin) -> bool {
        let is_former = renamed::key(section, key).is_some() || renamed::is_removed(section, key);
        if is_former {
            let what = format!("unknown key `{key}` in [{section}]");
            self.add_problem_of(format!("{section}.{key}"), origin, what, suggest::for_key(section, key));
        }
        is_former
    }

    /// Adds a problem if there is no such section. Returns whether the section exists.
    fn check_section(&mut self, section: &str, origin: &SettingOrigin) -> bool {
        let is_known = is_section(section);
        if !is_known {
            self.add_problem(origin, format!("unknown section `{section}`"), suggest::for_section(section));
        }
        is_known
    }

    fn add_homeless_key(&mut self, origin: &SettingOrigin, key: &str) {
        let hint = suggest::home(key).map(|home| match origin {
            SettingOrigin::File(..) => format!("put `{key}` below [{home}]"),
            _ => format!("write `{home}.{key}`"),
        });
        self.add_problem(origin, format!("`{key}` is outside of its section"), hint);
    }

    /// Sets a key to a text whose type is not determined yet: `7` may be a number or a contact, and
    /// a single pattern may be a list of one.
    fn set_untyped(&mut self, section: &str, key: &str, text: &str, origin: SettingOrigin) {
        let text_value = Value::from(text);
        let typed =
            toml::from_str::<Table>(&format!("value = {text}")).ok().and_then(|mut table| table.remove("value"));
        let list = Value::Array(vec![text_value.clone()]);
        let meanings: Vec<&Value> = typed.iter().chain([&text_value, &list]).collect();
        self.set(section, key, &meanings, origin);
    }

    /// Sets a key to the first of some values that has the type of the key.
    fn set(&mut self, section: &str, key: &str, values: &[&Value], origin: SettingOrigin) {
        let Some(row) = ROWS.iter().find(|row| (row.section, row.key) == (section, key)) else {
            let what = format!("unknown key `{key}` in [{section}]");
            return self.add_problem_of(format!("{section}.{key}"), &origin, what, suggest::for_key(section, key));
        };
        let name = row.name();
        if row.kind == SettingKind::Secret && !matches!(origin, SettingOrigin::Environment(_)) {
            let what = format!("{name}: secrets are read from the environment or from a file of their own");
            let hint = format!("set {}, or `{name}_file`", row.variable());
            return self.add_problem_of(name, &origin, what, Some(hint));
        }
        let mut failure = None;
        for value in values {
            match row.set(&mut self.config, value) {
                Ok(()) => {
                    self.origins.insert((row.section, row.key), origin);
                    return;
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let failure = failure.unwrap_or_default();
        let (what, hint) = match failure.split_once(HINT_SEPARATOR) {
            Some((what, hint)) => (what, Some(hint.to_owned())),
            None => (failure.as_str(), None),
        };
        let message = format!("{name}: {what}");
        self.add_problem_of(name, &origin, message, hint);
    }

    fn add_problem(&mut self, origin: &SettingOrigin, message: String, hint: Option<String>) {
        let problem = SettingProblem { location: origin.to_string(), message, hint, key: None };
        self.problems.push((origin.clone(), problem));
    }

    /// Adds a problem with the setting of this name.
    fn add_problem_of(&mut self, key: String, origin: &SettingOrigin, message: String, hint: Option<String>) {
        let problem = SettingProblem { location: origin.to_string(), message, hint, key: Some(key) };
        self.problems.push((origin.clone(), problem));
    }

    fn origin(&self, key: SectionAndKey) -> SettingOrigin {
        self.origins.get(&key).cloned().unwrap_or(SettingOrigin::Default)
    }

    fn finish(mut self) -> Result<EffectiveSettings, SettingProblems> {
        for (key, problem) in rules::problems(&self.config) {
            let name = format!("{}.{}", key.0, key.1);
            let message = format!("{name}: {problem}");
            self.add_problem_of(name, &self.origin(key), message, None);
        }
        if !self.problems.is_empty() {
            return Err(sort_problems(self.problems));
        }
        let effective = |row: &'static SettingRow| EffectiveSetting {
            row,
            value: row.value(&self.config),
            origin: self.origin((row.section, row.key)),
        };
        let settings = ROWS.iter().map(effective).collect();
        Ok(EffectiveSettings { settings, config: self.config, ignored: self.ignored })
    }
}

/// Splits `crawl.hops.strict` into `crawl.hops` and `strict`.
fn split_key(name: &'static str) -> SectionAndKey {
    name.rsplit_once('.').expect("a key is written with its section")
}

fn is_section(name: &str) -> bool {
    SECTIONS.iter().any(|(known, _)| *known == name)
}

/// Sorts problems by source. If a line of a file has two problems, only the first is reported,
/// because the second is a consequence of it.
fn sort_problems(mut problems: Vec<(SettingOrigin, SettingProblem)>) -> SettingProblems {
    problems.sort_by_key(|(origin, _)| match origin {
        SettingOrigin::File(_, line) => (0, *line),
        SettingOrigin::Environment(_) => (1, 0),
        SettingOrigin::Crawl(_) => (2, 0),
        SettingOrigin::Template(_) => (3, 0),
        SettingOrigin::Flag(_) => (4, 0),
        SettingOrigin::Assignment(_) => (5, 0),
        SettingOrigin::Default => (6, 0),
    });
    problems.dedup_by(|(later, _), (earlier, _)| matches!(later, SettingOrigin::File(..)) && later == earlier);
    SettingProblems(problems.into_iter().map(|(_, problem)| problem).collect())
}

impl SettingRow {
    /// The environment variable of the setting: `LODEWARD_CRAWL_MAX_DEPTH`,
    /// `LODEWARD_CRAWL__HOPS__STRICT`.
    #[must_use]
    pub fn variable(&self) -> String {
        variable_name(self.section, self.key)
    }
}

fn variable_name(section: &str, key: &str) -> String {
    let separator = if section.contains('.') { "__" } else { "_" };
    let name = format!("{ENVIRONMENT_PREFIX}{section}{separator}{key}");
    name.replace('.', "__").replace('-', "_").to_ascii_uppercase()
}

/// Converts a value. Fails if a number is too large for its type.
fn to_value(value: Spanned<DeValue<'_>>) -> Result<Value, toml::de::Error> {
    use serde::de::IntoDeserializer as _;
    Value::deserialize(value.into_deserializer())
}
