//! Fuzzes every reader of external input.
//!
//! `fuzz --seconds N [--seed S] [--target T]` runs mutated documents through every reader in
//! turn. An input that breaks one is written to `target/fuzz-findings`; `fuzz --target T
//! --replay FILE` runs it again, for example in a debugger.
//!
//! The inputs run in a child process. A [`supervisor`] restarts the process if an input ends it by
//! a stack overflow, by excessive memory use, or by an endless computation. Panics are caught.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a command-line tool prints and measures time")]

use std::process::ExitCode;

mod corpus;
mod findings;
mod hostile;
mod supervisor;
mod worker;

/// The command-line arguments.
#[derive(Clone, Default)]
struct Arguments {
    seconds: u64,
    seed: u64,
    target: Option<String>,
    replay: Option<String>,
    /// The file in which a worker reports its progress to the supervisor.
    progress: Option<String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments { seconds: 60, ..Arguments::default() };
    let mut words = std::env::args().skip(1);
    while let Some(flag) = words.next() {
        let value = words.next().ok_or_else(|| format!("{flag} needs a value"))?;
        let number = || value.parse().map_err(|_| format!("{flag} takes a number, not `{value}`"));
        match flag.as_str() {
            "--seconds" => arguments.seconds = number()?,
            "--seed" => arguments.seed = number()?,
            "--target" => arguments.target = Some(value),
            "--replay" => arguments.replay = Some(value),
            "--progress" => arguments.progress = Some(value),
            _ => return Err(format!("unknown flag `{flag}`")),
        }
    }
    let names: Vec<&str> = hostile::targets().iter().map(|target| target.name()).collect();
    match &arguments.target {
        Some(target) if !names.contains(&target.as_str()) => {
            Err(format!("unknown target; valid targets: {}", names.join(", ")))
        }
        None if arguments.replay.is_some() => Err("--replay needs a --target".to_owned()),
        _ => Ok(arguments),
    }
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    match (&arguments.replay, &arguments.progress) {
        (Some(file), _) => replay(&arguments, file),
        (None, Some(progress)) => worker::work(&arguments, progress),
        (None, None) => supervisor::supervise(&arguments),
    }
}

/// Runs one input without catching anything.
fn replay(arguments: &Arguments, file: &str) -> ExitCode {
    let input = match std::fs::read(file) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("cannot read {file}: {error}");
            return ExitCode::from(2);
        }
    };
    let start = worker::cpu_seconds();
    for target in hostile::targets().iter().filter(|target| Some(target.name()) == arguments.target.as_deref()) {
        target.run(&input);
    }
    println!("no failure, {:.2} CPU-seconds", worker::cpu_seconds() - start);
    ExitCode::SUCCESS
}
