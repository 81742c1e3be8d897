//! Preparing one run of a bulk load.

use foldhash::HashMap;

use crate::chunk_run::ChunkRun;
use crate::error::ArchiveError;
use crate::scan::IdPattern;
use crate::snapshot::Snapshot;
use crate::term::TermId;

/// Sorts the quads, omits those that `existing` contains, and splits the rest into chunks. Terms
/// from `first_new_term` on are new to the archive, and so are graphs that `everything` does not
/// contain.
pub(super) fn sorted_run(
    mut quads: Vec<[u64; 4]>,
    existing: &Snapshot,
    everything: &Snapshot,
    first_new_term: u64,
    first_chunk: u64,
) -> Result<ChunkRun, ArchiveError> {
    quads.sort_unstable();
    quads.dedup();
    remove_existing(&mut quads, existing, first_new_term)?;
    ChunkRun::from_sorted(quads, first_chunk, |graph| {
        let name = TermId(graph);
        Ok(name != TermId::DEFAULT_GRAPH && (name.is_new(first_new_term) || !everything.has_graph(name)?))
    })
}

/// Adds the number of quads of a run to those of each predicate.
pub(super) fn count_predicates(run: &ChunkRun, predicates: &mut HashMap<u64, u64>) {
    for quad in run.quads() {
        *predicates.entry(quad[2]).or_default() += 1;
    }
}

/// Removes quads that the archive already contains. Most runs have none, and for most quads no
/// lookup is needed: their graph or one of their terms is new.
fn remove_existing(quads: &mut Vec<[u64; 4]>, known: &Snapshot, first_new_term: u64) -> Result<(), ArchiveError> {
    let mut last_graph: Option<(u64, bool)> = None;
    let mut failure = None;
    let mut exists = |&[graph, subject, predicate, object]: &[u64; 4]| -> Result<bool, ArchiveError> {
        let old_graph = match last_graph {
            Some((last, old)) if last == graph => old,
            _ => {
                !TermId(graph).is_new(first_new_term) && known.graph_chunks(TermId(graph)).next().transpose()?.is_some()
            }
        };
        last_graph = Some((graph, old_graph));
        if !old_graph || [subject, predicate, object].iter().any(|&id| TermId(id).is_new(first_new_term)) {
            return Ok(false);
        }
        let terms = [Some(subject), Some(predicate), Some(object)];
        Ok(known.scan(IdPattern { terms, graph: Some(TermId(graph)) }).next().transpose()?.is_some())
    };
    quads.retain(|quad| {
        let known = exists(quad);
        known.map_or_else(
            |error| {
                failure = Some(error);
                true
            },
            |known| !known,
        )
    });
    failure.map_or(Ok(()), Err)
}
