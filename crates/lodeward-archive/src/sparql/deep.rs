//! Queries that are deep.
//!
//! sparopt and spareval go as deep on the stack as the algebra is deep, and two
//! hundred triple patterns in a row are two hundred levels: enough to overflow
//! the 2 MB that threads usually have, which ends the process. So the depth is
//! measured first, without recursion; a deep query is answered on a thread of
//! its own with a stack to match, and one that is too deep for that is refused.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression, PropertyPathExpression};

use super::control::{Control, Reason};
use super::error::{QueryError, Stopped, SyntaxError};

/// What any thread has the stack for.
const DEPTH_SHALLOW: usize = if cfg!(debug_assertions) { 30 } else { 100 };
/// What we make a stack for. sparopt's time grows with the third power of the
/// depth, and nothing can stop it while it plans, so not more.
const DEPTH_MAX: usize = 500;
/// How long a sequence inside a path may be. (Outside of `*`, `+` and the like,
/// a sequence is no path but a join.) sparopt's time doubles with every step.
const SEQUENCE_MAX: usize = 16;
/// What a level takes: 10 KB have been seen in debug builds, 2 KB in others.
const LEVEL_BYTES: usize = if cfg!(debug_assertions) { 40 << 10 } else { 10 << 10 };

/// How deep a pattern is, if that is more than any stack will do for.
pub(super) fn depth_of(pattern: &GraphPattern) -> Result<Option<usize>, SyntaxError> {
    let Measure { depth, sequence } = measure(pattern);
    if sequence > SEQUENCE_MAX {
        return Err(SyntaxError {
            line: None,
            column: None,
            message: format!("a repeated path has a sequence of {sequence} steps, and {SEQUENCE_MAX} are the most"),
            hint: Some("name the nodes in between".to_owned()),
        });
    }
    if depth > DEPTH_MAX {
        return Err(SyntaxError {
            line: None,
            column: None,
            message: format!("it is {depth} levels deep, and {DEPTH_MAX} are the most"),
            hint: Some("use IN or VALUES in the place of many alternatives".to_owned()),
        });
    }
    Ok((depth > DEPTH_SHALLOW).then_some(depth))
}

/// From so many bytes or brackets on, a text may be deeper than any thread parses it.
const TEXT_SHALLOW: usize = if cfg!(debug_assertions) { 2 << 10 } else { 8 << 10 };
const NESTING_SHALLOW: usize = if cfg!(debug_assertions) { 8 } else { 24 };
/// A text that is deeper is refused, but has to be parsed and dropped before.
const TEXT_DEPTH_MAX: usize = 20_000;
/// The parser goes through some thirty rules for a pair of brackets.
const LEVELS_PER_BRACKET: usize = 30;

/// Parses a text on a stack that does for it. A level takes at least four
/// characters, and less of the stack than it does in the evaluator.
pub(super) fn parsed<T: Send>(text: &str, nesting: usize, parse: impl FnOnce() -> T + Send) -> Result<T, io::Error> {
    if text.len() < TEXT_SHALLOW && nesting < NESTING_SHALLOW {
        return Ok(parse());
    }
    scoped(text.len().min(TEXT_DEPTH_MAX) + nesting * LEVELS_PER_BRACKET, parse)
}

/// A thread with a stack for this depth.
fn builder(depth: usize) -> std::thread::Builder {
    std::thread::Builder::new().name("archive-deep-query".to_owned()).stack_size((4 << 20) + depth * LEVEL_BYTES)
}

