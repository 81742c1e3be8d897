//! `lodeward import`: RDF files into the archive.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lodeward::model::media_type::Syntax;
use oxrdf::NamedNode;

use crate::archive::Keeper;
use crate::arguments::{Import, Loudness};
use crate::failure::{Hinted, Usage};
use crate::interrupt::Interrupt;
use crate::load::{self, Fault, Loaded, Refused, Source, Tolerance, Watcher};
use crate::progress::say;
use crate::settings;

pub(crate) fn run(arguments: Import, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let sources = load::gather(&arguments.files)?;
    let (config, data) = (settings::of(&arguments.data)?, arguments.data.data.clone());
    let options = options(arguments)?;
    let interrupt = Interrupt::listen()?;
    let keeper = Keeper { config: &config, data: &data, interrupt: &interrupt, quiet: loudness.quiet };
    let archive = keeper.open_or_make()?;
    let mut bar = Bar::begin(&sources, loudness.quiet);
    let loaded = load::load(&archive, &sources, &options, &interrupt, &mut bar);
    bar.end();
    let loaded = loaded.map_err(explained)?;
    archive.sync()?;
    if !loudness.quiet {
        say(&told(&loaded, sources.len()));
    }
    let nothing_but_faults = loaded.quads == 0 && loaded.faults > 0;
    Ok(if nothing_but_faults { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn options(arguments: Import) -> Result<load::Options, Usage> {
    let Import { graph, base, content_type, keep_going, lenient, contexts, .. } = arguments;
    if let Some(folder) = contexts.as_deref().filter(|folder| !folder.is_dir()) {
        let message = format!("--contexts {}: there is no such folder", folder.display());
        return Err(Usage { message, hint: None });
    }
    if let Some(base) = &base {
        let refused = |error| Usage { message: format!("--base {base}: not an absolute IRI: {error}"), hint: None };
        NamedNode::new(base).map_err(refused)?;
    }
    let tolerance = if keep_going { Tolerance::KeepGoing } else { Tolerance::Strict };
    let syntax = content_type.as_deref().map(syntax).transpose()?;
    Ok(load::Options { graph, base, syntax, tolerance, lenient, contexts })
}

fn syntax(name: &str) -> Result<Syntax, Usage> {
    let bare = name.trim_start_matches('.').to_ascii_lowercase();
    let known = Syntax::of_media_type(name).or_else(|| Syntax::of_extension(&bare));
    known.or_else(|| Syntax::all().find(|syntax| syntax.name() == bare)).ok_or_else(|| {
        let names: Vec<&str> = Syntax::all().map(Syntax::name).collect();
        let hint = Some(format!("media types and extensions of {}", names.join(", ")));
        Usage { message: format!("--content-type {name}: we do not read that"), hint }
    })
}

/// A file that stops an import is told with what can be done about it.
fn explained(error: anyhow::Error) -> anyhow::Error {
    if !error.is::<Refused>() {
        return error;
    }
    let hint = "nothing was imported; --keep-going loads what can be read and lists what cannot".to_owned();
    anyhow::Error::new(Hinted { error, hint })
}

fn told(loaded: &Loaded, files: usize) -> String {
    let Loaded { quads, inserted, faults } = loaded;
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let faults = if *faults > 0 { format!("; {faults} faults") } else { String::new() };
    format!("imported {quads} quads from {files}, {inserted} of them new{faults}\n")
}

/// Bytes read of all bytes, on a terminal; and faults, always.
struct Bar(ProgressBar);

impl Bar {
    fn begin(sources: &[Source], quiet: bool) -> Self {
        let bytes = sources.iter().map(|source| source.bytes).sum();
        if quiet || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
        let template = "{bar:24} {percent}% {bytes} of {total_bytes}, {eta} to go";
        bar.set_style(ProgressStyle::with_template(template).expect("a template of ours"));
        Self(bar)
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}

impl Watcher for Bar {
    fn bytes(&mut self, read: u64) {
        self.0.set_position(read);
    }

    fn fault(&mut self, fault: &Fault) {
        self.0.suspend(|| say(&format!("fault: {fault}\n")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syntax_has_many_names() {
        for name in ["ttl", ".ttl", "text/turtle; charset=utf-8", "Turtle"] {
            assert_eq!(syntax(name).unwrap(), Syntax::Turtle, "{name}");
        }
        assert!(syntax("pdf").is_err());
    }

    #[test]
    fn what_was_imported_is_told_in_a_line() {
        let loaded = Loaded { quads: 12, inserted: 10, faults: 0 };
        assert_eq!(told(&loaded, 1), "imported 12 quads from 1 file, 10 of them new\n");
        let loaded = Loaded { faults: 2, ..loaded };
        assert_eq!(told(&loaded, 3), "imported 12 quads from 3 files, 10 of them new; 2 faults\n");
    }
}
