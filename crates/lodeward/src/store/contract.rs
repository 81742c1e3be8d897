//! The contract of all stores, as tests. `store_contract!(make)` runs the tests; `make` is a future
//! that yields a store and a value that must live as long as the store, such as its directory.

use oxrdf::{BlankNode, Literal, NamedNode, Quad};

use super::{ExportSummary, FinishedDraft, Store};
use crate::model::Uri;

/// The URI of the document with this number.
#[must_use]
pub fn uri(number: usize) -> Uri {
    Uri::parse(&format!("http://a.example/document/{number}")).unwrap()
}

/// Returns a draft of a document with `quads` statements, each of which contains `version`.
pub fn sample_draft(store: &impl Store, document: &Uri, version: &str, quads: usize) -> FinishedDraft {
    let mut draft = store.draft(document);
    for number in 0..quads {
        let subject = BlankNode::new_unchecked(format!("b{number}"));
        let object = Literal::from(format!("{version} {number}"));
        let graph = NamedNode::new_unchecked(document.as_str());
        draft.append(Quad::new(subject, NamedNode::new_unchecked("http://a.example/p"), object, graph).as_ref());
    }
    draft.finish()
}

/// Returns the N-Quads lines of the document that [`sample_draft`] writes.
#[must_use]
pub fn lines(document: &Uri, version: &str, quads: usize) -> Vec<String> {
    let line = |number| format!("_:b{number} <http://a.example/p> \"{version} {number}\" <{document}> .");
    (0..quads).map(line).collect()
}

