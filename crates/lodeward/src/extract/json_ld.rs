//! Reads JSON-LD documents with `lodeward-markup`.

use std::sync::Arc;

use lodeward_markup::json_ld::{self, ContextLoader, JsonLdOptions};

use super::extraction::Extraction;
use super::html::PageStatements;
use super::rdf::RdfInput;
use crate::model::stream_fault;

/// Reads a document up to the first error; after an error the meaning of terms is unknown. Invalid JSON is repaired
/// where possible, and the repair is reported as a fault.
pub(super) fn read(input: RdfInput<'_>, base: &str, contexts: &Arc<dyn ContextLoader>, harvest: &mut Extraction<'_>) {
    let options = JsonLdOptions::default();
    let mut sink = PageStatements { harvest, rejected: 0, is_page: false };
    let result = match input {
        RdfInput::Slice(bytes) => json_ld::read_from(bytes, base, &options, contexts, &mut sink),
        RdfInput::Stream(reader) => json_ld::read_from(reader, base, &options, contexts, &mut sink),
    };
    if let Err(error) = result {
        harvest.fault(stream_fault(&error));
    }
}
