//! A session stores its status and its report, whatever happens at its end.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use lodeward::engine::{EndTask, StopReason};
use lodeward::model::Uri;
use lodeward_app::assemble::AssembleError;
use lodeward_app::crawl_dir::open_crawl;
use lodeward_app::data_dir::{CrawlStatus, DataDir};
use lodeward_app::report::CrawlReport;
use lodeward_app::session::{REPORT_FILE, Session, SessionEnd, SessionMonitor, SessionOptions};
use lodeward_app::settings::{Config, StrategyKind};

/// A server with one Turtle document. It ends with the test.
pub(crate) fn serve() -> Uri {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = String::new();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            while lines.read_line(&mut head).unwrap_or(0) > 2 {}
            let (status, body) = if head.contains(" /robots.txt ") {
                ("404 Not Found", "")
            } else {
                ("200 OK", "<#me> <http://xmlns.com/foaf/0.1/knows> <http://b.example/#you> .")
            };
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: text/turtle\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
        }
    });
    Uri::parse(&format!("http://{address}/ada")).unwrap()
}

/// The content of the status file at each call.
#[derive(Default)]
struct StatusLog(Vec<CrawlStatus>);

impl SessionMonitor for StatusLog {
    fn status(&mut self, status: &CrawlStatus) {
        self.0.push(status.clone());
    }
}

/// Runs a focused crawl of one document.
async fn run(directory: &Path, before: impl FnOnce(&Path)) -> (DataDir, SessionEnd, StatusLog) {
    let seed = serve();
    let mut config = Config::default();
    config.crawl.strategy = StrategyKind::Focus;
    config.crawl.max_depth = Some(0);
    config.fetch.allow_private_addresses = true;
    config.politeness.delay = std::time::Duration::ZERO;
    let data_dir = DataDir::open(directory).unwrap();
    let record = data_dir.create("default", "focus", 7, 1).unwrap();
    data_dir.crawl(record.id).add_seeds(&[seed]).unwrap();
    let dir = data_dir.crawl(record.id);
    let open = Arc::new(open_crawl(&config, &dir, || 1).unwrap());
    before(dir.path());
    let session = Session::new(config, data_dir.clone(), record, open, SessionOptions::default(), || 1).unwrap();
    let mut log = StatusLog::default();
    let (_commands, receiver) = tokio::sync::mpsc::channel(1);
    let end = session.run(receiver, &mut log).await.unwrap();
    (data_dir, end, log)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_stores_its_status_and_its_report() {
    let directory = tempfile::tempdir().unwrap();

    let (data_dir, end, log) = run(directory.path(), |_| ()).await;

    assert_eq!((end.stop_reason, end.report.tally.documents), (StopReason::Drained, 1));
    end.ranking.unwrap();
    assert!(end.report.ranking.is_some());
    let stored: CrawlReport = data_dir.crawl(1).read_json(REPORT_FILE).unwrap().unwrap();
    assert_eq!((stored.ranking, stored.tally), (end.report.ranking, end.report.tally));
    assert_eq!(data_dir.crawl(1).status().unwrap().as_ref(), log.0.last());
    assert_eq!(log.0.last().unwrap().stop_reason, Some(StopReason::Drained));
    let tasks: Vec<_> = log.0.iter().filter_map(|status| status.snapshot.ending.map(|ending| ending.task)).collect();
    assert_eq!(tasks.last(), Some(&EndTask::Ranking));
    assert_eq!(log.0.last().unwrap().snapshot.ending, None, "nothing is left after the ranking");
}

#[test]
fn a_crawl_is_opened_again_for_each_run() {
    let directory = tempfile::tempdir().unwrap();
    let config = Config::default();
    let data_dir = DataDir::open(directory.path()).unwrap();
    let record = data_dir.create("default", "bfs", 7, 1).unwrap();
    data_dir.crawl(record.id).add_seeds(&[Uri::parse("http://a.example/").unwrap()]).unwrap();
    let open = || Arc::new(open_crawl(&config, &data_dir.crawl(record.id), || 1).unwrap());
    let session = |open: &Arc<_>| {
        let options = SessionOptions::default();
        Session::new(config.clone(), data_dir.clone(), record.clone(), Arc::clone(open), options, || 1)
    };
    let opened = open();
    assert!(!opened.has_run());
    drop(session(&opened).unwrap());

    // The first run may have left leases and unwritten changes in memory.
    let refused = session(&opened);

    assert!(matches!(refused, Err(AssembleError::EarlierRun(_))));
    assert!(opened.has_run());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_ranking_does_not_prevent_the_report() {
    let directory = tempfile::tempdir().unwrap();

    // A ranking cannot replace a directory.
    let (data_dir, end, _) =
        run(directory.path(), |crawl| std::fs::create_dir_all(crawl.join("ranking.jsonl/x")).unwrap()).await;

    assert!(end.ranking.is_err());
    let stored: CrawlReport = data_dir.crawl(1).read_json(REPORT_FILE).unwrap().unwrap();
    assert_eq!((stored.ranking, stored.tally.documents), (None, 1));
}
