//! SPARQL queries and updates. The first byte selects which; the rest is the text.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use lodeward_archive::sparql::{QueryOptions, QueryOutput, UpdateOptions};
use lodeward_archive::{Archive, Options};
use tempfile::TempDir;

use crate::targets::{Target, scratch};

/// Sets the statements before each input.
const RESET: &str = "PREFIX : <urn:> DROP ALL ; INSERT DATA { \
    :s a :T ; :p 1, 2.5, 'x', 'y'@en, true, '2020-01-01T00:00:00Z'^^<http://www.w3.org/2001/XMLSchema#dateTime> . \
    :a :b [ :b [ :c :d ] ] . GRAPH :g { :s :p :o . :o :p :s } GRAPH :h { :o a :T } }";
/// Number of updates after which the archive is replaced, because its files grow.
const UPDATES_PER_ARCHIVE: u32 = 200;
/// Limits of a query; libFuzzer reports ten seconds and 1 GB.
const TIMEOUT: Duration = Duration::from_secs(2);
const MAX_MEMORY_BYTES: u64 = 200 << 20;
const MAX_ROWS: u64 = 1_000;

const SEEDS: &[&str] = &[
    "qSELECT DISTINCT ?s (COUNT(*) AS ?n) { ?s ?p ?o OPTIONAL { ?o a ?t } FILTER(STRLEN(STR(?o)) > 1) } GROUP BY ?s ORDER BY DESC(?n) LIMIT 10",
    "qCONSTRUCT { ?s <urn:p> ?o } WHERE { { ?s <urn:a>/<urn:b>* ?o } UNION { GRAPH ?g { ?s !<urn:c> ?o } } MINUS { ?s a <urn:T> } }",
    "qASK { VALUES (?a ?b) { (1 UNDEF) } BIND(REPLACE(CONCAT('a', STR(?a)), 'a+', 'b') AS ?c) FILTER EXISTS { SELECT ?x { ?x ?y ?z } } }",
    "qSELECT (GROUP_CONCAT(?o; separator=',') AS ?x) (SAMPLE(ENCODE_FOR_URI(STR(?o))) AS ?y) { ?s <urn:p>|^<urn:p> ?o } HAVING(MAX(?o) > 1)",
    "qDESCRIBE <urn:s>",
    "uPREFIX : <urn:> INSERT DATA { GRAPH :g { :s :p 'o'@en, 1.5, true, [ :q ( 1 2 ) ] } } ; DELETE WHERE { :s ?p ?o }",
    "uWITH <urn:g> DELETE { ?s ?p ?o } INSERT { ?s ?p 'x' } USING <urn:h> WHERE { ?s ?p ?o } ; CLEAR ALL ; COPY <urn:a> TO <urn:b>",
];

/// Queries and updates of a small archive. Each input finds the same statements.
pub(crate) struct Sparql {
    archive: RefCell<(Archive, TempDir)>,
    updates: Cell<u32>,
}

impl Sparql {
    pub(crate) fn new() -> Self {
        Self { archive: RefCell::new(new_archive()), updates: Cell::new(0) }
    }

    fn update(&self, text: &str) {
        let options =
            UpdateOptions { timeout: Some(TIMEOUT), max_memory_bytes: Some(MAX_MEMORY_BYTES), ..Default::default() };
        if self.archive.borrow().0.update(text, &options).is_err() {
            return;
        }
        let updates = self.updates.replace(self.updates.get() + 1);
        if updates % UPDATES_PER_ARCHIVE == UPDATES_PER_ARCHIVE - 1 {
            self.archive.replace(new_archive());
        } else {
            let reset = self.archive.borrow().0.update(RESET, &UpdateOptions::default());
            reset.expect("an archive accepts updates after any update");
        }
    }

    fn query(&self, text: &str) {
        let options = QueryOptions {
            timeout: Some(TIMEOUT),
            max_memory_bytes: Some(MAX_MEMORY_BYTES),
            max_rows: Some(MAX_ROWS),
            ..Default::default()
        };
        let snapshot = self.archive.borrow().0.snapshot();
        match snapshot.query(text, &options) {
            Ok(QueryOutput::Solutions(rows)) => rows.for_each(drop),
            Ok(QueryOutput::Graph(triples)) => triples.for_each(drop),
            Ok(QueryOutput::Boolean(_)) | Err(_) => {}
        }
    }
}

impl Target for Sparql {
    fn name(&self) -> &'static str {
        "sparql"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        SEEDS.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    fn adopt(&self, path: &str, document: &[u8]) -> Vec<Vec<u8>> {
        match path.rsplit('.').next() {
            Some("rq") => vec![[b"q", document].concat()],
            Some("ru") => vec![[b"u", document].concat()],
            _ => Vec::new(),
        }
    }

    fn run(&self, input: &[u8]) {
        let [kind, text @ ..] = input else { return };
        let text = String::from_utf8_lossy(text);
        if *kind == b'u' { self.update(&text) } else { self.query(&text) }
    }
}

fn new_archive() -> (Archive, TempDir) {
    let temp_dir = scratch();
    let archive = Archive::open(temp_dir.path(), &Options::default()).expect("a new archive");
    archive.update(RESET, &UpdateOptions::default()).expect("valid statements");
    (archive, temp_dir)
}
