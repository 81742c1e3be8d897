//! Comparing a result with the expected one.

use std::collections::HashMap;

use lodeward_archive::sparql::ResultFormat;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{BlankNode, Graph, Literal, NamedNode, NamedOrBlankNodeRef, Term, TermRef, Variable};
use sparesults::{QueryResultsFormat, QueryResultsParser, QueryResultsSerializer, SliceQueryResultsParserOutput};

use super::manifest::Suite;
use super::run::same_graph;
use crate::engine::{Failure, Outcome};

/// The expected result of a test.
pub(super) struct Expected {
    outcome: Outcome,
    ordered: bool,
}

impl Expected {
    pub(super) fn read(suite: &Suite, file: &str, is_graph: bool) -> Result<Self, Failure> {
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        if let Some(format) = ResultFormat::from_name(extension).filter(|format| !format.is_rdf()) {
            return Ok(Self { outcome: parse(suite.bytes(file), format)?, ordered: false });
        }
        let triples = suite.triples(file);
        if is_graph {
            return Ok(Self { outcome: Outcome::Graph(triples), ordered: false });
        }
        result_set(&Graph::from_iter(triples))
    }
}

/// A result in the vocabulary of the SPARQL 1.0 tests.
fn result_set(graph: &Graph) -> Result<Expected, Failure> {
    let name = |local: &str| {
        NamedNode::new_unchecked(format!("http://www.w3.org/2001/sw/DataAccess/tests/result-set#{local}"))
    };
    let set = graph.subject_for_predicate_object(rdf::TYPE, name("ResultSet").as_ref()).ok_or("missing result set")?;
    let literal = |subject: NamedOrBlankNodeRef<'_>, local: &str| match graph
        .object_for_subject_predicate(subject, name(local).as_ref())
    {
        Some(TermRef::Literal(literal)) => Some(literal.value().to_owned()),
        _ => None,
    };
    if let Some(value) = literal(set, "boolean") {
        return Ok(Expected { outcome: Outcome::Boolean(value == "true"), ordered: false });
    }
    let mut variables = Vec::new();
    for variable in graph.objects_for_subject_predicate(set, name("resultVariable").as_ref()) {
        let TermRef::Literal(variable) = variable else { return Err("a variable is not a literal".into()) };
        variables.push(Variable::new(variable.value())?);
    }
    let mut rows = Vec::new();
    for solution in graph.objects_for_subject_predicate(set, name("solution").as_ref()) {
        let TermRef::BlankNode(solution) = solution else { return Err("a solution is not a blank node".into()) };
        let mut row = vec![None; variables.len()];
        for binding in graph.objects_for_subject_predicate(solution, name("binding").as_ref()) {
            let TermRef::BlankNode(binding) = binding else { return Err("a binding is not a blank node".into()) };
            let variable = literal(binding.into(), "variable").ok_or("a binding has no variable")?;
            let at =
                variables.iter().position(|known| known.as_str() == variable).ok_or("a variable is not declared")?;
            row[at] = graph.object_for_subject_predicate(binding, name("value").as_ref()).map(TermRef::into_owned);
        }
        rows.push((literal(solution.into(), "index").and_then(|index| index.parse::<u32>().ok()), row));
    }
    let ordered = !rows.is_empty() && rows.iter().all(|(index, _)| index.is_some());
    rows.sort_by_key(|(index, _)| *index);
    Ok(Expected { outcome: Outcome::Rows { variables, rows: rows.into_iter().map(|(_, row)| row).collect() }, ordered })
}

fn results_format(format: ResultFormat) -> QueryResultsFormat {
    QueryResultsFormat::from_media_type(format.media_type()).expect("a format of tables")
}

pub(super) fn write(
    variables: &[Variable],
    rows: &[Vec<Option<Term>>],
    format: ResultFormat,
) -> Result<Vec<u8>, Failure> {
    let serializer = QueryResultsSerializer::from_format(results_format(format));
    let mut serializer = serializer.serialize_solutions_to_writer(Vec::new(), variables.to_vec())?;
    for row in rows {
        serializer
            .serialize(variables.iter().zip(row).filter_map(|(variable, term)| Some((variable, term.as_ref()?))))?;
    }
    Ok(serializer.finish()?)
}

pub(super) fn parse(bytes: &[u8], format: ResultFormat) -> Result<Outcome, Failure> {
    if format == ResultFormat::Csv {
        return csv(std::str::from_utf8(bytes)?);
    }
    Ok(match QueryResultsParser::from_format(results_format(format)).for_slice(bytes)? {
        SliceQueryResultsParserOutput::Boolean(value) => Outcome::Boolean(value),
        SliceQueryResultsParserOutput::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let rows = solutions.map(|row| Ok(row?.values().to_vec())).collect::<Result<_, Failure>>()?;
            Outcome::Rows { variables, rows }
        }
    })
}

