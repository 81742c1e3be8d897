//! SPARQL on the archive: public suites, the same answers as oxigraph, bounds.

mod bounds;
mod datasets;
mod differential;
mod engine;
mod formats;
mod hostile;
mod lenient;
mod ordering;
mod services;
mod w3c;
