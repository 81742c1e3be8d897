//! Prints the settings in effect as TOML.

use std::fmt::Write as _;

use super::{EffectiveSetting, EffectiveSettings, SettingKind};

const INFALLIBLE_WRITE: &str = "writing to a string does not fail";

impl EffectiveSettings {
    /// Formats all settings as TOML, each with its source. The text is a valid configuration file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut lines = Vec::new();
        for setting in &self.settings {
            let row = setting.row;
            let header = format!("[{}]", row.section);
            if !lines.iter().any(|(line, _): &(String, String)| *line == header) {
                lines.push((header, String::new()));
            }
            let line = match &setting.value {
                Some(_) if row.kind == SettingKind::Secret => format!("# {} is not shown", row.key),
                Some(value) => format!("{} = {value}", row.key),
                None => format!("# {} is not set", row.key),
            };
            lines.push((line, self.remark(setting)));
        }
        let width = lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width <= 40).max().unwrap_or(0);
        let mut text = String::new();
        for (line, remark) in lines {
            if remark.is_empty() {
                text += if text.is_empty() { "" } else { "\n" };
                writeln!(text, "{line}").expect(INFALLIBLE_WRITE);
            } else {
                writeln!(text, "{line:width$}  # {remark}").expect(INFALLIBLE_WRITE);
            }
        }
        text
    }

    fn remark(&self, setting: &EffectiveSetting) -> String {
        let is_unset = setting.value.is_none() && setting.row.name() == "crawl.max_documents";
        match self.config.crawl.effective_max_documents() {
            Some(documents) if is_unset => format!("default: {documents}, because no other limit is set"),
            _ => setting.origin.to_string(),
        }
    }
}
