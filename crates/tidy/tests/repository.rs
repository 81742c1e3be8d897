//! Runs every rule over the repository.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use tidy::{Finding, Repository, links, make_targets, module_docs, report, type_names, words};

static REPOSITORY: LazyLock<Repository> = LazyLock::new(|| Repository::read().unwrap());

#[track_caller]
fn assert_none(rule: &str, findings: &[Finding]) {
    assert!(!REPOSITORY.files.is_empty(), "no files to check");
    assert!(findings.is_empty(), "{}", report(rule, findings));
}

#[test]
fn type_names_are_unique() {
    assert_none("type names", &type_names::check(&REPOSITORY.files));
}

#[test]
fn words_are_plain() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("allowed_words.txt");
    let allowances = words::parse_allowances(&fs::read_to_string(list).unwrap()).unwrap();
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
