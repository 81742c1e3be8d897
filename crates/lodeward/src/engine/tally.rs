//! The counters of a crawl. Stored with every commit, so that a resumed crawl continues
//! counting.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::disk::DiskShortage;
use super::end_progress::EndProgress;
use super::errand::Errand;
use crate::discover::Step;
use crate::frontier::{Census, QueueEntry, RefreshRound, UriRecord};
use crate::model::outcome::DocumentSummary;
use crate::model::rdf_likelihood::is_hard;
use crate::model::{ChangeKind, DropReason, FaultKind, FetchHistory, Outcome, Relevance, Uri};
use crate::store::follow::Lag;

/// Maximum number of services counted individually.
const MAX_SERVICES: usize = 1_000;

/// The counters of a crawl, over all its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Number of GET requests for documents, including requests that resume an interrupted body.
    pub requests_get: u64,
    /// Number of HEAD requests.
    pub requests_head: u64,
    /// Number of requests for robots.txt.
    pub requests_robots: u64,
    /// Number of bytes of documents, after decompression.
    pub bytes: u64,
    /// Number of documents fetched (status 200).
    pub documents: u64,
    /// Number of documents with RDF.
    pub rdf_documents: u64,
    /// Number of documents by hop. The first number is that of the seeds.
    pub documents_by_hop: Vec<u64>,
    /// Number of documents by relevance.
    pub documents_by_relevance: BTreeMap<String, u64>,
    /// Number of documents by format.
    pub documents_by_format: BTreeMap<String, u64>,
    /// How well the strategy selects hard URIs.
    pub selection: SelectionTally,
    /// Number of redirects.
    pub redirects: u64,
    /// Number of URIs that failed.
    pub uris_failed: u64,
    /// Number of documents that were fetched earlier and are deleted now.
    pub deleted: u64,
    /// Number of quads stored.
    pub quads: u64,
    /// Number of quads by format.
    pub quads_by_format: BTreeMap<String, u64>,
    /// Number of faults by kind.
    pub faults_by_kind: BTreeMap<String, u64>,
    /// Number of URIs dropped, by reason.
    pub dropped_by_reason: BTreeMap<String, u64>,
    /// Number of requests and quads of services (SPARQL endpoints, catalogues), by URL.
    pub services: BTreeMap<String, ServiceTally>,
    /// The counters of the last refresh round.
    pub refresh: RefreshTally,
}

/// Counters of hard URIs: neither the URI nor the media type states whether the document contains
/// RDF (LDCOC §5). In JSON, percentages are added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, into = "SelectionView")]
pub struct SelectionTally {
    /// Number of documents of hard URIs.
    pub hard_documents: u64,
    /// Number of documents of hard URIs that contain RDF.
    pub hard_rdf_documents: u64,
    /// Number of documents of hard URIs that contain only page metadata: `og-only` and `xhv-only`.
    pub hard_metadata_documents: u64,
}

impl SelectionTally {
    /// Documents with RDF ÷ documents of hard URIs (LDCOC §5), in percent; `None` if there are no
    /// hard URIs.
    #[must_use]
    pub fn rdf_percentage(&self) -> Option<f64> {
        percentage(self.hard_rdf_documents, self.hard_documents)
    }

    /// Documents with RDF or page metadata ÷ documents of hard URIs, in percent; `None` if there are no hard URIs.
    #[must_use]
    pub fn rdf_or_metadata_percentage(&self) -> Option<f64> {
        percentage(self.hard_rdf_documents + self.hard_metadata_documents, self.hard_documents)
    }
}

/// [`SelectionTally`] as JSON, with percentages.
#[derive(Serialize)]
struct SelectionView {
    hard_documents: u64,
    hard_rdf_documents: u64,
    hard_metadata_documents: u64,
    rdf_percentage: Option<f64>,
    rdf_or_metadata_percentage: Option<f64>,
}

