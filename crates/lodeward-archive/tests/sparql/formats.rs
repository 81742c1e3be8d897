//! Every format of answers, and what is refused.

use lodeward_archive::sparql::{AnswerFormat, AnswerKind, QueryError, QueryOptions, UpdateError, UpdateOptions};
use oxrdf::Graph;

use crate::engine::Ours;

fn ours() -> Ours {
    let ours = Ours::new();
    let data = "INSERT DATA { <s:s> <http://p.example/p> 1 , \"é, \\\"x\\\"\"@fr , <o:o> , \"a\\tb\" . _:b <http://p.example/q> 1.5 }";
    ours.archive.update(data, &UpdateOptions::default()).expect("an update");
    ours
}

fn written(ours: &Ours, sparql: &str, format: AnswerFormat) -> Result<(u64, String), QueryError> {
    let mut bytes = Vec::new();
    let answer = ours.archive.snapshot().query(sparql, &QueryOptions::default())?;
    let rows = answer.write(format, &mut bytes)?;
    Ok((rows, String::from_utf8(bytes).expect("a text")))
}

#[test]
fn rows_are_written_in_every_format_of_rows() {
    let ours = ours();
    let sparql = "SELECT ?o { <s:s> ?p ?o } ORDER BY ?o";
    for format in AnswerKind::Solutions.formats() {
        let (rows, text) = written(&ours, sparql, *format).expect("it can be written");
        assert_eq!(rows, 4, "{format}");
        assert!(text.contains('é'), "{text}");
    }
    let (_, csv) = written(&ours, sparql, AnswerFormat::Csv).expect("CSV");
    assert_eq!(csv, "o\r\no:o\r\n1\r\na\tb\r\n\"é, \"\"x\"\"\"\r\n");
    let (_, tsv) = written(&ours, sparql, AnswerFormat::Tsv).expect("TSV");
    assert_eq!(tsv, "?o\n<o:o>\n1\n\"a\\tb\"\n\"é, \\\"x\\\"\"@fr\n");
    let (_, json) = written(&ours, "ASK { <s:s> ?p 1 }", AnswerFormat::Json).expect("JSON");
    assert_eq!(json, r#"{"head":{},"boolean":true}"#);
    for format in AnswerKind::Boolean.formats() {
        assert_eq!(written(&ours, "ASK {}", *format).expect("it can be written").0, 1);
    }
}

#[test]
fn graphs_are_written_in_every_format_of_graphs() {
    let ours = ours();
    let sparql = "PREFIX p: <http://p.example/> CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";
    let expected = canonical(
        oxttl::NTriplesParser::new()
            .for_slice(&written(&ours, sparql, AnswerFormat::NTriples).expect("N-Triples").1)
            .map(|t| t.expect("a triple")),
    );
    assert_eq!(expected.len(), 5);
    for format in AnswerKind::Graph.formats() {
        let (rows, text) = written(&ours, sparql, *format).expect("it can be written");
        assert_eq!(rows, 5, "{format}");
        let found = match format {
            AnswerFormat::Turtle => {
                canonical(oxttl::TurtleParser::new().for_slice(&text).map(|t| t.expect("a triple")))
            }
            AnswerFormat::NTriples => {
                canonical(oxttl::NTriplesParser::new().for_slice(&text).map(|t| t.expect("a triple")))
            }
            AnswerFormat::RdfXml => {
                canonical(oxrdfxml::RdfXmlParser::new().for_slice(&text).map(|t| t.expect("a triple")))
            }
            AnswerFormat::JsonLd => {
                canonical(oxjsonld::JsonLdParser::new().for_slice(&text).map(|q| q.expect("a quad").into()))
            }
            AnswerFormat::TriG => {
                canonical(oxttl::TriGParser::new().for_slice(&text).map(|q| q.expect("a quad").into()))
            }
            AnswerFormat::NQuads => {
                canonical(oxttl::NQuadsParser::new().for_slice(&text).map(|q| q.expect("a quad").into()))
            }
            other => panic!("{other} is new"),
        };
        assert_eq!(found, expected, "{format}");
    }
    let (_, turtle) = written(&ours, sparql, AnswerFormat::Turtle).expect("Turtle");
    assert!(turtle.contains("@prefix p: <http://p.example/>") && turtle.contains("p:p"), "{turtle}");
}

fn canonical(triples: impl Iterator<Item = oxrdf::Triple>) -> Graph {
    let mut graph: Graph = triples.collect();
    graph.canonicalize(oxrdf::graph::CanonicalizationAlgorithm::Unstable);
    graph
}

#[test]
fn a_format_for_another_kind_of_answer_is_refused() {
    let ours = ours();
    for (sparql, format) in [
        ("SELECT * { ?s ?p ?o }", AnswerFormat::Turtle),
        ("ASK {}", AnswerFormat::NQuads),
        ("DESCRIBE <s:s>", AnswerFormat::Csv),
    ] {
        let error = written(&ours, sparql, format).expect_err("it cannot be written");
        assert!(matches!(error, QueryError::Format { .. }));
        assert!(error.to_string().contains("use one of"), "{error}");
    }
}

#[test]
fn formats_are_found_by_name() {
    for kind in [AnswerKind::Solutions, AnswerKind::Graph] {
        for format in kind.formats() {
            assert_eq!(AnswerFormat::from_name(format.name()), Some(*format));
            assert_eq!(AnswerFormat::from_name(&format.name().to_uppercase()), Some(*format));
        }
    }
    assert_eq!(AnswerFormat::from_name("ttl"), Some(AnswerFormat::Turtle));
    assert_eq!(AnswerFormat::from_name("sql"), None);
}

#[test]
fn clients_get_what_they_want_most() {
    use AnswerFormat::{Csv, Json, JsonLd, NTriples, RdfXml, Turtle, Xml};

    let check = |accept: &str, kind, expected| assert_eq!(AnswerFormat::negotiate(accept, kind), expected, "{accept}");
    for any in ["", "*/*", "text/html, */*;q=0.1"] {
        check(any, AnswerKind::Solutions, Some(Json));
        check(any, AnswerKind::Graph, Some(Turtle));
    }
    check("text/csv", AnswerKind::Solutions, Some(Csv));
    check("TEXT/CSV;q=0.5, application/sparql-results+xml;q=0.9", AnswerKind::Solutions, Some(Xml));
    check("application/json", AnswerKind::Boolean, Some(Json));
    check("application/json", AnswerKind::Graph, Some(JsonLd));
    check("text/*;q=0.4, text/turtle;q=0.1, application/n-triples;q=0.3", AnswerKind::Graph, Some(NTriples));
    check("application/rdf+xml, text/turtle;q=0.9", AnswerKind::Graph, Some(RdfXml));
    check("application/sparql-results+json;q=0, */*", AnswerKind::Solutions, Some(Xml));
    check("text/html", AnswerKind::Solutions, None);
    check("text/turtle;q=0", AnswerKind::Graph, None);
}

#[test]
fn what_is_not_sparql_is_told_where_and_why() {
    let ours = ours();
    let error = |sparql: &str| match ours.archive.snapshot().query(sparql, &QueryOptions::default()) {
        Err(QueryError::Syntax(error)) => error,
        _ => panic!("{sparql} is not SPARQL"),
    };
    let found = error("SELECT *\nWHERE { ?s ?p }");
    assert_eq!((found.line, found.column), (Some(2), Some(16)), "{found}");
    assert!(found.to_string().starts_with("line 2, column 16: expected"), "{found}");
    let hint = |sparql: &str| error(sparql).hint.unwrap_or_default();
    assert!(hint("INSERT DATA { <a:a> <b:b> 1 }").contains("update"));
    assert!(hint("  # nothing\n").contains("nothing"));
    assert!(hint("SELEC * {}").contains("`SELEC` does not begin a query: SELECT, ASK"));
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
fn escaped_characters_are_read_anywhere() {
    let ours = ours();
    let (rows, _) = written(&ours, "SELECT * { <s:s> ?p \"\\u00E9, \\\"x\\\"\"@fr }", AnswerFormat::Csv).expect("rows");
    assert_eq!(rows, 1);
}
