//! Makes file operations of the binary fail, by a library that is loaded before it (`shim.c`).
//!
//! Every system call on a file of the data directory is an operation, whether our code or that of
//! the database makes it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Kinds of operations, as a mask.
pub(crate) const ALL_OPERATIONS: u64 = 31;
/// Operations that need space: writes, syncs and new files.
pub(crate) const SPACE_OPERATIONS: u64 = 7;

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultMode {
    /// No space left on device.
    NoSpace = 1,
    /// Input/output error.
    IoError = 2,
    /// Half of the bytes are written; then no space is left.
    ShortWrite = 3,
}

pub(crate) const FAULT_MODES: [FaultMode; 3] = [FaultMode::NoSpace, FaultMode::IoError, FaultMode::ShortWrite];

/// The state that the library shares with the test: see `shim.c`.
pub(crate) struct FaultInjector {
    library: &'static Path,
    state: PathBuf,
    root: PathBuf,
}

/// The fields of the shared state.
const COUNT: u64 = 0;
const FAIL_AT: u64 = 1;
const SPAN: u64 = 2;
const MODE: u64 = 3;
const INJECTED: u64 = 4;
const GROUPS: u64 = 5;
const FIELDS: usize = 7;

impl FaultInjector {
    /// Injects faults into files below `root`; `None` if there is no C compiler.
    pub(crate) fn new(directory: &Path, root: &str) -> Option<Self> {
        let library = library()?;
        let injector = Self { library, state: directory.join("fault_state"), root: directory.join(root) };
        fs::write(&injector.state, [0; FIELDS * 8]).unwrap();
        Some(injector)
    }

    /// Adds the library to a command, and counts from 0.
    pub(crate) fn watch(&self, command: &mut Command) {
        self.disarm();
        self.set(GROUPS, ALL_OPERATIONS);
        self.set(COUNT, 0);
        command.env("LD_PRELOAD", self.library).env("FAULT_STATE", &self.state).env("FAULT_ROOT", &self.root);
    }

    /// Lets one operation fail; with `ShortWrite` also the next one.
    pub(crate) fn fail_once(&self, at: u64, mode: FaultMode) {
        self.arm(at, if mode == FaultMode::ShortWrite { 2 } else { 1 }, mode);
    }

    /// Lets all operations that need space fail from the `after`-th one from now on, until `disarm`.
    pub(crate) fn fill_disk(&self, after: u64) {
        self.set(GROUPS, SPACE_OPERATIONS);
        self.arm(self.operations() + after, u64::MAX, FaultMode::NoSpace);
    }

    fn arm(&self, at: u64, span: u64, mode: FaultMode) {
        self.set(INJECTED, 0);
        self.set(SPAN, span);
        self.set(MODE, mode as u64);
        self.set(FAIL_AT, at);
    }

    /// Lets no further operation fail.
    pub(crate) fn disarm(&self) {
        self.set(FAIL_AT, 0);
        self.set(GROUPS, ALL_OPERATIONS);
    }

    /// Number of operations so far.
    pub(crate) fn operations(&self) -> u64 {
        self.get(COUNT)
    }

    /// Number of operations that failed.
    pub(crate) fn injected(&self) -> u64 {
        self.get(INJECTED)
    }

    fn file(&self) -> File {
        File::options().read(true).write(true).open(&self.state).unwrap()
    }

    fn set(&self, field: u64, value: u64) {
        self.file().write_all_at(&value.to_ne_bytes(), field * 8).unwrap();
    }

    fn get(&self, field: u64) -> u64 {
        let mut bytes = [0; 8];
        self.file().read_exact_at(&mut bytes, field * 8).unwrap();
        u64::from_ne_bytes(bytes)
    }
}

/// The library, compiled once per test run.
fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fault_shim_{}.so", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/shim.c");
        let compiled = Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&target).arg(source).status();
        match compiled {
            Ok(status) => {
                assert!(status.success(), "the fault injection library does not compile");
                Some(target)
            }
            Err(_) => {
                toyweb::test_data::note_missing_tool("cc, for fault injection");
                None
            }
        }
    };
    LIBRARY.get_or_init(compile).as_deref()
}
