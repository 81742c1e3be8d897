//! The worker process. Inputs may crash it.

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

/// Maximum CPU time of an input. If it takes longer, that is a finding.
const MAX_CPU_SECONDS: f64 = 5.0;
/// How long a target runs before the next one.
const TURN: Duration = Duration::from_millis(200);
const MAX_SHORTEN_ATTEMPTS: usize = 3_000;

thread_local! {
    /// Location and message of the last panic of this thread.
    static PANIC: RefCell<(String, String)> = RefCell::default();
}

/// Number of inputs started, read by the watchdog.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// Runs inputs until the time is over. The exit code is 1 after findings.
pub(crate) fn work(arguments: &Arguments, progress_file: &str) -> ExitCode {
    let start = Instant::now();
    let targets = hostile::targets();
    let corpora = corpus::gather(&targets);
    let mut progress = Progress::read(progress_file, targets.len());
    let file = OpenOptions::new().write(true).open(progress_file).expect("the supervisor has created it");
    record_panics();
    thread::spawn(watch);
    let (mut known, mut reported) = (HashSet::new(), Instant::now());
    let is_chosen = |target: &dyn Target| arguments.target.as_deref().is_none_or(|chosen| chosen == target.name());
    while start.elapsed().as_secs() < arguments.seconds {
        for (index, target) in targets.iter().enumerate().filter(|(_, target)| is_chosen(&***target)) {
            let turn = Instant::now();
            while turn.elapsed() < TURN {
                let number = progress.begin(index);
                file.write_all_at(&progress.encode(), 0).expect("progress can be written");
                STARTED.fetch_add(1, Ordering::Relaxed);
                let input = hostile::input(target.name(), &corpora[index], arguments.seed, number);
                if let Some((location, message)) = panic_of(&**target, &input)
                    && known.insert((index, location.clone()))
                {
                    let is_same = |input: &[u8]| panic_of(&**target, input).is_some_and(|(again, _)| again == location);
                    let input = findings::shorten(&input, MAX_SHORTEN_ATTEMPTS, is_same);
                    findings::store(target.name(), &input, &format!("{location}: {message}"));
                }
            }
        }
        if reported.elapsed() >= REPORT_EVERY {
            reported = Instant::now();
            println!("{}", progress.status_line(&targets));
        }
    }
    if known.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Location and message of the panic that an input causes.
fn panic_of(target: &dyn Target, input: &[u8]) -> Option<(String, String)> {
    STARTED.fetch_add(1, Ordering::Relaxed);
    let result = panic::catch_unwind(AssertUnwindSafe(|| target.run(input)));
    result.is_err().then(|| PANIC.take())
}

/// Records panics instead of printing each of them.
fn record_panics() {
    panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        let message: String = panic.payload_as_str().unwrap_or_default().chars().take(300).collect();
        PANIC.replace((location, message));
    }));
}

/// Aborts the process if one input takes too long; the supervisor stores the input.
fn watch() {
    let (mut started, mut since) = (0, cpu_seconds());
    loop {
        thread::sleep(Duration::from_millis(250));
        let (now_started, now) = (STARTED.load(Ordering::Relaxed), cpu_seconds());
        if now_started != started {
            (started, since) = (now_started, now);
        } else if now - since > MAX_CPU_SECONDS {
            println!("an input took more than {MAX_CPU_SECONDS} CPU-seconds");
            std::process::abort();
        }
    }
}

/// CPU time of this process, which is independent of other load.
pub(crate) fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").expect("Linux counts CPU time");
    // After the name, which may contain anything but ends with the last bracket, user and
    // system time are fields 12 and 13, in hundredths of a second.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
