//! Tests of result formats, content negotiation and syntax errors.

use lodeward_archive::sparql::{QueryError, QueryOptions, ResultFormat, ResultKind, UpdateError, UpdateOptions};
use lodeward_rdf::accept::Accept;
use lodeward_rdf::{RdfFormat, RdfReader};
use oxrdf::Graph;

use crate::engine::ArchiveEngine;

const TURTLE: ResultFormat = ResultFormat::Rdf(RdfFormat::Turtle);
const N_TRIPLES: ResultFormat = ResultFormat::Rdf(RdfFormat::NTriples);

fn ours() -> ArchiveEngine {
    let ours = ArchiveEngine::new();
    let data = "INSERT DATA { <s:s> <http://p.example/p> 1 , \"é, \\\"x\\\"\"@fr , <o:o> , \"a\\tb\" . _:b <http://p.example/q> 1.5 }";
    ours.archive.update(data, &UpdateOptions::default()).expect("an update");
    ours
}

fn write(ours: &ArchiveEngine, sparql: &str, format: ResultFormat) -> Result<(u64, String), QueryError> {
    let mut bytes = Vec::new();
    let output = ours.archive.snapshot().query(sparql, &QueryOptions::default())?;
    let rows = output.write(format, &mut bytes)?;
    Ok((rows, String::from_utf8(bytes).expect("a text")))
}

