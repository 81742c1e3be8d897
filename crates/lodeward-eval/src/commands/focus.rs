//! `lodeward-eval focus`: compares rankers on lists of seeds.

use std::path::PathBuf;

use lodeward_eval::focus::{
    DirectRanking, EntityTables, EntityWorld, FocusReport, RankerEntry, WorldSources, csv, curves, direct, feedback,
    report,
};

use super::focus_crawls as crawls;
use super::output::{EvalOutput, ReportFiles, command_line};
use crate::args::FocusEvalArgs;
use crate::errors::EvalUsageError;

pub(super) fn run(arguments: &FocusEvalArgs, output: EvalOutput) -> anyhow::Result<()> {
    let rankers = rankers(arguments)?;
    let (mut runs, mut marked, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    for sources in sources(arguments)? {
        output.progress(&format!("reading {}\n", sources.name));
        let world = sources.load()?;
        check_world(&world, &sources)?;
        for depth in &arguments.depths {
            runs.push(rank_world(&world, &rankers, *depth, arguments, output));
            if arguments.feedback {
                output.progress(&format!("{}, depth {depth}: ranking with marks\n", world.name));
                marked.push(feedback::run(&world, *depth, arguments.jobs));
            }
        }
        // Two worlds may share tasks; a focused crawl runs each task once.
        tasks.extend(world.tasks.into_iter().filter(|task| !tasks.contains(task)).collect::<Vec<_>>());
    }
    let crawls = crawls::run(arguments, &tasks, output)?;
    let requests: Vec<usize> = arguments.requests.iter().map(|requests| *requests as usize).collect();
    let report = FocusReport {
        command: command_line(),
        entries: &rankers,
        direct: &runs,
        feedback: &marked,
        crawls: &crawls,
        requests: &requests,
        seed: arguments.rng_seed,
    };
    let files = ReportFiles {
        page: report::page(&report),
        csv: csv::rows(&report),
        picture: Some(("nDCG over ranks", curves::render_svg(&report))),
    };
    output.report(arguments.output.as_deref(), &files)
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
        None => WorldSources::from_dir(&arguments.data.clone().unwrap_or_else(default_data)),
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
            let hint = "set a directory with --data, or tables with --entities, --links and --tasks";
            Err(EvalUsageError::new(message, hint).into())
        }
    }
}

/// The entity graphs of the shared data.
pub(super) fn default_data() -> PathBuf {
    let shared = std::env::var_os("LODEWARD_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    shared.join("data/entities")
}

/// A world that contains no seed of the tasks cannot be evaluated.
fn check_world(world: &EntityWorld, sources: &WorldSources) -> anyhow::Result<()> {
    let is_known = |seed: &String| world.fact_base.find(seed).is_some();
    if world.tasks.iter().any(|task| task.seeds.iter().any(is_known)) {
        return Ok(());
    }
    let message = format!("no seed of {} is an entity of the tables", sources.tasks.display());
    let hint = "check that the tasks belong to these tables; IRIs are compared literally";
    Err(EvalUsageError::new(message, hint).into())
}

fn rank_world(
    world: &EntityWorld,
    rankers: &[RankerEntry],
    depth: u8,
    arguments: &FocusEvalArgs,
    output: EvalOutput,
) -> DirectRanking {
    /// Number of tasks between two lines of progress.
    const PROGRESS_INTERVAL: usize = 10;
    direct::run(world, rankers, depth, arguments.jobs, |done, all| {
        if done.is_multiple_of(PROGRESS_INTERVAL) || done == all {
            output.progress(&format!("{}, depth {depth}: {done}/{all} tasks\n", world.name));
        }
    })
}
