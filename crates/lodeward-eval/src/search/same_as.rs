//! Proposed links: nomisma to `DBpedia`, and Freebase to `DBpedia`.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use lodeward_search::same_as::{EVIDENCE_NAMES, LinkCandidate, LinkSide, LinkWeights, candidates, propose};

use super::collection::{EntityCollection, entity_key, entity_place, nomisma_links};
use super::page::{SearchSection, share};
use crate::numbers::ratio;
use crate::web::WebError;

const DBPEDIA: &str = "http://dbpedia.org/resource/";
const MATCHES: [&str; 2] =
    ["http://www.w3.org/2004/02/skos/core#exactMatch", "http://www.w3.org/2004/02/skos/core#closeMatch"];

/// Entities to link, and the true links.
struct LinkTask<'a> {
    name: &'static str,
    sources: LinkSide,
    targets: &'a LinkSide,
    pairs: Vec<LinkCandidate>,
    /// The right targets of each source whose truth is known; none if every link is wrong.
    truth: HashMap<u32, HashSet<u32>>,
}

/// Measures proposals with weights that are trained on the other task.
pub fn evaluate(directory: &Path, dbp: &EntityCollection, fbw: &EntityCollection) -> Result<SearchSection, WebError> {
    let mut section = SearchSection::new(
        "Proposed links",
        "Targets: the entities of `dbp`. Sources: nomisma, and `fbw` without its DBpedia IRIs. Precision over sources \
         whose truth is known. Weights are trained on the other task; a link is proposed if its score is at least 0.",
    );
    let Ok(targets) = LinkSide::read(&dbp.entities[..]);
    let tasks = [nomisma(directory, dbp, &targets)?, freebase(dbp, fbw, &targets)];
    section.table(&["task", "method", "precision", "recall", "sources", "with a target", "in candidates"]);
    let trained = tasks.each_ref().map(train);
    for (task, other) in tasks.iter().zip([&trained[1], &trained[0]]) {
        let with_target = task.truth.values().filter(|right| !right.is_empty()).count();
        let is_right = |pair: &&LinkCandidate| task.truth.get(&pair.source).is_some_and(|t| t.contains(&pair.target));
        let reachable: HashSet<u32> = task.pairs.iter().filter(is_right).map(|pair| pair.source).collect();
        for (method, weights) in [("equal unique labels", &equal_labels()), ("trained on the other task", other)] {
            let (precision, recall) = measure(task, weights);
            section.figure(task.name, method, "", "precision", precision);
            section.figure(task.name, method, "", "recall", recall);
            section.row(&[
                task.name.to_owned(),
                method.to_owned(),
                share(precision),
                share(recall),
                task.sources.len().to_string(),
                with_target.to_string(),
                share(ratio(reachable.len(), with_target)),
            ]);
        }
    }
    section.end_table();
    section.table(&["figure", "trained on nomisma", "trained on fbw"]);
    for (at, name) in EVIDENCE_NAMES.iter().enumerate() {
        let weights = trained.each_ref().map(|weights| format!("{:.2}", weights.weights[at]));
        section.row(&[(*name).to_owned(), weights[0].clone(), weights[1].clone()]);
    }
    let biases = trained.each_ref().map(|weights| format!("{:.2}", weights.bias));
    section.row(&["constant".to_owned(), biases[0].clone(), biases[1].clone()]);
    section.end_table();
    Ok(section)
}

/// A baseline: labels are equal, and unique on both sides.
fn equal_labels() -> LinkWeights {
    let weights = std::array::from_fn(|at| match EVIDENCE_NAMES[at] {
        "label-equal" | "one-of-targets" | "one-of-sources" => 1.0,
        _ => 0.0,
    });
    LinkWeights { weights, bias: -2.999 }
}

fn train(task: &LinkTask<'_>) -> LinkWeights {
    let judged = |pair: &LinkCandidate| Some((pair.evidence, task.truth.get(&pair.source)?.contains(&pair.target)));
    LinkWeights::train(&task.pairs.iter().filter_map(judged).collect::<Vec<_>>())
}

fn measure(task: &LinkTask<'_>, weights: &LinkWeights) -> (f64, f64) {
    let proposals = propose(&task.sources, task.targets, &task.pairs, weights, 0.0);
    let (mut proposed, mut right) = (0, 0);
    for proposal in &proposals {
        let place = |key| u32::try_from(entity_place(key)).unwrap_or(u32::MAX);
        if let Some(truth) = task.truth.get(&place(proposal.source)) {
            proposed += 1;
            right += usize::from(truth.contains(&place(proposal.target)));
        }
    }
    let with_target = task.truth.values().filter(|right| !right.is_empty()).count();
    (ratio(right, proposed), ratio(right, with_target))
}

fn number(place: usize) -> u32 {
    u32::try_from(place).expect("entities are numbered by 32 bits")
}

/// Sources of nomisma; those that match an entity of `DBpedia` outside of the graph have no right target.
fn nomisma<'a>(directory: &Path, dbp: &EntityCollection, targets: &'a LinkSide) -> Result<LinkTask<'a>, WebError> {
    let collection = EntityCollection::nomisma(directory, &MATCHES)?;
    let mut truth: HashMap<u32, HashSet<u32>> = HashMap::new();
    for [subject, predicate, object] in nomisma_links(directory)? {
        let object = object.replacen("https://", "http://", 1);
        if !MATCHES.contains(&predicate.as_str()) || !object.starts_with(DBPEDIA) {
            continue;
        }
        let Some(source) = collection.place(&subject) else { continue };
        let right = truth.entry(number(source)).or_default();
        right.extend(dbp.place(&object).or_else(|| dbp.place(&decode(&object))).map(number));
    }
    Ok(task("nomisma", &collection, targets, truth))
}

fn freebase<'a>(dbp: &EntityCollection, fbw: &EntityCollection, targets: &'a LinkSide) -> LinkTask<'a> {
    let target = |iri: &str| dbp.place(iri).map(number).into_iter().collect();
    let truth = (0..fbw.entities.len()).map(|place| (number(place), target(&fbw.entities[place].iri))).collect();
    let mut hidden = fbw.clone();
    for (place, entity) in hidden.entities.iter_mut().enumerate() {
        entity.iri = format!("urn:freebase:{}", entity_key(place).0);
    }
    task("fbw", &hidden, targets, truth)
}

fn task<'a>(
    name: &'static str,
    collection: &EntityCollection,
    targets: &'a LinkSide,
    truth: HashMap<u32, HashSet<u32>>,
) -> LinkTask<'a> {
    let Ok(sources) = LinkSide::read(&collection.entities[..]);
    let pairs = candidates(&sources, targets);
    LinkTask { name, sources, targets, pairs, truth }
}

/// An IRI without percent encoding.
fn decode(iri: &str) -> String {
    let name = iri.strip_prefix(DBPEDIA).unwrap_or(iri);
    format!("{DBPEDIA}{}", lodeward_search::text::names::name_from_iri(name).replace(' ', "_"))
}
