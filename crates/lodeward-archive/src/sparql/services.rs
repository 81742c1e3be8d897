//! What others answer: `SERVICE` and `LOAD`.

use std::io::Read;

/// Whoever reaches other machines. The archive does not by itself: the crawler
/// lends it a client that refuses private addresses and bounds size and time.
pub trait Services: Send + Sync {
    /// Sends a query to an endpoint. The body is a result in JSON, XML, CSV or TSV.
    fn query(&self, endpoint: &str, query: &str) -> Result<Fetched, ServiceError>;

    /// Fetches a document for `LOAD`.
    fn load(&self, url: &str) -> Result<Fetched, ServiceError>;
}

/// What came back.
pub struct Fetched {
    /// The media type, with or without parameters.
    pub media_type: Option<String>,
    /// The body, read as it is needed.
    pub body: Box<dyn Read + Send>,
}

/// Another machine did not answer, or not what was asked.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ServiceError(pub Box<dyn std::error::Error + Send + Sync>);
