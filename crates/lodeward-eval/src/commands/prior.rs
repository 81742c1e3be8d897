//! `lodeward-eval prior`: trains and tests the initial model of strategy `learned`.

use anyhow::Context as _;
use lodeward_eval::Trial;
use lodeward_eval::prior::{csv, page, test, train};

use super::input::load_paper_web;
use super::output::{EvalOutput, ReportFiles, command_line, title};
use crate::args::PriorArgs;

pub(super) fn run(arguments: &PriorArgs, output: EvalOutput) -> anyhow::Result<()> {
    let paper = &arguments.paper;
    let web = load_paper_web(paper, 0, output)?;
    let trial = Trial { start: arguments.start.into(), obeys_robots: !paper.ignore_robots, ..Trial::default() };
    if let Some(path) = &arguments.model {
        let model = train(&web, &trial)?;
        std::fs::write(path, &model).with_context(|| format!("cannot write {}", path.display()))?;
        output.progress(&format!("wrote {}, {} bytes\n", path.display(), model.len()));
        if paper.output.is_none() {
            return Ok(());
        }
    }
    let tested = test(&web, &trial, arguments.parts.get(), arguments.runs.get())?;
    let page = page(&title(paper.title.as_deref(), "The prior", &paper.directory), &command_line(), &tested);
    output.report(paper.output.as_deref(), &ReportFiles { page, csv: csv(&tested), picture: None })
}
