//! Tests that short queries which need much time or memory are stopped or rejected.

use std::time::Duration;

use lodeward_archive::sparql::{
    QueryError, QueryLimit, QueryOptions, QueryOutput, QuerySyntaxError, UpdateError, UpdateOptions,
};
use proptest::prelude::*;

use crate::engine::{ArchiveEngine, Engine, Outcome, OxigraphEngine};

/// A limit that is far below what the bombs need, and far above a usual query.
fn limits() -> QueryOptions {
    QueryOptions { max_memory_bytes: Some(16 << 20), ..time_limit() }
}

/// Tests that run at the same time share the memory limit, so queries that must succeed have none.
fn time_limit() -> QueryOptions {
    QueryOptions { timeout: Some(Duration::from_mins(5)), ..QueryOptions::default() }
}

fn exhaust(ours: &ArchiveEngine, sparql: &str, options: &QueryOptions) -> Result<usize, QueryError> {
    match ours.archive.snapshot().query(sparql, options)? {
        QueryOutput::Boolean(_) => Ok(1),
        QueryOutput::Solutions(rows) => {
            rows.map(|row| row.map(drop)).collect::<Result<Vec<_>, _>>().map(|rows| rows.len())
        }
        QueryOutput::Graph(rows) => rows.map(|row| row.map(drop)).collect::<Result<Vec<_>, _>>().map(|rows| rows.len()),
    }
}

/// The texts of the first numbers, one after another.
fn numbered(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

/// `outer(outer(…))`, this many levels deep.
fn nest(levels: usize, core: &str, outer: impl Fn(&str) -> String) -> String {
    (0..levels).fold(core.to_owned(), |inner, _| outer(&inner))
}

/// Expressions whose value would have gigabytes or more.
fn growing_expressions() -> Vec<String> {
    let long = "a".repeat(400);
    let binds = |step: &str| {
        let bind = |n: usize| format!("BIND({} AS ?v{n}) ", step.replace("?v", &format!("?v{}", n - 1)));
        let binds: String = (1..40).map(bind).collect();
        format!("SELECT ?v39 {{ BIND('{long}' AS ?v0) {binds} }}")
    };
    let select = |expression: String| format!("SELECT ({expression} AS ?x) {{}}");
    vec![
        select(nest(6, &format!("'{long}'"), |inner| format!("REPLACE({inner}, 'a', '{long}')"))),
        select(nest(6, &format!("'{long}'"), |inner| format!("REPLACE({inner}, '(.)', '{}')", "$1".repeat(200)))),
        select(nest(6, &format!("'{long}'"), |inner| format!("REPLACE({inner}, '^.*$', '{}', 's')", "$0".repeat(30)))),
        binds("CONCAT(?v, ?v)"),
        binds("REPLACE(?v, 'a', 'aa')"),
        binds("ENCODE_FOR_URI(CONCAT(?v, ?v, '%'))"),
        binds("UCASE(CONCAT(?v, ?v, 'ΐ'))"),
        binds("STRDT(CONCAT(STR(?v), STR(?v)), <http://www.w3.org/2001/XMLSchema#string>)"),
        binds("STRLANG(CONCAT(STR(?v), STR(?v)), 'en')"),
        binds("SUBSTR(CONCAT(?v, ?v), 2)"),
        binds("STRAFTER(CONCAT(?v, ?v), 'a')"),
        binds("IF(true, CONCAT(?v, ?v), '')"),
        format!(
            "SELECT (GROUP_CONCAT(?v; SEPARATOR='{long}') AS ?x) {{ {} BIND('{long}' AS ?v) }}",
            numbered(5, |n| format!("VALUES ?a{n} {{ 1 2 3 4 5 6 7 8 9 }} "))
        ),
        format!(
            "SELECT (STRLEN(CONCAT({})) AS ?x) {{ BIND(REPLACE('{long}', 'a', '{long}') AS ?v) }}",
            vec!["?v"; 500].join(", ")
        ),
    ]
}

fn is_memory_limit(limit: QueryLimit) -> bool {
    matches!(limit, QueryLimit::Memory(_) | QueryLimit::TextSize(_))
}

#[test]
fn functions_never_exceed_the_memory_limit() {
    let ours = ArchiveEngine::new();
    for sparql in growing_expressions() {
        let stopped = exhaust(&ours, &sparql, &limits());
        let why = &sparql[..sparql.len().min(80)];
        assert!(matches!(stopped, Err(QueryError::Stopped(limit)) if is_memory_limit(limit)), "{why}: {stopped:?}");
        let explained = ours.archive.snapshot().profile(&sparql, &limits());
        assert!(matches!(explained, Err(QueryError::Stopped(limit)) if is_memory_limit(limit)), "{why}");
    }
}

#[test]
fn functions_of_an_update_never_exceed_the_memory_limit() {
    let ours = ArchiveEngine::new();
    let options = UpdateOptions { max_memory_bytes: Some(16 << 20), ..UpdateOptions::default() };
    let long = "a".repeat(400);
    let value = nest(6, &format!("'{long}'"), |inner| format!("REPLACE({inner}, 'a', '{long}')"));
    let update = format!("INSERT {{ <urn:s> <urn:p> ?x }} WHERE {{ BIND({value} AS ?x) }}");
    let stopped = ours.archive.update(&update, &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(limit)) if is_memory_limit(limit)), "{stopped:?}");
}

