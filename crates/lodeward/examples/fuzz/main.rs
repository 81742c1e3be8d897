//! Does anything that others write break a reader?
//!
//! `fuzz --seconds N [--seed S] [--target T]` throws changed documents at every
//! reader in turn. What breaks one is written to `target/fuzz-findings`, and
//! `fuzz --target T --replay FILE` does it again, in a debugger if need be.
//!
//! The work is done by a second process, which a [`supervisor`] starts again
//! when an input has ended it: by a stack that ran over, by more memory than it
//! was given, by no end of computing. Panics it survives.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool of the command line, which has a clock")]

use std::process::ExitCode;

mod corpus;
mod findings;
mod hostile;
mod supervisor;
mod worker;

/// What was asked for.
#[derive(Clone, Default)]
struct Arguments {
    seconds: u64,
    seed: u64,
    target: Option<String>,
    replay: Option<String>,
    /// The file through which a worker tells its supervisor where it is.
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
        Some(target) if !names.contains(&target.as_str()) => Err(format!("targets are {}", names.join(", "))),
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

/// Runs one input and lets it end as it ends.
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
    println!("nothing broke, in {:.2} CPU-seconds", worker::cpu_seconds() - start);
    ExitCode::SUCCESS
}
