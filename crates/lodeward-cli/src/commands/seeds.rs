//! `lodeward seeds`: prints the seeds that a crawl would start with.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward_app::display_text::single_line;

use crate::args::{SeedsArgs, VerbosityArgs};
use crate::errors::UsageError;
use crate::progress::{print_json, print_stdout};
use crate::seed_input::{self, SeedInput};
use crate::settings;

pub(crate) fn run(arguments: &SeedsArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let SeedsArgs { seeds: given, selector, flags, json, source, seed_sources } = arguments;
    let template = seed_input::load_template(seed_sources, &selector.data)?;
    let config = settings::resolve(source, &flags.overrides, template.as_ref(), None)?.config;
    let input = SeedInput {
        seeds: given,
        sources: seed_sources,
        template: template.as_ref(),
        selector,
        config: &config,
        quiet: verbosity.quiet,
    };
    let notes = input.resolve()?;
    if notes.is_empty() {
        let hint = Some("pass URIs, --seed-label, --template or --seeds-from; see `lodeward seeds --help`".to_owned());
        return Err(UsageError { message: "no seeds".to_owned(), hint }.into());
    }
    if *json {
        print_json(&notes)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for note in &notes {
        let _ = writeln!(text, "# {}\n{}", single_line(&note.to_string()), single_line(note.entity()));
    }
    print_stdout(&text)?;
    Ok(ExitCode::SUCCESS)
}
