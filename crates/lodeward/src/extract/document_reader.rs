//! The extractor used by crawls.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use lodeward_markup::UsageDirectives;
use lodeward_markup::rdfa::HostLanguage;
use lodeward_rdf::charset::{self, CharsetSource, Utf8Reader};
use lodeward_rdf::json_ld::ContextLoader;
use lodeward_rdf::{MediaType, RdfFormat, RdfInput, sniff};
use xxhash_rust::xxh3::xxh3_64;

use super::context_dir::contexts;
use super::extraction::Extraction;
use super::rdf;
use super::unpack::{self, ByteCounter, PeekReader};
use super::{ExtractOptions, ExtractSink, ExtractSummary, Extractor, html, link_header, link_lists, step_response};
use crate::discover::Step;
use crate::fetch::{Representation, ResponseBody};
use crate::model::{Fault, FaultKind, LinkKind, Uri, UsageTerms, stream_fault};

/// Reads documents in all supported formats.
pub struct DocumentReader {
    options: ExtractOptions,
    contexts: Arc<dyn ContextLoader>,
    pages: lodeward_markup::PageReader,
}

impl DocumentReader {
    /// A reader with the bundled JSON-LD contexts only.
    #[must_use]
    pub fn new(options: ExtractOptions) -> Self {
        Self::with_contexts(options, contexts(None))
    }

    /// A reader that loads remote JSON-LD contexts from `contexts`.
    #[must_use]
    pub fn with_contexts(options: ExtractOptions, contexts: Arc<dyn ContextLoader>) -> Self {
        let pages = html::page_reader(&options, Arc::clone(&contexts));
        Self { options, contexts, pages }
    }

    fn read_whole(&self, about: &DocumentHints<'_>, bytes: &Bytes, harvest: &mut Extraction<'_>) -> ExtractSummary {
        let head = &bytes[..bytes.len().min(sniff::HEAD_BYTES)];
        let digest = xxh3_64(bytes);
        if let Some(list) = about.list_format(head) {
            let format = link_lists::read(list, &bytes[..], harvest);
            return ExtractSummary { format, bytes: bytes.len() as u64, digest, ..ExtractSummary::default() };
        }
        if unpack::is_packed(head, about.uri, about.declared.as_ref()) {
            let body = Box::new(io::Cursor::new(bytes.clone()));
            return ExtractSummary { digest, ..self.read_stream(about, body, harvest) };
        }
        let format = about.syntax(&charset::decode_for_sniffing(head));
        if let Some(format) = format {
            let (text, was_replaced) = charset::decode(bytes, about.encoding(format, head));
            report_replaced(was_replaced, harvest);
            self.read(format, RdfInput::Slice(text.as_bytes()), harvest);
        } else {
            about.report_unsupported(head, harvest);
        }
        ExtractSummary { format: name(format), bytes: bytes.len() as u64, digest, ..ExtractSummary::default() }
    }

    fn read_stream(
        &self,
        about: &DocumentHints<'_>,
        stream: Box<dyn Read + Send>,
        harvest: &mut Extraction<'_>,
    ) -> ExtractSummary {
        let count = Rc::new(Cell::new(0));
        let mut layer = PeekReader::new(Box::new(ByteCounter { inner: stream, count: Rc::clone(&count) }));
        let head = layer.peek(sniff::HEAD_BYTES);
        let format = if unpack::is_packed(head, about.uri, about.declared.as_ref()) {
            unpack::read(self, about, &mut layer, Rc::clone(&count), harvest)
        } else {
            self.read_document(about, &mut layer, harvest).unwrap_or("other")
        };
        // If the stream failed after the last byte that the reader used, the error is reported here.
        if let Some(error) = layer.take_error() {
            harvest.fault(stream_fault(&error));
        }
        ExtractSummary { format, bytes: count.get(), ..ExtractSummary::default() }
    }

    /// Reads an unpacked document, if its format is supported. Returns the name of the format.
    pub(super) fn read_document(
        &self,
        about: &DocumentHints<'_>,
        layer: &mut PeekReader<'_>,
        harvest: &mut Extraction<'_>,
    ) -> Option<&'static str> {
        let head = layer.peek(sniff::HEAD_BYTES);
        if let Some(list) = about.list_format(head) {
            return Some(link_lists::read(list, layer, harvest));
        }
        let Some(syntax) = about.syntax(&charset::decode_for_sniffing(head)) else {
            about.report_unsupported(head, harvest);
            return None;
        };
        let encoding = about.encoding(syntax, head);
        let was_replaced = Rc::new(Cell::new(false));
        let decoded = Utf8Reader::new(layer, encoding, Rc::clone(&was_replaced));
        self.read(syntax, RdfInput::Stream(Box::new(decoded)), harvest);
        report_replaced(was_replaced.get(), harvest);
        Some(syntax.name())
    }

    fn read(&self, syntax: RdfFormat, input: RdfInput<'_>, harvest: &mut Extraction<'_>) {
        match HostLanguage::from_format(syntax) {
            Some(host) => html::read(input, host, &self.pages, harvest),
            None => rdf::read(syntax, input, &self.contexts, harvest),
        }
    }
}

impl Extractor for DocumentReader {
    fn extract(&self, representation: Representation, sink: &mut dyn ExtractSink) -> ExtractSummary {
        let uri = representation.uri.clone();
        let mut harvest = Extraction::new(&uri, &self.options, size(&representation), sink);
        let extracted = self.read_representation(representation, &mut harvest);
        let (relevance, quads_by_format, terms) = harvest.finish();
        ExtractSummary { relevance, quads_by_format, terms, ..extracted }
    }

