//! The report of a crawl as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use lodeward::engine::tally::ServiceTally;
use lodeward::engine::{RefreshTally, StopReason, Tally};
use lodeward::store::follow::{FollowerState, Lag};
use lodeward::time::format_iso8601;
use lodeward_app::display_text::{counted, single_line};
use lodeward_app::report::CrawlReport;

use crate::args::CrawlSelectorArgs;
use crate::outcome_text::failed_seed_text;

/// Maximum number of services listed.
const MAX_LISTED_SERVICES: usize = 10;

/// The summary at the end of a run, whose counters are `tally`, and of `lodeward status`, for all runs.
pub(crate) fn render(report: &CrawlReport, tally: &Tally, selector: &CrawlSelectorArgs) -> String {
    let CrawlReport { domains, uris_known, uris_waiting, .. } = report;
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "{label:>10}  {}", single_line(&value));
    };
    line("stopped", stop_reason_text(report.stop_reason).to_owned());
    let documents = format!("{}, {}", tally.documents, counted(tally.bytes, "byte"));
    line("documents", documents + &counts_text(&tally.documents_by_relevance));
    if tally.documents_by_hop.len() > 1 {
        line("by hop", hops_text(&tally.documents_by_hop));
    }
    line("quads", format!("{}{}", tally.quads, counts_text(&tally.quads_by_format)));
    line("requests", requests_text(tally));
    if let Some(percentage) = tally.selection.rdf_percentage() {
        let of_all = format!("{} of {}", tally.selection.hard_rdf_documents, tally.selection.hard_documents);
        let with_metadata = tally.selection.rdf_or_metadata_percentage().unwrap_or(percentage);
        let metadata = format!("{with_metadata:.1} % if page metadata counts");
        line("hard URIs", format!("{percentage:.1} % with RDF ({of_all}), {metadata}"));
    }
    for service in service_texts(tally) {
        line("service", service);
    }
    if tally.refresh.started_at_ms > 0 {
        line("refresh", refresh_text(&tally.refresh));
    }
    if tally.deleted > 0 {
        line("deleted", counted(tally.deleted, "document"));
    }
    if !tally.faults_by_kind.is_empty() {
        line("faults", format!("{}{}", tally.faults_by_kind.values().sum::<u64>(), counts_text(&tally.faults_by_kind)));
    }
    let dropped = &tally.dropped_by_reason;
    if !dropped.is_empty() {
        line("dropped", format!("{}{}", dropped.values().sum::<u64>(), counts_text(dropped)));
    }
    // The failed seeds of an empty crawl are in its error.
    for failed in report.failed_seeds.iter().filter(|_| !report.is_empty()) {
        line("no result", failed_seed_text(failed));
    }
    let known = format!("{} known", counted(*uris_known, "URI"));
    line("frontier", format!("{known}, {uris_waiting} waiting, {}", counted(*domains, "domain")));
    if tally.requests() < report.requests {
        line("all runs", all_runs_text(report));
    }
    line("stored in", format!("{} (crawl `{}`)", selector.data.display(), report.name));
    for lag in &report.followers {
        let (label, state) = follower_text(lag);
        line(label, state);
    }
    if let Some(ranking) = &report.ranking {
        line("ranked", format!("{} by {}", counted(ranking.candidates, "candidate"), ranking.reason));
        for note in &ranking.seeds.notes {
            line("note", note.clone());
        }
    }
    text
}

/// The number of requests, by kind, and of redirects.
fn requests_text(tally: &Tally) -> String {
    let kinds = [("GET", tally.requests_get), ("HEAD", tally.requests_head), ("robots.txt", tally.requests_robots)];
    let kinds: Vec<String> = kinds.iter().map(|(name, count)| format!("{name} {count}")).collect();
    format!("{} ({}), {}", tally.requests(), kinds.join(", "), counted(tally.redirects, "redirect"))
}

/// The counters of all runs of a crawl.
fn all_runs_text(report: &CrawlReport) -> String {
    let Tally { documents, quads, .. } = report.tally;
    let (documents, quads) = (counted(documents, "document"), counted(quads, "quad"));
    format!("{documents}, {quads}, {}", counted(report.requests, "request"))
}

/// Warnings that were counted instead of printed, in one line; empty if there are none.
pub(crate) fn warnings_text(warnings: &BTreeMap<String, u64>) -> String {
    let count: u64 = warnings.values().sum();
    if count == 0 {
        return String::new();
    }
    let kinds = counts_text(warnings);
    format!("{:>10}  {count}{}; -v prints each\n", "warnings", single_line(&kinds))
}

/// The harvests of services, the first ones.
fn service_texts(tally: &Tally) -> Vec<String> {
    let shown = tally.services.iter().take(MAX_LISTED_SERVICES).map(|(service, counts)| service_text(service, counts));
    let hidden = tally.services.len().saturating_sub(MAX_LISTED_SERVICES);
    shown.chain((hidden > 0).then(|| format!("and {hidden} more; --report writes all"))).collect()
}

/// The harvest of an endpoint, a catalogue or the sitemaps of a host.
fn service_text(service: &str, counts: &ServiceTally) -> String {
    let failed = if counts.failed > 0 { format!(" ({} failed)", counts.failed) } else { String::new() };
    format!("{service}: {} in {}{failed}", counted(counts.quads, "quad"), counted(counts.requests, "request"))
}

/// Documents by hop, for the first hops.
fn hops_text(documents: &[u64]) -> String {
    const MAX_SHOWN: usize = 12;
    let shown: Vec<String> = documents.iter().take(MAX_SHOWN).map(u64::to_string).collect();
    match documents.len().saturating_sub(MAX_SHOWN) {
        0 => shown.join(", "),
        more => format!("{}, and {} more", shown.join(", "), counted(more, "hop")),
    }
}

