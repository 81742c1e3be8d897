//! What an endpoint is asked, and where in its data.
//!
//! A question is small and complete: together with the endpoint it makes one
//! request, and together with the answer it tells the next. So a harvest can
//! stop anywhere, and goes on from what waits in the frontier.

use oxiri::Iri;
use serde::{Deserialize, Serialize};

use crate::model::Uri;

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Question {
    /// What is at the endpoint's own address: a service description, a form. If
    /// another address led here, that may still be the one that takes queries.
    Describe { led_by: Option<Uri> },
    /// Whether it answers queries at all.
    Probe,
    /// Which named graphs it has.
    Graphs(List<Graphs>),
    /// Whether the named graphs have what the default graph has not: whether it
    /// is a graph of its own.
    Differs(Reach),
    /// Whether the default graph, which has all that the named graphs have, has
    /// more.
    Exceeds(Reach),
    /// How many statements the default graph has.
    Total,
    /// Which predicates some statements have, and how often.
    Census(Census),
    /// The statements themselves.
    Page(Page),
}

/// A list that is read from one end to the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct List<Form> {
    /// How the question is put.
    pub(super) form: Form,
    /// Which part of it comes now.
    pub(super) span: Span,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Span {
    /// All of it, in whatever order: enough for short lists, and cheap.
    AtOnce,
    /// In order, so much of what comes after this.
    Sorted { after: Option<Key>, limit: u32 },
    /// In whatever order, by number.
    Numbered { offset: u64, limit: u32 },
}

impl Span {
    /// Rows that are asked for, where pages have so many.
    pub(super) fn limit(&self, rows: u32) -> u64 {
        match self {
            // As many as would not be all of them.
            Self::AtOnce => surely_whole_below(rows),
            Self::Sorted { limit, .. } | Self::Numbered { limit, .. } => u64::from(*limit),
        }
    }
}

/// How to ask for graphs, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Graphs {
    /// With how many statements each has.
    Counted,
    /// Their names.
    Plain,
}

/// How many statements are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reach {
    /// All of them.
    All,
    /// A thousand. Where looking at all of them takes too long.
    Some,
}

/// A list of predicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Census {
    pub(super) source: Source,
    pub(super) list: List<Predicates>,
    /// Statements with blank nodes among those that were listed so far.
    pub(super) blanks: u64,
}

/// How to ask for predicates, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Predicates {
    /// With how many statements each has, and how many of these have blank nodes.
    Split,
    /// With how many statements each has.
    Counted,
    /// Their names.
    Plain,
}

/// Where statements are taken from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Source {
    /// These named graphs.
    Graphs(Vec<Counted>),
    /// The graphs that are named by blank nodes, all together.
    Nameless,
    /// The default graph.
    Default,
    /// What the default graph has and no named graph has.
    Remainder,
    /// The default graph, of which nothing is known: perhaps it is made of named
    /// ones, and repeats what several of them say.
    Merged,
}

/// A name, and how many rows it stands for; 0 where that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counted {
    pub(super) name: String,
    pub(super) rows: u64,
}

/// Which nodes the statements have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Nodes {
    /// Any.
    Any,
    /// No blank ones, so that they can be told apart in every answer.
    Named,
    /// At least one blank one.
    Blank,
}

/// Some of the statements of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) source: Source,
    /// Only those with one of these predicates; with any, if there are none.
    pub(super) predicates: Vec<Counted>,
    pub(super) nodes: Nodes,
}

/// A page of statements, and how far its chain has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Page {
    pub(super) part: Part,
    pub(super) place: Place,
    /// Rows that are asked for.
    pub(super) limit: u32,
    /// Rows that came before this page.
    pub(super) got: u64,
    /// Rows of the whole part.
    pub(super) expected: Expected,
    /// What the page before was, by its hash, where pages are numbered.
    pub(super) before: u64,
}

