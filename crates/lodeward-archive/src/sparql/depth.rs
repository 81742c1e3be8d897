//! Which queries need a thread of their own, and its stack.
//!
//! sparopt and spareval recurse as deep as the algebra, and two hundred joined triple patterns are
//! two hundred levels. Such a recursion overflows the usual thread stack of 2 MB and aborts the
//! process. So the depth is measured first, without recursion. A deep query runs on its own thread
//! with a larger stack, and a query that is too deep is rejected. A query that takes long to parse or
//! to optimise runs on its own thread, too, because neither can be interrupted
//! ([`query_thread`](super::query_thread)).

use spargebra::algebra::{GraphPattern, PropertyPathExpression};

use super::algebra::AlgebraNode;
use super::error::QuerySyntaxError;
use super::nesting::{self, MAX_NESTING};
use super::planning_cost;

/// The maximum depth that fits on the stack of any thread.
const MAX_SHALLOW_DEPTH: usize = if cfg!(debug_assertions) { 30 } else { 100 };
/// The maximum depth. sparopt's planning time grows with the third power of the depth and cannot be
/// interrupted.
const MAX_DEPTH: usize = 500;
/// The maximum length of a sequence inside a repeated path. (Outside of `*`, `+` and `?`, a
/// sequence is a join.) sparopt's time doubles with every step.
const MAX_SEQUENCE_LENGTH: usize = 16;
/// Stack bytes per level: 10 KB were measured in debug builds, 2 KB in release builds.
const STACK_BYTES_PER_LEVEL: usize = if cfg!(debug_assertions) { 40 << 10 } else { 10 << 10 };

/// The depth of a pattern, if it needs a thread of its own; an error if it is too deep.
pub(super) fn check_depth(pattern: &mut GraphPattern) -> Result<Option<usize>, QuerySyntaxError> {
    let DepthMeasure { depth, sequence } = measure_depth(pattern);
    if sequence > MAX_SEQUENCE_LENGTH {
        return Err(QuerySyntaxError {
            line: None,
            column: None,
            message: format!(
                "a repeated path has a sequence of {sequence} steps; the maximum is {MAX_SEQUENCE_LENGTH}"
            ),
            hint: Some("shorten the sequence inside `*`, `+` or `?`".to_owned()),
        });
    }
    if depth > MAX_DEPTH {
        return Err(QuerySyntaxError {
            line: None,
            column: None,
            message: format!("the query is nested {depth} levels deep; the maximum is {MAX_DEPTH}"),
            hint: Some("use IN or VALUES instead of many alternatives".to_owned()),
        });
    }
    planning_cost::check_copies(pattern)?;
    Ok((depth > MAX_SHALLOW_DEPTH || !planning_cost::is_short(pattern)).then_some(depth))
}

/// A text with this many bytes or more, with brackets nested this deep or deeper, or of which the
/// parser reads this much again, is parsed on a thread of its own.
const MAX_SHALLOW_TEXT_BYTES: usize = if cfg!(debug_assertions) { 2 << 10 } else { 8 << 10 };
const MAX_SHALLOW_NESTING: usize = if cfg!(debug_assertions) { 8 } else { 24 };
const MAX_SHALLOW_REPEATED_BYTES: u64 = if cfg!(debug_assertions) { 4 << 10 } else { 64 << 10 };
/// The maximum depth for which a stack is allocated to parse a text. It exceeds [`MAX_DEPTH`],
/// because a query that is too deep is rejected only after it is parsed.
const MAX_TEXT_DEPTH: usize = 20_000;
/// The parser recurses through about thirty rules for a pair of brackets.
const LEVELS_PER_BRACKET: usize = 30;

/// The stack of a thread for this depth.
pub(super) fn stack_bytes(depth: usize) -> usize {
    (4 << 20) + depth * STACK_BYTES_PER_LEVEL
}

/// The depth of the stack on which a text must be parsed, if it needs a thread: one level per byte
/// and thirty per nested bracket. This is more than needed: a level takes at least four characters,
/// and less stack than in the evaluator.
pub(super) fn parser_depth(text: &str) -> Option<usize> {
    let is_shallow = text.len() < MAX_SHALLOW_TEXT_BYTES
        && nesting::measure_nesting(text)
            .is_ok_and(|shape| shape.depth < MAX_SHALLOW_NESTING && shape.repeated_bytes < MAX_SHALLOW_REPEATED_BYTES);
    (!is_shallow).then(|| text.len().min(MAX_TEXT_DEPTH) + MAX_NESTING * LEVELS_PER_BRACKET)
}

/// A part of a query whose depth is measured.
enum DepthNode<'a> {
    Algebra(AlgebraNode<'a>),
    /// A path, with the number of sequences around it.
    Path(&'a PropertyPathExpression, usize),
}

/// The depth of a pattern, and the length of its longest sequence inside a repeated path.
struct DepthMeasure {
    depth: usize,
    sequence: usize,
}

fn measure_depth(pattern: &mut GraphPattern) -> DepthMeasure {
    let mut measure = DepthMeasure { depth: 0, sequence: 0 };
    let mut pending = vec![(DepthNode::Algebra(AlgebraNode::Pattern(pattern)), 1)];
    while let Some((node, depth)) = pending.pop() {
        measure.depth = measure.depth.max(depth);
        let mut add = |node| pending.push((node, depth + 1));
        match node {
            // Joined patterns become a chain, with one level per pattern.
            DepthNode::Algebra(AlgebraNode::Pattern(GraphPattern::Bgp { patterns })) => {
                measure.depth = measure.depth.max(depth + patterns.len());
            }
            DepthNode::Algebra(AlgebraNode::Pattern(GraphPattern::Path { path, .. })) => add(DepthNode::Path(path, 0)),
            DepthNode::Algebra(node) => node.children().into_iter().map(DepthNode::Algebra).for_each(add),
            DepthNode::Path(path, sequences) => {
                measure.sequence = measure.sequence.max(sequences);
                path_parts(path, sequences, &mut add);
            }
        }
    }
    measure
}

fn path_parts<'a>(path: &'a PropertyPathExpression, sequences: usize, add: &mut impl FnMut(DepthNode<'a>)) {
    match path {
        PropertyPathExpression::NamedNode(_) | PropertyPathExpression::NegatedPropertySet(_) => {}
        PropertyPathExpression::Reverse(inner)
        | PropertyPathExpression::ZeroOrMore(inner)
        | PropertyPathExpression::OneOrMore(inner)
        | PropertyPathExpression::ZeroOrOne(inner) => add(DepthNode::Path(inner, sequences)),
        PropertyPathExpression::Sequence(left, right) => {
            add(DepthNode::Path(left, sequences + 1));
            add(DepthNode::Path(right, sequences + 1));
        }
        PropertyPathExpression::Alternative(left, right) => {
            add(DepthNode::Path(left, sequences));
            add(DepthNode::Path(right, sequences));
        }
    }
}
