//! JSON-LD, in documents and in scripts of pages.

use std::borrow::Cow;
use std::io::{self, Read};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use oxjsonld::{JsonLdParser, JsonLdProfile, JsonLdRemoteDocument};

use super::depth::{DEPTH_MAX, Nesting, Shallow, TOO_DEEP, shallow};
use super::harvest::Harvest;
use super::rdf::{self, Input, fault_of_stream};
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

/// The largest document that is read in any order. The parser then holds all
/// of it, at some forty times its size; a larger one is read as streaming
/// JSON-LD, where contexts, types and identifiers come before what they are
/// about, and up to the point where one does not.
const BUFFERED_BYTES_MAX: usize = 4 << 20;
/// Depth times size that is followed: the parser holds what is inside an
/// object once for each object around it.
const DEPTH_BYTES_MAX: usize = 64 << 20;

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
    match buffered(input, harvest) {
        Buffered::Small(bytes) => {
            let readable = shallow(Nesting::Json, depth_max(bytes.len()), &bytes);
            if readable.len() < bytes.len() {
                harvest.fault(Fault::new(FaultKind::Syntax, TOO_DEEP));
            }
            rdf::drain(parser.for_slice(readable).with_load_document_callback(load), 1, harvest);
        }
        Buffered::Large(reader) => {
            let reader: Box<dyn Read> = Box::new(Shallow::new(Nesting::Json, depth_max(usize::MAX), reader));
            let parser = parser.with_profile(JsonLdProfile::Streaming).for_reader(reader);
            rdf::drain(parser.with_load_document_callback(load), 1, harvest);
        }
    }
}

fn depth_max(bytes: usize) -> usize {
    (DEPTH_BYTES_MAX / bytes.max(1)).clamp(16, DEPTH_MAX)
}

enum Buffered<'a> {
    Small(Cow<'a, [u8]>),
    Large(Box<dyn Read + 'a>),
}

/// How a document is read depends on its size only, not on how it came.
fn buffered<'a>(input: Input<'a>, harvest: &mut Harvest<'_>) -> Buffered<'a> {
    match input {
        Input::Slice(bytes) if bytes.len() <= BUFFERED_BYTES_MAX => Buffered::Small(Cow::Borrowed(bytes)),
        Input::Slice(bytes) => Buffered::Large(Box::new(bytes)),
        Input::Stream(mut reader) => {
            let mut head = Vec::new();
            if let Err(error) = reader.by_ref().take(BUFFERED_BYTES_MAX as u64 + 1).read_to_end(&mut head) {
                harvest.fault(fault_of_stream(&error));
            }
            if head.len() <= BUFFERED_BYTES_MAX {
                return Buffered::Small(Cow::Owned(head));
            }
            Buffered::Large(Box::new(io::Cursor::new(head).chain(reader)))
        }
    }
}
