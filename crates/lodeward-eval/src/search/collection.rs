//! The collections of entities: two graphs with judged queries, and nomisma.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use lodeward_search::EntityDescription;
use lodeward_search::entity::{Direction, EntityKey, EntityLink, TaggedText};

use crate::web::WebError;
use crate::web::manifest::{TsvTable, read};

/// Separator of several names in one cell.
const NAME_SEPARATOR: &str = " | ";

/// Predicate that leads from an entity to the one that replaces it.
const IS_REPLACED_BY: &str = "http://purl.org/dc/terms/isReplacedBy";

/// Entities with the statements between them.
#[derive(Clone, Debug, Default)]
pub struct EntityCollection {
    /// Name in reports.
    pub name: String,
    /// The entities; the key of each is its place plus 1.
    pub entities: Vec<EntityDescription>,
    places: HashMap<String, usize>,
    /// Numbers of predicates, and of objects that are no entities.
    terms: HashMap<String, u64>,
}

impl EntityCollection {
    /// Place of an entity with an IRI, or with the identifier of its table.
    #[must_use]
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Reads the English part of DBP15K.
    pub fn dbp(directory: &Path) -> Result<Self, WebError> {
        let mut collection = Self { name: "dbp".to_owned(), ..Self::default() };
        for [iri, label] in columns(&directory.join("dbp15k-en.entities.tsv.gz"), ["uri", "label"])? {
            collection.add(&iri, &iri, &label);
        }
        let names = columns(&directory.join("dbp15k-en.predicates.tsv.gz"), ["relation_id", "predicate"])?;
        let names: HashMap<String, String> = names.into_iter().map(|[id, iri]| (id, iri)).collect();
        let triples = columns(&directory.join("dbp15k-en.triples.tsv.gz"), ["subject", "relation_id", "object"])?;
        let triples = triples.into_iter().map(|[subject, relation, object]| {
            let predicate = names.get(&relation).cloned().unwrap_or(relation);
            [subject, predicate, object]
        });
        collection.link(triples);
        let types = columns(&directory.join("dbp15k-en.types.tsv.gz"), ["uri", "label", "source"])?;
        for [iri, label, _] in types.into_iter().filter(|[_, _, source]| source == "given") {
            collection.add_type(&iri, label.replace(' ', "_"));
        }
        Ok(collection)
    }

    /// Adds the types of DBP15K that were inferred: for candidates and links, not for retrieval.
    pub fn add_inferred_types(&mut self, directory: &Path) -> Result<(), WebError> {
        let types = columns(&directory.join("dbp15k-en.types.tsv.gz"), ["uri", "label", "source"])?;
        for [iri, label, _] in types.into_iter().filter(|[_, _, source]| source != "given") {
            self.add_type(&iri, label.replace(' ', "_"));
        }
        Ok(())
    }

    /// Reads FB15k-237 with the texts of Wikidata. The IRI of an entity is that of `DBpedia`.
    pub fn fbw(directory: &Path) -> Result<Self, WebError> {
        let mut collection = Self { name: "fbw".to_owned(), ..Self::default() };
        let names = ["id", "dbpedia_uri", "label", "aliases", "description"];
        for [id, iri, label, aliases, description] in columns(&directory.join("fbw.entities.tsv.gz"), names)? {
            let entity = collection.add(&id, &iri, &label);
            entity.aliases = texts(aliases.split(NAME_SEPARATOR));
            entity.descriptions = texts([description.as_str()]);
        }
        let triples = columns(&directory.join("fbw.triples.tsv.gz"), ["subject", "relation", "object"])?;
        collection.link(triples.into_iter());
        for [id, kind] in columns(&directory.join("fbw.types.tsv.gz"), ["id", "type"])? {
            collection.add_type(&id, kind);
        }
        Ok(collection)
    }

