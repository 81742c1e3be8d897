//! The graphs of an endpoint, and what is asked about each.

use oxrdf::Term;

use super::key::is_askable;
use super::lists::{self, next_span, packs};
use super::question::{Counted, Expected, Graphs, List, Question, Reach, Source, Span, rows_of};
use super::results::{self, Row};
use super::{Step, census, description, failure, system_graphs};
use crate::discover::{Answer, Findings};
use crate::model::{Fault, FaultKind};

/// Reads a list of graphs.
pub(super) fn read(step: &Step, list: &List<Graphs>, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
    let listed = match lists::read(step, &list.span, answer, findings) {
        Ok(listed) => listed,
        Err(syntax) => {
            step.go_on(failure::instead(step, failure::Refused::Broken), findings);
            return syntax;
        }
    };
    let (next, counts) = next_span(step, &list.span, &listed, |row| row.graph.as_ref());
    if counts {
        let (graphs, has_nameless) = graphs_of(&listed.rows, findings);
        if step.harvests {
            step.go_on(pages_of(step, graphs, has_nameless), findings);
        } else {
            description::graphs(step, &graphs, findings);
        }
    }
    let after = match next {
        Some(span) => vec![Question::Graphs(List { form: list.form, span })],
        None => after(step, !listed.rows.is_empty() || list.span != Span::AtOnce),
    };
    step.go_on(after, findings);
    listed.syntax
}

/// What comes after the last graph.
pub(super) fn after(step: &Step, has_graphs: bool) -> Vec<Question> {
    match (step.harvests, has_graphs) {
        _ if !step.has_default => Vec::new(),
        (false, _) => vec![Question::Total],
        (true, true) => vec![Question::Differs(Reach::All)],
        (true, false) => vec![census::first(Source::Default)],
    }
}

/// The graphs in some rows, without those that every server of a make has; and
/// whether some are named by blank nodes.
fn graphs_of(rows: &[Row], findings: &mut dyn Findings) -> (Vec<Counted>, bool) {
    let mut graphs = Vec::with_capacity(rows.len());
    let mut has_nameless = false;
    for row in rows {
        match &row.graph {
            Some(Term::NamedNode(name)) if system_graphs::contain(name.as_str()) => {}
            Some(Term::NamedNode(name)) if is_askable(name.as_str()) => {
                let rows = results::number(row.count.as_ref()).unwrap_or(0);
                graphs.push(Counted { name: name.as_str().to_owned(), rows });
            }
            Some(Term::NamedNode(name)) => {
                let detail = format!("the graph `{}` is left out: its name is not an absolute IRI", name.as_str());
                findings.fault(Fault::new(FaultKind::Syntax, detail));
            }
            Some(Term::BlankNode(_)) => has_nameless = true,
            _ => {}
        }
    }
    (graphs, has_nameless)
}

/// Small graphs are read as they are, several at a time; the predicates of
/// others are counted first.
fn pages_of(step: &Step, graphs: Vec<Counted>, has_nameless: bool) -> Vec<Question> {
    let is_small = |graph: &Counted| (1..=u64::from(step.rows)).contains(&graph.rows);
    let (small, large): (Vec<_>, Vec<_>) = graphs.into_iter().partition(is_small);
    let packs = packs(small, u64::from(step.rows), usize::MAX);
    let small = packs.into_iter().map(|graphs| {
        let expected = Expected::Exactly(rows_of(&graphs));
        census::whole(step, Source::Graphs(graphs), expected)
    });
    let large = large.into_iter().map(|graph| census::first(Source::Graphs(vec![graph])));
    let nameless = has_nameless.then(|| census::first(Source::Nameless));
    small.chain(large).chain(nameless).collect()
}
