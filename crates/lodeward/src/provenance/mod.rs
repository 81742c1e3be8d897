//! Where statements come from.
//!
//! A [`Provenance`] is what the engine knows of a document when it puts it: when
//! it was asked for, through which redirects, what its server said and what was
//! found. It is kept next to the document in the log, as a few dozen bytes; as
//! RDF it is written only where somebody wants to query it.

mod names;
mod quads;
mod record;
pub mod survey;
mod time;
mod vocabulary;

pub use names::{NAMESPACE, Names, graph_of};
pub use record::{Problem, Provenance, Redirect};
pub use time::{moment, parse_moment};
