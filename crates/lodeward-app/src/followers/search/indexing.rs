//! Brings the index from one state of the archive to the next.
//!
//! An update describes again: the subjects of changed statements; their objects, if they are in the
//! index; and, if the name of one of these has changed, its neighbours, whose fields contain it. All
//! of it is one commit, with the position of the change feed. So the committed index is always that
//! of one snapshot.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::{HashMap, HashSet};
use lodeward_archive::{Archive, ChangePosition, Snapshot, TripleChange};
use lodeward_search::entity::{EntityKey, NeighbourName};
use lodeward_search::text::StemmedLanguages;
use lodeward_search::{EntityIndex, IndexOptions, IndexView};

use super::SearchIndexError;
use super::entity_reader::{DescribedEntity, EntityReader, KnownName, NodeStatements, ReaderMemory};

/// Version of the descriptions. If it changes, the index is built again.
const DESCRIPTION_VERSION: u32 = 2;

/// Number of changed nodes up to which an index is updated; 8 to 16 bytes of memory each. If more
/// have changed, it is built again.
const MAX_CHANGED: usize = 2_000_000;

/// Number of changed nodes, and of quads of an archive without an index, up to which an update is
/// small.
const MAX_SMALL_CHANGE: usize = 4_000;
const MAX_SMALL_ARCHIVE: u64 = 10_000;

/// Number of hubs in memory.
const MAX_HUBS: usize = 50_000;

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexUpdate {
    /// Number of entities that were described again or removed.
    pub entities: u64,
    /// Whether the index was built from scratch.
    pub is_rebuilt: bool,
    /// Whether nothing was done, because too much has changed for [`UpdateEffort::Small`].
    pub is_postponed: bool,
}

/// How much an update may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateEffort {
    /// Anything.
    Any,
    /// A part of a second.
    Small,
}

/// An open index that follows an archive.
pub(super) struct Indexing {
    archive: Archive,
    index: Arc<EntityIndex>,
    stemmed: StemmedLanguages,
    languages: Vec<String>,
    memory: ReaderMemory,
    /// Hubs, with the predicates of which enough statements lead to them: further ones do not change
    /// their descriptions.
    hubs: HashMap<u64, Vec<u64>>,
}

/// Nodes with changed statements.
#[derive(Default)]
struct ChangedNodes {
    subjects: HashSet<u64>,
    objects: HashSet<u64>,
}

impl Indexing {
    pub(super) fn new(archive: &Archive, index: Arc<EntityIndex>, options: &IndexOptions) -> Self {
        let languages = options.stemmed.tags().map(str::to_owned).collect();
        let (memory, hubs) = (ReaderMemory::default(), HashMap::default());
        Self { archive: archive.clone(), index, stemmed: options.stemmed.clone(), languages, memory, hubs }
    }

    /// Updates the index to the current state of the archive.
    pub(super) fn update(
        &mut self,
        effort: UpdateEffort,
        is_stopped: &AtomicBool,
    ) -> Result<IndexUpdate, SearchIndexError> {
        let snapshot = self.archive.snapshot();
        let Some(end) = snapshot.change_position()? else { return Err(SearchIndexError::Disabled) };
        let since = self.position()?;
        if since == Some(end) {
            return Ok(IndexUpdate::default());
        }
        let max = if effort == UpdateEffort::Small { MAX_SMALL_CHANGE } else { MAX_CHANGED };
        let changed = match since {
            Some(since) => self.changed_nodes(&snapshot, since, max)?,
            None => None,
        };
        if effort == UpdateEffort::Small && changed.is_none() && snapshot.len()? > MAX_SMALL_ARCHIVE {
            return Ok(IndexUpdate { is_postponed: true, ..IndexUpdate::default() });
        }
        let updated = match &changed {
            Some(changed) => self.apply(&snapshot, changed, is_stopped),
            None => self.fill(&snapshot, is_stopped),
        };
        drop(snapshot);
        self.finish(end, updated)
    }

    /// The position of the index; `None` if it has other descriptions, or none.
    fn position(&self) -> Result<Option<ChangePosition>, SearchIndexError> {
        indexed_position(&self.index, &self.languages)
    }

    /// Builds the index from scratch.
    pub(super) fn rebuild(&mut self, is_stopped: &AtomicBool) -> Result<IndexUpdate, SearchIndexError> {
        let snapshot = self.archive.snapshot();
        let Some(end) = snapshot.change_position()? else { return Err(SearchIndexError::Disabled) };
        let filled = self.fill(&snapshot, is_stopped);
        drop(snapshot);
        self.finish(end, filled)
    }

