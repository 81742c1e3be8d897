//! Lists of graphs and of predicates, and which pages follow from them.

use oxrdf::Term;

use super::question::{
    Census, Counted, Expected, Graphs, Key, List, Nodes, Page, Part, Place, Predicates, Question, Reach, Source, Span,
    is_askable, rows_of, surely_whole_below,
};
use super::results::{self, Ending, Row, Taker};
use super::{Step, description, failure, system_graphs};
use crate::discover::{Answer, Findings};
use crate::model::{Fault, FaultKind};

/// Bytes of a request that names may take together. The rest is for the address
/// of the endpoint, and for keys.
const PACK_BYTES_MAX: usize = 4_000;

/// Predicates that are asked for together when nobody knows how much they have.
const UNCOUNTED_MAX: usize = 16;

/// Some of a list.
struct Listed {
    syntax: &'static str,
    rows: Vec<Row>,
    /// Whether the list ends here.
    is_last: bool,
}

/// Takes the rows of a list.
struct Listing<'f> {
    findings: &'f mut dyn Findings,
    rows: Vec<Row>,
    rows_max: usize,
}

impl Taker for Listing<'_> {
    fn begin(&mut self, syntax: &'static str) {
        self.findings.begin(syntax);
    }

    fn row(&mut self, row: Row) -> bool {
        self.rows.push(row);
        self.rows.len() < self.rows_max
    }
}

/// Reads a list; `Err` with its syntax, if it is none.
fn read(step: &Step, span: &Span, answer: Answer<'_>, findings: &mut dyn Findings) -> Result<Listed, &'static str> {
    let rows_max = usize::try_from(span.limit(step.rows)).unwrap_or(usize::MAX);
    let mut listing = Listing { findings: &mut *findings, rows: Vec::new(), rows_max };
    let results = results::read(answer.body, &mut listing);
    let rows = listing.rows;
    let is_short = (rows.len() as u64) < surely_whole_below(step.rows);
    let (is_last, fault) = match results.ending {
        Ending::Whole => (is_short && results.boolean.is_none(), None),
        Ending::Enough => (false, None),
        Ending::Cut(fault) | Ending::NotResults(fault) => (false, Some(fault)),
    };
    if let Some(fault) = fault {
        findings.fault(fault);
    }
    if rows.is_empty() && !is_last { Err(results.syntax) } else { Ok(Listed { syntax: results.syntax, rows, is_last }) }
}

/// What comes after a part of a list: a span, unless there is no more; and
/// whether the rows of this part count.
fn next_span(step: &Step, span: &Span, listed: &Listed, name: impl Fn(&Row) -> Option<&Term>) -> (Option<Span>, bool) {
    if listed.is_last {
        return (None, true);
    }
    let last = listed.rows.iter().rev().find_map(|row| match name(row) {
        Some(Term::NamedNode(name)) => Some(Key::of_iri(name.as_str())),
        _ => None,
    });
    match span {
        // It is longer than can be had at once, and has to be gone through.
        Span::AtOnce => (Some(Span::Sorted { after: None, limit: step.rows }), false),
        // A server that gives the same again would do so for ever.
        Span::Sorted { after, .. } if last.is_none() || last == *after => (None, true),
        Span::Sorted { limit, .. } => (Some(Span::Sorted { after: last, limit: *limit }), true),
        Span::Numbered { offset, limit } => {
            let offset = offset.saturating_add(listed.rows.len() as u64);
            (Some(Span::Numbered { offset, limit: *limit }), true)
        }
    }
}

/// Reads a list of graphs.
pub(super) fn read_graphs(
    step: &Step,
    list: &List<Graphs>,
    answer: Answer<'_>,
    findings: &mut dyn Findings,
) -> &'static str {
    let listed = match read(step, &list.span, answer, findings) {
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
            step.go_on(pages_of_graphs(step, graphs, has_nameless), findings);
        } else {
            description::graphs(step, &graphs, findings);
        }
    }
    let after = match next {
        Some(span) => vec![Question::Graphs(List { form: list.form, span })],
        None => after_graphs(step, !listed.rows.is_empty() || list.span != Span::AtOnce),
    };
    step.go_on(after, findings);
    listed.syntax
}

/// What comes after the last graph.
pub(super) fn after_graphs(step: &Step, has_graphs: bool) -> Vec<Question> {
    match (step.harvests, has_graphs) {
        _ if !step.has_default => Vec::new(),
        (false, _) => vec![Question::Total],
        (true, true) => vec![Question::Differs(Reach::All)],
        (true, false) => vec![census(Source::Default)],
    }
}

