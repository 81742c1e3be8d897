//! Selection of the statements to export, and their order.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::provenance::GraphNames;
use lodeward::store::segments::SegmentStore;
use lodeward_archive::sparql::CancellationToken;
use lodeward_archive::{ArchiveError, Collection, Snapshot};
use lodeward_rdf::write::COMMON_PREFIXES;
use lodeward_rdf::{QuadWriter, RdfFormat};
use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, Term};

use super::FileExportError;
use crate::crawl_dir::CrawlOpenError;
use crate::data_dir::{CrawlDir, DataDir, DataDirError};
use crate::review::{self, CandidateError, CandidateFilter, CandidateQuery, MarkFilter};
use crate::settings::Config;

/// The statements to export.
#[derive(Debug)]
pub struct ExportSelection {
    /// Their graphs.
    pub graphs: GraphSelection,
    /// Their subject, if it is restricted.
    pub subject: Option<NamedOrBlankNode>,
    /// Their predicate, if it is restricted.
    pub predicate: Option<NamedNode>,
    /// Their object, if it is restricted.
    pub object: Option<Term>,
    /// Crawls whose exports to the archive are excluded: they repeat statements of documents.
    pub excluded: Vec<GraphNames>,
    /// Whether the provenance of the documents and the descriptions of crawls are included. Those that
    /// are named by [`GraphSelection::Named`] always are.
    pub with_provenance: bool,
}

/// The graphs of the statements to export.
#[derive(Debug)]
pub enum GraphSelection {
    /// All graphs.
    All,
    /// These graphs.
    Named(Vec<NamedNode>),
    /// The graphs of the crawl with this number.
    OfCrawl(u32),
    /// The statements of a crawl about these subjects.
    About(u32, Vec<NamedOrBlankNode>),
}

/// Maximum number of statements of a subject that are sorted together, which bounds memory.
const MAX_SORTED_QUADS: usize = 100_000;

/// Receives statements; an error ends the export.
type QuadVisitor<'a> = dyn FnMut(Quad) -> Result<(), FileExportError> + 'a;

/// The names of the graphs that the crawls of a data directory generate. Exports to the archive are
/// excluded from an export unless they are requested.
pub fn generated_graphs(config: &Config, data: &Path) -> Result<Vec<GraphNames>, DataDirError> {
    // `DataDir::open` would create the directory `crawls`.
    if !data.join("crawls").is_dir() {
        return Ok(Vec::new());
    }
    let crawls = DataDir::open(data)?.scan()?.ids();
    Ok(crawls.iter().map(|crawl| GraphNames::new(&config.store.graph_base_iri, *crawl)).collect())
}

/// The candidates of a crawl that match a filter and are not dropped, by name. `harvest` opens the harvest of
/// the crawl, if the filter needs statements.
pub fn candidate_subjects(
    crawl: &CrawlDir,
    filter: &CandidateFilter,
    harvest: impl FnOnce() -> Result<Arc<SegmentStore>, CrawlOpenError>,
) -> Result<Vec<NamedOrBlankNode>, CandidateError> {
    let query = CandidateQuery { filter, marks: MarkFilter::Undropped, offset: 0, limit: u64::MAX };
    let found = review::candidates_with(crawl.path(), &query, harvest)?.candidates;
    let mut names: Vec<String> = found.into_iter().map(|candidate| candidate.row.entity).collect();
    // Not by rank: the same statements give the same file, whenever the candidates were ranked.
    names.sort_unstable();
    Ok(names.into_iter().map(|name| NamedNode::new_unchecked(name).into()).collect())
}

/// Passes the statements of a block on, by graph, predicate and object. The archive returns them in an order that
/// depends on when they were stored.
fn visit_sorted(block: &mut Vec<Quad>, take: &mut QuadVisitor<'_>) -> Result<(), FileExportError> {
    block.sort_by_cached_key(|quad| (quad.graph_name.to_string(), quad.predicate.clone(), quad.object.to_string()));
    block.drain(..).try_for_each(take)
}

