//! `lodeward rank`: ranks the entities of a harvest by relevance to its seeds.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward_app::crawl_dir;
use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::data_dir::CrawlRecord;
use lodeward_app::display_text::single_line;
use lodeward_app::review;
use lodeward_app::review::ranking_file::{RankingHeader, RankingRow};
use lodeward_app::review::{RankingDepth, RankingProgress, RedirectMap};
use lodeward_app::settings::{Config, EffectiveSettings, SettingOrigin};

use super::candidates::{explain, table};
use super::find_crawl;
use crate::args::{RankArgs, VerbosityArgs};
use crate::errors::UsageError;
use crate::progress::{print_json, print_stderr, print_stdout};
use crate::service_guard::require_unserved;
use crate::{clock, settings};

/// Number of candidates printed.
const TOP_COUNT: usize = 10;

/// Maximum number of seeds printed.
const MAX_LISTED_SEEDS: usize = 10;

pub(crate) fn run(arguments: &RankArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    require_unserved(&arguments.selector.data)?;
    let (data_dir, record) = find_crawl::find(&arguments.selector)?;
    let selector = format!("--data {} --name {}", arguments.selector.data.display(), arguments.selector.name);
    let as_json = arguments.json;
    let remembered = settings::remembered(&data_dir, &record)?;
    let settings = settings::resolve(&arguments.source, &arguments.flags.overrides, None, Some(remembered))?;
    let depth = requested_depth(&settings);
    let config = settings.config;
    let seeds = data_dir.crawl(record.id).seeds()?;
    let crawl =
        crawl_dir::open_crawl(&config, &data_dir.crawl(record.id), clock::now_ms).map_err(find_crawl::explain_open)?;
    let redirects = redirects(&crawl, &config)?;
    let (heading, rows) =
        review::rank(&config, &crawl, redirects, &seeds, depth, clock::now_ms(), &RankingProgress::default())
            .map_err(|error| explain(error, &record))?;
    if as_json {
        print_json(&heading)?;
        return Ok(ExitCode::SUCCESS);
    }
    print_stdout(&render(&record, &heading))?;
    if rows.is_empty() {
        return Err(anyhow::Error::new(nothing_ranked(&record, &heading)));
    }
    print_stdout(&format!("\n{}", table(rows.iter().take(TOP_COUNT).map(|row: &RankingRow| (row, None)), false)))?;
    if !verbosity.quiet {
        print_stderr(&format!("review with: lodeward candidates {selector}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The depth of the ranking. A depth in a settings file does not replace that of the crawl; a flag
/// does.
fn requested_depth(settings: &EffectiveSettings) -> RankingDepth {
    let is_flag = |origin: &SettingOrigin| matches!(origin, SettingOrigin::Flag(_) | SettingOrigin::Assignment(_));
    let is_requested = settings
        .settings
        .iter()
        .any(|setting| (setting.row.section, setting.row.key) == ("ranking", "max_hops") && is_flag(&setting.origin));
    let requested = settings.config.ranking.max_hops.filter(|_| is_requested);
    requested.map_or(RankingDepth::Last, RankingDepth::Requested)
}

fn redirects(crawl: &OpenCrawl, config: &Config) -> anyhow::Result<RedirectMap> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(runtime.block_on(RedirectMap::from_frontier(&*crawl.frontier, config.ranking.limits.max_entities))?)
}

/// Why facts were ignored.
const IGNORED_FACTS_REASON: &str = "a document has too many statements, or the graph has too many entities or links";

/// The header of a ranking as text.
fn render(record: &CrawlRecord, heading: &RankingHeader) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "{label:>10}  {value}");
    };
    let RankingHeader { ranker, max_hops, candidates, listed, entities, links, facts_omitted, marks, seeds, .. } =
        heading;
    line("ranked", format!("{candidates} candidates of crawl `{}`", record.name));
    let crawl_hops = heading.crawl_max_hops.filter(|hops| hops != max_hops);
    let crawl_hops = crawl_hops.map(|hops| format!(" (the crawl: {hops})")).unwrap_or_default();
    line("ranker", format!("{ranker}, up to {max_hops} hops from a seed{crawl_hops}"));
    line("reason", heading.reason.clone());
    let analysed = seeds.seeds.len() as u64 + heading.unlisted_seeds;
    let all = analysed + seeds.missing.len() as u64 + heading.unlisted_missing_seeds;
    let coherence = if analysed > 0 { format!("; coherence {:.3}", seeds.coherence) } else { String::new() };
    line("seeds", format!("{analysed} of {all} known{coherence}"));
    for seed in seeds.seeds.iter().take(MAX_LISTED_SEEDS) {
        let katz = seed.katz.map_or(String::new(), |katz| format!(", Katz centrality {katz:.4}"));
        line("", format!("{}: weight {:.3}{katz}", single_line(&seed.name), seed.weight));
    }
    let omitted = seeds.seeds.len().saturating_sub(MAX_LISTED_SEEDS);
    if omitted > 0 {
        let unlisted = heading.unlisted_seeds;
        let listed = if unlisted == 0 { "all seeds" } else { "more seeds" };
        line("", format!("and {} more; --json prints {listed}", omitted as u64 + unlisted));
    }
    for note in &seeds.notes {
        line("note", single_line(note).into_owned());
    }
    line("graph", format!("{entities} entities, {links} links"));
    if *facts_omitted > 0 {
        line("ignored", format!("{facts_omitted} facts: {IGNORED_FACTS_REASON}"));
    }
    if *marks > 0 {
        line("marked", format!("{marks} entities of the graph"));
    }
    if listed < candidates {
        line("listed", format!("the best {listed}; set --max-listed or ranking.max_listed for more"));
    }
    text
}

/// The error of an empty ranking.
fn nothing_ranked(record: &CrawlRecord, heading: &RankingHeader) -> UsageError {
    let (message, hint) = if heading.seeds.seeds.is_empty() {
        let reason = "no fetched document describes or links to a seed";
        (reason, format!("run `lodeward explain SEED --name {}` to see the outcome of a seed", record.name))
    } else {
        ("no entity is linked with its seeds", "crawl further, or raise --max-hops".to_owned())
    };
    UsageError { message: format!("crawl `{}` has no candidates: {message}", record.name), hint: Some(hint) }
}
