//! The extractor of the crawl.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use lodeward_markup::charset::{self, Decoding, Kind};
use lodeward_markup::json_ld::Contexts;
use lodeward_markup::rdfa::Host;
use xxhash_rust::xxh3::xxh3_64;

use super::archive::{self, Counting, Layer};
use super::content_type::ContentType;
use super::contexts::contexts;
use super::harvest::Harvest;
use super::rdf::{self, Input, fault_of_stream};
use super::{Extracted, Extractor, Options, Sink, html, link_header, lists, sniff, steps};
use crate::discover::Step;
use crate::fetch::{Body, Representation};
use crate::model::media_type::Syntax;
use crate::model::{Fault, FaultKind, Uri};

/// Reads documents in every syntax we know.
pub struct Reader {
    options: Options,
    contexts: Arc<dyn Contexts>,
    pages: lodeward_markup::Reader,
}

impl Reader {
    /// A reader that knows the bundled JSON-LD contexts and no others.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::with_contexts(options, contexts(None))
    }

    /// A reader that asks for remote JSON-LD contexts there.
    #[must_use]
    pub fn with_contexts(options: Options, contexts: Arc<dyn Contexts>) -> Self {
        let pages = html::reader(&options, Arc::clone(&contexts));
        Self { options, contexts, pages }
    }

    fn read_whole(&self, about: &About<'_>, bytes: &Bytes, harvest: &mut Harvest<'_>) -> Extracted {
        let head = &bytes[..bytes.len().min(sniff::HEAD_BYTES)];
        let digest = xxh3_64(bytes);
        if let Some(list) = about.list(head) {
            let syntax = lists::read(list, &bytes[..], harvest);
            return Extracted { syntax, bytes: bytes.len() as u64, digest, ..Extracted::default() };
        }
        if archive::is_packed(head, about.uri, about.declared.as_ref()) {
            let body = Box::new(io::Cursor::new(bytes.clone()));
            return Extracted { digest, ..self.read_stream(about, body, harvest) };
        }
        let syntax = about.syntax(&charset::sniffable(head));
        if let Some(syntax) = syntax {
            let (text, was_replaced) = charset::decode(bytes, about.encoding(syntax, head));
            note_replaced(was_replaced, harvest);
            self.read(syntax, Input::Slice(text.as_bytes()), harvest);
        }
        Extracted { syntax: name(syntax), bytes: bytes.len() as u64, digest, ..Extracted::default() }
    }

    fn read_stream(&self, about: &About<'_>, stream: Box<dyn Read + Send>, harvest: &mut Harvest<'_>) -> Extracted {
        let count = Rc::new(Cell::new(0));
        let mut layer = Layer::new(Box::new(Counting { inner: stream, count: Rc::clone(&count) }));
        let head = layer.peek(sniff::HEAD_BYTES);
        let syntax = if archive::is_packed(head, about.uri, about.declared.as_ref()) {
            archive::read(self, about, &mut layer, Rc::clone(&count), harvest)
        } else {
            self.read_document(about, &mut layer, harvest).unwrap_or("other")
        };
        // It may have broken where nobody read.
        if let Some(error) = layer.failure() {
            harvest.fault(fault_of_stream(&error));
        }
        Extracted { syntax, bytes: count.get(), ..Extracted::default() }
    }

    /// Reads what is not packed, if there is something to read in it. Returns the
    /// name of its syntax.
    pub(super) fn read_document(
        &self,
        about: &About<'_>,
        layer: &mut Layer<'_>,
        harvest: &mut Harvest<'_>,
    ) -> Option<&'static str> {
        let head = layer.peek(sniff::HEAD_BYTES);
        if let Some(list) = about.list(head) {
            return Some(lists::read(list, layer, harvest));
        }
        let syntax = about.syntax(&charset::sniffable(head))?;
        let encoding = about.encoding(syntax, head);
        let was_replaced = Rc::new(Cell::new(false));
        let decoded = Decoding::new(layer, encoding, Rc::clone(&was_replaced));
        self.read(syntax, Input::Stream(Box::new(decoded)), harvest);
        note_replaced(was_replaced.get(), harvest);
        Some(syntax.name())
    }

    fn read(&self, syntax: Syntax, input: Input<'_>, harvest: &mut Harvest<'_>) {
        match syntax {
            Syntax::Html => html::read(input, Host::Html, &self.pages, harvest),
            Syntax::Xhtml => html::read(input, Host::Xhtml, &self.pages, harvest),
            Syntax::Svg => html::read(input, Host::Svg, &self.pages, harvest),
            rdf_syntax => rdf::read(rdf_syntax, input, &self.contexts, harvest),
        }
    }
}

