//! A report in words.

use std::fmt::Write;

use lodeward::engine::tally::ServiceTally;
use lodeward::engine::{Ending, RefreshTally, Report};
use lodeward::store::follow::{Lag, Standing};

use crate::arguments::Place;

/// Services that are told one by one.
const SERVICES_TOLD: usize = 10;

/// What is said at the end of a crawl, and by `status`.
pub(crate) fn of(report: &Report, place: &Place) -> String {
    let Report { tally, plds, known, waiting, .. } = report;
    let mut text = String::new();
    let mut line = |label: &str, what: String| {
        let _ = writeln!(text, "{label:>10}  {what}");
    };
    line("ended", ending(report.stopped).to_owned());
    let documents = format!("{} from {plds} domains, {} bytes", tally.documents, tally.bytes);
    line("documents", documents + &parts(&tally.by_relevance));
    if tally.documents_by_hop.len() > 1 {
        line("by hop", hops(&tally.documents_by_hop));
    }
    line("quads", format!("{}{}", tally.quads, parts(&tally.quads_by_syntax)));
    let requests = [("GET", tally.requests_get), ("HEAD", tally.requests_head), ("robots.txt", tally.requests_robots)];
    let requests: Vec<String> = requests.iter().map(|(name, count)| format!("{name} {count}")).collect();
    line("requests", format!("{} ({}), {} redirects", report.requests, requests.join(", "), tally.redirects));
    if let Some(percentage) = report.hard_relevant_percentage {
        let of_all = format!("{} of {}", tally.hard_relevant, tally.hard);
        let with_metadata = report.hard_relevant_or_metadata_percentage.unwrap_or(percentage);
        let metadata = format!("{with_metadata:.1} % if mere page metadata counts");
        line("hard URIs", format!("{percentage:.1} % with RDF ({of_all}), {metadata}"));
    }
    for (service, had) in tally.services.iter().take(SERVICES_TOLD) {
        line("service", told_service(service, had));
    }
    if tally.services.len() > SERVICES_TOLD {
        line("service", format!("and {} more; --report has them all", tally.services.len() - SERVICES_TOLD));
    }
    if tally.refresh.began_at_ms > 0 {
        line("refresh", refreshed(&tally.refresh));
    }
    if tally.vanished > 0 {
        line("vanished", format!("{} documents that were there once are gone", tally.vanished));
    }
    if !tally.faults.is_empty() {
        line("faults", format!("{}{}", tally.faults.values().sum::<u64>(), parts(&tally.faults)));
    }
    if !tally.drops.is_empty() {
        line("dropped", format!("{}{}", tally.drops.values().sum::<u64>(), parts(&tally.drops)));
    }
    line("frontier", format!("{known} URIs known, {waiting} waiting"));
    line("kept in", format!("{} (crawl `{}`)", place.data.display(), report.name));
    for lag in &report.followers {
        line("given to", given(lag));
    }
    if let Some(ranking) = &report.ranking {
        line("ranked", format!("{} candidates by {}", ranking.candidates, ranking.reason));
        for note in &ranking.seeds.notes {
            line("note", note.clone());
        }
    }
    text
}

/// What was had from an endpoint, a catalogue or the sitemaps of a host.
fn told_service(service: &str, had: &ServiceTally) -> String {
    let failed = if had.failed > 0 { format!(", {} of them in vain", had.failed) } else { String::new() };
    format!("{service}: {} quads in {} requests{failed}", had.quads, had.requests)
}

/// Documents by hop; of many hops the first.
fn hops(documents: &[u64]) -> String {
    const SHOWN_MAX: usize = 12;
    let shown: Vec<String> = documents.iter().take(SHOWN_MAX).map(u64::to_string).collect();
    match documents.len().saturating_sub(SHOWN_MAX) {
        0 => shown.join(", "),
        more => format!("{}, and {more} hops more", shown.join(", ")),
    }
}

