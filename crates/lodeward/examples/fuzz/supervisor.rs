//! Starts the worker, and starts it again.

use std::fs;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use crate::hostile::{self, Target};
use crate::{Arguments, corpus, findings};

/// How often progress is told.
pub(crate) const REPORT_EVERY: Duration = Duration::from_secs(10);
/// Address space of the worker. Its own needs are a fraction; an input of 64 KB
/// that needs the rest is a finding.
const MEMORY_KIB_MAX: u64 = 3 << 20;
/// Its stack: what the threads have on which a crawl reads.
const STACK_KIB: u64 = 2 << 10;
/// Deaths after which the rest of the time would bring nothing new.
const DEATHS_MAX: usize = 20;

/// Runs workers until the time is over.
pub(crate) fn supervise(arguments: &Arguments) -> ExitCode {
    let start = Instant::now();
    let targets = hostile::targets();
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = file.path().to_str().expect("a temporary name is text");
    fs::write(path, Progress::new(targets.len()).encode()).expect("a temporary file can be written");
    let (mut is_broken, mut deaths) = (false, 0);
    loop {
        let seconds = arguments.seconds.saturating_sub(start.elapsed().as_secs());
        if seconds == 0 || deaths == DEATHS_MAX {
            break;
        }
        let status = run_worker(arguments, seconds, path);
        is_broken |= !status.success();
        if status.code().is_some() {
            break;
        }
        deaths += 1;
        let progress = Progress::read(path, targets.len());
        let (target, number) = (&targets[progress.current], progress.runs[progress.current] - 1);
        let corpora = corpus::gather(&targets);
        let input = hostile::input(target.name(), &corpora[progress.current], arguments.seed, number);
        findings::keep(target.name(), &input, &format!("the process ended: {status}"));
    }
    if deaths == DEATHS_MAX {
        println!("given up after {deaths} ends of the process");
    }
    println!("{}", Progress::read(path, targets.len()).summed_up(&targets, start.elapsed()));
    if is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_worker(arguments: &Arguments, seconds: u64, progress: &str) -> ExitStatus {
    let program = std::env::current_exe().expect("a program knows where it is");
    let mut command = Command::new("sh");
    let limits = format!("ulimit -c 0; ulimit -s {STACK_KIB}; ulimit -v {MEMORY_KIB_MAX}");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]);
    command.arg(program).args(["--progress", progress, "--seed", &arguments.seed.to_string()]);
    command.args(["--seconds", &seconds.to_string()]);
    if let Some(target) = &arguments.target {
        command.args(["--target", target]);
    }
    command.status().expect("there is a shell")
}

/// Which target has its turn, and how many inputs each has been given: all that
/// is needed to make the current input again.
pub(crate) struct Progress {
    current: usize,
    runs: Vec<u64>,
}

impl Progress {
    fn new(targets: usize) -> Self {
        Self { current: 0, runs: vec![0; targets] }
    }

    pub(crate) fn read(path: &str, targets: usize) -> Self {
        let bytes = fs::read(path).expect("progress can be read");
        let mut words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
        let current = words.next().and_then(|current| usize::try_from(current).ok()).expect("progress is whole");
        let runs: Vec<u64> = words.collect();
        assert_eq!(runs.len(), targets, "progress is whole");
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

    /// A line for people who wait.
    pub(crate) fn told(&self, targets: &[Box<dyn Target>]) -> String {
        let parts = targets.iter().zip(&self.runs).map(|(target, runs)| format!("{} {runs}", target.name()));
        parts.collect::<Vec<_>>().join(", ")
    }

    fn summed_up(&self, targets: &[Box<dyn Target>], elapsed: Duration) -> String {
        let all: u64 = self.runs.iter().sum();
        let rows = targets.iter().map(|target| target.name()).zip(self.runs.iter().copied()).chain([("all", all)]);
        let line = |(name, runs): (&str, u64)| {
            let per_second = runs / elapsed.as_secs().max(1);
            format!("{name:12} {runs:10} inputs {per_second:8} per second")
        };
        rows.map(line).chain([format!("in {} seconds", elapsed.as_secs())]).collect::<Vec<_>>().join("\n")
    }
}
