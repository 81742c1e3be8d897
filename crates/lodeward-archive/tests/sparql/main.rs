//! SPARQL on the archive: public suites, the same answers as oxigraph, bounds.

mod differential;
mod engine;
mod w3c;
