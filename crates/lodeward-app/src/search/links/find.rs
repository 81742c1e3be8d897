//! Finds links between the entities of the archive.

use std::cell::Cell;
use std::path::Path;

use foldhash::HashMap;
use lodeward_archive::{ArchiveError, Snapshot};
use lodeward_search::EntityDescription;
use lodeward_search::entity::EntityKey;
use lodeward_search::same_as::{EVIDENCE_NAMES, LinkSide, LinkWeights, candidates, propose};
use lodeward_search::source::EntitySource;
use lodeward_search::vectors::{EntityVectors, NeighbourGraph, NeighbourOptions, VectorFeatures, VectorOptions};
use oxrdf::{NamedNodeRef, Term};

use super::{LinkProposalRecord, LinkRun, ProposalEvidence, ProposedPredicate, VERSION, path};
use crate::followers::search::SearchIndex;
use crate::search::clusters::entity_label;
use crate::search::selection::domain;
use crate::search::{EntitySearchError, EntitySelection, SelectedEntities, result_file};

/// Maximum number of entities that are compared, about 1 KB of memory each.
pub const MAX_LINK_ENTITIES: usize = 500_000;

/// Number of similar entities of one that are proposed as related, and their minimum cosine.
const MAX_RELATED: usize = 3;
const MIN_RELATED_SCORE: f64 = 0.5;

/// Which links are searched.
#[derive(Clone, Debug, Default)]
pub struct LinkJob {
    /// The predicate.
    pub kind: ProposedPredicate,
    /// The entities that are compared.
    pub selection: EntitySelection,
    /// Minimum score; by default 0 for `owl:sameAs`, 0.5 for `skos:related`.
    pub min_score: Option<f64>,
}

/// Finds links, and replaces the stored proposals with this predicate. Links that the archive has are
/// not proposed.
pub fn find(
    index: &SearchIndex,
    data: &Path,
    job: &LinkJob,
    now_ms: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Result<LinkRun, EntitySearchError> {
    let count = Cell::new(0);
    let is_ended = || is_stopped() || count.get() > MAX_LINK_ENTITIES;
    let source = SelectedEntities::new(index, &job.selection, &is_ended)?;
    let scored = match job.kind {
        ProposedPredicate::SameAs => {
            same_entities(&LimitedEntities { source: &source, count: &count }, job.min_score.unwrap_or(0.0))?
        }
        ProposedPredicate::Related => related_entities(&source, job.min_score.unwrap_or(MIN_RELATED_SCORE))?,
    };
    let found = describe(index, source.entities().snapshot(), job.kind, scored)?;
    let mut all: Vec<LinkProposalRecord> = Vec::new();
    let _: Option<LinkRun> = result_file::read(&path(data), |link: LinkProposalRecord| {
        if link.predicate != job.kind {
            all.push(link);
        }
    })?;
    all.extend(found);
    all.sort_by(|a, b| {
        (a.predicate.cmp(&b.predicate)).then(b.score.total_cmp(&a.score)).then_with(|| a.source.cmp(&b.source))
    });
    let count = |kind: ProposedPredicate| (kind, all.iter().filter(|link| link.predicate == kind).count() as u64);
    let run = LinkRun { version: VERSION, found_at: now_ms, proposals: ProposedPredicate::ALL.map(count).to_vec() };
    result_file::write(&path(data), &run, &all)?;
    Ok(run)
}

/// Selected entities, of which reading ends when there are too many: before anything is kept of them,
/// because the first pass over them only counts types.
struct LimitedEntities<'a> {
    source: &'a SelectedEntities<'a>,
    count: &'a Cell<usize>,
}

impl EntitySource for LimitedEntities<'_> {
    type Error = EntitySearchError;

    fn for_each_entity(&self, visit: &mut dyn FnMut(&EntityDescription)) -> Result<(), EntitySearchError> {
        self.count.set(0);
        let read = self.source.for_each_entity(&mut |entity| {
            self.count.set(self.count.get() + 1);
            visit(entity);
        });
        if self.count.get() > MAX_LINK_ENTITIES { Err(EntitySearchError::TooMany) } else { Ok(read?) }
    }
}

/// Two entities, the score of their link, and the evidence.
struct ScoredPair {
    source: EntityKey,
    target: EntityKey,
    score: f64,
    why: Vec<ProposalEvidence>,
}

