//! A file operation that fails once, anywhere, loses nothing.
//!
//! Each use case runs undisturbed first, and its file operations are counted: every write, fsync,
//! creation, rename, removal and read of the data directory, also those of the database. Then the
//! use case runs again and again, and each time another operation fails: no space, an I/O error, or
//! a short write. If the command reports success nevertheless, its result must be complete. If it
//! fails, the same command without the fault must succeed, with the result of the undisturbed run.
//!
//! `make test` samples the operations; `make torture` tries all of them.

mod injector;
mod service;
mod service_actions;

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use self::injector::{FAULT_MODES, FaultInjector};
use crate::web::TestWeb;

/// Number of operations that fail per use case in `make test`.
const SAMPLE: u64 = 5;

/// How long a command may take. The undisturbed ones take less than a second.
const MAX_POLLS: u32 = 12_000;
const POLL_INTERVAL: Duration = Duration::from_millis(10);

fn is_torture() -> bool {
    std::env::var_os("LODEWARD_TEST_TORTURE").is_some()
}

/// Commands, with `work` as the directory in which operations fail.
struct UseCase {
    name: &'static str,
    /// Commands that prepare the data directory.
    prepare: &'static [&'static str],
    /// The command whose operations fail.
    command: &'static str,
    /// Directories that the user removes before trying again.
    remove: &'static [&'static str],
    /// Commands whose output is the result.
    observe: &'static [&'static str],
}

const CRAWL: &str = "crawl @seeds.txt --data work/data --delay 0 --strategy bfs --quiet";
const EXPORT: &[&str] = &["export --data work/data"];

/// A web, the undisturbed results, and the counts of a run.
struct FaultRun {
    web: TestWeb,
    injector: FaultInjector,
    injected: u64,
    failed: u64,
}

impl FaultRun {
    fn new() -> Option<Self> {
        let web = TestWeb::new("demo", |parameters| {
            (parameters.hosts, parameters.documents_per_host) = (3, 5);
            parameters.robots.crawl_delay_share = 0.0;
        });
        let injector = FaultInjector::new(web.directory.path(), "work")?;
        let settings = format!("[fetch]\nproxy = {:?}\nca_certificates = [\"ca.pem\"]\n", web.proxy());
        fs::write(web.path("lodeward.toml"), settings).unwrap();
        let quad =
            |number| format!("<http://i.example/{number}> <http://i.example/p> \"{number}\" <http://i.example/g> .\n");
        fs::write(web.path("import.nq"), (0..50).map(quad).collect::<String>()).unwrap();
        fs::write(web.path("password.txt"), "a long password for tests\n").unwrap();
        Some(Self { web, injector, injected: 0, failed: 0 })
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
        command.current_dir(self.web.directory.path()).env_clear().args(line.split(' '));
        command.stdin(fs::File::open(self.web.path("password.txt")).unwrap());
        command
    }

    fn succeed(&self, line: &str) -> String {
        let output = finish(self.command(line), line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The result of a use case, as sorted lines.
    fn observe(&self, case: &UseCase) -> Vec<String> {
        let text: String = case.observe.iter().map(|line| self.succeed(line)).collect();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    }

    fn copy(&self, from: &str, to: &str) {
        let _ = fs::remove_dir_all(self.web.path(to));
        // The journals of the database are sparse files.
        let mut copying = Command::new("cp");
        copying.args(["-r", "--sparse=always"]).args([self.web.path(from), self.web.path(to)]);
        assert!(copying.status().unwrap().success());
    }

    /// Runs a use case with failing operations.
    fn check(&mut self, case: &UseCase) {
        fs::create_dir_all(self.web.path("work")).unwrap();
        for line in case.prepare {
            self.succeed(line);
        }
        self.copy("work", "base");
        let mut undisturbed = self.command(case.command);
        self.injector.watch(&mut undisturbed);
        assert!(finish(undisturbed, case.command).status.success(), "{}", case.name);
        let (operations, expected) = (self.injector.operations(), self.observe(case));
        assert!(operations > 0 && !expected.is_empty(), "{}: {operations} operations", case.name);
        let step = if is_torture() { 1 } else { (operations / SAMPLE).max(1) };
        let first = if is_torture() { 1 } else { 1 + step / 2 };
        for at in (first..=operations).step_by(usize::try_from(step).unwrap()) {
            self.check_one(case, at, &expected);
        }
    }

    /// Lets one operation fail.
    fn check_one(&mut self, case: &UseCase, at: u64, expected: &[String]) {
        let mode = FAULT_MODES[usize::try_from(at % 3).unwrap()];
        let context = format!("{}: operation {at} fails ({mode:?})", case.name);
        self.copy("base", "work");
        let mut command = self.command(case.command);
        self.injector.watch(&mut command);
        self.injector.fail_once(at, mode);
        let output = finish(command, &context);
        self.injected += self.injector.injected();
        let errors = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            assert_eq!(self.observe(case), expected, "{context}, and the command reports success: {errors}");
            return;
        }
        self.failed += 1;
        assert!(!errors.contains("panicked"), "{context}: {errors}");
        for directory in case.remove {
            let _ = fs::remove_dir_all(self.web.path(directory));
        }
        let again = finish(self.command(case.command), &context);
        let later = String::from_utf8_lossy(&again.stderr);
        assert!(again.status.success(), "{context}: {errors}\nwithout the fault: {later}");
        assert_eq!(self.observe(case), expected, "{context}: {errors}");
    }
}

/// Runs a command to its end. Fails if it hangs.
fn finish(mut command: Command, context: &str) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The pipes are read on other threads, so that the command does not wait for them.
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let read = |mut pipe: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map(|_| bytes)
        })
    };
    let (stdout, stderr) = (read(Box::new(stdout)), read(Box::new(stderr)));
    for _ in 0..MAX_POLLS {
        if let Some(status) = child.try_wait().unwrap() {
            let (stdout, stderr) = (stdout.join().unwrap().unwrap(), stderr.join().unwrap().unwrap());
            return Output { status, stdout, stderr };
        }
        // The command runs in another process, so there is nothing to wait for but time.
        std::thread::sleep(POLL_INTERVAL);
    }
    child.kill().unwrap();
    panic!("{context}: the command hangs: {}", String::from_utf8_lossy(&stderr.join().unwrap().unwrap()));
}

