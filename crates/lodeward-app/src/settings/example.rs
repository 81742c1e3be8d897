//! The text of `lodeward.example.toml`.

use std::fmt::Write as _;

use super::row::paragraph;
use super::{Config, ROWS, SECTIONS, SettingKind, SettingRow};

/// Maximum length of a comment line.
const WIDTH: usize = 88;

const HEAD: &str = "\
# All settings of lodeward, with their defaults and the reasons for them.
# `lodeward config --example` prints this file.
#
# Copy the settings that you want to change into `lodeward.toml`. The file is read
# from the working directory, or from the path of `--config FILE`. A setting can also
# be made by an environment variable, LODEWARD_SECTION_KEY (in a subsection
# LODEWARD_SECTION__SUB__KEY), such as LODEWARD_CRAWL_MAX_DEPTH=3, which overrides the
# file, and by `--set KEY=VALUE` or a flag, which override both. `lodeward config`
# prints the values in effect and where each comes from.
#
# A duration or a size has a unit: \"500ms\", \"30s\", \"15m\", \"24h\", \"90d\"; \"64kB\", \"50MB\",
# \"1GB\" (powers of 1000), \"64MiB\" (powers of 1024). Only 0 needs none.
#
# A setting that is commented out has no default; its value is an example.
";

/// The example file: every setting with its doc and its default.
#[must_use]
pub fn example_file() -> String {
    let mut text = HEAD.to_owned();
    for (section, doc) in SECTIONS {
        text.push_str("\n\n");
        let paragraphs: Vec<String> = doc.split("\n\n").map(|part| comment(&paragraph(part))).collect();
        let _ = writeln!(text, "{}[{section}]", paragraphs.join("#\n"));
        for row in ROWS.iter().filter(|row| row.section == *section && row.kind != SettingKind::Secret) {
            let _ = write!(text, "\n{}{}", comment(&row.doc), assignment(row));
        }
    }
    text
}

/// The default of a setting as a line, or its example as a comment.
fn assignment(row: &SettingRow) -> String {
    match row.value(&Config::default()) {
        Some(value) => format!("{} = {value}\n", row.key),
        None => format!("# {} = {}\n", row.key, row.example.unwrap_or_default()),
    }
}

/// A text as comment lines.
fn comment(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), "#".to_owned());
    for word in text.split(' ') {
        if line.len() + 1 + word.len() > WIDTH && line.len() > 1 {
            lines.extend([line.as_str(), "\n"]);
            line.truncate(1);
        }
        line.extend([" ", word]);
    }
    lines + &line + "\n"
}
