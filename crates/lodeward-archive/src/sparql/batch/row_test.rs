//! Filters: tests of rows.
//!
//! A test gives true, false or an error, as in SPARQL; a row with an error does not pass.

use std::borrow::Cow;
use std::cmp::Ordering;

use oxrdf::vocab::xsd;
use oxrdf::{Term, TermRef};

use super::nodes::MatchTest;
use super::rows::RowBatch;
use super::{BatchContext, BatchResult};
use crate::sparql::functions::RegexCache;
use crate::term;
use crate::term_batch::TermBatch;

/// A test of a row.
pub(super) enum RowTest {
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Not(Box<Self>),
    /// The variable has a value.
    Bound(usize),
    /// The variable is this IRI; `None` is an IRI that no quad contains.
    IsIri(usize, Option<u64>),
    Kind(usize, RowTermKind),
    Exists(MatchTest),
    Text(TextComparison, TextValue, TextValue),
    Regex {
        text: TextValue,
        pattern: Term,
        flags: Option<Term>,
        cache: RegexCache,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowTermKind {
    Iri,
    Blank,
    Literal,
}

/// A comparison of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextComparison {
    Contains,
    StartsWith,
    EndsWith,
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A text of a row.
pub(super) enum TextValue {
    Constant(String, Option<String>),
    /// The text of a string literal, with its language.
    Variable(usize),
    /// `STR`: the IRI, or the text of the literal.
    Str(usize),
    /// `LANG`.
    Language(usize),
    LowerCase(Box<Self>),
}

impl TextValue {
    /// Whether the value is always a string without a language.
    pub(super) fn is_simple(&self) -> bool {
        match self {
            Self::Constant(_, language) => language.is_none(),
            Self::Str(_) | Self::Language(_) => true,
            Self::Variable(_) => false,
            Self::LowerCase(inner) => inner.is_simple(),
        }
    }

    fn cell(&self) -> Option<usize> {
        match self {
            Self::Constant(..) => None,
            Self::Variable(cell) | Self::Str(cell) | Self::Language(cell) => Some(*cell),
            Self::LowerCase(inner) => inner.cell(),
        }
    }

    /// The text and its language; `None` is an error.
    fn evaluate<'a>(
        &'a self,
        row: &[u64],
        terms: &'a TermBatch,
        context: &BatchContext,
    ) -> BatchResult<Option<(Cow<'a, str>, Option<&'a str>)>> {
        let term = |cell: usize| terms.get(row[cell]).and_then(term::decode_ref);
        Ok(match self {
            Self::Constant(text, language) => Some((text.as_str().into(), language.as_deref())),
            Self::Variable(cell) => match term(*cell) {
                Some(TermRef::Literal(literal))
                    if literal.language().is_some() || literal.datatype() == xsd::STRING =>
                {
                    Some((literal.value().into(), literal.language()))
                }
                _ => None,
            },
            Self::Str(cell) => match term(*cell) {
                Some(TermRef::Literal(literal)) => Some((literal.value().into(), None)),
                Some(TermRef::NamedNode(node)) => Some((node.as_str().into(), None)),
                _ => None,
            },
            Self::Language(cell) => match term(*cell) {
                Some(TermRef::Literal(literal)) => Some((literal.language().unwrap_or_default().into(), None)),
                _ => None,
            },
            Self::LowerCase(inner) => match inner.evaluate(row, terms, context)? {
                Some((text, language)) => {
                    context.control.charge_text(text.len())?;
                    Some((text.to_lowercase().into(), language))
                }
                None => None,
            },
        })
    }
}

impl TextComparison {
    fn evaluate(self, (one, language): (&str, Option<&str>), (other, wanted): (&str, Option<&str>)) -> Option<bool> {
        // The arguments of a string function are compatible if the second has no language, or that of
        // the first.
        if wanted.is_some() && wanted != language {
            return None;
        }
        let order = one.cmp(other);
        Some(match self {
            Self::Contains => one.contains(other),
            Self::StartsWith => one.starts_with(other),
            Self::EndsWith => one.ends_with(other),
            Self::Equal => order == Ordering::Equal,
            Self::Less => order == Ordering::Less,
            Self::LessOrEqual => order != Ordering::Greater,
            Self::Greater => order == Ordering::Greater,
            Self::GreaterOrEqual => order != Ordering::Less,
        })
    }
}

type Outcomes = Vec<Option<bool>>;

impl RowTest {
    /// Keeps the rows that pass.
    pub(super) fn filter(&self, rows: &mut RowBatch, context: &BatchContext) -> BatchResult<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let passed = self.evaluate(rows, context)?;
        rows.retain(|at| passed[at] == Some(true));
        Ok(())
    }

