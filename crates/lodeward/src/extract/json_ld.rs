//! JSON-LD, in documents and in scripts of pages.

use std::io::Read;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use oxjsonld::{JsonLdParser, JsonLdRemoteDocument};

use super::depth::{Nesting, Shallow, shallow, too_deep};
use super::harvest::Harvest;
use super::rdf::{self, Input};
use crate::model::{Fault, FaultKind};

/// Brings the contexts that JSON-LD documents refer to by address.
///
/// The parser asks in the middle of a document and waits for the answer, on
/// the thread that reads. A context that cannot be had is a fault of the
/// document: guessing at it would make wrong statements.
pub trait Contexts: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The text of the context at this address, or why there is none.
    fn load(&self, address: &str) -> Result<Vec<u8>, String>;
}

/// No context but those written out in the document.
///
/// Not even schema.org's: a stand-in that only sets `@vocab` would turn every
/// IRI-valued property into a string.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Contexts for Offline {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        Err(format!("remote context <{address}> is not at hand"))
    }
}

/// Reads a document. Strictly, and up to the first error: what lenient
/// JSON-LD lets out are relative IRIs, and after an error the meaning of terms
/// is not known.
pub(super) fn read(input: Input<'_>, base: &str, contexts: &Arc<dyn Contexts>, harvest: &mut Harvest<'_>) {
    let parser = match JsonLdParser::new().with_base_iri(base) {
        Ok(parser) => parser,
        Err(error) => return harvest.fault(Fault::new(FaultKind::Syntax, format!("base <{base}>: {error}"))),
    };
    let contexts = Arc::clone(contexts);
    let load = move |address: &str, _: &_| {
        let document = contexts.load(address)?;
        Ok(JsonLdRemoteDocument { document, document_url: address.to_owned() })
    };
    match input {
        Input::Slice(bytes) => {
            let readable = shallow(Nesting::Json, bytes);
            if readable.len() < bytes.len() {
                harvest.fault(Fault::new(FaultKind::Syntax, too_deep()));
            }
            rdf::drain(parser.for_slice(readable).with_load_document_callback(load), 1, harvest);
        }
        Input::Stream(reader) => {
            let reader: Box<dyn Read> = Box::new(Shallow::new(Nesting::Json, reader));
            rdf::drain(parser.for_reader(reader).with_load_document_callback(load), 1, harvest);
        }
    }
}