/// Parses CSV without line breaks in values: strings, and blank nodes by their prefix.
fn csv(text: &str) -> Result<Outcome, Failure> {
    let mut lines = text.lines();
    let variables = lines.next().ok_or("missing header")?.split(',').map(Variable::new).collect::<Result<_, _>>()?;
    let cell = |text: String| match text.strip_prefix("_:") {
        Some(label) => Term::from(BlankNode::new_unchecked(label)),
        None => oxrdf::Literal::from(text).into(),
    };
    let rows = lines.map(|line| cells(line).into_iter().map(|text| Some(cell(text))).collect()).collect();
    Ok(Outcome::Rows { variables, rows })
}

fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let cell = cells.last_mut().expect("there is always a cell");
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => cell.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    cells
}

/// Checks a result. Blank nodes are compared up to renaming.
pub(super) fn check(found: &Outcome, expected: &Expected, lax: bool) -> Result<(), Failure> {
    let same = match (found, &expected.outcome) {
        (Outcome::Boolean(found), Outcome::Boolean(expected)) => found == expected,
        (Outcome::Graph(found), Outcome::Graph(expected)) => {
            same_graph(&found.iter().collect(), &expected.iter().collect())
        }
        (Outcome::Rows { variables, rows }, Outcome::Rows { variables: names, rows: expected_rows }) => {
            let mut names: Vec<_> = names.iter().enumerate().collect();
            names.sort_by_key(|(_, name)| variables.iter().position(|variable| variable == *name));
            let expected_rows: Vec<Vec<_>> =
                expected_rows.iter().map(|row| names.iter().map(|(at, _)| row[*at].clone()).collect()).collect();
            let same_names = names.len() == variables.len()
                && names.iter().zip(variables).all(|((_, name), variable)| *name == variable);
            same_names && same_rows(rows.clone(), expected_rows, expected.ordered, lax)
        }
        _ => false,
    };
    if same { Ok(()) } else { Err(format!("{}expected\n{}", display(found), display(&expected.outcome)).into()) }
}

fn display(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Boolean(value) => format!("{value}\n"),
        Outcome::Graph(triples) => triples.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        Outcome::Rows { variables, rows } => {
            let mut display = format!("{variables:?}\n");
            for row in rows {
                for term in row {
                    display += &term.as_ref().map_or("-".to_owned(), ToString::to_string);
                    display += "  ";
                }
                display += "\n";
            }
            display
        }
    }
}

type Row = Vec<Option<Term>>;

fn same_rows(mut found: Vec<Row>, mut expected_rows: Vec<Row>, ordered: bool, lax: bool) -> bool {
    if lax {
        for rows in [&mut found, &mut expected_rows] {
            rows.sort_by_key(|row| format!("{row:?}"));
            rows.dedup();
        }
    }
    found.len() == expected_rows.len()
        && matches(&found, &mut expected_rows, ordered, &mut HashMap::new(), &mut HashMap::new())
}

type Pairs = HashMap<BlankNode, BlankNode>;

/// Whether the rows can be paired, with a one-to-one mapping of blank nodes.
fn matches(
    found: &[Row],
    expected_rows: &mut Vec<Row>,
    ordered: bool,
    forward: &mut Pairs,
    backward: &mut Pairs,
) -> bool {
    let Some((row, rest)) = found.split_first() else { return true };
    let candidates = if ordered { 1 } else { expected_rows.len() };
    for at in 0..candidates {
        let (mut forward_next, mut backward_next) = (forward.clone(), backward.clone());
        if same_row(row, &expected_rows[at], &mut forward_next, &mut backward_next) {
            let taken = expected_rows.remove(at);
            if matches(rest, expected_rows, ordered, &mut forward_next, &mut backward_next) {
                return true;
            }
            expected_rows.insert(at, taken);
        }
    }
    false
}

fn same_row(found: &Row, expected_rows: &Row, forward: &mut Pairs, backward: &mut Pairs) -> bool {
    found.iter().zip(expected_rows).all(|(found, expected_rows)| match (found, expected_rows) {
        (Some(Term::BlankNode(found)), Some(Term::BlankNode(expected_rows))) => {
            forward.entry(found.clone()).or_insert_with(|| expected_rows.clone()) == expected_rows
                && backward.entry(expected_rows.clone()).or_insert_with(|| found.clone()) == found
        }
        (Some(Term::Literal(found)), Some(Term::Literal(expected_rows))) => {
            found == expected_rows || same_number(found, expected_rows)
        }
        (found, expected_rows) => found == expected_rows,
    })
}

/// Whether two numbers are equal by value, as the suites compare them: `1.0E0` equals `1` if both
/// are doubles.
fn same_number(found: &Literal, expected_rows: &Literal) -> bool {
    let is_number = [xsd::DOUBLE, xsd::FLOAT, xsd::DECIMAL, xsd::INTEGER].contains(&found.datatype());
    let value = |literal: &Literal| literal.value().parse::<f64>().ok().map(f64::to_bits);
    is_number
        && found.datatype() == expected_rows.datatype()
        && value(found).is_some_and(|found| Some(found) == value(expected_rows))
}
