//! The counters of a run, as one line.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use lodeward::engine::EndProgress;
use lodeward_app::display_text::counted;

/// The counters of a run at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProgressSnapshot {
    /// Number of requests sent.
    pub(crate) requests: u64,
    /// Number of documents fetched.
    pub(crate) documents: u64,
    /// Number of documents with RDF.
    pub(crate) rdf_documents: u64,
    /// Number of quads stored.
    pub(crate) quads: u64,
    /// Number of bytes of documents.
    pub(crate) bytes: u64,
    /// Number of URIs in the queue.
    pub(crate) waiting: u64,
    /// Number of URIs that are being fetched.
    pub(crate) in_flight: u64,
    /// Number of domains of all known URIs.
    pub(crate) domains: u64,
    /// Number of faults by kind.
    pub(crate) faults_by_kind: BTreeMap<String, u64>,
    /// Time since the start of the run.
    pub(crate) elapsed: Duration,
    /// Recent documents per second.
    pub(crate) rate: f64,
    /// Recent bytes per second.
    pub(crate) bytes_rate: u64,
    /// Why the crawl is paused.
    pub(crate) pause: Option<String>,
    /// What the end of the crawl waits for.
    pub(crate) ending: Option<EndProgress>,
}

impl ProgressSnapshot {
    /// Number of faults of all kinds.
    pub(super) fn faults(&self) -> u64 {
        self.faults_by_kind.values().sum()
    }

    /// Why the crawl does not go on as usual; empty if it does.
    pub(super) fn state_text(&self) -> String {
        let ending = self.ending.map(|ending| ending.to_string());
        let texts: Vec<String> = self.pause.clone().into_iter().chain(ending).collect();
        texts.join("; ")
    }
}

impl fmt::Display for ProgressSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rdf_documents, waiting, elapsed, rate, .. } = self;
        let (requests, documents) = (counted(self.requests, "request"), counted(self.documents, "document"));
        let (quads, faults) = (counted(self.quads, "quad"), counted(self.faults(), "fault"));
        write!(
            formatter,
            "{}s: {requests}, {documents} ({rdf_documents} with RDF), {quads}, {waiting} waiting, {faults}, \
             {rate:.1} documents/s",
            elapsed.as_secs()
        )?;
        match self.state_text() {
            state if state.is_empty() => Ok(()),
            state => write!(formatter, "; {state}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use lodeward::engine::EndTask;

    use super::*;

    #[test]
    fn a_snapshot_is_one_line() {
        let snapshot = ProgressSnapshot {
            requests: 120,
            documents: 100,
            rdf_documents: 80,
            quads: 9_000,
            waiting: 4_321,
            faults_by_kind: BTreeMap::from([("timeout".to_owned(), 7)]),
            elapsed: Duration::from_millis(61_500),
            rate: 1.66,
            ..ProgressSnapshot::default()
        };

        assert_eq!(
            snapshot.to_string(),
            "61s: 120 requests, 100 documents (80 with RDF), 9000 quads, 4321 waiting, 7 faults, 1.7 documents/s"
        );
        let one = ProgressSnapshot { requests: 1, documents: 1, quads: 1, ..ProgressSnapshot::default() };
        assert!(one.to_string().starts_with("0s: 1 request, 1 document (0 with RDF), 1 quad, "), "{one}");

        let ending = Some(EndProgress { task: EndTask::Followers, remaining: 12 });
        let ends = ProgressSnapshot { ending, ..snapshot.clone() };
        assert!(ends.to_string().ends_with("documents/s; ending: 12 documents to deliver"), "{ends}");
        let paused = ProgressSnapshot { pause: Some("paused: why".to_owned()), ..snapshot };
        assert!(paused.to_string().ends_with("documents/s; paused: why"), "{paused}");
    }
}
