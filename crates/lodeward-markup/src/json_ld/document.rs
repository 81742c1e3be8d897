//! A whole document: its pieces one after the other, so that what is wrong
//! with one costs the others nothing.

use std::sync::Arc;

use oxiri::Iri;
use oxrdf::GraphName;

use super::Options;
use super::active::Active;
use super::contexts::Contexts;
use super::emit::Emitter;
use super::error::{EXCESS, Error, fail};
use super::expand::{Expander, Item, Place, is_word_for};
use super::json::{self, Json, Object};
use super::process::Processor;
use crate::Sink;

/// Reads a document that is at hand.
pub(super) fn read(document: &[u8], base: &str, options: &Options, contexts: &dyn Contexts, sink: &mut dyn Sink) {
    let mut reader = match Reader::new(base, options, contexts, document.len(), sink) {
        Ok(reader) => reader,
        Err((error, sink)) => return sink.fault(error.into_fault()),
    };
    let result = reader.text(document);
    reader.note(result);
}

/// Reads the pieces of one document.
pub(super) struct Reader<'a> {
    options: &'a Options,
    pub(super) expander: Expander<'a>,
    pub(super) emitter: Emitter<'a>,
    pub(super) initial: Arc<Active>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        base: &str,
        options: &'a Options,
        contexts: &'a dyn Contexts,
        bytes: usize,
        sink: &'a mut dyn Sink,
    ) -> Result<Self, (Error, &'a mut dyn Sink)> {
        let iri = match Iri::parse(base.to_owned()) {
            Ok(iri) => Some(Arc::new(iri)),
            Err(_) if base.is_empty() => None,
            Err(error) => return Err((Error::new("invalid base IRI", format!("<{base}>: {error}")), sink)),
        };
        let processor = Processor::new(options, contexts, bytes);
        let mut expander = Expander { processor, document: iri.as_ref().map(|iri| iri.to_string()) };
        match initial(&mut expander, iri, options) {
            Ok(initial) => Ok(Self { options, expander, emitter: Emitter::new(options, sink), initial }),
            Err(error) => Err((error, sink)),
        }
    }

    fn text(&mut self, document: &[u8]) -> Result<(), Error> {
        let text = std::str::from_utf8(document)
            .map_err(|error| Error::new(super::error::LOADING_DOCUMENT_FAILED, error.to_string()))?;
        let text = text.trim_start_matches('\u{feff}');
        let value = json::parse(text, self.options.depth_max).map_err(|error| Error::not_json(&error))?;
        self.top(&value)
    }

    /// Takes note of an error. Whether there may be more to read.
    pub(super) fn note(&mut self, result: Result<(), Error>) -> bool {
        let Err(error) = result else { return true };
        let is_over = error.code == EXCESS;
        self.emitter.sink().fault(error.into_fault());
        !is_over
    }

    /// Reads what a document consists of.
    pub(super) fn top(&mut self, value: &Json<'_>) -> Result<(), Error> {
        match value {
            Json::Array(elements) => {
                let place = Place::new(&self.initial, None);
                self.elements(&place, elements);
                Ok(())
            }
            Json::Object(object) => self.top_object(value, object),
            _ => fail(super::error::LOADING_DOCUMENT_FAILED, "neither an object nor an array"),
        }
    }

    /// Reads things that have nothing to do with each other.
    fn elements(&mut self, place: &Place<'_>, elements: &[Json<'_>]) {
        for element in elements {
            let result = self.element(place, element);
            if !self.note(result) {
                return;
            }
        }
    }

    pub(super) fn element(&mut self, place: &Place<'_>, element: &Json<'_>) -> Result<(), Error> {
        let items = self.expander.expand(place, element)?;
        self.emitter.items(&items, &GraphName::DefaultGraph);
        Ok(())
    }

    /// Reads an object that is all there is. If it is nothing but a graph, that
    /// is the one without a name.
    fn top_object(&mut self, value: &Json<'_>, object: &Object<'_>) -> Result<(), Error> {
        let place = Place::new(&self.initial, None);
        let mut rest = object.iter().filter(|(key, _)| *key != "@context");
        if let (Some((key, graph)), None) = (rest.next(), rest.next()) {
            let active = self.expander.entered(&place, object)?;
            if is_word_for(&active, key, "@graph") {
                self.elements(&Place::new(&active, Some("@graph")), graph.elements());
                return Ok(());
            }
        }
        let items = self.expander.expand(&place, value)?;
        match items.as_slice() {
            [Item::Node(node)] if node.is_simple_graph() => {
                self.emitter.items(node.graph.as_deref().unwrap_or_default(), &GraphName::DefaultGraph);
            }
            items => self.emitter.items(items, &GraphName::DefaultGraph),
        }
        Ok(())
    }
}

/// What terms mean before the document says so.
fn initial(
    expander: &mut Expander<'_>,
    base: Option<Arc<Iri<String>>>,
    options: &Options,
) -> Result<Arc<Active>, Error> {
    let active = Arc::new(Active::new(base));
    let Some(text) = &options.expand_context else { return Ok(active) };
    let context = json::parse(text, options.depth_max).map_err(|error| Error::not_json(&error))?;
    let context = match &context {
        Json::Object(object) => object.get("@context").unwrap_or(&context),
        context => context,
    };
    let document = expander.document.clone();
    expander.processor.local(&active, context, document.as_deref())
}
