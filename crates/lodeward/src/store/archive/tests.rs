//! The contract, and what is special about an archive: it follows.
