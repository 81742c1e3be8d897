//! `lodeward rank`: which entities of a harvest matter to its seeds.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward::config::Config;
use lodeward::open::{self, Redirects, Shelf};
use lodeward::rank::listing::{Heading, Row};
use lodeward::registry::Record;

use super::candidates::{explain, table};
use super::crawls;
use crate::arguments::{FocusSettings, Loudness, Rank, Settings};
use crate::failure::Usage;
use crate::progress::{answer, answer_json, say};
use crate::unserved::require_unserved;
use crate::{clock, settings};

/// How many of the best are shown.
const SHOWN: usize = 10;

/// How many seeds are told one by one.
const SEEDS_TOLD: usize = 10;

pub(crate) fn run(arguments: Rank, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    require_unserved(&arguments.place.data)?;
    let (registry, record) = crawls::find(&arguments.place)?;
    let place = format!("--data {} --name {}", arguments.place.data.display(), arguments.place.name);
    let as_json = arguments.json;
    let config = config(arguments)?;
    let seeds = registry.seeds(record.id)?;
    let shelf = open::shelf(&config, &registry.directory_of(record.id), clock::now_ms).map_err(crawls::explain_open)?;
    let redirects = redirects(&shelf, &config)?;
    let (heading, rows) =
        open::rank(&config, &shelf, redirects, &seeds, clock::now_ms()).map_err(|error| explain(error, &record))?;
    if as_json {
        answer_json(&heading)?;
        return Ok(ExitCode::SUCCESS);
    }
    answer(&told(&record, &heading))?;
    if rows.is_empty() {
        return Err(anyhow::Error::new(nothing(&record, &heading)));
    }
    answer(&format!("\n{}", table(rows.iter().take(SHOWN).map(|row: &Row| (row, None)), false)))?;
    if !loudness.quiet {
        say(&format!("list them with: lodeward candidates {place}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings of here and now; flags before them.
fn config(arguments: Rank) -> anyhow::Result<Config> {
    let Rank { ranker, depth, list, reference, config, .. } = arguments;
    let focus = FocusSettings { ranker, depth, reference, ..FocusSettings::default() };
    let mut config = settings::resolve(&Settings { config, focus, ..Settings::default() })?.config;
    config.focus.listed = list.unwrap_or(config.focus.listed);
    Ok(config)
}

fn redirects(shelf: &Shelf, config: &Config) -> anyhow::Result<Redirects> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(runtime.block_on(Redirects::of(&*shelf.frontier, config.focus.entities_max))?)
}

/// A heading, in words.
fn told(record: &Record, heading: &Heading) -> String {
    let mut text = String::new();
    let mut line = |label: &str, what: String| {
        let _ = writeln!(text, "{label:>10}  {what}");
    };
    let Heading { ranker, depth, candidates, listed, entities, links, left_out, marks, seeds, .. } = heading;
    line("ranked", format!("{candidates} candidates of the crawl `{}`", record.name));
    line("by", format!("{ranker}, up to {depth} links from a seed"));
    line("because", heading.reason.clone());
    let analysed = seeds.seeds.len() as u64 + heading.seeds_unlisted;
    let all = analysed + seeds.missing.len() as u64 + heading.missing_unlisted;
    let coherence = if analysed > 0 { format!("; coherence {:.3}", seeds.coherence) } else { String::new() };
    line("seeds", format!("{analysed} of {all} are known{coherence}"));
    for seed in seeds.seeds.iter().take(SEEDS_TOLD) {
        let katz = seed.katz.map_or(String::new(), |katz| format!(", Katz centrality {katz:.4}"));
        line("", format!("{} weighs {:.3}{katz}", clean(&seed.name), seed.weight));
    }
    let untold = seeds.seeds.len().saturating_sub(SEEDS_TOLD);
    if untold > 0 {
        let unlisted = heading.seeds_unlisted;
        let those = if unlisted == 0 { "them all" } else { "the first of them" };
        line("", format!("and {} more; --json has {those}", untold as u64 + unlisted));
    }
    for note in &seeds.notes {
        line("note", clean(note));
    }
    line("known", format!("{entities} entities, {links} links between them"));
    if *left_out > 0 {
        let why = "focus.entities_max or focus.links_max is too low for them, or their documents say too much";
        line("left out", format!("{left_out} facts: {why}"));
    }
    if *marks > 0 {
        line("marked", format!("{marks} of the known entities"));
    }
    if listed < candidates {
        line("listed", format!("the best {listed}; --list or focus.listed says how many"));
    }
    text
}

/// Why nothing could be ranked.
fn nothing(record: &Record, heading: &Heading) -> Usage {
    let (message, hint) = if heading.seeds.seeds.is_empty() {
        let what = "none of its seeds is an entity that a document speaks of";
        (what, format!("`lodeward explain SEED --name {}` tells what became of a seed", record.name))
    } else {
        ("nothing is linked with its seeds", "crawl further, or raise --depth".to_owned())
    };
    Usage { message: format!("the crawl `{}` has no candidates: {message}", record.name), hint: Some(hint) }
}

/// What others wrote, without what would steer a terminal.
pub(super) fn clean(text: &str) -> String {
    text.replace(char::is_control, " ")
}
