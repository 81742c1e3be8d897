//! Documents as updates: a small one as part of a request, a large one as
//! several requests.

use std::borrow::Cow;
use std::collections::HashMap;

use oxrdf::{NamedNode, NamedNodeRef, Quad};

use super::super::StoreError;
use super::super::follow::Change;
use super::survey::Survey;
use super::text::{self, GraphNames, Scribe};

/// Says how much of a document has arrived, as long as that is not all of it.
const PART: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("urn:x-lodeward:part");

/// Triples by graph, written.
#[derive(Default)]
pub(super) struct Blocks {
    graphs: Vec<(Option<String>, String)>,
    places: HashMap<Option<String>, usize>,
    pub(super) bytes: usize,
}

impl Blocks {
    pub(super) fn add(&mut self, scribe: &Scribe, quad: &Quad, names: &GraphNames) {
        let name = scribe.graph(&quad.graph_name).map(Cow::into_owned);
        let place = match self.places.get(&name) {
            Some(place) => *place,
            None => {
                self.places.insert(name.clone(), self.graphs.len());
                self.graphs.push((name, String::new()));
                self.graphs.len() - 1
            }
        };
        let triples = &mut self.graphs[place].1;
        let before = triples.len();
        scribe.triple(triples, quad, names);
        self.bytes += triples.len() - before;
    }

    fn append(&mut self, other: Self) {
        self.bytes += other.bytes;
        for (name, triples) in other.graphs {
            match self.places.get(&name) {
                Some(place) => self.graphs[*place].1.push_str(&triples),
                None => {
                    self.places.insert(name.clone(), self.graphs.len());
                    self.graphs.push((name, triples));
                }
            }
        }
    }

    pub(super) fn write(&self, into: &mut String) {
        for (name, triples) in &self.graphs {
            text::block(into, name.as_deref(), triples);
        }
    }
}

/// A whole document: what it had is dropped, what it has is added.
pub(super) fn whole(change: &Change, number: usize, survey: &Survey, drops: &[String]) -> Result<String, StoreError> {
    let scribe = Scribe::new(change.document.as_str(), number);
    let mut blocks = Blocks::default();
    for quad in change.statements.quads()? {
        blocks.add(&scribe, &quad?, &survey.names);
    }
    let mut update = String::with_capacity(blocks.bytes + 256);
    replace(&mut update, drops, &blocks);
    Ok(update)
}

/// Drops graphs, and adds these blocks.
pub(super) fn replace(update: &mut String, drops: &[String], blocks: &Blocks) {
    for graph in drops {
        text::drop_graph(update, graph);
    }
    if blocks.bytes > 0 {
        update.push_str("INSERT DATA {\n");
        blocks.write(update);
        update.push_str("};\n");
    }
}

/// Replaces one graph.
pub(super) fn replace_graph(update: &mut String, scribe: &Scribe, graph: &NamedNode, quads: &[Quad]) {
    let mut blocks = Blocks::default();
    for quad in quads {
        blocks.add(scribe, quad, &GraphNames::default());
    }
    replace(update, &[graph.as_str().to_owned()], &blocks);
}

/// A document in several requests.
///
/// The first replaces, the others add. So that none of them takes effect
/// twice, whatever became of its answer, each but the first asks for the mark
/// that the one before it left, takes it away, and leaves its own.
pub(super) struct Parts<'a> {
    change: &'a Change,
    survey: Survey,
    drops: Vec<String>,
    bytes_max: usize,
    /// Tells these marks from those of earlier attempts.
    token: String,
}

/// One of the requests.
pub(super) struct Part {
    /// From 1.
    pub(super) number: usize,
    pub(super) update: String,
}

impl<'a> Parts<'a> {
    pub(super) fn new(change: &'a Change, survey: Survey, drops: Vec<String>, bytes_max: usize, token: String) -> Self {
        Self { change, survey, drops, bytes_max, token }
    }

    /// Makes the requests one after the other, and tells how many there were.
    /// The same document is always cut in the same places.
    ///
    /// Holds, besides the request, the statements of components that are not
    /// complete yet: little, in documents that say things together that belong
    /// together.
    pub(super) fn each<E: From<StoreError>>(mut self, mut send: impl FnMut(Part) -> Result<(), E>) -> Result<usize, E> {
        let scribe = Scribe::new(self.change.document.as_str(), 0);
        let mut open: HashMap<u32, Blocks> = HashMap::new();
        let (mut filling, mut full): (Blocks, Option<Blocks>) = (Blocks::default(), None);
        let mut number = 0;
        for quad in self.change.statements.quads()? {
            let quad = quad?;
            match self.survey.components.take(&quad) {
                None => filling.add(&scribe, &quad, &self.survey.names),
                Some((component, is_last)) => {
                    let blocks = open.entry(component).or_default();
                    blocks.add(&scribe, &quad, &self.survey.names);
                    if is_last && let Some(blocks) = open.remove(&component) {
                        if filling.bytes > 0 && filling.bytes + blocks.bytes > self.bytes_max {
                            number += self.flush(&mut full, std::mem::take(&mut filling), number, &mut send)?;
                        }
                        filling.append(blocks);
                    }
                }
            }
            if filling.bytes >= self.bytes_max {
                number += self.flush(&mut full, std::mem::take(&mut filling), number, &mut send)?;
            }
        }
        // One is always held back, for only the last leaves no mark.
        if filling.bytes > 0 {
            number += self.flush(&mut full, filling, number, &mut send)?;
        }
        let last = full.unwrap_or_default();
        send(Part { number: number + 1, update: self.update(number + 1, &last, true) })?;
        Ok(number + 1)
    }

    /// Sends what was held back, if anything was, and holds this back.
    fn flush<E>(
        &self,
        held: &mut Option<Blocks>,
        next: Blocks,
        sent: usize,
        send: &mut impl FnMut(Part) -> Result<(), E>,
    ) -> Result<usize, E> {
        let Some(blocks) = held.replace(next) else { return Ok(0) };
        send(Part { number: sent + 1, update: self.update(sent + 1, &blocks, false) })?;
        Ok(1)
    }

    fn update(&self, number: usize, blocks: &Blocks, is_last: bool) -> String {
        let mut update = String::with_capacity(blocks.bytes + 1_024);
        let graph = self.change.graph();
        let mark = |number: usize| {
            let (mut triple, mut block) = (String::new(), String::new());
            text::ground(&mut triple, graph.as_str(), PART, &format!("{} {number}", self.token));
            text::block(&mut block, Some(graph.as_str()), &triple);
            block
        };
        if number == 1 {
            for graph in &self.drops {
                text::drop_graph(&mut update, graph);
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
