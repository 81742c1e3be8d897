//! Estimating how many quads match a pattern, without reading them all.

use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, TermRef};

use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::scan::{IdPattern, posting_entries};
use crate::snapshot::Snapshot;
use crate::term::TermId;

/// Maximum number of chunks that are decoded for a sample.
const MAX_SAMPLED_CHUNKS: u64 = 4;
/// Maximum number of postings, or of chunks of a graph, that are counted.
const MAX_COUNTED_POSTINGS: usize = 1_000;

impl Snapshot {
    /// Estimates how many quads match, from statistics and a bounded number of index entries.
    /// Returns 0 only if no quad matches. The estimate is used to order joins.
    pub fn estimate(
        &self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> Result<u64, ArchiveError> {
        if let Some(GraphNameRef::NamedNode(name)) = graph
            && let Some(quads) = self.provenance_graph(name)?
        {
            return Ok(quads.len() as u64);
        }
        let Some(pattern) = IdPattern::resolve(self, subject, predicate, object, graph)? else { return Ok(0) };
        let in_graph = pattern.graph.map_or(Ok(u64::MAX), |graph| self.graph_estimate(graph))?;
        let anywhere = match pattern.terms {
            [None, None, None] => self.len()?,
            [None, Some(predicate), None] => self.predicate_count(TermId(predicate))?,
            [Some(subject), _, _] => self.posting_estimate(pattern, &PostingKey::Subject(subject).prefix())?,
            [None, Some(predicate), Some(object)] => {
                self.posting_estimate(pattern, &PostingKey::Object(object, predicate).prefix())?
            }
            [None, None, Some(object)] => self.posting_estimate(pattern, &keys::object_prefix(object))?,
        };
        Ok(anywhere.min(in_graph))
    }

    /// The number of quads of a graph, or a lower bound if it has many chunks.
    fn graph_estimate(&self, graph: TermId) -> Result<u64, ArchiveError> {
        self.graph_chunks(graph).take(MAX_COUNTED_POSTINGS).map(|entry| Ok(entry?.1)).sum()
    }

    /// Counts postings, and extrapolates from the chunks of the first ones.
    fn posting_estimate(&self, pattern: IdPattern, prefix: &[u8]) -> Result<u64, ArchiveError> {
        let (mut postings, mut sampled, mut matching) = (0_u64, 0_u64, 0_u64);
        for number in posting_entries(self, prefix).take(MAX_COUNTED_POSTINGS) {
            postings += 1;
            if sampled < MAX_SAMPLED_CHUNKS
                && let Some(chunk) = self.chunk(number?)?
            {
                sampled += 1;
                let Some(query) = chunk.query(pattern.terms) else { continue };
                let mut from = 0;
                while let Some(position) = chunk.find(query, from) {
                    matching += 1;
                    from = position + 1;
                }
            }
        }
        if postings <= sampled { Ok(matching) } else { Ok((matching * postings).div_ceil(sampled.max(1)).max(1)) }
    }
}
