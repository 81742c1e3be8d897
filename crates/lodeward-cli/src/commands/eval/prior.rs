//! `lodeward eval prior`: trains and tests the initial model of strategy `learned`.

use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_eval::Trial;
use lodeward_eval::prior::{csv, page, test, train};

use super::papers::{command_line, read_web, report_progress, title, to_start, write_report};
use crate::args::{PriorArgs, VerbosityArgs};

pub(crate) fn run(arguments: &PriorArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let paper = &arguments.paper;
    let web = read_web(paper, 0, verbosity)?;
    let trial = Trial { start: to_start(arguments.start), obeys_robots: !paper.ignore_robots, ..Trial::default() };
    if let Some(path) = &arguments.model {
        let model = train(&web, &trial)?;
        std::fs::write(path, &model).with_context(|| format!("cannot write {}", path.display()))?;
        report_progress(verbosity, &format!("wrote {}, {} bytes\n", path.display(), model.len()));
        if paper.output.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let tested = test(&web, &trial, arguments.parts.get(), arguments.seeds.get())?;
    write_report(
        paper,
        &page(&title(paper, "The prior"), &command_line(), &tested),
        &[("csv", csv(&tested))],
        verbosity,
    )
}
