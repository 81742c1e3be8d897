//! Tests of provenance graphs: hidden, unless a query names or requests them.

use std::sync::Arc;

use lodeward_archive::sparql::{DefaultGraph, QueryOptions, QueryOutput, UpdateError, UpdateOptions};
use lodeward_archive::{Archive, Collection, Options, ProvenanceExpander, RecordCandidates, RecordKey};
use oxrdf::{Literal, NamedNode, Quad};
use tempfile::TempDir;

const BASE: &str = "http://p.example/";

/// A record is the name of a document. Its graph states where the document is from, and who fetched
/// it; the agent is the same in all records.
#[derive(Debug)]
struct SampleExpander;

fn node(name: &str) -> NamedNode {
    NamedNode::new(name).unwrap()
}

fn graph_name(key: RecordKey) -> String {
    format!("{BASE}{}/{}", key.collection.0, key.fingerprint)
}

fn parse(graph: &str) -> Option<RecordKey> {
    let (collection, fingerprint) = graph.strip_prefix(BASE)?.split_once('/')?;
    Some(RecordKey { collection: Collection(collection.parse().ok()?), fingerprint: fingerprint.parse().ok()? })
}

/// The number at the end of the name of a document.
fn number(document: &str) -> u128 {
    document.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(u128::MAX)
}

impl ProvenanceExpander for SampleExpander {
    fn expand(&self, key: RecordKey, record: &[u8]) -> Option<Vec<Quad>> {
        let (document, graph) = (node(str::from_utf8(record).ok()?), node(&graph_name(key)));
        let fetch = node(&format!("{}#fetch", graph.as_str()));
        let agent = node("http://p.example/agent");
        Some(vec![
            Quad::new(document, node("http://v.example/by"), fetch.clone(), graph.clone()),
            Quad::new(fetch, node("http://v.example/agent"), agent.clone(), graph.clone()),
            Quad::new(agent, node("http://v.example/name"), Literal::from("crawler"), graph),
        ])
    }

    fn record_of_graph(&self, graph: &str) -> Option<RecordKey> {
        parse(graph)
    }

    fn records_of_subject(&self, subject: &str) -> RecordCandidates {
        match subject.split_once('#').and_then(|(graph, _)| parse(graph)) {
            Some(key) => RecordCandidates::One(key),
            None if subject == "http://p.example/agent" => RecordCandidates::Any,
            None => RecordCandidates::InEachCollection(number(subject)),
        }
    }

    fn records_of_object(&self, object: &str) -> RecordCandidates {
        let part = object.split_once('#').and_then(|(graph, _)| parse(graph));
        part.map_or(RecordCandidates::Any, RecordCandidates::One)
    }
}

struct ProvenanceArchive {
    _directory: TempDir,
    archive: Archive,
}

