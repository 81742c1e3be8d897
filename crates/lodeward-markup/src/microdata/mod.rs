//! Microdata to RDF over the tree of a page.