impl From<SelectionTally> for SelectionView {
    fn from(tally: SelectionTally) -> Self {
        let SelectionTally { hard_documents, hard_rdf_documents, hard_metadata_documents } = tally;
        Self {
            hard_documents,
            hard_rdf_documents,
            hard_metadata_documents,
            rdf_percentage: tally.rdf_percentage(),
            rdf_or_metadata_percentage: tally.rdf_or_metadata_percentage(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn percentage(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

/// The start of a refresh round in JSON: an RFC 3339 date; null, if there was no round.
mod round_start {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    use crate::time::{format_iso8601, parse_iso8601};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
    pub(super) fn serialize<S: Serializer>(epoch_ms: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        (*epoch_ms > 0).then(|| format_iso8601(*epoch_ms)).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(0) };
        parse_iso8601(&text).ok_or_else(|| de::Error::custom(format_args!("not a date: `{text}`")))
    }
}

/// A time in JSON: an RFC 3339 date, or null.
mod due_date {
    use serde::{Deserializer, Serializer};

    use super::round_start;

    #[expect(clippy::ref_option, reason = "the signature that serde requires")]
    pub(super) fn serialize<S: Serializer>(epoch_ms: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        round_start::serialize(&epoch_ms.unwrap_or_default(), serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        round_start::deserialize(deserializer).map(|epoch_ms| Some(epoch_ms).filter(|epoch_ms| *epoch_ms > 0))
    }
}

/// The counters of a refresh round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RefreshTally {
    /// Start time in milliseconds since the Unix epoch; 0 if there was no round. In JSON, `started_at` is a date or
    /// null.
    #[serde(rename = "started_at", with = "round_start")]
    pub started_at_ms: u64,
    /// Number of requests before the round started.
    pub requests_before: u64,
    /// Number of URIs queued again.
    pub queued: u64,
    /// Number of dropped URIs that wait again because their domain was reopened, by the reason of
    /// the drop.
    pub reopened: BTreeMap<String, u64>,
    /// Number of unchanged documents.
    pub unchanged: u64,
    /// Number of unchanged documents that the server confirmed (304).
    pub not_modified: u64,
    /// Number of unchanged documents that were fetched again with the same bytes.
    pub same_bytes: u64,
    /// Number of URIs whose statements or redirect changed.
    pub changed: u64,
    /// Number of deleted documents (404, 410).
    pub deleted: u64,
    /// Number of documents that were deleted and are available again.
    pub restored: u64,
    /// Number of documents available for the first time.
    pub added: u64,
    /// Number of requests that failed. The stored documents stay.
    pub failed: u64,
    /// When the next document is due, of those that were not due at the start of the round, in milliseconds since
    /// the Unix epoch. In JSON, `next_due_at` is a date or null.
    #[serde(rename = "next_due_at", with = "due_date")]
    pub next_due_at_ms: Option<u64>,
}

impl RefreshTally {
    pub(super) fn count(&mut self, what: ChangeKind) {
        let count = match what {
            ChangeKind::Added => &mut self.added,
            ChangeKind::Unchanged => &mut self.unchanged,
            ChangeKind::Changed => &mut self.changed,
            ChangeKind::Deleted => &mut self.deleted,
            ChangeKind::Restored => &mut self.restored,
            ChangeKind::Failed => &mut self.failed,
        };
        *count += 1;
    }
}

/// The counters of one service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceTally {
    /// Number of responses.
    pub requests: u64,
    /// Number of statements.
    pub quads: u64,
    /// Number of failed steps.
    pub failed: u64,
}

/// The counters of a crawl at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlSnapshot {
    /// The counters.
    pub tally: Tally,
    /// The state of the frontier.
    pub census: Census,
    /// Time since the start of this run.
    pub elapsed: Duration,
    /// The followers, and how far they are behind.
    #[serde(default)]
    pub followers: Vec<Lag>,
    /// Why the crawl is paused, if there is not enough space on the disk.
    #[serde(default)]
    pub disk_shortage: Option<DiskShortage>,
    /// Until when the crawl is paused because of its hours, in milliseconds since the Unix epoch.
    #[serde(default)]
    pub paused_until_ms: Option<u64>,
    /// Number of bytes of bodies received in this run, before decompression.
    #[serde(default)]
    pub received_bytes: u64,
    /// What the end of the crawl waits for; `None` while it goes on, and after its end.
    #[serde(default)]
    pub ending: Option<EndProgress>,
}

/// The properties by which a document is counted.
#[derive(Clone, Copy)]
pub(super) struct TallyKey<'a> {
    uri: &'a Uri,
    depth: u16,
    step: Option<&'a Step>,
}

impl<'a> TallyKey<'a> {
    pub(super) fn from_entry(entry: &'a QueueEntry) -> Self {
        Self { uri: &entry.target, depth: entry.depth, step: entry.step.as_deref() }
    }

    pub(super) fn from_record(record: &'a UriRecord) -> Self {
        Self { uri: &record.uri, depth: record.depth, step: record.step.as_deref() }
    }
}

impl Tally {
    /// Number of all requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests_get + self.requests_head + self.requests_robots
    }

    /// Number of requests since the start of the last refresh round. The request limit applies to
    /// this number.
    pub(super) fn requests_since_refresh(&self) -> u64 {
        self.requests().saturating_sub(self.refresh.requests_before)
    }