/// The result of a refresh.
fn refresh_text(refresh: &RefreshTally) -> String {
    let counts = [
        ("changed", refresh.changed),
        ("deleted", refresh.deleted),
        ("restored", refresh.restored),
        ("failed", refresh.failed),
    ];
    let RefreshTally { queued, unchanged, not_modified, .. } = refresh;
    let mut parts = vec![format!("{unchanged} unchanged ({not_modified} by 304)")];
    parts.extend(counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}")));
    // Added documents were not known before, so they are not among the revalidated ones.
    let added =
        if refresh.added == 0 { String::new() } else { format!("; {} added", counted(refresh.added, "new document")) };
    if *queued == 0 {
        let next = refresh
            .next_due_at_ms
            .map_or_else(String::new, |due| format!("; the next is due at {}", format_iso8601(due)));
        return format!("no document is due{next}{added}");
    }
    format!("{queued} revalidated: {}{added}", parts.join(", "))
}

/// Label and state of a follower: how much of the harvest it has stored.
fn follower_text(lag: &Lag) -> (&'static str, String) {
    let Lag { name, state, documents, error, .. } = lag;
    let error = error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
    let behind = counted(*documents, "document");
    let text = match state {
        FollowerState::Done => "up to date".to_owned(),
        FollowerState::Following if *documents == 0 => "up to date".to_owned(),
        FollowerState::Following => format!("{behind} behind"),
        FollowerState::Waiting => format!("{behind} behind, not reachable{error}"),
        FollowerState::Failed => format!("failed, {behind} behind{error}"),
    };
    if name.contains("://") { ("remote", format!("{name}: {text}")) } else { ("archive", text) }
}

/// Commands to continue with after a crawl.
pub(crate) fn next_steps(selector: &CrawlSelectorArgs, is_ranked: bool) -> String {
    let data = shell_quote(&selector.data.display().to_string());
    let mut text = format!("{:>10}  lodeward query 'SELECT * {{ ?s ?p ?o }} LIMIT 10' --data {data}\n", "query with");
    if is_ranked {
        let name =
            if selector.name == "default" { String::new() } else { format!(" --name {}", shell_quote(&selector.name)) };
        let _ = writeln!(text, "{:>10}  lodeward candidates --data {data}{name}", "review");
    }
    text
}

/// A word, quoted for a shell if necessary.
pub(crate) fn shell_quote(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_./:@=,-".contains(character);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Counts by name, in parentheses; empty if there are none.
pub(crate) fn counts_text<'a>(counts: impl IntoIterator<Item = (&'a String, &'a u64)>) -> String {
    let counts = counts.into_iter().filter(|(_, count)| **count > 0);
    let counts: Vec<String> = counts.map(|(name, count)| format!("{name} {count}")).collect();
    if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

/// Why a crawl stopped, in a word.
pub(crate) fn stop_reason_name(reason: StopReason) -> &'static str {
    stop_reason_text(reason).split(':').next().unwrap_or_default()
}

/// Why a crawl stopped.
pub(crate) fn stop_reason_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Drained => "finished: no URIs left to fetch",
        StopReason::MaxRequests => "max-requests: the maximum number of requests was sent",
        StopReason::MaxDocuments => "max-documents: the maximum number of documents was fetched",
        StopReason::MaxRdfDocuments => "max-rdf-documents: the maximum number of documents with RDF was fetched",
        StopReason::MaxTime => "max-time: the time of a run has passed; run the same command again to continue",
        StopReason::MaxBytes => {
            "max-bytes: the maximum number of bytes of a run was downloaded; run the same command again to continue"
        }
        StopReason::Stopped => "interrupted: run the same command again to resume",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_quote("./lodeward-data"), "./lodeward-data");
        assert_eq!(shell_quote("my data"), "'my data'");
        assert_eq!(shell_quote("Ada's"), r"'Ada'\''s'");
    }

    #[test]
    fn added_documents_are_not_counted_as_revalidated() {
        let refresh =
            RefreshTally { queued: 8, unchanged: 6, not_modified: 5, changed: 2, added: 4, ..RefreshTally::default() };

        assert_eq!(refresh_text(&refresh), "8 revalidated: 6 unchanged (5 by 304), 2 changed; 4 new documents added");
    }

    #[test]
    fn a_refresh_with_nothing_due_names_the_next_time() {
        let refresh = RefreshTally { started_at_ms: 1, next_due_at_ms: Some(86_400_000), ..RefreshTally::default() };

        assert_eq!(refresh_text(&refresh), "no document is due; the next is due at 1970-01-02T00:00:00.000Z");
        assert_eq!(refresh_text(&RefreshTally::default()), "no document is due");
    }

    #[test]
    fn the_state_of_a_follower_is_one_line() {
        let check = |name: &str, state, documents, error: Option<&str>, expected: (&str, &str)| {
            let error = error.map(str::to_owned);
            let (label, text) =
                follower_text(&Lag { name: name.to_owned(), state, documents, error, ..Lag::default() });
            assert_eq!((label, text.as_str()), expected);
        };

        check("the archive", FollowerState::Done, 0, None, ("archive", "up to date"));
        check("the archive", FollowerState::Following, 0, None, ("archive", "up to date"));
        check("the archive", FollowerState::Following, 7, None, ("archive", "7 documents behind"));
        check(
            "http://a.example/update",
            FollowerState::Waiting,
            7,
            Some("status 503"),
            ("remote", "http://a.example/update: 7 documents behind, not reachable: status 503"),
        );
        check(
            "the archive",
            FollowerState::Failed,
            7,
            Some("disk full"),
            ("archive", "failed, 7 documents behind: disk full"),
        );
    }
}
