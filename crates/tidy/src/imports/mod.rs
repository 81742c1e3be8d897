//! Imports in one direction: between the top-level modules of a crate, and between
//! the crates of the workspace.
//!
//! A top-level module is a file or a directory in `src`. An import is a path that
//! begins with `crate::`, or with as many `super::` as lead to the crate root, in a
//! `use` line or elsewhere in code; tests and comments do not count. A name that
//! `lib.rs` re-exports is an import of the module that declares it.

mod crates;
mod cycles;
mod order;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::TextFile;
use crate::rust_lexer::line_of;
use crate::test_code::{product_code, product_files};
use crate::use_tree::used_paths;

pub use crates::check as check_crates;
pub use cycles::check as check_cycles;
pub use order::check as check_order;

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(crate|super(?:\s*::\s*super)*)\s*::\s*(\{|[A-Za-z_][A-Za-z0-9_]*)").expect("a valid pattern")
});

/// A place where one top-level module of a crate uses another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ModuleImport {
    pub(crate) crate_name: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) path: String,
    pub(crate) line: usize,
}

/// The top-level module of a file below `src`; none for the crate roots.
pub(crate) fn module_of(path: &str) -> Option<&str> {
    let first = source_path(path)?.split('/').next()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(module, "lib" | "main" | "bin")).then_some(module)
}

fn source_path(path: &str) -> Option<&str> {
    path.split_once("/src/").map(|(_, rest)| rest)
}

/// The top-level modules of each crate.
pub(crate) fn modules(files: &[TextFile]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut modules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in product_files(files) {
        let in_crate = modules.entry(file.crate_name().unwrap_or_default()).or_default();
        in_crate.extend(module_of(&file.path));
    }
    modules
}

/// All imports between top-level modules, ordered by crate, module and place.
pub(crate) fn imports(files: &[TextFile]) -> Vec<ModuleImport> {
    let modules = modules(files);
    let reexports = root_reexports(files);
    let mut found = BTreeSet::new();
    for file in product_files(files) {
        let (Some(crate_name), Some(from)) = (file.crate_name(), module_of(&file.path)) else { continue };
        let code = product_code(&file.text);
        for (name, offset) in names_in_root(&code, depth(&file.path)) {
            let declared_in = reexports.get(&(crate_name, name.to_owned())).map_or(name, String::as_str);
            if declared_in != from && modules[crate_name].contains(declared_in) {
                found.insert(ModuleImport {
                    crate_name: crate_name.to_owned(),
                    from: from.to_owned(),
                    to: declared_in.to_owned(),
                    path: file.path.clone(),
                    line: line_of(&code, offset),
                });
            }
        }
    }
    found.into_iter().collect()
}

/// How many `super::` lead from a file to the crate root.
fn depth(path: &str) -> usize {
    let parts = source_path(path).unwrap_or_default().split('/');
    parts.filter(|part| *part != "mod.rs").count()
}

/// The names of the crate root that code uses, with their offsets.
fn names_in_root(code: &str, depth: usize) -> Vec<(&str, usize)> {
    let mut names = Vec::new();
    for captures in PATH.captures_iter(code) {
        let (Some(root), Some(next)) = (captures.get(1), captures.get(2)) else { continue };
        if root.as_str() != "crate" && root.as_str().matches("super").count() != depth {
            continue;
        }
        match next.as_str() {
            "{" => names_in_group(code, next.end(), &mut names),
            name => names.push((name, next.start())),
        }
    }
    names
}

/// The first name of each path in a group, from behind its opening brace.
fn names_in_group<'a>(code: &'a str, open: usize, names: &mut Vec<(&'a str, usize)>) {
    let mut depth = 0_usize;
    let mut is_first = true;
    for (length, byte) in code.as_bytes()[open..].iter().enumerate() {
        let at = open + length;
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return,
            b'}' => depth -= 1,
            b',' if depth == 0 => is_first = true,
            byte if is_first && depth == 0 && !byte.is_ascii_whitespace() => {
                is_first = false;
                let end = code[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
                names.push((&code[at..at + end], at));
            }
            _ => {}
        }
    }
}

/// What the crate roots import from their modules: a crate and a name, to the module.
fn root_reexports(files: &[TextFile]) -> BTreeMap<(&str, String), String> {
    let mut reexports = BTreeMap::new();
    for file in product_files(files) {
        if !matches!(source_path(&file.path), Some("lib.rs" | "main.rs")) {
            continue;
        }
        for used in used_paths(&product_code(&file.text)) {
            let mut segments = used.segments.into_iter().skip_while(|part| matches!(part.as_str(), "crate" | "self"));
            if let Some(module) = segments.next() {
                reexports.insert((file.crate_name().unwrap_or_default(), used.name), module);
            }
        }
    }
    reexports
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| TextFile::new(path, text)).collect();
        imports(&files).iter().map(|i| format!("{}:{} {}->{}", i.path, i.line, i.from, i.to)).collect()
    }

    const MODULES: [(&str, &str); 3] = [
        ("crates/x/src/b.rs", ""),
        ("crates/x/src/c/mod.rs", ""),
        ("crates/x/src/lib.rs", "pub use c::d::{Item as I};"),
    ];

    fn check(path: &str, text: &str, expected: &[&str]) {
        let mut files = MODULES.to_vec();
        files.push((path, text));
        assert_eq!(found(&files), expected, "{text}");
    }

    #[test]
    fn use_lines_groups_and_paths_in_code_are_imports() {
        let path = "crates/x/src/a/mod.rs";
        check(path, "use crate::b::X;", &["crates/x/src/a/mod.rs:1 a->b"]);
        check(
            path,
            "use crate::{\n    b::{Y, c},\n    c,\n};",
            &["crates/x/src/a/mod.rs:2 a->b", "crates/x/src/a/mod.rs:3 a->c"],
        );
        check(path, "fn f() { crate::b::g(); }", &["crates/x/src/a/mod.rs:1 a->b"]);
        check(path, "use super::b::X;", &["crates/x/src/a/mod.rs:1 a->b"]);
        check("crates/x/src/a/e.rs", "use super::super::b;", &["crates/x/src/a/e.rs:1 a->b"]);
    }

    #[test]
    fn a_name_reexported_by_the_root_is_an_import_of_its_module() {
        check("crates/x/src/a.rs", "use crate::I;", &["crates/x/src/a.rs:1 a->c"]);
    }

    #[test]
    fn tests_comments_own_paths_and_other_crates_are_no_imports() {
        let path = "crates/x/src/a/e.rs";
        check(path, "// crate::b\n#[cfg(test)]\nmod tests { use crate::b; }", &[]);
        check(path, "use crate::a::b; use super::b; use other::b; use crate::Unknown;", &[]);
        check("crates/x/tests/it/main.rs", "use crate::b;", &[]);
    }
}