impl ExportSelection {
    /// The number of statements to write, if it is known before they are read.
    pub fn known_total(&self, snapshot: &Snapshot) -> Result<Option<u64>, ArchiveError> {
        let is_whole = matches!(self.graphs, GraphSelection::All) && !self.has_pattern();
        if is_whole { snapshot.len().map(Some) } else { Ok(None) }
    }

    /// Writes the statements, and returns their number with the writer. Calls `progress` with the number so far.
    pub fn write<W: Write>(
        &self,
        snapshot: &Snapshot,
        format: RdfFormat,
        into: W,
        cancellation: &CancellationToken,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(u64, W), FileExportError> {
        let mut writer = QuadWriter::with_prefixes(format, COMMON_PREFIXES, into).map_err(FileExportError::Io)?;
        let mut written = 0;
        let by_graph = format.has_graphs() && format != RdfFormat::NQuads;
        self.for_each_quad(snapshot, by_graph, &mut |quad| {
            // Checking at every quad would cost more than writing it.
            if written % 4_096 == 0 {
                if cancellation.is_cancelled() {
                    return Err(FileExportError::Cancelled);
                }
                progress(written);
            }
            written += 1;
            writer.write(quad.as_ref()).map_err(FileExportError::Io)
        })?;
        Ok((written, writer.finish().map_err(FileExportError::Io)?))
    }

    /// Calls `take` for every requested statement. With `by_graph`, the statements of a graph are
    /// contiguous, unless a pattern would then have to be matched against every graph.
    fn for_each_quad(
        &self,
        snapshot: &Snapshot,
        by_graph: bool,
        take: &mut QuadVisitor<'_>,
    ) -> Result<(), FileExportError> {
        match &self.graphs {
            GraphSelection::All if by_graph && !self.has_pattern() => {
                self.visit_graph(snapshot, Some(GraphNameRef::DefaultGraph), take)?;
                for graph in snapshot.named_graphs() {
                    self.visit_graph(snapshot, Some(GraphName::from(graph?).as_ref()), take)?;
                }
            }
            GraphSelection::All => self.visit_graph(snapshot, None, take)?,
            GraphSelection::Named(graphs) => {
                for graph in graphs {
                    self.visit_graph(snapshot, Some(graph.as_ref().into()), take)?;
                    let provenance = snapshot.provenance_graph(graph.as_ref())?;
                    self.visit_provenance(provenance.map(Ok), None, take)?;
                }
            }
            GraphSelection::OfCrawl(crawl) => {
                for graph in snapshot.collection_graphs(Collection(*crawl)) {
                    self.visit_graph(snapshot, Some(GraphName::from(graph?).as_ref()), take)?;
                }
            }
            GraphSelection::About(crawl, subjects) => {
                let graphs = snapshot.collection_graphs(Collection(*crawl)).map(|graph| graph.map(GraphName::from));
                let graphs: HashSet<GraphName> = graphs.collect::<Result<_, _>>()?;
                for subject in subjects {
                    let mut block = Vec::new();
                    self.visit_subject(snapshot, Some(subject.as_ref()), None, &mut |quad| {
                        if graphs.contains(&quad.graph_name) {
                            block.push(quad);
                        }
                        if block.len() < MAX_SORTED_QUADS { Ok(()) } else { visit_sorted(&mut block, take) }
                    })?;
                    visit_sorted(&mut block, take)?;
                }
            }
        }
        if !self.with_provenance {
            return Ok(());
        }
        match &self.graphs {
            GraphSelection::All => self.visit_provenance(snapshot.provenance_graphs(None), None, take),
            GraphSelection::OfCrawl(crawl) => {
                self.visit_provenance(snapshot.provenance_graphs(Some(Collection(*crawl))), None, take)
            }
            GraphSelection::About(crawl, subjects) => {
                self.visit_provenance(snapshot.provenance_graphs(Some(Collection(*crawl))), Some(subjects), take)
            }
            GraphSelection::Named(_) => Ok(()),
        }
    }

    /// Calls `take` for every requested statement of these provenance graphs.
    fn visit_provenance(
        &self,
        graphs: impl IntoIterator<Item = Result<Vec<Quad>, ArchiveError>>,
        subjects: Option<&[NamedOrBlankNode]>,
        take: &mut QuadVisitor<'_>,
    ) -> Result<(), FileExportError> {
        for quads in graphs {
            for quad in quads? {
                let is_requested = self.subject.as_ref().is_none_or(|subject| *subject == quad.subject)
                    && self.predicate.as_ref().is_none_or(|predicate| *predicate == quad.predicate)
                    && self.object.as_ref().is_none_or(|object| *object == quad.object)
                    && subjects.is_none_or(|subjects| subjects.contains(&quad.subject));
                if is_requested {
                    take(quad)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a graph was generated by a crawl and is not requested.
    fn is_excluded(&self, graph: &GraphName) -> bool {
        let GraphName::NamedNode(graph) = graph else { return false };
        self.excluded.iter().any(|names| names.is_generated(graph.as_str()))
    }

    fn has_pattern(&self) -> bool {
        self.subject.is_some() || self.predicate.is_some() || self.object.is_some()
    }

    fn visit_graph(
        &self,
        snapshot: &Snapshot,
        graph: Option<GraphNameRef<'_>>,
        take: &mut QuadVisitor<'_>,
    ) -> Result<(), FileExportError> {
        self.visit_subject(snapshot, self.subject.as_ref().map(NamedOrBlankNode::as_ref), graph, take)
    }

    fn visit_subject(
        &self,
        snapshot: &Snapshot,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
        take: &mut QuadVisitor<'_>,
    ) -> Result<(), FileExportError> {
        let predicate = self.predicate.as_ref().map(NamedNode::as_ref);
        let object = self.object.as_ref().map(Term::as_ref);
        for quad in snapshot.quads(subject, predicate, object, graph) {
            let quad = quad?;
            if !self.is_excluded(&quad.graph_name) {
                take(quad)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lodeward_archive::{Archive, Options};
    use oxrdf::Literal;

    use super::*;

    fn node(name: &str) -> NamedNode {
        NamedNode::new_unchecked(format!("http://a.example/{name}"))
    }

    /// The statements about `s` of an archive that stores these documents in this order.
    fn written(documents: &[&str], values: &[i32]) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path().join("archive"), &Options::default()).unwrap();
        for document in documents {
            let quad = |value: &i32| Quad::new(node("s"), node("p"), Literal::from(*value), node(document));
            let quads: Vec<Quad> = values.iter().map(quad).collect();
            let mut transaction = archive.begin();
            transaction.put_document(Collection(1), node(document).as_ref(), quads.iter().map(Quad::as_ref)).unwrap();
            transaction.commit().unwrap();
        }
        let selection = ExportSelection {
            graphs: GraphSelection::About(1, vec![node("s").into()]),
            subject: None,
            predicate: None,
            object: None,
            excluded: Vec::new(),
            with_provenance: false,
        };
        let (count, bytes) = selection
            .write(&archive.snapshot(), RdfFormat::TriG, Vec::new(), &CancellationToken::new(), &mut |_| {})
            .unwrap();
        assert_eq!(count, 9);
        bytes
    }

    #[test]
    fn statements_about_candidates_are_written_in_the_same_order_whenever_they_were_stored() {
        let first = written(&["one", "two", "three"], &[1, 2, 10]);
        let second = written(&["three", "one", "two"], &[10, 2, 1]);

        assert_eq!(String::from_utf8(second).unwrap(), String::from_utf8(first).unwrap());
    }
}
