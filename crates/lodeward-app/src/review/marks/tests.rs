//! Tests of the mark file.

use std::fs;

use super::*;

fn names(marks: &MarkFile) -> Vec<(&str, &'static str)> {
    marks.iter().map(|(entity, marked)| (entity, marked.mark.name())).collect()
}

fn author(user: &str) -> MarkAuthor {
    MarkAuthor { user: Some(user.to_owned()), at_ms: Some(7) }
}

#[test]
fn the_last_mark_counts_and_is_durable() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = MarkFile::open(dir.path()).unwrap();
    assert!(marks.is_empty());

    assert_eq!(marks.set(["urn:a", "urn:b", "urn:a"], Some(MarkKind::Keep), &author("eva")).unwrap(), 2);
    assert_eq!(marks.set(["urn:b", "urn:c"], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap(), 2);
    assert_eq!(marks.set(["urn:c", "urn:d"], None, &MarkAuthor::default()).unwrap(), 1, "urn:d has no mark");
    assert_eq!(marks.set(["urn:a"], Some(MarkKind::Keep), &MarkAuthor::default()).unwrap(), 0, "no change");

    let again = MarkFile::open(dir.path()).unwrap();
    assert_eq!(names(&again), [("urn:a", "keep"), ("urn:b", "drop")]);
    assert_eq!(names(&marks), names(&again));
    assert_eq!(again.get("urn:a").unwrap().author, author("eva"));
    assert_eq!(again.relevance_labels(), [("urn:a".to_owned(), true), ("urn:b".to_owned(), false)]);
}

#[test]
fn changes_are_undone_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = MarkFile::open(dir.path()).unwrap();
    let anonymous = MarkAuthor::default();
    marks.set(["urn:a", "urn:b"], Some(MarkKind::Keep), &anonymous).unwrap();
    marks.set(["urn:b", "urn:c"], Some(MarkKind::Drop), &anonymous).unwrap();

    let undo = |expected: usize, left: &[(&str, &str)]| {
        let mut marks = MarkFile::open(dir.path()).unwrap();
        assert_eq!(marks.undo(&anonymous).unwrap(), UndoSummary { changed: expected, superseded: 0 });
        assert_eq!(names(&marks), left);
    };
    undo(2, &[("urn:a", "keep"), ("urn:b", "keep")]);
    undo(2, &[]);
    undo(0, &[]);
    marks.set(["urn:d"], Some(MarkKind::Keep), &anonymous).unwrap();
    undo(1, &[]);
    undo(0, &[]);
}

#[test]
fn concurrent_marks_are_all_stored() {
    let dir = tempfile::tempdir().unwrap();
    let mark = |name: &'static str| {
        let path = dir.path().to_owned();
        std::thread::spawn(move || {
            let mut marks = MarkFile::open(&path).unwrap();
            for number in 0..20 {
                marks
                    .set([format!("urn:{name}{number}").as_str()], Some(MarkKind::Keep), &MarkAuthor::default())
                    .unwrap();
            }
        })
    };

    for thread in [mark("a"), mark("b"), mark("c")] {
        thread.join().unwrap();
    }

    assert_eq!(MarkFile::open(dir.path()).unwrap().len(), 60);
}

#[test]
fn an_incomplete_line_is_ignored_wherever_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    let mut marks = MarkFile::open(dir.path()).unwrap();
    marks.set(["urn:a"], Some(MarkKind::Keep), &MarkAuthor::default()).unwrap();
    let whole = fs::read(&path).unwrap();
    marks.set(["urn:b"], Some(MarkKind::Keep), &MarkAuthor::default()).unwrap();
    let both = fs::read(&path).unwrap();

    for length in whole.len()..both.len() {
        fs::write(&path, &both[..length]).unwrap();
        let mut cut = MarkFile::open(dir.path()).unwrap();
        assert_eq!(names(&cut), [("urn:a", "keep")], "truncated after {length} bytes");
        cut.set(["urn:c"], Some(MarkKind::Drop), &MarkAuthor::default()).unwrap();
        assert_eq!(names(&MarkFile::open(dir.path()).unwrap()), [("urn:a", "keep"), ("urn:c", "drop")]);
    }
}

