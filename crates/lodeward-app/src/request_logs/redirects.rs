//! The redirect log, as LDSpider writes it: one row of two IRIs per redirect.

use std::sync::Arc;

use lodeward::engine::{Observer, RequestKind, RequestOutcome, RequestRecord};

use super::file::RequestLogFile;

pub(super) struct RedirectLog {
    pub(super) file: Arc<RequestLogFile>,
}

impl Observer for RedirectLog {
    fn request_finished(&mut self, request: &RequestRecord<'_>) {
        if let (RequestOutcome::Redirect(Some(target)), RequestKind::Document | RequestKind::Probe) =
            (request.outcome, request.kind)
        {
            let row = format!("{} {} .\n", request.uri.document_graph(), target.document_graph());
            self.file.write(request.depth, row.as_bytes());
        }
    }

    fn before_commit(&mut self) {
        self.file.flush_if_due();
    }
}