#[test]
fn copies_of_long_values_count() {
    let ours = ArchiveEngine::new();
    let long = "a".repeat(4000);
    let big = format!("BIND(REPLACE('{long}', 'a', '{}') AS ?v)", "b".repeat(1000));
    let columns: String = numbered(200, |n| format!("(CONCAT(?v, '{n}') AS ?c{n}) "));
    let rows: String = numbered(500, |n| format!("{n} "));
    for sparql in [
        format!("SELECT {columns} {{ {big} }}"),
        format!("SELECT * {{ VALUES ?n {{ {rows} }} {big} BIND(CONCAT(?v, STR(?n)) AS ?w) }} ORDER BY ?w"),
        format!("SELECT DISTINCT ?w {{ VALUES ?n {{ {rows} }} {big} BIND(CONCAT(?v, STR(?n)) AS ?w) }}"),
        format!("SELECT (COUNT(DISTINCT ?w) AS ?c) {{ VALUES ?n {{ {rows} }} {big} BIND(CONCAT(?v, STR(?n)) AS ?w) }}"),
        format!(
            "CONSTRUCT {{ <urn:s> <urn:p> ?w }} {{ VALUES ?n {{ {rows} }} {big} BIND(CONCAT(?v, STR(?n)) AS ?w) }}"
        ),
    ] {
        let stopped = exhaust(&ours, &sparql, &limits());
        assert!(matches!(stopped, Err(QueryError::Stopped(limit)) if is_memory_limit(limit)), "{stopped:?}");
    }
}

