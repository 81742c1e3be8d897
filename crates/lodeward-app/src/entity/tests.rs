//! Tests of entities.

use lodeward_archive::{Archive, Options};
use oxrdf::{Literal, NamedNode, Quad};

use super::*;

const LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";

fn node(name: &str) -> NamedNode {
    let is_full = name.starts_with("http") || name.starts_with("urn");
    NamedNode::new_unchecked(if is_full { name.to_owned() } else { format!("http://e.example/{name}") })
}

/// A cathedral in two documents, its town, and ten links to it.
fn archive() -> (tempfile::TempDir, Archive) {
    let dir = tempfile::tempdir().unwrap();
    let archive = Archive::open(dir.path(), &Options::default()).unwrap();
    let mut transaction = archive.begin();
    let mut add = |subject: &str, predicate: &str, object: Term, graph: &str| {
        let quad = Quad::new(node(subject), node(predicate), object, node(graph));
        transaction.insert(quad.as_ref()).unwrap();
    };
    let label = |text: &str, language: &str| Term::from(Literal::new_language_tagged_literal(text, language).unwrap());
    for graph in ["doc1", "doc2"] {
        add("Dom", "in", node("Cologne").into(), graph);
    }
    add("Dom", LABEL, label("Kölner Dom", "de"), "doc1");
    add("Dom", LABEL, label("Cologne Cathedral", "en"), "doc1");
    add("Dom", rdf::TYPE.as_str(), node("Church").into(), "doc1");
    add("Dom", "http://www.w3.org/2003/01/geo/wgs84_pos#lat", Literal::from("50.94").into(), "doc1");
    add("Dom", "http://www.w3.org/2003/01/geo/wgs84_pos#long", Literal::from("6.96").into(), "doc1");
    add("Cologne", LABEL, label("Köln", "de"), "doc3");
    for number in 0..10 {
        add(&format!("photo{number}"), "shows", node("Dom").into(), "doc4");
    }
    add("Book", "about", node("Dom").into(), "doc4");
    transaction.commit().unwrap();
    (dir, archive)
}

#[test]
fn an_entity_has_labels_sources_and_incoming_links() {
    let (_dir, archive) = archive();
    let options = EntityOptions { language: "de", max_values: 50, crawl: None };

    let dom = read_entity(&archive, node("Dom").as_ref(), options).unwrap().unwrap();

    assert_eq!(dom.label.as_deref(), Some("Kölner Dom"));
    assert_eq!(dom.types, [LabelledTerm { term: node("Church").into(), label: None }]);
    assert_eq!(dom.coordinates, Some(Coordinates { latitude: 50.94, longitude: 6.96 }));
    let town = dom.properties.iter().find(|property| property.property.term == node("in").into()).unwrap();
    let sources = ["http://e.example/doc1", "http://e.example/doc2"].map(str::to_owned).to_vec();
    let value = LabelledTerm { term: node("Cologne").into(), label: Some("Köln".to_owned()) };
    assert_eq!(town.values, [EntityValue { value, sources, source_count: 2 }]);
    let incoming: Vec<_> = dom.incoming.iter().map(|link| (link.property.term.clone(), link.count)).collect();
    assert_eq!(incoming, [(node("shows").into(), 10), (node("about").into(), 1)]);
    let links = read_incoming(&archive, node("Dom").as_ref(), node("shows").as_ref(), "de", 3).unwrap();
    assert_eq!(links.len(), 3);
    let english = EntityOptions { language: "fr", ..options };
    let dom = read_entity(&archive, node("Dom").as_ref(), english).unwrap().unwrap();
    assert_eq!(dom.label.as_deref(), Some("Cologne Cathedral"));
    assert_eq!(read_entity(&archive, node("Nowhere").as_ref(), options).unwrap(), None);
    assert!(crawls_with(&archive, node("Dom").as_ref(), &[1]).unwrap().is_empty());
}

#[test]
fn rare_properties_of_a_neighbourhood_come_first() {
    let (_dir, archive) = archive();

    let graph = read_neighbours(&archive, node("Dom").as_ref(), "de", 5).unwrap();

    let names: Vec<&str> = graph.nodes.iter().map(|(iri, _)| iri.rsplit('/').next().unwrap()).collect();
    assert_eq!((names[0], names.len()), ("Dom", 5));
    assert!(names[1..3].contains(&"Cologne") && names[1..3].contains(&"Book"), "{names:?}");
    assert_eq!((graph.edges.len(), graph.omitted), (4, 8));
}
