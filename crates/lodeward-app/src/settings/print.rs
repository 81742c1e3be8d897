//! Prints the settings in effect as TOML.

use std::fmt::Write as _;

use super::{EffectiveSetting, EffectiveSettings};
use crate::settings::SecretText;

const INFALLIBLE_WRITE: &str = "writing to a string does not fail";

impl EffectiveSettings {
    /// Formats all settings as TOML, each with its source. The text is a valid configuration file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut lines = Vec::new();
        for setting in &self.settings {
            let header = format!("[{}]", setting.section);
            if !lines.iter().any(|(line, _): &(String, String)| *line == header) {
                lines.push((header, String::new()));
            }
            let line = match &setting.value {
                Some(value) if value.as_str() == Some(SecretText::MASK) => format!("# {} is not shown", setting.key),
                Some(value) => format!("{} = {value}", setting.key),
                None => format!("# {} is not set", setting.key),
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
        let is_unset = (setting.section, setting.key, &setting.value) == ("crawl", "max_documents", &None);
        match self.config.crawl.effective_max_documents() {
            Some(documents) if is_unset => format!("default: {documents}, because no other limit is set"),
            _ => setting.origin.to_string(),
        }
    }
}
