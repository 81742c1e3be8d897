//! JSON-LD documents, by `lodeward-markup`.

use std::sync::Arc;

use lodeward_markup::json_ld::{self, Contexts, Options};

use super::harvest::Harvest;
use super::html::Statements;
use super::rdf::{Input, fault_of_stream};

/// Reads a document, up to the first error: after one the meaning of terms is
/// not known. Text that is not quite JSON is mended, and that is told.
pub(super) fn read(input: Input<'_>, base: &str, contexts: &Arc<dyn Contexts>, harvest: &mut Harvest<'_>) {
    let options = Options::default();
    let mut sink = Statements { harvest, refusals: 0, is_page: false };
    let result = match input {
        Input::Slice(bytes) => json_ld::read_from(bytes, base, &options, contexts, &mut sink),
        Input::Stream(reader) => json_ld::read_from(reader, base, &options, contexts, &mut sink),
    };
    if let Err(error) = result {
        harvest.fault(fault_of_stream(&error));
    }
}
