//! Documents as SPARQL updates: a small one as part of a request, a large one as several requests.

use std::borrow::Cow;
use std::collections::HashMap;

use oxrdf::{NamedNode, NamedNodeRef, Quad};

use super::document_scan::DocumentScan;
use super::sparql_text::{self, BlankGraphNames, SparqlTextWriter};
use lodeward::store::StoreError;
use lodeward::store::follow::DocumentChange;

/// Predicate of the marker that states how many parts of a document were sent. The last part
/// removes it.
const PART_PREDICATE: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("urn:x-lodeward:part");

/// The triples of a request as SPARQL text, by graph.
#[derive(Default)]
pub(super) struct GraphBlocks {
    graphs: Vec<(Option<String>, String)>,
    index_by_graph: HashMap<Option<String>, usize>,
    pub(super) bytes: usize,
}

impl GraphBlocks {
    pub(super) fn add(&mut self, writer: &SparqlTextWriter, quad: &Quad, names: &BlankGraphNames) {
        let name = writer.graph_iri(&quad.graph_name).map(Cow::into_owned);
        let index = match self.index_by_graph.get(&name) {
            Some(index) => *index,
            None => {
                self.index_by_graph.insert(name.clone(), self.graphs.len());
                self.graphs.push((name, String::new()));
                self.graphs.len() - 1
            }
        };
        let triples = &mut self.graphs[index].1;
        let before = triples.len();
        writer.write_triple(triples, quad, names);
        self.bytes += triples.len() - before;
    }

    fn append(&mut self, other: Self) {
        self.bytes += other.bytes;
        for (name, triples) in other.graphs {
            match self.index_by_graph.get(&name) {
                Some(index) => self.graphs[*index].1.push_str(&triples),
                None => {
                    self.index_by_graph.insert(name.clone(), self.graphs.len());
                    self.graphs.push((name, triples));
                }
            }
        }
    }

    pub(super) fn write(&self, into: &mut String) {
        for (name, triples) in &self.graphs {
            sparql_text::write_block(into, name.as_deref(), triples);
        }
    }
}

/// Update for a whole document: drops its graphs and inserts its statements.
pub(super) fn document_update(
    change: &DocumentChange,
    number: usize,
    scan: &DocumentScan,
    drops: &[String],
) -> Result<String, StoreError> {
    let writer = SparqlTextWriter::new(change.document.as_str(), number);
    let mut blocks = GraphBlocks::default();
    for quad in change.statements.quads()? {
        blocks.add(&writer, &quad?, &scan.names);
    }
    let mut update = String::with_capacity(blocks.bytes + 256);
    replace_graphs(&mut update, drops, &blocks);
    Ok(update)
}

/// Appends operations to `update` that drop the graphs `drops` and insert `blocks`.
pub(super) fn replace_graphs(update: &mut String, drops: &[String], blocks: &GraphBlocks) {
    for graph in drops {
        sparql_text::write_drop_graph(update, graph);
    }
    if blocks.bytes > 0 {
        update.push_str("INSERT DATA {\n");
        blocks.write(update);
        update.push_str("};\n");
    }
}

/// Appends operations to `update` that replace the content of one graph.
pub(super) fn replace_graph(update: &mut String, writer: &SparqlTextWriter, graph: &NamedNode, quads: &[Quad]) {
    let mut blocks = GraphBlocks::default();
    for quad in quads {
        blocks.add(writer, quad, &BlankGraphNames::default());
    }
    replace_graphs(update, &[graph.as_str().to_owned()], &blocks);
}

/// A document in several requests.
///
/// The first request replaces the old version, the others add statements. To prevent a request from
/// taking effect twice if its response is lost, each request but the first requires the marker of
/// its predecessor, deletes it, and inserts its own; the last inserts none.
pub(super) struct SplitUpdate<'a> {
    change: &'a DocumentChange,
    scan: DocumentScan,
    drops: Vec<String>,
    max_bytes: usize,
    /// Distinguishes the markers of this attempt from those of earlier attempts.
    token: String,
}

