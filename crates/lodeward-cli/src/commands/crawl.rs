//! `lodeward crawl`: from seeds to a harvest.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward::config::{self, Effective};
use lodeward::engine::Report;
use lodeward::frontier::Which;
use lodeward::model::Uri;
use lodeward::open::{self, Redirects, Shelf};
use lodeward::provenance::moment;
use lodeward::rank::listing::Heading;
use lodeward::registry::{Record, Registry};
use lodeward::seed::{Note, Origin};
use lodeward::store::segments::{Patch, Patched};
use lodeward::store::{Exported, write_harvest_with};
use oxrdf::Literal;
use tokio::runtime::Runtime;

use super::crawls;
use crate::arguments::{Crawl, Journal, Loudness, Place, Refresh};
use crate::failure::{CUT_SHORT, Usage};
use crate::journal::{Journals, require_files};
use crate::progress::{Measure, say};
use crate::seeds::{self, Asked};
use crate::split::write_hops;
use crate::target::{of_hop, require_writable};
use crate::unserved::require_unserved;
use crate::watch::{self, Watched};
use crate::{clock, settings, summary};

/// A crawl as it was asked for, with everything checked that can be checked
/// before it begins.
#[derive(Debug)]
struct Plan {
    /// Where to begin; may be empty when a crawl is gone on with.
    seeds: Vec<Uri>,
    /// Where those seeds come from that were not given as URIs.
    notes: Vec<Note>,
    place: Place,
    output: Option<PathBuf>,
    report: Option<PathBuf>,
    journal: Journal,
    /// Who is visited again.
    refresh: Option<Refresh>,
    /// Where changes are written down.
    changes: Option<PathBuf>,
    effective: Effective,
    quiet: bool,
}

pub(crate) fn run(arguments: Crawl, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let quiet = loudness.quiet;
    let Crawl { seeds: given, named, place, .. } = &arguments;
    require_unserved(&place.data)?;
    let template = seeds::template(named, &place.data)?;
    let effective = settings::resolve_with(&arguments.settings, Some(named), template.as_ref())?;
    let config = &effective.config;
    let mut notes = Asked { given, named, template: template.as_ref(), place, config, quiet }.gather()?;
    let seeds = seeds::uris(&notes);
    notes.retain(|note| note.origin != Origin::Given || note.entity.is_some());
    let Crawl { place, output, report, journal, refresh, changes, .. } = arguments;
    drive(&Plan { seeds, notes, place, output, report, journal, refresh, changes, effective, quiet })
}

fn drive(plan: &Plan) -> anyhow::Result<ExitCode> {
    let config = &plan.effective.config;
    require_writable(plan.output.as_deref())?;
    require_writable(plan.report.as_deref())?;
    require_files(&plan.journal)?;
    require_splittable(plan)?;
    require_writable(plan.changes.as_deref())?;
    let (registry, record) = find_or_begin(plan)?;
    let directory = registry.directory_of(record.id);
    let shelf = open::shelf(config, &directory, clock::now_ms).map_err(crawls::explain_open)?;
    // Only whoever has the crawl may change it.
    registry.add_seed_notes(record.id, &plan.notes)?;
    let seeds = registry.add_seeds(record.id, &plan.seeds)?;
    let mut furnished = open::crawl(config, &shelf, &seeds, clock::now_ms).map_err(crawls::explain_open)?;
    let has_run = registry.status(record.id)?.is_some();
    let mut journals = Journals::open(&plan.journal, &config.fetch.user_agent(), has_run)?;
    furnished.crawl.observers = journals.observers();
    furnished.crawl.settings.refresh = plan.refresh.map(which);
    if let Some(path) = &plan.changes {
        note_changes(path, &record, &shelf)?;
    }
    let run = watch::Run { registry: &registry, record: &record, measure: measure(config), quiet: plan.quiet };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let watched = runtime.block_on(run.watch(furnished.crawl, seeds.clone()))?;
    if let Some(recorder) = furnished.recorder {
        recorder.finish().context("the recording is incomplete")?;
    }
    let is_ranked = config.crawl.strategy == config::Strategy::Focus && !watched.at_once;
    // A ranking can be made again; what was harvested is delivered all the same.
    let ranking = if is_ranked { rank(config, &shelf, &seeds, &runtime).map(Some) } else { Ok(None) };
    let (ranking, unranked) = match ranking {
        Ok(ranking) => (ranking, Ok(())),
        Err(error) => (None, Err(error.context("the candidates could not be ranked; `lodeward rank` tries again"))),
    };
    let delivered = deliver(plan, &record, &shelf, &watched, ranking);
    journals.finish()?;
    delivered?;
    unranked?;
    Ok(if watched.at_once { ExitCode::from(CUT_SHORT) } else { ExitCode::SUCCESS })
}

/// Ranks the candidates once more, by all that was harvested.
fn rank(config: &config::Config, shelf: &Shelf, seeds: &[Uri], runtime: &Runtime) -> anyhow::Result<Heading> {
    let redirects = runtime.block_on(Redirects::of(&*shelf.frontier, config.focus.entities_max))?;
    let (heading, _) = open::rank(config, shelf, redirects, seeds, clock::now_ms())?;
    Ok(heading)
}

fn which(refresh: Refresh) -> Which {
    match refresh {
        Refresh::Due => Which::Due,
        Refresh::All => Which::All,
    }
}

