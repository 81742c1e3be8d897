//! One meaning per type name: a name is declared once in the workspace.

use std::collections::{BTreeMap, BTreeSet};

use crate::rust_items::types;
use crate::rust_lexer::line_of;
use crate::test_code::{product_code, product_files};
use crate::{Finding, TextFile};

/// Names that mean the same in every crate, and may occur once in each.
const ONCE_PER_CRATE: &[&str] = &["Error", "Result", "Builder", "Config", "Options", "Iter", "Report"];

/// `Inner` is the private part behind an `Arc`; it may repeat where it is private.
const PRIVATE: &str = "Inner";

/// `Readme` carries the README of a crate as a doctest.
const DOCTEST: &str = "Readme";

/// A type of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The name.
    pub name: String,
    /// The crate that declares it.
    pub crate_name: String,
    /// The file that declares it.
    pub path: String,
    /// The line of the name.
    pub line: usize,
    /// Whether it is visible outside of its module.
    pub is_public: bool,
}

/// All types and type aliases of the product, tests excluded.
#[must_use]
pub fn type_names(files: &[TextFile]) -> Vec<TypeName> {
    let mut names = Vec::new();
    for file in product_files(files) {
        let code = product_code(&file.text);
        names.extend(types(&code).into_iter().map(|declaration| TypeName {
            line: line_of(&code, declaration.offset),
            name: declaration.name,
            crate_name: file.crate_name().unwrap_or_default().to_owned(),
            path: file.path.clone(),
            is_public: declaration.is_public,
        }));
    }
    names
}

/// The types that share their name with another type although it may not repeat.
#[must_use]
pub fn clashes(names: &[TypeName]) -> Vec<&TypeName> {
    let mut by_name: BTreeMap<&str, Vec<&TypeName>> = BTreeMap::new();
    for name in names {
        by_name.entry(&name.name).or_default().push(name);
    }
    by_name.into_values().filter(|same| same.len() > 1 && !may_repeat(same)).flatten().collect()
}

fn may_repeat(same: &[&TypeName]) -> bool {
    let crates: BTreeSet<_> = same.iter().map(|name| &name.crate_name).collect();
    match same[0].name.as_str() {
        DOCTEST => true,
        PRIVATE => same.iter().all(|name| !name.is_public),
        name => ONCE_PER_CRATE.contains(&name) && crates.len() == same.len(),
    }
}

/// A finding for each type whose name another type has, too.
#[must_use]
pub fn check(files: &[TextFile]) -> Vec<Finding> {
    let names = type_names(files);
    clashes(&names)
        .into_iter()
        .map(|name| {
            Finding::new(
                &name.path,
                name.line,
                format!("type name used more than once: `{}`; add its subject to the name", name.name),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| TextFile::new(path, text)).collect();
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_that_two_types_have_is_found_at_both() {
        let clashes = found(&[
            ("crates/a/src/lib.rs", "//! A.\npub struct Visit;"),
            ("crates/b/src/lib.rs", "enum Other {}\n\ntype Visit = u8;"),
        ]);
        assert_eq!(
            clashes,
            [
                "crates/a/src/lib.rs:2: type name used more than once: `Visit`; add its subject to the name",
                "crates/b/src/lib.rs:3: type name used more than once: `Visit`; add its subject to the name"
            ]
        );
    }

    #[test]
    fn a_name_in_tests_comments_and_strings_is_no_clash() {
        let clashes = found(&[
            ("crates/a/src/lib.rs", "struct Visit; // struct Visit;\nconst A: &str = \"struct Visit;\";"),
            ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests { struct Visit; }"),
            ("crates/a/tests/it/main.rs", "struct Visit;"),
        ]);
        assert_eq!(clashes, [""; 0]);
    }

    #[test]
    fn options_may_occur_once_per_crate() {
        let one = ("crates/a/src/lib.rs", "pub struct Options;");
        assert_eq!(found(&[one, ("crates/b/src/lib.rs", "pub struct Options;")]).len(), 0);
        assert_eq!(found(&[one, ("crates/a/src/b.rs", "pub struct Options;")]).len(), 2);
    }

    #[test]
    fn inner_may_repeat_where_it_is_private() {
        let one = ("crates/a/src/lib.rs", "struct Inner;");
        assert_eq!(found(&[one, ("crates/a/src/b.rs", "struct Inner;")]).len(), 0);
        assert_eq!(found(&[one, ("crates/a/src/b.rs", "pub(crate) struct Inner;")]).len(), 2);
    }
}