/// What a round of visits to known documents found.
fn refreshed(refresh: &RefreshTally) -> String {
    let counts = [
        ("changed", refresh.changed),
        ("vanished", refresh.vanished),
        ("came back", refresh.came_back),
        ("appeared", refresh.appeared),
        ("failed", refresh.failed),
    ];
    let RefreshTally { queued, unchanged, not_modified, .. } = refresh;
    let mut parts = vec![format!("{unchanged} unchanged ({not_modified} by 304)")];
    parts.extend(counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}")));
    match refresh.services_skipped.len() {
        0 => {}
        1 => parts.push("1 endpoint is as it was harvested before".to_owned()),
        more => parts.push(format!("{more} endpoints are as they were harvested before")),
    }
    format!("{queued} visited again: {}", parts.join(", "))
}

/// Who else gets the harvest, and how much of it is still to come.
fn given(lag: &Lag) -> String {
    let Lag { name, standing, documents, why, .. } = lag;
    let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    match standing {
        Standing::Done => format!("{name}, which has everything"),
        Standing::Following if *documents == 0 => format!("{name}, which has everything so far"),
        Standing::Following => format!("{name}, {documents} documents behind"),
        Standing::Waiting => format!("{name}, {documents} documents behind, for it cannot be reached{why}"),
        Standing::Failed => format!("{name}, left behind by {documents} documents{why}"),
    }
}

/// How to go on after a crawl.
pub(crate) fn how_to_ask(place: &Place, is_ranked: bool) -> String {
    let data = quoted(&place.data.display().to_string());
    let mut text = format!("{:>10}  lodeward query 'SELECT * {{ ?s ?p ?o }} LIMIT 10' --data {data}\n", "ask it");
    if is_ranked {
        let name = if place.name == "default" { String::new() } else { format!(" --name {}", quoted(&place.name)) };
        let _ = writeln!(text, "{:>10}  lodeward candidates --data {data}{name}", "review it");
    }
    text
}

/// A word as a shell takes it for one.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_./:@=,-".contains(character);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Counts by name, in brackets; nothing if there are none.
pub(crate) fn parts<'a>(counts: impl IntoIterator<Item = (&'a String, &'a u64)>) -> String {
    let counts = counts.into_iter().filter(|(_, count)| **count > 0);
    let counts: Vec<String> = counts.map(|(name, count)| format!("{name} {count}")).collect();
    if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

/// Why a crawl ended, in words.
pub(crate) fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Drained => "drained: everything that was found has been dealt with",
        Ending::MaxRequests => "max-requests: the allowed number of requests was made",
        Ending::MaxDocuments => "max-documents: the allowed number of documents was had",
        Ending::MaxRelevant => "max-relevant: the allowed number of documents with RDF was had",
        Ending::Stopped => "stopped: run the same command again to go on",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_can_be_copied_into_a_shell() {
        assert_eq!(quoted("./lodeward-data"), "./lodeward-data");
        assert_eq!(quoted("my data"), "'my data'");
        assert_eq!(quoted("Ada's"), r"'Ada'\''s'");
    }

    #[test]
    fn whoever_gets_the_harvest_is_told_of() {
        let check = |standing, documents, why: Option<&str>, told: &str| {
            let why = why.map(str::to_owned);
            assert_eq!(
                given(&Lag { name: "the archive".to_owned(), standing, documents, why, ..Lag::default() }),
                told
            );
        };

        check(Standing::Done, 0, None, "the archive, which has everything");
        check(Standing::Following, 0, None, "the archive, which has everything so far");
        check(Standing::Following, 7, None, "the archive, 7 documents behind");
        check(
            Standing::Waiting,
            7,
            Some("status 503"),
            "the archive, 7 documents behind, for it cannot be reached: status 503",
        );
        check(Standing::Failed, 7, Some("disk full"), "the archive, left behind by 7 documents: disk full");
    }
}
