//! Logs every request (`-v`).

use lodeward::engine::{Observer, RequestOutcome, RequestRecord};

/// The target of the events, which `-v` selects.
pub(crate) const TARGET: &str = "lodeward::requests";

/// Logs each request when it has ended.
pub(crate) struct RequestLogger;

impl RequestLogger {
    /// Whether its events are logged.
    pub(crate) fn is_enabled() -> bool {
        tracing::enabled!(target: TARGET, tracing::Level::DEBUG)
    }
}

impl Observer for RequestLogger {
    fn request_finished(&mut self, request: &RequestRecord<'_>) {
        let (method, uri, bytes) = (request.kind.method(), request.uri, request.bytes);
        let (status, elapsed_ms) = (request.status.unwrap_or(0), request.elapsed.as_millis());
        match request.outcome {
            RequestOutcome::Document { quads, .. } => {
                tracing::debug!(target: TARGET, method, %uri, status, elapsed_ms, bytes, quads, "document fetched");
            }
            RequestOutcome::Redirect(Some(to)) => {
                tracing::debug!(target: TARGET, method, %uri, status, elapsed_ms, %to, "redirected");
            }
            RequestOutcome::Failure(fault) => {
                tracing::debug!(target: TARGET, method, %uri, status, elapsed_ms, %fault, "request failed");
            }
            RequestOutcome::Redirect(None) | RequestOutcome::Response => {
                tracing::debug!(target: TARGET, method, %uri, status, elapsed_ms, "response received");
            }
        }
    }
}