#[test]
fn rows_are_written_in_every_tabular_format() {
    let ours = ours();
    let sparql = "SELECT ?o { <s:s> ?p ?o } ORDER BY ?o";
    for format in ResultKind::Solutions.formats() {
        let (rows, text) = write(&ours, sparql, format).expect("writing succeeds");
        assert_eq!(rows, 4, "{format}");
        assert!(text.contains('é'), "{text}");
    }
    let (_, csv) = write(&ours, sparql, ResultFormat::Csv).expect("CSV");
    assert_eq!(csv, "o\r\no:o\r\n1\r\na\tb\r\n\"é, \"\"x\"\"\"\r\n");
    let (_, tsv) = write(&ours, sparql, ResultFormat::Tsv).expect("TSV");
    assert_eq!(tsv, "?o\n<o:o>\n1\n\"a\\tb\"\n\"é, \\\"x\\\"\"@fr\n");
    let (_, json) = write(&ours, "ASK { <s:s> ?p 1 }", ResultFormat::Json).expect("JSON");
    assert_eq!(json, r#"{"head":{},"boolean":true}"#);
    for format in ResultKind::Boolean.formats() {
        assert_eq!(write(&ours, "ASK {}", format).expect("writing succeeds").0, 1);
    }
}

#[test]
fn graphs_are_written_in_every_rdf_format() {
    let ours = ours();
    let sparql = "PREFIX p: <http://p.example/> CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";
    let read = |format: ResultFormat, text: &str| {
        let ResultFormat::Rdf(format) = format else { panic!("{format} is not an RDF format") };
        canonical(
            RdfReader::new(format).collect(text.as_bytes().into()).expect("valid RDF").into_iter().map(Into::into),
        )
    };
    let expected = read(N_TRIPLES, &write(&ours, sparql, N_TRIPLES).expect("N-Triples").1);
    assert_eq!(expected.len(), 5);
    for format in ResultKind::Graph.formats() {
        let (rows, text) = write(&ours, sparql, format).expect("writing succeeds");
        assert_eq!(rows, 5, "{format}");
        assert_eq!(read(format, &text), expected, "{format}");
    }
    let (_, turtle) = write(&ours, sparql, TURTLE).expect("Turtle");
    assert!(turtle.contains("@prefix p: <http://p.example/>") && turtle.contains("p:p"), "{turtle}");
}

fn canonical(triples: impl Iterator<Item = oxrdf::Triple>) -> Graph {
    let mut graph: Graph = triples.collect();
    graph.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
    graph
}

#[test]
fn a_format_of_another_result_kind_is_rejected() {
    let ours = ours();
    for (sparql, format) in [
        ("SELECT * { ?s ?p ?o }", TURTLE),
        ("ASK {}", ResultFormat::Rdf(RdfFormat::NQuads)),
        ("DESCRIBE <s:s>", ResultFormat::Csv),
    ] {
        let error = write(&ours, sparql, format).expect_err("writing fails");
        assert!(matches!(error, QueryError::Format { .. }));
        assert!(error.to_string().contains("use one of"), "{error}");
    }
}

#[test]
fn formats_are_found_by_name() {
    for kind in [ResultKind::Solutions, ResultKind::Graph] {
        for format in kind.formats() {
            assert_eq!(ResultFormat::from_name(format.name()), Some(format));
            assert_eq!(ResultFormat::from_name(&format.name().to_uppercase()), Some(format));
        }
    }
    assert_eq!(ResultFormat::from_name("ttl"), Some(TURTLE));
    assert_eq!(ResultFormat::from_name("sql"), None);
}

#[test]
fn the_most_preferred_format_is_selected() {
    use ResultFormat::{Csv, Json, Rdf, Xml};

    let check = |accept: &str, kind, expected| {
        assert_eq!(ResultFormat::negotiate(&Accept::parse([accept]), kind), expected, "{accept}");
    };
    for any in ["", "*/*", "text/html, */*;q=0.1"] {
        check(any, ResultKind::Solutions, Some(Json));
        check(any, ResultKind::Graph, Some(TURTLE));
    }
    check("text/csv", ResultKind::Solutions, Some(Csv));
    check("TEXT/CSV;q=0.5, application/sparql-results+xml;q=0.9", ResultKind::Solutions, Some(Xml));
    check("application/json", ResultKind::Boolean, Some(Json));
    check("application/json", ResultKind::Graph, Some(Rdf(RdfFormat::JsonLd)));
    check("text/*;q=0.4, text/turtle;q=0.1, application/n-triples;q=0.3", ResultKind::Graph, Some(N_TRIPLES));
    check("application/rdf+xml, text/turtle;q=0.9", ResultKind::Graph, Some(Rdf(RdfFormat::RdfXml)));
    check("application/sparql-results+json;q=0, */*", ResultKind::Solutions, Some(Xml));
    check("text/html", ResultKind::Solutions, None);
    check("text/turtle;q=0", ResultKind::Graph, None);
}

#[test]
fn syntax_errors_state_position_and_hint() {
    let ours = ours();
    let error = |sparql: &str| match ours.archive.snapshot().query(sparql, &QueryOptions::default()) {
        Err(QueryError::Syntax(error)) => error,
        _ => panic!("{sparql} was accepted"),
    };
    let found = error("SELECT *\nWHERE { ?s ?p }");
    assert_eq!((found.line, found.column), (Some(2), Some(16)), "{found}");
    assert!(found.to_string().starts_with("line 2, column 16: expected"), "{found}");
    let hint = |sparql: &str| error(sparql).hint.unwrap_or_default();
    assert!(hint("INSERT DATA { <a:a> <b:b> 1 }").contains("update"));
    assert!(hint("  # nothing\n").contains("empty"));
    assert!(hint("SELEC * {}").contains("start the query with one of SELECT, ASK"));
    assert!(hint("SELECT * { ?s foaf:name ?n }").contains("PREFIX"), "{:?}", error("SELECT * { ?s foaf:name ?n }"));
    assert!(hint("SELECT * { <a> ?p ?o }").contains("BASE"), "{:?}", error("SELECT * { <a> ?p ?o }"));
    let options = QueryOptions { base_iri: Some("not an IRI".to_owned()), ..QueryOptions::default() };
    assert!(matches!(ours.archive.snapshot().query("ASK {}", &options), Err(QueryError::Syntax(_))));
    match ours.archive.update("SELECT * {}", &UpdateOptions::default()) {
        Err(UpdateError::Syntax(error)) => assert!(error.hint.is_some_and(|hint| hint.contains("query"))),
        _ => panic!("a query is not an update"),
    }
    let unknown = ours.archive.snapshot().query("SELECT * { FILTER <f:f>(1) }", &QueryOptions::default());
    assert!(matches!(unknown, Err(QueryError::Evaluation(_))));
}

#[test]
fn unicode_escapes_are_decoded() {
    let ours = ours();
    let (rows, _) = write(&ours, "SELECT * { <s:s> ?p \"\\u00E9, \\\"x\\\"\"@fr }", ResultFormat::Csv).expect("rows");
    assert_eq!(rows, 1);
}
