//! Two processes do not crawl from one data directory at the same time.

use std::time::Duration;

use crate::web::{TestWeb, start, succeed};

#[test]
fn a_second_crawl_of_a_data_directory_is_refused() {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 50;
        parameters.robots.crawl_delay_share = 0.0;
    });
    let mut first = start(web.crawl("data", &["--name", "first", "--delay", "10s"]));
    // Polls, for at most a minute, what another process does.
    for _ in 0..3_000 {
        if web.path("data/crawl.lock").exists() && web.requests_served() > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }

    let second = web.crawl("data", &["--name", "second"]).output().unwrap();
    let status = web.lodeward(&["status", "--data", "data", "--name", "first"]);
    let served = web.lodeward(&["serve", "--data", "data", "--listen", "127.0.0.1:0"]);
    succeed(web.crawl("other", &["--max-documents", "3"]));
    first.kill().unwrap();
    first.wait().unwrap();

    for refused in [&second, &served] {
        let messages = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{messages}");
        let expected =
            format!("another process runs a crawl of this data directory: crawl `first`, process {}", first.id());
        assert!(messages.contains(&expected), "{messages}");
        assert!(messages.contains("hint: wait until"), "{messages}");
    }
    assert_eq!(status.status.code(), Some(0));
    // The lock of a killed process is released.
    succeed(web.crawl("data", &["--name", "second", "--max-documents", "3"]));
}
