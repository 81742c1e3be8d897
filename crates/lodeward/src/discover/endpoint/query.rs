//! Questions in SPARQL, and their addresses.
//!
//! What the standard has and all servers know: no subqueries where they can be
//! avoided, names instead of variables wherever they are known. Strings and IRIs
//! come from the data of strangers, and are written so that they stay what they
//! are.

use std::fmt::Write;

use url::Url;

use super::question::{
    Census, Counted, Graphs, Key, List, Nodes, Page, Part, Place, Predicates, Question, Reach, Source, Span,
};
use crate::model::{Uri, UriError};

/// The address of a question; `rows` bounds lists.
pub(super) fn address(endpoint: &Uri, question: &Question, rows: u32) -> Result<Uri, UriError> {
    let Some(text) = text(question, rows) else { return Ok(endpoint.clone()) };
    let mut url = endpoint.to_url();
    url.query_pairs_mut().append_pair("query", &text);
    Uri::of_question(url)
}

/// An endpoint's address without the query that somebody put there.
pub(super) fn without_query(address: &Uri) -> Uri {
    let url = address.to_url();
    if !has_query(&url) {
        return address.clone();
    }
    // What was to be done with the answer went with the query; which data was
    // meant is part of the service.
    let kept = url.query_pairs().filter(|(name, _)| matches!(&**name, "default-graph-uri" | "named-graph-uri"));
    let mut bare = url.clone();
    bare.set_query(None);
    let kept: Vec<_> = kept.collect();
    if !kept.is_empty() {
        bare.query_pairs_mut().extend_pairs(kept);
    }
    Uri::from_url(bare).unwrap_or_else(|_| address.clone())
}

/// Our own query taken from the address that a service redirected us to, if it
/// is still there.
pub(super) fn base_of(address: &Uri, query: &str) -> Option<Uri> {
    let url = address.to_url();
    let pairs: Vec<_> = url.query_pairs().collect();
    let place = pairs.iter().position(|(name, value)| name == "query" && value == query)?;
    let mut base = url.clone();
    base.set_query(None);
    let others: Vec<_> = pairs.iter().enumerate().filter(|(index, _)| *index != place).map(|(_, pair)| pair).collect();
    if !others.is_empty() {
        base.query_pairs_mut().extend_pairs(others);
    }
    Uri::from_url(base).ok()
}

fn has_query(url: &Url) -> bool {
    url.query_pairs().any(|(name, _)| name == "query")
}

/// A question in SPARQL; `None` for one that is none.
pub(super) fn text(question: &Question, rows: u32) -> Option<String> {
    Some(match question {
        Question::Describe { .. } => return None,
        Question::Probe => "SELECT ?s { ?s ?p ?o } LIMIT 1".to_owned(),
        Question::Graphs(list) => graphs(list, rows),
        Question::Differs(reach) => compare("GRAPH ?g { ?s ?p ?o }", "?s ?p ?o", *reach),
        Question::Exceeds(reach) => compare("?s ?p ?o", "GRAPH ?g { ?s ?p ?o }", *reach),
        Question::Total => "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }".to_owned(),
        Question::Census(asked) => census(asked, rows),
        Question::Page(asked) => page(asked),
    })
}

/// Whether there is something here that is not there.
fn compare(here: &str, there: &str, reach: Reach) -> String {
    match reach {
        Reach::All => format!("ASK {{ {here} FILTER NOT EXISTS {{ {there} }} }}"),
        Reach::Some => {
            format!("ASK {{ {{ SELECT ?s ?p ?o {{ {here} }} LIMIT 1000 }} FILTER NOT EXISTS {{ {there} }} }}")
        }
    }
}

fn graphs(list: &List<Graphs>, rows: u32) -> String {
    let (filter, order) = span("g", &list.span);
    let limit = list.span.limit(rows);
    let pattern = format!("{{ GRAPH ?g {{ ?s ?p ?o }}{filter} }}");
    match list.form {
        Graphs::Counted => format!("SELECT ?g (COUNT(*) AS ?n) {pattern} GROUP BY ?g{order} LIMIT {limit}"),
        Graphs::Plain => format!("SELECT DISTINCT ?g {pattern}{order} LIMIT {limit}"),
    }
}

fn census(census: &Census, rows: u32) -> String {
    let (filter, order) = span("p", &census.list.span);
    let limit = census.list.span.limit(rows);
    let pattern = format!("{{ {}{filter} }}", statements(&census.source, "?s ?p ?o"));
    match census.list.form {
        Predicates::Split => format!(
            "SELECT ?p (COUNT(*) AS ?n) (SUM(IF(isBlank(?s) || isBlank(?o), 1, 0)) AS ?b) {pattern} \
             GROUP BY ?p{order} LIMIT {limit}"
        ),
        Predicates::Counted => format!("SELECT ?p (COUNT(*) AS ?n) {pattern} GROUP BY ?p{order} LIMIT {limit}"),
        Predicates::Plain => format!("SELECT DISTINCT ?p {pattern}{order} LIMIT {limit}"),
    }
}

/// A filter for a part of a list, and its order or number.
fn span(variable: &str, span: &Span) -> (String, String) {
    match span {
        Span::AtOnce => (String::new(), String::new()),
        Span::Sorted { after, .. } => {
            let filter = after.as_ref().map(|key| format!(" FILTER({})", is_after(variable, key)));
            (filter.unwrap_or_default(), format!(" ORDER BY STR(?{variable})"))
        }
        Span::Numbered { offset, .. } => (String::new(), format!(" OFFSET {offset}")),
    }
}

