//! Formats questions for users, to explain the purpose of a request.

use std::fmt;

use super::question::{EndpointQuestion, NodeKinds, PagePosition, StatementPage, StatementPart, StatementSource};
use super::row_key::RowKey;

impl fmt::Display for EndpointQuestion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Describe { .. } => formatter.write_str("service description"),
            Self::Probe => formatter.write_str("test query"),
            Self::Graphs(_) => formatter.write_str("list of graphs"),
            Self::Differs(_) => formatter.write_str("whether the default graph is separate from the named graphs"),
            Self::Exceeds(_) => formatter.write_str("whether the default graph has more than the named graphs"),
            Self::Total => formatter.write_str("size of the default graph"),
            Self::Census(census) => write!(formatter, "predicates of {}", census.source),
            Self::Page(page) => page.fmt(formatter),
        }
    }
}

impl fmt::Display for StatementPage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "statements of {}", self.part)?;
        match &self.position {
            PagePosition::Complete | PagePosition::Subjects(None) => Ok(()),
            PagePosition::Subjects(Some(after)) => write!(formatter, ", after subject {after}"),
            PagePosition::Objects { subject, after: None } => write!(formatter, ", of subject {subject}"),
            PagePosition::Objects { subject, after: Some(after) } => {
                write!(formatter, ", of subject {subject} after object {after}")
            }
            PagePosition::SameKey { subject, offset, .. } => {
                write!(formatter, ", of subject {subject} from offset {offset}")
            }
            PagePosition::Offset { offset, .. } => write!(formatter, ", from offset {offset}"),
        }
    }
}

impl fmt::Display for StatementPart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(formatter)?;
        match &*self.predicates {
            [] => {}
            [one] => write!(formatter, " with <{}>", one.name)?,
            [first, rest @ ..] => write!(formatter, " with <{}> and {} other predicates", first.name, rest.len())?,
        }
        if self.nodes == NodeKinds::Blank { formatter.write_str(" with blank nodes") } else { Ok(()) }
    }
}

impl fmt::Display for StatementSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graphs(graphs) if graphs.len() == 1 => write!(formatter, "graph <{}>", graphs[0].name),
            Self::Graphs(graphs) => write!(formatter, "{} graphs", graphs.len()),
            Self::Nameless => formatter.write_str("unnamed graphs"),
            Self::Default | Self::Merged => formatter.write_str("the default graph"),
            Self::Remainder => formatter.write_str("the default graph without the named graphs"),
        }
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}{}`", self.text, if self.is_truncated { "…" } else { "" })
    }
}