    /// A packed document may block, because its decoder may wait for memory.
    fn may_block(&self, representation: &Representation) -> bool {
        let Representation { uri, fetch, body, .. } = representation;
        let ResponseBody::Buffered { bytes, .. } = body else { return true };
        let declared = fetch.declared_media_type.as_deref().and_then(MediaType::parse);
        unpack::is_packed(&bytes[..bytes.len().min(sniff::HEAD_BYTES)], uri, declared.as_ref())
    }

    fn extract_step(&self, step: &Step, representation: Representation, sink: &mut dyn ExtractSink) -> ExtractSummary {
        let uri = representation.uri.clone();
        let mut harvest = Extraction::new(&uri, &self.options, size(&representation), sink);
        let extracted = if step.reads_document() {
            let extracted = self.read_representation(representation, &mut harvest);
            step_response::add_steps(step.next_steps(), &mut harvest);
            extracted
        } else {
            let digest = digest(&representation.body);
            let (format, bytes) = step_response::read(step, representation, &mut harvest);
            ExtractSummary { format, bytes, digest, ..ExtractSummary::default() }
        };
        let (relevance, quads_by_format, terms) = harvest.finish();
        ExtractSummary { relevance, quads_by_format, terms, ..extracted }
    }
}

/// The digest of a buffered body.
fn digest(body: &ResponseBody) -> u64 {
    match body {
        ResponseBody::Buffered { bytes, .. } => xxh3_64(bytes),
        ResponseBody::Stream(_) => 0,
    }
}

/// The size of a body, if it is known.
fn size(representation: &Representation) -> Option<usize> {
    match &representation.body {
        ResponseBody::Buffered { bytes, .. } => Some(bytes.len()),
        ResponseBody::Stream(_) => None,
    }
}

impl DocumentReader {
    fn read_representation(&self, representation: Representation, harvest: &mut Extraction<'_>) -> ExtractSummary {
        let Representation { uri, fetch, links, robots_tags, body } = representation;
        let declared = fetch.declared_media_type.as_deref().and_then(MediaType::parse);
        let about = DocumentHints { uri: &uri, declared, extension: uri.extension() };
        harvest.add_directives(self.header_directives(&fetch.terms, &robots_tags));
        for link in link_header::links(&uri, &links, self.options.obey_nofollow) {
            if matches!(&link.via, LinkKind::Header { rel, .. } if rel.eq_ignore_ascii_case("license")) {
                harvest.add_license(link.target.as_str());
            }
            if !harvest.is_nofollow() {
                harvest.link(link);
            }
        }
        match body {
            ResponseBody::Buffered { bytes, truncation } => {
                if let Some(fault) = truncation {
                    harvest.fault(fault);
                }
                self.read_whole(&about, &bytes, harvest)
            }
            ResponseBody::Stream(stream) => self.read_stream(&about, stream, harvest),
        }
    }
}

impl DocumentReader {
    /// The directives in the header of a response.
    fn header_directives(&self, terms: &UsageTerms, robots_tags: &[String]) -> UsageDirectives {
        let mut directives = UsageDirectives {
            tdm_reservation: terms.tdm_reservation,
            tdm_policy: terms.tdm_policy.clone(),
            ..UsageDirectives::default()
        };
        for field in robots_tags {
            directives.add_robots_field(field, &self.options.product_token);
        }
        directives
    }
}

/// Properties of a document that are known before it is read.
pub(super) struct DocumentHints<'a> {
    pub(super) uri: &'a Uri,
    pub(super) declared: Option<MediaType>,
    /// File extension, in lower case.
    pub(super) extension: Option<String>,
}

impl DocumentHints<'_> {
    fn syntax(&self, head: &[u8]) -> Option<RdfFormat> {
        sniff::detect_format(self.media_type(), self.extension.as_deref(), head)
    }

    fn media_type(&self) -> Option<&str> {
        self.declared.as_ref().map(|declared| declared.essence.as_str())
    }

    /// Reports the format by name, if it is one of RDF that is not read.
    fn report_unsupported(&self, head: &[u8], harvest: &mut Extraction<'_>) {
        if let Some(title) = sniff::unsupported_format(self.media_type(), self.extension.as_deref(), head) {
            harvest.fault(Fault::new(FaultKind::UnsupportedFormat, format!("{title} is not read")));
        }
    }

    /// The format of the link list, if the document is a link list.
    fn list_format(&self, head: &[u8]) -> Option<link_lists::LinkListFormat> {
        link_lists::detect_format(self.media_type(), head)
    }

    fn encoding(&self, syntax: RdfFormat, head: &[u8]) -> &'static encoding_rs::Encoding {
        let charset = self.declared.as_ref().and_then(|declared| declared.parameter("charset"));
        charset::detect_encoding(CharsetSource::from(syntax), charset, head, self.uri.host().rsplit('.').next())
    }
}

fn name(syntax: Option<RdfFormat>) -> &'static str {
    syntax.map_or("other", RdfFormat::name)
}

fn report_replaced(was_replaced: bool, harvest: &mut Extraction<'_>) {
    if was_replaced {
        harvest.fault(Fault::new(FaultKind::Charset, "bytes that are invalid in the charset were replaced"));
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
pub(super) mod tests;
