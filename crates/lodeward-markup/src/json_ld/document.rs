//! A whole document: its pieces one after the other, so that what is wrong
//! with one costs the others nothing.

use std::io::{self, Read};
use std::sync::Arc;

use oxiri::Iri;
use oxrdf::GraphName;

use super::active::Active;
use super::emit::Emitter;
use super::error::{EXCESS, Error, LOADING_DOCUMENT_FAILED, fail};
use super::expand::{Expander, Item, Place, is_word_for};
use super::json::{self, Json, Object, TOO_DEEP};
use super::pieces::{Pieces, Stop};
use super::process::Processor;
use super::repair::repair;
use super::{Options, Session};
use crate::iri::escaped;
use crate::{Fault, FaultKind, Sink, Syntax};

/// Reads the pieces of one document.
pub(super) struct Reader<'a> {
    pub(super) options: &'a Options,
    pub(super) expander: Expander<'a>,
    pub(super) emitter: Emitter<'a>,
    pub(super) initial: Arc<Active>,
}

/// Reads with a reader for this document, and takes note of why it ended.
pub(super) fn read_with(
    base: &str,
    session: &mut Session<'_>,
    sink: &mut dyn Sink,
    read: impl FnOnce(&mut Reader<'_>) -> Result<(), Stop>,
) -> io::Result<()> {
    sink.begin(Syntax::JsonLd);
    let known = session.memory.initial.take().filter(|(of, _)| of == base);
    let mut reader = Reader::new(base, session, sink);
    let begun = match known {
        Some((_, initial)) => Ok(initial),
        None => reader.before(base),
    };
    let initial = begun.as_ref().ok().cloned();
    let result = begun.map_err(Stop::from).and_then(|initial| {
        reader.initial = initial;
        read(&mut reader)
    });
    reader.note_repairs();
    reader.note_losses();
    let result = match result {
        Ok(()) => Ok(()),
        Err(Stop::Stream(error)) => Err(error),
        Err(Stop::Document(error)) => {
            reader.note(Err(error));
            Ok(())
        }
    };
    session.memory.initial = initial.map(|initial| (base.to_owned(), initial));
    session.memory.settle();
    result
}

impl<'a> Reader<'a> {
    fn new(base: &str, session: &'a mut Session<'_>, sink: &'a mut dyn Sink) -> Self {
        let Session { options, contexts, memory } = session;
        let options: &Options = options;
        let document = Some(base.to_owned()).filter(|base| !base.is_empty());
        let expander =
            Expander { processor: Processor::new(options, &***contexts, memory), document, lost: Vec::new() };
        Self { options, expander, emitter: Emitter::new(options, sink), initial: Arc::default() }
    }

    /// What terms mean before the document says so.
    fn before(&mut self, base: &str) -> Result<Arc<Active>, Error> {
        let mut initial = Arc::default();
        if !base.is_empty() {
            let iri = if self.options.repair { escaped(base) } else { base.into() };
            let iri = Iri::parse(iri.into_owned());
            let iri = iri.or_else(|error| fail("invalid base IRI", format!("<{base}>: {error}")))?;
            initial = Arc::new(Active::new(Some(Arc::new(iri))));
        }
        let Some(text) = &self.options.expand_context else { return Ok(initial) };
        let context = json::parse(text, self.options.depth()).map_err(|error| Error::not_json(&error))?;
        let context = match &context {
            Json::Object(object) => object.get("@context").unwrap_or(&context),
            context => context,
        };
        let document = self.expander.document.clone();
        self.expander.processor.local(&initial, context, document.as_deref())
    }

    /// Reads a text that is at hand. What is not JSON in it has this code.
    pub(super) fn text(&mut self, text: &str, code: &'static str) -> Result<(), Stop> {
        self.expander.processor.budget.grow(text.len());
        let text = text.trim_start_matches('\u{feff}');
        let error = match json::parse(text, self.options.depth()) {
            Ok(value) => return Ok(self.top(&value)?),
            Err(error) => error,
        };
        if self.options.repair && error.what != TOO_DEEP && self.repaired(text)? {
            return Ok(());
        }
        // Not JSON to its end, but perhaps up to there.
        match self.stream(&mut Pieces::new(text.as_bytes(), self.options.bytes_max)) {
            Err(Stop::Document(error)) if error.code == LOADING_DOCUMENT_FAILED => {
                Err(Error::new(code, error.detail).into())
            }
            result => result,
        }
    }

    /// Reads a text as what it was meant to be, if that can be told.
    fn repaired(&mut self, text: &str) -> Result<bool, Error> {
        let Some((text, notes)) = repair(text) else { return Ok(false) };
        let Ok(value) = json::parse(&text, self.options.depth()) else { return Ok(false) };
        self.note_repair(&notes.join(", "));
        self.top(&value).map(|()| true)
    }

    fn note_repair(&mut self, what: &str) {
        let detail = format!("repaired: {what}");
        self.emitter.sink().fault(Fault { syntax: Syntax::JsonLd, kind: FaultKind::Repaired, detail });
    }

    /// What was taken for something else.
    fn note_repairs(&mut self) {
        for what in std::mem::take(&mut self.expander.processor.repairs) {
            self.note_repair(what);
        }
        if self.emitter.has_mended_language {
            self.note_repair("a language that is none");
        }
    }

    /// What was left out.
    fn note_losses(&mut self) {
        for error in std::mem::take(&mut self.expander.lost) {
            self.note(Err(error));
        }
        for iri in std::mem::take(&mut self.emitter.lost) {
            self.note(fail("invalid IRI", format!("`{iri}`")));
        }
    }

    /// Reads a document of any length.
    pub(super) fn bytes(&mut self, mut source: impl Read) -> Result<(), Stop> {
        let mut head = Vec::new();
        let bytes_max = self.options.bytes_max;
        let failed = source.by_ref().take(bytes_max as u64 + 1).read_to_end(&mut head).err();
        if head.len() > bytes_max {
            return self.stream(&mut Pieces::new(head.chain(source), bytes_max));
        }
        let result = match std::str::from_utf8(&head) {
            Ok(text) => self.text(text, LOADING_DOCUMENT_FAILED),
            Err(_) => self.stream(&mut Pieces::new(&*head, bytes_max)),
        };
        // What came before it was worth reading, but that it broke off says more
        // than how.
        failed.map_or(result, |error| Err(Stop::Stream(error)))
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
            // What templates put where they have nothing to say.
            Json::Null | Json::Bool(_) if self.options.repair => Ok(()),
            _ => fail(LOADING_DOCUMENT_FAILED, "neither an object nor an array"),
        }
    }

    /// Reads things that have nothing to do with each other.
    fn elements(&mut self, place: &Place<'_>, elements: &[Json<'_>]) {
        for element in elements {
            let result = self.element(place, element, &GraphName::DefaultGraph);
            if !self.note(result) {
                return;
            }
        }
    }

    pub(super) fn element(&mut self, place: &Place<'_>, element: &Json<'_>, graph: &GraphName) -> Result<(), Error> {
        let items = self.expander.expand(place, element)?;
        self.emitter.items(&items, graph);
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
