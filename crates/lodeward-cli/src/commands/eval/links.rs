//! `lodeward eval links`: the protocol of the link-analysis paper.

use std::process::ExitCode;

use lodeward_eval::links_protocol::{Entrance, Protocol, crawl, csv, page, picture};

use super::papers::{tell, title, told, typed, web};
use crate::arguments::{EvalLinks, Loudness};
use crate::failure::Usage;

pub(crate) fn run(arguments: &EvalLinks, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let EvalLinks { paper, max_documents, min_documents, min_rdf, gates } = arguments;
    let protocol = Protocol {
        documents_max: *max_documents,
        documents_min: *min_documents,
        rdf_min: *min_rdf,
        obeys_robots: !paper.ignore_robots,
        entrance: if *gates { Entrance::AllGates } else { Entrance::EntryPage },
    };
    let web = web(paper, 0, loudness)?;
    let sites = crawl(&web, &protocol)?;
    if sites.is_empty() {
        let message = format!("no site of {} is large enough", paper.directory.display());
        let hint = "try --min-documents 20 --min-rdf 1; the entry pages are in entry-pages.tsv".to_owned();
        return Err(Usage { message, hint: Some(hint) }.into());
    }
    told(loudness, &format!("{} sites\n", sites.len()));
    let title = title(paper, "Link analysis, one site at a time,");
    let picture = picture(&format!("{title}: documents that hold RDF, of those fetched"), &sites);
    let beside = [("csv", csv(&sites)), ("svg", picture)];
    tell(paper, &page(&title, &typed(), &protocol, &sites), &beside, loudness)
}
