//! Writes questions in SPARQL, and builds their URLs.
//!
//! Only standard features that all servers support are used: no avoidable subqueries, and names instead of variables
//! where they are known. Strings and IRIs come from external data and are escaped.

use std::fmt::Write;

use url::Url;

use super::question::{
    CensusExtent, CountedName, EndpointQuestion, GraphsQuery, ListQuestion, ListSpan, NodeKinds, PagePosition,
    PredicateCensus, PredicatesQuery, StatementPage, StatementPart, StatementSource,
};
use super::row_key::RowKey;
use crate::model::{Uri, UriError};

/// The URL of a question; `rows` limits lists.
pub(super) fn question_uri(
    endpoint: &Uri,
    question: &EndpointQuestion,
    rows: u32,
    class: Option<&str>,
) -> Result<Uri, UriError> {
    let Some(text) = to_sparql(question, rows, class) else { return Ok(endpoint.clone()) };
    let mut url = endpoint.to_url();
    url.query_pairs_mut().append_pair("query", &text);
    Uri::from_query_url(url)
}

/// The URL of an endpoint without the query of a link.
pub(super) fn strip_query(uri: &Uri) -> Uri {
    let url = uri.to_url();
    if !has_query(&url) {
        return uri.clone();
    }
    // Parameters that select the data are preserved as part of the service. All others, such as the format of the
    // result, are dropped.
    let dataset = url.query_pairs().filter(|(name, _)| matches!(&**name, "default-graph-uri" | "named-graph-uri"));
    let mut bare = url.clone();
    bare.set_query(None);
    let dataset: Vec<_> = dataset.collect();
    if !dataset.is_empty() {
        bare.query_pairs_mut().extend_pairs(dataset);
    }
    Uri::from_url(bare).unwrap_or_else(|_| uri.clone())
}

/// The target of a redirect without the query that was sent; `None` if the target does not contain that query.
pub(super) fn strip_own_query(uri: &Uri, query: &str) -> Option<Uri> {
    let url = uri.to_url();
    let pairs: Vec<_> = url.query_pairs().collect();
    let position = pairs.iter().position(|(name, value)| name == "query" && value == query)?;
    let mut base = url.clone();
    base.set_query(None);
    let others: Vec<_> =
        pairs.iter().enumerate().filter(|(index, _)| *index != position).map(|(_, pair)| pair).collect();
    if !others.is_empty() {
        base.query_pairs_mut().extend_pairs(others);
    }
    Uri::from_url(base).ok()
}

fn has_query(url: &Url) -> bool {
    url.query_pairs().any(|(name, _)| name == "query")
}

/// A question in SPARQL; `None` if it needs no query. Statements are restricted to subjects of the `class`, if there is
/// one.
pub(super) fn to_sparql(question: &EndpointQuestion, rows: u32, class: Option<&str>) -> Option<String> {
    Some(match question {
        EndpointQuestion::Describe { .. } => return None,
        EndpointQuestion::Probe => "SELECT ?s { ?s ?p ?o } LIMIT 1".to_owned(),
        EndpointQuestion::Graphs(list) => graphs_query(list, rows, class),
        EndpointQuestion::Differs(reach) => compare_query("GRAPH ?g { ?s ?p ?o }", "?s ?p ?o", *reach),
        EndpointQuestion::Exceeds(reach) => compare_query("?s ?p ?o", "GRAPH ?g { ?s ?p ?o }", *reach),
        EndpointQuestion::Total => "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }".to_owned(),
        EndpointQuestion::Census(asked) => census_query(asked, rows, class),
        EndpointQuestion::Page(asked) => page_query(asked, class),
    })
}

/// Whether `here` has statements that `there` does not have.
fn compare_query(here: &str, there: &str, reach: CensusExtent) -> String {
    match reach {
        CensusExtent::All => format!("ASK {{ {here} FILTER NOT EXISTS {{ {there} }} }}"),
        CensusExtent::Sample => {
            format!("ASK {{ {{ SELECT ?s ?p ?o {{ {here} }} LIMIT 1000 }} FILTER NOT EXISTS {{ {there} }} }}")
        }
    }
}

