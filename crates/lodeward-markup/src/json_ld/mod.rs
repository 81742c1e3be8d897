//! JSON-LD, in documents and in the scripts of pages.
