//! Random changes to an archive, compared with a model in memory.

use std::collections::{BTreeMap, BTreeSet};

use lodeward_archive::Archive;
use oxrdf::{GraphName, GraphNameRef, NamedOrBlankNode, Quad};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::fixture::{everything, graph, node, object, options};

/// The expected content of the archive.
#[derive(Clone, Default)]
struct Model {
    quads: BTreeMap<String, Quad>,
    graphs: BTreeSet<String>,
}

impl Model {
    fn insert(&mut self, quad: &Quad) {
        self.quads.insert(quad.to_string(), quad.clone());
        if !quad.graph_name.is_default_graph() {
            self.graphs.insert(quad.graph_name.to_string());
        }
    }

    fn clear(&mut self, graph: &GraphName) {
        self.quads.retain(|_, quad| quad.graph_name != *graph);
    }
}

fn any_quad(rng: &mut SmallRng) -> Quad {
    let graph_name = match rng.random_range(0..6) {
        0 => GraphName::DefaultGraph,
        number => graph(&format!("g{number}")),
    };
    let subject = node(rng.random_range(0..40));
    let predicate = node(format!("p{}", rng.random_range(0..8)));
    Quad { subject: subject.into(), predicate, object: object(rng.random_range(0..60)), graph_name }
}

fn change(rng: &mut SmallRng, archive: &Archive, model: &mut Model) {
    let mut transaction = archive.begin();
    let mut changed = model.clone();
    for _ in 0..rng.random_range(1..4) {
        match rng.random_range(0..10) {
            0 => {
                let graph = any_quad(rng).graph_name;
                transaction.clear_graph(graph.as_ref()).unwrap();
                changed.clear(&graph);
            }
            1 => {
                let graph = any_quad(rng).graph_name;
                transaction.drop_graph(graph.as_ref()).unwrap();
                changed.clear(&graph);
                changed.graphs.remove(&graph.to_string());
            }
            2..5 => {
                for _ in 0..rng.random_range(1..80) {
                    let quad = any_quad(rng);
                    transaction.remove(quad.as_ref()).unwrap();
                    changed.quads.remove(&quad.to_string());
                }
            }
            _ => {
                for _ in 0..rng.random_range(1..300) {
                    let quad = any_quad(rng);
                    transaction.insert(quad.as_ref()).unwrap();
                    changed.insert(&quad);
                }
            }
        }
    }
    if rng.random_bool(0.9) {
        let summary = transaction.commit().unwrap();
        let removed = model.quads.keys().filter(|key| !changed.quads.contains_key(*key)).count();
        let added = changed.quads.keys().filter(|key| !model.quads.contains_key(*key)).count();
        assert_eq!((summary.inserted, summary.removed), (added as u64, removed as u64));
        *model = changed;
    }
}

fn load(rng: &mut SmallRng, archive: &Archive, model: &mut Model) {
    let mut loader = archive.bulk_loader();
    let quads: Vec<Quad> = (0..rng.random_range(0..500)).map(|_| any_quad(rng)).collect();
    for quad in &quads {
        loader.add(quad.as_ref()).unwrap();
    }
    if rng.random_bool(0.8) {
        let before = model.quads.len();
        for quad in &quads {
            model.insert(quad);
        }
        assert_eq!(loader.finish().unwrap().inserted, (model.quads.len() - before) as u64);
    }
}

/// Every pattern finds the same quads as a full scan of the model.
fn compare(rng: &mut SmallRng, archive: &Archive, model: &Model) {
    let snapshot = archive.snapshot();
    assert_eq!(everything(&snapshot), model.quads.keys().cloned().collect());
    let graphs: BTreeSet<String> = snapshot.named_graphs().map(|graph| graph.unwrap().to_string()).collect();
    assert_eq!(graphs, model.graphs);
    for _ in 0..20 {
        let sample = any_quad(rng);
        let mask: u8 = rng.random_range(0..16);
        let subject: Option<&NamedOrBlankNode> = (mask & 1 != 0).then_some(&sample.subject);
        let predicate = (mask & 2 != 0).then_some(&sample.predicate);
        let object = (mask & 4 != 0).then_some(&sample.object);
        let graph: Option<GraphNameRef<'_>> = (mask & 8 != 0).then(|| sample.graph_name.as_ref());
        let matches = |quad: &&Quad| {
            subject.is_none_or(|term| *term == quad.subject)
                && predicate.is_none_or(|term| *term == quad.predicate)
                && object.is_none_or(|term| *term == quad.object)
                && graph.is_none_or(|name| name == quad.graph_name.as_ref())
        };
        let expected: BTreeSet<String> = model.quads.values().filter(matches).map(Quad::to_string).collect();
        let (subject, predicate) = (subject.map(NamedOrBlankNode::as_ref), predicate.map(|p| p.as_ref()));
        let object = object.map(|object| object.as_ref());
        let found: Vec<String> =
            snapshot.quads(subject, predicate, object, graph).map(|quad| quad.unwrap().to_string()).collect();
        assert_eq!(found.len(), expected.len());
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        let estimate = snapshot.estimate(subject, predicate, object, graph).unwrap();
        assert!(estimate > 0 || expected.is_empty(), "an estimate of 0 means that nothing matches");
        assert_eq!(snapshot.contains(sample.as_ref()).unwrap(), model.quads.contains_key(&sample.to_string()));
    }
}

#[test]
fn random_changes_match_the_model() {
    for seed in 0..3 {
        let rng = &mut SmallRng::seed_from_u64(seed);
        let directory = tempfile::tempdir().unwrap();
        let mut archive = Archive::open(directory.path(), &options()).unwrap();
        let mut model = Model::default();
        for _ in 0..20 {
            match rng.random_range(0..10) {
                0 => archive.reclaim().unwrap(),
                1 => {
                    drop(archive);
                    archive = Archive::open(directory.path(), &options()).unwrap();
                }
                2 | 3 => load(rng, &archive, &mut model),
                _ => change(rng, &archive, &mut model),
            }
            compare(rng, &archive, &model);
        }
    }
}
