//! Tests of dumping and restoring an archive.

use lodeward_archive::{Archive, ArchiveError};
use oxrdf::Quad;
use tempfile::TempDir;

use crate::fixture::{archive, everything, insert, lines, node, object, options, quad};

fn many_quads(name: &str, count: u64) -> Vec<Quad> {
    (0..count).map(|number| quad(name, number / 7, number % 3, object(number))).collect()
}

fn dump_bytes(archive: &Archive) -> Vec<u8> {
    let mut dump = Vec::new();
    archive.dump(&mut dump).unwrap();
    dump
}

#[test]
fn a_restored_archive_equals_the_dumped_one_and_is_writable() {
    let (_keep, archive) = archive();
    let (kept, dropped) = (many_quads("kept", 400), many_quads("dropped", 400));
    insert(&archive, kept.iter().chain(&dropped));
    let mut transaction = archive.begin();
    transaction.clear_graph(node("dropped").as_ref().into()).unwrap();
    transaction.set_note(b"how far", Some(b"here"));
    transaction.commit().unwrap();

    let dump = dump_bytes(&archive);
    insert(&archive, &many_quads("later", 10));
    let directory = TempDir::new().unwrap();
    let restored = Archive::restore(directory.path().join("archive"), &dump[..], &options()).unwrap();

    assert_eq!(everything(&restored.snapshot()), lines(&kept));
    assert_eq!(restored.snapshot().note(b"how far").unwrap().as_deref(), Some(&b"here"[..]));
    insert(&restored, &many_quads("later", 10));
    restored.reclaim().unwrap();
    assert_eq!(everything(&restored.snapshot()), everything(&archive.snapshot()));
    restored.snapshot().check().unwrap();
}

#[test]
fn an_unfinished_bulk_load_is_not_restored() {
    let (_keep, archive) = archive();
    let before = many_quads("before", 30);
    insert(&archive, &before);

    let mut loader = archive.bulk_loader();
    for quad in &many_quads("half", 500) {
        loader.add(quad.as_ref()).unwrap();
    }
    let dump = dump_bytes(&archive);
    loader.finish().unwrap();
    let directory = TempDir::new().unwrap();
    let restored = Archive::restore(directory.path().join("archive"), &dump[..], &options()).unwrap();

    assert_eq!(everything(&restored.snapshot()), lines(&before));
    insert(&restored, &many_quads("half", 500));
    assert_eq!(everything(&restored.snapshot()), everything(&archive.snapshot()));
    restored.snapshot().check().unwrap();
}

#[test]
fn invalid_dumps_are_rejected() {
    let (_keep, archive) = archive();
    insert(&archive, &many_quads("one", 30));
    let dump = dump_bytes(&archive);

    for damaged in [&b""[..], b"something else", &dump[..dump.len() / 2], &dump[..dump.len() - 1]] {
        let directory = TempDir::new().unwrap();
        let restored = Archive::restore(directory.path().join("archive"), damaged, &options());
        assert!(matches!(restored, Err(ArchiveError::Dump(_))));
    }
}
