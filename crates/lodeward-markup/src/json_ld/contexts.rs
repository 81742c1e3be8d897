//! Where contexts come from that documents refer to by address.

use std::panic::{RefUnwindSafe, UnwindSafe};

/// Brings the contexts that JSON-LD documents refer to by address.
///
/// The reader asks in the middle of a document and waits for the answer, on
/// the thread that reads. A context that cannot be had is a fault of the
/// document: guessing at it would make wrong statements.
pub trait Contexts: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The text of the context at this address, or why there is none.
    fn load(&self, address: &str) -> Result<Vec<u8>, String>;
}
