//! Reading a whole document: its parts are read one after another, so an error in one does not
//! affect the others.

use std::io::{self, Read};
use std::sync::Arc;

use oxiri::Iri;
use oxrdf::GraphName;

use super::active_context::ActiveContext;
use super::context_processing::ContextProcessor;
use super::error::{JsonLdError, LIMIT_EXCEEDED, LOADING_DOCUMENT_FAILED, fail};
use super::expand::{ExpandedItem, Expander, ExpansionPlace, expands_to_keyword};
use super::json::{self, JsonObject, JsonValue, TOO_DEEP};
use super::pieces::{JsonPieces, StreamStop};
use super::repair::repair;
use super::to_rdf::Emitter;
use super::{JsonLdOptions, ScriptSession};
use crate::iri::percent_encode;
use crate::sink::{QuadSink, RdfFault, RdfFaultKind};

/// Reads the parts of one document.
pub(super) struct JsonLdReader<'a> {
    pub(super) options: &'a JsonLdOptions,
    pub(super) expander: Expander<'a>,
    pub(super) emitter: Emitter<'a>,
    pub(super) initial: Arc<ActiveContext>,
}

/// Reads a document with the given function, and reports the error that ended it, if any.
pub(super) fn read_with(
    base: &str,
    session: &mut ScriptSession<'_>,
    sink: &mut dyn QuadSink,
    read: impl FnOnce(&mut JsonLdReader<'_>) -> Result<(), StreamStop>,
) -> io::Result<()> {
    sink.begin_scope();
    let known = session.memory.initial.take().filter(|(of, _)| of == base);
    let mut reader = JsonLdReader::new(base, session, sink);
    let started = match known {
        Some((_, initial)) => Ok(initial),
        None => reader.initial_context(base),
    };
    let initial = started.as_ref().ok().cloned();
    let result = started.map_err(StreamStop::from).and_then(|initial| {
        reader.initial = initial;
        read(&mut reader)
    });
    reader.report_repairs();
    reader.report_omissions();
    let result = match result {
        Ok(()) | Err(StreamStop::Closed) => Ok(()),
        Err(StreamStop::Stream(error)) => Err(error),
        Err(StreamStop::Document(error)) => {
            reader.report_error(Err(error));
            Ok(())
        }
    };
    session.memory.initial = initial.map(|initial| (base.to_owned(), initial));
    session.memory.end_document();
    result
}

impl<'a> JsonLdReader<'a> {
    fn new(base: &str, session: &'a mut ScriptSession<'_>, sink: &'a mut dyn QuadSink) -> Self {
        let ScriptSession { options, contexts, memory } = session;
        let options: &JsonLdOptions = options;
        let document = Some(base.to_owned()).filter(|base| !base.is_empty());
        let expander =
            Expander { processor: ContextProcessor::new(options, &***contexts, memory), document, omitted: Vec::new() };
        Self { options, expander, emitter: Emitter::new(options, sink), initial: Arc::default() }
    }

    /// The active context before the context of the document is applied.
    fn initial_context(&mut self, base: &str) -> Result<Arc<ActiveContext>, JsonLdError> {
        let mut initial = Arc::default();
        if !base.is_empty() {
            let iri = if self.options.repair { percent_encode(base) } else { base.into() };
            let iri = Iri::parse(iri.into_owned());
            let iri = iri.or_else(|error| fail("invalid base IRI", format!("<{base}>: {error}")))?;
            initial = Arc::new(ActiveContext::new(Some(Arc::new(iri))));
        }
        let Some(text) = &self.options.expand_context else { return Ok(initial) };
        let context =
            json::parse(text, self.options.max_depth()).map_err(|error| JsonLdError::from_syntax_error(&error))?;
        let context = match &context {
            JsonValue::Object(object) => object.get("@context").unwrap_or(&context),
            context => context,
        };
        let document = self.expander.document.clone();
        self.expander.processor.apply_local_context(&initial, context, document.as_deref())
    }

    /// Reads a text in memory. `code` is the error code for a text that is not JSON.
    pub(super) fn read_text(&mut self, text: &str, code: &'static str) -> Result<(), StreamStop> {
        self.expander.processor.budget.grow(text.len());
        let text = text.trim_start_matches('\u{feff}');
        let error = match json::parse(text, self.options.max_depth()) {
            Ok(value) => return Ok(self.read_top_level(&value)?),
            Err(error) => error,
        };
        if self.options.repair && error.message != TOO_DEEP && self.read_repaired(text)? {
            return Ok(());
        }
        // The text is not valid JSON as a whole, but its beginning may be.
        match self.read_stream(&mut JsonPieces::new(text.as_bytes(), self.options.max_bytes)) {
            Err(StreamStop::Document(error)) if error.code == LOADING_DOCUMENT_FAILED => {
                Err(JsonLdError::new(code, error.detail).into())
            }
            result => result,
        }
    }

    /// Repairs and reads a text. Returns whether the text could be repaired.
    fn read_repaired(&mut self, text: &str) -> Result<bool, JsonLdError> {
        let Some((text, notes)) = repair(text) else { return Ok(false) };
        let Ok(value) = json::parse(&text, self.options.max_depth()) else { return Ok(false) };
        self.report_repair(&notes.join(", "));
        self.read_top_level(&value).map(|()| true)
    }

    fn report_repair(&mut self, what: &str) {
        self.emitter.sink().fault(RdfFault::new(RdfFaultKind::Repaired, format!("repaired: {what}")));
    }

    /// Reports repairs of contexts and languages.
    fn report_repairs(&mut self) {
        for what in std::mem::take(&mut self.expander.processor.repairs) {
            self.report_repair(what);
        }
        if self.emitter.has_repaired_language {
            self.report_repair("invalid language tag");
        }
    }

    /// Reports omitted parts.
    fn report_omissions(&mut self) {
        for error in std::mem::take(&mut self.expander.omitted) {
            self.report_error(Err(error));
        }
        for iri in std::mem::take(&mut self.emitter.omitted) {
            self.report_error(fail("invalid IRI", format!("`{iri}`")));
        }
    }

    /// Reads a document of any length.
    pub(super) fn read_bytes(&mut self, mut source: impl Read) -> Result<(), StreamStop> {
        let mut head = Vec::new();
        let max_bytes = self.options.max_bytes;
        let failed = source.by_ref().take(max_bytes as u64 + 1).read_to_end(&mut head).err();
        if head.len() > max_bytes {
            return self.read_stream(&mut JsonPieces::new(head.chain(source), max_bytes));
        }
        let result = match std::str::from_utf8(&head) {
            Ok(text) => self.read_text(text, LOADING_DOCUMENT_FAILED),
            Err(_) => self.read_stream(&mut JsonPieces::new(&*head, max_bytes)),
        };
        // The part before a stream error is read, but the stream error is more important than
        // errors in that part.
        failed.map_or(result, |error| Err(StreamStop::Stream(error)))
    }

    /// Reports an error. Returns whether reading can continue.
    pub(super) fn report_error(&mut self, result: Result<(), JsonLdError>) -> bool {
        let Err(error) = result else { return true };
        let is_over = error.code == LIMIT_EXCEEDED;
        self.emitter.sink().fault(error.into_fault());
        !is_over
    }

    /// Reads the top level of a document.
    pub(super) fn read_top_level(&mut self, value: &JsonValue<'_>) -> Result<(), JsonLdError> {
        match value {
            JsonValue::Array(elements) => {
                let place = ExpansionPlace::new(&self.initial, None);
                self.read_elements(&place, elements);
                Ok(())
            }
            JsonValue::Object(object) => self.read_top_object(value, object),
            // Page templates without data write `null`, `true` or `false`.
            JsonValue::Null | JsonValue::Bool(_) if self.options.repair => Ok(()),
            _ => fail(LOADING_DOCUMENT_FAILED, "a document must be an object or array"),
        }
    }

    /// Reads independent elements.
    fn read_elements(&mut self, place: &ExpansionPlace<'_>, elements: &[JsonValue<'_>]) {
        for element in elements {
            let result = self.read_element(place, element, &GraphName::DefaultGraph);
            if !self.report_error(result) {
                return;
            }
        }
    }

    pub(super) fn read_element(
        &mut self,
        place: &ExpansionPlace<'_>,
        element: &JsonValue<'_>,
        graph: &GraphName,
    ) -> Result<(), JsonLdError> {
        let items = self.expander.expand(place, element)?;
        self.emitter.emit_items(&items, graph);
        Ok(())
    }

    /// Reads the only object of a document. If the object contains only a `@graph`, this is the
    /// default graph.
    fn read_top_object(&mut self, value: &JsonValue<'_>, object: &JsonObject<'_>) -> Result<(), JsonLdError> {
        let place = ExpansionPlace::new(&self.initial, None);
        let mut rest = object.iter().filter(|(key, _)| *key != "@context");
        if let (Some((key, graph)), None) = (rest.next(), rest.next()) {
            let active = self.expander.object_context(&place, object)?;
            if expands_to_keyword(&active, key, "@graph") {
                self.read_elements(&ExpansionPlace::new(&active, Some("@graph")), graph.elements());
                return Ok(());
            }
        }
        let items = self.expander.expand(&place, value)?;
        match items.as_slice() {
            [ExpandedItem::Node(node)] if node.is_simple_graph() => {
                self.emitter.emit_items(node.graph.as_deref().unwrap_or_default(), &GraphName::DefaultGraph);
            }
            items => self.emitter.emit_items(items, &GraphName::DefaultGraph),
        }
        Ok(())
    }
}