    /// Commits an update, or undoes it if it failed.
    fn finish(
        &mut self,
        end: ChangePosition,
        updated: Result<IndexUpdate, SearchIndexError>,
    ) -> Result<IndexUpdate, SearchIndexError> {
        let committed = updated.and_then(|updated| {
            // The index must never be ahead of the archive, also after a power cut.
            self.archive.sync()?;
            self.index.commit(&self.encode_position(end))?;
            Ok(updated)
        });
        match committed {
            Ok(updated) => {
                if let Err(error) = self.archive.forget_changes(end) {
                    tracing::debug!(%error, "records of changes not removed; the next update removes them");
                }
                Ok(updated)
            }
            Err(error) => {
                (self.memory, self.hubs) = (ReaderMemory::default(), HashMap::default());
                self.index.rollback()?;
                Err(error)
            }
        }
    }

    /// Returns the nodes with statements that have changed since a position; `None` if they are
    /// unknown or more than `max`.
    fn changed_nodes(
        &mut self,
        snapshot: &Snapshot,
        since: ChangePosition,
        max: usize,
    ) -> Result<Option<ChangedNodes>, SearchIndexError> {
        let mut changed = ChangedNodes::default();
        let rdf_type = self.memory.rdf_type(snapshot)?;
        let hubs = &mut self.hubs;
        let is_complete = snapshot.visit_changes(since, |change| {
            let (TripleChange::Added([subject, predicate, object])
            | TripleChange::Edited([subject, predicate, object])) = change;
            changed.subjects.insert(subject);
            // The instances of a class are not its neighbours.
            if Snapshot::may_be_node(object) && Some(predicate) != rdf_type {
                if matches!(change, TripleChange::Edited(_)) {
                    hubs.remove(&object);
                }
                if !hubs.get(&object).is_some_and(|predicates| predicates.contains(&predicate)) {
                    changed.objects.insert(object);
                }
            }
            changed.subjects.len() + changed.objects.len() <= max
        })?;
        Ok(is_complete.then_some(changed))
    }

    /// Describes changed entities again.
    fn apply(
        &mut self,
        snapshot: &Snapshot,
        changed: &ChangedNodes,
        is_stopped: &AtomicBool,
    ) -> Result<IndexUpdate, SearchIndexError> {
        let view = self.index.view()?;
        let linked = changed.objects.iter().filter(|object| !changed.subjects.contains(object));
        let linked = linked.copied().filter(|object| view.contains(EntityKey(*object)));
        let mut dirty: Vec<u64> = changed.subjects.iter().copied().chain(linked).collect();
        dirty.sort_unstable();
        let known: Vec<_> = dirty.iter().map(|number| self.memory.forget(*number)).collect();
        let mut reader = EntityReader::new(snapshot, &mut self.memory, &self.languages)?;
        let mut affected: HashSet<u64> = HashSet::default();
        let mut update = IndexUpdate::default();
        let mut known = known.into_iter();
        for_each_node(&mut reader, dirty.iter().copied(), is_stopped, |reader, node| {
            let number = node.number;
            let now = reader.name(number)?;
            let before = match known.next().flatten() {
                Some(KnownName(before)) => before,
                // A node that was not in the index had the name in its IRI.
                None => match view.neighbour_name(EntityKey(number))? {
                    None => reader.iri_name(number)?,
                    before => before,
                },
            };
            let terms = |name: Option<NeighbourName>| name.map(|name| name.terms(&self.stemmed));
            if before != now && terms(before) != terms(now) {
                affected.extend(reader.neighbours(number)?);
            }
            let described = reader.describe(node)?;
            update.entities += u64::from(write(&self.index, &mut self.hubs, &view, number, described)?);
            Ok(())
        })?;
        let is_other = |number: &u64| dirty.binary_search(number).is_err() && view.contains(EntityKey(*number));
        let mut affected: Vec<u64> = affected.into_iter().filter(is_other).collect();
        affected.sort_unstable();
        for_each_node(&mut reader, affected.into_iter(), is_stopped, |reader, node| {
            let number = node.number;
            let described = reader.describe(node)?;
            update.entities += u64::from(write(&self.index, &mut self.hubs, &view, number, described)?);
            Ok(())
        })?;
        Ok(update)
    }

