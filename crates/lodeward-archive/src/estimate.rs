//! Guessing how many quads match, without finding them all.

use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, TermRef};

use crate::error::ArchiveError;
use crate::keys::{self, Posting};
use crate::scan::{Pattern, posting_entries};
use crate::snapshot::Snapshot;
use crate::term::TermId;

/// So many chunks are looked into.
const CHUNKS_SEEN: u64 = 4;
/// So many postings are counted.
const POSTINGS_COUNTED: usize = 1_000;

impl Snapshot {
    /// About how many quads match: 0 only where none does, and quickly told,
    /// from statistics and a short look into the indexes. For the order of
    /// joins.
    pub fn estimate(
        &self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> Result<u64, ArchiveError> {
        let Some(pattern) = Pattern::find(self, subject, predicate, object, graph)? else { return Ok(0) };
        let in_graph = pattern.graph.map_or(Ok(u64::MAX), |graph| self.graph_estimate(graph))?;
        let anywhere = match pattern.terms {
            [None, None, None] => self.len()?,
            [None, Some(predicate), None] => self.predicate_count(TermId(predicate))?,
            [Some(subject), _, _] => self.posting_estimate(pattern, &Posting::Subject(subject).prefix())?,
            [None, Some(predicate), Some(object)] => {
                self.posting_estimate(pattern, &Posting::Object(object, predicate).prefix())?
            }
            [None, None, Some(object)] => self.posting_estimate(pattern, &keys::object_prefix(object))?,
        };
        Ok(anywhere.min(in_graph))
    }

    /// How many quads a graph has, or at least how many it begins with.
    fn graph_estimate(&self, graph: TermId) -> Result<u64, ArchiveError> {
        self.graph_chunks(graph).take(POSTINGS_COUNTED).map(|entry| Ok(entry?.1)).sum()
    }

    /// Counts postings, and takes the chunks that the first of them point at
    /// for like the others.
    fn posting_estimate(&self, pattern: Pattern, prefix: &[u8]) -> Result<u64, ArchiveError> {
        let (mut postings, mut seen, mut matching) = (0_u64, 0_u64, 0_u64);
        for number in posting_entries(self, prefix).take(POSTINGS_COUNTED) {
            postings += 1;
            if seen < CHUNKS_SEEN
                && let Some(chunk) = self.chunk(number?)?
            {
                seen += 1;
                let Some(wanted) = chunk.wanted(pattern.terms) else { continue };
                let mut from = 0;
                while let Some(place) = chunk.find(wanted, from) {
                    matching += 1;
                    from = place + 1;
                }
            }
        }
        if postings <= seen { Ok(matching) } else { Ok((matching * postings).div_ceil(seen.max(1)).max(1)) }
    }
}
