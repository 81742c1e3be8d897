//! Import of RDF in pages, with `lodeward-markup`.

use std::io::Read;
use std::path::Path;

use lodeward::extract::contexts;
use lodeward_markup::rdfa::HostLanguage;
use lodeward_markup::{self as markup};
use lodeward_rdf::{RdfFormat, charset};
use oxrdf::QuadRef;

use super::feed::{FeedStopped, ImportFeed};

/// Reads a page, which is buffered in memory.
pub(super) fn read_page(
    mut content: impl Read,
    (format, host): (RdfFormat, HostLanguage),
    base: &str,
    contexts_dir: Option<&Path>,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    let mut bytes = Vec::new();
    let read = content.read_to_end(&mut bytes);
    read.map(|_| ()).or_else(|error| feed.record_fault(None, error.to_string()))?;
    let (text, was_replaced) = charset::decode(&bytes, charset::detect_encoding(format.into(), None, &bytes, None));
    if was_replaced {
        feed.record_fault(None, "bytes invalid in the character encoding were replaced")?;
    }
    let mut statements = ImportPageSink { feed, stopped: false };
    let reader = markup::PageReader::with_contexts(markup::PageOptions::default(), contexts(contexts_dir));
    reader.read(&text, base, host, &mut statements);
    statements.finish()
}

/// Passes statements to the feed, and discards them after the feed has stopped: the readers cannot be stopped, but
/// pages are small.
struct ImportPageSink<'a> {
    feed: &'a mut ImportFeed,
    stopped: bool,
}

impl ImportPageSink<'_> {
    fn finish(self) -> Result<(), FeedStopped> {
        if self.stopped { Err(FeedStopped) } else { Ok(()) }
    }
}

impl markup::PageSink for ImportPageSink<'_> {
    fn quad(&mut self, _: markup::EmbeddedSyntax, quad: QuadRef<'_>) {
        self.stopped = self.stopped || self.feed.push_quad(quad.into_owned()).is_err();
    }

    fn fault(&mut self, fault: markup::MarkupFault) {
        self.stopped = self.stopped || self.feed.record_fault(None, fault.to_string()).is_err();
    }

    fn begin(&mut self, _: markup::EmbeddedSyntax) {
        self.feed.begin_scope();
    }
}
