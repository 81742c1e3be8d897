//! SPARQL 1.1 Query and Update on an archive.

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