fn graphs_query(list: &ListQuestion<GraphsQuery>, rows: u32, class: Option<&str>) -> String {
    let (filter, order) = span_clauses("g", &list.span);
    let limit = list.span.limit(rows);
    let pattern = format!("{{ GRAPH ?g {{ {} }}{filter} }}", typed_triple("?s", "?p", class));
    match list.form {
        GraphsQuery::Counted => format!("SELECT ?g (COUNT(*) AS ?n) {pattern} GROUP BY ?g{order} LIMIT {limit}"),
        GraphsQuery::Plain => format!("SELECT DISTINCT ?g {pattern}{order} LIMIT {limit}"),
    }
}

fn census_query(census: &PredicateCensus, rows: u32, class: Option<&str>) -> String {
    let (filter, order) = span_clauses("p", &census.list.span);
    let limit = census.list.span.limit(rows);
    let pattern = format!("{{ {}{filter} }}", graph_pattern(&census.source, &typed_triple("?s", "?p", class)));
    match census.list.form {
        PredicatesQuery::Split => format!(
            "SELECT ?p (COUNT(*) AS ?n) (SUM(IF(isBlank(?s) || isBlank(?o), 1, 0)) AS ?b) {pattern} \
             GROUP BY ?p{order} LIMIT {limit}"
        ),
        PredicatesQuery::Counted => format!("SELECT ?p (COUNT(*) AS ?n) {pattern} GROUP BY ?p{order} LIMIT {limit}"),
        PredicatesQuery::Plain => format!("SELECT DISTINCT ?p {pattern}{order} LIMIT {limit}"),
    }
}

/// The filter for a part of a list, and its order or offset.
fn span_clauses(variable: &str, span: &ListSpan) -> (String, String) {
    match span {
        ListSpan::Complete => (String::new(), String::new()),
        ListSpan::Sorted { after, .. } => {
            let filter = after.as_ref().map(|key| format!(" FILTER({})", after_condition(variable, key)));
            (filter.unwrap_or_default(), format!(" ORDER BY STR(?{variable})"))
        }
        ListSpan::Offset { offset, .. } => (String::new(), format!(" OFFSET {offset}")),
    }
}

fn page_query(page: &StatementPage, class: Option<&str>) -> String {
    let StatementPage { part, position, limit, .. } = page;
    let subject = position.subject().map_or_else(|| "?s".to_owned(), iri_ref);
    let predicate = part.predicate().map_or_else(|| "?p".to_owned(), iri_ref);
    let mut variables = String::new();
    let is_among_graphs = matches!(&part.source, StatementSource::Graphs(graphs) if graphs.len() > 1);
    for (name, is_open) in [("?s", subject == "?s"), ("?p", predicate == "?p"), ("?o", true), ("?g", is_among_graphs)] {
        if is_open {
            variables.push(' ');
            variables.push_str(name);
        }
    }
    let distinct = if part.source.may_repeat() { " DISTINCT" } else { "" };
    let predicates = if part.predicates.len() > 1 { values_clause("?p", &part.predicates) } else { String::new() };
    let pattern = graph_pattern(&part.source, &typed_triple(&subject, &predicate, class));
    let filter = filter_clause(part, position);
    let end = order_clause(position, &variables);
    format!(
        "SELECT{distinct}{variables} {{ {predicates}{pattern}{filter} }}{end} LIMIT {limit}{}",
        offset_clause(position)
    )
}

/// A triple pattern whose subject has a class.
fn typed_triple(subject: &str, predicate: &str, class: Option<&str>) -> String {
    match class {
        Some(class) => format!("{subject} a {} . {subject} {predicate} ?o", iri_ref(class)),
        None => format!("{subject} {predicate} ?o"),
    }
}