impl Extractor for Reader {
    fn extract(&self, representation: Representation, sink: &mut dyn Sink) -> Extracted {
        let uri = representation.uri.clone();
        let mut harvest = Harvest::new(&uri, &self.options, size(&representation), sink);
        let extracted = self.read_representation(representation, &mut harvest);
        let (relevance, quads_by_syntax) = harvest.finish();
        Extracted { relevance, quads_by_syntax, ..extracted }
    }

    /// Dumps take turns if it takes much memory to unpack them.
    fn may_wait(&self, representation: &Representation) -> bool {
        let Representation { uri, content_type, body, .. } = representation;
        let Body::Whole { bytes, .. } = body else { return true };
        let declared = content_type.as_deref().and_then(ContentType::parse);
        archive::is_packed(&bytes[..bytes.len().min(sniff::HEAD_BYTES)], uri, declared.as_ref())
    }

    fn take_step(&self, step: &Step, representation: Representation, sink: &mut dyn Sink) -> Extracted {
        let uri = representation.uri.clone();
        let mut harvest = Harvest::new(&uri, &self.options, size(&representation), sink);
        let extracted = if step.reads_document() {
            let extracted = self.read_representation(representation, &mut harvest);
            steps::note(step.after(), &mut harvest);
            extracted
        } else {
            let digest = digest(&representation.body);
            let (syntax, bytes) = steps::read(step, representation, &mut harvest);
            Extracted { syntax, bytes, digest, ..Extracted::default() }
        };
        let (relevance, quads_by_syntax) = harvest.finish();
        Extracted { relevance, quads_by_syntax, ..extracted }
    }
}

/// The digest of a body that is not streamed.
fn digest(body: &Body) -> u64 {
    match body {
        Body::Whole { bytes, .. } => xxh3_64(bytes),
        Body::Stream(_) => 0,
    }
}

/// The size of a body, if it is known.
fn size(representation: &Representation) -> Option<usize> {
    match &representation.body {
        Body::Whole { bytes, .. } => Some(bytes.len()),
        Body::Stream(_) => None,
    }
}

impl Reader {
    fn read_representation(&self, representation: Representation, harvest: &mut Harvest<'_>) -> Extracted {
        let Representation { uri, content_type, links, body, .. } = representation;
        let declared = content_type.as_deref().and_then(ContentType::parse);
        let about = About { uri: &uri, declared, extension: uri.extension() };
        for link in link_header::links(&uri, &links, self.options.respect_nofollow) {
            harvest.link(link);
        }
        match body {
            Body::Whole { bytes, cut } => {
                if let Some(fault) = cut {
                    harvest.fault(fault);
                }
                self.read_whole(&about, &bytes, harvest)
            }
            Body::Stream(stream) => self.read_stream(&about, stream, harvest),
        }
    }
}

/// What is known of a document before it is read.
pub(super) struct About<'a> {
    pub(super) uri: &'a Uri,
    pub(super) declared: Option<ContentType>,
    /// Of the file's name, in lower case.
    pub(super) extension: Option<String>,
}

impl About<'_> {
    fn syntax(&self, head: &[u8]) -> Option<Syntax> {
        let declared = self.declared.as_ref().map(|declared| declared.essence.as_str());
        sniff::syntax(declared, self.extension.as_deref(), head)
    }

    /// The sort of list it is, if it is one.
    fn list(&self, head: &[u8]) -> Option<lists::List> {
        lists::sort(self.declared.as_ref().map(|declared| declared.essence.as_str()), head)
    }

    fn encoding(&self, syntax: Syntax, head: &[u8]) -> &'static encoding_rs::Encoding {
        let charset = self.declared.as_ref().and_then(|declared| declared.parameter("charset"));
        let kind = match syntax {
            Syntax::Html | Syntax::Xhtml => Kind::Html,
            Syntax::RdfXml | Syntax::Svg => Kind::Xml,
            _ => Kind::Text,
        };
        charset::encoding(kind, charset, head, self.uri.host().rsplit('.').next())
    }
}

fn name(syntax: Option<Syntax>) -> &'static str {
    syntax.map_or("other", Syntax::name)
}

fn note_replaced(was_replaced: bool, harvest: &mut Harvest<'_>) {
    if was_replaced {
        harvest.fault(Fault::new(FaultKind::Charset, "some bytes are no characters and were replaced"));
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
pub(super) mod tests;
