//! The proof that a group of documents is stored.

/// The proof that a store has committed every document put so far. A frontier requires one to
/// commit settlements, so that no URI is settled whose document was not stored. A receipt is used
/// once: it can be neither copied nor cloned.
#[derive(Debug)]
pub struct StoreReceipt(());

impl StoreReceipt {
    /// Issues a receipt. Only a store calls this, at the end of a successful commit; a frontier
    /// without a store, as in tests, may call it itself.
    #[must_use]
    pub fn issue() -> Self {
        Self(())
    }
}
