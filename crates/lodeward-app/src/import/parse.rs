//! Detection of the format of a file, and parsing.

use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use lodeward::extract::contexts;
use lodeward_markup::rdfa::HostLanguage;
use lodeward_rdf::blank_nodes::FileBlankNodes;
use lodeward_rdf::{QuadSink, RdfFault, RdfFormat, RdfInput, RdfReader, ReadEnd, charset, sniff};
use oxrdf::{Quad, QuadRef};

use super::blocks::{self, LineFile};
use super::feed::{FeedStopped, ImportFeed};
use super::source::ImportSource;
use super::{ImportOptions, MAX_ERRORS, pages};

/// Reads a file.
pub(super) fn read(
    source: &ImportSource,
    options: &ImportOptions,
    meter: &Arc<AtomicU64>,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    let identity = source.identity();
    feed.begin_file(source, FileBlankNodes::numbered(identity));
    let mut head = Vec::new();
    let opened = source.open(meter).and_then(|mut content| {
        content.by_ref().take(sniff::HEAD_BYTES as u64).read_to_end(&mut head)?;
        Ok(content)
    });
    let content = match opened {
        Ok(content) => content,
        Err(error) => return feed.record_fault(None, error.to_string()),
    };
    let named = options.format.or_else(|| source.syntax());
    let Some(syntax) = named.or_else(|| sniff::detect_format(None, None, &charset::decode_for_sniffing(&head))) else {
        return feed.record_fault(None, "no RDF found, or the format is unknown");
    };
    if matches!(syntax, RdfFormat::NTriples | RdfFormat::NQuads) {
        let file = LineFile { name: source.name.clone(), identity, has_graphs: syntax == RdfFormat::NQuads };
        return blocks::split_into_blocks(Cursor::new(head).chain(content), file, feed);
    }
    let base = options.base.clone().unwrap_or_else(|| source.base_iri());
    let content = Cursor::new(head).chain(content);
    match HostLanguage::from_format(syntax) {
        Some(host) => pages::read_page(content, (syntax, host), &base, options.contexts.as_deref(), feed)?,
        None => read_rdf(content, syntax, &base, options, feed)?,
    }
    feed.finish_file()
}

fn read_rdf(
    content: impl Read,
    format: RdfFormat,
    base: &str,
    options: &ImportOptions,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    let reader = RdfReader::new(format).base(base).contexts(contexts(options.contexts.as_deref()));
    let reader = reader.max_errors(MAX_ERRORS as usize).repair().raw();
    let reader = if options.lenient { reader.lenient() } else { reader };
    let mut sink = FeedSink { feed, is_stopped: false };
    let end = reader.read(RdfInput::Stream(Box::new(content)), &mut sink);
    match end {
        _ if sink.is_stopped => Err(FeedStopped),
        Ok(ReadEnd::TooManyErrors) => feed.record_fault(None, "too many errors; the rest of the file was not read"),
        Ok(_) => Ok(()),
        Err(error) => feed.record_fault(None, error.to_string()),
    }
}

/// Passes statements to the feed, until it has stopped.
struct FeedSink<'a> {
    feed: &'a mut ImportFeed,
    is_stopped: bool,
}

impl QuadSink for FeedSink<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.owned_quad(quad.into_owned());
    }

    fn owned_quad(&mut self, quad: Quad) {
        self.is_stopped = self.is_stopped || self.feed.push_quad(quad).is_err();
    }

    fn fault(&mut self, fault: RdfFault) {
        let location = fault.position.map(|at| (at.line, at.column));
        self.is_stopped = self.is_stopped || self.feed.record_fault(location, fault.detail).is_err();
    }

    fn begin_scope(&mut self) {
        self.feed.begin_scope();
    }

    fn is_open(&self) -> bool {
        !self.is_stopped
    }
}
