//! `lodeward eval prior`: the model that `learned` begins with.

use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_eval::Trial;
use lodeward_eval::prior::{csv, page, test, train};

use super::papers::{start, tell, title, told, typed, web};
use crate::arguments::{EvalPrior, Loudness};

pub(crate) fn run(arguments: &EvalPrior, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let paper = &arguments.paper;
    let web = web(paper, 0, loudness)?;
    let trial = Trial { start: start(arguments.start), obeys_robots: !paper.ignore_robots, ..Trial::default() };
    if let Some(path) = &arguments.model {
        let model = train(&web, &trial)?;
        std::fs::write(path, &model).with_context(|| format!("cannot write {}", path.display()))?;
        told(loudness, &format!("wrote {}, {} bytes\n", path.display(), model.len()));
        if paper.output.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let tested = test(&web, &trial, arguments.parts.get(), arguments.seeds.get())?;
    tell(paper, &page(&title(paper, "The prior"), &typed(), &tested), &[("csv", csv(&tested))], loudness)
}
