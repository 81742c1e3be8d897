//! Tests of SPARQL on the archive: W3C suites, comparison with Oxigraph, limits.

mod batches;
mod bombs;
mod datasets;
mod differential;
mod engine;
mod formats;
mod hash_joins;
mod hostile;
mod join_order;
mod lenient;
mod limits;
mod provenance;
mod services;
mod text_search;
mod w3c;
