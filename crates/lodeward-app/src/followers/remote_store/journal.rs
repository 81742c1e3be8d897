//! Local state of a remote store: the position applied, and rejected documents.
//!
//! ```text
//! CRAWL/remote/ID.position   position in the log, in hexadecimal, and the server's URLs
//! CRAWL/remote/ID.described  the same, as of the last description of the crawl that was sent
//! CRAWL/remote/ID.graphs     documents with graphs other than their own, and the names of these
//! graphs
//! CRAWL/remote/ID.refused/   documents that the server rejected, as N-Quads, with the reason
//! ```
//! ID is a hash of the server's URLs, so a different server starts at the beginning of the log.

use std::collections::{HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::atomic_file::{self, FileAccess};
use lodeward::model::Uri;
use lodeward::store::StoreError;
use lodeward::store::follow::{DocumentChange, DocumentStatements, Position};

/// Comment line with the provenance of a rejected document.
const PROVENANCE_PREFIX: &str = "# provenance: ";

pub(super) struct RemoteJournal {
    dir: PathBuf,
    id: String,
    /// URLs of the server, written to the files for the user.
    server: String,
    graphs: HashMap<u128, Vec<String>>,
    /// By graph name: number of documents that have statements in that graph, although it is not
    /// their own.
    owners: HashMap<String, u32>,
    /// Graphs of documents that are sent but not yet confirmed.
    unconfirmed: HashMap<u128, Vec<String>>,
    rejected: HashSet<u128>,
}

impl RemoteJournal {
    /// Opens the state of a server in this directory.
    pub(super) fn open(dir: &Path, server: &str) -> Result<Self, StoreError> {
        let mut journal = Self {
            dir: dir.to_owned(),
            id: format!("{:016x}", xxh3_64(server.as_bytes())),
            server: server.to_owned(),
            graphs: HashMap::new(),
            owners: HashMap::new(),
            unconfirmed: HashMap::new(),
            rejected: HashSet::new(),
        };
        fs::create_dir_all(dir).map_err(|source| StoreError::Write { path: dir.to_owned(), source })?;
        journal.read_graphs()?;
        for path in journal.rejected_files()? {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            journal.rejected.extend(u128::from_str_radix(name, 16).ok());
        }
        Ok(journal)
    }

    fn path(&self, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", self.id))
    }

    /// Returns the position applied so far. An invalid file is treated as missing: everything is
    /// sent again, which is harmless.
    pub(super) fn position(&self) -> Result<Option<Position>, StoreError> {
        let Some(text) = self.read("position")? else { return Ok(None) };
        let position = text.lines().next().and_then(decode_hex).and_then(|bytes| Position::decode(&bytes));
        if position.is_none() {
            tracing::warn!(server = self.server, "position file is invalid; sending the whole harvest again");
        }
        Ok(position)
    }

    /// Stores the position durably.
    pub(super) fn save_position(&self, position: Position) -> Result<(), StoreError> {
        let digits = position.encode().map(|byte| format!("{byte:02x}")).concat();
        Self::replace_file(&self.path("position"), format!("{digits}\n{}\n", self.server).as_bytes())
    }

    /// Whether the server has a description as of the current position.
    pub(super) fn is_description_current(&self) -> Result<bool, StoreError> {
        Ok(self.read("position")? == self.read("described")?)
    }

    /// Records that the description was sent.
    pub(super) fn mark_described(&self) -> Result<(), StoreError> {
        let position = self.read("position")?.unwrap_or_default();
        Self::replace_file(&self.path("described"), position.as_bytes())
    }

    fn read(&self, extension: &str) -> Result<Option<String>, StoreError> {
        let path = self.path(extension);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Read { path, source }),
        }
    }

    /// Replaces a file atomically and durably.
    fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let written = atomic_file::replace(path, FileAccess::Umask, bytes);
        written.map_err(|source| StoreError::Write { path: path.to_owned(), source })
    }

    /// Returns the graphs to drop before a document is added: its own graph, and the graphs that
    /// its old or new version names and that no other document has. Stores the names of the new
    /// graphs before anything is sent, and keeps the old ones until the update is confirmed: a
    /// second attempt must drop both.
    pub(super) fn claim_graphs(
        &mut self,
        document: &Uri,
        own: &str,
        others: &[String],
    ) -> Result<Vec<String>, StoreError> {
        let key = document.fingerprint();
        let mut graphs = self.graphs.get(&key).cloned().unwrap_or_default();
        let known: HashSet<String> = graphs.iter().cloned().collect();
        graphs.extend(others.iter().filter(|graph| !known.contains(*graph)).cloned());
        let mut drops = vec![own.to_owned()];
        if graphs.is_empty() {
            return Ok(drops);
        }
        if graphs.len() > known.len() {
            self.write_graphs(document, &graphs)?;
            self.set_graphs(key, graphs.clone());
        }
        self.unconfirmed.insert(key, others.to_vec());
        graphs.retain(|graph| graph != own && self.owners.get(graph).is_none_or(|owners| *owners <= 1));
        drops.append(&mut graphs);
        Ok(drops)
    }

    /// Called when the server has confirmed a document: forgets the graphs of its previous version.
    fn settle(&mut self, document: &Uri) -> Result<(), StoreError> {
        let key = document.fingerprint();
        let Some(graphs) = self.unconfirmed.remove(&key) else { return Ok(()) };
        // The graphs of the new version are a subset of the claimed ones, so they are equal if
        // there are equally many.
        if self.graphs.get(&key).map_or(0, Vec::len) != graphs.len() {
            self.write_graphs(document, &graphs)?;
            self.set_graphs(key, graphs);
        }
        Ok(())
    }

    fn set_graphs(&mut self, document: u128, graphs: Vec<String>) {
        for graph in &graphs {
            *self.owners.entry(graph.clone()).or_default() += 1;
        }
        let before =
            if graphs.is_empty() { self.graphs.remove(&document) } else { self.graphs.insert(document, graphs) };
        for graph in before.into_iter().flatten() {
            if let Some(owners) = self.owners.get_mut(&graph) {
                *owners -= 1;
                if *owners == 0 {
                    self.owners.remove(&graph);
                }
            }
        }
    }

    fn write_graphs(&self, document: &Uri, graphs: &[String]) -> Result<(), StoreError> {
        let path = self.path("graphs");
        let write = || {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            // A space can separate the IRIs, because IRIs contain no spaces.
            file.write_all(format!("{document} {}\n", graphs.join(" ")).as_bytes())?;
            file.sync_data()
        };
        write().map_err(|source| StoreError::Write { path: path.clone(), source })
    }

    fn read_graphs(&mut self) -> Result<(), StoreError> {
        let Some(text) = self.read("graphs")? else { return Ok(()) };
        // A line without line feed is the rest of an interrupted write: the update was not sent. It
        // is removed, so that it does not become the beginning of the next line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            Self::replace_file(&self.path("graphs"), &text.as_bytes()[..whole])?;
        }
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let mut words = line.split(' ').filter(|word| !word.is_empty());
            if let Some(document) = words.next().and_then(|word| Uri::parse_stored(word).ok()) {
                self.set_graphs(document.fingerprint(), words.map(str::to_owned).collect());
            }
        }
        Ok(())
    }

    /// Stores a document that the server rejected, with the reason.
    pub(super) fn store_rejected(&mut self, change: &DocumentChange, why: &str) -> Result<(), StoreError> {
        let dir = self.path("refused");
        let key = change.document.fingerprint();
        let path = dir.join(format!("{key:032x}.nq"));
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        let failed = |source| StoreError::Write { path: path.clone(), source };
        fs::create_dir_all(&dir).map_err(failed)?;
        let mut lines = change.statements.read()?;
        let written = atomic_file::replace_with(&path, FileAccess::Umask, |file| {
            writeln!(file, "# document <{}> quads={}\n# refused: {why}", change.document, change.quads)?;
            if let Some(provenance) = &change.provenance {
                writeln!(file, "{PROVENANCE_PREFIX}{}", serde_json::to_string(provenance)?)?;
            }
            io::copy(&mut lines, file).map(drop)
        });
        written.map_err(failed)?;
        self.rejected.insert(key);
        Ok(())
    }

    /// Called when the server has accepted a document: deletes the file of an earlier rejection.
    pub(super) fn mark_delivered(&mut self, document: &Uri) -> Result<(), StoreError> {
        self.settle(document)?;
        let key = document.fingerprint();
        if !self.rejected.remove(&key) {
            return Ok(());
        }
        let path = self.path("refused").join(format!("{key:032x}.nq"));
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(StoreError::Write { path, source }),
            _ => Ok(()),
        }
    }

    /// Number of rejected documents.
    pub(super) fn rejected_count(&self) -> usize {
        self.rejected.len()
    }

    /// Reads a rejected document; `None` if the file is invalid.
    pub(super) fn read_rejected(path: &Path) -> Result<Option<DocumentChange>, StoreError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            // The server has accepted the document meanwhile, so the file was deleted.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Read { path: path.to_owned(), source }),
        };
        let head = text.strip_prefix("# document <").and_then(|rest| rest.split_once("> quads="));
        let Some((document, rest)) = head else { return Ok(None) };
        let quads = rest.lines().next().and_then(|number| number.parse().ok());
        let (Ok(document), Some(quads)) = (Uri::parse_stored(document), quads) else { return Ok(None) };
        let provenance = text.lines().nth(2).and_then(|line| line.strip_prefix(PROVENANCE_PREFIX));
        let provenance = provenance.and_then(|provenance| serde_json::from_str(provenance).ok());
        Ok(Some(DocumentChange { document, statements: DocumentStatements::from_lines(&text), quads, provenance }))
    }

    /// Files of the rejected documents.
    pub(super) fn rejected_files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let dir = self.path("refused");
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::Read { path: dir, source }),
        };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "nq")).collect();
        paths.sort();
        Ok(paths)
    }
}

fn decode_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()).collect()
}
