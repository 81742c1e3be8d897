//! `lodeward eval focus`: which ranker finds what matters to a seed list.

use std::process::ExitCode;

use lodeward_eval::focus::{Direct, RankerEntry, Report, Tables, World, WorldSources, csv, curves, direct, report};

use super::focus_crawls as crawls;
use super::papers::{print, told, typed};
use super::select::{with_extension, write};
use crate::arguments::{EvalFocus, Loudness};
use crate::failure::Usage;

pub(crate) fn run(arguments: &EvalFocus, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let rankers = rankers(arguments)?;
    let (mut runs, mut tasks) = (Vec::new(), Vec::new());
    for sources in sources(arguments)? {
        told(loudness, &format!("reading {}\n", sources.name));
        let world = sources.load()?;
        check(&world, &sources)?;
        for depth in &arguments.depths {
            runs.push(ranked(&world, &rankers, *depth, arguments, loudness));
        }
        // Two worlds may have the same tasks; what they hide is the web's to hide.
        tasks.extend(world.tasks.into_iter().filter(|task| !tasks.contains(task)).collect::<Vec<_>>());
    }
    let crawls = crawls::run(arguments, &tasks, loudness)?;
    let requests: Vec<usize> = arguments.requests.iter().map(|requests| *requests as usize).collect();
    let report = Report {
        command: typed(),
        entries: &rankers,
        direct: &runs,
        crawls: &crawls,
        requests: &requests,
        seed: arguments.seed,
    };
    tell(arguments, &report, loudness)
}

fn rankers(arguments: &EvalFocus) -> anyhow::Result<Vec<RankerEntry>> {
    if !arguments.rankers.is_empty() {
        return Ok(arguments.rankers.clone());
    }
    RankerEntry::ALL.iter().map(|name| name.parse().map_err(anyhow::Error::msg)).collect()
}

/// The worlds that are asked for. One that is not there is a matter of usage.
fn sources(arguments: &EvalFocus) -> anyhow::Result<Vec<WorldSources>> {
    let worlds = match &arguments.tasks {
        None => WorldSources::of_folder(&arguments.data),
        Some(tasks) => vec![WorldSources {
            name: tasks.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            tables: Tables {
                entities: arguments.entities.clone(),
                links: arguments.links.clone(),
                hidden: arguments.hide.clone(),
            },
            tasks: tasks.clone(),
        }],
    };
    match worlds.iter().find_map(WorldSources::missing) {
        None => Ok(worlds),
        Some(file) => {
            let message = format!("{} is not there", file.display());
            let hint = "name a folder with --data, or tables with --entities, --links and --tasks".to_owned();
            Err(Usage { message, hint: Some(hint) }.into())
        }
    }
}

/// A world in which no seed is to be found has nothing to tell.
fn check(world: &World, sources: &WorldSources) -> anyhow::Result<()> {
    let is_known = |seed: &String| world.gathering.find(seed).is_some();
    if world.tasks.iter().any(|task| task.seeds.iter().any(is_known)) {
        return Ok(());
    }
    let message = format!("no seed of {} is an entity of the tables", sources.tasks.display());
    let hint = "do the tasks belong to these tables? IRIs are compared as they are written".to_owned();
    Err(Usage { message, hint: Some(hint) }.into())
}

fn ranked(world: &World, rankers: &[RankerEntry], depth: u8, arguments: &EvalFocus, loudness: &Loudness) -> Direct {
    /// Tasks between two lines of progress.
    const EVERY: usize = 10;
    direct::run(world, rankers, depth, arguments.jobs, |done, all| {
        if done.is_multiple_of(EVERY) || done == all {
            told(loudness, &format!("{}, depth {depth}: {done}/{all} tasks\n", world.name));
        }
    })
}

fn tell(arguments: &EvalFocus, report: &Report<'_>, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let page = report::page(report);
    if let Some(prefix) = &arguments.output {
        let picture = with_extension(prefix, "svg");
        let shown = picture.file_name().unwrap_or_default().to_string_lossy().into_owned();
        write(&with_extension(prefix, "md"), &format!("{page}![nDCG over places]({shown})\n"))?;
        write(&with_extension(prefix, "csv"), &csv::rows(report))?;
        write(&picture, &curves::picture(report))?;
        told(loudness, &format!("wrote {}.md, .csv and .svg\n", prefix.display()));
    }
    print(&page)
}