#[test]
fn an_invalid_line_is_reported_and_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    MarkFile::open(dir.path()).unwrap().set(["urn:a"], Some(MarkKind::Keep), &MarkAuthor::default()).unwrap();
    let damaged = [fs::read(&path).unwrap(), b"garbage\n".to_vec()].concat();
    fs::write(&path, &damaged).unwrap();

    let error = MarkFile::open(dir.path()).unwrap_err().to_string();

    assert!(error.contains("line 2") && error.ends_with("fix or remove that line"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), damaged);
}

#[test]
fn a_line_of_an_older_version_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let line = r#"{"entity":"urn:a","mark":"keep","was":"drop","batch":1,"who":"eva","at_ms":7}"#;
    fs::write(dir.path().join(FILE_NAME), format!("{line}\n")).unwrap();

    let error = MarkFile::open(dir.path()).unwrap_err();

    assert!(matches!(error, MarksError::Version { line: 1, .. }), "{error}");
    assert!(error.to_string().contains("line 1: unknown field `was`"), "{error}");
}

#[test]
fn a_file_of_obsolete_lines_is_compacted() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..2_500).map(|number| format!("urn:{number}")).collect();
    let all = || names.iter().map(String::as_str);
    let mut marks = MarkFile::open(dir.path()).unwrap();
    let lines = || fs::read_to_string(dir.path().join(FILE_NAME)).unwrap().lines().count();

    for mark in [MarkKind::Keep, MarkKind::Drop, MarkKind::Keep, MarkKind::Drop] {
        marks.set(all(), Some(mark), &author("eva")).unwrap();
    }
    assert_eq!(lines(), 10_000);
    marks.set(all().take(1), Some(MarkKind::Keep), &author("eva")).unwrap();

    assert_eq!(lines(), 2_500);
    let again = MarkFile::open(dir.path()).unwrap();
    assert_eq!(again.len(), 2_500);
    assert_eq!(again.get("urn:0").unwrap().mark, MarkKind::Keep);
    assert_eq!(again.get("urn:1").unwrap(), &MarkRecord { mark: MarkKind::Drop, author: author("eva") });
}

#[test]
fn an_invalid_name_cannot_be_marked() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = MarkFile::open(dir.path()).unwrap();
    let long = "x".repeat(10_000);
    for wrong in ["", "urn:a\nurn:b", long.as_str()] {
        assert!(matches!(marks.set([wrong], Some(MarkKind::Keep), &MarkAuthor::default()), Err(MarksError::Entity(_))));
    }
    assert!(!dir.path().join(FILE_NAME).exists());
}

#[test]
fn an_undo_reverts_the_last_change_of_its_user() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = MarkFile::open(dir.path()).unwrap();
    marks.set(["urn:a", "urn:b"], Some(MarkKind::Keep), &author("eva")).unwrap();
    marks.set(["urn:c"], Some(MarkKind::Keep), &author("max")).unwrap();

    let undone = marks.undo(&author("eva")).unwrap();

    assert_eq!(undone, UndoSummary { changed: 2, superseded: 0 });
    assert_eq!(names(&marks), [("urn:c", "keep")]);
    assert_eq!(marks.undo(&author("eva")).unwrap().changed, 0, "the change of max is not hers");
    assert_eq!(marks.undo(&MarkAuthor::default()).unwrap().changed, 0);
    assert_eq!(marks.undo(&author("max")).unwrap().changed, 1);
    assert!(marks.is_empty());
}

