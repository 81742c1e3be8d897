//! Writes a harvest into segments, with the quads a store must hold at the end.

use std::collections::HashMap;
use std::path::Path;

use lodeward::model::Uri;
use lodeward::store::Store as _;
use lodeward::store::segments::{SegmentOptions, SegmentStore};
use oxrdf::{BlankNode, Literal, NamedNode, Quad};

const GROUP: u64 = 64;
const QUADS: u64 = 40;
/// Number of statements of a document that is far larger than a request.
const LARGE_QUADS: u64 = 15_000;

/// The written harvest.
pub(crate) struct Harvest {
    pub(crate) store: SegmentStore,
    /// Expected lines by graph.
    pub(crate) expected: HashMap<String, Vec<String>>,
    /// Number of records: documents, new versions and removals.
    pub(crate) records: u64,
}

impl Harvest {
    pub(crate) fn write(dir: &Path, documents: u64) -> Self {
        let database = fjall::Database::builder(dir.join("index")).open().expect("a database");
        let index = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).expect("a keyspace");
        let store =
            SegmentStore::open(dir.join("segments"), index, database, SegmentOptions::default()).expect("a store");
        let mut harvest = Self { store, expected: HashMap::new(), records: 0 };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            for number in 0..documents {
                let quads = if number % 1_000 == 999 { LARGE_QUADS } else { QUADS };
                harvest.put(number, "first", quads).await;
                // New versions and removals follow soon after the first version.
                if number % 10 == 9 {
                    harvest.put(number - 5, "second", QUADS).await;
                }
                if number % 20 == 19 {
                    harvest.put(number - 12, "deleted", 0).await;
                }
            }
            harvest.store.commit().await.expect("a store");
        });
        harvest
    }

    async fn put(&mut self, number: u64, version: &str, count: u64) {
        let document = Uri::parse(&format!("http://site{}.example/document/{number}", number % 97)).expect("a URI");
        let quads = quads(&document, version, count);
        let mut draft = self.store.draft(&document);
        for quad in &quads {
            draft.append(quad.as_ref());
        }
        self.store.put(draft.finish()).await.expect("a store");
        self.expected.insert(document.as_str().to_owned(), quads.iter().map(|quad| format!("{quad} .")).collect());
        self.records += 1;
        if self.records.is_multiple_of(GROUP) {
            self.store.commit().await.expect("a store");
        }
    }
}

fn quads(document: &Uri, version: &str, count: u64) -> Vec<Quad> {
    let node = NamedNode::new_unchecked;
    let graph = node(document.as_str().to_owned());
    let predicate = |index: u64| node(format!("http://vocabulary.example/ns#property{}", index % 7));
    let quad = |index: u64| match index % 6 {
        // A blank node as object and as subject.
        0 => Quad::new(
            graph.clone(),
            predicate(index),
            BlankNode::new_unchecked(format!("b{}", index / 6)),
            graph.clone(),
        ),
        1 => Quad::new(
            BlankNode::new_unchecked(format!("b{}", index / 6)),
            predicate(index),
            Literal::from(format!("{version} {index} \"quoted\" \\u0041 \\ and\nlines\r\t\u{1}é全😀")),
            graph.clone(),
        ),
        2 => Quad::new(
            node(format!("{document}#part{index}")),
            predicate(index),
            Literal::new_language_tagged_literal(format!("{version} {index}"), "pt-br").expect("a tag"),
            graph.clone(),
        ),
        _ => Quad::new(
            node(format!("{document}#part{index}")),
            predicate(index),
            node(format!("http://elsewhere.example/{version}/{index}?a=b%20c")),
            graph.clone(),
        ),
    };
    (0..count).map(quad).collect()
}
