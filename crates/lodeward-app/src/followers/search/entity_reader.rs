//! Reads the descriptions of entities from a snapshot of the archive.
//!
//! An entity is an IRI that is the subject of a literal or has a type. Its description is a function
//! of the statements with it as subject or object, and of the names of its neighbours. Bounds do
//! not depend on the order in which statements were added, except for entities with very many.
//!
//! Nodes are read in blocks, in ascending order of their numbers: first the statements of all nodes of
//! a block, then the names of their other neighbours, then their descriptions. So most nodes are read
//! once and in order, although their neighbours need their names.

use std::sync::Arc;

use foldhash::HashSet;
use lodeward_archive::{ArchiveError, IncomingBounds, IncomingStatements, NodeReader, Snapshot};
use lodeward_search::EntityDescription;
use lodeward_search::entity::{Direction, EntityKey, EntityLink, NeighbourName};
use oxrdf::Term;

use super::entity_texts::{IndexedTexts, OrderedTexts};
use super::node_names::MAX_IRI_BYTES;
pub(super) use super::node_names::{KnownName, ReaderMemory};
use super::predicates::PredicateRole;

/// Number of statements that are read of one subject.
const MAX_STATEMENTS: usize = 16_384;

/// Number of statements with an entity as object that are read, for each predicate.
const MAX_INCOMING_PER_PREDICATE: usize = 256;
const MAX_INCOMING_PREDICATES: usize = 64;

/// Number of nodes, and of their statements, that are in memory at once.
const MAX_BLOCK_NODES: usize = 16_384;
const MAX_BLOCK_STATEMENTS: usize = 200_000;

/// Reads descriptions from one snapshot.
pub(super) struct EntityReader<'a> {
    snapshot: &'a Snapshot,
    memory: &'a mut ReaderMemory,
    /// Preferred languages of labels.
    languages: &'a [String],
    bounds: IncomingBounds,
    /// Reads the nodes of blocks.
    nodes: NodeReader,
    /// Reads their neighbours, at random.
    others: NodeReader,
}

/// The statements of a node.
pub(super) struct NodeStatements {
    pub(super) number: u64,
    /// `None` if the node is not an entity.
    entity: Option<IndexedStatements>,
}

/// The statements of an entity.
struct IndexedStatements {
    iri: String,
    texts: OrderedTexts,
    types: Vec<u64>,
    /// Predicate and object, which may be a blank node.
    links: Vec<[u64; 2]>,
    graphs: Vec<u64>,
    incoming: IncomingStatements,
}

/// An entity as the archive describes it.
pub(super) struct DescribedEntity {
    pub(super) description: EntityDescription,
    /// Predicates of which not all statements with the entity as object were read.
    pub(super) cut_predicates: Vec<u64>,
}

