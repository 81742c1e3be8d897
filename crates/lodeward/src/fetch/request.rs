//! The request to a fetcher: what to fetch, and under which conditions.

use std::sync::Arc;
use std::time::Duration;

use super::response_head::HeadDetail;
use crate::model::{AcceptProfile, Uri, Validators};

/// One request to a fetcher.
#[derive(Clone, Copy)]
pub struct FetchRequest<'a> {
    /// The URI to request.
    pub uri: &'a Uri,
    /// What the response is used for.
    pub purpose: FetchPurpose,
    /// Makes the request conditional on a stored representation.
    pub validators: Option<&'a Validators>,
    /// Minimum delay before each range request that resumes an interrupted body: the delay of the domain.
    pub resume_delay: Duration,
    /// How much of the response head to return.
    pub head_detail: HeadDetail,
    /// Checked just before each request is sent; `None` if requests may always be sent.
    pub permit: Option<&'a Arc<dyn SendPermit>>,
}

impl<'a> FetchRequest<'a> {
    /// An unconditional request.
    #[must_use]
    pub fn new(uri: &'a Uri, purpose: FetchPurpose) -> Self {
        let (resume_delay, head_detail) = (Duration::ZERO, HeadDetail::None);
        Self { uri, purpose, validators: None, resume_delay, head_detail, permit: None }
    }

    /// An unconditional request for the best RDF representation of a document.
    #[must_use]
    pub fn harvest(uri: &'a Uri) -> Self {
        Self::new(uri, FetchPurpose::Harvest)
    }
}

/// What a response is used for. Determines the `Accept` field and the limits of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchPurpose {
    /// The best RDF representation of a document: negotiated, streamed when large.
    Harvest,
    /// The response to a step in the harvest of a service.
    Step(AcceptProfile),
    /// A robots.txt: plain text, at most 500 KiB.
    Robots,
}

/// The right to send requests. A worker that shares its frontier with others loses this right when its lease expires,
/// possibly while a request waits for a connection.
pub trait SendPermit: Send + Sync {
    /// Whether a request may be sent now.
    fn is_valid(&self) -> bool;
}
