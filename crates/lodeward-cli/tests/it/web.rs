//! A generated web on loopback, and the binary that crawls it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toyweb::score::{CrawlerPromises, ScoreReport, score_world};
use toyweb::serve::{RunningServer, ServeOptions, WebServer};
use toyweb::truth::TruthMode;
use toyweb::world::{World, WorldParameters};
use toyweb::{Web, WebRequest, WebResponse};

/// A world behind a proxy; stopped when dropped.
pub(crate) struct TestWeb {
    pub(crate) world: Arc<World>,
    pub(crate) directory: tempfile::TempDir,
    requests_served: Arc<AtomicU64>,
    running: Option<RunningServer>,
    runtime: tokio::runtime::Runtime,
    proxy: String,
}

/// Counts the requests it serves, so that a test can act in the middle of a crawl.
struct CountingWeb {
    web: Arc<World>,
    requests_served: Arc<AtomicU64>,
}

impl Web for CountingWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        self.requests_served.fetch_add(1, Ordering::Relaxed);
        self.web.respond(request)
    }
}

impl TestWeb {
    pub(crate) fn new(preset: &str, change: impl FnOnce(&mut WorldParameters)) -> Self {
        let mut parameters = WorldParameters::preset(preset).unwrap();
        change(&mut parameters);
        let world = Arc::new(World::new(parameters).unwrap());
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("seeds.txt"), world.seeds().join("\n")).unwrap();
        let requests_served = Arc::new(AtomicU64::new(0));
        let web = CountingWeb { web: Arc::clone(&world), requests_served: Arc::clone(&requests_served) };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let options = ServeOptions { log: Some(directory.path().join("access.log")), ..ServeOptions::default() };
        let server = runtime.block_on(WebServer::bind(Arc::new(web), options)).unwrap();
        std::fs::write(directory.path().join("ca.pem"), server.authority().pem()).unwrap();
        let proxy = format!("http://{}", server.addresses[0]);
        let running = runtime.block_on(async { server.spawn() });
        Self { world, directory, requests_served, running: Some(running), runtime, proxy }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The URL of the proxy.
    pub(crate) fn proxy(&self) -> &str {
        &self.proxy
    }

    pub(crate) fn requests_served(&self) -> u64 {
        self.requests_served.load(Ordering::Relaxed)
    }

    /// `lodeward crawl` of this world into `data`, without delay unless one is given.
    pub(crate) fn crawl(&self, data: &str, arguments: &[&str]) -> Command {
        self.crawl_from(&["@seeds.txt"], data, arguments)
    }

    /// The same, from other seeds.
    pub(crate) fn crawl_from(&self, seeds: &[&str], data: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(self.directory.path()).env_clear().arg("crawl").args(seeds);
        command.args(["--proxy", &self.proxy, "--ca-cert", "ca.pem", "--data", data]);
        if !arguments.contains(&"--delay") {
            command.args(["--delay", "0"]);
        }
        command.args(arguments);
        command
    }

    pub(crate) fn lodeward(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(self.directory.path()).env_clear().args(arguments).output().unwrap()
    }

    /// Stops the server and scores the crawl by the requests it received.
    pub(crate) fn score(mut self, harvest: &str, min_delay_s: f64) -> ScoreReport {
        let running = self.running.take().unwrap();
        self.runtime.block_on(running.stop());
        let promises = CrawlerPromises { min_delay_s, ..CrawlerPromises::default() };
        let (log, harvest) = (self.path("access.log"), self.path(harvest));
        score_world(&self.world, TruthMode::All, &log, Some(&harvest), &promises).unwrap()
    }
}

/// Runs a command that must succeed.
pub(crate) fn succeed(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Starts a command that the test will kill.
pub(crate) fn start(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The lines of a file, sorted: N-Quads as a set.
pub(crate) fn sorted_lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}
