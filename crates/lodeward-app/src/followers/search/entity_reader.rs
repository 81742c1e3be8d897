//! Reads the descriptions of entities from a snapshot of the archive.
//!
//! An entity is an IRI that is the subject of a literal or has a type. Its description is a function
//! of the statements with it as subject or object, and of the names of its neighbours. Bounds do
//! not depend on the order in which statements were added, except for entities with very many.

use foldhash::{HashMap, HashSet};
use lodeward::model::Uri;
use lodeward_archive::{ArchiveError, IncomingBounds, IncomingStatements, Snapshot};
use lodeward_search::EntityDescription;
use lodeward_search::entity::{Direction, EntityKey, EntityLink, NeighbourName};
use oxrdf::Term;
use oxrdf::vocab::rdf;

use super::entity_texts::IndexedTexts;
use super::predicates::{PredicateRole, PredicateTable};

/// Number of statements that are read of one subject.
const MAX_STATEMENTS: usize = 16_384;

/// Number of statements with an entity as object that are read, for each predicate.
const MAX_INCOMING_PER_PREDICATE: usize = 256;
const MAX_INCOMING_PREDICATES: usize = 64;

/// Number of names in memory, about 100 bytes each. If there are more, they are read again.
const MAX_NAMES: usize = 100_000;

/// What is kept in memory between two updates of the index.
#[derive(Default)]
pub(super) struct ReaderMemory {
    predicates: PredicateTable,
    /// Names of nodes; `None` for a blank node.
    names: HashMap<u64, Option<NeighbourName>>,
    rdf_type: Option<u64>,
}

/// The name that a node had; `None` for a blank node.
pub(super) struct KnownName(pub(super) Option<NeighbourName>);

impl ReaderMemory {
    /// Forgets the name of a node, whose statements have changed. Returns it, if it was known.
    pub(super) fn forget(&mut self, number: u64) -> Option<KnownName> {
        self.names.remove(&number).map(KnownName)
    }

    /// The number of `rdf:type`, if it is used.
    pub(super) fn rdf_type(&mut self, snapshot: &Snapshot) -> Result<Option<u64>, ArchiveError> {
        if self.rdf_type.is_none() {
            self.rdf_type = snapshot.term_number(rdf::TYPE.into())?;
        }
        Ok(self.rdf_type)
    }
}

/// Reads descriptions from one snapshot.
pub(super) struct EntityReader<'a> {
    snapshot: &'a Snapshot,
    memory: &'a mut ReaderMemory,
    /// Preferred languages of labels.
    languages: &'a [String],
    bounds: IncomingBounds,
}

/// An entity as the archive describes it.
pub(super) struct DescribedEntity {
    pub(super) description: EntityDescription,
    /// Predicates of which not all statements with the entity as object were read.
    pub(super) cut_predicates: Vec<u64>,
}

impl DescribedEntity {
    pub(super) fn neighbour_name(&self) -> NeighbourName {
        NeighbourName::new(&self.description.iri, self.description.labels.first(), self.description.is_hub)
    }
}

/// The statements with an entity as subject.
struct OwnStatements {
    iri: String,
    texts: IndexedTexts,
    types: Vec<u64>,
    /// Predicate and object.
    links: Vec<[u64; 2]>,
    graphs: Vec<u64>,
}

