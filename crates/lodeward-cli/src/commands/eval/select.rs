//! `lodeward eval select`: compares how strategies spend their requests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use lodeward_app::settings::SettingProblems;
use lodeward_eval::report::{SelectReport, csv, curves, markdown};
use lodeward_eval::trial::TrialQueue;
use lodeward_eval::web::WebLoadOptions;
use lodeward_eval::{Campaign, Contender, RecordedWeb, Trial, TrialPace, TrialStart};

use crate::args::{SelectArgs, StartArg, VerbosityArgs};
use crate::errors::UsageError;
use crate::progress::{print_stderr, print_stdout};

/// The strategies if none is given: all that need no model.
const DEFAULT_STRATEGIES: &[&str] =
    &["oracle", "learned", "nb-online", "ldcoc", "ldcoc:links=rdf", "link-analysis", "heuristic", "bfs", "bfs-rdf"];

pub(crate) fn run(arguments: &SelectArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let contenders = parse_contenders(arguments)?;
    let report_progress = |text: &str| {
        if !verbosity.quiet {
            print_stderr(text);
        }
    };
    report_progress(&format!("reading {}\n", arguments.directory.display()));
    let web = read_web(arguments, &contenders)?;
    let mut campaign = Campaign {
        trial: trial(arguments, &web),
        web,
        contenders,
        seeds: arguments.seeds,
        budgets: arguments.budget.clone(),
        jobs: arguments.jobs,
    };
    let baseline = campaign.baseline();
    campaign.trial.budget = arguments.stop.map(|stop| stop.requests(&baseline));
    let reach = &baseline.reach;
    report_progress(&format!("{} documents are reachable, {} with RDF\n", reach.documents, reach.rdf));
    let entries = campaign.run(&baseline, |name, done, all| report_progress(&format!("{done}/{all} {name}\n")))?;
    let report = SelectReport {
        title: title(arguments),
        command: format_command(std::env::args_os()),
        reading_note: if arguments.recorded_contexts { " JSON-LD contexts are read from the recording." } else { "" },
        campaign: &campaign,
        baseline: &baseline,
        entries: &entries,
    };
    write_report(arguments, &report, &report_progress)
}

fn parse_contenders(arguments: &SelectArgs) -> anyhow::Result<Vec<Contender>> {
    let named: Vec<&str> = arguments.strategies.iter().map(String::as_str).collect();
    let names = if named.is_empty() { DEFAULT_STRATEGIES } else { &named };
    let (mut contenders, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match Contender::parse(name, &arguments.settings) {
            Ok(contender) => contenders.push(contender),
            Err(SettingProblems(more)) => problems.extend(more),
        }
    }
    // A problem in a common setting is reported once, not for every strategy.
    problems.dedup();
    if problems.is_empty() { Ok(contenders) } else { Err(SettingProblems(problems).into()) }
}

fn read_web(arguments: &SelectArgs, contenders: &[Contender]) -> anyhow::Result<Arc<RecordedWeb>> {
    let mut options = WebLoadOptions {
        jobs: arguments.jobs,
        recorded_contexts: arguments.recorded_contexts,
        ..WebLoadOptions::default()
    };
    options.options.max_siblings = contenders.iter().map(Contender::max_siblings).max().unwrap_or(0);
    let web = load_web(&arguments.directory, &options)?;
    if arguments.start == StartArg::Entries && web.entries.is_empty() {
        let message = format!("{} has no entry pages", arguments.directory.display());
        return Err(UsageError { message, hint: Some("use --start seeds".to_owned()) }.into());
    }
    Ok(Arc::new(web))
}

/// Loads a recorded web. A directory that is not one is a usage error.
pub(super) fn load_web(directory: &Path, options: &WebLoadOptions) -> anyhow::Result<RecordedWeb> {
    RecordedWeb::load_with(directory, options).map_err(|error| match error {
        missing @ lodeward_eval::WebError::NotAWeb { .. } => anyhow::Error::new(UsageError {
            message: missing.to_string(),
            hint: Some("`toyweb record` records a generated web, or a web of entity tables".to_owned()),
        }),
        other => anyhow::Error::new(other),
    })
}

fn trial(arguments: &SelectArgs, web: &RecordedWeb) -> Trial {
    let within = arguments.fold.map(|fold| fold.hosts(web, true));
    Trial {
        start: match arguments.start {
            StartArg::Seeds => TrialStart::Seeds,
            StartArg::Entries => TrialStart::SeedsAndEntries,
        },
        max_documents_per_domain: arguments.max_documents_per_domain,
        counts_misses: arguments.misses,
        obeys_robots: !arguments.ignore_robots,
        hosts: within.or_else(|| arguments.without_fold.map(|fold| fold.hosts(web, false))),
        pace: if arguments.polite { TrialPace::POLITE } else { TrialPace::AsFastAsPossible },
        queue: if arguments.embedded_frontier { TrialQueue::Embedded } else { TrialQueue::Memory },
        ..Trial::default()
    }
}

fn title(arguments: &SelectArgs) -> String {
    let directory = || arguments.directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    arguments.title.clone().unwrap_or_else(|| format!("Selection on {}", directory()))
}

/// A command line, quoted so that a shell can repeat it.
pub(super) fn format_command(arguments: impl Iterator<Item = OsString>) -> String {
    let quoted = |argument: OsString| {
        let text = argument.to_string_lossy().into_owned();
        if text.contains([' ', '\'', '*', ';', '&']) { format!("'{}'", text.replace('\'', r"'\''")) } else { text }
    };
    let rest: Vec<String> = arguments.skip(1).map(quoted).collect();
    format!("lodeward {}", rest.join(" "))
}

fn write_report(
    arguments: &SelectArgs,
    report: &SelectReport<'_>,
    report_progress: &dyn Fn(&str),
) -> anyhow::Result<ExitCode> {
    let page = markdown::page(report);
    if let Some(prefix) = &arguments.output {
        let picture = with_extension(prefix, "svg");
        let shown = picture.file_name().unwrap_or_default().to_string_lossy().into_owned();
        write(&with_extension(prefix, "md"), &format!("{page}![recall over requests]({shown})\n"))?;
        write(&with_extension(prefix, "csv"), &csv::rows(report))?;
        write(&picture, &curves::render_svg(report))?;
        report_progress(&format!("wrote {}.md, .csv and .svg\n", prefix.display()));
    }
    print_stdout(&page)?;
    Ok(ExitCode::SUCCESS)
}

/// Appends an extension; dots in the prefix are kept.
pub(super) fn with_extension(prefix: &Path, extension: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(format!(".{extension}"));
    PathBuf::from(name)
}

pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formatted_command_is_quoted_for_the_shell() {
        let words = ["/somewhere/lodeward", "eval", "select", "my web", "--seeds", "3"].map(OsString::from);

        assert_eq!(format_command(words.into_iter()), "lodeward eval select 'my web' --seeds 3");
    }

    #[test]
    fn a_prefix_keeps_its_dots() {
        assert_eq!(with_extension(Path::new("a/select-1.0"), "md"), Path::new("a/select-1.0.md"));
    }
}