/// One request of a [`SplitUpdate`].
pub(super) struct UpdatePart {
    /// Number of the request, counted from 1.
    pub(super) number: usize,
    pub(super) update: String,
}

impl<'a> SplitUpdate<'a> {
    pub(super) fn new(
        change: &'a DocumentChange,
        scan: DocumentScan,
        drops: Vec<String>,
        max_bytes: usize,
        token: String,
    ) -> Self {
        Self { change, scan, drops, max_bytes, token }
    }

    /// Generates and sends the requests; returns their number. The same document is always split in
    /// the same way.
    ///
    /// Besides the request, the statements of incomplete components are held in memory. They are
    /// few in documents that list related statements together.
    pub(super) fn for_each_part<E: From<StoreError>>(
        mut self,
        mut send: impl FnMut(UpdatePart) -> Result<(), E>,
    ) -> Result<usize, E> {
        let writer = SparqlTextWriter::new(self.change.document.as_str(), 0);
        let mut open: HashMap<u32, GraphBlocks> = HashMap::new();
        let (mut filling, mut full): (GraphBlocks, Option<GraphBlocks>) = (GraphBlocks::default(), None);
        let mut number = 0;
        for quad in self.change.statements.quads()? {
            let quad = quad?;
            match self.scan.components.take_quad(&quad) {
                None => filling.add(&writer, &quad, &self.scan.names),
                Some((component, is_last)) => {
                    let blocks = open.entry(component).or_default();
                    blocks.add(&writer, &quad, &self.scan.names);
                    if is_last && let Some(blocks) = open.remove(&component) {
                        if filling.bytes > 0 && filling.bytes + blocks.bytes > self.max_bytes {
                            number += self.flush(&mut full, std::mem::take(&mut filling), number, &mut send)?;
                        }
                        filling.append(blocks);
                    }
                }
            }
            if filling.bytes >= self.max_bytes {
                number += self.flush(&mut full, std::mem::take(&mut filling), number, &mut send)?;
            }
        }
        // One part is always held back: all parts but the last insert a marker, so the last must be
        // known before it is sent.
        if filling.bytes > 0 {
            number += self.flush(&mut full, filling, number, &mut send)?;
        }
        let last = full.unwrap_or_default();
        send(UpdatePart { number: number + 1, update: self.update_text(number + 1, &last, true) })?;
        Ok(number + 1)
    }

    /// Sends the part held back, if any, and holds back `next`.
    fn flush<E>(
        &self,
        held: &mut Option<GraphBlocks>,
        next: GraphBlocks,
        sent: usize,
        send: &mut impl FnMut(UpdatePart) -> Result<(), E>,
    ) -> Result<usize, E> {
        let Some(blocks) = held.replace(next) else { return Ok(0) };
        send(UpdatePart { number: sent + 1, update: self.update_text(sent + 1, &blocks, false) })?;
        Ok(1)
    }

    fn update_text(&self, number: usize, blocks: &GraphBlocks, is_last: bool) -> String {
        let mut update = String::with_capacity(blocks.bytes + 1_024);
        let graph = self.change.graph();
        let mark = |number: usize| {
            let (mut triple, mut block) = (String::new(), String::new());
            sparql_text::write_literal_triple(
                &mut triple,
                graph.as_str(),
                PART_PREDICATE,
                &format!("{} {number}", self.token),
            );
            sparql_text::write_block(&mut block, Some(graph.as_str()), &triple);
            block
        };
        if number == 1 {
            for graph in &self.drops {
                sparql_text::write_drop_graph(&mut update, graph);
            }
            update.push_str("INSERT DATA {\n");
        } else {
            update.push_str("DELETE {\n");
            update.push_str(&mark(number - 1));
            update.push_str("}\nINSERT {\n");
        }
        if !is_last {
            update.push_str(&mark(number));
        }
        blocks.write(&mut update);
        update.push('}');
        if number > 1 {
            update.push_str("\nWHERE {\n");
            update.push_str(&mark(number - 1));
            update.push('}');
        }
        update
    }
}
