//! Separates test code from product code: whole files and items under `#[cfg(test)]`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::TextFile;
use crate::rust_lexer::{blank, code_only};

static TEST_ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"#\[\s*(?:cfg\s*\(\s*(?:test\s*\)|all\s*\(\s*test\b[^\]]*)|test\s*)\]").expect("a valid pattern")
});
static MODULE_DECLARATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bmod\s+([a-z_][a-z0-9_]*)\s*;").expect("a valid pattern"));
static PATH_ATTRIBUTE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"#\[path\s*=\s*"([^"]+)"\]"#).expect("a valid pattern"));
static ITEM_START: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:pub(?:\s*\([^)]*\))?\s+)?(?:mod|fn|use|impl|struct|enum|union|const|static|type|trait|async|unsafe|extern|macro_rules)\b",
    )
    .expect("a valid pattern")
});

/// The code of a file without comments, literals and test items; offsets stay.
pub(crate) fn product_code(source: &str) -> String {
    let code = code_only(source);
    let mut bytes = code.clone().into_bytes();
    for range in test_ranges(&code) {
        blank(&mut bytes, range);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The items that only tests compile, from their attribute to their end.
pub(crate) fn test_ranges(code: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for attribute in TEST_ATTRIBUTE.find_iter(code) {
        if ranges.last().is_none_or(|last| attribute.start() >= last.end) {
            ranges.push(attribute.start()..item_end(code, attribute.end()));
        }
    }
    ranges
}

/// Paths of the product's Rust files: those below `crates/*/src` that are neither
/// named as tests nor declared under `#[cfg(test)]`.
pub(crate) fn product_files(files: &[TextFile]) -> Vec<&TextFile> {
    let declared = declared_tests(files);
    files
        .iter()
        .filter(|file| file.has_extension("rs") && file.crate_name().is_some() && file.path.contains("/src/"))
        .filter(|file| !is_named_as_test(&file.path))
        .filter(|file| !declared.iter().any(|test| file.path == format!("{test}.rs") || is_below(&file.path, test)))
        .collect()
}

/// Whether a Rust file is test code by its path.
pub(crate) fn is_named_as_test(path: &str) -> bool {
    let mut parts = path.split('/').skip_while(|part| *part != "crates").skip(2);
    path.ends_with("_tests.rs") || path.ends_with("/tests.rs") || parts.any(|part| matches!(part, "tests" | "benches"))
}

/// Paths, without `.rs`, of the modules that are declared under `#[cfg(test)]`.
fn declared_tests(files: &[TextFile]) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for file in files.iter().filter(|file| file.has_extension("rs")) {
        let code = code_only(&file.text);
        for range in test_ranges(&code) {
            let Some(declaration) = MODULE_DECLARATION.captures(&code[range.clone()]) else { continue };
            let directory = module_directory(&file.path);
            let beside = file.path.rsplit_once('/').map_or("", |(directory, _)| directory);
            modules.insert(match PATH_ATTRIBUTE.captures(&file.text[range]) {
                Some(path) => format!("{beside}/{}", path[1].trim_end_matches(".rs")),
                None => format!("{directory}/{}", &declaration[1]),
            });
        }
    }
    modules
}

/// The directory in which the submodules of a file are.
fn module_directory(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => directory.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    }
}

fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// Where the item behind an attribute ends: after its body, its `;`, or, if it is
/// a field or a variant, after its `,`.
fn item_end(code: &str, after_attribute: usize) -> usize {
    let start = skip_attributes(code, after_attribute);
    let is_item = ITEM_START.is_match(&code[start..]);
    let mut depth = 0_usize;
    for (offset, byte) in code.as_bytes()[start..].iter().enumerate() {
        let here = start + offset;
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' if depth == 0 => return here,
            b'}' if depth == 1 && is_item && !continues(&code[here + 1..]) => return here + 1,
            b'}' | b')' | b']' => depth -= 1,
            b';' if depth == 0 => return here + 1,
            b',' if depth == 0 && !is_item => return here + 1,
            _ => {}
        }
    }
    code.len()
}

/// Whether a closed brace is not the end of the item, as in `use a::{b};`.
fn continues(rest: &str) -> bool {
    rest.trim_start().starts_with(';')
}

fn skip_attributes(code: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        if !code[at..].starts_with("#[") {
            return at;
        }
        at = code[at..].find(']').map_or(code.len(), |length| at + length + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_items_are_blanked_and_product_items_stay() {
        let source = "struct A;\n#[cfg(test)]\nmod tests {\n    struct B { c: u8 }\n}\nstruct D;\n";
        let code = product_code(source);
        assert!(code.contains("struct A;") && code.contains("struct D;"), "{code}");
        assert!(!code.contains("struct B"), "{code}");
    }

    #[test]
    fn a_test_constant_ends_at_its_semicolon() {
        let code = product_code("#[cfg(test)]\npub(crate) const ALL: &[Self] = &[X { y: 1 }];\nstruct A;");
        assert_eq!(code.trim(), "struct A;");
    }

    #[test]
    fn a_test_field_ends_at_its_comma() {
        let code = product_code("struct A { #[cfg(test)] count: usize, other: u8 }");
        assert!(code.contains("other: u8 }") && !code.contains("count"), "{code}");
    }

    #[test]
    fn a_test_import_with_braces_ends_at_its_semicolon() {
        let code = product_code("#[cfg(test)]\nuse a::{b, c};\nstruct A;");
        assert_eq!(code.trim(), "struct A;");
    }

    #[test]
    fn modules_declared_under_cfg_test_are_no_product_files() {
        let files = [
            TextFile::new("crates/a/src/lib.rs", "mod b;\n#[cfg(test)]\nmod fixtures;\n"),
            TextFile::new("crates/a/src/fixtures.rs", ""),
            TextFile::new("crates/a/src/fixtures/more.rs", ""),
            TextFile::new("crates/a/src/b.rs", "#[cfg(test)]\n#[path = \"b_checks.rs\"]\nmod checks;"),
            TextFile::new("crates/a/src/b_checks.rs", ""),
            TextFile::new("crates/a/src/b/tests.rs", ""),
            TextFile::new("crates/a/tests/it/main.rs", ""),
        ];
        let paths: Vec<_> = product_files(&files).into_iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["crates/a/src/lib.rs", "crates/a/src/b.rs"]);
    }
}