/// Exports a store. Returns the counts and the lines.
pub fn harvest(store: &impl Store) -> (ExportSummary, Vec<String>) {
    let mut bytes = Vec::new();
    let exported = store.export(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    (exported, text.lines().map(str::to_owned).collect())
}

/// Checks that a store has exactly these versions of these documents.
pub fn check(store: &impl Store, expected: &[(usize, &str, usize)]) {
    let (exported, mut found) = harvest(store);
    let mut lines: Vec<String> =
        expected.iter().flat_map(|&(number, version, quads)| lines(&uri(number), version, quads)).collect();
    found.sort();
    lines.sort();
    let quads = lines.len() as u64;
    assert_eq!(found, lines);
    assert_eq!(exported, ExportSummary { documents: expected.len() as u64, quads });
}

/// Tests that a store fulfils the contract of all stores.
#[macro_export]
macro_rules! store_contract {
    ($make:expr) => {
        use $crate::store::Store as _;
        use $crate::store::contract::{check, sample_draft, uri};

        #[tokio::test]
        async fn committed_documents_are_exported() {
            let (_keep, store) = $make.await;

            store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
            store.put(sample_draft(&store, &uri(2), "first", 2)).await.unwrap();
            store.commit().await.unwrap();
            store.put(sample_draft(&store, &uri(3), "first", 1)).await.unwrap();
            store.commit().await.unwrap();
            store.sync().await.unwrap();

            check(&store, &[(1, "first", 3), (2, "first", 2), (3, "first", 1)]);
        }

        #[tokio::test]
        async fn an_empty_store_exports_nothing() {
            let (_keep, store) = $make.await;

            store.commit().await.unwrap();
            store.sync().await.unwrap();

            check(&store, &[]);
        }

        #[tokio::test]
        async fn putting_a_document_again_replaces_it() {
            let (_keep, store) = $make.await;
            store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
            store.put(sample_draft(&store, &uri(2), "first", 3)).await.unwrap();
            store.commit().await.unwrap();

            store.put(sample_draft(&store, &uri(1), "second", 2)).await.unwrap();
            store.commit().await.unwrap();

            check(&store, &[(1, "second", 2), (2, "first", 3)]);
        }

        #[tokio::test]
        async fn the_last_of_two_versions_in_one_group_counts() {
            let (_keep, store) = $make.await;

            store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
            store.put(sample_draft(&store, &uri(1), "second", 2)).await.unwrap();
            store.put(sample_draft(&store, &uri(2), "first", 1)).await.unwrap();
            store.put(sample_draft(&store, &uri(2), "none", 0)).await.unwrap();
            store.commit().await.unwrap();

            check(&store, &[(1, "second", 2)]);
        }

        #[tokio::test]
        async fn a_draft_that_is_not_put_leaves_no_trace() {
            let (_keep, store) = $make.await;
            store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
            store.commit().await.unwrap();

            drop(store.draft(&uri(2)));
            drop(sample_draft(&store, &uri(3), "first", 5));
            drop(sample_draft(&store, &uri(4), "first", 20_000));
            store.commit().await.unwrap();

            check(&store, &[(1, "first", 3)]);
        }

        #[tokio::test]
        async fn a_document_without_statements_is_removed() {
            let (_keep, store) = $make.await;
            store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
            store.put(sample_draft(&store, &uri(2), "first", 3)).await.unwrap();
            store.commit().await.unwrap();

            store.put(sample_draft(&store, &uri(1), "none", 0)).await.unwrap();
            store.put(sample_draft(&store, &uri(3), "none", 0)).await.unwrap();
            store.commit().await.unwrap();

            check(&store, &[(2, "first", 3)]);
        }

        #[tokio::test]
        async fn a_large_document_is_exported() {
            let (_keep, store) = $make.await;

            store.put(sample_draft(&store, &uri(1), "small", 3)).await.unwrap();
            store.put(sample_draft(&store, &uri(2), "large", 20_000)).await.unwrap();
            store.put(sample_draft(&store, &uri(3), "small", 3)).await.unwrap();
            store.put(sample_draft(&store, &uri(4), "first", 3)).await.unwrap();
            store.put(sample_draft(&store, &uri(4), "large", 20_000)).await.unwrap();
            store.put(sample_draft(&store, &uri(5), "large", 20_000)).await.unwrap();
            store.put(sample_draft(&store, &uri(5), "last", 1)).await.unwrap();
            store.commit().await.unwrap();

            check(
                &store,
                &[(1, "small", 3), (2, "large", 20_000), (3, "small", 3), (4, "large", 20_000), (5, "last", 1)],
            );
        }

        #[tokio::test]
        async fn a_document_with_a_long_uri_is_exported() {
            let (_keep, store) = $make.await;
            let uri = format!("http://a.example/sparql?query={}", "x".repeat(5_000));
            let uri = $crate::model::Uri::parse_stored(&uri).unwrap();

            store.put(sample_draft(&store, &uri, "first", 3)).await.unwrap();
            store.commit().await.unwrap();

            let (exported, found) = $crate::store::contract::harvest(&store);
            assert_eq!((exported.documents, exported.quads, found.len()), (1, 3, 3));
        }

        #[tokio::test]
        async fn a_document_put_during_a_commit_waits_for_the_next() {
            let (_keep, store) = $make.await;
            store.put(sample_draft(&store, &uri(1), "first", 30)).await.unwrap();

            let (first, put, second) =
                tokio::join!(store.commit(), store.put(sample_draft(&store, &uri(1), "second", 2)), store.commit(),);
            store.commit().await.unwrap();

            assert!(first.is_ok() && put.is_ok() && second.is_ok());
            check(&store, &[(1, "second", 2)]);
        }

        #[tokio::test]
        async fn named_graphs_are_stored_unchanged() {
            let (_keep, store) = $make.await;
            let node = oxrdf::NamedNode::new_unchecked;
            let mut draft = store.draft(&uri(1));
            let triple =
                oxrdf::Triple::new(node("http://a.example/s"), node("http://a.example/p"), node("http://a.example/o"));

            draft.append(triple.clone().in_graph(node("http://a.example/elsewhere")).as_ref());
            draft.append(triple.clone().in_graph(node(uri(1).as_str())).as_ref());
            store.put(draft.finish()).await.unwrap();
            store.commit().await.unwrap();

            let (_, mut lines) = $crate::store::contract::harvest(&store);
            lines.sort();
            let graphs = [uri(1).to_string(), "http://a.example/elsewhere".to_owned()];
            assert_eq!(lines, graphs.map(|graph| format!("{triple} <{graph}> .")));
        }
    };
}

pub use store_contract;
