//! Documents that go alone: too large for one update, or to a server that has
//! only a graph store.

use std::io::{self, BufRead, BufReader, Read};

use oxrdf::GraphName;

use super::super::follow::{Change, FollowError};
use super::super::nquads::write_iri;
use super::parcel::Parts;
use super::survey::Survey;
use super::{SparqlFollower, fingerprint};

/// A large document that is not all there yet.
pub(super) struct Unfinished {
    /// Of which version.
    fingerprint: u128,
    batch_bytes: usize,
    parts_done: usize,
    token: String,
}

/// Why a part was not taken.
enum Stop {
    Follow(FollowError),
    Refused(http::StatusCode, String),
}

impl From<super::StoreError> for Stop {
    fn from(error: super::StoreError) -> Self {
        Self::Follow(error.into())
    }
}

impl SparqlFollower {
    /// Sends a document by itself, in the best way the server has.
    pub(super) fn deliver_alone(
        &mut self,
        change: &Change,
        survey: Survey,
        drops: Vec<String>,
    ) -> Result<(), FollowError> {
        let own = GraphName::NamedNode(change.graph());
        let is_one_graph = survey.graphs.iter().all(|graph| *graph == own) && drops.len() <= 1;
        if self.remote.takes_graphs() && is_one_graph {
            return self.deliver_graph(change);
        }
        if !self.remote.takes_updates() {
            let why = "it has several graphs, which a graph store cannot take together: set sparql.update";
            return self.refuse(change, why);
        }
        self.deliver_parts(change, survey, drops)
    }

    /// Sends a document again that was too large for one request.
    pub(super) fn deliver_smaller(&mut self, change: &Change, why: &str) -> Result<(), FollowError> {
        let survey = Survey::of(&change.statements)?;
        let drops = self.claim(change, &survey)?;
        if change.statements.lines().is_some_and(|lines| lines.len() <= self.batch_bytes) && !self.remote.takes_graphs()
        {
            return self.refuse(change, why);
        }
        // Whatever this one needs, the next ones may not.
        let learned = self.batch_bytes;
        let delivered = self.deliver_alone(change, survey, drops);
        self.batch_bytes = learned;
        delivered
    }

    fn deliver_graph(&mut self, change: &Change) -> Result<(), FollowError> {
        let graph = change.graph();
        let verdict = if change.is_removal() {
            self.remote.delete(graph.as_str())
        } else {
            let bytes = change.quads * 150;
            self.remote.put(graph.as_str(), Box::new(Triples::of(change)?), bytes)
        };
        match self.judge(verdict)? {
            Ok(()) => self.note_delivered(change),
            Err((_, why)) => self.refuse(change, &why),
        }
    }

    fn deliver_parts(&mut self, change: &Change, survey: Survey, drops: Vec<String>) -> Result<(), FollowError> {
        let bytes_max = self.batch_bytes;
        let version = fingerprint(change);
        let unfinished = self.unfinished.take();
        let unfinished = unfinished.filter(|known| known.fingerprint == version && known.batch_bytes == bytes_max);
        let unfinished = unfinished.unwrap_or_else(|| {
            let token = oxrdf::BlankNode::default().as_str().to_owned();
            Unfinished { fingerprint: version, batch_bytes: bytes_max, parts_done: 0, token }
        });
        let graphs = drops.clone();
        let parts = Parts::new(change, survey, drops, bytes_max, unfinished.token.clone());
        let parts_done = unfinished.parts_done;
        self.unfinished = Some(unfinished);
        let sent = parts.each(|part| {
            if part.number <= parts_done {
                return Ok(());
            }
            let bytes = part.update.len();
            let verdict = self.remote.update(part.update);
            match self.judge(verdict).map_err(Stop::Follow)? {
                Ok(()) => {
                    if let Some(unfinished) = &mut self.unfinished {
                        unfinished.parts_done = part.number;
                    }
                    Ok(())
                }
                Err((status, why)) => {
                    self.learn_size(status, bytes);
                    Err(Stop::Refused(status, why))
                }
            }
        });
        match sent {
            Ok(_) => {
                self.unfinished = None;
                self.note_delivered(change)
            }
            Err(Stop::Follow(error)) => Err(error),
            // Only smaller parts than these may still be taken.
            Err(Stop::Refused(http::StatusCode::PAYLOAD_TOO_LARGE, _)) if self.batch_bytes < bytes_max => {
                let survey = Survey::of(&change.statements)?;
                let drops = self.claim(change, &survey)?;
                self.deliver_parts(change, survey, drops)
            }
            Err(Stop::Refused(_, why)) => {
                self.unfinished = None;
                self.remove_part(&graphs)?;
                self.refuse(change, &why)
            }
        }
    }

    /// Part of a document is worse than none.
    fn remove_part(&mut self, graphs: &[String]) -> Result<(), FollowError> {
        let mut update = String::new();
        for graph in graphs {
            super::text::drop_graph(&mut update, graph);
        }
        let verdict = self.remote.update(update);
        self.judge(verdict).map(drop)
    }
}

/// The statements of a document's own graph, as N-Triples.
struct Triples {
    lines: BufReader<Box<dyn Read + Send>>,
    /// How every line ends.
    ending: Vec<u8>,
    line: Vec<u8>,
    read: usize,
}

impl Triples {
    fn of(change: &Change) -> Result<Self, FollowError> {
        let mut ending = vec![b' '];
        write_iri(&mut ending, change.graph().as_str());
        ending.extend_from_slice(b" .\n");
        let lines = BufReader::with_capacity(64 << 10, change.statements.read()?);
        Ok(Self { lines, ending, line: Vec::new(), read: 0 })
    }

    fn next_line(&mut self) -> io::Result<()> {
        (self.read, self.line) = (0, std::mem::take(&mut self.line));
        loop {
            self.line.clear();
            self.lines.read_until(b'\n', &mut self.line)?;
            if self.line.is_empty() {
                return Ok(());
            }
            if self.line.first() != Some(&b'#') {
                break;
            }
        }
        if !self.line.ends_with(&self.ending) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a statement of another graph"));
        }
        self.line.truncate(self.line.len() - self.ending.len());
        self.line.extend_from_slice(b" .\n");
        Ok(())
    }
}

impl Read for Triples {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            self.next_line()?;
        }
        let count = into.len().min(self.line.len() - self.read);
        into[..count].copy_from_slice(&self.line[self.read..][..count]);
        self.read += count;
        Ok(count)
    }
}
