//! SPARQL 1.1 Query and Update on an archive.

mod answer;
mod cancel;
mod error;
mod explain;
mod format;
mod options;
mod query;
mod services;
mod update;

pub use answer::{Answer, Solutions, Statements};
pub use cancel::CancellationToken;
pub use error::{QueryError, Stopped, SyntaxError, UpdateError};
pub use explain::Explanation;
pub use format::{AnswerFormat, AnswerKind};
pub use options::{DefaultGraph, QueryOptions, UpdateOptions};
pub use services::{Fetched, ServiceError, Services};
