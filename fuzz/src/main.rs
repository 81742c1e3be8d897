//! Runs one target with libFuzzer: `LODEWARD_FUZZ_TARGET=rdf-xml fuzz CORPUS_DIRECTORY`.
//!
//! All targets are in one binary, because building with coverage takes much longer than linking. With
//! `LODEWARD_FUZZ_WRITE_CORPUS=DIRECTORY`, it writes the initial corpus of each target, prints the names of the
//! targets, and exits.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

mod corpus;
mod sparql;
mod targets;

thread_local! {
    static TARGET: Box<dyn targets::Target> = selected();
}

fn all_targets() -> Vec<Box<dyn targets::Target>> {
    let mut all = targets::all();
    all.push(Box::new(sparql::Sparql::new()));
    all
}

/// The target that the environment selects.
fn selected() -> Box<dyn targets::Target> {
    let name = std::env::var("LODEWARD_FUZZ_TARGET").unwrap_or_default();
    let mut all = all_targets();
    let names: Vec<&str> = all.iter().map(|target| target.name()).collect();
    let Some(at) = names.iter().position(|known| *known == name) else {
        eprintln!("unknown target `{name}`\nhint: set LODEWARD_FUZZ_TARGET to one of: {}", names.join(" "));
        std::process::exit(2);
    };
    all.swap_remove(at)
}

/// Writes the corpora instead of fuzzing, if the environment selects it.
fn write_corpora() {
    let Some(directory) = std::env::var_os("LODEWARD_FUZZ_WRITE_CORPUS") else { return };
    let suites = std::env::var_os("LODEWARD_FUZZ_SUITES");
    if let Err(error) = corpus::write(Path::new(&directory), &all_targets(), suites.as_deref().map(Path::new)) {
        eprintln!("cannot write corpora to {}: {error}", Path::new(&directory).display());
        std::process::exit(2);
    }
    std::process::exit(0);
}

fuzz_target!(init: write_corpora(), |input: &[u8]| {
    TARGET.with(|target| target.run(input));
});
