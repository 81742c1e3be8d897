//! The settings that a crawl remembers.
//!
//! A crawl is resumed with the settings it was created with. Stored are the settings of the crawl
//! that a source sets; those of the process and secrets are not. A file or a variable does not
//! change them later; a flag, `--set` or a template does, and its value is remembered from then on.

use std::fmt;

use toml::{Table, Value};

use super::{Config, EffectiveSettings, ROWS, SettingOrigin, SettingOwner, SettingRow, value_text};

/// Settings that the record of a crawl holds.
const IN_RECORD: [&str; 2] = ["crawl.strategy", "crawl.rng_seed"];

impl EffectiveSettings {
    /// The settings to store with a crawl, by section.
    #[must_use]
    pub fn of_crawl(&self) -> Table {
        let mut stored = Table::new();
        for setting in &self.settings {
            let row = setting.row;
            let is_set = row.owner == SettingOwner::Crawl && setting.origin != SettingOrigin::Default;
            if let Some(value) = setting.value.clone().filter(|_| is_set && !IN_RECORD.contains(&row.name().as_str())) {
                insert(&mut stored, row, value);
            }
        }
        stored
    }
}

/// Adds the strategy and the seed of a record to the settings of its crawl.
pub(crate) fn add_record(settings: &mut Table, strategy: &str, rng_seed: u64) {
    let values = [Value::from(strategy), i64::try_from(rng_seed).map_or(i64::MAX, |seed| seed).into()];
    for (name, value) in IN_RECORD.into_iter().zip(values) {
        let row = ROWS.iter().find(|row| row.name() == name).expect("the table has the settings of a record");
        insert(settings, row, value);
    }
}

/// Inserts a value below its section, whose name may have dots.
fn insert(table: &mut Table, row: &SettingRow, value: Value) {
    let mut table = table;
    for part in row.section.split('.') {
        let inner = table.entry(part).or_insert_with(|| Table::new().into());
        table = inner.as_table_mut().expect("sections are tables");
    }
    table.insert(row.key.to_owned(), value);
}

fn find<'a>(table: &'a Table, row: &SettingRow) -> Option<&'a Value> {
    let section = row.section.split('.').try_fold(table, |table, part| table.get(part)?.as_table());
    section?.get(row.key)
}

/// A setting of a crawl, or a change of one: `max-depth 2 → 5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingChange {
    /// The flag without its dashes; section and key if there is no flag.
    pub name: String,
    /// The value before, if it was another one.
    pub before: Option<String>,
    /// The value now.
    pub now: String,
}

impl fmt::Display for SettingChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.before {
            Some(before) => write!(formatter, "{} {before} → {}", self.name, self.now),
            None => write!(formatter, "{} {}", self.name, self.now),
        }
    }
}

/// What `now` changes in the settings of a crawl.
#[must_use]
pub fn changed_settings(before: &Table, now: &Table) -> Vec<SettingChange> {
    let default = Config::default();
    let text = |table: &Table, row: &SettingRow| {
        let value = find(table, row).cloned().or_else(|| row.value(&default));
        value.map_or_else(|| "none".to_owned(), |value| value_text(&value))
    };
    let of_row = |row: &SettingRow| {
        let (before, now) = (text(before, row), text(now, row));
        (before != now).then(|| SettingChange { name: row.short_name(), before: Some(before), now })
    };
    ROWS.iter().filter(|row| !IN_RECORD.contains(&row.name().as_str())).filter_map(of_row).collect()
}

/// The settings that a crawl has stored.
#[must_use]
pub fn stored_settings(stored: &Table) -> Vec<SettingChange> {
    let of_row = |row: &SettingRow| {
        Some(SettingChange { name: row.short_name(), before: None, now: value_text(find(stored, row)?) })
    };
    ROWS.iter().filter_map(of_row).collect()
}

/// Removes values that are hidden from users of the service.
#[must_use]
pub fn public_settings(stored: &Table) -> Table {
    let mut shown = Table::new();
    for row in ROWS.iter().filter(|row| !row.is_private) {
        if let Some(value) = find(stored, row) {
            insert(&mut shown, row, value.clone());
        }
    }
    shown
}

impl SettingRow {
    /// The flag without its dashes; section and key if there is no flag.
    fn short_name(&self) -> String {
        self.flag.map_or_else(|| self.name(), |flag| flag.name.trim_start_matches('-').to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Assignment, SettingSources, resolve};
    use super::*;

    fn effective(assignments: &[&str], crawl: &str) -> EffectiveSettings {
        let assignments = assignments.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        let crawl = Some(("crawl `a`".to_owned(), toml::from_str(crawl).unwrap()));
        let environment = vec![
            ("LODEWARD_POLITENESS_DELAY".to_owned(), "7s".to_owned()),
            ("LODEWARD_REMOTE_STORE_PASSWORD".to_owned(), "sesame".to_owned()),
        ];
        resolve(&SettingSources { environment, crawl, assignments, ..SettingSources::default() }).unwrap()
    }

    #[test]
    fn settings_of_the_crawl_are_stored_and_others_are_not() {
        let set = ["crawl.max_depth=2", "crawl.hops.strict=true", "store.archive_cache=1MB", "fetch.proxy=http://p:1/"];
        let stored = effective(&set, "").of_crawl();

        let expected = "[crawl]\nmax_depth = 2\n\n[crawl.hops]\nstrict = true\n\n[politeness]\ndelay = \"7s\"\n";
        assert_eq!(stored.to_string(), expected);
    }

    #[test]
    fn remembered_settings_override_variables_and_are_overridden_by_assignments() {
        let remembered = "[crawl]\nmax_depth = 2\nstay = \"host\"\n[politeness]\ndelay = \"3s\"\n";
        let effective = effective(&["crawl.max_depth=5"], remembered);

        let stored = effective.of_crawl();
        let changes = changed_settings(&toml::from_str(remembered).unwrap(), &stored);
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(changes, ["max-depth 2 → 5"]);
        let shown: Vec<String> = stored_settings(&stored).iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["max-depth 5", "stay host", "delay 3s"]);
        let ignored: Vec<String> = effective.ignored.iter().map(ToString::to_string).collect();
        assert_eq!(ignored, ["politeness.delay = 7s (LODEWARD_POLITENESS_DELAY)"]);
    }

    #[test]
    fn a_damaged_value_is_reported_with_its_crawl() {
        let crawl = Some(("crawl `a`".to_owned(), toml::from_str("[crawl]\nmax_dept = 2\nstay = 7\n").unwrap()));
        let problems = resolve(&SettingSources { crawl, ..SettingSources::default() }).unwrap_err().to_string();
        assert!(problems.contains("crawl `a`: unknown key `max_dept` in [crawl]"), "{problems}");
        assert!(problems.contains("crawl `a`: crawl.stay: "), "{problems}");
    }

    #[test]
    fn private_values_are_not_shown_to_users() {
        let stored: Table = toml::from_str("[crawl]\nmax_depth = 2\n[fetch]\nwarc_dir = \"/secret\"\n").unwrap();
        assert_eq!(public_settings(&stored).to_string(), "[crawl]\nmax_depth = 2\n");
    }
}
