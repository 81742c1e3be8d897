//! Starts the worker, and restarts it after a crash.

use std::fs;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use crate::hostile::{self, Target};
use crate::{Arguments, corpus, findings};

/// Interval at which progress is printed.
pub(crate) const REPORT_EVERY: Duration = Duration::from_secs(10);
/// Maximum address space of the worker. It normally uses a fraction of it; if an input of 64 KB
/// needs more, that is a finding.
const MAX_MEMORY_KIB: u64 = 3 << 20;
/// Stack size of the worker: that of the threads that read documents in a crawl.
const STACK_KIB: u64 = 2 << 10;
/// Maximum number of crashes. More crashes are unlikely to show new faults.
const MAX_CRASHES: usize = 20;

/// Runs workers until the time is over.
pub(crate) fn supervise(arguments: &Arguments) -> ExitCode {
    let start = Instant::now();
    let targets = hostile::targets();
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = file.path().to_str().expect("a temporary name is text");
    fs::write(path, Progress::new(targets.len()).encode()).expect("a temporary file can be written");
    let (mut is_broken, mut crashes) = (false, 0);
    loop {
        let seconds = arguments.seconds.saturating_sub(start.elapsed().as_secs());
        if seconds == 0 || crashes == MAX_CRASHES {
            break;
        }
        let status = run_worker(arguments, seconds, path);
        is_broken |= !status.success();
        if status.code().is_some() {
            break;
        }
        crashes += 1;
        let progress = Progress::read(path, targets.len());
        let (target, number) = (&targets[progress.current], progress.runs[progress.current] - 1);
        let corpora = corpus::gather(&targets);
        let input = hostile::input(target.name(), &corpora[progress.current], arguments.seed, number);
        findings::store(target.name(), &input, &format!("the process crashed: {status}"));
    }
    if crashes == MAX_CRASHES {
        println!("stopped after {crashes} crashes");
    }
    println!("{}", Progress::read(path, targets.len()).summary(&targets, start.elapsed()));
    if is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_worker(arguments: &Arguments, seconds: u64, progress: &str) -> ExitStatus {
    let program = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new("sh");
    let limits = format!("ulimit -c 0; ulimit -s {STACK_KIB}; ulimit -v {MAX_MEMORY_KIB}");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]);
    command.arg(program).args(["--progress", progress, "--seed", &arguments.seed.to_string()]);
    command.args(["--seconds", &seconds.to_string()]);
    if let Some(target) = &arguments.target {
        command.args(["--target", target]);
    }
    command.status().expect("a shell")
}

/// The current target and the number of inputs of each target: enough to generate the current
/// input again.
pub(crate) struct Progress {
    current: usize,
    runs: Vec<u64>,
}

impl Progress {
    fn new(targets: usize) -> Self {
        Self { current: 0, runs: vec![0; targets] }
    }

    pub(crate) fn read(path: &str, targets: usize) -> Self {
        let bytes = fs::read(path).expect("the progress file can be read");
        let mut words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
        let current =
            words.next().and_then(|current| usize::try_from(current).ok()).expect("the progress file is complete");
        let runs: Vec<u64> = words.collect();
        assert_eq!(runs.len(), targets, "the progress file is complete");
        Self { current, runs }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let words = std::iter::once(self.current as u64).chain(self.runs.iter().copied());
        words.flat_map(u64::to_le_bytes).collect()
    }

    /// The number of a target's next input.
    pub(crate) fn begin(&mut self, target: usize) -> u64 {
        self.current = target;
        self.runs[target] += 1;
        self.runs[target] - 1
    }

    /// A progress line.
    pub(crate) fn status_line(&self, targets: &[Box<dyn Target>]) -> String {
        let parts = targets.iter().zip(&self.runs).map(|(target, runs)| format!("{} {runs}", target.name()));
        parts.collect::<Vec<_>>().join(", ")
    }

    fn summary(&self, targets: &[Box<dyn Target>], elapsed: Duration) -> String {
        let all: u64 = self.runs.iter().sum();
        let rows = targets.iter().map(|target| target.name()).zip(self.runs.iter().copied()).chain([("all", all)]);
        let line = |(name, runs): (&str, u64)| {
            let per_second = runs / elapsed.as_secs().max(1);
            format!("{name:12} {runs:10} inputs {per_second:8} per second")
        };
        rows.map(line).chain([format!("in {} seconds", elapsed.as_secs())]).collect::<Vec<_>>().join("\n")
    }
}