    fn evaluate(&self, rows: &RowBatch, context: &BatchContext) -> BatchResult<Outcomes> {
        Ok(match self {
            Self::And(one, other) => {
                combine(one.evaluate(rows, context)?, other.evaluate(rows, context)?, |pair| match pair {
                    (Some(true), Some(true)) => Some(true),
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    _ => None,
                })
            }
            Self::Or(one, other) => {
                combine(one.evaluate(rows, context)?, other.evaluate(rows, context)?, |pair| match pair {
                    (Some(false), Some(false)) => Some(false),
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    _ => None,
                })
            }
            Self::Not(inner) => inner.evaluate(rows, context)?.into_iter().map(|passed| Some(!passed?)).collect(),
            Self::Bound(cell) => rows.rows().map(|row| Some(row[*cell] != 0)).collect(),
            Self::IsIri(cell, iri) => {
                rows.rows().map(|row| (row[*cell] != 0).then(|| Some(row[*cell]) == *iri)).collect()
            }
            Self::Kind(cell, kind) => {
                let terms = TermBatch::read(&context.snapshot, rows.values(&[*cell]))?;
                let is = |id: u64| Some(kind_of(term::decode_ref(terms.get(id)?)?) == *kind);
                rows.rows().map(|row| is(row[*cell])).collect()
            }
            Self::Exists(test) => test.find(rows, context)?.into_iter().map(Some).collect(),
            Self::Text(test, one, other) => evaluate_texts(rows, context, [one, other], |row, terms| {
                let (one, other) = (one.evaluate(row, terms, context)?, other.evaluate(row, terms, context)?);
                Ok(one.zip(other).and_then(|(one, other)| test.evaluate((&one.0, one.1), (&other.0, other.1))))
            })?,
            Self::Regex { text, pattern, flags, cache } => {
                let Some(regex) = cache.get(pattern, flags.as_ref(), &context.control)? else {
                    return Ok(vec![None; rows.len()]);
                };
                evaluate_texts(rows, context, [text, text], |row, terms| {
                    let Some((text, _)) = text.evaluate(row, terms, context)? else { return Ok(None) };
                    Ok(Some(regex.is_match(&text, &context.control)?))
                })?
            }
        })
    }
}

/// Evaluates a test for each row, with the terms of two values.
fn evaluate_texts(
    rows: &RowBatch,
    context: &BatchContext,
    values: [&TextValue; 2],
    mut evaluate: impl FnMut(&[u64], &TermBatch) -> BatchResult<Option<bool>>,
) -> BatchResult<Outcomes> {
    let cells: Vec<usize> = values.iter().filter_map(|value| value.cell()).collect();
    let terms = TermBatch::read(&context.snapshot, rows.values(&cells))?;
    context.control.charge(terms.size())?;
    rows.rows()
        .map(|row| {
            context.control.check()?;
            evaluate(row, &terms)
        })
        .collect()
}

fn combine(
    one: Outcomes,
    other: Outcomes,
    combined: impl Fn((Option<bool>, Option<bool>)) -> Option<bool>,
) -> Outcomes {
    one.into_iter().zip(other).map(combined).collect()
}

fn kind_of(term: TermRef<'_>) -> RowTermKind {
    match term {
        TermRef::NamedNode(_) => RowTermKind::Iri,
        TermRef::BlankNode(_) => RowTermKind::Blank,
        TermRef::Literal(_) => RowTermKind::Literal,
    }
}
