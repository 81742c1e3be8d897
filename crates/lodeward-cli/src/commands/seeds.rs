//! `lodeward seeds`: where a crawl would begin.

use std::fmt::Write as _;
use std::process::ExitCode;

use crate::arguments::{Loudness, Seeds, Settings};
use crate::failure::Usage;
use crate::progress::{answer, answer_json};
use crate::seeds::{self, Asked};
use crate::settings;

pub(crate) fn run(arguments: &Seeds, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let Seeds { given, place, config, allow_private, json, named } = arguments;
    let template = seeds::template(named, &place.data)?;
    let settings = Settings { config: config.clone(), allow_private: *allow_private, ..Settings::default() };
    let config = settings::resolve_with(&settings, Some(named), template.as_ref())?.config;
    let asked = Asked { given, named, template: template.as_ref(), place, config: &config, quiet: loudness.quiet };
    let notes = asked.gather()?;
    if notes.is_empty() {
        let hint = Some("give URIs, --seed-text, --template or --seeds-from; see `lodeward seeds --help`".to_owned());
        return Err(Usage { message: "there is no seed".to_owned(), hint }.into());
    }
    if *json {
        answer_json(&notes)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for note in &notes {
        let _ = writeln!(text, "# {note}\n{}", note.entity());
    }
    answer(&text)?;
    Ok(ExitCode::SUCCESS)
}
