//! Kept links as a graph: in a file, and in the archive.

use std::path::Path;

use lodeward_archive::Archive;
use oxrdf::{NamedNode, Triple};

use super::{open_marks, parse_statement};
use crate::review::MarkKind;
use crate::search::EntitySearchError;
use crate::settings::Config;

/// The graph of kept links in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkGraph {
    /// Name of the graph.
    pub graph: String,
    /// Number of links.
    pub links: u64,
}

/// The kept links as statements, sorted.
pub fn kept_links(data: &Path) -> Result<Vec<Triple>, EntitySearchError> {
    let marks = open_marks(data)?;
    let kept = marks.iter().filter(|(_, record)| record.mark == MarkKind::Keep);
    let links = kept.filter_map(|(statement, _)| {
        let (source, kind, target) = parse_statement(statement)?;
        let (source, target) = (NamedNode::new(source).ok()?, NamedNode::new(target).ok()?);
        Some(Triple::new(source, kind.predicate(), target))
    });
    Ok(links.collect())
}

/// Replaces the graph of kept links in the archive, in one transaction. The graph belongs to no crawl,
/// so rebuilding the archive does not remove it.
pub fn export_to_archive(config: &Config, data: &Path, archive: &Archive) -> Result<LinkGraph, EntitySearchError> {
    let graph = NamedNode::new_unchecked(format!("{}links", config.store.graph_base_iri));
    let links = kept_links(data)?;
    let mut replacement = archive.replace_graph(graph.clone());
    for link in &links {
        replacement.add(link.as_ref())?;
    }
    replacement.finish()?;
    Ok(LinkGraph { graph: graph.into_string(), links: links.len() as u64 })
}