/// The first question about the statements of a source.
pub(super) fn census(source: Source) -> Question {
    Question::Census(Census { source, list: List { form: Predicates::Split, span: Span::AtOnce }, blanks: 0 })
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
fn pages_of_graphs(step: &Step, graphs: Vec<Counted>, has_nameless: bool) -> Vec<Question> {
    let is_small = |graph: &Counted| (1..=u64::from(step.rows)).contains(&graph.rows);
    let (small, large): (Vec<_>, Vec<_>) = graphs.into_iter().partition(is_small);
    let packs = packs(small, u64::from(step.rows), usize::MAX);
    let small = packs.into_iter().map(|graphs| {
        let expected = Expected::Exactly(rows_of(&graphs));
        whole(step, Source::Graphs(graphs), expected)
    });
    let large = large.into_iter().map(|graph| census(Source::Graphs(vec![graph])));
    let nameless = has_nameless.then(|| census(Source::Nameless));
    small.chain(large).chain(nameless).collect()
}

/// All statements of a source on one page.
fn whole(step: &Step, source: Source, expected: Expected) -> Question {
    let part = Part { source, predicates: Vec::new(), nodes: Nodes::Any };
    Question::Page(Page { part, place: Place::Anywhere, limit: step.rows, got: 0, expected, before: 0 })
}

/// Reads a list of predicates.
pub(super) fn read_census(
    step: &Step,
    census: &Census,
    answer: Answer<'_>,
    findings: &mut dyn Findings,
) -> &'static str {
    let listed = match read(step, &census.list.span, answer, findings) {
        Ok(listed) => listed,
        Err(syntax) => {
            step.go_on(failure::instead(step, failure::Refused::Broken), findings);
            return syntax;
        }
    };
    let (next, counts) = next_span(step, &census.list.span, &listed, |row| row.predicate.as_ref());
    let is_first = census.list.span == Span::AtOnce;
    let list = List { form: answered(&listed.rows, census.list.form), span: census.list.span.clone() };
    let mut census = Census { source: census.source.clone(), list, blanks: census.blanks };
    let mut questions = Vec::new();
    if counts {
        let predicates = predicates_of(&listed.rows, census.list.form, findings);
        let total = predicates.iter().map(|predicate| predicate.rows).fold(0, u64::saturating_add);
        census.blanks = predicates.iter().map(|predicate| predicate.blanks).fold(census.blanks, u64::saturating_add);
        let is_counted = census.list.form != Predicates::Plain;
        if is_first && next.is_none() && is_counted && (1..=u64::from(step.rows)).contains(&total) {
            let expected = if census.source.may_repeat() { Expected::AtMost(total) } else { Expected::Exactly(total) };
            step.go_on(vec![whole(step, census.source, expected)], findings);
            return listed.syntax;
        }
        questions.extend(pages_of_predicates(step, &census, predicates));
    }
    match next {
        Some(span) => {
            census.list.span = span;
            questions.push(Question::Census(census));
        }
        None if is_first && listed.rows.is_empty() => {}
        None => questions.extend(page_of_blanks(step, &census)),
    }
    step.go_on(questions, findings);
    listed.syntax
}

/// A predicate, and how many statements it has.
struct Weighed {
    name: String,
    rows: u64,
    /// Of these, how many have blank nodes.
    blanks: u64,
}

fn predicates_of(rows: &[Row], form: Predicates, findings: &mut dyn Findings) -> Vec<Weighed> {
    let mut predicates = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(Term::NamedNode(name)) = &row.predicate else { continue };
        let name = name.as_str();
        let rows = results::number(row.count.as_ref()).unwrap_or(0);
        if !is_askable(name) {
            let detail = format!("{rows} statements are left out: their predicate `{name}` is not an absolute IRI");
            findings.fault(Fault::new(FaultKind::Syntax, detail));
            continue;
        }
        let blanks = if form == Predicates::Split { results::number(row.blanks.as_ref()).unwrap_or(0) } else { 0 };
        predicates.push(Weighed { name: name.to_owned(), rows, blanks });
    }
    predicates
}

/// How a list was answered, which may be less than it was asked.
fn answered(rows: &[Row], asked: Predicates) -> Predicates {
    let has =
        |column: fn(&Row) -> &Option<Term>| rows.iter().all(|row| results::number(column(row).as_ref()).is_some());
    match asked {
        Predicates::Plain => Predicates::Plain,
        _ if !has(|row| &row.count) => Predicates::Plain,
        Predicates::Split if has(|row| &row.blanks) => Predicates::Split,
        Predicates::Split | Predicates::Counted => Predicates::Counted,
    }
}

