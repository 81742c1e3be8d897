//! SPARQL 1.1 Query and Update on an archive.
//!
//! The parser (spargebra) and the evaluator (spareval) are those of Oxigraph. This module adds
//! limits that apply everywhere in the evaluator ([`QueryOptions`]), default graphs that are sets,
//! a join order from the archive's statistics, one transaction per update, services through a
//! client that the caller provides ([`ServiceHandler`]), and results in all formats.
//!
//! ```
//! use std::time::Duration;
//!
//! use lodeward_archive::sparql::{QueryError, QueryOptions, QueryOutput, ResultFormat, UpdateOptions};
//! use lodeward_archive::{Archive, Options};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path();
//! let archive = Archive::open(path, &Options::default())?;
//! let update = "PREFIX ex: <http://example.org/> INSERT DATA { ex:ada ex:knows ex:charles , ex:mary }";
//! assert_eq!(archive.update(update, &UpdateOptions::default())?.inserted, 2);
//!
//! let limited =
//!     QueryOptions { timeout: Some(Duration::from_secs(10)), max_rows: Some(1000), ..QueryOptions::default() };
//! let snapshot = archive.snapshot();
//! let output = snapshot.query("SELECT ?friend { ?s ?p ?friend } ORDER BY ?friend", &limited)?;
//! let QueryOutput::Solutions(rows) = output else { unreachable!("a SELECT has rows") };
//! let names = rows.map(|row| Ok(row?["friend"].to_string())).collect::<Result<Vec<_>, QueryError>>()?;
//! assert_eq!(names, ["<http://example.org/charles>", "<http://example.org/mary>"]);
//!
//! let mut json = Vec::new();
//! snapshot.query("ASK { ?s ?p ?o }", &limited)?.write(ResultFormat::Json, &mut json)?;
//! assert_eq!(json, br#"{"head":{},"boolean":true}"#);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! A query is stopped by its limit of time, rows or memory, or by a [`CancellationToken`]; the
//! error states the cause ([`QueryLimit`]). Exceeding the row limit is an error, so that a
//! truncated result is never taken for a complete one.
//!
//! Parser, optimiser and the methods of a [`ServiceHandler`] cannot be interrupted. If a query is
//! stopped meanwhile, it ends at once, and their work is completed for nothing on another thread. So
//! the work of the parser and the optimiser is limited before they start: brackets are nested at most
//! 64 deep, the algebra 500 levels, the parser reads at most 2 MB again, and a query that needs too
//! many steps to optimise is evaluated as it is written. A function returns a text of at most an
//! eighth of the memory limit, and at most 64 MiB; a regular expression that could take more than half
//! a second can be stopped, or is rejected.
//!
//! If panics abort the process, there are exceptions: see the module `query_control`.

mod algebra;
mod batch;
mod output;
mod cancel;
mod columns;
mod query_control;
mod dataset;
mod depth;
mod error;
mod explain;
mod functions;
mod result_format;
mod lenient;
mod load;
mod memory;
mod mistakes;
mod nesting;
mod optionals;
mod options;
mod join_order;
mod plan;
mod planning_cost;
mod prologue;
mod provenance_graphs;
mod query;
mod query_thread;
mod service_handler;
mod syntax;
mod text_search;
mod tokens;
mod update;
mod visible_rows;
mod watchdog;
mod write_results;

pub use cancel::CancellationToken;
pub use error::{QueryError, QueryLimit, QuerySyntaxError, UpdateError};
pub use explain::QueryPlan;
pub use options::{DefaultGraph, PrefixLookup, QueryOptions, UpdateOptions};
pub use output::{QueryOutput, QuerySolutions, QueryTriples};
pub use query_thread::abandoned_threads;
pub use result_format::{ResultFormat, ResultKind};
pub use service_handler::{ServiceCallError, ServiceCallResponse, ServiceHandler};
pub use text_search::{SEARCH_PREDICATE, TextSearch, TextSearchError, TextSearchFailure};
pub use update::UpdateSummary;
