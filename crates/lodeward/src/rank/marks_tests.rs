use std::fs;

use super::*;

fn names(marks: &Marks) -> Vec<(&str, &'static str)> {
    marks.iter().map(|(entity, marked)| (entity, marked.opinion.name())).collect()
}

fn by(who: &str) -> By {
    By { who: Some(who.to_owned()), at_ms: Some(7) }
}

#[test]
fn the_last_mark_counts_and_survives() {
    let folder = tempfile::tempdir().unwrap();
    let mut marks = Marks::of_crawl(folder.path()).unwrap();
    assert!(marks.is_empty());

    assert_eq!(marks.set(["urn:a", "urn:b", "urn:a"], Some(Opinion::Keep), &by("eva")).unwrap(), 2);
    assert_eq!(marks.set(["urn:b", "urn:c"], Some(Opinion::Drop), &By::default()).unwrap(), 2);
    assert_eq!(marks.set(["urn:c", "urn:d"], None, &By::default()).unwrap(), 1, "what has no mark loses none");
    assert_eq!(marks.set(["urn:a"], Some(Opinion::Keep), &By::default()).unwrap(), 0, "nothing has changed");

    let again = Marks::of_crawl(folder.path()).unwrap();
    assert_eq!(names(&again), [("urn:a", "keep"), ("urn:b", "drop")]);
    assert_eq!(names(&marks), names(&again));
    assert_eq!(again.of("urn:a").unwrap().by, by("eva"));
    assert_eq!(again.judgments(), [("urn:a".to_owned(), true), ("urn:b".to_owned(), false)]);
}

#[test]
fn changes_are_taken_back_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut marks = Marks::of_crawl(folder.path()).unwrap();
    let nobody = By::default();
    marks.set(["urn:a", "urn:b"], Some(Opinion::Keep), &nobody).unwrap();
    marks.set(["urn:b", "urn:c"], Some(Opinion::Drop), &nobody).unwrap();

    let undo = |expected: usize, left: &[(&str, &str)]| {
        let mut marks = Marks::of_crawl(folder.path()).unwrap();
        assert_eq!(marks.undo(&nobody).unwrap(), expected);
        assert_eq!(names(&marks), left);
    };
    undo(2, &[("urn:a", "keep"), ("urn:b", "keep")]);
    undo(2, &[]);
    undo(0, &[]);
    marks.set(["urn:d"], Some(Opinion::Keep), &nobody).unwrap();
    undo(1, &[]);
    undo(0, &[]);
}

#[test]
fn two_who_mark_at_a_time_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = |name: &'static str| {
        let path = folder.path().to_owned();
        std::thread::spawn(move || {
            let mut marks = Marks::of_crawl(&path).unwrap();
            for number in 0..20 {
                marks.set([format!("urn:{name}{number}").as_str()], Some(Opinion::Keep), &By::default()).unwrap();
            }
        })
    };

    for thread in [mark("a"), mark("b"), mark("c")] {
        thread.join().unwrap();
    }

    assert_eq!(Marks::of_crawl(folder.path()).unwrap().len(), 60);
}

#[test]
fn a_half_written_line_is_passed_over_wherever_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let mut marks = Marks::of_crawl(folder.path()).unwrap();
    marks.set(["urn:a"], Some(Opinion::Keep), &By::default()).unwrap();
    let whole = fs::read(&path).unwrap();
    marks.set(["urn:b"], Some(Opinion::Keep), &By::default()).unwrap();
    let both = fs::read(&path).unwrap();

    for length in whole.len()..both.len() {
        fs::write(&path, &both[..length]).unwrap();
        let mut cut = Marks::of_crawl(folder.path()).unwrap();
        assert_eq!(names(&cut), [("urn:a", "keep")], "cut after {length} bytes");
        cut.set(["urn:c"], Some(Opinion::Drop), &By::default()).unwrap();
        assert_eq!(names(&Marks::of_crawl(folder.path()).unwrap()), [("urn:a", "keep"), ("urn:c", "drop")]);
    }
}

#[test]
fn a_damaged_line_is_told_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    Marks::of_crawl(folder.path()).unwrap().set(["urn:a"], Some(Opinion::Keep), &By::default()).unwrap();
    let damaged = [fs::read(&path).unwrap(), b"garbage\n".to_vec()].concat();
    fs::write(&path, &damaged).unwrap();

    let error = Marks::of_crawl(folder.path()).unwrap_err().to_string();

    assert!(error.contains("line 2") && error.ends_with("mend or remove that line"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), damaged);
}

#[test]
fn a_file_full_of_replaced_lines_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..2_500).map(|number| format!("urn:{number}")).collect();
    let all = || names.iter().map(String::as_str);
    let mut marks = Marks::of_crawl(folder.path()).unwrap();
    let lines = || fs::read_to_string(folder.path().join(FILE_NAME)).unwrap().lines().count();

    for opinion in [Opinion::Keep, Opinion::Drop, Opinion::Keep, Opinion::Drop] {
        marks.set(all(), Some(opinion), &by("eva")).unwrap();
    }
    assert_eq!(lines(), 10_000);
    marks.set(all().take(1), Some(Opinion::Keep), &by("eva")).unwrap();

    assert_eq!(lines(), 2_500);
    let again = Marks::of_crawl(folder.path()).unwrap();
    assert_eq!(again.len(), 2_500);
    assert_eq!(again.of("urn:0").unwrap().opinion, Opinion::Keep);
    assert_eq!(again.of("urn:1").unwrap(), &Marked { opinion: Opinion::Drop, by: by("eva") });
}

#[test]
fn what_is_no_name_cannot_be_marked() {
    let folder = tempfile::tempdir().unwrap();
    let mut marks = Marks::of_crawl(folder.path()).unwrap();
    let long = "x".repeat(10_000);
    for wrong in ["", "urn:a\nurn:b", long.as_str()] {
        assert!(matches!(marks.set([wrong], Some(Opinion::Keep), &By::default()), Err(MarksError::Entity(_))));
    }
    assert!(!folder.path().join(FILE_NAME).exists());
}
