//! Gold classes of entities, for clusters (`SEARCH-STUDY.md`, section 5).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lodeward_search::EntityDescription;

use super::collection::{EntityCollection, nomisma_links};
use super::topics::digest;
use crate::web::WebError;

/// Archive with the clusters of `GEval`.
const ARCHIVE: &str = "gold/geval-kore-clustering.tar.gz";
const CITIES: &str = "citiesAndCountries_cluster.tsv";
const FIVE: &str = "citiesMoviesAlbumsCompaniesUni_cluster.tsv";

/// Predicate that names the field of an entity; hidden from clusters.
pub(super) const IS_PART_OF: &str = "http://purl.org/dc/terms/isPartOf";

/// Classes of nomisma, by the end of their IRIs.
const CLASSES: [&str; 7] = ["#Monogram", "/Person", "#Mint", "#Denomination", "/Organization", "/Deity", "#Region"];

/// Maximum number of entities of a class of nomisma.
const MAX_CLASS: usize = 300;

/// Minimum number of entities of a field.
const MIN_FIELD: usize = 30;

/// Entities with their classes. The entities have no types.
#[derive(Clone, Debug)]
pub struct GoldSet {
    /// Short name.
    pub name: &'static str,
    /// The entities.
    pub entities: Vec<EntityDescription>,
    /// Number of the class of each.
    pub classes: Vec<u32>,
}

impl GoldSet {
    fn new(name: &'static str, collection: &EntityCollection, members: &[(usize, String)]) -> Self {
        let names: BTreeMap<&String, u32> = members.iter().map(|(_, class)| (class, 0)).collect();
        let numbers: HashMap<&String, u32> = names.into_keys().zip(0..).collect();
        let entity = |place: usize| {
            let mut entity = collection.entities[place].clone();
            entity.types.clear();
            entity
        };
        Self {
            name,
            entities: members.iter().map(|(place, _)| entity(*place)).collect(),
            classes: members.iter().map(|(_, class)| numbers[class]).collect(),
        }
    }

    /// Number of classes.
    #[must_use]
    pub fn class_count(&self) -> usize {
        self.classes.iter().collect::<HashSet<_>>().len()
    }
}

/// Reads the seven gold sets.
pub fn load(directory: &Path, dbp: &EntityCollection, fbw: &EntityCollection) -> Result<Vec<GoldSet>, WebError> {
    let cities = geval(directory, CITIES)?;
    let five = geval(directory, FIVE)?;
    let of = |name, collection: &EntityCollection, rows: &[(String, String)]| {
        let mut known = HashSet::new();
        let place = |(iri, class): &(String, String)| Some((collection.place(iri)?, class.clone()));
        let members: Vec<_> = rows.iter().filter_map(place).filter(|(place, _)| known.insert(*place)).collect();
        GoldSet::new(name, collection, &members)
    };
    let mut sets = vec![of("d2", dbp, &cities), of("d5", dbp, &five), of("f2", fbw, &cities), of("f4", fbw, &five)];
    sets.extend(nomisma(directory)?);
    Ok(sets)
}

/// The three sets of nomisma; only links from an entity are features, and only entities with a definition count.
fn nomisma(directory: &Path) -> Result<[GoldSet; 3], WebError> {
    let mut collection = EntityCollection::nomisma(directory, &[IS_PART_OF])?;
    for entity in &mut collection.entities {
        entity.neighbours.retain(|link| link.direction == lodeward_search::entity::Direction::Out);
    }
    let mut fields: HashMap<String, HashSet<String>> = HashMap::new();
    for [subject, predicate, object] in nomisma_links(directory)? {
        if predicate == IS_PART_OF {
            fields.entry(subject).or_default().insert(object);
        }
    }
    let of_class = |class: &str| {
        let has = |place: &usize| {
            let entity = &collection.entities[*place];
            !entity.descriptions.is_empty() && entity.types.iter().any(|kind| kind.ends_with(class))
        };
        (0..collection.entities.len()).filter(has).collect::<Vec<usize>>()
    };
    let mut classes = Vec::new();
    for class in CLASSES {
        let mut members = of_class(class);
        members.sort_by_key(|place| digest(&collection.entities[*place].iri));
        classes.extend(members.into_iter().take(MAX_CLASS).map(|place| (place, class.to_owned())));
    }
    let by_field = |class: &str| {
        let field = |place: usize| {
            let fields = fields.get(&collection.entities[place].iri)?;
            (fields.len() == 1).then(|| (place, fields.iter().next().cloned().unwrap_or_default()))
        };
        let members: Vec<(usize, String)> = of_class(class).into_iter().filter_map(field).collect();
        let mut sizes: HashMap<String, usize> = HashMap::new();
        for (_, field) in &members {
            *sizes.entry(field.clone()).or_default() += 1;
        }
        members.into_iter().filter(|(_, field)| sizes[field] >= MIN_FIELD).collect::<Vec<_>>()
    };
    Ok([
        GoldSet::new("n7", &collection, &classes),
        GoldSet::new("mint", &collection, &by_field("#Mint")),
        GoldSet::new("pers", &collection, &by_field("/Person")),
    ])
}

/// Rows of a table in the archive: IRI and class.
fn geval(directory: &Path, name: &str) -> Result<Vec<(String, String)>, WebError> {
    let row = |line: &str| {
        let mut cells = line.split('\t');
        Some((cells.next()?.to_owned(), cells.next()?.to_owned()))
    };
    let rows = archive_file(&directory.join(ARCHIVE), name)?;
    Ok(rows.lines().skip(1).filter_map(row).collect())
}

/// The text of a file in a compressed archive, by its name without directories.
pub(super) fn archive_file(path: &Path, name: &str) -> Result<String, WebError> {
    let read = || -> std::io::Result<Option<String>> {
        let mut archive = tar::Archive::new(MultiGzDecoder::new(File::open(path)?));
        for entry in archive.entries()? {
            let mut entry = entry?;
            if entry.path()?.file_name().is_some_and(|file| file == name) {
                let mut text = String::new();
                entry.read_to_string(&mut text)?;
                return Ok(Some(text));
            }
        }
        Ok(None)
    };
    let text = read().map_err(|source| WebError::File { path: path.to_owned(), source })?;
    let missing = || WebError::Table { path: path.to_owned(), message: format!("the archive has no file `{name}`") };
    text.ok_or_else(missing)
}
