//! A graph of entities, written down.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use http::StatusCode;
use http::header::ACCEPT;

use super::manifest::{Class, Manifest, Row};
use super::{Label, PREFERS_RDF, Recorded, warc};
use crate::entities::EntityWeb;
use crate::message::{Body, Request, Web};

/// Records every document of a graph into a directory, which is made if need be.
/// All of them are seeds, in the order of the tables.
pub fn record_entities(web: &EntityWeb, directory: &Path) -> io::Result<Recorded> {
    std::fs::create_dir_all(directory)?;
    let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
    let mut warc = warc::Writer::new(directory);
    let mut manifest = Manifest::new(create("manifest.tsv.gz")?)?;
    let mut seeds = create("seeds.txt")?;
    let mut recorded = Recorded::default();
    for url in web.urls() {
        let answer = web.respond(&Request::get(url).with(ACCEPT, PREFERS_RDF));
        let Body::Whole(body) = &answer.body else { continue };
        if answer.status != StatusCode::OK {
            continue;
        }
        let (class, label, format) = (Class::Rdf, Label::Rdf, "turtle");
        let row = Row { url, answer: &answer, bytes: body.len(), class, label, format, redirect: None };
        warc.put(url, &answer, body)?;
        manifest.put(&row)?;
        writeln!(seeds, "{url}")?;
        recorded.documents += 1;
        recorded.rdf += 1;
        recorded.bytes += body.len() as u64;
    }
    manifest.finish()?;
    seeds.flush()?;
    warc.finish()?;
    Ok(recorded)
}
