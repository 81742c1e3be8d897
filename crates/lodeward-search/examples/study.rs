//! Measures retrieval on the two collections of `SEARCH-STUDY.md`: nDCG@10 and nDCG@100 of each
//! method with the shipped parameters, and the time per query.
//!
//! ```sh
//! cargo run --release -p lodeward-search --example study -- ../shared/data/entities
//! ```

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lodeward_search::entity::{Direction, EntityKey, EntityLink, TaggedText};
use lodeward_search::retrieve::{Method, RankedWeights, RelationLexicon, RetrievalOptions};
use lodeward_search::{EntityDescription, EntityIndex, IndexOptions, IndexView};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("name the directory of the entity data")?);
    let mut out = io::stdout().lock();
    writeln!(out, "| collection | method | nDCG@10 | nDCG@100 | queries | p95 per query |\n|---|---|--:|--:|--:|--:|")?;
    for (name, collection, tasks) in [
        ("dbp", dbp(&directory)?, ["in-graph.qrels", "queries.tsv"]),
        ("fbw", fbw(&directory)?, ["in-fbw.qrels", "in-fbw.queries.tsv"]),
    ] {
        let view = index(collection)?;
        let [judgments, queries] = tasks.map(|file| directory.join(format!("tasks/dbpedia-entity-v2.{file}")));
        let topics = topics(&judgments, &queries)?;
        for (method, label, options) in methods() {
            let figures = measure(&view, &topics, method, &options)?;
            let (ten, hundred, time) = (figures.ten, figures.hundred, figures.p95);
            writeln!(out, "| {name} | {label} | {ten:.3} | {hundred:.3} | {} | {time:.1?} |", topics.len())?;
        }
    }
    Ok(())
}

