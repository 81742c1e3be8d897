//! Tests that archives of the current format version can be read, and those of other versions are
//! rejected.
//!
//! `tests/formats/N.tar.zst` was written by the version that introduced format N, with the ignored
//! test below. It must never be regenerated.

use std::path::PathBuf;

use lodeward_archive::{Archive, ArchiveError, Collection, Options};
use oxrdf::{GraphName, Quad};
use tempfile::TempDir;

use crate::fixture::{everything, graph, lines, node, object, quad};

fn formats() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

/// The content of the files.
fn content() -> Vec<Quad> {
    let loaded = (0..300).map(|number| quad("loaded", number / 3, number % 3, object(number)));
    let put = (0..50).map(|number| quad("document", number, 1, object(number + 500)));
    let mut quads: Vec<Quad> = loaded.chain(put).collect();
    let in_default_graph = |quad: Quad| Quad { graph_name: GraphName::DefaultGraph, ..quad };
    quads.extend((0..20).map(|number| in_default_graph(quad("", number, 2, object(number)))));
    quads
}

fn write(archive: &Archive) {
    let mut loader = archive.bulk_loader();
    for quad in content().iter().filter(|quad| quad.graph_name == graph("loaded")) {
        loader.add(quad.as_ref()).unwrap();
    }
    loader.finish().unwrap();
    let mut transaction = archive.begin();
    let content = content();
    let document = content.iter().filter(|quad| quad.graph_name == graph("document"));
    transaction.put_document(Collection(3), node("document").as_ref(), document.map(Quad::as_ref)).unwrap();
    for quad in content.iter().filter(|quad| quad.graph_name.is_default_graph()) {
        transaction.insert(quad.as_ref()).unwrap();
    }
    transaction.insert(quad("dropped", 1, 1, object(2)).as_ref()).unwrap();
    transaction.create_graph(node("empty").as_ref().into()).unwrap();
    transaction.set_note(b"note", Some(b"kept"));
    transaction.commit().unwrap();
    let mut transaction = archive.begin();
    transaction.drop_graph(graph("dropped").as_ref()).unwrap();
    transaction.commit().unwrap();
}

#[test]
#[ignore = "writes the file of a new format, once"]
fn write_the_file_of_the_current_format() {
    let directory = tempfile::tempdir().unwrap();
    let archive = Archive::open(directory.path(), &Options::default()).unwrap();
    write(&archive);
    archive.sync().unwrap();
    drop(archive);
    let file = std::fs::File::create_new(formats().join("2.tar.zst")).unwrap();
    let mut tar = tar::Builder::new(zstd::Encoder::new(file, 19).unwrap());
    tar.append_dir_all(".", directory.path()).unwrap();
    tar.into_inner().unwrap().finish().unwrap();
}

fn unpack(format: u32) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let file = std::fs::File::open(formats().join(format!("{format}.tar.zst"))).unwrap();
    tar::Archive::new(zstd::Decoder::new(file).unwrap()).unpack(directory.path()).unwrap();
    directory
}

/// Version 1 has provenance among the quads.
#[test]
fn an_archive_of_an_earlier_version_is_rejected() {
    let directory = unpack(1);

    let result = Archive::open(directory.path(), &Options::default());

    let Err(ArchiveError::Format { found, known, .. }) = result else { panic!("the archive was opened") };
    assert_eq!((found, known), (1, 2));
}

#[test]
fn archives_of_the_format_version_are_readable_and_writable() {
    for format in [2] {
        let directory = unpack(format);

        let archive = Archive::open(directory.path(), &Options::default()).unwrap();
        let snapshot = archive.snapshot();
        assert_eq!(everything(&snapshot), lines(&content()));
        assert_eq!(snapshot.note(b"note").unwrap().as_deref(), Some(&b"kept"[..]));
        assert_eq!(snapshot.collection_graphs(Collection(3)).count(), 1);
        assert_eq!(snapshot.named_graphs().count(), 3);
        for quad in content() {
            assert!(snapshot.contains(quad.as_ref()).unwrap(), "{quad} is missing");
        }
        drop(snapshot);

        assert_eq!(archive.drop_collection(Collection(3)).unwrap(), 1);
        write(&archive);
        archive.reclaim().unwrap();
        assert_eq!(everything(&archive.snapshot()), lines(&content()));
        assert_eq!(archive.snapshot().check().unwrap().stale_postings, 0);
    }
}

#[test]
fn an_unknown_format_version_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    drop(Archive::open(directory.path(), &Options::default()).unwrap());
    let database = fjall::Database::builder(directory.path()).open().unwrap();
    let meta = database.keyspace("meta", fjall::KeyspaceCreateOptions::default).unwrap();
    meta.insert("format", 3_u32.to_be_bytes()).unwrap();
    drop((meta, database));

    let result = Archive::open(directory.path(), &Options::default());
    let Err(ArchiveError::Format { found, known, .. }) = result else { panic!("the archive was opened") };
    assert_eq!((found, known), (3, 2));
}

#[test]
fn a_database_without_format_version_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let database = fjall::Database::builder(directory.path()).open().unwrap();
    let meta = database.keyspace("meta", fjall::KeyspaceCreateOptions::default).unwrap();
    meta.insert("something", "else").unwrap();
    drop((meta, database));

    assert!(matches!(Archive::open(directory.path(), &Options::default()), Err(ArchiveError::Corrupted(_))));
}
