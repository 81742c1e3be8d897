//! Lines of each crate, product, tests and examples apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::TextFile;
use crate::rust_lexer::code_only;
use crate::test_code::{product_files, test_ranges};

/// Lines of Rust, comments and empty lines included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// What users run.
    pub product: usize,
    /// Test files and items under `#[cfg(test)]`.
    pub tests: usize,
    /// Programs in `examples`.
    pub examples: usize,
}

/// The counts of each crate.
pub(crate) fn by_crate(files: &[TextFile]) -> BTreeMap<&str, LineCounts> {
    let product: BTreeSet<&str> = product_files(files).into_iter().map(|file| file.path.as_str()).collect();
    let mut counts: BTreeMap<&str, LineCounts> = BTreeMap::new();
    for file in files.iter().filter(|file| file.has_extension("rs")) {
        let Some(crate_name) = file.crate_name() else { continue };
        let of_crate = counts.entry(crate_name).or_default();
        let lines = file.text.lines().count();
        if product.contains(file.path.as_str()) {
            let code = code_only(&file.text);
            let tests: usize = test_ranges(&code).into_iter().map(|range| code[range].lines().count()).sum();
            of_crate.product += lines - tests;
            of_crate.tests += tests;
        } else if file.path.contains("/examples/") {
            of_crate.examples += lines;
        } else {
            of_crate.tests += lines;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_their_use() {
        let files = [
            TextFile::new("crates/x/src/lib.rs", "//! X.\nstruct A;\n#[cfg(test)]\nmod tests {\n}\n"),
            TextFile::new("crates/x/tests/it.rs", "a\nb\n"),
            TextFile::new("crates/x/examples/e.rs", "a\n"),
        ];
        assert_eq!(by_crate(&files)["x"], LineCounts { product: 2, tests: 5, examples: 1 });
    }
}
