//! Every Rust file begins with a module doc: `//!` and what the module is
//! responsible for.

use crate::{Finding, TextFile};

/// A finding for each Rust file in `crates/` that does not begin with `//!`.
#[must_use]
pub fn check(files: &[TextFile]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| file.has_extension("rs") && file.crate_name().is_some() && !has_module_doc(&file.text))
        .map(|file| {
            Finding::new(&file.path, 1, "no module doc: begin the file with `//!` and what it is responsible for")
        })
        .collect()
}

fn has_module_doc(text: &str) -> bool {
    text.trim_start()
        .strip_prefix("//!")
        .and_then(|rest| rest.lines().next())
        .is_some_and(|line| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_module_doc_are_found() {
        let files = [
            TextFile::new("crates/a/src/lib.rs", "//! Reads pages.\n"),
            TextFile::new("crates/a/src/b.rs", "use std::fmt;\n//! Too late.\n"),
            TextFile::new("crates/a/tests/it/main.rs", "//!\nuse std::fmt;\n"),
            TextFile::new("crates/a/examples/c.rs", "// Not a doc.\n"),
        ];
        let paths: Vec<_> = check(&files).into_iter().map(|finding| finding.path).collect();
        assert_eq!(paths, ["crates/a/src/b.rs", "crates/a/tests/it/main.rs", "crates/a/examples/c.rs"]);
    }
}
