//! Instance data, read into the archive.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use lodeward::extract::{Extractor as _, Options, Reader, Sink};
use lodeward::fetch::{Body, Representation};
use lodeward::model::{Fault, FaultKind, Link, Uri};
use lodeward_archive::{Archive, ArchiveError, Replacement};
use oxrdf::vocab::rdf;
use oxrdf::{NamedNode, QuadRef, TermRef, TripleRef};
use xxhash_rust::xxh3::xxh3_128;

use crate::problem::{Code, Problem};

/// Statements of one import.
const STATEMENTS_MAX: u64 = 2_000_000;

/// Bytes of an import, or of instances with an order, unpacked.
pub(crate) const UNPACKED_BYTES_MAX: u64 = 256 << 20;

/// Classes that are remembered of an import.
const TYPES_MAX: usize = 1_000;

/// Different values of a property that are put into a template.
const VALUES_MAX: usize = 1_000;

/// Longer values are not put into a template.
const VALUE_BYTES_MAX: usize = 200;

/// What an import says.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// How many statements.
    pub(super) statements: u64,
    /// The same for the same statements, in whatever order they are written.
    pub(super) digest: u128,
    /// Classes of those whom it describes.
    pub(super) types: BTreeSet<String>,
    /// Values of the properties that were asked for.
    pub(super) values: BTreeMap<String, BTreeSet<String>>,
}

/// Something that was sent to be imported.
pub(super) struct Sent<'a> {
    /// What relative references in it are relative to.
    pub(super) base: Uri,
    /// What it is said to be.
    pub(super) content_type: Option<String>,
    /// What it is.
    pub(super) body: &'a Bytes,
}

/// Puts what was sent into a graph, in place of all that was there; on disk when this
/// returns. What cannot be read as a whole is not put there at all. Blocks.
pub(super) fn into_graph(
    archive: &Archive,
    graph: &NamedNode,
    sent: Sent<'_>,
    properties: &BTreeSet<&str>,
) -> Result<Read, Problem> {
    let failed = |error: ArchiveError| Problem::internal(&error);
    // Others write while it is read, unless it is large.
    let mut sink = Importing {
        replacement: archive.replace_graph(graph.clone()),
        properties,
        read: Read::default(),
        fault: None,
        failure: None,
    };
    let options = Options {
        dump_bytes_max: UNPACKED_BYTES_MAX,
        barren_bytes_max: UNPACKED_BYTES_MAX,
        links_per_document_max: 0,
        syntax_errors_max: 1,
        ..Options::default()
    };
    let body = Body::Whole { bytes: sent.body.clone(), cut: None };
    let representation = Representation {
        uri: sent.base,
        status: 200,
        content_type: sent.content_type,
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body,
    };
    Reader::new(options).extract(representation, &mut sink);
    let Importing { replacement, read, fault, failure, .. } = sink;
    if let Some(error) = failure {
        return Err(failed(error));
    }
    let hint = "nothing was imported; mend it and send it again";
    if let Some(fault) = fault {
        return Err(Problem::new(Code::Invalid, format!("it cannot be read: {fault}")).hint(hint));
    }
    if read.statements > STATEMENTS_MAX {
        let detail = format!("it has more than {STATEMENTS_MAX} statements");
        return Err(Problem::new(Code::TooLarge, detail).hint("nothing was imported; send it in parts"));
    }
    if read.statements == 0 {
        return Err(Problem::new(Code::Invalid, "there is no RDF in it, or in no syntax we know").hint(hint));
    }
    replacement.finish().map_err(failed)?;
    Ok(read)
}

/// Removes graphs; on disk when this returns. Blocks.
pub(super) fn remove_graphs(archive: &Archive, graphs: &[NamedNode]) -> Result<(), Problem> {
    let removed = || {
        let mut transaction = archive.begin();
        for graph in graphs {
            transaction.drop_graph(graph.as_ref().into())?;
        }
        transaction.commit()?;
        archive.sync()
    };
    removed().map_err(|error: ArchiveError| Problem::internal(&error))
}

struct Importing<'a> {
    replacement: Replacement<'a>,
    properties: &'a BTreeSet<&'a str>,
    read: Read,
    fault: Option<Fault>,
    failure: Option<ArchiveError>,
}

impl Importing<'_> {
    fn note(&mut self, quad: QuadRef<'_>) {
        let read = &mut self.read;
        // A sum does not depend on the order.
        let statement = TripleRef::from(quad).to_string();
        read.digest = read.digest.wrapping_add(xxh3_128(statement.as_bytes()));
        if quad.predicate == rdf::TYPE
            && let TermRef::NamedNode(class) = quad.object
            && read.types.len() < TYPES_MAX
        {
            read.types.insert(class.as_str().to_owned());
        }
        let value = match quad.object {
            TermRef::NamedNode(value) => value.as_str(),
            TermRef::Literal(literal) => literal.value().trim(),
            TermRef::BlankNode(_) => return,
        };
        if self.properties.contains(quad.predicate.as_str()) && (1..=VALUE_BYTES_MAX).contains(&value.len()) {
            let values = read.values.entry(quad.predicate.as_str().to_owned()).or_default();
            if values.len() < VALUES_MAX {
                values.insert(value.to_owned());
            }
        }
    }
}

impl Sink for Importing<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.read.statements += 1;
        if self.read.statements > STATEMENTS_MAX || self.fault.is_some() || self.failure.is_some() {
            return;
        }
        self.note(quad);
        if let Err(error) = self.replacement.add(quad.into()) {
            self.failure = Some(error);
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        // That there are more links than wanted, which is none, is no fault.
        let is_of_links = fault.kind == FaultKind::Excess && fault.detail.ends_with(" links");
        if !is_of_links && self.fault.is_none() {
            self.fault = Some(fault);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_write_while_an_import_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path(), &lodeward_archive::Options::default()).unwrap();
        let graph = NamedNode::new_unchecked("urn:lodeward:import/a");
        let body = Bytes::from_static(b"<http://a.example/> a <http://a.example/A> , .");
        let sent = Sent {
            base: Uri::parse("http://a.example/").unwrap(),
            content_type: Some("text/turtle".into()),
            body: &body,
        };
        let writing = archive.begin();

        // It has a fault, and so need not wait for anybody.
        let refused = into_graph(&archive, &graph, sent, &BTreeSet::new()).unwrap_err();

        assert_eq!(refused.code(), Code::Invalid);
        drop(writing);
        assert_eq!(archive.snapshot().named_graphs().count(), 0);
    }
}
