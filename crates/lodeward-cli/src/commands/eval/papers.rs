//! What the tables of the papers have in common.

use std::process::ExitCode;
use std::sync::Arc;

use lodeward::config::Problems;
use lodeward_eval::web::Reading;
use lodeward_eval::{Contender, Start, Web};

use super::select::{command, load, with_extension, write};
use crate::arguments::{EvalPaper, EvalStart, Loudness};
use crate::progress::{answer, say};

/// Tells how it goes, unless nobody wants to know.
pub(super) fn told(loudness: &Loudness, text: &str) {
    if !loudness.quiet {
        say(text);
    }
}

/// Reads the recorded web, with this many siblings of each link.
pub(super) fn web(paper: &EvalPaper, siblings_max: usize, loudness: &Loudness) -> anyhow::Result<Arc<Web>> {
    told(loudness, &format!("reading {}\n", paper.directory.display()));
    let mut reading = Reading { jobs: paper.jobs, recorded_contexts: paper.recorded_contexts, ..Reading::default() };
    reading.options.siblings_max = siblings_max;
    load(&paper.directory, &reading).map(Arc::new)
}

/// Where trials begin.
pub(super) fn start(start: EvalStart) -> Start {
    match start {
        EvalStart::Seeds => Start::Seeds,
        EvalStart::Entries => Start::SeedsAndEntries,
    }
}

/// Strategies by name; all problems at once.
pub(super) fn contenders<'a>(names: impl Iterator<Item = &'a str>) -> anyhow::Result<Vec<Contender>> {
    let (mut contenders, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match Contender::parse(name, &[]) {
            Ok(contender) => contenders.push(contender),
            Err(Problems(more)) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(contenders) } else { Err(Problems(problems).into()) }
}

/// A title after the folder, unless one is given.
pub(super) fn title(paper: &EvalPaper, what: &str) -> String {
    let folder = paper.directory.file_name().unwrap_or_default().to_string_lossy();
    paper.title.clone().unwrap_or_else(|| format!("{what} on {folder}"))
}

/// What was typed.
pub(super) fn typed() -> String {
    command(std::env::args_os())
}

/// Prints a page, and writes it and what goes with it, by extension.
pub(super) fn tell(
    paper: &EvalPaper,
    page: &str,
    beside: &[(&str, String)],
    loudness: &Loudness,
) -> anyhow::Result<ExitCode> {
    if let Some(prefix) = &paper.output {
        let mut text = page.to_owned();
        for (extension, content) in beside {
            let path = with_extension(prefix, extension);
            write(&path, content)?;
            if *extension == "svg" {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                text = format!("{text}![the same as a picture]({name})\n");
            }
        }
        write(&with_extension(prefix, "md"), &text)?;
        told(loudness, &format!("wrote {}.md\n", prefix.display()));
    }
    print(page)
}

/// Prints a page.
pub(super) fn print(page: &str) -> anyhow::Result<ExitCode> {
    answer(page)?;
    Ok(ExitCode::SUCCESS)
}
