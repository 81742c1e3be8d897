//! Reads the list of graphs of an endpoint and queries each graph.

use oxrdf::Term;

use super::listing::{self, next_span, pack_names};
use super::question::{
    CensusExtent, CountedName, EndpointQuestion, ExpectedRows, GraphsQuery, ListQuestion, ListSpan, StatementSource,
    total_rows,
};
use super::results::{self, SolutionRow};
use super::row_key::is_valid_iri;
use super::{EndpointStep, description, fallback, predicates};
use crate::discover::{ServiceResponse, StepSink};
use crate::model::{Fault, FaultKind};

/// Names and contents of graphs that belong to the server software and contain no data. All belong to Virtuoso: other servers store such data elsewhere.
const SYSTEM_GRAPHS: [(&str, &str); 13] = [
    ("http://www.openlinksw.com/schemas/virtrdf#", "how tables are mapped to RDF"),
    ("http://localhost:8890/DAV/", "the files of its WebDAV server"),
    ("http://localhost:8890/sparql", "its own service description"),
    ("http://www.openlinksw.com/virtpivot/icons", "icons of a viewer"),
    ("urn:activitystreams-owl:map", "rules"),
    ("urn:core:services:sparql", "settings of the endpoint"),
    ("urn:rules.skos", "rules"),
    ("urn:virtuoso:val:acl:schema", "access rights"),
    ("virtrdf-label", "rules"),
    ("dbprdf-label", "rules"),
    ("facets", "rules"),
    ("b3sonto", "rules"),
    ("b3sifp", "rules"),
];

/// Reads a list of graphs.
pub(super) fn read(
    step: &EndpointStep,
    list: &ListQuestion<GraphsQuery>,
    response: ServiceResponse<'_>,
    findings: &mut dyn StepSink,
) -> &'static str {
    let listed = match listing::read(step, &list.span, response, findings) {
        Ok(listed) => listed,
        Err(syntax) => {
            step.add_questions(fallback::fallback_questions(step, fallback::QuestionRejection::ServerError), findings);
            return syntax;
        }
    };
    let (next, counts) = next_span(step, &list.span, &listed, |row| row.graph.as_ref());
    if counts {
        let (graphs, has_nameless) = read_graphs(&listed.rows, findings);
        if step.harvests {
            step.add_questions(graph_pages(step, graphs, has_nameless), findings);
        } else {
            description::describe_graphs(step, &graphs, findings);
        }
    }
    let after = match next {
        Some(span) => vec![EndpointQuestion::Graphs(ListQuestion { form: list.form, span })],
        None => remaining_questions(step, !listed.rows.is_empty() || list.span != ListSpan::Complete),
    };
    step.add_questions(after, findings);
    listed.syntax
}

/// The questions that follow the list of graphs.
pub(super) fn remaining_questions(step: &EndpointStep, has_graphs: bool) -> Vec<EndpointQuestion> {
    match (step.harvests, has_graphs) {
        _ if !step.has_default => Vec::new(),
        (false, _) => vec![EndpointQuestion::Total],
        (true, true) => vec![EndpointQuestion::Differs(CensusExtent::All)],
        (true, false) => vec![predicates::first_question(StatementSource::Default)],
    }
}

/// The graphs in some rows, without the system graphs of the server software, and whether some are named by blank
/// nodes.
fn read_graphs(rows: &[SolutionRow], findings: &mut dyn StepSink) -> (Vec<CountedName>, bool) {
    let mut graphs = Vec::with_capacity(rows.len());
    let mut has_nameless = false;
    for row in rows {
        match &row.graph {
            Some(Term::NamedNode(name)) if is_system_graph(name.as_str()) => {}
            Some(Term::NamedNode(name)) if is_valid_iri(name.as_str()) => {
                let rows = results::parse_count(row.count.as_ref()).unwrap_or(0);
                graphs.push(CountedName { name: name.as_str().to_owned(), rows });
            }
            Some(Term::NamedNode(name)) => {
                let detail = format!("graph `{}` skipped: its name is not an absolute IRI", name.as_str());
                findings.fault(Fault::new(FaultKind::Syntax, detail));
            }
            Some(Term::BlankNode(_)) => has_nameless = true,
            _ => {}
        }
    }
    (graphs, has_nameless)
}

/// Small graphs are read directly, several at a time; for large ones the predicates are counted first.
fn graph_pages(step: &EndpointStep, graphs: Vec<CountedName>, has_nameless: bool) -> Vec<EndpointQuestion> {
    let is_small = |graph: &CountedName| (1..=u64::from(step.rows)).contains(&graph.rows);
    let (small, large): (Vec<_>, Vec<_>) = graphs.into_iter().partition(is_small);
    let packs = pack_names(small, u64::from(step.rows), usize::MAX);
    let small = packs.into_iter().map(|graphs| {
        let expected = ExpectedRows::Exactly(total_rows(&graphs));
        predicates::single_page(step, StatementSource::Graphs(graphs), expected)
    });
    let large = large.into_iter().map(|graph| predicates::first_question(StatementSource::Graphs(vec![graph])));
    let nameless = has_nameless.then(|| predicates::first_question(StatementSource::Nameless));
    small.chain(large).chain(nameless).collect()
}

/// Whether `name` is a graph of the server software.
fn is_system_graph(name: &str) -> bool {
    SYSTEM_GRAPHS.iter().any(|(graph, _)| *graph == name)
}
