//! `RDFa` 1.1 (and 1.0) over the tree of a page.
