//! `lodeward-eval select`: compares how strategies spend their requests.

use std::sync::Arc;

use lodeward_app::settings::StrategyKind;
use lodeward_eval::report::{SelectReport, csv, curves, markdown};
use lodeward_eval::trial::TrialQueue;
use lodeward_eval::web::WebLoadOptions;
use lodeward_eval::{Campaign, Contender, RecordedWeb, Trial, TrialPace};

use super::input::{load_web, parse_contenders};
use super::output::{EvalOutput, ReportFiles, command_line, title};
use crate::args::{SelectArgs, StartArg};
use crate::errors::EvalUsageError;

/// The strategies if none is given: the oracle, and all that fetch RDF and need no model. The crawler
/// of the LDCOC paper followed links in RDF only.
fn default_strategies() -> Vec<&'static str> {
    let is_compared = |kind: &&StrategyKind| !kind.traits().needs_model && !kind.traits().is_focused;
    let kinds = StrategyKind::ALL.iter().filter(is_compared).map(|kind| kind.name());
    ["oracle"].into_iter().chain(kinds).chain(["ldcoc:links=rdf"]).collect()
}

pub(super) fn run(arguments: &SelectArgs, output: EvalOutput) -> anyhow::Result<()> {
    let contenders = parse_contenders(&arguments.strategies, &default_strategies(), &arguments.settings)?;
    let web = read_web(arguments, &contenders, output)?;
    let mut campaign = Campaign {
        trial: trial(arguments, &web),
        web,
        contenders,
        seeds: arguments.runs,
        budgets: arguments.budget.clone(),
        jobs: arguments.jobs,
    };
    let baseline = campaign.baseline();
    campaign.trial.budget = arguments.stop.map(|stop| stop.requests(&baseline));
    let reach = &baseline.reach;
    output.progress(&format!("{} documents are reachable, {} with RDF\n", reach.documents, reach.rdf));
    let entries = campaign.run(&baseline, |name, done, all| output.progress(&format!("{done}/{all} {name}\n")))?;
    let report = SelectReport {
        title: title(arguments.title.as_deref(), "Selection", &arguments.directory),
        command: command_line(),
        reading_note: if arguments.recorded_contexts { " JSON-LD contexts are read from the recording." } else { "" },
        campaign: &campaign,
        baseline: &baseline,
        entries: &entries,
    };
    let files = ReportFiles {
        page: markdown::page(&report),
        csv: csv::rows(&report),
        picture: Some(("recall over requests", curves::render_svg(&report))),
    };
    output.report(arguments.output.as_deref(), &files)
}

fn read_web(arguments: &SelectArgs, contenders: &[Contender], output: EvalOutput) -> anyhow::Result<Arc<RecordedWeb>> {
    let mut options = WebLoadOptions {
        jobs: arguments.jobs,
        recorded_contexts: arguments.recorded_contexts,
        ..WebLoadOptions::default()
    };
    options.options.max_siblings = contenders.iter().map(Contender::max_siblings).max().unwrap_or(0);
    let web = load_web(&arguments.directory, &options, output)?;
    if arguments.start == StartArg::Entries && web.entries.is_empty() {
        let message = format!("{} has no entry pages", arguments.directory.display());
        return Err(EvalUsageError::new(message, "use --start seeds").into());
    }
    Ok(web)
}

fn trial(arguments: &SelectArgs, web: &RecordedWeb) -> Trial {
    let within = arguments.fold.map(|fold| fold.hosts(web, true));
    Trial {
        start: arguments.start.into(),
        max_documents_per_domain: arguments.max_documents_per_domain,
        counts_misses: arguments.misses,
        obeys_robots: !arguments.ignore_robots,
        hosts: within.or_else(|| arguments.without_fold.map(|fold| fold.hosts(web, false))),
        pace: if arguments.polite { TrialPace::POLITE } else { TrialPace::AsFastAsPossible },
        queue: if arguments.embedded_frontier { TrialQueue::Embedded } else { TrialQueue::Memory },
        ..Trial::default()
    }
}