/// Lets the store write down what changes.
fn note_changes(path: &Path, record: &Record, shelf: &Shelf) -> anyhow::Result<()> {
    let name = Literal::from(record.name.as_str());
    let headers = [("crawl", name.to_string()), ("began", Literal::from(moment(clock::now_ms())).to_string())];
    let patch = Patch::append_to(path, &headers).with_context(|| format!("cannot write {}", path.display()))?;
    shelf.segments.note_changes(patch);
    Ok(())
}

/// The crawl that was named, with everything checked that can be before one is
/// begun or gone on with.
fn find_or_begin(plan: &Plan) -> anyhow::Result<(Registry, Record)> {
    let config = &plan.effective.config;
    let strategy = config.crawl.strategy.name();
    let Place { data, name } = &plan.place;
    let known = if data.is_dir() { Registry::open(data)?.find(name)? } else { None };
    let Some(record) = known else {
        if plan.refresh.is_some() {
            return Err(anyhow::Error::new(Usage {
                message: format!("there is no crawl `{name}` in {} to refresh", data.display()),
                hint: Some("crawl first; --data and --name say where it is".to_owned()),
            }));
        }
        if plan.seeds.is_empty() {
            return Err(anyhow::Error::new(Usage {
                message: format!("there is no crawl `{name}` in {} to go on with, and no seed", data.display()),
                hint: Some("give at least one URI to begin at, or @FILE with a list of them".to_owned()),
            }));
        }
        require_contact(&config.fetch, &plan.seeds)?;
        // One that goes on may have learned something itself, and not need it.
        open::strategy(config, None).map_err(crawls::explain_strategy)?;
        let registry = Registry::open(data)?;
        let record = registry.create(name, strategy, config.crawl.seed, clock::now_ms())?;
        return Ok((registry, record));
    };
    let registry = Registry::open(data)?;
    if record.strategy != strategy {
        return Err(anyhow::Error::new(Usage {
            message: format!("the crawl `{name}` was begun with --strategy {}", record.strategy),
            hint: Some("go on with that strategy, or begin another crawl with --name".to_owned()),
        }));
    }
    let mut seeds = registry.seeds(record.id)?;
    seeds.extend(plan.seeds.iter().cloned());
    require_contact(&config.fetch, &seeds)?;
    Ok((registry, record))
}

fn measure(config: &config::Config) -> Measure {
    match (config.crawl.max_requests, config.crawl.documents_max()) {
        (Some(requests), _) => Measure::Requests(requests),
        (None, Some(documents)) if config.crawl.max_documents.is_some() => Measure::Documents(documents),
        _ => Measure::Endless,
    }
}

/// Writes what was asked for, also when the crawl was stopped: what has been
/// harvested is whole. Each is written even if another cannot be.
fn deliver(
    plan: &Plan,
    record: &Record,
    shelf: &Shelf,
    watched: &Watched,
    ranking: Option<Heading>,
) -> anyhow::Result<()> {
    let mut report = Report::new(&record.name, &record.strategy, record.seed, watched.ending, watched.last.clone());
    report.peak_memory_bytes = peak_memory_bytes();
    report.ranking = ranking;
    let names = open::names_in_output(&plan.effective.config, record.id);
    let write = |path: &Path| -> anyhow::Result<(Exported, String)> {
        if plan.journal.split_hops {
            let (exported, files) = write_hops(shelf, path)?;
            return Ok((exported, format!("{files} files like {}", of_hop(path, 0).display())));
        }
        Ok((write_harvest_with(&*shelf.store, path, names.as_ref())?, path.display().to_string()))
    };
    let exported = plan.output.as_deref().map(write);
    let reported = plan.report.as_ref().map_or(Ok(()), |path| {
        let text = serde_json::to_string_pretty(&report)? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    });
    if !plan.quiet {
        say(&summary::of(&report, &plan.place));
        say(&summary::how_to_ask(&plan.place, report.ranking.is_some()));
    }
    if let Some((Exported { quads, documents }, place)) = exported.transpose()?
        && !plan.quiet
    {
        say(&format!("wrote {quads} quads of {documents} documents to {place}\n"));
    }
    if let Some((path, Patched { added, deleted })) = plan.changes.as_ref().zip(shelf.segments.changes_noted())
        && !plan.quiet
    {
        say(&format!("wrote {added} additions and {deleted} deletions to {}\n", path.display()));
    }
    reported
}

/// What has no hop cannot be written hop by hop.
fn require_splittable(plan: &Plan) -> Result<(), Usage> {
    if !plan.journal.split_hops {
        return Ok(());
    }
    let refused = |message: &str, hint: &str| Usage { message: message.to_owned(), hint: Some(hint.to_owned()) };
    if plan.output.as_deref() == Some(Path::new("-")) {
        return Err(refused("--split-hops writes files, and -o - is none", "name a file, as in -o out.nq.gz"));
    }
    if plan.output.is_some() && plan.effective.config.store.provenance == config::Provenance::All {
        let hint = "leave out one of them; `lodeward export` writes provenance at any time";
        return Err(refused("--provenance all has no part in files of hops", hint));
    }
    Ok(())
}

/// The most memory this process has had, where the system tells.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1_024)
}

/// Whoever runs a server must be able to reach whoever runs a crawl.
fn require_contact(fetch: &config::Fetch, seeds: &[Uri]) -> Result<(), Usage> {
    if open::names_contact(fetch, seeds) {
        return Ok(());
    }
    Err(Usage {
        message: "a crawl outside of loopback needs a contact".to_owned(),
        hint: Some(
            "say --contact you@example.org, or set contact in the section [fetch] of lodeward.toml; it is sent with \
             every request"
                .to_owned(),
        ),
    })
}
