//! Tests of archives with flipped bits on disk.

use std::fs;
use std::path::{Path, PathBuf};

use lodeward_archive::Archive;
use oxrdf::Quad;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::fixture::{everything, insert, lines, object, options, quad};

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

#[test]
fn a_damaged_archive_is_rejected_or_has_the_right_content() {
    let original = tempfile::tempdir().unwrap();
    let archive = Archive::open(original.path(), &options()).unwrap();
    let mut quads: Vec<Quad> = (0..400).map(|number| quad("one", number / 3, number % 3, object(number))).collect();
    let mut loader = archive.bulk_loader();
    for quad in &quads {
        loader.add(quad.as_ref()).unwrap();
    }
    loader.finish().unwrap();
    let more: Vec<Quad> = (0..100).map(|number| quad("two", number / 3, number % 3, object(number))).collect();
    insert(&archive, &more);
    archive.sync().unwrap();
    drop(archive);
    quads.extend(more);

    let rng = &mut SmallRng::seed_from_u64(3);
    let (mut rejected, mut harmless) = (0, 0);
    for _ in 0..40 {
        let damaged = tempfile::tempdir().unwrap();
        copy(original.path(), damaged.path());
        let files: Vec<PathBuf> =
            files(damaged.path()).into_iter().filter(|file| fs::metadata(file).unwrap().len() > 0).collect();
        let file = &files[rng.random_range(0..files.len())];
        let mut bytes = fs::read(file).unwrap();
        let written = bytes.iter().rposition(|byte| *byte != 0).map_or(bytes.len(), |last| last + 1);
        bytes[rng.random_range(0..written)] ^= 1 << rng.random_range(0..8);
        fs::write(file, bytes).unwrap();

        let name = file.strip_prefix(damaged.path()).unwrap().display().to_string();
        match Archive::open(damaged.path(), &options()).and_then(|archive| archive.snapshot().check().map(|_| archive))
        {
            Ok(archive) => {
                assert_eq!(everything(&archive.snapshot()), lines(&quads), "{name}");
                harmless += 1;
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(rejected > 0 && harmless + rejected == 40);
}
