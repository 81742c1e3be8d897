//! `lodeward crawl`: crawls from seeds, and writes the requested outputs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use lodeward::engine::{Observer, Tally};
use lodeward::frontier::RefreshSelection;
use lodeward::model::Uri;
use lodeward::store::ExportSummary;
use lodeward::store::segments::{PatchCounts, RdfPatchFile};
use lodeward::time::format_iso8601;
use lodeward_app::assemble;
use lodeward_app::crawl_dir;
use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::crawl_lock::CrawlLock;
use lodeward_app::damage_record::DamageRecord;
use lodeward_app::data_dir::CrawlRecord;
use lodeward_app::data_dir::{DataDir, DataDirError};
use lodeward_app::display_text::counted;
use lodeward_app::file_export::{
    format_by_name, hop_path, output_graph_names, write_harvest, write_harvest_to, write_hops,
};
use lodeward_app::followers::{FollowerRegistry, FollowerTargets};
use lodeward_app::live::SocketKind;
use lodeward_app::report::CrawlReport;
use lodeward_app::request_logs::RequestLogs;
use lodeward_app::seed_note::{SeedNote, SeedOrigin};
use lodeward_app::session::{Session, SessionEnd, SessionOptions};
use lodeward_app::settings::Config;
use lodeward_app::settings::EffectiveSettings;
use lodeward_app::settings::FetchSettings;
use lodeward_app::settings::ProvenanceStorage;
use lodeward_app::settings::units::parse_duration;
use lodeward_rdf::RdfFormat;
use oxrdf::Literal;

use super::crawl_outputs::CrawlOutputs;
use super::crawl_settings::ResumedCrawl;
use super::read::{CrawlHolder, LiveReads};
use super::{find_crawl, ineffective_flags};
use crate::args::{CrawlArgs, CrawlSelectorArgs, RefreshArg, RequestLogArgs, VerbosityArgs};
use crate::catch_up::{HarvestState, damage_text};
use crate::domain_activity::DomainActivity;
use crate::errors::{EXIT_INTERRUPTED, EmptyCrawlError, UsageError};
use crate::outcome_text::failed_seed_text;
use crate::output_target::{require_writable, standard_output};
use crate::progress::{LimitedCounts, ProgressLimits, ProgressMode, ViewSources, print_stderr};
use crate::request_logger::RequestLogger;
use crate::seed_input::{self, SeedInput};
use crate::service_guard::require_unserved;
use crate::warning_counts::warnings;
use crate::watch::{SessionWatch, run_session};
use crate::{clock, report_text, settings};

/// How long a crawl that has ended waits for commands that read it. Those that take longer are
/// cancelled, and go on by themselves if they have not written anything yet.
const MAX_READ_GRACE: Duration = Duration::from_secs(10);

/// A requested crawl, with all settings and seeds checked.
#[derive(Debug)]
struct CrawlInvocation {
    /// The URIs to start from; may be empty if a crawl is resumed.
    seeds: Vec<Uri>,
    /// The origin of seeds that were not given as URIs.
    notes: Vec<SeedNote>,
    selector: CrawlSelectorArgs,
    outputs: CrawlOutputs,
    request_logs: RequestLogArgs,
    /// Which documents are revalidated.
    refresh: Option<RefreshArg>,
    /// File for changed statements.
    rdf_patch: Option<PathBuf>,
    /// The crawl, if it exists.
    resumed: Option<ResumedCrawl>,
    effective: EffectiveSettings,
    quiet: bool,
    progress: ProgressMode,
}

pub(crate) fn run(arguments: CrawlArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let quiet = verbosity.quiet;
    let CrawlArgs { seeds: given, seed_sources, .. } = &arguments;
    let selector = CrawlSelectorArgs::from(arguments.selector.clone());
    require_unserved(&selector.data)?;
    let template = seed_input::load_template(seed_sources, &selector.data)?;
    let resumed = ResumedCrawl::find(&selector, arguments.reset_settings)?;
    let effective = settings::resolve(
        &arguments.settings.source(),
        &arguments.settings.flags.overrides,
        template.as_ref(),
        resumed.as_ref().map(|crawl| crawl.settings.clone()),
    )?;
    let config = &effective.config;
    let mut notes = SeedInput {
        seeds: given,
        sources: seed_sources,
        template: template.as_ref(),
        selector: &selector,
        config,
        quiet,
    }
    .resolve()?;
    if !quiet {
        print_stderr(&ineffective_flags::notes(&arguments.settings.flags.overrides, config));
    }
    let seeds = seed_input::seed_uris(&notes);
    notes.retain(|note| note.origin != SeedOrigin::Given || note.entity.is_some());
    let CrawlArgs { output, report, request_logs, refresh, rdf_patch, .. } = arguments;
    let remembered = resumed.as_ref().map(|crawl| crawl.outputs.clone()).unwrap_or_default();
    execute(&CrawlInvocation {
        seeds,
        notes,
        selector,
        outputs: CrawlOutputs::new(output, report, remembered),
        request_logs,
        refresh,
        rdf_patch,
        resumed,
        effective,
        quiet,
        progress: verbosity.progress_mode(),
    })
}

