//! Reads provenance records from a snapshot, as graphs and by pattern.

use std::sync::Arc;

use fjall::{Readable, Slice};
use oxrdf::{GraphName, NamedNode, NamedNodeRef, Quad, Term, TermRef};

use crate::Collection;
use crate::error::ArchiveError;
use crate::provenance::{ProvenanceExpander, RecordCandidates, RecordKey};
use crate::snapshot::Snapshot;

type RecordEntries = Box<dyn Iterator<Item = Result<(RecordKey, Slice), ArchiveError>>>;

impl Snapshot {
    fn expander(&self) -> Option<&Arc<dyn ProvenanceExpander>> {
        self.tables().provenance_expander.as_ref()
    }

    fn expand(&self, key: RecordKey, record: &[u8]) -> Result<Vec<Quad>, ArchiveError> {
        let Some(expander) = self.expander() else { return Ok(Vec::new()) };
        expander.expand(key, record).ok_or_else(|| {
            let RecordKey { collection, fingerprint } = key;
            ArchiveError::corrupted(format!(
                "invalid provenance record {fingerprint:032x} of collection {}",
                collection.0
            ))
        })
    }

    fn record(&self, key: RecordKey) -> Result<Option<Slice>, ArchiveError> {
        Ok(self.view().get(&self.tables().provenance, key.encode())?)
    }

    /// The quads of a provenance graph; `None` if there is no such graph.
    pub fn provenance_graph(&self, graph: NamedNodeRef<'_>) -> Result<Option<Vec<Quad>>, ArchiveError> {
        let key = self.expander().and_then(|expander| expander.record_of_graph(graph.as_str()));
        let Some(key) = key else { return Ok(None) };
        let Some(record) = self.record(key)? else { return Ok(None) };
        let quads = self.expand(key, &record)?;
        // The name of a graph can depend on more than its key.
        let is_named = quads.first().is_some_and(|quad| quad.graph_name == GraphName::from(graph.into_owned()));
        Ok(is_named.then_some(quads))
    }

    /// The provenance graphs of a collection, or of all collections, as their quads. In no particular
    /// order.
    pub fn provenance_graphs(
        &self,
        collection: Option<Collection>,
    ) -> impl Iterator<Item = Result<Vec<Quad>, ArchiveError>> + use<> {
        let snapshot = self.clone();
        self.record_entries(collection).map(move |entry| {
            let (key, record) = entry?;
            snapshot.expand(key, &record)
        })
    }

    pub(crate) fn record_entries(&self, collection: Option<Collection>) -> RecordEntries {
        if self.expander().is_none() {
            return Box::new(std::iter::empty());
        }
        let prefix = collection.map_or_else(Vec::new, |collection| collection.0.to_be_bytes().to_vec());
        Box::new(self.view().prefix(&self.tables().provenance, prefix).map(|entry| {
            let (key, record) = entry.into_inner()?;
            Ok((RecordKey::decode(&key)?, record))
        }))
    }

    /// The keys of the first records of a collection.
    pub(crate) fn record_keys(&self, collection: Collection, max: usize) -> Result<Vec<RecordKey>, ArchiveError> {
        let entries = self.view().prefix(&self.tables().provenance, collection.0.to_be_bytes());
        entries.take(max).map(|entry| RecordKey::decode(&entry.key()?)).collect()
    }

    /// The collections that have records.
    fn record_collections(&self) -> Result<Vec<Collection>, ArchiveError> {
        let mut found = Vec::new();
        let mut next = Some(0_u32);
        while let Some(from) = next {
            let mut entries = self.view().range(&self.tables().provenance, from.to_be_bytes()..);
            let Some(entry) = entries.next() else { break };
            let RecordKey { collection, .. } = RecordKey::decode(&entry.key()?)?;
            found.push(collection);
            next = collection.0.checked_add(1);
        }
        Ok(found)
    }

    fn listed_records(&self, keys: Vec<RecordKey>) -> RecordEntries {
        let snapshot = self.clone();
        Box::new(keys.into_iter().filter_map(move |key| match snapshot.record(key) {
            Ok(record) => Some(Ok((key, record?))),
            Err(error) => Some(Err(error)),
        }))
    }

