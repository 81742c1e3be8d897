//! `ORDER BY` of variables.
//!
//! The values of the first key are read for all rows, those of a further key only for the rows that a
//! `LIMIT` can still return.

use std::cmp::Ordering;

use oxrdf::TermRef;
use oxrdf::vocab::xsd;

use super::rows::RowBatch;
use super::triples::BATCH_ROWS;
use super::{BatchContext, BatchFailure, BatchResult};
use crate::term;
use crate::term_batch::TermBatch;

/// A key of the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderKey {
    pub(super) cell: usize,
    pub(super) is_descending: bool,
}

/// A value in the order of SPARQL. Texts and integers are not compared with each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum SortValue {
    #[default]
    Unbound,
    Blank(Box<str>),
    Iri(Box<str>),
    /// A text with its language. The datatype of texts with a language sorts before that of others.
    Text(Box<str>, bool, Box<str>),
    Integer(i64),
}

impl SortValue {
    fn new(term: TermRef<'_>) -> BatchResult<Self> {
        Ok(match term {
            TermRef::BlankNode(node) => Self::Blank(node.as_str().into()),
            TermRef::NamedNode(node) => Self::Iri(node.as_str().into()),
            TermRef::Literal(literal) => match literal.language() {
                Some(language) => Self::Text(literal.value().into(), false, language.into()),
                None if literal.datatype() == xsd::STRING => Self::Text(literal.value().into(), true, "".into()),
                None if literal.datatype() == xsd::INTEGER => {
                    Self::Integer(literal.value().parse().map_err(|_| BatchFailure::Unsupported)?)
                }
                None => return Err(BatchFailure::Unsupported),
            },
        })
    }
}

/// Sorts rows; only the first `limit` rows are returned.
pub(super) fn sort_rows(
    rows: &RowBatch,
    keys: &[OrderKey],
    limit: Option<usize>,
    context: &BatchContext,
) -> BatchResult<RowBatch> {
    let width = rows.row(0).len();
    let mut kept: Vec<usize> = (0..rows.len()).collect();
    let mut values: Vec<Vec<SortValue>> = Vec::new();
    for key in keys {
        values.push(read_values(rows, &kept, key.cell, context)?);
        let Some(limit) = limit.filter(|limit| *limit < kept.len()) else { continue };
        if limit == 0 {
            return Ok(RowBatch::new(width));
        }
        let compare = |one: &usize, other: &usize| compare_rows(&values, keys, *one, *other);
        let (_, &mut last, _) = kept.select_nth_unstable_by(limit - 1, compare);
        kept.retain(|row| compare(row, &last) != Ordering::Greater);
    }
    kept.sort_unstable_by(|one, other| compare_rows(&values, keys, *one, *other));
    context.control.check()?;
    let mut sorted = RowBatch::new(width);
    for at in kept.into_iter().take(limit.unwrap_or(usize::MAX)) {
        sorted.push(rows.row(at));
    }
    Ok(sorted)
}

fn compare_rows(values: &[Vec<SortValue>], keys: &[OrderKey], one: usize, other: usize) -> Ordering {
    for (values, key) in values.iter().zip(keys) {
        let order = values[one].cmp(&values[other]);
        if order != Ordering::Equal {
            return if key.is_descending { order.reverse() } else { order };
        }
    }
    Ordering::Equal
}

/// The values of a cell, by row; those of other rows than `kept` are unbound.
fn read_values(rows: &RowBatch, kept: &[usize], cell: usize, context: &BatchContext) -> BatchResult<Vec<SortValue>> {
    let mut values = vec![SortValue::Unbound; rows.len()];
    let (mut has_texts, mut has_integers) = (false, false);
    for part in kept.chunks(BATCH_ROWS) {
        let terms = TermBatch::read(&context.snapshot, part.iter().map(|at| rows.row(*at)[cell]).collect())?;
        context.control.charge(terms.size())?;
        for at in part {
            let Some(term) = terms.get(rows.row(*at)[cell]).and_then(term::decode_ref) else { continue };
            values[*at] = SortValue::new(term)?;
            has_texts |= matches!(values[*at], SortValue::Text(..));
            has_integers |= matches!(values[*at], SortValue::Integer(_));
        }
    }
    if has_texts && has_integers { Err(BatchFailure::Unsupported) } else { Ok(values) }
}
