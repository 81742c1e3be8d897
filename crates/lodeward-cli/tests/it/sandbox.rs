//! A temporary directory in which the binary is run.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use tidy::sandbox::BinarySandbox;

pub(crate) use tidy::sandbox::CommandOutput;

pub(crate) struct Sandbox(BinarySandbox);

impl Deref for Sandbox {
    type Target = BinarySandbox;

    fn deref(&self) -> &BinarySandbox {
        &self.0
    }
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self(BinarySandbox::new(env!("CARGO_BIN_EXE_lodeward")))
    }

    /// The result of a query of `data`: its rows, sorted, without the header.
    pub(crate) fn rows(&self, arguments: &[&str]) -> Vec<String> {
        let mut all = vec!["query", "--data", "data", "--format", "tsv"];
        all.extend(arguments);
        sorted(self.succeed(&all).lines().skip(1))
    }
}

pub(crate) fn sorted<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// A file of this repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
