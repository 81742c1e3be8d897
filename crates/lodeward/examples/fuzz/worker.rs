//! The process that is put at risk.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::hostile::{self, Target};
use crate::supervisor::{Progress, REPORT_EVERY};
use crate::{Arguments, corpus, findings};

/// An input that takes longer is a finding.
const CPU_SECONDS_MAX: f64 = 5.0;
/// How long a target has its turn.
const TURN: Duration = Duration::from_millis(200);
const SHORTEN_ATTEMPTS_MAX: usize = 3_000;

thread_local! {
    /// Where and why this thread panicked last.
    static PANIC: RefCell<(String, String)> = RefCell::default();
}

/// Inputs begun, for the watchdog.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Runs inputs until the time is over. The exit code is 1 after findings.
pub(crate) fn work(arguments: &Arguments, progress_file: &str) -> ExitCode {
    let start = Instant::now();
    let targets = hostile::targets();
    let corpora = corpus::gather(&targets);
    let mut progress = Progress::read(progress_file, targets.len());
    let file = OpenOptions::new().write(true).open(progress_file).expect("the supervisor has made it");
    remember_panics();
    thread::spawn(watch);
    let (mut known, mut reported) = (HashSet::new(), Instant::now());
    let is_chosen = |target: &dyn Target| arguments.target.as_deref().is_none_or(|chosen| chosen == target.name());
    while start.elapsed().as_secs() < arguments.seconds {
        for (index, target) in targets.iter().enumerate().filter(|(_, target)| is_chosen(&***target)) {
            let turn = Instant::now();
            while turn.elapsed() < TURN {
                let number = progress.begin(index);
                file.write_all_at(&progress.encode(), 0).expect("progress can be told");
                BEGUN.fetch_add(1, Ordering::Relaxed);
                let input = hostile::input(target.name(), &corpora[index], arguments.seed, number);
                if let Some((place, message)) = broken(&**target, &input)
                    && known.insert((index, place.clone()))
                {
                    let is_same = |input: &[u8]| broken(&**target, input).is_some_and(|(again, _)| again == place);
                    let input = findings::shortened(&input, SHORTEN_ATTEMPTS_MAX, is_same);
                    findings::keep(target.name(), &input, &format!("{place}: {message}"));
                }
            }
        }
        if reported.elapsed() >= REPORT_EVERY {
            reported = Instant::now();
            println!("{}", progress.told(&targets));
        }
    }
    if known.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where and why an input makes a target panic.
fn broken(target: &dyn Target, input: &[u8]) -> Option<(String, String)> {
    BEGUN.fetch_add(1, Ordering::Relaxed);
    let result = panic::catch_unwind(AssertUnwindSafe(|| target.run(input)));
    result.is_err().then(|| PANIC.take())
}

/// Panics are counted and told once, instead of flooding the terminal.
fn remember_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let message: String = panic.payload_as_str().unwrap_or_default().chars().take(300).collect();
        PANIC.replace((place, message));
    }));
}

/// Ends the process when one input takes too long; the supervisor sees which.
fn watch() {
    let (mut begun, mut since) = (0, cpu_seconds());
    loop {
        thread::sleep(Duration::from_millis(250));
        let (now_begun, now) = (BEGUN.load(Ordering::Relaxed), cpu_seconds());
        if now_begun != begun {
            (begun, since) = (now_begun, now);
        } else if now - since > CPU_SECONDS_MAX {
            println!("an input took more than {CPU_SECONDS_MAX} CPU-seconds");
            std::process::abort();
        }
    }
}

/// What this process has used of processors: other load does not count.
pub(crate) fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").expect("Linux counts CPU time");
    // After the name, which may hold anything but ends with the last bracket,
    // user and system time are the twelfth and thirteenth, in hundredths.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