fn graph_pattern(source: &StatementSource, triple: &str) -> String {
    match source {
        StatementSource::Graphs(graphs) if graphs.len() == 1 => {
            format!("GRAPH {} {{ {triple} }}", iri_ref(&graphs[0].name))
        }
        StatementSource::Graphs(graphs) => format!("{}GRAPH ?g {{ {triple} }}", values_clause("?g", graphs)),
        StatementSource::Nameless => format!("GRAPH ?g {{ {triple} }} FILTER(isBlank(?g))"),
        StatementSource::Default | StatementSource::Merged => triple.to_owned(),
        StatementSource::Remainder => format!("{triple} FILTER NOT EXISTS {{ GRAPH ?g {{ {triple} }} }}"),
    }
}

fn values_clause(variable: &str, names: &[CountedName]) -> String {
    let mut text = format!("VALUES {variable} {{ ");
    for name in names {
        text.push_str(&iri_ref(&name.name));
        text.push(' ');
    }
    text.push_str("} ");
    text
}

fn filter_clause(part: &StatementPart, position: &PagePosition) -> String {
    let has_subject = position.subject().is_some();
    let mut conditions = Vec::new();
    match part.nodes {
        NodeKinds::Any => {}
        NodeKinds::Named if has_subject => conditions.push("!isBlank(?o)".to_owned()),
        NodeKinds::Named => conditions.push("!isBlank(?s) && !isBlank(?o)".to_owned()),
        NodeKinds::Blank => conditions.push("(isBlank(?s) || isBlank(?o))".to_owned()),
    }
    match position {
        PagePosition::Complete => {}
        PagePosition::Subjects(after) | PagePosition::Offset { after, .. } => {
            conditions.extend(after.as_ref().map(|key| after_condition("s", key)));
        }
        PagePosition::Objects { subject, after } => {
            conditions.extend((!has_subject).then(|| equals_condition("s", subject)));
            conditions.extend(after.as_ref().map(|key| after_condition("o", key)));
        }
        PagePosition::SameKey { subject, object, .. } => {
            conditions.extend((!has_subject).then(|| equals_condition("s", subject)));
            conditions.extend(object.as_ref().map(|key| equals_condition("o", key)));
        }
    }
    if conditions.is_empty() { String::new() } else { format!(" FILTER({})", conditions.join(" && ")) }
}

/// The order of a page. A small page with an offset is ordered by everything, a large one not at all, because servers
/// reject such sorting.
fn order_clause(position: &PagePosition, variables: &str) -> String {
    match position {
        PagePosition::Complete | PagePosition::Offset { .. } | PagePosition::SameKey { object: None, .. } => {
            String::new()
        }
        PagePosition::Subjects(_) => " ORDER BY STR(?s)".to_owned(),
        PagePosition::Objects { .. } => " ORDER BY STR(?o)".to_owned(),
        PagePosition::SameKey { .. } => {
            let mut order = " ORDER BY STR(?o) isIRI(?o) LANG(?o) STR(DATATYPE(?o))".to_owned();
            for variable in ["?s", "?p"] {
                if variables.contains(variable) {
                    write!(order, " STR({variable})").expect("writing to a string cannot fail");
                }
            }
            order
        }
    }
}

fn offset_clause(position: &PagePosition) -> String {
    match position {
        PagePosition::SameKey { offset, .. } | PagePosition::Offset { offset, .. } => format!(" OFFSET {offset}"),
        PagePosition::Complete | PagePosition::Subjects(_) | PagePosition::Objects { .. } => String::new(),
    }
}

fn after_condition(variable: &str, key: &RowKey) -> String {
    let text = string_literal(&key.text);
    let after = format!("STR(?{variable}) > {text}");
    if key.is_truncated { format!("{after} && !STRSTARTS(STR(?{variable}), {text})") } else { after }
}

fn equals_condition(variable: &str, key: &RowKey) -> String {
    let text = string_literal(&key.text);
    if key.is_truncated { format!("STRSTARTS(STR(?{variable}), {text})") } else { format!("STR(?{variable}) = {text}") }
}

/// A validated IRI, which cannot contain a delimiter.
fn iri_ref(iri: &str) -> String {
    debug_assert!(super::row_key::is_valid_iri(iri), "`{iri}` cannot be named in a query");
    format!("<{iri}>")
}

/// A string literal.
fn string_literal(text: &str) -> String {
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
