//! What is remembered on this side: how far we have come, and what was refused.
//!
//! ```text
//! CRAWL/remote/ID.position   where the log goes on, as hexadecimal digits, and for whom
//! CRAWL/remote/ID.described  the same, as it was when the description of the crawl was sent
//! CRAWL/remote/ID.graphs     documents with graphs of other names than their own, and those names
//! CRAWL/remote/ID.refused/   documents that the server would not take, as N-Quads, and why
//! ```
//!
//! ID stands for the server's addresses: another server begins at the start.

use std::collections::{HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::super::StoreError;
use super::super::follow::{Change, Position, Statements};
use crate::durable::{self, Readers};
use crate::model::Uri;

/// The line that tells where a document comes from that was refused.
const PROVENANCE: &str = "# provenance: ";

pub(super) struct Journal {
    folder: PathBuf,
    id: String,
    /// For people who look at the files.
    server: String,
    graphs: HashMap<u128, Vec<String>>,
    /// How many documents have a graph of this name that is not their own.
    owners: HashMap<String, u32>,
    /// What documents will have once the server has confirmed them.
    unsettled: HashMap<u128, Vec<String>>,
    refused: HashSet<u128>,
}

impl Journal {
    /// Opens what is remembered in this folder about a server.
    pub(super) fn open(folder: &Path, server: &str) -> Result<Self, StoreError> {
        let mut journal = Self {
            folder: folder.to_owned(),
            id: format!("{:016x}", xxh3_64(server.as_bytes())),
            server: server.to_owned(),
            graphs: HashMap::new(),
            owners: HashMap::new(),
            unsettled: HashMap::new(),
            refused: HashSet::new(),
        };
        fs::create_dir_all(folder).map_err(|source| StoreError::Io { path: folder.to_owned(), source })?;
        journal.read_graphs()?;
        for path in journal.refused_files()? {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            journal.refused.extend(u128::from_str_radix(name, 16).ok());
        }
        Ok(journal)
    }

    fn path(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.id))
    }

    /// How far we have come. A file that cannot be understood counts as none:
    /// everything is sent again, which does no harm.
    pub(super) fn position(&self) -> Result<Option<Position>, StoreError> {
        let Some(text) = self.read("position")? else { return Ok(None) };
        let position = text.lines().next().and_then(from_hexadecimal).and_then(|bytes| Position::decode(&bytes));
        if position.is_none() {
            tracing::warn!(server = self.server, "the position cannot be read, so everything is sent again");
        }
        Ok(position)
    }

    /// Remembers how far we have come, for good.
    pub(super) fn advance(&self, position: Position) -> Result<(), StoreError> {
        let digits = position.encode().map(|byte| format!("{byte:02x}")).concat();
        Self::replace(&self.path("position"), format!("{digits}\n{}\n", self.server).as_bytes())
    }

    /// Whether the server has a description of all that it has.
    pub(super) fn is_described(&self) -> Result<bool, StoreError> {
        Ok(self.read("position")? == self.read("described")?)
    }

    /// It has one now.
    pub(super) fn described(&self) -> Result<(), StoreError> {
        let position = self.read("position")?.unwrap_or_default();
        Self::replace(&self.path("described"), position.as_bytes())
    }

    fn read(&self, extension: &str) -> Result<Option<String>, StoreError> {
        let path = self.path(extension);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Unreadable { path, source }),
        }
    }

    /// Replaces a file whole, safe from a power cut.
    fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let written = durable::replace(path, Readers::Anybody, bytes);
        written.map_err(|source| StoreError::Io { path: path.to_owned(), source })
    }

    /// The graphs to drop before a document is added: its own, and those it
    /// names or named and no other document does. Remembers the new ones
    /// before anything is sent, and the old ones until it has been confirmed:
    /// whoever sends it again has to drop both.
    pub(super) fn claim(&mut self, document: &Uri, own: &str, others: &[String]) -> Result<Vec<String>, StoreError> {
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
            self.own(key, graphs.clone());
        }
        self.unsettled.insert(key, others.to_vec());
        graphs.retain(|graph| graph != own && self.owners.get(graph).is_none_or(|owners| *owners <= 1));
        drops.append(&mut graphs);
        Ok(drops)
    }

    /// A document has been confirmed: what it had before is gone.
    fn settle(&mut self, document: &Uri) -> Result<(), StoreError> {
        let key = document.fingerprint();
        let Some(graphs) = self.unsettled.remove(&key) else { return Ok(()) };
        // What it has is part of what it claimed.
        if self.graphs.get(&key).map_or(0, Vec::len) != graphs.len() {
            self.write_graphs(document, &graphs)?;
            self.own(key, graphs);
        }
        Ok(())
    }

    fn own(&mut self, document: u128, graphs: Vec<String>) {
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
            // IRIs have no blanks.
            file.write_all(format!("{document} {}\n", graphs.join(" ")).as_bytes())?;
            file.sync_data()
        };
        write().map_err(|source| StoreError::Io { path: path.clone(), source })
    }

    fn read_graphs(&mut self) -> Result<(), StoreError> {
        let Some(text) = self.read("graphs")? else { return Ok(()) };
        // A last line without its end was never acted upon, and must not become
        // the beginning of the next.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            Self::replace(&self.path("graphs"), &text.as_bytes()[..whole])?;
        }
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let mut words = line.split(' ').filter(|word| !word.is_empty());
            if let Some(document) = words.next().and_then(|word| Uri::recorded(word).ok()) {
                self.own(document.fingerprint(), words.map(str::to_owned).collect());
            }
        }
        Ok(())
    }

    /// Keeps a document that the server would not take, and why.
    pub(super) fn refuse(&mut self, change: &Change, why: &str) -> Result<(), StoreError> {
        let folder = self.path("refused");
        let key = change.document.fingerprint();
        let path = folder.join(format!("{key:032x}.nq"));
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        let failed = |source| StoreError::Io { path: path.clone(), source };
        fs::create_dir_all(&folder).map_err(failed)?;
        let mut lines = change.statements.read()?;
        let written = durable::replace_with(&path, Readers::Anybody, |file| {
            writeln!(file, "# document <{}> quads={}\n# refused: {why}", change.document, change.quads)?;
            if let Some(provenance) = &change.provenance {
                writeln!(file, "{PROVENANCE}{}", serde_json::to_string(provenance)?)?;
            }
            io::copy(&mut lines, file).map(drop)
        });
        written.map_err(failed)?;
        self.refused.insert(key);
        Ok(())
    }

    /// The server has taken a document: whatever it refused of it before is
    /// past.
    pub(super) fn accept(&mut self, document: &Uri) -> Result<(), StoreError> {
        self.settle(document)?;
        let key = document.fingerprint();
        if !self.refused.remove(&key) {
            return Ok(());
        }
        let path = self.path("refused").join(format!("{key:032x}.nq"));
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(StoreError::Io { path, source }),
            _ => Ok(()),
        }
    }

    /// How many documents are kept because the server would not take them.
    pub(super) fn refused_count(&self) -> usize {
        self.refused.len()
    }

    /// A document that was refused; `None` if the file does not tell.
    pub(super) fn refused_change(path: &Path) -> Result<Option<Change>, StoreError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            // It has been taken meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Unreadable { path: path.to_owned(), source }),
        };
        let head = text.strip_prefix("# document <").and_then(|rest| rest.split_once("> quads="));
        let Some((document, rest)) = head else { return Ok(None) };
        let quads = rest.lines().next().and_then(|number| number.parse().ok());
        let (Ok(document), Some(quads)) = (Uri::recorded(document), quads) else { return Ok(None) };
        let provenance = text.lines().nth(2).and_then(|line| line.strip_prefix(PROVENANCE));
        let provenance = provenance.and_then(|provenance| serde_json::from_str(provenance).ok());
        Ok(Some(Change { document, statements: Statements::from_lines(&text), quads, provenance }))
    }

    /// The files of the documents that were refused.
    pub(super) fn refused_files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.path("refused");
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::Unreadable { path: folder, source }),
        };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "nq")).collect();
        paths.sort();
        Ok(paths)
    }
}

fn from_hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()).collect()
}