fn rejection(ours: &ArchiveEngine, sparql: &str) -> QuerySyntaxError {
    match exhaust(ours, sparql, &QueryOptions::default()) {
        Err(QueryError::Syntax(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nested_negations_and_calls_are_rejected_before_parsing() {
    let ours = ArchiveEngine::new();
    for (open, close) in [("!(", ")"), ("REPLACE(", ",'a','b')"), ("REGEX(", ",'a')"), ("SUBSTR(", ",1)")] {
        let sparql = format!("ASK {{ FILTER({}1{}) }}", open.repeat(60), close.repeat(60));
        assert!(rejection(&ours, &sparql).message.contains("nested too deep"));
    }
    assert!(
        exhaust(&ours, &format!("ASK {{ FILTER({}1{}) }}", "!(".repeat(10), ")".repeat(10)), &time_limit()).is_ok()
    );
}

/// The parser compares each column with all others, and each `BIND` with all variables before it.
#[test]
fn many_variables_are_rejected_before_parsing() {
    let ours = ArchiveEngine::new();
    let variables = numbered(12_000, |n| format!("?v{n} "));
    for sparql in [
        format!("SELECT {variables} {{ ?s ?p ?o }}"),
        format!("SELECT * {{ VALUES ({variables}) {{ }} }}"),
        format!("SELECT * {{ {} }}", numbered(12_000, |n| format!("BIND(1 AS $v{n}) "))),
    ] {
        assert!(rejection(&ours, &sparql).message.contains("variables are used more than 10000 times"));
    }
    let rows = "'?a ?b' ".repeat(10_000);
    assert!(exhaust(&ours, &format!("SELECT * {{ VALUES ?x {{ {rows} }} }}"), &time_limit()).is_ok());
}

#[test]
fn nested_in_is_rejected_before_planning() {
    let ours = ArchiveEngine::new();
    let sparql = format!("ASK {{ FILTER({}) }}", nest(50, "1", |inner| format!("({inner} IN (1, 2))")));
    assert!(rejection(&ours, &sparql).message.contains("IN"));
}

/// Queries for which sparopt would take minutes or years.
#[test]
fn expensive_plans_are_not_optimised() {
    let mut ours = ArchiveEngine::new();
    ours.update("INSERT DATA { <urn:s> <urn:p1> 1 ; <urn:p299> 299 . <urn:t> <urn:p1> 1 }", "urn:b").unwrap();
    let optionals: String = numbered(300, |n| format!("OPTIONAL {{ ?s <urn:p{n}> ?o{n} }} "));
    let sparql = format!("SELECT ?s ?o1 ?o299 {{ ?s <urn:p1> 1 {optionals} }} ORDER BY ?s");
    let Ok(Outcome::Rows { rows, .. }) = ours.query(&sparql, "urn:b", None) else { panic!("rows") };
    let rows: Vec<Vec<_>> =
        rows.iter().map(|row| row.iter().map(|term| term.as_ref().map(ToString::to_string)).collect()).collect();
    let one = Some("\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>".to_owned());
    let last = Some("\"299\"^^<http://www.w3.org/2001/XMLSchema#integer>".to_owned());
    assert_eq!(
        rows,
        [vec![Some("<urn:s>".to_owned()), one.clone(), last], vec![Some("<urn:t>".to_owned()), one, None]]
    );

    let groups = format!(
        "SELECT * {{ {} {} }}",
        "{ SELECT ?s (COUNT(?s) AS ?n) { ?s <urn:p1> 1 ".repeat(30),
        "} GROUP BY ?s }".repeat(30)
    );
    assert!(exhaust(&ours, &groups, &time_limit()).is_ok());
    let unions: String =
        numbered(100, |n| format!("{{ ?s <urn:p1> ?a{n} }} UNION {{ ?s <urn:p2> ?b{n} }} FILTER(?s != <urn:x{n}>) "));
    assert_eq!(exhaust(&ours, &format!("SELECT * {{ {unions} }}"), &time_limit()).unwrap(), 2);
}

#[test]
fn the_time_limit_includes_planning() {
    let ours = ArchiveEngine::new();
    let options = QueryOptions { timeout: Some(Duration::ZERO), ..QueryOptions::default() };
    let optionals: String = numbered(100, |n| format!("OPTIONAL {{ ?s <urn:p{n}> ?o{n} }} "));
    let stopped = exhaust(&ours, &format!("SELECT * {{ ?s ?p ?o {optionals} }}"), &options);
    assert!(matches!(stopped, Err(QueryError::Stopped(QueryLimit::Time(_)))), "{stopped:?}");
}

#[test]
fn lenient_mode_does_not_copy_nested_calls() {
    let ours = ArchiveEngine::new();
    let sparql = format!("SELECT ({} AS ?x) {{}}", nest(50, "'a'", |inner| format!("UCASE({inner})")));
    let options = QueryOptions { lenient: true, ..time_limit() };
    assert_eq!(exhaust(&ours, &sparql, &options).unwrap(), 1);
}

#[test]
fn expensive_regular_expressions_are_stopped_or_rejected() {
    let ours = ArchiveEngine::new();
    let text = format!("BIND(REPLACE('{}', 'a', '{}') AS ?v)", "a".repeat(1000), "b".repeat(2000));
    // 2 MB of text: a lazy search finds the end.
    let found = exhaust(&ours, &format!("SELECT * {{ {text} FILTER(REGEX(?v, '[ab]{{50}}$')) }}"), &time_limit());
    assert_eq!(found.unwrap(), 1);
    let none = exhaust(&ours, &format!("SELECT * {{ {text} FILTER(REGEX(?v, '^[ac]{{50}}')) }}"), &time_limit());
    assert_eq!(none.unwrap(), 0);
    let rejected =
        exhaust(&ours, &format!("SELECT (REPLACE(?v, '[bc]{{200}}x', '') AS ?w) {{ {text} }}"), &time_limit());
    assert!(matches!(rejected, Err(QueryError::Stopped(QueryLimit::Regex { .. }))), "{rejected:?}");
    for pattern in ["(a{100}){100}{100}".to_owned(), "\\\\w".repeat(5000), "(\\\\w{50}){50}".to_owned()] {
        let rejected = exhaust(&ours, &format!("ASK {{ FILTER(REGEX('a', '{pattern}')) }}"), &time_limit());
        assert!(matches!(rejected, Err(QueryError::Stopped(QueryLimit::RegexSize))), "{pattern:.20}: {rejected:?}");
    }
}

/// The functions must return the same as those of the evaluator, which Oxigraph uses unchanged.
#[test]
fn bounded_functions_equal_those_of_the_evaluator() {
    let (ours, oxigraph) = (ArchiveEngine::new(), OxigraphEngine::new());
    let texts = [
        "'abc'",
        "'abc'@en",
        "'ABC'@de",
        "'straße ΑΣ İ'",
        "''",
        "1",
        "<urn:x>",
        "'a.b*c'",
        "'a b%ü'",
        "_:b",
        "'x'^^<urn:t>",
    ];
    let mut expressions = vec!["CONCAT()".to_owned(), "CONCAT('a'@en, 'b'@en, 'c'@en, 'd'@en)".to_owned()];
    for text in texts.iter().filter(|text| **text != "_:b") {
        for call in [
            "UCASE(@@)",
            "LCASE(@@)",
            "ENCODE_FOR_URI(@@)",
            "CONCAT(@@)",
            "CONCAT(@@, 'a'@en)",
            "CONCAT(@@, 'a', @@, 'b', @@)",
            "REGEX(@@, 'B', 'i')",
            "REGEX(@@, '^a.c$')",
            "REGEX(@@, 'a.b*c', 'q')",
            "REGEX(@@, '(')",
            "REGEX(@@, 'a', 'z')",
            "REGEX(@@, 'a b', 'x')",
            "REGEX(@@, 'a'@en)",
            "REGEX('abc', @@)",
            "REPLACE(@@, 'b', 'Z')",
            "REPLACE(@@, '', '-')",
            "REPLACE(@@, '(a)(b)', '$2$1${1}x$$')",
            "REPLACE(@@, '(?<n>b)', '<$n>')",
            "REPLACE(@@, 'B', '[$0]', 'i')",
            "REPLACE(@@, '(', 'x')",
            "REPLACE(@@, 'a', @@)",
            "REPLACE(@@, '.', '$9')",
            "REPLACE('b', @@, 'y', 'q')",
        ] {
            expressions.push(call.replace("@@", text));
        }
    }
    for expression in expressions {
        let sparql = format!("SELECT ({expression} AS ?x) {{}}");
        let [left, right] = [ours.query(&sparql, "urn:b", None), oxigraph.query(&sparql, "urn:b", None)]
            .map(|outcome| format!("{:?}", outcome.unwrap()));
        assert_eq!(left, right, "{expression}");
    }
    for rows in ["'a' 'b' 'a'", "'a'@en 'b'@en", "'a'@en 'b'", "'a' 'b'@en 'c'", "'a' 1", ""] {
        for call in
            ["GROUP_CONCAT(?v)", "GROUP_CONCAT(DISTINCT ?v; SEPARATOR=', ')", "GROUP_CONCAT(STR(?v); SEPARATOR='')"]
        {
            let sparql = format!("SELECT ({call} AS ?x) {{ VALUES ?v {{ {rows} }} }}");
            let [left, right] = [ours.query(&sparql, "urn:b", None), oxigraph.query(&sparql, "urn:b", None)]
                .map(|outcome| format!("{:?}", outcome.unwrap()));
            assert_eq!(left, right, "{sparql}");
        }
    }
}

#[test]
fn plans_have_the_usual_names_of_functions() {
    let ours = ArchiveEngine::new();
    let plan = ours.archive.snapshot().explain("SELECT * { ?s ?p ?o FILTER(REGEX(?o, 'a')) }", &time_limit()).unwrap();
    assert!(plan.text.contains("REGEX(") && !plan.text.contains("<REGEX>"), "{}", plan.text);
}

/// A client that disconnects must not leave an update waiting for another writer.
#[test]
fn a_waiting_update_is_stopped() {
    let ours = ArchiveEngine::new();
    let writer = ours.archive.begin();
    let options = UpdateOptions { timeout: Some(Duration::from_millis(20)), ..UpdateOptions::default() };
    let stopped = ours.archive.update("INSERT DATA { <urn:s> <urn:p> 1 }", &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(QueryLimit::Time(_)))), "{stopped:?}");
    let options = UpdateOptions::default();
    options.cancel.cancel();
    let stopped = ours.archive.update("INSERT DATA { <urn:s> <urn:p> 1 }", &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(QueryLimit::Cancelled))), "{stopped:?}");
    drop(writer);
    assert!(ours.archive.update("INSERT DATA { <urn:s> <urn:p> 1 }", &UpdateOptions::default()).is_ok());
}

