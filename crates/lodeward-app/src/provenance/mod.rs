//! The graphs that a crawl generates: provenance of documents as RDF, and the `VoID` description of a harvest.
//!
//! The log has a [`Provenance`](lodeward::model::Provenance) record of a few dozen bytes with each document. It is converted to RDF only where it
//! is queried or exported.

mod graph_names;
mod graph_record;
mod quads;
pub mod survey;
mod vocabulary;

use std::io::Write;

use lodeward::store::segments::ReadBounds;
use lodeward::store::{SegmentStore, StoreError};
use lodeward_rdf::write::n_quads::write_quad;

pub use graph_names::GraphNames;
pub(crate) use graph_names::{GeneratedGraph, document_fingerprint};
pub(crate) use graph_record::{encode_description, encode_provenance, expand_graph};
pub use quads::provenance_quads;

/// Writes the provenance of the documents as N-Quads, one graph per document. Returns the number of quads.
pub fn export_provenance(store: &SegmentStore, names: &GraphNames, into: &mut dyn Write) -> Result<u64, StoreError> {
    let mut written = 0;
    let mut lines = Vec::new();
    let mut reader = store.log().read(None)?;
    while let Some(group) = reader.next_group(ReadBounds::default())? {
        for change in &group.changes {
            let Some(provenance) = &change.provenance else { continue };
            let quads = provenance_quads(provenance, names, &change.document, change.quads);
            written += quads.len() as u64;
            for quad in &quads {
                write_quad(&mut lines, quad.as_ref());
            }
        }
        into.write_all(&lines).map_err(StoreError::Export)?;
        lines.clear();
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use lodeward::model::Provenance;
    use lodeward::store::Store as _;
    use lodeward::store::contract::{sample_draft, uri};

    use super::*;

    #[tokio::test]
    async fn the_provenance_of_present_documents_is_exported() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _database) = crate::crawl_dir::open_segments(dir.path()).unwrap();
        for (number, quads) in [(1, 3), (2, 3), (1, 2), (2, 0)] {
            let mut draft = sample_draft(&store, &uri(number), "first", quads);
            draft.provenance = Some(Provenance::sample(9));
            store.put(draft).await.unwrap();
        }
        store.commit().await.unwrap();
        let names = GraphNames::new("urn:lodeward:", 1);

        let mut exported = Vec::new();
        let quads = export_provenance(&store, &names, &mut exported).unwrap();

        let text = String::from_utf8(exported).unwrap();
        let graph = format!("{} .", names.provenance_graph(&uri(1)));
        assert!(text.lines().count() > 10 && text.lines().all(|line| line.ends_with(&graph)), "{text}");
        assert_eq!(quads, text.lines().count() as u64);
    }
}
