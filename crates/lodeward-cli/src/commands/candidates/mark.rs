//! `lodeward candidates keep`, `drop`, `unmark` and `undo`.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use lodeward::open::{self, Shown, Wish};
use lodeward::rank::marks::By;
use lodeward::rank::{Filter, Listing, ListingError, Marks, Opinion};
use lodeward::registry::Record;

use super::{explain, filters};
use crate::arguments::{CandidatesMark, Loudness, Marking, Settings};
use crate::commands::crawls;
use crate::failure::Usage;
use crate::progress::say;
use crate::unserved::require_unserved;
use crate::{clock, settings};

pub(super) fn run(mark: CandidatesMark, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let said = match mark {
        CandidatesMark::Keep(marking) => set(&marking, Some(Opinion::Keep))?,
        CandidatesMark::Drop(marking) => set(&marking, Some(Opinion::Drop))?,
        CandidatesMark::Unmark(marking) => set(&marking, None)?,
        CandidatesMark::Undo(undo) => {
            require_unserved(&undo.place.data)?;
            let (registry, record) = crawls::find(&undo.place)?;
            let mut marks = Marks::of_crawl(&registry.directory_of(record.id))?;
            match marks.undo(&By { who: None, at_ms: Some(clock::now_ms()) })? {
                0 => "there is nothing to take back".to_owned(),
                changed => format!("{} as before; {}", counted(changed, "mark is", "marks are"), totals(&marks)),
            }
        }
    };
    if !loudness.quiet {
        say(&format!("{said}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn set(marking: &Marking, opinion: Option<Opinion>) -> anyhow::Result<String> {
    let Marking { entities, wanted, all, .. } = marking;
    let is_filtered = !filters::is_empty(wanted) || *all;
    if entities.is_empty() && !is_filtered {
        let message = "nobody was named".to_owned();
        let hint = Some("give IRIs or places in the ranking, or --filter and the like; --all for all".to_owned());
        return Err(anyhow::Error::new(Usage { message, hint }));
    }
    let filter = filters::of(wanted)?;
    require_unserved(&marking.place.data)?;
    let (registry, record) = crawls::find(&marking.place)?;
    let directory = registry.directory_of(record.id);
    let mut names = named(entities, &directory, &record)?;
    if is_filtered {
        names.extend(matching(&filter, &directory, &record)?);
    }
    let mut marks = Marks::of_crawl(&directory)?;
    let by = By { who: marking.who.clone(), at_ms: Some(clock::now_ms()) };
    let changed = marks.set(names.iter().map(String::as_str), opinion, &by)?;
    let verb = match opinion {
        Some(Opinion::Keep) => "kept",
        Some(Opinion::Drop) => "dropped",
        None => "unmarked",
    };
    let changed = counted(changed, "candidate is", "candidates are");
    Ok(format!("{changed} now {verb}; {}", totals(&marks)))
}

/// Those whom a filter wants, however they are marked.
fn matching(filter: &Filter, directory: &Path, record: &Record) -> anyhow::Result<Vec<String>> {
    let config = settings::resolve(&Settings::default())?.config;
    let wish = Wish { filter, shown: Shown::All, offset: 0, limit: u64::MAX };
    let found = open::candidates(&config, directory, &wish).map_err(|error| explain(error, record))?;
    Ok(found.found.into_iter().map(|candidate| candidate.row.entity).collect())
}

/// Those who were named. A mark outlives the ranking, so it need not be there, but
/// it must be if places in it are named.
fn named(entities: &[String], directory: &Path, record: &Record) -> anyhow::Result<Vec<String>> {
    let rank = |text: &str| text.parse::<u64>().ok();
    if entities.is_empty() {
        return Ok(Vec::new());
    }
    let listing = match Listing::open(directory) {
        Err(ListingError::Missing) if !entities.iter().any(|text| rank(text).is_some()) => return checked(entities),
        listing => listing.map_err(|error| explain(error.into(), record))?,
    };
    let listed = listing.heading.listed;
    let mut by_rank: HashMap<u64, Option<String>> =
        entities.iter().filter_map(|text| rank(text)).map(|rank| (rank, None)).collect();
    for row in listing {
        let row = row?;
        if let Some(place) = by_rank.get_mut(&row.rank) {
            *place = Some(row.entity);
        }
    }
    let name = |text: &String| match rank(text) {
        None => Ok(text.clone()),
        Some(rank) => by_rank[&rank].clone().ok_or_else(|| Usage {
            message: format!("there is no place {rank} in the ranking"),
            hint: Some(format!("it has places 1 to {listed}")),
        }),
    };
    checked(&entities.iter().map(name).collect::<Result<Vec<_>, _>>()?)
}

/// IRIs, without the brackets that they may be in.
fn checked(entities: &[String]) -> anyhow::Result<Vec<String>> {
    let bare = |text: &String| text.trim_start_matches('<').trim_end_matches('>').to_owned();
    let is_iri = |text: &String| oxrdf::NamedNode::new(text).is_ok();
    let names: Vec<String> = entities.iter().map(bare).collect();
    match names.iter().find(|name| !is_iri(name)) {
        None => Ok(names),
        Some(wrong) => Err(anyhow::Error::new(Usage {
            message: format!("`{wrong}` is neither an IRI nor a place in the ranking"),
            hint: Some("`lodeward candidates --pattern REGEX` finds those whose name has something in it".to_owned()),
        })),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn totals(marks: &Marks) -> String {
    let of = |opinion: Opinion| marks.iter().filter(|(_, marked)| marked.opinion == opinion).count();
    format!("{} kept and {} dropped in all", of(Opinion::Keep), of(Opinion::Drop))
}
