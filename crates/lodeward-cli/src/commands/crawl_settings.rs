//! The settings that a crawl remembers: reading, reporting and storing them.

use std::fmt::Write as _;

use lodeward_app::data_dir::{CrawlDir, CrawlRecord, DataDir};
use lodeward_app::settings::{EffectiveSettings, SettingChange, Table, changed_settings, stored_settings};

use super::crawl_outputs::{CrawlOutputs, OutputRecord};
use crate::args::CrawlSelectorArgs;
use crate::settings::remembered;

/// The crawl that is resumed.
#[derive(Debug)]
pub(super) struct ResumedCrawl {
    pub(super) record: CrawlRecord,
    /// The settings of the crawl and of its record, with its name for messages.
    pub(super) settings: (String, Table),
    /// The files that it writes; none if it forgets them.
    pub(super) outputs: OutputRecord,
    /// Whether the crawl forgets its settings.
    is_reset: bool,
}

impl ResumedCrawl {
    /// Finds the named crawl; `None` if it does not exist.
    pub(super) fn find(selector: &CrawlSelectorArgs, is_reset: bool) -> anyhow::Result<Option<Self>> {
        let CrawlSelectorArgs { data, name } = selector;
        if !data.is_dir() {
            return Ok(None);
        }
        let data_dir = DataDir::open(data)?;
        let Some(record) = data_dir.find(name)? else { return Ok(None) };
        let settings = if is_reset {
            let mut of_record = Table::new();
            record.add_to(&mut of_record);
            (format!("crawl `{}`", record.name), of_record)
        } else {
            remembered(&data_dir, &record)?
        };
        let outputs = if is_reset { OutputRecord::default() } else { OutputRecord::read(&data_dir.crawl(record.id))? };
        Ok(Some(Self { record, settings, outputs, is_reset }))
    }

    /// Whether the settings of this run select other URIs than those of the previous one.
    pub(super) fn changes_scope(&self, effective: &EffectiveSettings) -> bool {
        const SCOPE: [&str; 3] = ["max-depth", "include", "exclude"];
        let changes = changed_settings(&self.settings.1, &effective.of_crawl());
        changes.iter().any(|change| SCOPE.contains(&change.name.as_str()))
    }

    /// Stores the settings of this run. Returns what the user should know about them.
    pub(super) fn store(&self, dir: &CrawlDir, effective: &EffectiveSettings) -> anyhow::Result<String> {
        let (name, before) = &self.settings;
        let now = effective.of_crawl();
        let changes = changed_settings(before, &now);
        if self.is_reset || !changes.is_empty() {
            dir.write_settings(&now)?;
        }
        let mut text = String::new();
        let unchanged: Vec<SettingChange> = {
            let is_changed = |setting: &SettingChange| changes.iter().any(|change| change.name == setting.name);
            stored_settings(&now).into_iter().filter(|setting| !is_changed(setting)).collect()
        };
        if self.is_reset {
            CrawlOutputs::forget(dir)?;
            let _ = writeln!(text, "{name}: settings reset{}", list(": now ", &stored_settings(&now)));
            return Ok(text);
        }
        if !unchanged.is_empty() {
            let _ =
                writeln!(text, "{name} keeps its settings{} (--reset-settings forgets them)", list(": ", &unchanged));
        }
        if !changes.is_empty() {
            let _ = writeln!(text, "{name}: settings changed{}", list(": ", &changes));
        }
        for ignored in &effective.ignored {
            let _ = writeln!(
                text,
                "{name}: ignored {ignored}: the crawl has its own value; pass it with --set to change it"
            );
        }
        Ok(text)
    }
}

fn list(separator: &str, settings: &[SettingChange]) -> String {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    if settings.is_empty() { String::new() } else { format!("{separator}{}", settings.join(", ")) }
}
