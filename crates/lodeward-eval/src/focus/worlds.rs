//! Worlds by where they are.

use std::path::{Path, PathBuf};

use lodeward::rank::Gathering;

use super::{FocusError, Tables, Task};

/// A graph of entities, and what is to be found in it.
pub struct World {
    /// What it is called.
    pub name: String,
    /// The graph.
    pub gathering: Gathering,
    /// What is to be found.
    pub tasks: Vec<Task>,
}

/// Where a world is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldSources {
    /// What it is called.
    pub name: String,
    /// Its graph.
    pub tables: Tables,
    /// Its tasks.
    pub tasks: PathBuf,
}

/// What nomisma says about the fields of numismatics; the tasks are about them.
const IS_PART_OF: &str = "http://purl.org/dc/terms/isPartOf";
/// What nearly all of nomisma is in: a hub that says nothing.
const IN_SCHEME: &str = "http://www.w3.org/2004/02/skos/core#inScheme";

impl WorldSources {
    /// The worlds of a folder that has `DBpedia` and nomisma under the names of the
    /// shared data.
    #[must_use]
    pub fn of_folder(folder: &Path) -> Vec<Self> {
        let world = |name: &str, [entities, links, tasks]: [&str; 3], hidden: &[&str]| Self {
            name: name.to_owned(),
            tables: Tables {
                entities: vec![folder.join(entities)],
                links: vec![folder.join(links)],
                hidden: hidden.iter().map(|&predicate| predicate.to_owned()).collect(),
            },
            tasks: folder.join("tasks").join(tasks),
        };
        let dbpedia = ["dbp15k-en.entities.tsv.gz", "dbp15k-en.triples.tsv.gz", "focused-crawl.dbpedia-entity.json"];
        let nomisma = ["nomisma.entities.tsv.gz", "nomisma.links.tsv.gz", "focused-crawl.nomisma-silver.json.gz"];
        vec![
            world("DBpedia", dbpedia, &[]),
            world("nomisma", nomisma, &[IS_PART_OF]),
            world("nomisma without skos:inScheme", nomisma, &[IS_PART_OF, IN_SCHEME]),
        ]
    }

    /// A file of it that does not exist.
    #[must_use]
    pub fn missing(&self) -> Option<&Path> {
        let files = self.tables.entities.iter().chain(&self.tables.links).chain([&self.tasks]);
        files.map(PathBuf::as_path).find(|file| !file.exists())
    }

    /// Reads it.
    pub fn load(&self) -> Result<World, FocusError> {
        let (gathering, tasks) = (self.tables.gather()?, Task::load(&self.tasks)?);
        Ok(World { name: self.name.clone(), gathering, tasks })
    }
}