fn check(case: &UseCase) {
    let Some(mut run) = FaultRun::new() else { return };
    run.check(case);
    let FaultRun { injected, failed, .. } = run;
    assert!(injected > 0, "{}: no operation failed", case.name);
    eprintln!("{}: {injected} operations failed, {failed} commands reported it, 0 losses", case.name);
}

const FULL_CRAWL: &[&str] = &[CRAWL];

macro_rules! use_cases {
    ($($name:ident: $prepare:expr, $command:expr, remove $remove:expr, observe $observe:expr;)+) => {$(
        #[test]
        fn $name() {
            check(&UseCase {
                name: stringify!($name),
                prepare: $prepare,
                command: $command,
                remove: $remove,
                observe: $observe,
            });
        }
    )+};
}

use_cases! {
    a_crawl_loses_nothing: &[], CRAWL, remove &[], observe EXPORT;
    a_resumed_crawl_loses_nothing:
        &["crawl @seeds.txt --data work/data --delay 0 --strategy bfs --quiet --max-documents 6"],
        CRAWL, remove &[], observe EXPORT;
    a_refresh_loses_nothing: FULL_CRAWL,
        "crawl --refresh all --data work/data --delay 0 --strategy bfs --quiet", remove &[], observe EXPORT;
    an_import_loses_nothing: FULL_CRAWL, "import import.nq --data work/data", remove &[], observe EXPORT;
    an_export_is_complete: FULL_CRAWL, "export --data work/data -o work/export.nq", remove &[],
        observe &["export --data work/data", "extract --base http://b.example/ work/export.nq"];
    an_export_to_the_archive_is_complete: FULL_CRAWL, "export --data work/data --to-archive", remove &[],
        observe EXPORT;
    a_ranking_is_complete: FULL_CRAWL, "rank --data work/data --max-hops 2", remove &[],
        observe &["candidates --data work/data"];
    a_mark_is_kept: &[CRAWL, "rank --data work/data --max-hops 2"],
        "candidates keep http://h1.example/resource/1 --data work/data", remove &[],
        observe &["candidates --data work/data --mark keep"];
    a_rebuilt_archive_is_complete: FULL_CRAWL, "archive rebuild --all --data work/data", remove &[], observe EXPORT;
    a_backup_is_complete: FULL_CRAWL, "backup --data work/data --to work/backup", remove &["work/backup"],
        observe &["restore work/backup --check", "export --data work/data"];
    a_restored_data_directory_is_complete: &[CRAWL, "backup --data work/data --to backup"],
        "restore backup --data work/restored", remove &["work/restored"],
        observe &["export --data work/restored"];
    the_role_of_a_user_is_stored: &[CRAWL, "user add ann --role admin --password-stdin --data work/data",
        "user add bob --role reader --password-stdin --data work/data"],
        "user role bob operator --data work/data", remove &[], observe &["user list --data work/data"];
}
