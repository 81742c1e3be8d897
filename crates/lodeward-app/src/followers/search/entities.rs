//! The entities of the archive, as the index describes them: for clusters, similar entities and
//! proposed links.

use lodeward_archive::{ArchiveError, Collection, Snapshot};
use lodeward_search::EntityDescription;
use oxrdf::NamedNodeRef;

use super::entity_reader::{EntityReader, ReaderMemory};
use super::{SearchIndex, SearchIndexError};

/// The entities of one state of the archive.
pub struct ArchiveEntities {
    snapshot: Snapshot,
    languages: Vec<String>,
}

impl SearchIndex {
    /// The entities of the archive as it is now.
    #[must_use]
    pub fn entities(&self) -> ArchiveEntities {
        let languages = self.shared.options.stemmed.tags().map(str::to_owned).collect();
        ArchiveEntities { snapshot: self.shared.archive.snapshot(), languages }
    }
}

impl ArchiveEntities {
    /// The state of the archive.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Describes one entity; `None` if the IRI is not an entity of the archive.
    pub fn describe(&self, iri: &str) -> Result<Option<EntityDescription>, SearchIndexError> {
        let Some(number) = self.snapshot.term_number(NamedNodeRef::new_unchecked(iri).into())? else { return Ok(None) };
        let mut memory = ReaderMemory::default();
        let mut reader = EntityReader::new(&self.snapshot, &mut memory, &self.languages)?;
        let mut described = None;
        for node in reader.next_of(&mut std::iter::once(number))? {
            described = reader.describe(node)?.map(|described| described.description);
        }
        Ok(described)
    }

    /// Calls `visit` for every entity, in the same order each time; with a crawl, for those that one
    /// of its documents describes. Ends with an error when `is_stopped`.
    pub fn for_each(
        &self,
        crawl: Option<u32>,
        is_stopped: &dyn Fn() -> bool,
        visit: &mut dyn FnMut(&EntityDescription),
    ) -> Result<(), SearchIndexError> {
        let mut memory = ReaderMemory::default();
        let mut reader = EntityReader::new(&self.snapshot, &mut memory, &self.languages)?;
        let mut next = 0;
        loop {
            let block = reader.subjects_from(next)?;
            let Some(last) = block.last() else { return Ok(()) };
            next = last.number + 1;
            for node in block {
                if is_stopped() {
                    return Err(SearchIndexError::Stopped);
                }
                if let Some(crawl) = crawl
                    && !is_of_crawl(&self.snapshot, node.number, crawl)?
                {
                    continue;
                }
                if let Some(described) = reader.describe(node)? {
                    visit(&described.description);
                }
            }
        }
    }
}

/// Whether a document of a crawl has a statement about an entity.
pub(crate) fn is_of_crawl(snapshot: &Snapshot, entity: u64, crawl: u32) -> Result<bool, ArchiveError> {
    let mut last = None;
    for quad in snapshot.numbered_quads(entity) {
        let [graph, ..] = quad?;
        if last != Some(graph) {
            last = Some(graph);
            if snapshot.is_in_collection(graph, Collection(crawl))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
