//! Runs Python clients.

use std::ffi::OsString;
use std::path::Path;
use std::process::Output;

use toyweb::test_data::note_missing_tool;

/// Runs a script of `tests/python` with a Python that has SPARQLWrapper, RDFLib and
/// Schemathesis. `None`, and counted, where there is none (`make tools`).
pub(crate) fn run(script: &str, arguments: &[&str]) -> Option<Output> {
    run_with(script, arguments, &[])
}

/// The same, with an environment, because secrets must not be arguments.
pub(crate) fn run_with(script: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Option<Output> {
    let installed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/python/bin/python").into();
    let python: OsString = std::env::var_os("LODEWARD_TEST_PYTHON").unwrap_or_else(installed);
    if !Path::new(&python).exists() {
        note_missing_tool("python (make tools)");
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(script);
    let mut command = std::process::Command::new(python);
    command.arg(script).args(arguments).envs(environment.iter().copied());
    Some(command.output().unwrap())
}
