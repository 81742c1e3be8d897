//! Which candidates somebody wants, in one line of text.
//!
//! ```text
//! type = dbo:Building and (score >= 0.3 or marked = keep) and not pld = wikidata.org
//! ```
//!
//! [`Filter::parse`] reads it; what is wrong with it is told with a caret at the
//! place. Most conditions are about what a [`Row`] says. Those about properties
//! (`has`, `property`) need the statements about an entity, which are looked at
//! only for those whom the other conditions leave: [`Filter::judge`] says when
//! it depends on them, and [`Filter::note`] which of them a statement fulfils.

mod cursor;
mod error;
mod name;
mod parse;
#[cfg(test)]
mod tests;
mod value;

use std::cmp::Ordering;

use oxrdf::{NamedNodeRef, TermRef};
use regex::Regex;

pub use error::FilterError;
use name::Name;
use value::Wanted;

use super::listing::Row;
use super::marks::Opinion;
use crate::model::Uri;

/// Which candidates are wanted; all of them by default.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    root: Node,
    /// Conditions about properties, which [`Node::Property`] names by their places.
    properties: Vec<Property>,
}

/// Which of a filter's conditions about properties an entity fulfils; none by
/// default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence(Vec<bool>);

/// Something that is true of a candidate, or not.
#[derive(Clone, Debug)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Is(Condition),
    Property(usize),
}

impl Default for Node {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

/// Something that a row tells.
#[derive(Clone, Debug)]
enum Condition {
    Type(Name),
    Measure(Measure, Comparison, f64),
    Text(Field, Test),
    /// `None` for what has no mark.
    Marked(Option<Opinion>),
    Described,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Score,
    Hop,
    Rank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Entity,
    Label,
    Pld,
}

#[derive(Clone, Debug)]
enum Test {
    Equals(String),
    Matches(Regex),
}

/// How two numbers, or two texts, are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// That there is a statement with this property, and with such a value if one is
/// wanted.
#[derive(Clone, Debug)]
struct Property {
    name: Name,
    wanted: Option<Wanted>,
}

impl Filter {
    /// Reads a filter. One without any condition wants everything.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parse::filter(text)
    }

    /// What all of these want.
    #[must_use]
    pub fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        let mut properties = Vec::new();
        let mut nodes = Vec::new();
        for mut filter in filters {
            filter.root.shift(properties.len());
            nodes.push(filter.root);
            properties.append(&mut filter.properties);
        }
        Self { root: Node::All(nodes), properties }
    }

    /// Whether it has no condition.
    #[must_use]
    pub fn wants_all(&self) -> bool {
        self.root.is_empty()
    }

    /// Whether what it wants may depend on statements.
    #[must_use]
    pub fn needs_statements(&self) -> bool {
        !self.properties.is_empty()
    }

    /// Whether it asks how somebody is marked.
    #[must_use]
    pub fn speaks_of_marks(&self) -> bool {
        self.root.speaks_of_marks()
    }

    /// Whether somebody is wanted; `None` if that depends on the statements about
    /// them, and no evidence is given of those.
    #[must_use]
    pub fn judge(&self, row: &Row, mark: Option<Opinion>, evidence: Option<&Evidence>) -> Option<bool> {
        self.root.judge(&Known { row, mark, evidence })
    }

    /// Notes which of the conditions a statement fulfils about its subject.
    pub fn note(&self, property: NamedNodeRef<'_>, value: TermRef<'_>, found: &mut Evidence) {
        found.0.resize(self.properties.len(), false);
        for (wanted, is_found) in self.properties.iter().zip(&mut found.0) {
            *is_found |= wanted.is_in(property, value);
        }
    }
}

/// What is known of a candidate.
struct Known<'a> {
    row: &'a Row,
    mark: Option<Opinion>,
    evidence: Option<&'a Evidence>,
}

impl Node {
    fn judge(&self, known: &Known<'_>) -> Option<bool> {
        match self {
            Self::All(nodes) => decide(nodes, known, false),
            Self::Any(nodes) => decide(nodes, known, true),
            Self::Not(node) => node.judge(known).map(|is| !is),
            Self::Is(condition) => Some(condition.is_true(known)),
            Self::Property(place) => known.evidence.map(|found| found.0.get(*place).copied().unwrap_or(false)),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::All(nodes) if nodes.iter().all(Self::is_empty))
    }

    fn speaks_of_marks(&self) -> bool {
        match self {
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().any(Self::speaks_of_marks),
            Self::Not(node) => node.speaks_of_marks(),
            Self::Is(condition) => matches!(condition, Condition::Marked(_)),
            Self::Property(_) => false,
        }
    }

    /// Makes room for conditions about properties that come before its own.
    fn shift(&mut self, by: usize) {
        match self {
            Self::All(nodes) | Self::Any(nodes) => nodes.iter_mut().for_each(|node| node.shift(by)),
            Self::Not(node) => node.shift(by),
            Self::Is(_) => {}
            Self::Property(place) => *place += by,
        }
    }
}

/// Looks for a node that is decisive: a false one where all must be true, a true
/// one where any may be.
fn decide(nodes: &[Node], known: &Known<'_>, decisive: bool) -> Option<bool> {
    let mut is_certain = true;
    for node in nodes {
        match node.judge(known) {
            Some(is) if is == decisive => return Some(decisive),
            Some(_) => {}
            None => is_certain = false,
        }
    }
    is_certain.then_some(!decisive)
}

impl Condition {
    fn is_true(&self, known: &Known<'_>) -> bool {
        let row = known.row;
        match self {
            Self::Type(name) => row.types.iter().any(|class| name.is(class)),
            Self::Measure(measure, comparison, number) => comparison.holds(measure.of(row).total_cmp(number)),
            Self::Text(Field::Entity, test) => test.is_met_by(&row.entity),
            Self::Text(Field::Label, test) => row.label.as_ref().is_some_and(|label| test.is_met_by(label)),
            Self::Text(Field::Pld, test) => Uri::recorded(&row.entity).is_ok_and(|uri| test.is_met_by_domain(&uri)),
            Self::Marked(opinion) => known.mark == *opinion,
            Self::Described => row.described,
        }
    }
}

impl Measure {
    #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^53")]
    fn of(self, row: &Row) -> f64 {
        match self {
            Self::Score => row.score,
            Self::Hop => f64::from(row.hop),
            Self::Rank => row.rank as f64,
        }
    }
}

impl Test {
    fn is_met_by(&self, text: &str) -> bool {
        match self {
            Self::Equals(wanted) => text == wanted,
            Self::Matches(pattern) => pattern.is_match(text),
        }
    }

    /// A domain has all that is within it: `fr.dbpedia.org` can be told from
    /// `dbpedia.org`, and is a part of it.
    fn is_met_by_domain(&self, uri: &Uri) -> bool {
        match self {
            Self::Equals(wanted) => {
                let rest = uri.host().strip_suffix(wanted.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Self::Matches(pattern) => pattern.is_match(uri.pld().as_str()),
        }
    }
}

impl Comparison {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::More => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }
}

impl Property {
    fn is_in(&self, property: NamedNodeRef<'_>, value: TermRef<'_>) -> bool {
        self.name.is(property.as_str()) && self.wanted.as_ref().is_none_or(|wanted| wanted.is_met_by(value))
    }
}
