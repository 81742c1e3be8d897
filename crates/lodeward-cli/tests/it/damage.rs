//! Damaged segments: reported, read around, repaired and fetched again, with the real binary.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::web::{TestWeb, sorted_lines, succeed};

/// The exit code of a command that has read a part of damaged data.
const DAMAGED: Option<i32> = Some(5);

fn web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 10;
        parameters.robots.crawl_delay_share = 0.0;
    })
}

/// Crawls into `data`, with a commit for almost every document, so that the segment has many frames.
fn crawl(web: &TestWeb, arguments: &[&str]) -> Output {
    let mut command = web.crawl("data", arguments);
    command.env("LODEWARD_TEST_SAVE_INTERVAL", "1ms");
    succeed(command)
}

fn segment(web: &TestWeb) -> PathBuf {
    web.path("data/crawls/1/segments/000001.nq.zst")
}

/// Changes one bit in the middle of the segment. Returns the damaged bytes.
fn damage_the_middle(web: &TestWeb) -> Vec<u8> {
    let mut bytes = fs::read(segment(web)).unwrap();
    let labels: Vec<usize> = (0..bytes.len() - 12).filter(|&at| bytes[at + 8..].starts_with(b"LDW1")).collect();
    assert!(labels.len() > 4, "the segment has many frames: {}", labels.len());
    bytes[labels[labels.len() / 2] + 40] ^= 1;
    fs::write(segment(web), &bytes).unwrap();
    bytes
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exports the archive. Returns the exit code, the statements and the messages.
fn export(web: &TestWeb) -> (Option<i32>, Vec<String>, String) {
    let output = web.lodeward(&["export", "--data", "data", "-o", "exported.nq"]);
    (output.status.code(), sorted_lines(&web.path("exported.nq")), text(&output.stderr))
}

#[test]
fn a_damaged_segment_is_read_around_repaired_and_fetched_again() {
    let web = web();
    crawl(&web, &["-o", "harvest.nq"]);
    let harvest = sorted_lines(&web.path("harvest.nq"));
    let damaged = damage_the_middle(&web);

    let rebuilt = web.lodeward(&["archive", "rebuild", "--all", "--data", "data"]);
    let (code, rest, messages) = export(&web);
    let queried = web.lodeward(&["query", "ASK {}", "--data", "data"]);
    let dry_run = web.lodeward(&["repair", "--data", "data", "--dry-run"]);

    assert_eq!([rebuilt.status.code(), code, queried.status.code(), dry_run.status.code()], [DAMAGED; 4]);
    assert!(messages.contains("error: crawl `default` is damaged: data/crawls/1/segments/000001.nq.zst, bytes "));
    assert!(messages.contains("hint: all other documents were read; `lodeward repair --name default`"), "{messages}");
    let documents = text(&dry_run.stdout);
    let is_damaged = |line: &&String| documents.lines().any(|document| line.contains(&format!("<{document}> .")));
    let intact: Vec<String> = harvest.iter().filter(|line| !is_damaged(line)).cloned().collect();
    assert!(!documents.is_empty() && !rest.is_empty() && rest.len() < harvest.len());
    assert!(rest == intact, "exactly the documents of `repair --dry-run` are missing");
    assert!(fs::read(segment(&web)).unwrap() == damaged, "reading changes no file");

    let repaired = web.lodeward(&["repair", "--data", "data"]);
    let (code, left, messages) = export(&web);
    assert_eq!(repaired.status.code(), Some(0), "{}", text(&repaired.stderr));
    assert_eq!((text(&repaired.stdout), code, messages.contains("damaged")), (documents, Some(0), false));
    assert!(left == intact, "the archive agrees with the harvest");

    let requests = web.requests_served();
    crawl(&web, &["-o", "again.nq"]);
    assert!(sorted_lines(&web.path("again.nq")) == harvest, "the damaged documents are fetched again");
    assert!(export(&web).1 == harvest);
    let fetched = web.requests_served() - requests;
    assert!(fetched < 20, "other documents are not fetched again: {fetched} requests");
}

#[test]
fn a_resumed_crawl_reports_damage_and_keeps_the_rest() {
    let web = web();
    crawl(&web, &["-o", "harvest.nq"]);
    damage_the_middle(&web);

    let resumed = web.crawl("data", &["-o", "rest.nq"]).output().unwrap();

    assert_eq!(resumed.status.code(), DAMAGED);
    assert!(text(&resumed.stderr).contains("error: crawl `default` is damaged"), "{}", text(&resumed.stderr));
    assert!(sorted_lines(&web.path("rest.nq")).len() * 2 > sorted_lines(&web.path("harvest.nq")).len());
}

#[test]
fn a_torn_end_is_cut_by_the_next_crawl_only() {
    let web = web();
    crawl(&web, &["-o", "harvest.nq"]);
    let whole = fs::read(segment(&web)).unwrap();
    let torn = &whole[..whole.len() - 3];
    fs::write(segment(&web), torn).unwrap();

    let exported = export(&web);
    web.lodeward(&["explain", "http://a.example/", "--data", "data"]);
    web.lodeward(&["changes", "--data", "data"]);
    web.lodeward(&["archive", "rebuild", "--all", "--data", "data"]);
    assert!(fs::read(segment(&web)).unwrap() == torn, "reading changes no file");
    assert_eq!(exported.0, DAMAGED);

    crawl(&web, &["-o", "again.nq"]);
    assert!(sorted_lines(&web.path("again.nq")) == sorted_lines(&web.path("harvest.nq")));
    let files = fs::read_dir(segment(&web).parent().unwrap()).unwrap().map(|file| file.unwrap().path());
    let kept: Vec<PathBuf> = files.filter(|path| path.to_string_lossy().contains(".torn-")).collect();
    assert_eq!(kept.len(), 1);
    assert!(torn.ends_with(&fs::read(&kept[0]).unwrap()));
    assert_eq!(export(&web).0, Some(0));
}

#[test]
fn a_backup_of_a_damaged_crawl_has_the_same_files() {
    let web = web();
    crawl(&web, &[]);
    let damaged = damage_the_middle(&web);

    let backup = web.lodeward(&["backup", "--data", "data", "--to", "backup"]);
    let restored = web.lodeward(&["restore", "backup", "--data", "restored"]);
    let checked = web.lodeward(&["repair", "--data", "restored", "--dry-run"]);

    assert_eq!(restored.status.code(), Some(0), "{}", text(&backup.stderr));
    assert!(fs::read(web.path("restored/crawls/1/segments/000001.nq.zst")).unwrap() == damaged);
    assert_eq!(checked.status.code(), DAMAGED);
}