#[test]
fn an_undo_never_reverts_the_change_of_another_user() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = MarkFile::open(dir.path()).unwrap();
    marks.set(["urn:a", "urn:b"], Some(MarkKind::Keep), &author("eva")).unwrap();
    marks.set(["urn:a"], Some(MarkKind::Drop), &author("max")).unwrap();

    assert_eq!(marks.undo(&author("eva")).unwrap(), UndoSummary { changed: 1, superseded: 1 });
    assert_eq!(names(&marks), [("urn:a", "drop")]);
    assert_eq!(marks.get("urn:a").unwrap().author, author("max"));
    assert_eq!(marks.undo(&author("max")).unwrap().changed, 1);

    let again = MarkFile::open(dir.path()).unwrap();
    assert_eq!(names(&again), [("urn:a", "keep")]);
    assert_eq!(again.get("urn:a").unwrap().author, author("eva"), "the mark is that of eva again");
}

#[test]
fn the_history_names_user_time_and_marks_of_each_change() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = MarkFile::open(dir.path()).unwrap();
    marks.set(["urn:a"], Some(MarkKind::Keep), &author("eva")).unwrap();
    marks.set(["urn:a"], Some(MarkKind::Drop), &author("max")).unwrap();
    marks.undo(&author("max")).unwrap();

    let history: Vec<MarkChange> = MarkFile::open(dir.path()).unwrap().history().collect();

    let change = |batch, mark, previous, is_undo, user| MarkChange {
        entity: "urn:a".to_owned(),
        mark: Some(mark),
        previous,
        batch: Some(batch),
        is_undo,
        author: author(user),
    };
    let (keep, drop) = (MarkKind::Keep, MarkKind::Drop);
    let expected = [
        change(3, keep, Some(drop), true, "max"),
        change(2, drop, Some(keep), false, "max"),
        change(1, keep, None, false, "eva"),
    ];
    assert_eq!(history, expected);
}

#[test]
fn users_who_mark_at_the_same_time_undo_only_their_own_changes() {
    let dir = tempfile::tempdir().unwrap();
    let work = |user: &'static str| {
        let path = dir.path().to_owned();
        std::thread::spawn(move || {
            let mut marks = MarkFile::open(&path).unwrap();
            for number in 0..10 {
                let own = format!("urn:{user}{number}");
                marks.set([own.as_str(), "urn:shared"], Some(MarkKind::Keep), &author(user)).unwrap();
                marks.set([own.as_str()], Some(MarkKind::Drop), &author(user)).unwrap();
                assert_eq!(marks.undo(&author(user)).unwrap(), UndoSummary { changed: 1, superseded: 0 });
                assert_eq!(marks.get(&own).unwrap().mark, MarkKind::Keep);
            }
        })
    };

    for thread in [work("eva"), work("max")] {
        thread.join().unwrap();
    }

    assert_eq!(MarkFile::open(dir.path()).unwrap().kept().count(), 21);
}

#[test]
fn a_change_can_be_undone_by_its_number() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = MarkFile::open(dir.path()).unwrap();
    let (keep, drop) = (Some(MarkKind::Keep), Some(MarkKind::Drop));
    marks.set_selected(["urn:a", "urn:b"], drop, &author("eva"), Some("hop > 1")).unwrap();
    marks.set(["urn:c"], keep, &author("eva")).unwrap();
    marks.set(["urn:b"], keep, &author("max")).unwrap();

    assert_eq!(marks.undo_preview(Some(1), &author("max")), UndoSummary { changed: 1, superseded: 1 });
    assert_eq!(marks.undo_batch(1, &author("max")).unwrap(), UndoSummary { changed: 1, superseded: 1 });
    assert_eq!(marks.undo_batch(1, &author("max")).unwrap().changed, 0);
    assert_eq!(marks.undo_batch(9, &author("max")).unwrap(), UndoSummary::default());

    let batches = MarkFile::open(dir.path()).unwrap().batches();
    let shown: Vec<_> =
        batches.iter().map(|batch| (batch.number, batch.count, batch.undoes, batch.is_undone)).collect();
    assert_eq!(shown, [(4, 1, Some(1), false), (3, 1, None, false), (2, 1, None, false), (1, 2, None, true)]);
    assert_eq!((batches[3].filter.as_deref(), batches[3].first.as_str()), (Some("hop > 1"), "urn:a"));
    assert_eq!((marks.get("urn:a"), marks.get("urn:b").unwrap().mark), (None, MarkKind::Keep));
}
