//! How it is told.
