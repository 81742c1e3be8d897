//! The settings that hold, for people to read and for files to keep.

use std::fmt::Write as _;

use super::{Effective, Setting};
use crate::store::sparql::Secret;

const TAKES_ANYTHING: &str = "a string takes anything";

impl Effective {
    /// All settings as TOML, each with where it came from.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut lines = Vec::new();
        for setting in &self.settings {
            let header = format!("[{}]", setting.section);
            if !lines.iter().any(|(line, _): &(String, String)| *line == header) {
                lines.push((header, String::new()));
            }
            let line = match &setting.value {
                Some(value) if value.as_str() == Some(Secret::SHOWN) => format!("# {} is not shown", setting.key),
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
                writeln!(text, "{line}").expect(TAKES_ANYTHING);
            } else {
                writeln!(text, "{line:width$}  # {remark}").expect(TAKES_ANYTHING);
            }
        }
        text
    }

    fn remark(&self, setting: &Setting) -> String {
        let unsaid = (setting.section, setting.key, &setting.value) == ("crawl", "max_documents", &None);
        match self.config.crawl.documents_max() {
            Some(documents) if unsaid => format!("default: {documents}, as no other limit is set"),
            _ => setting.origin.to_string(),
        }
    }
}
