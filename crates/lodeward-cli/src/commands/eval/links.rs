//! `lodeward eval links`: the protocol of the link-analysis paper.

use std::process::ExitCode;

use lodeward_eval::links_protocol::{LinksProtocol, SiteEntrance, crawl, csv, page, render_svg};

use super::papers::{command_line, read_web, report_progress, title, write_report};
use crate::args::{LinksArgs, VerbosityArgs};
use crate::errors::UsageError;

pub(crate) fn run(arguments: &LinksArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let LinksArgs { paper, max_documents, min_documents, min_rdf, gates } = arguments;
    let protocol = LinksProtocol {
        max_documents: *max_documents,
        min_documents: *min_documents,
        min_rdf_documents: *min_rdf,
        obeys_robots: !paper.ignore_robots,
        entrance: if *gates { SiteEntrance::AllEntryPages } else { SiteEntrance::EntryPage },
    };
    let web = read_web(paper, 0, verbosity)?;
    let sites = crawl(&web, &protocol)?;
    if sites.is_empty() {
        let message = format!("no site of {} is large enough", paper.directory.display());
        let hint = "try --min-documents 20 --min-rdf 1; the entry pages are in entry-pages.tsv".to_owned();
        return Err(UsageError { message, hint: Some(hint) }.into());
    }
    report_progress(verbosity, &format!("{} sites\n", sites.len()));
    let title = title(paper, "Link analysis, one site at a time,");
    let picture = render_svg(&format!("{title}: share of fetched documents with RDF"), &sites);
    let attachments = [("csv", csv(&sites)), ("svg", picture)];
    write_report(paper, &page(&title, &command_line(), &protocol, &sites), &attachments, verbosity)
}