    /// Copies the counters of the stored round. If the process was killed, the tally may lack some
    /// of them, even the start of the round.
    pub(super) fn apply_round(&mut self, round: &RefreshRound) {
        if self.refresh.started_at_ms != round.started_at_ms {
            let requests_before = self.requests();
            let started_at_ms = round.started_at_ms;
            self.refresh = RefreshTally { started_at_ms, requests_before, ..RefreshTally::default() };
        }
        self.refresh.queued = round.queued;
        for (reason, count) in &round.reopened {
            let known = self.refresh.reopened.insert(reason.name().to_owned(), *count).unwrap_or_default();
            self.uncount_drops(*reason, count.saturating_sub(known));
        }
    }

    pub(super) fn count_request(&mut self, errand: &Errand) {
        match errand {
            Errand::Resolve(_) => {}
            Errand::Robots(_) => self.requests_robots += 1,
            Errand::Probe => self.requests_head += 1,
            Errand::Fetch => self.requests_get += 1,
        }
    }

    /// Subtracts a request that was never sent.
    pub(super) fn uncount_request(&mut self, errand: &Errand) {
        match errand {
            Errand::Resolve(_) => {}
            Errand::Robots(_) => self.requests_robots -= 1,
            Errand::Probe => self.requests_head -= 1,
            Errand::Fetch => self.requests_get -= 1,
        }
    }

    /// Reads the counts of a memo, without those of documents that are fetched again.
    pub(super) fn from_memo(memo: &[u8], requeued: &[UriRecord]) -> Self {
        let mut tally: Self = serde_json::from_slice(memo).unwrap_or_default();
        for record in requeued {
            if let Some(Outcome::Document(document)) = &record.outcome {
                tally.uncount_document(TallyKey::from_record(record), document);
            }
        }
        tally
    }

    /// The number of documents of a hop.
    #[must_use]
    pub(crate) fn hop_documents(&self, depth: u16) -> u64 {
        self.documents_by_hop.get(usize::from(depth)).copied().unwrap_or_default()
    }

    fn count_hop_document(&mut self, depth: u16) {
        let depth = usize::from(depth);
        if self.documents_by_hop.len() <= depth {
            self.documents_by_hop.resize(depth + 1, 0);
        }
        self.documents_by_hop[depth] += 1;
    }

    /// Subtracts a document that is fetched again and will then be counted again.
    pub(super) fn uncount_document(&mut self, key: TallyKey<'_>, document: &DocumentSummary) {
        if let Some(count) = self.documents_by_hop.get_mut(usize::from(key.depth)) {
            *count = count.saturating_sub(1);
        }
        let subtract = |count: &mut u64, by: u64| *count = count.saturating_sub(by);
        subtract(&mut self.documents, 1);
        subtract(&mut self.bytes, document.fetch.bytes);
        subtract(&mut self.quads, document.quads);
        let is_relevant = u64::from(document.relevance == Relevance::Rdf);
        subtract(&mut self.rdf_documents, is_relevant);
        if key.step.is_none() && is_hard(key.uri, document.fetch.declared_media_type.as_deref()) {
            subtract(&mut self.selection.hard_documents, 1);
            subtract(&mut self.selection.hard_rdf_documents, is_relevant);
            subtract(&mut self.selection.hard_metadata_documents, metadata_count(document));
        }
        let subtract_from = |counts: &mut BTreeMap<String, u64>, name: &str, by: u64| {
            if let Some(count) = counts.get_mut(name) {
                subtract(count, by);
            }
        };
        subtract_from(&mut self.documents_by_relevance, document.relevance.name(), 1);
        subtract_from(&mut self.documents_by_format, &document.fetch.format, 1);
        for (syntax, quads) in &document.fetch.quads_by_format {
            subtract_from(&mut self.quads_by_format, syntax, *quads);
        }
        for fault in &document.fetch.faults {
            self.uncount_fault(fault.kind);
        }
        if let Some(service) = key.step.and_then(|step| self.services.get_mut(step.service())) {
            subtract(&mut service.requests, 1);
            subtract(&mut service.quads, document.quads);
        }
    }

    /// Counts a step of a service and its quads.
    pub(super) fn count_step(&mut self, step: &Step, quads: u64) {
        let service = self.service_tally(step);
        service.requests += 1;
        service.quads += quads;
    }

    /// Counts a failed step of a service.
    pub(super) fn count_failed_step(&mut self, step: &Step) {
        let service = self.service_tally(step);
        service.requests += 1;
        service.failed += 1;
    }