fn methods() -> [(Method, &'static str, RetrievalOptions); 3] {
    let without_lexicon = RetrievalOptions {
        lexicon: RelationLexicon::empty(),
        weights: RankedWeights([0.52, 0.17, 0.11, 0.09, 0.11]),
        ..RetrievalOptions::default()
    };
    [
        (Method::Bm25f, "bm25f", RetrievalOptions::default()),
        (Method::Ranked, "ranked", RetrievalOptions::default()),
        (Method::Ranked, "ranked, without lexicon", without_lexicon),
    ]
}

/// Entities, their places by identifier, and the statements between them.
#[derive(Default)]
struct Collection {
    entities: Vec<EntityDescription>,
    places: HashMap<String, usize>,
    triples: Vec<(usize, String, usize)>,
}

impl Collection {
    fn add(&mut self, id: &str, iri: &str, label: &str) -> &mut EntityDescription {
        self.places.insert(id.to_owned(), self.entities.len());
        let mut entity = EntityDescription::new(key(self.entities.len()), iri);
        entity.labels.push(TaggedText::plain(label));
        self.entities.push(entity);
        self.entities.last_mut().expect("it was just added")
    }

    fn link(&mut self) {
        let labels: Vec<TaggedText> = self.entities.iter().map(|entity| entity.labels[0].clone()).collect();
        let mut predicates: HashMap<&str, usize> = HashMap::new();
        for (subject, predicate, object) in &self.triples {
            let next = predicates.len();
            let number = *predicates.entry(predicate).or_insert(next);
            for (from, to, direction) in [(subject, object, Direction::Out), (object, subject, Direction::In)] {
                self.entities[*from].neighbours.push(EntityLink {
                    key: key(*to),
                    label: labels[*to].clone(),
                    predicate: key(number),
                    predicate_iri: predicate.clone(),
                    direction,
                });
            }
        }
    }
}

fn key(place: usize) -> EntityKey {
    EntityKey(place as u64 + 1)
}

fn dbp(directory: &Path) -> Result<Collection, Failure> {
    let mut collection = Collection::default();
    for row in rows(&directory.join("dbp15k-en.entities.tsv.gz"))?.iter().skip(1) {
        collection.add(&row[0], &row[0], &row[1]);
    }
    let predicates: HashMap<String, String> = rows(&directory.join("dbp15k-en.predicates.tsv.gz"))?
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    let mut known = HashSet::new();
    for row in rows(&directory.join("dbp15k-en.triples.tsv.gz"))?.iter().skip(1) {
        let triple = (collection.places[&row[0]], predicates[&row[1]].clone(), collection.places[&row[2]]);
        if known.insert(triple.clone()) {
            collection.triples.push(triple);
        }
    }
    for row in rows(&directory.join("dbp15k-en.types.tsv.gz"))?.iter().skip(1).filter(|row| row[3] == "given") {
        let place = collection.places[&row[0]];
        collection.entities[place].types.push(row[2].replace(' ', "_"));
    }
    Ok(collection)
}

fn fbw(directory: &Path) -> Result<Collection, Failure> {
    let mut collection = Collection::default();
    for row in rows(&directory.join("fbw.entities.tsv.gz"))?.iter().skip(1) {
        let entity = collection.add(&row[0], &row[1], &row[3]);
        entity.aliases = row[4].split(" | ").filter(|alias| !alias.is_empty()).map(TaggedText::plain).collect();
        entity.descriptions = row.get(5).filter(|text| !text.is_empty()).map(TaggedText::plain).into_iter().collect();
    }
    for row in rows(&directory.join("fbw.triples.tsv.gz"))?.into_iter().skip(1) {
        collection.triples.push((collection.places[&row[0]], row[1].clone(), collection.places[&row[2]]));
    }
    for row in rows(&directory.join("fbw.types.tsv.gz"))?.into_iter().skip(1) {
        let place = collection.places[&row[0]];
        collection.entities[place].types.push(row[1].clone());
    }
    Ok(collection)
}

fn rows(path: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        io::BufReader::new(file).read_to_string(&mut text)?;
    }
    Ok(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

fn index(mut collection: Collection) -> Result<IndexView, Failure> {
    collection.link();
    let index = EntityIndex::in_memory(IndexOptions::default())?;
    for entity in &collection.entities {
        index.put(entity)?;
    }
    index.commit("")?;
    Ok(index.view()?)
}

/// A query with the grades of its relevant entities.
struct Topic {
    query: String,
    grades: HashMap<String, f64>,
}

fn topics(judgments: &Path, queries: &Path) -> Result<Vec<Topic>, Failure> {
    let mut grades: BTreeMap<String, HashMap<String, f64>> = BTreeMap::new();
    for row in rows(judgments)? {
        grades.entry(row[0].clone()).or_default().insert(row[2].clone(), row[3].parse()?);
    }
    let queries: HashMap<String, String> =
        rows(queries)?.into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let relevant = grades.into_iter().filter(|(_, grades)| grades.values().any(|grade| *grade > 0.0));
    Ok(relevant.map(|(id, grades)| Topic { query: queries[&id].clone(), grades }).collect())
}

struct Figures {
    ten: f64,
    hundred: f64,
    p95: Duration,
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn measure(view: &IndexView, topics: &[Topic], method: Method, options: &RetrievalOptions) -> Result<Figures, Failure> {
    let (mut ten, mut hundred, mut times) = (0.0, 0.0, Vec::new());
    for topic in topics {
        let start = Instant::now();
        let hits = view.search(&topic.query, method, options, 100)?;
        times.push(start.elapsed());
        let gains: Vec<f64> = hits.iter().map(|hit| topic.grades.get(&hit.iri).copied().unwrap_or(0.0)).collect();
        let mut ideal: Vec<f64> = topic.grades.values().copied().collect();
        ideal.sort_by(|a, b| b.total_cmp(a));
        ten += dcg(&gains, 10) / dcg(&ideal, 10);
        hundred += dcg(&gains, 100) / dcg(&ideal, 100);
    }
    times.sort_unstable();
    let count = f64::from(u32::try_from(topics.len())?);
    Ok(Figures { ten: ten / count, hundred: hundred / count, p95: times[times.len() * 95 / 100] })
}

/// Gain = grade, discount log2(rank + 1), as in the study.
fn dcg(gains: &[f64], ranks: usize) -> f64 {
    let discounts = (2_u32..).map(|rank| f64::from(rank).log2());
    gains.iter().take(ranks).zip(discounts).map(|(gain, discount)| gain / discount).sum()
}
