//! Reads RDF files as lists of seeds.

use std::io::Read;

use lodeward_rdf::{QuadSink, RdfFault, RdfFaultKind, RdfFormat, RdfInput, RdfReader};
use oxrdf::{NamedOrBlankNodeRef, QuadRef, TermRef};

use super::SeedCollector;
use lodeward::model::Uri;

/// The base of relative IRIs. It cannot be dereferenced, so relative IRIs are not used as seeds.
const BASE: &str = "file:///";

const MAX_FAULTS: usize = 10;

/// Reads an RDF file: first the subjects, then the objects. IRIs that cannot be
/// dereferenced are skipped: in RDF, an IRI need not be a URL.
pub(super) fn read(reader: impl Read, name: &str, format: RdfFormat, seeds: &mut SeedCollector) {
    let mut nodes = SeedNodes { name, seeds, objects: Vec::new(), faults: 0 };
    let reader_of_format = RdfReader::new(format).base(BASE).max_errors(MAX_FAULTS).repair();
    if let Err(error) = reader_of_format.read(RdfInput::Stream(Box::new(reader)), &mut nodes) {
        nodes.seeds.add_problem(Some(name.to_owned()), error, None);
    }
    for object in nodes.objects {
        nodes.seeds.add(object);
    }
}

/// Adds subjects at once, and collects objects.
struct SeedNodes<'a> {
    name: &'a str,
    seeds: &'a mut SeedCollector,
    objects: Vec<Uri>,
    faults: usize,
}

impl QuadSink for SeedNodes<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if let NamedOrBlankNodeRef::NamedNode(node) = quad.subject
            && let Ok(subject) = Uri::parse(node.as_str())
        {
            self.seeds.add(subject);
        }
        if let TermRef::NamedNode(node) = quad.object {
            self.objects.extend(Uri::parse(node.as_str()));
        }
    }

    fn fault(&mut self, fault: RdfFault) {
        if fault.kind == RdfFaultKind::Repaired || !self.is_open() {
            return;
        }
        let location = fault.position.map_or(self.name.to_owned(), |at| format!("{}:{}", self.name, at.line));
        self.seeds.add_problem(Some(location), fault.detail, None);
        self.faults += 1;
    }

    fn is_open(&self) -> bool {
        self.faults < MAX_FAULTS
    }
}
