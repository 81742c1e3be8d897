//! A web in a box on loopback, and the binary that visits it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toyweb::score::{Promises, Report, score_world};
use toyweb::serve::{Options, Running, Server};
use toyweb::truth::Mode;
use toyweb::world::{Parameters, World};
use toyweb::{Request, Response, Web};

/// A world behind a proxy, for as long as this lives.
pub(crate) struct Box {
    pub(crate) world: Arc<World>,
    pub(crate) folder: tempfile::TempDir,
    answered: Arc<AtomicU64>,
    running: Option<Running>,
    runtime: tokio::runtime::Runtime,
    proxy: String,
}

/// Counts what it answers, so that a test can act in the middle of a crawl.
struct Counting {
    web: Arc<World>,
    answered: Arc<AtomicU64>,
}

impl Web for Counting {
    fn respond(&self, request: &Request) -> Response {
        self.answered.fetch_add(1, Ordering::Relaxed);
        self.web.respond(request)
    }
}

impl Box {
    pub(crate) fn new(preset: &str, change: impl FnOnce(&mut Parameters)) -> Self {
        let mut parameters = Parameters::preset(preset).unwrap();
        change(&mut parameters);
        let world = Arc::new(World::new(parameters).unwrap());
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("seeds.txt"), world.seeds().join("\n")).unwrap();
        let answered = Arc::new(AtomicU64::new(0));
        let web = Counting { web: Arc::clone(&world), answered: Arc::clone(&answered) };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let options = Options { log: Some(folder.path().join("access.log")), ..Options::default() };
        let server = runtime.block_on(Server::bind(Arc::new(web), options)).unwrap();
        std::fs::write(folder.path().join("ca.pem"), server.authority().pem()).unwrap();
        let proxy = format!("http://{}", server.addresses[0]);
        let running = runtime.block_on(async { server.spawn() });
        Self { world, folder, answered, running: Some(running), runtime, proxy }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where the world is reached.
    pub(crate) fn proxy(&self) -> &str {
        &self.proxy
    }

    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// `lodeward crawl` of this world into `data`, with no delay unless said.
    pub(crate) fn crawl(&self, data: &str, arguments: &[&str]) -> Command {
        self.crawl_from(&["@seeds.txt"], data, arguments)
    }

    /// The same, from other seeds.
    pub(crate) fn crawl_from(&self, seeds: &[&str], data: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(self.folder.path()).env_clear().arg("crawl").args(seeds);
        command.args(["--proxy", &self.proxy, "--ca-cert", "ca.pem", "--data", data]);
        if !arguments.contains(&"--delay") {
            command.args(["--delay", "0"]);
        }
        command.args(arguments);
        command
    }

    pub(crate) fn lodeward(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(self.folder.path()).env_clear().args(arguments).output().unwrap()
    }

    /// Ends the server and scores everything it was asked.
    pub(crate) fn score(mut self, harvest: &str, floor_s: f64) -> Report {
        let running = self.running.take().unwrap();
        self.runtime.block_on(running.stop());
        let promises = Promises { floor_s, ..Promises::default() };
        let (log, harvest) = (self.path("access.log"), self.path(harvest));
        score_world(&self.world, Mode::All, &log, Some(&harvest), &promises).unwrap()
    }
}

/// Runs a command to its end, which must be a good one.
pub(crate) fn succeed(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Starts a command that will be killed.
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
