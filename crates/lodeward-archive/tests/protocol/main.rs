//! Tests of the SPARQL protocols, through HTTP requests.

mod endpoint;
mod fixture;
mod graph_store;
mod http_rdf_update;
mod manifest;
mod queries;
