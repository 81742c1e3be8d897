//! Reads documents in RDF formats with `lodeward-rdf`.
//!
//! IRIs and language tags are not checked by the parsers: `Extraction` checks each distinct one once instead of at
//! every occurrence.

use std::sync::Arc;

use lodeward_rdf::json_ld::ContextLoader;
use lodeward_rdf::{QuadSink, RdfFault, RdfFaultKind, RdfFormat, RdfInput, RdfReader};
use oxrdf::QuadRef;

use super::extraction::Extraction;
use crate::model::{Fault, FaultKind, stream_fault};

/// Reads a document in an RDF format.
pub(super) fn read(
    format: RdfFormat,
    input: RdfInput<'_>,
    contexts: &Arc<dyn ContextLoader>,
    harvest: &mut Extraction<'_>,
) {
    harvest.begin_syntax(format.name());
    let reader = RdfReader::new(format).base(harvest.base()).contexts(Arc::clone(contexts));
    let reader = reader.max_errors(harvest.options.max_syntax_errors).lenient().repair();
    if let Err(error) = reader.read(input, &mut RdfStatements { harvest, rejected: 0 }) {
        harvest.fault(stream_fault(&error));
    }
}

/// Passes statements to the extraction.
struct RdfStatements<'h, 'a> {
    harvest: &'h mut Extraction<'a>,
    rejected: usize,
}

impl QuadSink for RdfStatements<'_, '_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        if let Err(detail) = self.harvest.quad(quad) {
            self.rejected += 1;
            if self.rejected <= self.harvest.options.max_syntax_errors {
                self.harvest.fault(Fault::new(FaultKind::Syntax, detail));
            }
        }
    }

    fn fault(&mut self, fault: RdfFault) {
        self.harvest.fault(Fault::new(fault_kind(fault.kind), without_repair_prefix(&fault.to_string())));
    }

    fn is_open(&self) -> bool {
        self.rejected < self.harvest.options.max_syntax_errors
    }
}

pub(super) fn fault_kind(kind: RdfFaultKind) -> FaultKind {
    match kind {
        RdfFaultKind::Limit => FaultKind::Limit,
        RdfFaultKind::Remote => FaultKind::Context,
        RdfFaultKind::Repaired => FaultKind::JsonRepaired,
        RdfFaultKind::Unsupported => FaultKind::UnsupportedFormat,
        _ => FaultKind::Syntax,
    }
}

/// The detail of a fault; the kind already says that it is a repair.
pub(super) fn without_repair_prefix(detail: &str) -> &str {
    detail.strip_prefix("repaired: ").unwrap_or(detail)
}