/// Pairs of entities of different domains that are the same.
fn same_entities(source: &LimitedEntities<'_>, min_score: f64) -> Result<Vec<ScoredPair>, EntitySearchError> {
    let mut domains: HashMap<String, u32> = HashMap::default();
    let side = LinkSide::read_grouped(source, |entity| {
        let next = u32::try_from(domains.len()).unwrap_or(u32::MAX);
        *domains.entry(domain(&entity.iri)).or_insert(next)
    })?;
    let weights = LinkWeights::default();
    let proposals = propose(&side, &side, &candidates(&side, &side), &weights, min_score);
    let pair =
        |found: lodeward_search::same_as::LinkProposal| {
            let figures = EVIDENCE_NAMES.iter().zip(found.evidence).zip(weights.weights);
            let why = figures.filter(|((_, value), _)| *value != 0.0).map(|((feature, value), weight)| {
                ProposalEvidence { feature: (*feature).to_owned(), value, share: value * weight }
            });
            ScoredPair { source: found.source, target: found.target, score: found.score, why: why.collect() }
        };
    Ok(proposals.into_iter().map(pair).collect())
}

/// Pairs of the most similar entities.
fn related_entities(source: &SelectedEntities<'_>, min_score: f64) -> Result<Vec<ScoredPair>, EntitySearchError> {
    let vectors = EntityVectors::read(source, &VectorOptions::new(VectorFeatures::default()))?;
    let options = NeighbourOptions { neighbours: MAX_RELATED, ..NeighbourOptions::default() };
    let edges = NeighbourGraph::new(&vectors, &options).edges.into_iter();
    let pairs = edges.map(|edge| {
        let score = f64::from(edge.weight);
        let keys = vectors.keys();
        let why = vec![ProposalEvidence { feature: "cosine".to_owned(), value: score, share: score }];
        ScoredPair { source: keys[edge.from as usize], target: keys[edge.to as usize], score, why }
    });
    Ok(pairs.filter(|pair| pair.score >= min_score).collect())
}

/// Adds IRIs and labels, and leaves out pairs that are already linked.
fn describe(
    index: &SearchIndex,
    snapshot: &Snapshot,
    kind: ProposedPredicate,
    pairs: Vec<ScoredPair>,
) -> Result<Vec<LinkProposalRecord>, EntitySearchError> {
    let view = index.view()?;
    let known = known_predicates(snapshot, kind)?;
    let mut found = Vec::new();
    for ScoredPair { source, target, score, why } in pairs {
        if is_linked(snapshot, source, target, &known)? || is_linked(snapshot, target, source, &known)? {
            continue;
        }
        let name = |key: EntityKey| -> Result<Option<(String, String)>, EntitySearchError> {
            if let Some(summary) = view.summary(key)? {
                return Ok(Some((summary.iri, summary.label)));
            }
            // The index may be a little behind the archive.
            Ok(match snapshot.numbered_term(key.0)? {
                Term::NamedNode(node) => Some((node.as_str().to_owned(), entity_label(node.as_str(), None))),
                _ => None,
            })
        };
        let (Some((source, source_label)), Some((target, target_label))) = (name(source)?, name(target)?) else {
            continue;
        };
        found.push(LinkProposalRecord { source, source_label, predicate: kind, target, target_label, score, why });
    }
    Ok(found)
}

/// Numbers of predicates that say the same as a proposed link, or more.
fn known_predicates(snapshot: &Snapshot, kind: ProposedPredicate) -> Result<Vec<u64>, ArchiveError> {
    let mut iris = vec![
        "http://www.w3.org/2002/07/owl#sameAs",
        "http://www.w3.org/2004/02/skos/core#exactMatch",
        "http://schema.org/sameAs",
        "https://schema.org/sameAs",
    ];
    if kind == ProposedPredicate::Related {
        iris.extend(["http://www.w3.org/2004/02/skos/core#related", "http://www.w3.org/2004/02/skos/core#closeMatch"]);
    }
    let mut numbers = Vec::new();
    for iri in iris {
        numbers.extend(snapshot.term_number(NamedNodeRef::new_unchecked(iri).into())?);
    }
    Ok(numbers)
}

fn is_linked(
    snapshot: &Snapshot,
    source: EntityKey,
    target: EntityKey,
    predicates: &[u64],
) -> Result<bool, ArchiveError> {
    for predicate in predicates {
        if snapshot.has_statement([source.0, *predicate, target.0])? {
            return Ok(true);
        }
    }
    Ok(false)
}
