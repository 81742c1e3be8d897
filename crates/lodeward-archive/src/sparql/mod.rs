//! SPARQL 1.1 Query and Update on an archive.
//!
//! The parser (spargebra) and the evaluator (spareval) are those of Oxigraph.
//! What is here is around them: bounds that hold wherever the evaluator is
//! ([`QueryOptions`]), default graphs that are sets, an order of joins by the
//! archive's own statistics, one transaction per update, services through a
//! client that somebody lends ([`Services`]), and answers in all formats.
//!
//! ```
//! use std::time::Duration;
//!
//! use lodeward_archive::sparql::{Answer, AnswerFormat, QueryOptions, UpdateOptions};
//! use lodeward_archive::{Archive, Options};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path();
//! let archive = Archive::open(path, &Options::default())?;
//! let update = "PREFIX ex: <http://example.org/> INSERT DATA { ex:ada ex:knows ex:charles , ex:mary }";
//! assert_eq!(archive.update(update, &UpdateOptions::default())?.inserted, 2);
//!
//! let bounded = QueryOptions { timeout: Some(Duration::from_secs(10)), rows_max: Some(1000), ..QueryOptions::default() };
//! let snapshot = archive.snapshot();
//! let Answer::Solutions(rows) = snapshot.query("SELECT ?who { ?s ?p ?who } ORDER BY ?who", &bounded)? else {
//!     unreachable!("a SELECT has rows")
//! };
//! let names: Vec<_> = rows.map(|row| Ok(row?["who"].to_string())).collect::<Result<_, lodeward_archive::sparql::QueryError>>()?;
//! assert_eq!(names, ["<http://example.org/charles>", "<http://example.org/mary>"]);
//!
//! let mut json = Vec::new();
//! snapshot.query("ASK { ?s ?p ?o }", &bounded)?.write(AnswerFormat::Json, &mut json)?;
//! assert_eq!(json, br#"{"head":{},"boolean":true}"#);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # What stops a query
//!
//! Time, rows, memory, or a [`CancellationToken`]; the error says which
//! ([`Stopped`]). A row too many is an error as well: an answer that is cut off
//! is never taken for a whole one. What the bounds do not reach: the planning of
//! a query (its size is bounded instead: brackets 64 deep, 500 levels of
//! algebra), a single call of a function (a regular expression on one literal),
//! and what a [`Services`] does inside its methods. Where panics abort the
//! process, see the module `control` for what else.

mod answer;
mod cancel;
mod control;
mod dataset;
mod deep;
mod error;
mod explain;
mod format;
mod lenient;
mod load;
mod nesting;
mod options;
mod order;
mod plan;
mod prologue;
mod query;
mod services;
mod syntax;
mod update;
mod visible;
mod walk;
mod watch;
mod write;

pub use answer::{Answer, Solutions, Statements};
pub use cancel::CancellationToken;
pub use error::{QueryError, Stopped, SyntaxError, UpdateError};
pub use explain::Explanation;
pub use format::{AnswerFormat, AnswerKind};
pub use options::{DefaultGraph, QueryOptions, UpdateOptions};
pub use services::{Fetched, ServiceError, Services};