    /// The records that can contain a quad with these terms.
    fn candidate_records(&self, pattern: &ProvenancePattern) -> Result<RecordEntries, ArchiveError> {
        let nothing = || -> RecordEntries { Box::new(std::iter::empty()) };
        let Some(expander) = self.expander() else { return Ok(nothing()) };
        if let Some(graph) = &pattern.graph {
            let keys = expander.record_of_graph(graph.as_str()).into_iter().collect();
            return Ok(self.listed_records(keys));
        }
        let candidates = match (&pattern.subject, &pattern.object) {
            (Some(Term::NamedNode(subject)), _) => expander.records_of_subject(subject.as_str()),
            // Expanded graphs have no blank nodes.
            (Some(_), _) | (_, Some(Term::BlankNode(_))) => return Ok(nothing()),
            (None, Some(Term::NamedNode(object))) => expander.records_of_object(object.as_str()),
            (None, _) => RecordCandidates::Any,
        };
        match candidates {
            RecordCandidates::One(key) => Ok(self.listed_records(vec![key])),
            RecordCandidates::InEachCollection(fingerprint) => {
                let collections = self.record_collections()?.into_iter();
                Ok(self.listed_records(collections.map(|collection| RecordKey { collection, fingerprint }).collect()))
            }
            RecordCandidates::Any => Ok(self.record_entries(None)),
        }
    }

    /// The matching quads, record by record; a record without any gives an empty list.
    pub(crate) fn match_provenance(
        &self,
        pattern: ProvenancePattern,
    ) -> Result<impl Iterator<Item = Result<Vec<Quad>, ArchiveError>> + use<>, ArchiveError> {
        let snapshot = self.clone();
        Ok(self.candidate_records(&pattern)?.map(move |entry| {
            let (key, record) = entry?;
            let mut quads = snapshot.expand(key, &record)?;
            quads.retain(|quad| pattern.matches(quad));
            Ok(quads)
        }))
    }

    /// Whether quads about this subject can be in any record, so that finding them reads all records.
    pub(crate) fn is_in_any_record(&self, subject: &NamedNode) -> bool {
        let candidates = self.expander().map(|expander| expander.records_of_subject(subject.as_str()));
        candidates == Some(RecordCandidates::Any)
    }

    /// Estimates how many provenance quads match, from the first records.
    pub(crate) fn estimate_provenance(&self, pattern: &ProvenancePattern) -> Result<u64, ArchiveError> {
        const MAX_SAMPLED_RECORDS: usize = 8;
        let records = self.candidate_records(pattern)?.take(MAX_SAMPLED_RECORDS).collect::<Result<Vec<_>, _>>()?;
        let sampled = records.len() as u64;
        let mut matching = 0;
        for (key, record) in records {
            matching += self.expand(key, &record)?.iter().filter(|quad| pattern.matches(quad)).count() as u64;
        }
        if sampled < MAX_SAMPLED_RECORDS as u64 {
            return Ok(matching);
        }
        let all = self.tables().provenance.approximate_len() as u64;
        Ok((matching.max(1) * all).div_ceil(sampled))
    }
}

/// A pattern of terms; `None` matches anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProvenancePattern {
    pub(crate) subject: Option<Term>,
    pub(crate) predicate: Option<Term>,
    pub(crate) object: Option<Term>,
    pub(crate) graph: Option<NamedNode>,
}

impl ProvenancePattern {
    fn matches(&self, quad: &Quad) -> bool {
        let is_node = |term: &Option<Term>, node: TermRef<'_>| term.as_ref().is_none_or(|term| term.as_ref() == node);
        is_node(&self.predicate, quad.predicate.as_ref().into())
            && is_node(&self.subject, quad.subject.as_ref().into())
            && is_node(&self.object, quad.object.as_ref())
            && self.graph.as_ref().is_none_or(|graph| quad.graph_name.as_ref() == graph.as_ref().into())
    }
}
