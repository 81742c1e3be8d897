//! Damaged segments: reported, read around, repaired and fetched again, with the real binary.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::running_service::RunningService;
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

/// The newest journal of a database.
fn journal(web: &TestWeb, database: &str) -> PathBuf {
    let files = fs::read_dir(web.path(database)).unwrap().map(|file| file.unwrap().path());
    let mut journals: Vec<_> = files.filter(|path| path.extension().is_some_and(|name| name == "jnl")).collect();
    journals.sort();
    journals.pop().unwrap()
}

/// Changes one bit in the middle of the written part of a journal. Returns the damaged bytes.
fn damage_journal(path: &PathBuf) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap();
    let written = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[written / 2] ^= 8;
    fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
fn a_damaged_state_is_reported_and_repaired_on_request() {
    let web = web();
    crawl(&web, &["-o", "harvest.nq"]);
    let harvest = sorted_lines(&web.path("harvest.nq"));
    let path = journal(&web, "data/crawls/1/state");
    let damaged = damage_journal(&path);

    let explained = web.lodeward(&["explain", "http://a.example/", "--data", "data"]);
    let crawled = web.crawl("data", &[]).output().unwrap();
    let rebuilt = web.lodeward(&["archive", "rebuild", "--all", "--data", "data"]);
    for refused in [&explained, &crawled, &rebuilt] {
        let messages = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{messages}");
        assert!(messages.contains("error: the state of the crawl is damaged: data/crawls/1/state/"), "{messages}");
        assert!(messages.contains("run `lodeward repair`"), "{messages}");
    }
    assert!(fs::read(&path).unwrap() == damaged, "a damaged journal is not changed");

    let repaired = web.lodeward(&["repair", "--data", "data"]);
    assert_eq!(repaired.status.code(), Some(0), "{}", text(&repaired.stderr));
    assert!(text(&repaired.stderr).contains("was cut at byte "), "{}", text(&repaired.stderr));
    crawl(&web, &["-o", "again.nq"]);
    assert!(sorted_lines(&web.path("again.nq")) == harvest);
    assert!(export(&web).1 == harvest, "the archive agrees");
}

#[test]
fn a_lost_state_is_not_taken_for_an_empty_one() {
    for is_deleted in [false, true] {
        let web = web();
        crawl(&web, &["-o", "harvest.nq"]);
        let harvest = sorted_lines(&web.path("harvest.nq"));
        if is_deleted {
            fs::remove_dir_all(web.path("data/crawls/1/state")).unwrap();
        } else {
            fs::write(journal(&web, "data/crawls/1/state"), "").unwrap();
        }

        let crawled = web.crawl("data", &[]).output().unwrap();
        let rebuilt = web.lodeward(&["archive", "rebuild", "--all", "--data", "data"]);
        for refused in [&crawled, &rebuilt] {
            let messages = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{messages}");
            assert!(messages.contains("the state of the frontier is damaged: changes are lost"), "{messages}");
        }
        let kept = web.lodeward(&["export", "--data", "data", "--no-catch-up", "-o", "kept.nq"]);
        assert_eq!(kept.status.code(), Some(0));
        assert!(sorted_lines(&web.path("kept.nq")) == harvest, "the archive is not emptied");

        assert_eq!(web.lodeward(&["repair", "--data", "data"]).status.code(), Some(0));
        crawl(&web, &["-o", "again.nq"]);
        assert!(sorted_lines(&web.path("again.nq")) == harvest);
    }
}

#[test]
fn a_damaged_or_lost_journal_of_the_archive_is_reported() {
    let web = web();
    fs::write(web.path("service.toml"), "").unwrap();
    // Only an archive that was not closed has a journal.
    let killed = RunningService::start(&web, "data", &["--no-auth"]);
    let statement = ("text/turtle", "<http://a.example/s> <http://a.example/p> 1 .");
    let stored = killed.request("PUT", "/store?graph=http://a.example/g", Some(statement)).unwrap();
    assert_eq!(stored.status, 201, "{}", stored.text);
    drop(killed);
    let path = journal(&web, "data/archive");
    let whole = fs::read(&path).unwrap();
    let query = || {
        let output = web.lodeward(&["query", "ASK {}", "--data", "data"]);
        (output.status.code(), text(&output.stderr))
    };

    damage_journal(&path);
    let (code, messages) = query();
    assert!(code == Some(1) && messages.contains("error: archive is corrupted: data/archive/"), "{messages}");
    assert!(messages.contains("lodeward archive rebuild --all"), "{messages}");

    fs::write(&path, "").unwrap();
    let (code, messages) = query();
    assert!(code == Some(1) && messages.contains("error: archive is corrupted: changes are lost"), "{messages}");

    fs::write(&path, whole).unwrap();
    assert_eq!(query(), (Some(0), String::new()));
}

#[test]
fn a_damaged_status_is_rebuilt_and_missing_seeds_are_noticed() {
    let web = web();
    crawl(&web, &["--strategy", "bfs"]);
    let status = || web.lodeward(&["status", "--json", "--data", "data"]);
    let tally = |output: Output| {
        let status: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (status["status"]["snapshot"]["tally"].clone(), status["status"]["snapshot"]["census"].clone())
    };
    let before = tally(status());
    let path = web.path("data/crawls/1/status.json");
    let whole = fs::read(&path).unwrap();

    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(tally(status()), before, "a cut file");
    fs::write(&path, "{\"process\": \"x\"}").unwrap();
    crawl(&web, &["--strategy", "bfs"]);
    assert_eq!(tally(status()), before, "a changed file, and the crawl is resumed");
    fs::remove_file(&path).unwrap();
    assert_eq!(tally(status()), before, "a deleted file");

    fs::remove_file(web.path("data/crawls/1/seeds.txt")).unwrap();
    let resumed = web.crawl_from(&[], "data", &["--strategy", "bfs"]).output().unwrap();
    assert_eq!(resumed.status.code(), Some(1), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stderr).contains("the seeds of the crawl are missing"), "{}", text(&resumed.stderr));
    crawl(&web, &["--strategy", "bfs"]);
    let seeds = fs::read_to_string(web.path("data/crawls/1/seeds.txt")).unwrap();
    assert_eq!(seeds.lines().count(), web.world.seeds().len() + 1, "the seeds, and a line with their number");
}
