//! Questions in words, for people who ask what a request was for.

use std::fmt;

use super::question::{Key, Nodes, Page, Part, Place, Question, Source};

impl fmt::Display for Question {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Describe { .. } => formatter.write_str("what it is"),
            Self::Probe => formatter.write_str("whether it answers"),
            Self::Graphs(_) => formatter.write_str("its graphs"),
            Self::Differs(_) => formatter.write_str("whether its default graph is one of its own"),
            Self::Exceeds(_) => formatter.write_str("whether its default graph has more than the named ones"),
            Self::Total => formatter.write_str("the size of its default graph"),
            Self::Census(census) => write!(formatter, "the predicates of {}", census.source),
            Self::Page(page) => page.fmt(formatter),
        }
    }
}

impl fmt::Display for Page {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "statements of {}", self.part)?;
        match &self.place {
            Place::Anywhere | Place::Subjects(None) => Ok(()),
            Place::Subjects(Some(after)) => write!(formatter, ", after subject {after}"),
            Place::Objects { subject, after: None } => write!(formatter, ", of subject {subject}"),
            Place::Objects { subject, after: Some(after) } => {
                write!(formatter, ", of subject {subject} after object {after}")
            }
            Place::Alike { subject, offset, .. } => write!(formatter, ", of subject {subject} from number {offset}"),
            Place::Offset { offset, .. } => write!(formatter, ", from number {offset}"),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(formatter)?;
        match &*self.predicates {
            [] => {}
            [one] => write!(formatter, " with <{}>", one.name)?,
            [first, rest @ ..] => write!(formatter, " with <{}> and {} other predicates", first.name, rest.len())?,
        }
        if self.nodes == Nodes::Blank { formatter.write_str(" with blank nodes") } else { Ok(()) }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graphs(graphs) if graphs.len() == 1 => write!(formatter, "graph <{}>", graphs[0].name),
            Self::Graphs(graphs) => write!(formatter, "{} graphs", graphs.len()),
            Self::Nameless => formatter.write_str("graphs without names"),
            Self::Default | Self::Merged => formatter.write_str("the default graph"),
            Self::Remainder => formatter.write_str("what only the default graph has"),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}{}`", self.text, if self.is_cut { "…" } else { "" })
    }
}