    /// Reads the entities of nomisma that are not replaced by others, without the links of some
    /// predicates.
    pub fn nomisma(directory: &Path, hidden: &[&str]) -> Result<Self, WebError> {
        let mut collection = Self { name: "nomisma".to_owned(), ..Self::default() };
        let links = nomisma_links(directory)?;
        let replaced: HashSet<&String> =
            links.iter().filter(|[_, predicate, _]| predicate == IS_REPLACED_BY).map(|[subject, ..]| subject).collect();
        let names = ["uri", "types", "label_en", "definition_en", "all_labels"];
        for [iri, types, label, definition, labels] in columns(&directory.join("nomisma.entities.tsv.gz"), names)? {
            if replaced.contains(&iri) || collection.places.contains_key(&iri) {
                continue;
            }
            let mut others: Vec<&str> = labels.split(NAME_SEPARATOR).filter(|other| *other != label).collect();
            let label = if label.is_empty() && !others.is_empty() { others.remove(0) } else { &label };
            let entity = collection.add(&iri, &iri, label);
            entity.aliases = texts(others);
            entity.descriptions = texts([definition.as_str()]);
            entity.types = types.split(' ').filter(|kind| !kind.ends_with("#Concept")).map(str::to_owned).collect();
        }
        let shown = |[_, predicate, _]: &[String; 3]| !hidden.contains(&predicate.as_str());
        collection.link(links.into_iter().filter(shown));
        Ok(collection)
    }

    fn add(&mut self, id: &str, iri: &str, label: &str) -> &mut EntityDescription {
        let place = self.entities.len();
        for name in [id, iri] {
            self.places.insert(name.to_owned(), place);
        }
        let mut entity = EntityDescription::new(entity_key(place), iri);
        entity.labels = texts([label]);
        self.entities.push(entity);
        &mut self.entities[place]
    }

    fn add_type(&mut self, id: &str, kind: String) {
        if let Some(place) = self.place(id) {
            self.entities[place].types.push(kind);
        }
    }

    /// Adds distinct statements in both directions. An object that is no entity is a neighbour, too.
    fn link(&mut self, triples: impl Iterator<Item = [String; 3]>) {
        let mut known = HashSet::new();
        let label = |entity: &EntityDescription| entity.labels.first().cloned();
        let labels: Vec<Option<TaggedText>> = self.entities.iter().map(label).collect();
        let label = |place: Option<usize>| place.and_then(|place| labels[place].clone());
        for triple in triples.filter(|triple| known.insert(triple.clone())) {
            let [subject, predicate, object] = triple;
            let Some(from) = self.place(&subject) else { continue };
            let to = self.place(&object);
            let object_key = to.map_or_else(|| self.term(&object), entity_key);
            let link = |key, place, direction, predicate_key| EntityLink {
                key,
                label: label(place).unwrap_or_else(|| TaggedText::plain("")).into(),
                predicate: predicate_key,
                predicate_iri: predicate.as_str().into(),
                direction,
            };
            let predicate_key = self.term(&predicate);
            self.entities[from].neighbours.push(link(object_key, to, Direction::Out, predicate_key));
            if let Some(to) = to {
                let back = link(entity_key(from), Some(from), Direction::In, predicate_key);
                self.entities[to].neighbours.push(back);
            }
        }
    }

    /// Key of a predicate, or of an object that is no entity.
    fn term(&mut self, iri: &str) -> EntityKey {
        const FIRST: u64 = 1 << 40;
        let next = FIRST + self.terms.len() as u64;
        EntityKey(*self.terms.entry(iri.to_owned()).or_insert(next))
    }
}

/// Key of the entity at a place.
#[must_use]
pub fn entity_key(place: usize) -> EntityKey {
    EntityKey(place as u64 + 1)
}

/// Place of the entity with a key.
#[must_use]
pub fn entity_place(key: EntityKey) -> usize {
    usize::try_from(key.0).map_or(usize::MAX, |key| key.wrapping_sub(1))
}

/// All links of nomisma: subject, predicate, object.
pub(super) fn nomisma_links(directory: &Path) -> Result<Vec<[String; 3]>, WebError> {
    columns(&directory.join("nomisma.links.tsv.gz"), ["subject", "predicate", "object"])
}

/// Some columns of a table with a header.
pub(super) fn columns<const N: usize>(path: &Path, names: [&str; N]) -> Result<Vec<[String; N]>, WebError> {
    let text = read(path)?;
    let table = TsvTable::new(path, &text)?;
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        *place = table.column(name)?;
    }
    let cell = |cells: &[&str], place: usize| cells.get(place).copied().unwrap_or_default().to_owned();
    Ok(table.rows().map(|(_, cells)| places.map(|place| cell(&cells, place))).collect())
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<TaggedText> {
    texts.into_iter().filter(|text| !text.is_empty()).map(TaggedText::plain).collect()
}