impl OwnStatements {
    fn is_entity(&self) -> bool {
        !self.texts.is_empty() || !self.types.is_empty()
    }
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
        Ok(Self { snapshot, memory, languages, bounds })
    }

    /// Describes an entity; `None` if the node is not an entity.
    pub(super) fn describe(&mut self, number: u64) -> Result<Option<DescribedEntity>, ArchiveError> {
        let Some(own) = self.own_statements(number)?.filter(OwnStatements::is_entity) else { return Ok(None) };
        let incoming = self.snapshot.incoming(number, &self.bounds)?;
        let texts = own.texts.into_ordered();
        let mut entity = EntityDescription::new(EntityKey(number), own.iri);
        entity.is_hub = is_hub(&incoming);
        (entity.labels, entity.aliases) = (texts.labels, texts.aliases);
        (entity.descriptions, entity.literals) = (texts.descriptions, texts.literals);
        entity.types = self.iris(&own.types)?;
        entity.graphs = self.iris(&own.graphs)?;
        entity.domains = domains(std::iter::once(&entity.iri).chain(&entity.graphs));
        for [predicate, object] in own.links {
            entity.neighbours.extend(self.link(object, predicate, Direction::Out)?);
        }
        for &[subject, predicate] in &incoming.statements {
            entity.neighbours.extend(self.link(subject, predicate, Direction::In)?);
        }
        Ok(Some(DescribedEntity { description: entity, cut_predicates: incoming.cut_predicates }))
    }

    /// All nodes with a statement from or to this one, in any number.
    pub(super) fn neighbours(&mut self, number: u64) -> Result<Vec<u64>, ArchiveError> {
        let all = IncomingBounds { max_per_predicate: usize::MAX, max_predicates: usize::MAX, ..self.bounds };
        let mut found: Vec<u64> =
            self.snapshot.incoming(number, &all)?.statements.into_iter().map(|[subject, _]| subject).collect();
        for quad in self.snapshot.numbered_quads(number).take(MAX_STATEMENTS) {
            let [_, _, _, object] = quad?;
            if Snapshot::may_be_node(object) {
                found.push(object);
            }
        }
        Ok(found)
    }

    /// The name under which a node is in the fields of its neighbours; `None` for a blank node or a
    /// literal.
    pub(super) fn name(&mut self, number: u64) -> Result<Option<NeighbourName>, ArchiveError> {
        if let Some(known) = self.memory.names.get(&number) {
            return Ok(known.clone());
        }
        let name = match self.snapshot.numbered_term(number)? {
            Term::NamedNode(node) => Some(self.read_name(number, node.as_str())?),
            _ => None,
        };
        self.remember(number, name.clone());
        Ok(name)
    }

    /// Reads the name of an IRI: of its statements only the labels are needed.
    fn read_name(&mut self, number: u64, iri: &str) -> Result<NeighbourName, ArchiveError> {
        let mut texts = IndexedTexts::default();
        let mut known = HashSet::default();
        for quad in self.snapshot.numbered_quads(number).take(MAX_STATEMENTS) {
            let [_, _, predicate, object] = quad?;
            let (role, _) = *self.memory.predicates.get(self.snapshot, predicate)?;
            if matches!(role, PredicateRole::Label(_))
                && known.insert([predicate, object])
                && let Term::Literal(literal) = self.snapshot.numbered_term(object)?
            {
                texts.add(role, &literal, self.languages);
            }
        }
        let labels = texts.into_ordered().labels;
        let is_hub = !labels.is_empty() && is_hub(&self.snapshot.incoming(number, &self.bounds)?);
        Ok(NeighbourName::new(iri, labels.first(), is_hub))
    }

    /// The name of a node that was just described, which is kept in memory.
    pub(super) fn name_of(
        &mut self,
        number: u64,
        described: Option<&DescribedEntity>,
    ) -> Result<Option<NeighbourName>, ArchiveError> {
        let Some(described) = described else { return self.iri_name(number) };
        let name = Some(described.neighbour_name());
        self.remember(number, name.clone());
        Ok(name)
    }

    /// The name in the IRI of a node; `None` for a blank node.
    pub(super) fn iri_name(&self, number: u64) -> Result<Option<NeighbourName>, ArchiveError> {
        Ok(match self.snapshot.numbered_term(number)? {
            Term::NamedNode(node) => Some(NeighbourName::from_iri(node.as_str())),
            _ => None,
        })
    }

    fn remember(&mut self, number: u64, name: Option<NeighbourName>) {
        if self.memory.names.len() >= MAX_NAMES {
            self.memory.names.clear();
        }
        self.memory.names.insert(number, name);
    }

    /// Reads the statements of a subject; `None` if it is not an IRI.
    fn own_statements(&mut self, number: u64) -> Result<Option<OwnStatements>, ArchiveError> {
        let Term::NamedNode(node) = self.snapshot.numbered_term_ahead(number)? else { return Ok(None) };
        let mut own = OwnStatements {
            iri: node.into_string(),
            texts: IndexedTexts::default(),
            types: Vec::new(),
            links: Vec::new(),
            graphs: Vec::new(),
        };
        // A statement may be in several graphs.
        let mut known = HashSet::default();
        for quad in self.snapshot.numbered_quads(number).take(MAX_STATEMENTS) {
            let [graph, _, predicate, object] = quad?;
            if graph != 0 && own.graphs.last() != Some(&graph) {
                own.graphs.push(graph);
            }
            if known.insert([predicate, object]) {
                self.add_statement(&mut own, predicate, object)?;
            }
        }
        for numbers in [&mut own.graphs, &mut own.types] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        own.links.sort_unstable();
        Ok(Some(own))
    }

    fn add_statement(&mut self, own: &mut OwnStatements, predicate: u64, object: u64) -> Result<(), ArchiveError> {
        let (role, _) = *self.memory.predicates.get(self.snapshot, predicate)?;
        if role == PredicateRole::Type {
            own.types.push(object);
            return Ok(());
        }
        // The names of nodes are known more often than their terms.
        match self.memory.names.get(&object) {
            Some(Some(_)) => {
                own.links.push([predicate, object]);
                return Ok(());
            }
            Some(None) => return Ok(()),
            None => {}
        }
        match self.snapshot.numbered_term_ahead(object)? {
            Term::Literal(literal) => own.texts.add(role, &literal, self.languages),
            Term::NamedNode(_) => own.links.push([predicate, object]),
            Term::BlankNode(_) => {}
        }
        Ok(())
    }

    fn link(
        &mut self,
        neighbour: u64,
        predicate: u64,
        direction: Direction,
    ) -> Result<Option<EntityLink>, ArchiveError> {
        let Some(NeighbourName(label)) = self.name(neighbour)? else { return Ok(None) };
        let (_, predicate_iri) = self.memory.predicates.get(self.snapshot, predicate)?;
        Ok(Some(EntityLink {
            key: EntityKey(neighbour),
            label,
            predicate: EntityKey(predicate),
            predicate_iri: predicate_iri.clone(),
            direction,
        }))
    }

    fn iris(&self, numbers: &[u64]) -> Result<Vec<String>, ArchiveError> {
        let mut found = Vec::with_capacity(numbers.len());
        for number in numbers {
            if let Term::NamedNode(node) = self.snapshot.numbered_term(*number)? {
                found.push(node.into_string());
            }
        }
        Ok(found)
    }
}

/// Whether an entity has so many neighbours that a change of its label is not passed to them.
fn is_hub(incoming: &IncomingStatements) -> bool {
    incoming.is_cut || !incoming.cut_predicates.is_empty()
}

/// The pay-level domains of IRIs, each once.
fn domains<'i>(iris: impl Iterator<Item = &'i String>) -> Vec<String> {
    let found = iris.filter_map(|iri| Uri::parse_stored(iri).ok()).map(|uri| uri.pld().as_str().to_owned());
    let mut found: Vec<String> = found.collect();
    found.sort_unstable();
    found.dedup();
    found
}