fn page(page: &Page) -> String {
    let Page { part, place, limit, .. } = page;
    let subject = place.subject().map_or_else(|| "?s".to_owned(), iri);
    let predicate = part.predicate().map_or_else(|| "?p".to_owned(), iri);
    let mut variables = String::new();
    let is_among_graphs = matches!(&part.source, Source::Graphs(graphs) if graphs.len() > 1);
    for (name, is_open) in [("?s", subject == "?s"), ("?p", predicate == "?p"), ("?o", true), ("?g", is_among_graphs)] {
        if is_open {
            variables.push(' ');
            variables.push_str(name);
        }
    }
    let distinct = if part.source.may_repeat() { " DISTINCT" } else { "" };
    let predicates = if part.predicates.len() > 1 { values("?p", &part.predicates) } else { String::new() };
    let pattern = statements(&part.source, &format!("{subject} {predicate} ?o"));
    let filter = filter(part, place);
    let end = end(place, &variables);
    format!("SELECT{distinct}{variables} {{ {predicates}{pattern}{filter} }}{end} LIMIT {limit}{}", offset(place))
}

fn statements(source: &Source, triple: &str) -> String {
    match source {
        Source::Graphs(graphs) if graphs.len() == 1 => format!("GRAPH {} {{ {triple} }}", iri(&graphs[0].name)),
        Source::Graphs(graphs) => format!("{}GRAPH ?g {{ {triple} }}", values("?g", graphs)),
        Source::Nameless => format!("GRAPH ?g {{ {triple} }} FILTER(isBlank(?g))"),
        Source::Default | Source::Merged => triple.to_owned(),
        Source::Remainder => format!("{triple} FILTER NOT EXISTS {{ GRAPH ?g {{ {triple} }} }}"),
    }
}

fn values(variable: &str, names: &[Counted]) -> String {
    let mut text = format!("VALUES {variable} {{ ");
    for name in names {
        text.push_str(&iri(&name.name));
        text.push(' ');
    }
    text.push_str("} ");
    text
}

fn filter(part: &Part, place: &Place) -> String {
    let has_subject = place.subject().is_some();
    let mut conditions = Vec::new();
    match part.nodes {
        Nodes::Any => {}
        Nodes::Named if has_subject => conditions.push("!isBlank(?o)".to_owned()),
        Nodes::Named => conditions.push("!isBlank(?s) && !isBlank(?o)".to_owned()),
        Nodes::Blank => conditions.push("(isBlank(?s) || isBlank(?o))".to_owned()),
    }
    match place {
        Place::Anywhere => {}
        Place::Subjects(after) | Place::Offset { after, .. } => {
            conditions.extend(after.as_ref().map(|key| is_after("s", key)));
        }
        Place::Objects { subject, after } => {
            conditions.extend((!has_subject).then(|| is_at("s", subject)));
            conditions.extend(after.as_ref().map(|key| is_after("o", key)));
        }
        Place::Alike { subject, object, .. } => {
            conditions.extend((!has_subject).then(|| is_at("s", subject)));
            conditions.extend(object.as_ref().map(|key| is_at("o", key)));
        }
    }
    if conditions.is_empty() { String::new() } else { format!(" FILTER({})", conditions.join(" && ")) }
}

/// The order of a page. What is numbered among few is ordered by all there is,
/// what is numbered among many not at all: servers refuse to sort that.
fn end(place: &Place, variables: &str) -> String {
    match place {
        Place::Anywhere | Place::Offset { .. } | Place::Alike { object: None, .. } => String::new(),
        Place::Subjects(_) => " ORDER BY STR(?s)".to_owned(),
        Place::Objects { .. } => " ORDER BY STR(?o)".to_owned(),
        Place::Alike { .. } => {
            let mut order = " ORDER BY STR(?o) isIRI(?o) LANG(?o) STR(DATATYPE(?o))".to_owned();
            for variable in ["?s", "?p"] {
                if variables.contains(variable) {
                    write!(order, " STR({variable})").expect("a string can be written to");
                }
            }
            order
        }
    }
}

fn offset(place: &Place) -> String {
    match place {
        Place::Alike { offset, .. } | Place::Offset { offset, .. } => format!(" OFFSET {offset}"),
        Place::Anywhere | Place::Subjects(_) | Place::Objects { .. } => String::new(),
    }
}

fn is_after(variable: &str, key: &Key) -> String {
    let text = string(&key.text);
    let after = format!("STR(?{variable}) > {text}");
    if key.is_cut { format!("{after} && !STRSTARTS(STR(?{variable}), {text})") } else { after }
}

fn is_at(variable: &str, key: &Key) -> String {
    let text = string(&key.text);
    if key.is_cut { format!("STRSTARTS(STR(?{variable}), {text})") } else { format!("STR(?{variable}) = {text}") }
}

/// An IRI that is known to be one, and so has nothing that could end it.
fn iri(iri: &str) -> String {
    debug_assert!(super::question::is_askable(iri), "`{iri}` cannot be named in a query");
    format!("<{iri}>")
}

/// A string literal.
fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            other => literal.push(other),
        }
    }
    literal.push('"');
    literal
}