impl<'a> EntityReader<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        memory: &'a mut ReaderMemory,
        languages: &'a [String],
    ) -> Result<Self, ArchiveError> {
        let bounds = IncomingBounds {
            max_per_predicate: MAX_INCOMING_PER_PREDICATE,
            max_predicates: MAX_INCOMING_PREDICATES,
            skipped_predicate: memory.rdf_type(snapshot)?,
        };
        let (nodes, others) = (NodeReader::new(snapshot), NodeReader::new(snapshot));
        Ok(Self { snapshot, memory, languages, bounds, nodes, others })
    }

    /// Reads the next block of subjects from a number on. Empty at the end.
    pub(super) fn subjects_from(&mut self, number: u64) -> Result<Vec<NodeStatements>, ArchiveError> {
        let mut next = number;
        self.block(&mut |reader| {
            let found = reader.nodes.subject_from(next)?;
            next = found.map_or(next, |found| found + 1);
            Ok(found)
        })
    }

    /// Reads the next block of some nodes. Empty at the end.
    pub(super) fn next_of(
        &mut self,
        numbers: &mut impl Iterator<Item = u64>,
    ) -> Result<Vec<NodeStatements>, ArchiveError> {
        self.block(&mut |_| Ok(numbers.next()))
    }

    fn block(
        &mut self,
        next: &mut dyn FnMut(&mut Self) -> Result<Option<u64>, ArchiveError>,
    ) -> Result<Vec<NodeStatements>, ArchiveError> {
        let mut block = Vec::new();
        let mut statements = 0;
        while block.len() < MAX_BLOCK_NODES
            && statements < MAX_BLOCK_STATEMENTS
            && let Some(number) = next(self)?
        {
            let entity = self.read_entity(number, &mut statements)?;
            block.push(NodeStatements { number, entity });
        }
        self.read_names(&block)?;
        Ok(block)
    }

    /// Reads the names of the neighbours of a block, in ascending order.
    fn read_names(&mut self, block: &[NodeStatements]) -> Result<(), ArchiveError> {
        let mut unknown: Vec<u64> = Vec::new();
        for entity in block.iter().filter_map(|node| node.entity.as_ref()) {
            let objects = entity.links.iter().map(|[_, object]| *object);
            let subjects = entity.incoming.statements.iter().map(|[subject, _]| *subject);
            unknown.extend(objects.chain(subjects).filter(|node| self.memory.names.get(node).is_none()));
        }
        sort_distinct(&mut unknown);
        for node in unknown {
            self.name(node)?;
        }
        Ok(())
    }

    /// Describes an entity; `None` if the node is not an entity.
    pub(super) fn describe(&mut self, node: NodeStatements) -> Result<Option<DescribedEntity>, ArchiveError> {
        let Some(own) = node.entity else { return Ok(None) };
        let mut entity = EntityDescription::new(EntityKey(node.number), own.iri);
        entity.is_hub = is_hub(&own.incoming);
        (entity.labels, entity.aliases) = (own.texts.labels, own.texts.aliases);
        (entity.descriptions, entity.literals) = (own.texts.descriptions, own.texts.literals);
        entity.types = self.iris(&own.types)?;
        entity.graphs = self.iris(&own.graphs)?;
        entity.domains = self.domains(std::iter::once(&entity.iri).chain(&entity.graphs));
        entity.neighbours.reserve(own.links.len() + own.incoming.statements.len());
        for [predicate, object] in own.links {
            entity.neighbours.extend(self.link(object, predicate, Direction::Out)?);
        }
        for &[subject, predicate] in &own.incoming.statements {
            entity.neighbours.extend(self.link(subject, predicate, Direction::In)?);
        }
        Ok(Some(DescribedEntity { description: entity, cut_predicates: own.incoming.cut_predicates }))
    }

    /// All nodes with a statement from or to this one, in any number.
    pub(super) fn neighbours(&mut self, number: u64) -> Result<Vec<u64>, ArchiveError> {
        let all = IncomingBounds { max_per_predicate: usize::MAX, max_predicates: usize::MAX, ..self.bounds };
        let mut found: Vec<u64> =
            self.others.incoming(number, &all)?.statements.into_iter().map(|[subject, _]| subject).collect();
        self.others.for_each_quad(number, MAX_STATEMENTS, |[_, _, object]| {
            if Snapshot::may_be_node(object) {
                found.push(object);
            }
        })?;
        Ok(found)
    }

    /// The name under which a node is in the fields of its neighbours; `None` for a blank node.
    pub(super) fn name(&mut self, number: u64) -> Result<Option<NeighbourName>, ArchiveError> {
        if let Some(known) = self.memory.names.get(&number) {
            return Ok(known.clone());
        }
        let name = match self.snapshot.numbered_term_ahead(number)? {
            Term::NamedNode(node) => Some(self.read_name(number, node.as_str())?),
            _ => None,
        };
        self.memory.names.insert(number, name.clone());
        Ok(name)
    }

    /// Reads the name of an IRI: of its statements only the labels are needed.
    fn read_name(&mut self, number: u64, iri: &str) -> Result<NeighbourName, ArchiveError> {
        if iri.len() > MAX_IRI_BYTES {
            return Ok(NeighbourName::from_iri(iri));
        }
        let mut statements = Vec::new();
        self.others.for_each_quad(number, MAX_STATEMENTS, |[_, predicate, object]| {
            statements.push([predicate, object]);
        })?;
        let mut texts = IndexedTexts::default();
        let mut known = HashSet::default();
        for [predicate, object] in statements {
            let role = self.memory.predicates.get(self.snapshot, predicate)?.0;
            if matches!(role, PredicateRole::Label(_))
                && known.insert([predicate, object])
                && let Some(literal) = self.snapshot.numbered_literal(object)?
            {
                texts.add(role, &literal, self.languages);
            }
        }
        let labels = texts.into_ordered().labels;
        let is_hub = !labels.is_empty() && is_hub(&self.others.incoming(number, &self.bounds)?);
        Ok(NeighbourName::new(iri, labels.first(), is_hub))
    }

    /// The name in the IRI of a node; `None` for a blank node.
    pub(super) fn iri_name(&self, number: u64) -> Result<Option<NeighbourName>, ArchiveError> {
        Ok(match self.snapshot.numbered_term(number)? {
            Term::NamedNode(node) => Some(NeighbourName::from_iri(node.as_str())),
            _ => None,
        })
    }

    /// Reads the statements of an entity, and keeps its name in memory. Counts the statements.
    fn read_entity(&mut self, number: u64, count: &mut usize) -> Result<Option<IndexedStatements>, ArchiveError> {
        let node = match self.snapshot.numbered_term_ahead(number)? {
            Term::NamedNode(node) if node.as_str().len() <= MAX_IRI_BYTES => node,
            _ => return Ok(None),
        };
        let (mut own, mut graphs): (Vec<[u64; 2]>, Vec<u64>) = (Vec::new(), Vec::new());
        self.nodes.for_each_quad(number, MAX_STATEMENTS, |[graph, predicate, object]| {
            if graph != 0 && graphs.last() != Some(&graph) {
                graphs.push(graph);
            }
            own.push([predicate, object]);
        })?;
        // A statement may be in several graphs.
        sort_distinct(&mut own);
        sort_distinct(&mut graphs);
        *count += own.len();
        let (mut texts, mut types, mut links) = (IndexedTexts::default(), Vec::new(), Vec::new());
        for [predicate, object] in own {
            let role = self.memory.predicates.get(self.snapshot, predicate)?.0;
            if role == PredicateRole::Type {
                types.push(object);
            } else if Snapshot::may_be_node(object) && self.memory.names.get(&object).is_some() {
                links.push([predicate, object]);
            } else {
                match self.snapshot.numbered_literal(object)? {
                    Some(literal) => texts.add(role, &literal, self.languages),
                    None => links.push([predicate, object]),
                }
            }
        }
        if texts.is_empty() && types.is_empty() {
            return Ok(None);
        }
        sort_distinct(&mut types);
        let incoming = self.nodes.incoming(number, &self.bounds)?;
        *count += incoming.statements.len();
        let (iri, texts) = (node.into_string(), texts.into_ordered());
        let name = NeighbourName::new(&iri, texts.labels.first(), is_hub(&incoming));
        self.memory.names.insert(number, Some(name));
        Ok(Some(IndexedStatements { iri, texts, types, links, graphs, incoming }))
    }

    fn link(
        &mut self,
        neighbour: u64,
        predicate: u64,
        direction: Direction,
    ) -> Result<Option<EntityLink>, ArchiveError> {
        let Some(NeighbourName(label)) = self.name(neighbour)? else { return Ok(None) };
        let predicate_iri = Arc::clone(&self.memory.predicates.get(self.snapshot, predicate)?.1);
        let (key, predicate) = (EntityKey(neighbour), EntityKey(predicate));
        Ok(Some(EntityLink { key, label, predicate, predicate_iri, direction }))
    }

    fn iris(&mut self, numbers: &[u64]) -> Result<Vec<String>, ArchiveError> {
        let mut found = Vec::with_capacity(numbers.len());
        for number in numbers {
            found.extend(self.memory.iri(self.snapshot, *number)?.map(|iri| iri.to_string()));
        }
        Ok(found)
    }

    /// The pay-level domains of IRIs, each once.
    fn domains<'i>(&mut self, iris: impl Iterator<Item = &'i String>) -> Vec<String> {
        let mut found: Vec<String> =
            iris.filter_map(|iri| self.memory.domain(iri)).map(|domain| domain.to_string()).collect();
        sort_distinct(&mut found);
        found
    }
}

/// Sorts values and removes repetitions.
fn sort_distinct<T: Ord>(values: &mut Vec<T>) {
    values.sort_unstable();
    values.dedup();
}

/// Whether an entity has so many neighbours that a change of its label is not passed to them.
fn is_hub(incoming: &IncomingStatements) -> bool {
    incoming.is_cut || !incoming.cut_predicates.is_empty()
}
