//! `lodeward-eval links`: the protocol of the link-analysis paper.

use lodeward_eval::links_protocol::{LinksProtocol, SiteEntrance, crawl, csv, page, render_svg};

use super::input::load_paper_web;
use super::output::{EvalOutput, ReportFiles, command_line, title};
use crate::args::LinksArgs;
use crate::errors::EvalUsageError;

pub(super) fn run(arguments: &LinksArgs, output: EvalOutput) -> anyhow::Result<()> {
    let LinksArgs { paper, max_documents, min_documents, min_rdf, gates } = arguments;
    let protocol = LinksProtocol {
        max_documents: *max_documents,
        min_documents: *min_documents,
        min_rdf_documents: *min_rdf,
        obeys_robots: !paper.ignore_robots,
        entrance: if *gates { SiteEntrance::AllEntryPages } else { SiteEntrance::EntryPage },
    };
    let web = load_paper_web(paper, 0, output)?;
    let sites = crawl(&web, &protocol)?;
    if sites.is_empty() {
        let message = format!("no site of {} is large enough", paper.directory.display());
        let hint = "try --min-documents 20 --min-rdf 1; the entry pages are in entry-pages.tsv";
        return Err(EvalUsageError::new(message, hint).into());
    }
    output.progress(&format!("{} sites\n", sites.len()));
    let title = title(paper.title.as_deref(), "Link analysis, one site at a time,", &paper.directory);
    let picture = render_svg(&format!("{title}: share of fetched documents with RDF"), &sites);
    let page = page(&title, &command_line(), &protocol, &sites);
    let files = ReportFiles { page, csv: csv(&sites), picture: Some(("chart", picture)) };
    output.report(paper.output.as_deref(), &files)
}
