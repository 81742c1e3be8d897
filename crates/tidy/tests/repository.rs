//! Runs every rule over the repository.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use tidy::known::{Violation, unknown};
use tidy::metrics::SourceMetrics;
use tidy::{
    Finding, Repository, function_length, imports, links, make_targets, module_docs, report, type_names, words,
};

static REPOSITORY: LazyLock<Repository> = LazyLock::new(|| Repository::read().unwrap());

#[track_caller]
fn assert_none(rule: &str, findings: &[Finding]) {
    assert!(!REPOSITORY.files.is_empty(), "no files to check");
    assert!(findings.is_empty(), "{}", report(rule, findings));
}

/// A table of this crate.
fn data(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[track_caller]
fn assert_only_known(rule: &str, violations: Vec<Violation>) {
    assert_none(rule, &unknown(rule, violations, &data("known_violations.txt")));
}

#[test]
fn type_names_are_unique() {
    assert_none("type names", &type_names::check(&REPOSITORY.files));
}

#[test]
fn words_are_plain() {
    let allowances = words::parse_allowances(&data("allowed_words.txt")).unwrap();
    assert_none("words", &words::check(&REPOSITORY.files, &allowances));
}

#[test]
fn links_lead_somewhere() {
    assert_none("links", &links::check(&REPOSITORY));
}

#[test]
fn indexes_list_every_page() {
    for index in links::INDEXES {
        assert_none("indexes", &links::check_index(&REPOSITORY.files, *index));
    }
}

#[test]
fn documented_make_targets_exist() {
    assert_none("make targets", &make_targets::check(&REPOSITORY));
}

#[test]
fn files_begin_with_a_module_doc() {
    assert_none("module docs", &module_docs::check(&REPOSITORY.files));
}

#[test]
fn modules_do_not_import_each_other() {
    assert_only_known("cycle", imports::check_cycles(&REPOSITORY.files));
}

#[test]
fn modules_import_only_lower_modules() {
    assert_only_known("order", imports::check_order(&REPOSITORY.files, &data("module_order.txt")));
}

#[test]
fn crates_depend_only_on_lower_crates() {
    assert_only_known("dependency", imports::check_crates(&REPOSITORY.files, &data("crate_dependencies.txt")));
}

#[test]
fn functions_are_short() {
    assert_only_known("function", function_length::check(&REPOSITORY.files));
}

#[test]
fn the_library_has_few_public_items() {
    const MAX_PUBLIC_ITEMS: usize = 350;

    let items = SourceMetrics::of(&REPOSITORY.files).crates["lodeward"].public_items.items;

    assert!(items <= MAX_PUBLIC_ITEMS, "`lodeward` has {items} public items, at most {MAX_PUBLIC_ITEMS} are allowed");
}