    /// Describes all entities, in an empty index.
    fn fill(&mut self, snapshot: &Snapshot, is_stopped: &AtomicBool) -> Result<IndexUpdate, SearchIndexError> {
        (self.memory, self.hubs) = (ReaderMemory::default(), HashMap::default());
        self.index.clear()?;
        let mut reader = EntityReader::new(snapshot, &mut self.memory, &self.languages)?;
        let mut update = IndexUpdate { is_rebuilt: true, ..IndexUpdate::default() };
        let mut next = 0;
        loop {
            let block = reader.subjects_from(next)?;
            let Some(last) = block.last() else { return Ok(update) };
            next = last.number + 1;
            for node in block {
                check_running(is_stopped)?;
                let number = node.number;
                if let Some(described) = reader.describe(node)? {
                    put(&self.index, &mut self.hubs, number, described)?;
                    update.entities += 1;
                }
            }
        }
    }

    fn encode_position(&self, ChangePosition { feed, number }: ChangePosition) -> String {
        format!("{}{feed:x} {number}", payload_prefix(&self.languages))
    }
}

/// What the payload of an index begins with, if it has the descriptions of this version.
fn payload_prefix(languages: &[String]) -> String {
    format!("{DESCRIPTION_VERSION} {} ", languages.join(","))
}

/// The position of the archive that an index contains; `None` if it has other descriptions, or none.
pub(super) fn indexed_position(
    index: &EntityIndex,
    languages: &[String],
) -> Result<Option<ChangePosition>, SearchIndexError> {
    let decode = |payload: String| {
        let (feed, number) = payload.strip_prefix(&payload_prefix(languages))?.split_once(' ')?;
        Some(ChangePosition { feed: u64::from_str_radix(feed, 16).ok()?, number: number.parse().ok()? })
    };
    Ok(index.payload()?.and_then(decode))
}

/// Opens the index, or creates it. An index that cannot be opened, because it is damaged or has
/// another format, is replaced by an empty one: the first update fills it.
pub(super) fn open_index(directory: &Path, options: &IndexOptions) -> Result<EntityIndex, SearchIndexError> {
    let failure = |source| SearchIndexError::Directory { path: directory.to_owned(), source };
    std::fs::create_dir_all(directory).map_err(failure)?;
    match EntityIndex::open(directory, options.clone()) {
        Ok(index) => Ok(index),
        Err(error) if error.is_locked() => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "search index cannot be opened; it is built again");
            std::fs::remove_dir_all(directory).map_err(failure)?;
            std::fs::create_dir_all(directory).map_err(failure)?;
            Ok(EntityIndex::open(directory, options.clone())?)
        }
    }
}

/// Reads nodes and calls `visit` for each, in ascending order.
fn for_each_node<'a>(
    reader: &mut EntityReader<'a>,
    mut numbers: impl Iterator<Item = u64>,
    is_stopped: &AtomicBool,
    mut visit: impl FnMut(&mut EntityReader<'a>, NodeStatements) -> Result<(), SearchIndexError>,
) -> Result<(), SearchIndexError> {
    loop {
        let block = reader.next_of(&mut numbers)?;
        if block.is_empty() {
            return Ok(());
        }
        for node in block {
            check_running(is_stopped)?;
            visit(reader, node)?;
        }
    }
}

/// Writes a description to the index, or removes an entity that no longer exists. Returns whether
/// the index has changed.
fn write(
    index: &EntityIndex,
    hubs: &mut HashMap<u64, Vec<u64>>,
    view: &IndexView,
    number: u64,
    described: Option<DescribedEntity>,
) -> Result<bool, SearchIndexError> {
    let Some(described) = described else {
        let is_known = view.contains(EntityKey(number));
        if is_known {
            index.remove(EntityKey(number));
        }
        return Ok(is_known);
    };
    put(index, hubs, number, described)?;
    Ok(true)
}

fn put(
    index: &EntityIndex,
    hubs: &mut HashMap<u64, Vec<u64>>,
    number: u64,
    DescribedEntity { description, cut_predicates }: DescribedEntity,
) -> Result<(), SearchIndexError> {
    index.put(&description)?;
    if !cut_predicates.is_empty() {
        if hubs.len() >= MAX_HUBS {
            hubs.clear();
        }
        hubs.insert(number, cut_predicates);
    }
    Ok(())
}

fn check_running(is_stopped: &AtomicBool) -> Result<(), SearchIndexError> {
    if is_stopped.load(Ordering::Acquire) { Err(SearchIndexError::Stopped) } else { Ok(()) }
}