/// An expression of growing functions.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("?v".to_owned()), Just("'aaaaaaaaaaaaaaaa'".to_owned()), Just("'ΐΐΐΐ%'".to_owned())];
    leaf.prop_recursive(7, 40, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..5).prop_map(|parts| format!("CONCAT({})", parts.join(", "))),
            (inner.clone(), inner.clone()).prop_map(|(text, by)| format!("REPLACE({text}, 'a', {by})")),
            (inner.clone(), inner.clone()).prop_map(|(text, by)| format!("REPLACE({text}, '.', CONCAT('$0$0', {by}))")),
            inner.clone().prop_map(|text| format!("ENCODE_FOR_URI({text})")),
            inner.clone().prop_map(|text| format!("UCASE({text})")),
            inner.clone().prop_map(|text| format!("LCASE({text})")),
            inner.clone().prop_map(|text| format!("SUBSTR({text}, 2)")),
            (inner.clone(), inner).prop_map(|(left, right)| format!("IF(STRLEN({left}) > 9, {left}, {right})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A result is never longer than a text can be, whatever the expression.
    #[test]
    fn no_expression_exceeds_its_budget(expression in expression(), binds in 1usize..4) {
        let ours = ArchiveEngine::new();
        let max_memory = 16 << 20;
        let chain = numbered(binds, |n| format!("BIND({} AS ?v{}) ", expression.replace("?v", &format!("?v{n}")), n + 1));
        let sparql = format!("SELECT (?v{binds} AS ?x) {{ BIND('aaaa' AS ?v0) {chain} }}");
        let options = QueryOptions { max_memory_bytes: Some(max_memory), ..limits() };
        match ours.archive.snapshot().query(&sparql, &options) {
            Ok(QueryOutput::Solutions(rows)) => for row in rows {
                match row {
                    Ok(row) => {
                        let longest = row.iter().map(|(_, term)| term.to_string().len()).max().unwrap_or(0);
                        // The text itself, and its escapes and language when it is displayed.
                        prop_assert!(longest as u64 <= max_memory / 8 * 2 + 100, "{longest}");
                    }
                    Err(QueryError::Stopped(limit)) => prop_assert!(is_memory_limit(limit), "{limit}"),
                    Err(error) => prop_assert!(false, "{error}"),
                }
            },
            Ok(_) => prop_assert!(false, "a SELECT has rows"),
            Err(QueryError::Stopped(limit)) => prop_assert!(is_memory_limit(limit), "{limit}"),
            Err(QueryError::Syntax(error)) => prop_assert!(error.message.contains("nested too deep"), "{error}"),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
