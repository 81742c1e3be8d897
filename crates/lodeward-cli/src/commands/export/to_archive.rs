//! `lodeward export --to-archive`: a crawl in the archive as one graph.

use std::process::ExitCode;

use lodeward::config::Strategy;
use lodeward::open::{self, ExportError, Exported, Part, Shown, Source, Wish};
use lodeward::rank::Filter;
use lodeward::registry::Registry;

use crate::archive::Keeper;
use crate::arguments::{Export, Loudness};
use crate::commands::{candidates, crawls};
use crate::failure::Usage;
use crate::interrupt::Interrupt;
use crate::progress::say;
use crate::{clock, settings};

pub(super) fn run(arguments: &Export, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let config = settings::of(&arguments.data)?;
    let interrupt = Interrupt::default();
    let keeper = Keeper { config: &config, data, interrupt: &interrupt, quiet: loudness.quiet };
    let archive = keeper.open()?;
    if !arguments.no_catch_up {
        keeper.catch_up(&archive)?;
    }
    let registry = Registry::open(data)?;
    let record = crawls::named(&registry, data, arguments.crawl.as_deref().unwrap_or("default"))?;
    let filter = arguments.candidates.as_deref().map(Filter::parse).transpose().map_err(candidates::explain_filter)?;
    let is_focused = record.strategy == Strategy::Focus.name();
    let everything = Filter::default();
    let part = if filter.is_some() || is_focused {
        let filter = filter.as_ref().unwrap_or(&everything);
        Part::Candidates(Wish { filter, shown: Shown::Undropped, offset: 0, limit: u64::MAX })
    } else {
        Part::Harvest
    };
    let shelf = open::shelf(&config, &registry.directory_of(record.id), clock::now_ms).map_err(crawls::explain_open)?;
    let source = Source { config: &config, registry: &registry, crawl: record.id, segments: &shelf.segments };
    let exported = open::export_crawl(&source, &archive, part, clock::now_ms());
    let exported = exported.map_err(|error| match error {
        ExportError::Candidates(error) => candidates::explain(error, &record),
        ExportError::Nobody => {
            let hint = Some("what was exported before stays; `lodeward candidates` lists them".to_owned());
            Usage { message: error.to_string(), hint }.into()
        }
        error => anyhow::Error::new(error),
    })?;
    if !loudness.quiet {
        say(&told(&exported));
    }
    Ok(ExitCode::SUCCESS)
}

fn told(exported: &Exported) -> String {
    let Exported { graph, candidates, documents, statements, .. } = exported;
    let about = candidates.map(|candidates| format!(" about {candidates} candidates")).unwrap_or_default();
    format!("put {statements} statements{about} from {documents} documents into the graph <{graph}>\n")
}
