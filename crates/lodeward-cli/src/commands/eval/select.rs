//! `lodeward eval select`: where each strategy spends its requests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use lodeward::config::Problems;
use lodeward_eval::report::{Report, csv, curves, markdown};
use lodeward_eval::trial::Queue;
use lodeward_eval::web::Reading;
use lodeward_eval::{Campaign, Contender, Pace, Start, Trial, Web};

use crate::arguments::{EvalSelect, EvalStart, Loudness};
use crate::failure::Usage;
use crate::progress::{answer, say};

/// Who takes part if nobody is named: all who need no model.
const ALL: &[&str] =
    &["oracle", "learned", "nb-online", "ldcoc", "ldcoc:links=rdf", "links", "heuristic", "bfs", "bfs-rdf"];

pub(crate) fn run(arguments: &EvalSelect, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let contenders = contenders(arguments)?;
    let told = |text: &str| {
        if !loudness.quiet {
            say(text);
        }
    };
    told(&format!("reading {}\n", arguments.directory.display()));
    let web = web(arguments, &contenders)?;
    let mut campaign = Campaign {
        trial: trial(arguments, &web),
        web,
        contenders,
        seeds: arguments.seeds,
        budgets: arguments.budget.clone(),
        jobs: arguments.jobs,
    };
    let ground = campaign.ground();
    campaign.trial.budget = arguments.stop.map(|stop| stop.requests(&ground));
    let reach = &ground.reach;
    told(&format!("{} documents can be reached, {} of them RDF\n", reach.documents, reach.rdf));
    let entries = campaign.run(&ground, |name, done, all| told(&format!("{done}/{all} {name}\n")))?;
    let report = Report {
        title: title(arguments),
        command: command(std::env::args_os()),
        reading: if arguments.recorded_contexts { " JSON-LD contexts are looked for in the recording." } else { "" },
        campaign: &campaign,
        ground: &ground,
        entries: &entries,
    };
    tell(arguments, &report, &told)
}

fn contenders(arguments: &EvalSelect) -> anyhow::Result<Vec<Contender>> {
    let named: Vec<&str> = arguments.strategies.iter().map(String::as_str).collect();
    let names = if named.is_empty() { ALL } else { &named };
    let (mut contenders, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match Contender::parse(name, &arguments.settings) {
            Ok(contender) => contenders.push(contender),
            Err(Problems(more)) => problems.extend(more),
        }
    }
    // What is wrong with a setting for all is wrong once.
    problems.dedup();
    if problems.is_empty() { Ok(contenders) } else { Err(Problems(problems).into()) }
}

fn web(arguments: &EvalSelect, contenders: &[Contender]) -> anyhow::Result<Arc<Web>> {
    let mut reading =
        Reading { jobs: arguments.jobs, recorded_contexts: arguments.recorded_contexts, ..Reading::default() };
    reading.options.siblings_max = contenders.iter().map(Contender::siblings_max).max().unwrap_or(0);
    let web = load(&arguments.directory, &reading)?;
    if arguments.start == EvalStart::Entries && web.entries.is_empty() {
        let message = format!("{} has no entry pages", arguments.directory.display());
        return Err(Usage { message, hint: Some("begin with --start seeds".to_owned()) }.into());
    }
    Ok(Arc::new(web))
}

/// Reads a recorded web. One that is none is a matter of usage.
pub(super) fn load(directory: &Path, reading: &Reading) -> anyhow::Result<Web> {
    Web::load_with(directory, reading).map_err(|error| match error {
        missing @ lodeward_eval::WebError::NotAWeb { .. } => anyhow::Error::new(Usage {
            message: missing.to_string(),
            hint: Some("`toyweb record` makes one of a generated world, or of tables of entities".to_owned()),
        }),
        other => anyhow::Error::new(other),
    })
}

fn trial(arguments: &EvalSelect, web: &Web) -> Trial {
    let within = arguments.fold.map(|fold| fold.hosts(web, true));
    Trial {
        start: match arguments.start {
            EvalStart::Seeds => Start::Seeds,
            EvalStart::Entries => Start::SeedsAndEntries,
        },
        documents_per_pld_max: arguments.max_per_pld,
        counts_misses: arguments.misses,
        obeys_robots: !arguments.ignore_robots,
        hosts: within.or_else(|| arguments.without_fold.map(|fold| fold.hosts(web, false))),
        pace: if arguments.polite { Pace::POLITE } else { Pace::AsFastAsPossible },
        queue: if arguments.embedded_frontier { Queue::Embedded } else { Queue::Memory },
        ..Trial::default()
    }
}

fn title(arguments: &EvalSelect) -> String {
    let folder = || arguments.directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    arguments.title.clone().unwrap_or_else(|| format!("Selection on {}", folder()))
}

/// What was typed, so that it can be typed again.
pub(super) fn command(arguments: impl Iterator<Item = OsString>) -> String {
    let quoted = |argument: OsString| {
        let text = argument.to_string_lossy().into_owned();
        if text.contains([' ', '\'', '*', ';', '&']) { format!("'{}'", text.replace('\'', r"'\''")) } else { text }
    };
    let rest: Vec<String> = arguments.skip(1).map(quoted).collect();
    format!("lodeward {}", rest.join(" "))
}

fn tell(arguments: &EvalSelect, report: &Report<'_>, told: &dyn Fn(&str)) -> anyhow::Result<ExitCode> {
    let page = markdown::page(report);
    if let Some(prefix) = &arguments.output {
        let picture = with_extension(prefix, "svg");
        let shown = picture.file_name().unwrap_or_default().to_string_lossy().into_owned();
        write(&with_extension(prefix, "md"), &format!("{page}![recall over requests]({shown})\n"))?;
        write(&with_extension(prefix, "csv"), &csv::rows(report))?;
        write(&picture, &curves::picture(report))?;
        told(&format!("wrote {}.md, .csv and .svg\n", prefix.display()));
    }
    answer(&page)?;
    Ok(ExitCode::SUCCESS)
}

/// A prefix may have dots of its own.
pub(super) fn with_extension(prefix: &Path, extension: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(format!(".{extension}"));
    PathBuf::from(name)
}

pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_again() {
        let words = ["/somewhere/lodeward", "eval", "select", "my web", "--seeds", "3"].map(OsString::from);

        assert_eq!(command(words.into_iter()), "lodeward eval select 'my web' --seeds 3");
    }

    #[test]
    fn a_prefix_keeps_its_dots() {
        assert_eq!(with_extension(Path::new("a/select-1.0"), "md"), Path::new("a/select-1.0.md"));
    }
}
