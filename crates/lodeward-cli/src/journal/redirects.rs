//! Where redirects lead, as LDSpider writes it: rows of two IRIs.

use std::sync::Arc;

use lodeward::engine::{Came, Observer, Request, Visited};
use lodeward::provenance::graph_of;

use super::file::JournalFile;

pub(crate) struct Redirects {
    pub(crate) file: Arc<JournalFile>,
}

impl Observer for Redirects {
    fn visited(&mut self, visited: &Visited<'_>) {
        if let (Came::Redirect(Some(target)), Request::Document | Request::Probe) = (visited.came, visited.request) {
            let row = format!("{} {} .\n", graph_of(visited.uri), graph_of(target));
            self.file.write(visited.depth, row.as_bytes());
        }
    }

    fn keep(&mut self) {
        self.file.keep();
    }
}
