//! Prints progress, and prints and writes reports.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Prints what the user wants to see.
#[derive(Clone, Copy)]
pub(super) struct EvalOutput {
    /// No progress.
    pub(super) quiet: bool,
}

/// A report and the files beside it.
pub(super) struct ReportFiles<'a> {
    /// The report, in Markdown.
    pub(super) page: String,
    /// Its figures, as CSV.
    pub(super) csv: String,
    /// The text that stands for the picture, and the picture, as SVG.
    pub(super) picture: Option<(&'a str, String)>,
}

impl EvalOutput {
    /// Prints progress to standard error. A closed pipe is not an error.
    pub(super) fn progress(self, text: &str) {
        if !self.quiet {
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }

    /// Prints the page of a report. With a prefix, writes PREFIX.md, PREFIX.csv and, if there is a picture, PREFIX.svg.
    pub(super) fn report(self, prefix: Option<&Path>, report: &ReportFiles<'_>) -> anyhow::Result<()> {
        if let Some(prefix) = prefix {
            let (mut page, mut names) = (report.page.clone(), ".md and .csv");
            if let Some((alternative, svg)) = &report.picture {
                let path = with_extension(prefix, "svg");
                write_file(&path, svg)?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                page = format!("{page}![{alternative}]({name})\n");
                names = ".md, .csv and .svg";
            }
            write_file(&with_extension(prefix, "csv"), &report.csv)?;
            write_file(&with_extension(prefix, "md"), &page)?;
            self.progress(&format!("wrote {}{names}\n", prefix.display()));
        }
        print(&report.page)
    }
}

/// The title of a report; by default it ends with the name of the directory.
pub(super) fn title(title: Option<&str>, what: &str, directory: &Path) -> String {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    title.map_or_else(|| format!("{what} on {name}"), str::to_owned)
}

/// The command line of this process.
pub(super) fn command_line() -> String {
    format_command(std::env::args_os())
}

/// A command line, quoted so that a shell can repeat it.
fn format_command(arguments: impl Iterator<Item = OsString>) -> String {
    let quoted = |argument: OsString| {
        let text = argument.to_string_lossy().into_owned();
        if text.contains([' ', '\'', '*', ';', '&']) { format!("'{}'", text.replace('\'', r"'\''")) } else { text }
    };
    let rest: Vec<String> = arguments.skip(1).map(quoted).collect();
    format!("lodeward-eval {}", rest.join(" "))
}

/// Prints to standard output. A closed pipe is not an error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Appends an extension; dots in the prefix are kept.
fn with_extension(prefix: &Path, extension: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(format!(".{extension}"));
    PathBuf::from(name)
}

pub(super) fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formatted_command_is_quoted_for_the_shell() {
        let words = ["/somewhere/lodeward-eval", "select", "my web", "--runs", "3"].map(OsString::from);

        assert_eq!(format_command(words.into_iter()), "lodeward-eval select 'my web' --runs 3");
    }

    #[test]
    fn a_prefix_keeps_its_dots() {
        assert_eq!(with_extension(Path::new("a/select-1.0"), "md"), Path::new("a/select-1.0.md"));
    }
}