/// Where in its part a page is.
///
/// Pages are found again by what the one before ended with, not by their number:
/// a server need not sort everything for every page, and may refuse to. Only what
/// has no such end is numbered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Place {
    /// All of it, in whatever order.
    Anywhere,
    /// Subjects in order, those after this.
    Subjects(Option<Key>),
    /// Of one subject, which has more than a page, objects in order.
    Objects { subject: Key, after: Option<Key> },
    /// Of one subject, the objects that look alike (all of them, if `None`), by
    /// number.
    Alike { subject: Key, object: Option<Key>, offset: u64 },
    /// After this subject, in whatever order, by number.
    Offset { after: Option<Key>, offset: u64 },
}

/// How many rows there should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Expected {
    Unknown,
    /// So many, or fewer.
    AtMost(u64),
    Exactly(u64),
}

impl Expected {
    /// Whether so many rows are all there are.
    pub(super) fn is_met_by(self, rows: u64) -> bool {
        match self {
            Self::Unknown => false,
            Self::AtMost(expected) | Self::Exactly(expected) => rows == expected,
        }
    }

    /// The same about a share of the rows.
    pub(super) fn of_share(self, rows: u64) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::AtMost(_) => Self::AtMost(rows),
            Self::Exactly(_) => Self::Exactly(rows),
        }
    }
}

/// By what rows are ordered: the text of a term, or its beginning.
///
/// A text that is longer than what a request can carry stands for all texts with
/// the same beginning, which are next to each other in any order of texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) is_cut: bool,
}

/// IRIs are mostly ASCII, other texts take up to nine bytes of a request for
/// each character.
const IRI_CHARACTERS_MAX: usize = 400;
const TEXT_CHARACTERS_MAX: usize = 200;

impl Key {
    /// The key of an IRI.
    pub(super) fn of_iri(iri: &str) -> Self {
        Self::of(iri, IRI_CHARACTERS_MAX)
    }

    /// The key of any term.
    pub(super) fn of_text(text: &str) -> Self {
        Self::of(text, TEXT_CHARACTERS_MAX)
    }

    fn of(text: &str, characters_max: usize) -> Self {
        // A text that just fits counts as cut: it is a beginning of others.
        match text.char_indices().nth(characters_max - 1) {
            Some((start, last)) => Self { text: text[..start + last.len_utf8()].to_owned(), is_cut: true },
            None => Self { text: text.to_owned(), is_cut: false },
        }
    }

    /// The IRI that this is the key of, if there is only one and a query can
    /// name it.
    pub(super) fn as_iri(&self) -> Option<&str> {
        (!self.is_cut && is_askable(&self.text)).then_some(&*self.text)
    }
}

/// Whether an IRI can be named in a query. Others cannot be stored, either.
pub(super) fn is_askable(iri: &str) -> bool {
    Iri::parse(iri).is_ok()
}

impl Place {
    /// The subject that all rows have, if a query can name it.
    pub(super) fn subject(&self) -> Option<&str> {
        match self {
            Self::Objects { subject, .. } | Self::Alike { subject, .. } => subject.as_iri(),
            Self::Anywhere | Self::Subjects(_) | Self::Offset { .. } => None,
        }
    }
}

impl Part {
    /// The predicate that all rows have, if there is only one.
    pub(super) fn predicate(&self) -> Option<&str> {
        match &*self.predicates {
            [one] => Some(&one.name),
            _ => None,
        }
    }

    /// The same with other predicates.
    pub(super) fn with_predicates(&self, predicates: &[Counted]) -> Self {
        Self { source: self.source.clone(), predicates: predicates.to_vec(), nodes: self.nodes }
    }
}

impl Source {
    /// The one named graph that this is.
    pub(super) fn graph(&self) -> Option<&str> {
        match self {
            Self::Graphs(graphs) if graphs.len() == 1 => Some(&graphs[0].name),
            _ => None,
        }
    }

    /// Whether the same statement may come more than once.
    pub(super) fn may_repeat(&self) -> bool {
        matches!(self, Self::Merged | Self::Nameless)
    }
}

/// How many rows some names stand for together.
pub(super) fn rows_of(names: &[Counted]) -> u64 {
    names.iter().map(|name| name.rows).fold(0, u64::saturating_add)
}

/// Fewer rows than this are not the work of a server that gives no more than so
/// many: nobody asks for this little at a time.
pub(super) fn surely_whole_below(limit: u32) -> u64 {
    u64::from(limit / 4).clamp(1, 100)
}
