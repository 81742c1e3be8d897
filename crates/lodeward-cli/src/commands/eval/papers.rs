//! Code shared by the commands that reproduce tables of papers.

use std::process::ExitCode;
use std::sync::Arc;

use lodeward_app::settings::SettingProblems;
use lodeward_eval::web::WebLoadOptions;
use lodeward_eval::{Contender, RecordedWeb, TrialStart};

use super::select::{format_command, load_web, with_extension, write};
use crate::args::{PaperArgs, StartArg, VerbosityArgs};
use crate::progress::{print_stderr, print_stdout};

/// Prints progress, unless `--quiet` is set.
pub(super) fn report_progress(verbosity: &VerbosityArgs, text: &str) {
    if !verbosity.quiet {
        print_stderr(text);
    }
}

/// Reads the recorded web, with this many siblings of each link.
pub(super) fn read_web(
    paper: &PaperArgs,
    siblings_max: usize,
    verbosity: &VerbosityArgs,
) -> anyhow::Result<Arc<RecordedWeb>> {
    report_progress(verbosity, &format!("reading {}\n", paper.directory.display()));
    let mut options =
        WebLoadOptions { jobs: paper.jobs, recorded_contexts: paper.recorded_contexts, ..WebLoadOptions::default() };
    options.options.max_siblings = siblings_max;
    load_web(&paper.directory, &options).map(Arc::new)
}

/// Converts the value of `--start`.
pub(super) fn to_start(start: StartArg) -> TrialStart {
    match start {
        StartArg::Seeds => TrialStart::Seeds,
        StartArg::Entries => TrialStart::SeedsAndEntries,
    }
}

/// Strategies by name; reports all problems at once.
pub(super) fn parse_contenders<'a>(names: impl Iterator<Item = &'a str>) -> anyhow::Result<Vec<Contender>> {
    let (mut contenders, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match Contender::parse(name, &[]) {
            Ok(contender) => contenders.push(contender),
            Err(SettingProblems(more)) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(contenders) } else { Err(SettingProblems(problems).into()) }
}

/// The title of a report; by default it ends with the name of the directory.
pub(super) fn title(paper: &PaperArgs, what: &str) -> String {
    let directory = paper.directory.file_name().unwrap_or_default().to_string_lossy();
    paper.title.clone().unwrap_or_else(|| format!("{what} on {directory}"))
}

/// The command line of this process.
pub(super) fn command_line() -> String {
    format_command(std::env::args_os())
}

/// Prints a page; with `--output`, writes it and its attachments, one file per extension.
pub(super) fn write_report(
    paper: &PaperArgs,
    page: &str,
    attachments: &[(&str, String)],
    verbosity: &VerbosityArgs,
) -> anyhow::Result<ExitCode> {
    if let Some(prefix) = &paper.output {
        let mut text = page.to_owned();
        for (extension, content) in attachments {
            let path = with_extension(prefix, extension);
            write(&path, content)?;
            if *extension == "svg" {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                text = format!("{text}![chart]({name})\n");
            }
        }
        write(&with_extension(prefix, "md"), &text)?;
        report_progress(verbosity, &format!("wrote {}.md\n", prefix.display()));
    }
    print(page)
}

/// Prints a page.
pub(super) fn print(page: &str) -> anyhow::Result<ExitCode> {
    print_stdout(page)?;
    Ok(ExitCode::SUCCESS)
}
