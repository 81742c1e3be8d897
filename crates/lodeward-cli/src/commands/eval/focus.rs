//! `lodeward eval focus`: compares rankers on lists of seeds.

use std::process::ExitCode;

use lodeward_eval::focus::{
    DirectRanking, EntityTables, EntityWorld, FocusReport, RankerEntry, WorldSources, csv, curves, direct, report,
};

use super::focus_crawls as crawls;
use super::papers::{command_line, print, report_progress};
use super::select::{with_extension, write};
use crate::args::{FocusEvalArgs, VerbosityArgs};
use crate::errors::UsageError;

pub(crate) fn run(arguments: &FocusEvalArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let rankers = rankers(arguments)?;
    let (mut runs, mut tasks) = (Vec::new(), Vec::new());
    for sources in sources(arguments)? {
        report_progress(verbosity, &format!("reading {}\n", sources.name));
        let world = sources.load()?;
        check_world(&world, &sources)?;
        for depth in &arguments.depths {
            runs.push(rank_world(&world, &rankers, *depth, arguments, verbosity));
        }
        // Two worlds may share tasks; a focused crawl runs each task once.
        tasks.extend(world.tasks.into_iter().filter(|task| !tasks.contains(task)).collect::<Vec<_>>());
    }
    let crawls = crawls::run(arguments, &tasks, verbosity)?;
    let requests: Vec<usize> = arguments.requests.iter().map(|requests| *requests as usize).collect();
    let report = FocusReport {
        command: command_line(),
        entries: &rankers,
        direct: &runs,
        crawls: &crawls,
        requests: &requests,
        seed: arguments.rng_seed,
    };
    write_report(arguments, &report, verbosity)
}

fn rankers(arguments: &FocusEvalArgs) -> anyhow::Result<Vec<RankerEntry>> {
    if !arguments.rankers.is_empty() {
        return Ok(arguments.rankers.clone());
    }
    RankerEntry::DEFAULT_NAMES.iter().map(|name| name.parse().map_err(anyhow::Error::msg)).collect()
}

/// The requested worlds. A missing file is a usage error.
fn sources(arguments: &FocusEvalArgs) -> anyhow::Result<Vec<WorldSources>> {
    let worlds = match &arguments.tasks {
        None => WorldSources::from_dir(&arguments.data),
        Some(tasks) => vec![WorldSources {
            name: tasks.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            tables: EntityTables {
                entities: arguments.entities.clone(),
                links: arguments.links.clone(),
                hidden: arguments.hide.clone(),
            },
            tasks: tasks.clone(),
        }],
    };
    match worlds.iter().find_map(WorldSources::missing_file) {
        None => Ok(worlds),
        Some(file) => {
            let message = format!("{} does not exist", file.display());
            let hint = "set a directory with --data, or tables with --entities, --links and --tasks".to_owned();
            Err(UsageError { message, hint: Some(hint) }.into())
        }
    }
}

/// A world that contains no seed of the tasks cannot be evaluated.
fn check_world(world: &EntityWorld, sources: &WorldSources) -> anyhow::Result<()> {
    let is_known = |seed: &String| world.fact_base.find(seed).is_some();
    if world.tasks.iter().any(|task| task.seeds.iter().any(is_known)) {
        return Ok(());
    }
    let message = format!("no seed of {} is an entity of the tables", sources.tasks.display());
    let hint = "check that the tasks belong to these tables; IRIs are compared literally".to_owned();
    Err(UsageError { message, hint: Some(hint) }.into())
}

fn rank_world(
    world: &EntityWorld,
    rankers: &[RankerEntry],
    depth: u8,
    arguments: &FocusEvalArgs,
    verbosity: &VerbosityArgs,
) -> DirectRanking {
    /// Number of tasks between two lines of progress.
    const PROGRESS_INTERVAL: usize = 10;
    direct::run(world, rankers, depth, arguments.jobs, |done, all| {
        if done.is_multiple_of(PROGRESS_INTERVAL) || done == all {
            report_progress(verbosity, &format!("{}, depth {depth}: {done}/{all} tasks\n", world.name));
        }
    })
}

fn write_report(
    arguments: &FocusEvalArgs,
    report: &FocusReport<'_>,
    verbosity: &VerbosityArgs,
) -> anyhow::Result<ExitCode> {
    let page = report::page(report);
    if let Some(prefix) = &arguments.output {
        let picture = with_extension(prefix, "svg");
        let shown = picture.file_name().unwrap_or_default().to_string_lossy().into_owned();
        write(&with_extension(prefix, "md"), &format!("{page}![nDCG over ranks]({shown})\n"))?;
        write(&with_extension(prefix, "csv"), &csv::rows(report))?;
        write(&picture, &curves::render_svg(report))?;
        report_progress(verbosity, &format!("wrote {}.md, .csv and .svg\n", prefix.display()));
    }
    print(&page)
}