/// Does something on a deep stack, and waits for it.
pub(super) fn scoped<T: Send>(depth: usize, work: impl FnOnce() -> T + Send) -> Result<T, io::Error> {
    std::thread::scope(|scope| {
        let worker = builder(depth).spawn_scoped(scope, work)?;
        Ok(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Starts something on a deep stack.
pub(super) fn spawn(depth: usize, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, io::Error> {
    builder(depth).spawn(work)
}

/// Rows from another thread, which stops when nobody wants them any more.
pub(super) struct FromThread<T> {
    pub(super) rows: Receiver<Result<T, QueryError>>,
    pub(super) control: Arc<Control>,
    /// Until it has ended.
    pub(super) thread: Option<JoinHandle<()>>,
}

impl<T> Iterator for FromThread<T> {
    type Item = Result<T, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.recv().ok();
        // If it broke, there should have been more, and nobody must take this for all.
        if row.is_none()
            && let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
        {
            std::panic::resume_unwind(panic);
        }
        row
    }
}

impl<T> Drop for FromThread<T> {
    fn drop(&mut self) {
        self.control.stop(Reason::Stopped(Stopped::Cancelled));
    }
}

enum Node<'a> {
    Pattern(&'a GraphPattern),
    Expression(&'a Expression),
    /// A path, inside so many sequences.
    Path(&'a PropertyPathExpression, usize),
}

/// What may be too much.
struct Measure {
    depth: usize,
    sequence: usize,
}

fn measure(pattern: &GraphPattern) -> Measure {
    let (mut deepest, mut sequence) = (0, 0);
    let mut waiting = vec![(Node::Pattern(pattern), 1)];
    while let Some((node, depth)) = waiting.pop() {
        deepest = deepest.max(depth);
        let mut add = |node| waiting.push((node, depth + 1));
        match node {
            // Patterns that are joined become a chain.
            Node::Pattern(GraphPattern::Bgp { patterns }) => deepest = deepest.max(depth + patterns.len()),
            Node::Pattern(pattern) => pattern_parts(pattern, &mut add),
            Node::Expression(expression) => expression_parts(expression, &mut add),
            Node::Path(path, sequences) => {
                sequence = sequence.max(sequences);
                path_parts(path, sequences, &mut add);
            }
        }
    }
    Measure { depth: deepest, sequence }
}

fn pattern_parts<'a>(pattern: &'a GraphPattern, add: &mut impl FnMut(Node<'a>)) {
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Values { .. } => {}
        GraphPattern::Path { path, .. } => add(Node::Path(path, 0)),
        GraphPattern::Join { left, right }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => {
            for part in [left, right] {
                add(Node::Pattern(part));
            }
        }
        GraphPattern::LeftJoin { left, right, expression } => {
            for part in [left, right] {
                add(Node::Pattern(part));
            }
            if let Some(expression) = expression {
                add(Node::Expression(expression));
            }
        }
        GraphPattern::Filter { expr: expression, inner } | GraphPattern::Extend { inner, expression, .. } => {
            add(Node::Pattern(inner));
            add(Node::Expression(expression));
        }
        GraphPattern::OrderBy { inner, expression } => {
            add(Node::Pattern(inner));
            for OrderExpression::Asc(expression) | OrderExpression::Desc(expression) in expression {
                add(Node::Expression(expression));
            }
        }
        GraphPattern::Group { inner, aggregates, .. } => {
            add(Node::Pattern(inner));
            for (_, aggregate) in aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    add(Node::Expression(expr));
                }
            }
        }
        GraphPattern::Graph { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Service { inner, .. } => add(Node::Pattern(inner)),
    }
}

fn path_parts<'a>(path: &'a PropertyPathExpression, sequences: usize, add: &mut impl FnMut(Node<'a>)) {
    match path {
        PropertyPathExpression::NamedNode(_) | PropertyPathExpression::NegatedPropertySet(_) => {}
        PropertyPathExpression::Reverse(inner)
        | PropertyPathExpression::ZeroOrMore(inner)
        | PropertyPathExpression::OneOrMore(inner)
        | PropertyPathExpression::ZeroOrOne(inner) => add(Node::Path(inner, sequences)),
        PropertyPathExpression::Sequence(left, right) => {
            for part in [left, right] {
                add(Node::Path(part, sequences + 1));
            }
        }
        PropertyPathExpression::Alternative(left, right) => {
            for part in [left, right] {
                add(Node::Path(part, sequences));
            }
        }
    }
}

fn expression_parts<'a>(expression: &'a Expression, add: &mut impl FnMut(Node<'a>)) {
    match expression {
        Expression::NamedNode(_) | Expression::Literal(_) | Expression::Variable(_) | Expression::Bound(_) => {}
        Expression::Or(left, right)
        | Expression::And(left, right)
        | Expression::Equal(left, right)
        | Expression::SameTerm(left, right)
        | Expression::Greater(left, right)
        | Expression::GreaterOrEqual(left, right)
        | Expression::Less(left, right)
        | Expression::LessOrEqual(left, right)
        | Expression::Add(left, right)
        | Expression::Subtract(left, right)
        | Expression::Multiply(left, right)
        | Expression::Divide(left, right) => {
            for part in [left, right] {
                add(Node::Expression(part));
            }
        }
        Expression::UnaryPlus(inner) | Expression::UnaryMinus(inner) | Expression::Not(inner) => {
            add(Node::Expression(inner));
        }
        Expression::If(condition, then, otherwise) => {
            for part in [condition, then, otherwise] {
                add(Node::Expression(part));
            }
        }
        Expression::In(needle, list) => {
            add(Node::Expression(needle));
            for part in list {
                add(Node::Expression(part));
            }
        }
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => {
            for part in list {
                add(Node::Expression(part));
            }
        }
        Expression::Exists(pattern) => add(Node::Pattern(pattern)),
    }
}
