//! Provenance of documents, as records and as RDF.
//!
//! A [`Provenance`] is written by the engine for each stored document: time of the request, redirects, response and
//! contents. It is stored with the document in the log, in a few dozen bytes, and converted to RDF only where it is
//! queried or exported.

mod graph_names;
mod graph_record;
mod quads;
mod record;
pub mod survey;
mod vocabulary;

pub use graph_names::{GeneratedGraph, GraphNames, document_fingerprint, document_graph};
pub use graph_record::{encode_description, expand_graph};
pub use record::{Provenance, RedirectRecord};