impl ProvenanceArchive {
    /// Two collections with three documents each, with a statement and a record for each document.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.provenance_expander = Some(Arc::new(SampleExpander));
        let archive = Archive::open(directory.path(), &options).unwrap();
        let mut transaction = archive.begin();
        for collection in [1, 2] {
            for document in 0..3 {
                let name = node(&format!("http://{collection}.example/{document}"));
                let quad = Quad::new(name.clone(), node("http://v.example/p"), Literal::from("x"), name.clone());
                let collection = Collection(collection);
                transaction.put_document(collection, name.as_ref(), [quad.as_ref()]).unwrap();
                let key = RecordKey { collection, fingerprint: document };
                transaction.put_provenance(key, Some(name.as_str().as_bytes()));
            }
        }
        transaction.commit().unwrap();
        Self { _directory: directory, archive }
    }

    fn rows_with(&self, sparql: &str, options: &QueryOptions) -> Vec<String> {
        let output = self.archive.snapshot().query(sparql, options).unwrap();
        let QueryOutput::Solutions(rows) = output else { panic!("a SELECT has rows") };
        let mut rows: Vec<String> = rows
            .map(|row| {
                let row = row.unwrap();
                row.values()
                    .iter()
                    .map(|value| value.as_ref().map_or("-".into(), ToString::to_string))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        rows.sort();
        rows
    }

    fn rows(&self, sparql: &str) -> Vec<String> {
        self.rows_with(sparql, &QueryOptions { default_graph: DefaultGraph::Union, ..QueryOptions::default() })
    }

    fn rows_with_provenance(&self, sparql: &str) -> Vec<String> {
        let default_graph = DefaultGraph::Union;
        self.rows_with(sparql, &QueryOptions { default_graph, with_provenance: true, ..QueryOptions::default() })
    }

    fn count(&self, pattern: &str) -> (String, String) {
        let query = format!("SELECT (COUNT(*) AS ?n) {{ {pattern} }}");
        let number = |rows: Vec<String>| rows[0].split('"').nth(1).unwrap().to_owned();
        (number(self.rows(&query)), number(self.rows_with_provenance(&query)))
    }
}

fn counts(without: u32, with: u32) -> (String, String) {
    (without.to_string(), with.to_string())
}

#[test]
fn provenance_is_hidden_unless_it_is_requested() {
    let fixture = ProvenanceArchive::new();

    assert_eq!(fixture.count("?s ?p ?o"), counts(6, 6 + 2 * 6 + 1), "the union is a set");
    assert_eq!(fixture.count("GRAPH ?g { ?s ?p ?o }"), counts(6, 6 + 3 * 6));
    assert_eq!(fixture.count("GRAPH ?g {}"), counts(6, 12));
    assert_eq!(fixture.count("?s <http://v.example/by> ?o"), counts(0, 6));
    assert_eq!(fixture.archive.snapshot().len().unwrap(), 6);
    assert_eq!(fixture.archive.snapshot().named_graphs().count(), 6);
}

#[test]
fn a_query_sees_the_provenance_graphs_that_it_names() {
    let fixture = ProvenanceArchive::new();
    let check = |query: &str, rows: usize| assert_eq!(fixture.rows(query).len(), rows, "{query}");

    check("SELECT * { GRAPH <http://p.example/1/0> { ?s ?p ?o } }", 3);
    check("SELECT * FROM <http://p.example/1/0> { ?s ?p ?o }", 3);
    check("SELECT * FROM <http://p.example/1/0> FROM <http://p.example/2/1> { ?s ?p ?o }", 5);
    check("SELECT * FROM <http://p.example/1/0> FROM <http://1.example/0> { ?s ?p ?o }", 4);
    check("SELECT * FROM NAMED <http://p.example/1/0> { GRAPH ?g { ?s ?p ?o } }", 3);
    check("SELECT * { ?s ?p ?o FILTER EXISTS { GRAPH <http://p.example/1/0> { ?s ?q ?r } } }", 1);
    // A graph that is named in one place is not in the union, and `GRAPH ?g` does not find it.
    check("SELECT * { { ?s ?p ?o } UNION { GRAPH <http://p.example/1/0> { ?s ?p ?o } } }", 9);
    check("SELECT * { GRAPH ?g { ?s ?p ?o } GRAPH <http://p.example/1/0> { ?x ?y ?z } }", 18);
    // Another record, a record that does not exist.
    check("SELECT * { VALUES ?g { <http://p.example/1/0> } GRAPH ?g { ?s ?p ?o } }", 0);
    check("SELECT * { GRAPH <http://p.example/1/7> { ?s ?p ?o } }", 0);
    let options = QueryOptions { default_graph_uris: vec![node("http://p.example/2/2")], ..QueryOptions::default() };
    assert_eq!(fixture.rows_with("SELECT * { ?s ?p ?o }", &options).len(), 3);
}

#[test]
fn provenance_joins_with_data() {
    let fixture = ProvenanceArchive::new();
    let query = "PREFIX v: <http://v.example/>
        SELECT ?document ?name { ?document v:by ?fetch . ?fetch v:agent ?agent . ?agent v:name ?name . GRAPH ?document { ?s v:p 'x' } }";

    let rows = fixture.rows_with_provenance(query);

    assert_eq!(rows.len(), 6);
    assert_eq!(rows[0], "<http://1.example/0> \"crawler\"");
    assert_eq!(fixture.rows(query), Vec::<String>::new());
    let by_object = "SELECT * { ?s ?p <http://p.example/2/1#fetch> }";
    assert_eq!(fixture.rows_with_provenance(by_object).len(), 1);
    let plan = fixture.archive.snapshot();
    let options = QueryOptions { with_provenance: true, default_graph: DefaultGraph::Union, ..QueryOptions::default() };
    assert!(plan.explain(query, &options).unwrap().text.contains("about 6 quads"));
}

#[test]
fn provenance_is_dropped_with_its_collection() {
    let fixture = ProvenanceArchive::new();

    assert_eq!(fixture.archive.drop_collection(Collection(1)).unwrap(), 3);

    assert_eq!(fixture.count("?s <http://v.example/by> ?o"), counts(0, 3));
    assert_eq!(fixture.rows("SELECT * { GRAPH <http://p.example/1/0> { ?s ?p ?o } }").len(), 0);
    let mut transaction = fixture.archive.begin();
    transaction.put_provenance(RecordKey { collection: Collection(2), fingerprint: 0 }, None);
    transaction.commit().unwrap();
    assert_eq!(fixture.count("?s <http://v.example/by> ?o"), counts(0, 2));
}

#[test]
fn updates_read_provenance_on_request_and_never_change_it() {
    let fixture = ProvenanceArchive::new();
    let with_provenance = UpdateOptions { with_provenance: true, ..UpdateOptions::default() };
    let insert = "INSERT { ?d <http://v.example/fetched> true } WHERE { GRAPH ?g { ?d <http://v.example/by> ?f } }";

    assert_eq!(fixture.archive.update(insert, &UpdateOptions::default()).unwrap().inserted, 0);
    assert_eq!(fixture.archive.update(insert, &with_provenance).unwrap().inserted, 6);
    for update in [
        "DROP GRAPH <http://p.example/1/0>",
        "CLEAR GRAPH <http://p.example/1/0>",
        "CREATE SILENT GRAPH <http://p.example/1/0>",
        "INSERT DATA { GRAPH <http://p.example/1/0> { <http://a.example/> a <http://a.example/> } }",
        "DELETE WHERE { GRAPH <http://p.example/1/0> { ?s ?p ?o } }",
    ] {
        let error = fixture.archive.update(update, &with_provenance).unwrap_err();
        assert!(matches!(error, UpdateError::ProvenanceGraph(_)), "{update}: {error}");
    }
    fixture.archive.update("DROP ALL", &with_provenance).unwrap();
    assert_eq!(fixture.count("GRAPH ?g { ?s ?p ?o }"), counts(0, 18), "DROP ALL drops the quads");
}

#[test]
fn a_dump_contains_provenance() {
    let fixture = ProvenanceArchive::new();
    let mut dump = Vec::new();
    fixture.archive.dump(&mut dump).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.provenance_expander = Some(Arc::new(SampleExpander));

    let archive = Archive::restore(directory.path().join("copy"), &dump[..], &options).unwrap();

    assert_eq!(archive.snapshot().provenance_graphs(Some(Collection(2))).count(), 3);
    assert_eq!(archive.snapshot().provenance_graphs(None).count(), 6);
}

#[test]
fn an_invalid_record_is_an_error() {
    let fixture = ProvenanceArchive::new();
    let mut transaction = fixture.archive.begin();
    transaction.put_provenance(RecordKey { collection: Collection(9), fingerprint: 9 }, Some(&[0xff]));
    transaction.commit().unwrap();

    let options = QueryOptions { with_provenance: true, ..QueryOptions::default() };
    let outcome = fixture.archive.snapshot().query("SELECT * { GRAPH ?g { ?s ?p ?o } }", &options);

    let QueryOutput::Solutions(mut rows) = outcome.unwrap() else { panic!("a SELECT has rows") };
    let error = rows.find_map(Result::err).unwrap();
    assert!(error.to_string().contains("invalid provenance record"), "{error}");
}
