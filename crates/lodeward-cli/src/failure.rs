//! How the program says that it could not do what was asked.

use std::fmt;
use std::io;
use std::process::ExitCode;

use lodeward::durable::FileError;
use lodeward::registry::RegistryError;
use lodeward::{config, seed};

/// Something that whoever called us has to change.
#[derive(Debug)]
pub(crate) struct Usage {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl fmt::Display for Usage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Usage {}

/// Something was ended before its end: by whoever runs us, or by a bound that
/// they set.
#[derive(Debug)]
pub(crate) struct CutShort {
    message: String,
    hint: Option<String>,
}

impl CutShort {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for CutShort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for CutShort {}

/// An error with a word on what to do about it.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) error: anyhow::Error,
    pub(crate) hint: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#}", self.error)
    }
}

impl std::error::Error for Hinted {}

/// What to do about a place where one cannot listen.
pub(crate) fn listen_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "another program listens there; --listen takes another port, and port 0 any free one"
        }
        io::ErrorKind::AddrNotAvailable => "this machine has no such address; 127.0.0.1 is only for whoever is on it",
        io::ErrorKind::PermissionDenied => "ports below 1024 may not be for this user; --listen takes another one",
        _ => "--listen takes another address",
    }
}

/// The exit code for wrong usage, as clap has it.
const USAGE: u8 = 2;

/// The exit code for what was cut short.
pub(crate) const CUT_SHORT: u8 = 3;

/// Prints an error, and its hints, and tells how to exit.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    for line in lines(error) {
        eprintln!("{line}");
    }
    let is_usage = error.is::<Usage>() || error.is::<config::Problems>() || error.is::<seed::Problems>();
    if is_usage {
        ExitCode::from(USAGE)
    } else if error.is::<CutShort>() {
        ExitCode::from(CUT_SHORT)
    } else {
        ExitCode::FAILURE
    }
}

fn lines(error: &anyhow::Error) -> Vec<String> {
    if let Some(problems) = error.downcast_ref::<config::Problems>() {
        let problems = problems.0.iter();
        return problems.flat_map(|p| told(&format!("{}: {}", p.place, p.what), p.hint.as_deref())).collect();
    }
    if let Some(problems) = error.downcast_ref::<seed::Problems>() {
        let place =
            |problem: &seed::Problem| problem.place.as_ref().map_or(String::new(), |place| format!("{place}: "));
        let told = |problem| told(&(place(problem) + &problem.what), problem.hint.as_deref());
        let mut lines: Vec<String> = problems.first().iter().flat_map(told).collect();
        lines.extend((problems.unshown() > 0).then(|| format!("error: and {} more problems", problems.unshown())));
        return lines;
    }
    let of_usage = || error.downcast_ref::<Usage>().and_then(|usage| usage.hint.as_deref());
    let of_cut = || error.downcast_ref::<CutShort>().and_then(|cut| cut.hint.as_deref());
    let of_other = || error.downcast_ref::<Hinted>().map(|hinted| hinted.hint.as_str());
    let of_damage = || error.chain().find_map(|cause| damage_hint(cause.downcast_ref::<RegistryError>()?));
    let hint = of_usage().or_else(of_cut).or_else(of_other).or_else(of_damage);
    told(&format!("{error:#}"), hint)
}

/// What to do about a file of a crawl that is not as we wrote it.
fn damage_hint(error: &RegistryError) -> Option<&'static str> {
    let (RegistryError::File(file) | RegistryError::Hidden { source: file, .. }) = error else { return None };
    let is_damaged = matches!(file, FileError::Format { .. });
    is_damaged.then_some("restore the file from a backup, or move the folder of that crawl away")
}

fn told(what: &str, hint: Option<&str>) -> Vec<String> {
    std::iter::once(format!("error: {what}")).chain(hint.map(|hint| format!("hint: {hint}"))).collect()
}
