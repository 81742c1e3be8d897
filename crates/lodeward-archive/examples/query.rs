//! Queries an archive: `query DIR SPARQL`. Prints the result as CSV, or as N-Triples for a query
//! that returns a graph.
//!
//! `DIR` is the directory `archive` inside a data directory of Lodeward, or any directory that
//! [`Archive::open`] created. A missing archive is not created.
#![expect(clippy::print_stderr, reason = "a tool that prints its errors")]

use std::path::Path;

use lodeward_archive::sparql::{QueryOptions, QueryOutput, ResultFormat};
use lodeward_archive::{Archive, Options};
use lodeward_rdf::RdfFormat;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(query)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: query DIR SPARQL");
        std::process::exit(2);
    };
    if !Path::new(&directory).is_dir() {
        return Err(format!("no archive in `{directory}`").into());
    }
    let archive = Archive::open(&directory, &Options::default())?;
    let result = archive.snapshot().query(&query, &QueryOptions::default())?;
    let format = match &result {
        QueryOutput::Graph(_) => ResultFormat::Rdf(RdfFormat::NTriples),
        _ => ResultFormat::Csv,
    };
    result.write(format, std::io::stdout().lock())?;
    Ok(())
}