/// The statements without blank nodes: a chain for each predicate that has many,
/// a page for several that have few.
fn pages_of_predicates(step: &Step, census: &Census, predicates: Vec<Weighed>) -> Vec<Question> {
    let named = predicates.into_iter().map(|predicate| {
        let rows = predicate.rows.saturating_sub(predicate.blanks);
        Counted { name: predicate.name, rows }
    });
    let page = |predicates: Vec<Counted>, place| {
        let rows = rows_of(&predicates);
        let expected = match census.list.form {
            Predicates::Plain => Expected::Unknown,
            Predicates::Split if !census.source.may_repeat() => Expected::Exactly(rows),
            Predicates::Split | Predicates::Counted => Expected::AtMost(rows),
        };
        let part = Part { source: census.source.clone(), predicates, nodes: Nodes::Named };
        Question::Page(Page { part, place, limit: step.rows, got: 0, expected, before: 0 })
    };
    if census.list.form == Predicates::Plain {
        let packs = packs(named.collect(), u64::MAX, UNCOUNTED_MAX);
        return packs.into_iter().map(|pack| page(pack, Place::Subjects(None))).collect();
    }
    let rows_max = u64::from(step.rows);
    let named = named.filter(|predicate| predicate.rows > 0);
    let (small, large): (Vec<_>, Vec<_>) = named.partition(|predicate| predicate.rows <= rows_max);
    let large = large.into_iter().map(|predicate| page(vec![predicate], Place::Subjects(None)));
    let small = packs(small, rows_max, usize::MAX).into_iter().map(|pack| page(pack, Place::Anywhere));
    large.chain(small).collect()
}

/// The statements with blank nodes: together, since blank nodes are the same
/// only within one answer.
fn page_of_blanks(step: &Step, census: &Census) -> Option<Question> {
    let blanks = census.blanks;
    let expected = match census.list.form {
        Predicates::Split if blanks == 0 => return None,
        Predicates::Split if census.source.may_repeat() => Expected::AtMost(blanks),
        Predicates::Split => Expected::Exactly(blanks),
        Predicates::Counted | Predicates::Plain => Expected::Unknown,
    };
    Some(blank_page(step, census.source.clone(), expected))
}

fn blank_page(step: &Step, source: Source, expected: Expected) -> Question {
    let part = Part { source, predicates: Vec::new(), nodes: Nodes::Blank };
    let place = Place::Offset { after: None, offset: 0 };
    Question::Page(Page { part, place, limit: step.rows, got: 0, expected, before: 0 })
}

/// All statements of a source in two chains, when nothing helps to divide them.
/// `rows` is how many there are, if that is known.
pub(super) fn two_chains(step: &Step, source: &Source, rows: Option<u64>, limit: u32) -> Vec<Question> {
    let part = Part { source: source.clone(), predicates: Vec::new(), nodes: Nodes::Named };
    let expected = rows.map_or(Expected::Unknown, Expected::AtMost);
    let named = Page { part, place: Place::Subjects(None), limit, got: 0, expected, before: 0 };
    vec![Question::Page(named), blank_page(step, source.clone(), Expected::Unknown)]
}

/// Names in groups that together have no more rows than this, and are short
/// enough to be asked for.
fn packs(names: Vec<Counted>, rows_max: u64, count_max: usize) -> Vec<Vec<Counted>> {
    let mut packs: Vec<Vec<Counted>> = Vec::new();
    let (mut rows, mut bytes) = (0_u64, 0);
    for name in names {
        let len = encoded_len(&name.name);
        let fits = |pack: &Vec<Counted>| {
            pack.len() < count_max && rows.saturating_add(name.rows) <= rows_max && bytes + len <= PACK_BYTES_MAX
        };
        match packs.last_mut().filter(|pack| fits(pack)) {
            Some(pack) => {
                rows += name.rows;
                bytes += len;
                pack.push(name);
            }
            None => {
                (rows, bytes) = (name.rows, len);
                packs.push(vec![name]);
            }
        }
    }
    packs
}

/// The length of a name in an address.
fn encoded_len(name: &str) -> usize {
    let brackets_and_space = 7;
    let byte = |byte: u8| if byte.is_ascii_alphanumeric() || b"-._*".contains(&byte) { 1 } else { 3 };
    name.bytes().map(byte).sum::<usize>() + brackets_and_space
}
