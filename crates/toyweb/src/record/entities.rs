//! Records an entity web.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use http::StatusCode;
use http::header::ACCEPT;

use super::manifest::{ManifestClass, ManifestRow, RecordingManifest};
use super::{ACCEPT_RDF_FIRST, RecordSummary, TruthLabel, warc};
use crate::entities::EntityWeb;
use crate::message::{Web, WebBody, WebRequest};

/// Records every document of an entity web into a directory, which is created if necessary. All documents are seeds, in
/// the order of the tables.
pub fn record_entities(web: &EntityWeb, directory: &Path) -> io::Result<RecordSummary> {
    std::fs::create_dir_all(directory)?;
    let create = |name: &str| File::create(directory.join(name)).map(BufWriter::new);
    let mut warc = warc::WarcFileWriter::new(directory);
    let mut manifest = RecordingManifest::new(create("manifest.tsv.gz")?)?;
    let mut seeds = create("seeds.txt")?;
    let mut summary = RecordSummary::default();
    for url in web.urls() {
        let response = web.respond(&WebRequest::get(url).with_header(ACCEPT, ACCEPT_RDF_FIRST));
        let WebBody::Whole(body) = &response.body else { continue };
        if response.status != StatusCode::OK {
            continue;
        }
        let (class, label, format) = (ManifestClass::Rdf, TruthLabel::Rdf, "turtle");
        let row = ManifestRow { url, response: &response, bytes: body.len(), class, label, format, redirect: None };
        warc.write_response(url, &response, body)?;
        manifest.write_row(&row)?;
        writeln!(seeds, "{url}")?;
        summary.documents += 1;
        summary.rdf += 1;
        summary.bytes += body.len() as u64;
    }
    manifest.finish()?;
    seeds.flush()?;
    warc.finish()?;
    Ok(summary)
}
