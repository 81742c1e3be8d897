//! Worlds: graphs of entities with tasks, loaded from files.

use std::path::{Path, PathBuf};

use lodeward_focus::rank::FactBase;

use super::{EntityTables, FocusError, FocusTask};

/// A graph of entities and the tasks on it.
pub struct EntityWorld {
    /// The name of the world.
    pub name: String,
    /// The facts about all entities of the world.
    pub fact_base: FactBase,
    /// The seed lists to rank, with the entities relevant to each.
    pub tasks: Vec<FocusTask>,
}

/// The files of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldSources {
    /// The name of the world.
    pub name: String,
    /// The tables of its graph.
    pub tables: EntityTables,
    /// The file with the list of its tasks.
    pub tasks: PathBuf,
}

/// The predicate that links nomisma entities to fields of numismatics; hidden, because tasks are derived from it.
const IS_PART_OF: &str = "http://purl.org/dc/terms/isPartOf";
/// The predicate that links nearly all entities of nomisma to one scheme: a hub without information.
const IN_SCHEME: &str = "http://www.w3.org/2004/02/skos/core#inScheme";

impl WorldSources {
    /// The worlds `DBpedia` and nomisma, whose files have the names of the shared data and are in `directory`.
    #[must_use]
    pub fn from_dir(directory: &Path) -> Vec<Self> {
        let world = |name: &str, [entities, links, tasks]: [&str; 3], hidden: &[&str]| Self {
            name: name.to_owned(),
            tables: EntityTables {
                entities: vec![directory.join(entities)],
                links: vec![directory.join(links)],
                hidden: hidden.iter().map(|&predicate| predicate.to_owned()).collect(),
            },
            tasks: directory.join("tasks").join(tasks),
        };
        let dbpedia = ["dbp15k-en.entities.tsv.gz", "dbp15k-en.triples.tsv.gz", "focused-crawl.dbpedia-entity.json"];
        let nomisma = ["nomisma.entities.tsv.gz", "nomisma.links.tsv.gz", "focused-crawl.nomisma-silver.json.gz"];
        vec![
            world("DBpedia", dbpedia, &[]),
            world("nomisma", nomisma, &[IS_PART_OF]),
            world("nomisma without skos:inScheme", nomisma, &[IS_PART_OF, IN_SCHEME]),
        ]
    }

    /// The first file of the world that does not exist.
    #[must_use]
    pub fn missing_file(&self) -> Option<&Path> {
        let files = self.tables.entities.iter().chain(&self.tables.links).chain([&self.tasks]);
        files.map(PathBuf::as_path).find(|file| !file.exists())
    }

    /// Loads the graph and the tasks.
    pub fn load(&self) -> Result<EntityWorld, FocusError> {
        let (fact_base, tasks) = (self.tables.load()?, FocusTask::load(&self.tasks)?);
        Ok(EntityWorld { name: self.name.clone(), fact_base, tasks })
    }
}
