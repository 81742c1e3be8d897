//! `lodeward export --to-archive`: copies a crawl into one graph of the archive.

use std::process::ExitCode;

use lodeward_app::crawl_dir;
use lodeward_app::data_dir::DataDir;
use lodeward_app::display_text::counted;
use lodeward_app::graph_export;
use lodeward_app::graph_export::{ExportError, ExportPart, ExportSource, GraphExport};
use lodeward_app::review::CandidateFilter;
use lodeward_app::review::{CandidateQuery, MarkFilter};
use lodeward_app::settings::StrategyKind;

use crate::args::{ExportArgs, VerbosityArgs};
use crate::catch_up::{ArchiveOpener, HarvestState};
use crate::commands::{candidates, find_crawl};
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::progress::print_stderr;
use crate::{clock, settings};

pub(super) fn run(arguments: &ExportArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let config = settings::load_config(&arguments.data)?;
    let interrupt = Interrupt::default();
    let opener = ArchiveOpener {
        config: &config,
        data,
        interrupt: &interrupt,
        quiet: verbosity.quiet,
        progress: verbosity.progress_mode(),
    };
    let (targets, archive) = opener.open()?;
    let harvest = if arguments.no_catch_up { HarvestState::Complete } else { opener.catch_up(&targets)? };
    let data_dir = DataDir::open(data)?;
    let record = find_crawl::find_by_name(&data_dir, data, arguments.crawl.as_deref().unwrap_or("default"))?;
    let filter =
        arguments.candidates.as_deref().map(CandidateFilter::parse).transpose().map_err(candidates::explain_filter)?;
    let is_focused = record.strategy == StrategyKind::Focus.name();
    let everything = CandidateFilter::default();
    let part = if filter.is_some() || is_focused {
        let filter = filter.as_ref().unwrap_or(&everything);
        ExportPart::Candidates(CandidateQuery { filter, marks: MarkFilter::Undropped, offset: 0, limit: u64::MAX })
    } else {
        ExportPart::Harvest
    };
    let config = settings::load_crawl(&arguments.data.source, &[], &data_dir, &record)?;
    let crawl =
        crawl_dir::open_crawl(&config, &data_dir.crawl(record.id), clock::now_ms).map_err(find_crawl::explain_open)?;
    let source = ExportSource { config: &config, data_dir: &data_dir, crawl: record.id, segments: &crawl.segments };
    let exported = graph_export::export_crawl(&source, &archive, part, clock::now_ms());
    let exported = exported.map_err(|error| match error {
        ExportError::Candidates(error) => candidates::explain(error, &record),
        ExportError::NoCandidates => {
            let hint = Some("an earlier export is unchanged; `lodeward candidates` lists candidates".to_owned());
            UsageError { message: error.to_string(), hint }.into()
        }
        error => anyhow::Error::new(error),
    })?;
    if !verbosity.quiet {
        print_stderr(&summary(&exported));
    }
    Ok(harvest.exit_code())
}

fn summary(exported: &GraphExport) -> String {
    let GraphExport { graph, candidates, seeds, documents, statements, .. } = exported;
    let about = |(candidates, seeds)| {
        format!(" about {} and {}", counted::<u64>(candidates, "candidate"), counted::<u64>(seeds, "seed"))
    };
    let about = candidates.zip(*seeds).map(about).unwrap_or_default();
    let (statements, documents) = (counted(*statements, "statement"), counted(*documents, "document"));
    format!("copied {statements}{about} from {documents} to graph <{graph}>\n")
}