    /// Subtracts a redirected or failed step that is repeated.
    pub(super) fn uncount_step(&mut self, step: &Step, has_failed: bool) {
        if let Some(service) = self.services.get_mut(step.service()) {
            service.requests = service.requests.saturating_sub(1);
            service.failed = service.failed.saturating_sub(u64::from(has_failed));
        }
    }

    /// Evicts the service with the fewest requests if `MAX_SERVICES` are counted. The number is
    /// limited because the tally is stored with every commit.
    fn evict_service(&mut self) {
        if self.services.len() >= MAX_SERVICES {
            let least =
                self.services.iter().min_by_key(|(_, tally)| tally.requests).map(|(service, _)| service.clone());
            self.services.remove(&least.unwrap_or_default());
        }
    }

    fn service_tally(&mut self, step: &Step) -> &mut ServiceTally {
        if !self.services.contains_key(step.service()) {
            self.evict_service();
            self.services.insert(step.service().to_owned(), ServiceTally::default());
        }
        self.services.get_mut(step.service()).expect("a missing service was just inserted")
    }

    pub(super) fn count_fault(&mut self, kind: FaultKind) {
        add(&mut self.faults_by_kind, kind.name(), 1);
    }

    /// Subtracts a fault of a request that was repeated.
    pub(super) fn uncount_fault(&mut self, kind: FaultKind) {
        if let Some(known) = self.faults_by_kind.get_mut(kind.name()) {
            *known = known.saturating_sub(1);
        }
    }

    /// Subtracts the fault of the last request, if that request failed.
    pub(super) fn uncount_last_failure(&mut self, history: &FetchHistory) {
        if let Some(failing) = &history.failing {
            self.uncount_fault(failing.fault.kind);
        }
    }

    /// Subtracts dropped URIs that wait again.
    pub(super) fn uncount_drops(&mut self, reason: DropReason, count: u64) {
        if let Some(known) = self.dropped_by_reason.get_mut(reason.name()) {
            *known = known.saturating_sub(count);
        }
    }

    /// Whether URIs were dropped because of the links that led to them.
    pub(super) fn has_links_dropped(&self) -> bool {
        let mut reasons = DropReason::ALL.iter().filter(|reason| reason.depends_on_link());
        reasons.any(|reason| self.dropped_by_reason.get(reason.name()).is_some_and(|count| *count > 0))
    }

    pub(super) fn count_drops(&mut self, reason: DropReason, count: u64) {
        if count > 0 {
            add(&mut self.dropped_by_reason, reason.name(), count);
        }
    }

    /// Counts a document. The URI of a step is never hard, because the strategy does not select it.
    pub(super) fn count_document(&mut self, key: TallyKey<'_>, document: &DocumentSummary) {
        self.count_hop_document(key.depth);
        self.documents += 1;
        self.bytes += document.fetch.bytes;
        self.quads += document.quads;
        let is_relevant = u64::from(document.relevance == Relevance::Rdf);
        self.rdf_documents += is_relevant;
        if key.step.is_none() && is_hard(key.uri, document.fetch.declared_media_type.as_deref()) {
            self.selection.hard_documents += 1;
            self.selection.hard_rdf_documents += is_relevant;
            self.selection.hard_metadata_documents += metadata_count(document);
        }
        add(&mut self.documents_by_relevance, document.relevance.name(), 1);
        add(&mut self.documents_by_format, &document.fetch.format, 1);
        for (syntax, quads) in &document.fetch.quads_by_format {
            add(&mut self.quads_by_format, syntax, *quads);
        }
        for fault in &document.fetch.faults {
            self.count_fault(fault.kind);
        }
    }
}

fn metadata_count(document: &DocumentSummary) -> u64 {
    u64::from(matches!(document.relevance, Relevance::OgOnly | Relevance::XhvOnly))
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str, count: u64) {
    match counts.get_mut(name) {
        Some(known) => *known += count,
        None => {
            counts.insert(name.to_owned(), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_round_is_a_date_or_null_in_json() {
        let check = |started_at_ms, expected: &str| {
            let tally = RefreshTally { started_at_ms, ..RefreshTally::default() };
            let json = serde_json::to_value(&tally).unwrap();
            assert_eq!(json["started_at"].to_string(), expected);
            assert_eq!(serde_json::from_value::<RefreshTally>(json).unwrap(), tally);
        };

        check(0, "null");
        check(784_111_777_001, "\"1994-11-06T08:49:37.001Z\"");
        assert!(serde_json::from_str::<RefreshTally>(r#"{"started_at": "yesterday"}"#).is_err());
    }
}
