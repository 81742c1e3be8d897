//! An archive as one file.

use lodeward_archive::{Archive, ArchiveError};
use oxrdf::Quad;
use tempfile::TempDir;

use crate::fixture::{archive, everything, insert, lines, node, object, options, quad};

fn many(name: &str, count: u64) -> Vec<Quad> {
    (0..count).map(|number| quad(name, number / 7, number % 3, object(number))).collect()
}

fn dumped(archive: &Archive) -> Vec<u8> {
    let mut dump = Vec::new();
    archive.dump(&mut dump).unwrap();
    dump
}

#[test]
fn an_archive_comes_back_from_its_dump_and_goes_on() {
    let (_keep, archive) = archive();
    let (kept, dropped) = (many("kept", 400), many("dropped", 400));
    insert(&archive, kept.iter().chain(&dropped));
    let mut transaction = archive.begin();
    transaction.clear_graph(node("dropped").as_ref().into()).unwrap();
    transaction.note(b"how far", Some(b"here"));
    transaction.commit().unwrap();

    let dump = dumped(&archive);
    insert(&archive, &many("later", 10));
    let folder = TempDir::new().unwrap();
    let restored = Archive::restore(folder.path().join("archive"), &dump[..], &options()).unwrap();

    assert_eq!(everything(&restored.snapshot()), lines(&kept));
    assert_eq!(restored.snapshot().note(b"how far").unwrap().as_deref(), Some(&b"here"[..]));
    insert(&restored, &many("later", 10));
    restored.reclaim().unwrap();
    assert_eq!(everything(&restored.snapshot()), everything(&archive.snapshot()));
    restored.snapshot().check().unwrap();
}

#[test]
fn what_a_bulk_load_has_not_finished_is_not_in_what_comes_back() {
    let (_keep, archive) = archive();
    let before = many("before", 30);
    insert(&archive, &before);

    let mut loader = archive.bulk_loader();
    for quad in &many("half", 500) {
        loader.add(quad.as_ref()).unwrap();
    }
    let dump = dumped(&archive);
    loader.finish().unwrap();
    let folder = TempDir::new().unwrap();
    let restored = Archive::restore(folder.path().join("archive"), &dump[..], &options()).unwrap();

    assert_eq!(everything(&restored.snapshot()), lines(&before));
    insert(&restored, &many("half", 500));
    assert_eq!(everything(&restored.snapshot()), everything(&archive.snapshot()));
    restored.snapshot().check().unwrap();
}

#[test]
fn what_is_no_dump_is_told() {
    let (_keep, archive) = archive();
    insert(&archive, &many("one", 30));
    let dump = dumped(&archive);

    for damaged in [&b""[..], b"something else", &dump[..dump.len() / 2], &dump[..dump.len() - 1]] {
        let folder = TempDir::new().unwrap();
        let refused = Archive::restore(folder.path().join("archive"), damaged, &options());
        assert!(matches!(refused, Err(ArchiveError::Dump(_))));
    }
}
