//! The words rule on small files.

use super::*;

fn found(path: &str, text: &str) -> Vec<String> {
    check(&[TextFile::new(path, text)], &[]).iter().map(ToString::to_string).collect()
}

#[test]
fn whoever_is_found_in_every_place_that_people_read() {
    for (path, text) in [
        ("README.md", "Plain.\nWhoever reads this."),
        ("docs/a.md", "Plain.\n```text\nwhoever\n```"),
        ("lodeward.example.toml", "a = 1\n# whoever\n"),
        ("scripts/a.sh", "true\necho \"whoever\""),
        ("Makefile", "help:\n\t@echo whoever"),
        ("crates/a/src/lib.rs", "//! Plain.\n//! whoever\n"),
        ("crates/a/src/lib.rs", "fn f() {\n    g(); // whoever\n}"),
        ("crates/a/src/lib.rs", "fn f() {\n    bail!(\"no:\\nwhoever\");\n}"),
        ("crates/a/src/lib.rs", "\nconst A: &str = r#\"whoever\"#;"),
        ("crates/a/src/lib.rs", "#[cfg(test)]\nmod tests { fn f() { assert!(a, \"whoever\"); } }"),
        ("crates/a/tests/it/main.rs", "/*\nwhoever */"),
        ("crates/a/Cargo.toml", "[package]\ndescription = \"whoever\""),
    ] {
        let findings = found(path, text);
        assert_eq!(findings.len(), 1, "{path}: {text}");
        let line = 1 + text.to_lowercase().split("whoever").next().unwrap().matches('\n').count();
        assert!(findings[0].starts_with(&format!("{path}:{line}: ")), "{}", findings[0]);
    }
}

#[test]
fn identifiers_are_not_words() {
    assert_eq!(found("crates/a/src/lib.rs", "fn whoever() { let nobody = manners; }"), [""; 0]);
}

#[test]
fn a_phrase_may_break_over_lines() {
    assert_eq!(found("crates/a/src/lib.rs", "// The crawl is\n// told to stop.").len(), 1);
    assert_eq!(found("docs/a.md", "> The crawl is\n> told to stop.").len(), 1);
    assert_eq!(found("crates/a/src/lib.rs", "const A: &str = \"is \\\n    told\";").len(), 1);
}

#[test]
fn a_part_of_a_word_is_not_the_word() {
    assert_eq!(found("docs/a.md", "The engraves of classrooms are renewed, and this asked no one."), [""; 0]);
}

#[test]
fn every_word_of_the_table_is_found() {
    for text in [
        "whoever",
        "somebody",
        "nobody",
        "everybody",
        "anybody",
        "those who",
        "are told",
        "be told",
        "was asked",
        "be had",
        "who waits",
        "tells of",
        "told of",
        "is heard",
        "let in",
        "as it was said",
        "it is said",
        "web in a box",
        "manners",
        "berth",
        "luggage",
        "graves",
        "drawer",
        "barren",
        "the fetch room is small",
        "rooms",
        "what became of",
        "gone again",
        "anew",
    ] {
        assert_eq!(found("docs/a.md", text).len(), 1, "{text}");
    }
}

#[test]
fn room_for_something_is_no_module() {
    assert_eq!(found("docs/a.md", "There is no room left. Make room for more."), [""; 0]);
}

#[test]
fn an_allowance_covers_its_quotation_only() {
    let file = TextFile::new("docs/a.md", "The paper says: \"begin anew\". We begin anew.");
    let allowance =
        Allowance { path: file.path.clone(), quotation: "\"begin anew\"".to_owned(), reason: "quoted".to_owned() };
    assert_eq!(check(&[file], &[allowance]).len(), 1);
}

#[test]
fn an_allowance_that_covers_nothing_is_found() {
    let allowance = Allowance { path: "docs/a.md".into(), quotation: "anew".into(), reason: "quoted".into() };
    let findings = check(&[TextFile::new("docs/a.md", "again")], &[allowance]);
    assert_eq!(findings[0].message, "allowance covers nothing: remove `anew`");
}