fn execute(plan: &CrawlInvocation) -> anyhow::Result<ExitCode> {
    let config = &plan.effective.config;
    require_outputs(plan)?;
    let (data_dir, record) = find_or_create(plan)?;
    let _lock =
        CrawlLock::acquire(&plan.selector.data, &record.name).map_err(|error| find_crawl::explain_lock(&error))?;
    let mut open =
        crawl_dir::open_crawl(config, &data_dir.crawl(record.id), clock::now_ms).map_err(find_crawl::explain_open)?;
    // Opened here and not by the crawl, so that commands of other processes can read the archive.
    open.targets = FollowerTargets::open_enabled(FollowerRegistry::default(), config, &plan.selector.data);
    let open = Arc::new(open);
    let holder = CrawlHolder { data: plan.selector.data.clone(), open: Arc::clone(&open) };
    let reads = LiveReads::start(&plan.selector.data, SocketKind::Crawls, config, holder);
    store_inputs(plan, &data_dir, &record)?;
    let has_run = data_dir.crawl(record.id).status()?.is_some();
    let mut logs = RequestLogs::open(&plan.request_logs.options(), &config.fetch.user_agent(), has_run)?;
    let activity = DomainActivity::default();
    let options = session_options(plan, &mut logs, &activity);
    let before = data_dir.crawl(record.id).status()?.map(|status| status.snapshot.tally).unwrap_or_default();
    let watch = SessionWatch { mode: plan.progress, sources: view_sources(config, &record, &before, activity), before };
    let session = Session::new(config.clone(), data_dir, record.clone(), Arc::clone(&open), options, clock::now_ms)
        .map_err(find_crawl::explain_assemble)?;
    if let Some(path) = &plan.rdf_patch {
        record_changes(path, &record, &open)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(run_session(session, watch));
    // A document that is still being read is abandoned: its reader may take long.
    runtime.shutdown_background();
    let (end, is_forced) = result?;
    let written = write_outputs(plan, &record, &open, &end);
    reads.close(MAX_READ_GRACE);
    logs.finish()?;
    written?;
    require_documents(&end.report)?;
    end.recording.context("the WARC recording is incomplete")?;
    end.ranking.context("cannot rank the candidates; run `lodeward rank` to try again")?;
    let damage: Vec<DamageRecord> = open.segments.damage().iter().map(DamageRecord::from).collect();
    if !damage.is_empty() {
        print_stderr(&damage_text(&record.name, &damage));
        return Ok(HarvestState::Damaged.exit_code());
    }
    Ok(if is_forced { ExitCode::from(EXIT_INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Stores the settings, outputs and seeds of this run. `open_crawl` holds the lock, so no other process changes them.
fn store_inputs(plan: &CrawlInvocation, data_dir: &DataDir, record: &CrawlRecord) -> anyhow::Result<()> {
    let crawl = data_dir.crawl(record.id);
    let settings = plan.resumed.as_ref().map(|resumed| resumed.store(&crawl, &plan.effective)).transpose()?;
    let outputs = plan.outputs.store(&crawl, &record.name)?;
    if !plan.quiet {
        print_stderr(&(settings.unwrap_or_default() + &outputs));
    }
    crawl.add_seed_notes(&plan.notes)?;
    crawl.add_seeds(&plan.seeds)?;
    Ok(())
}

/// What the command line adds to the settings of the crawl.
fn session_options(plan: &CrawlInvocation, logs: &mut RequestLogs, activity: &DomainActivity) -> SessionOptions {
    SessionOptions {
        observers: observers(logs, plan.progress, activity),
        refresh: plan.refresh.map(refresh_selection),
        scope_changed: plan.resumed.as_ref().is_some_and(|resumed| resumed.changes_scope(&plan.effective)),
        save_interval: test_save_interval(),
        ..SessionOptions::default()
    }
}

/// Checks before the crawl that its files can be written.
fn require_outputs(plan: &CrawlInvocation) -> anyhow::Result<()> {
    require_writable(plan.outputs.output.as_deref())?;
    plan.outputs.output.as_deref().map(output_format).transpose()?;
    require_writable(plan.outputs.report.as_deref())?;
    plan.request_logs.require_writable()?;
    require_splittable(plan)?;
    require_writable(plan.rdf_patch.as_deref())?;
    Ok(())
}

/// A crawl that has ended without a document is an error.
fn require_documents(report: &CrawlReport) -> Result<(), EmptyCrawlError> {
    if !report.is_empty() {
        return Ok(());
    }
    let seeds = report.failed_seeds.iter().map(failed_seed_text).collect();
    Err(EmptyCrawlError { message: "the crawl fetched no document".to_owned(), seeds, hint: None })
}

/// The value of `LODEWARD_TEST_SAVE_INTERVAL` in debug builds: tests that kill a crawl need
/// frequent writes of its state and model.
fn test_save_interval() -> Option<Duration> {
    let interval = std::env::var("LODEWARD_TEST_SAVE_INTERVAL").ok().filter(|_| cfg!(debug_assertions));
    interval.and_then(|text| parse_duration(&text).ok())
}

fn refresh_selection(refresh: RefreshArg) -> RefreshSelection {
    match refresh {
        RefreshArg::Due => RefreshSelection::Due,
        RefreshArg::All => RefreshSelection::All,
    }
}

/// Makes the store write changed statements to a file.
fn record_changes(path: &Path, record: &CrawlRecord, open: &OpenCrawl) -> anyhow::Result<()> {
    let name = Literal::from(record.name.as_str());
    let headers = [("crawl", name.to_string()), ("began", Literal::from(format_iso8601(clock::now_ms())).to_string())];
    let patch = RdfPatchFile::append_to(path, &headers).with_context(|| format!("cannot write {}", path.display()))?;
    open.segments.start_patch(patch);
    Ok(())
}

/// The named crawl, existing or new. Everything that can be checked is checked
/// before a crawl is created.
fn find_or_create(plan: &CrawlInvocation) -> anyhow::Result<(DataDir, CrawlRecord)> {
    let config = &plan.effective.config;
    let strategy = config.crawl.strategy.name();
    let CrawlSelectorArgs { data, name } = &plan.selector;
    let Some(ResumedCrawl { record, .. }) = &plan.resumed else {
        if plan.refresh.is_some() {
            return Err(anyhow::Error::new(UsageError {
                message: format!("cannot refresh: no crawl `{name}` in {}", data.display()),
                hint: Some("crawl first, or select another crawl with --data and --name".to_owned()),
            }));
        }
        if plan.seeds.is_empty() {
            return Err(anyhow::Error::new(UsageError {
                message: format!("no seeds, and no crawl `{name}` in {} to resume", data.display()),
                hint: Some("pass at least one URI, or @FILE with a list of URIs".to_owned()),
            }));
        }
        require_contact(&config.fetch, &plan.seeds)?;
        // A resumed crawl may have a model of its own, and not need the initial one.
        assemble::strategy(config, None).map_err(find_crawl::explain_strategy)?;
        let data_dir = DataDir::open(data)?;
        let record = data_dir.reserve(name, strategy, config.crawl.rng_seed, clock::now_ms())?;
        data_dir.crawl(record.id).write_settings(&plan.effective.of_crawl())?;
        data_dir.write_record(&record)?;
        return Ok((data_dir, record));
    };
    let data_dir = DataDir::open(data)?;
    if record.strategy != strategy {
        return Err(anyhow::Error::new(UsageError {
            message: format!("crawl `{name}` was started with --strategy {}", record.strategy),
            hint: Some("resume it without --strategy, or start another crawl with --name".to_owned()),
        }));
    }
    let mut seeds = match data_dir.crawl(record.id).seeds() {
        // The user passes them again.
        Err(DataDirError::MissingSeeds(_)) if !plan.seeds.is_empty() => Vec::new(),
        seeds => seeds?,
    };
    seeds.extend(plan.seeds.iter().cloned());
    require_contact(&config.fetch, &seeds)?;
    Ok((data_dir, record.clone()))
}

/// The observers of a run: its logs, and those that the verbosity and the live view need.
fn observers(logs: &mut RequestLogs, progress: ProgressMode, activity: &DomainActivity) -> Vec<Box<dyn Observer>> {
    let mut observers = logs.take_observers();
    if progress == ProgressMode::Live {
        observers.push(Box::new(activity.clone()));
    }
    if RequestLogger::is_enabled() {
        observers.push(Box::new(RequestLogger));
    }
    observers
}

fn view_sources(config: &Config, record: &CrawlRecord, before: &Tally, activity: DomainActivity) -> ViewSources {
    let before = LimitedCounts {
        // The limit of requests applies since the last refresh.
        requests: before.requests().saturating_sub(before.refresh.requests_before),
        documents: before.documents,
        rdf_documents: before.rdf_documents,
        bytes: 0,
    };
    ViewSources { crawl: record.name.clone(), limits: ProgressLimits::new(config), before, activity }
}

/// Writes the requested outputs, also of a stopped crawl: the harvest so far is
/// consistent. A failed output does not prevent the others.
fn write_outputs(
    plan: &CrawlInvocation,
    record: &CrawlRecord,
    open: &OpenCrawl,
    SessionEnd { report, run, .. }: &SessionEnd,
) -> anyhow::Result<()> {
    let names = output_graph_names(&plan.effective.config, record.id);
    let export = |path: &Path| -> anyhow::Result<(ExportSummary, String)> {
        let format = output_format(path)?;
        if plan.request_logs.split_hops {
            let (exported, files) = write_hops(open, path, format)?;
            return Ok((exported, format!("{files} files like {}", hop_path(path, 0).display())));
        }
        let exported = if path == Path::new("-") {
            let out = std::io::BufWriter::new(standard_output());
            let (exported, mut out) = write_harvest_to(&open.segments, out, format, names.as_ref())?;
            out.flush().context("cannot write to standard output")?;
            exported
        } else {
            write_harvest(&open.segments, path, format, names.as_ref())?
        };
        Ok((exported, path.display().to_string()))
    };
    let exported = plan.outputs.output.as_deref().map(export);
    let reported = plan.outputs.report.as_ref().map_or(Ok(()), |path| {
        let text = serde_json::to_string_pretty(report)? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    });
    if !plan.quiet {
        print_stderr(&report_text::render(report, run, &plan.selector));
        print_stderr(&report_text::warnings_text(&warnings().summary()));
        print_stderr(&report_text::next_steps(&plan.selector, report.ranking.is_some()));
    }
    if let Some((ExportSummary { quads, documents }, target)) = exported.transpose()?
        && !plan.quiet
    {
        let (quads, documents) = (counted(quads, "quad"), counted(documents, "document"));
        print_stderr(&format!("wrote {quads} of {documents} to {target}\n"));
        if let Some(format) = plan.outputs.output.as_deref().and_then(|path| format_by_name(path).ok())
            && !format.has_graphs()
        {
            let note = "the URLs of the documents are left out; .nq, .trig and .jsonld have them";
            print_stderr(&format!("note: {} has no named graphs: {note}\n", format.title()));
        }
    }
    if let Some((path, PatchCounts { added, deleted })) = plan.rdf_patch.as_ref().zip(open.segments.finish_patch())
        && !plan.quiet
    {
        let (added, deleted) = (counted(added, "addition"), counted(deleted, "deletion"));
        print_stderr(&format!("wrote {added} and {deleted} to {}\n", path.display()));
    }
    reported
}

/// The format of the output, by the extension of its file.
fn output_format(path: &Path) -> Result<RdfFormat, UsageError> {
    format_by_name(path).map_err(|error| {
        let (message, hint) = (format!("--output {}: {error}", path.display()), Some(error.hint()));
        UsageError { message, hint }
    })
}

/// Checks that `--split-hops` can be combined with the other outputs.
fn require_splittable(plan: &CrawlInvocation) -> Result<(), UsageError> {
    if !plan.request_logs.split_hops {
        return Ok(());
    }
    let error = |message: &str, hint: &str| UsageError { message: message.to_owned(), hint: Some(hint.to_owned()) };
    if plan.outputs.output.as_deref() == Some(Path::new("-")) {
        return Err(error("cannot split standard output (-o -) by hops", "name a file, as in -o out.nq.gz"));
    }
    if plan.outputs.output.is_some() && plan.effective.config.store.provenance == ProvenanceStorage::All {
        let hint = "remove one of them; `lodeward export` writes provenance at any time";
        return Err(error("--provenance all cannot be combined with --split-hops", hint));
    }
    Ok(())
}

/// Server owners must be able to reach the operator of a crawl.
fn require_contact(fetch: &FetchSettings, seeds: &[Uri]) -> Result<(), UsageError> {
    if assemble::has_required_contact(fetch, seeds) {
        return Ok(());
    }
    Err(UsageError {
        message: "no contact set: a crawl outside of loopback needs one".to_owned(),
        hint: Some(
            "pass --contact you@example.org, or set `contact` in section [fetch] of lodeward.toml; it is sent with \
             every request"
                .to_owned(),
        ),
    })
}
