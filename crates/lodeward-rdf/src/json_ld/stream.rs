//! Streaming documents of any length.
//!
//! In a stream, contexts must precede what they apply to, and the name of a node must precede its
//! properties, while JSON-LD otherwise allows any order. This requires less than
//! [Streaming JSON-LD](https://www.w3.org/TR/json-ld11-streaming/), because only the outermost
//! level is streamed: the elements of the document's array or graph, or of an array value of its
//! only node. Within each element, any order is allowed.

use std::io::Read;
use std::sync::Arc;

use oxrdf::{GraphName, NamedOrBlankNode};

use super::active_context::{ActiveContext, Coercion, ContainerMapping};
use super::document::JsonLdReader;
use super::error::{JsonLdError, LIMIT_EXCEEDED, LOADING_DOCUMENT_FAILED, fail};
use super::expand::ExpansionPlace;
use super::json::{self, JsonObject, JsonSyntaxError, JsonValue};
use super::pieces::{JsonPieces, StreamStop};

/// The only node of a document, as far as the document has been read.
#[derive(Default)]
struct DocumentSubject {
    active: Arc<ActiveContext>,
    /// The context without type-scoped contexts.
    type_scoped: Arc<ActiveContext>,
    /// Entries that are buffered until the node's name is known, because `@id` can follow them.
    pending: Vec<(String, JsonValue<'static>)>,
    pending_bytes: usize,
    name: Option<NamedOrBlankNode>,
    is_started: bool,
    /// Whether the graph of the node was read as the default graph.
    is_default_graph: bool,
}

impl JsonLdReader<'_> {
    /// Reads a document from a stream, as far as possible.
    pub(super) fn read_stream(&mut self, pieces: &mut JsonPieces<impl Read>) -> Result<(), StreamStop> {
        pieces.skip_bom()?;
        match pieces.peek()? {
            Some(b'[') => {
                let place = ExpansionPlace::new(&self.initial, None);
                self.read_array(pieces, &place, &GraphName::DefaultGraph)?;
            }
            Some(b'{') => self.read_entries(pieces)?,
            _ => return Err(JsonLdError::new(LOADING_DOCUMENT_FAILED, "a document must be an object or array").into()),
        }
        if pieces.peek()?.is_some() { pieces.fail("text after the value") } else { Ok(()) }
    }

    /// Reads the elements of an array separately.
    fn read_array(
        &mut self,
        pieces: &mut JsonPieces<impl Read>,
        place: &ExpansionPlace<'_>,
        graph: &GraphName,
    ) -> Result<(), StreamStop> {
        self.for_each_element(pieces, &mut |reader, element| reader.read_element(place, element, graph))
    }

    fn for_each_element(
        &mut self,
        pieces: &mut JsonPieces<impl Read>,
        read: &mut dyn FnMut(&mut Self, &JsonValue<'_>) -> Result<(), JsonLdError>,
    ) -> Result<(), StreamStop> {
        pieces.consume(b'[')?;
        if pieces.consume(b']')? {
            return Ok(());
        }
        loop {
            let text = pieces.read_value()?;
            let element = self.parse_piece(&text, pieces)?;
            let result = element.map_or(Ok(()), |element| read(self, &element));
            self.report_or_stop(result)?;
            if pieces.consume(b']')? {
                return Ok(());
            }
            if !pieces.consume(b',')? {
                return pieces.fail("missing comma or bracket");
            }
        }
    }

    /// Reports the error of a piece. If a limit is exceeded, returns the error instead, which stops
    /// reading, as does a closed sink.
    fn report_or_stop(&mut self, result: Result<(), JsonLdError>) -> Result<(), StreamStop> {
        match result {
            Err(error) if error.code == LIMIT_EXCEEDED => Err(error.into()),
            result => {
                self.report_error(result);
                if self.emitter.sink().is_open() { Ok(()) } else { Err(StreamStop::Closed) }
            }
        }
    }

    /// Parses a piece; `None` if it is nested too deep.
    fn parse_piece<'t>(
        &mut self,
        text: &'t str,
        pieces: &JsonPieces<impl Read>,
    ) -> Result<Option<JsonValue<'t>>, StreamStop> {
        self.expander.processor.budget.grow(text.len());
        match json::parse(text, self.options.max_depth()) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.message == json::TOO_DEEP => {
                self.report_error(Err(JsonLdError::from_syntax_error(&error)));
                Ok(None)
            }
            Err(error) => {
                let at = pieces.offset() - text.len() + error.at;
                Err(JsonLdError::from_syntax_error(&JsonSyntaxError { at, ..error }).into())
            }
        }
    }

    /// Reads the entries of the top-level object.
    fn read_entries(&mut self, pieces: &mut JsonPieces<impl Read>) -> Result<(), StreamStop> {
        let (active, type_scoped) = (Arc::clone(&self.initial), Arc::clone(&self.initial));
        let mut subject = DocumentSubject { active, type_scoped, ..DocumentSubject::default() };
        pieces.consume(b'{')?;
        let mut is_over = pieces.consume(b'}')?;
        while !is_over {
            if pieces.peek()? != Some(b'"') {
                return pieces.fail("missing key");
            }
            let text = pieces.read_value()?;
            let Some(JsonValue::String(key)) = self.parse_piece(&text, pieces)? else {
                return pieces.fail("missing key");
            };
            if !pieces.consume(b':')? {
                return pieces.fail("missing colon");
            }
            self.read_entry(pieces, &mut subject, &key)?;
            is_over = pieces.consume(b'}')?;
            if !is_over && !pieces.consume(b',')? {
                return pieces.fail("missing comma or brace");
            }
        }
        if !subject.pending.is_empty() {
            let pending = std::mem::take(&mut subject.pending);
            let object = JsonObject(pending.into_iter().map(|(key, value)| (key.into(), value)).collect());
            let initial = std::mem::replace(&mut self.initial, subject.type_scoped);
            let result = self.read_top_level(&JsonValue::Object(object));
            self.initial = initial;
            return Ok(result?);
        }
        Ok(())
    }

    fn read_entry(
        &mut self,
        pieces: &mut JsonPieces<impl Read>,
        subject: &mut DocumentSubject,
        key: &str,
    ) -> Result<(), StreamStop> {
        let word = subject.active.expand_vocab(key);
        let is_array = pieces.peek()? == Some(b'[');
        match word.as_deref() {
            Some("@graph") if is_array => {
                let graph = self.node_graph(subject)?;
                let place = ExpansionPlace::new(&subject.active, Some("@graph"));
                self.read_array(pieces, &place, &graph)
            }
            Some(word) if is_array && !word.starts_with('@') && can_stream_elements(&subject.active, key) => {
                self.flush_pending(subject)?;
                self.for_each_element(pieces, &mut |reader, element| reader.emit_entry(subject, key, element.clone()))
            }
            word => {
                let text = pieces.read_value()?;
                let Some(value) = self.parse_piece(&text, pieces)? else { return Ok(()) };
                subject.pending_bytes += key.len() + text.len();
                let result = self.apply_entry(subject, key, word, value);
                self.report_or_stop(result)?;
                if subject.pending_bytes > self.options.max_bytes {
                    self.flush_pending(subject)?;
                }
                Ok(())
            }
        }
    }

    /// Applies an entry that was read completely.
    fn apply_entry(
        &mut self,
        subject: &mut DocumentSubject,
        key: &str,
        word: Option<&str>,
        value: JsonValue<'_>,
    ) -> Result<(), JsonLdError> {
        match word {
            Some("@context") => {
                if subject.is_started || subject.is_default_graph || !subject.pending.is_empty() {
                    return key_order_error(key);
                }
                let document = self.expander.document.clone();
                subject.active =
                    self.expander.processor.apply_local_context(&subject.active, &value, document.as_deref())?;
                subject.type_scoped = Arc::clone(&subject.active);
                Ok(())
            }
            Some(_) if subject.is_default_graph => key_order_error("@graph"),
            Some("@id") if subject.is_started => key_order_error(key),
            Some(_) if subject.is_started => self.emit_entry(subject, key, value),
            Some(_) => {
                subject.pending.push((key.to_owned(), value.into_owned()));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The graph for the content of `@graph`: the default graph if no other entry of the node has
    /// been read, otherwise the graph with the node's name.
    fn node_graph(&mut self, subject: &mut DocumentSubject) -> Result<GraphName, JsonLdError> {
        if subject.pending.is_empty() && !subject.is_started {
            subject.is_default_graph = true;
            return Ok(GraphName::DefaultGraph);
        }
        self.flush_pending(subject)?;
        Ok(subject.name.clone().map_or(GraphName::DefaultGraph, Into::into))
    }

    /// Determines the name of the node from the buffered entries, and writes their statements.
    fn flush_pending(&mut self, subject: &mut DocumentSubject) -> Result<(), JsonLdError> {
        if subject.is_default_graph {
            return key_order_error("@graph");
        }
        if subject.is_started {
            return Ok(());
        }
        subject.is_started = true;
        let pending = std::mem::take(&mut subject.pending);
        let object = JsonObject(pending.into_iter().map(|(key, value)| (key.into(), value)).collect());
        subject.active = self.expander.type_scoped_context(&subject.type_scoped, &object)?.0;
        let node = self.expander.expand_node(&subject.active, &subject.type_scoped, &object)?;
        subject.name = self.emitter.subject(&node);
        self.emitter.emit_statements(&node, subject.name.as_ref(), &GraphName::DefaultGraph);
        Ok(())
    }

    /// Writes the statements of one entry.
    fn emit_entry(&mut self, subject: &DocumentSubject, key: &str, value: JsonValue<'_>) -> Result<(), JsonLdError> {
        let object = JsonObject(vec![(key.into(), value)]);
        let node = self.expander.expand_node(&subject.active, &subject.type_scoped, &object)?;
        self.emitter.emit_statements(&node, subject.name.as_ref(), &GraphName::DefaultGraph);
        Ok(())
    }
}

/// Whether the elements of an array can be read separately.
fn can_stream_elements(active: &ActiveContext, key: &str) -> bool {
    let is_json = active.term(key).is_some_and(|term| term.coercion == Some(Coercion::Json));
    !is_json && active.container(key).without(ContainerMapping::SET) == ContainerMapping::default()
}

fn key_order_error<T>(key: &str) -> Result<T, JsonLdError> {
    fail(
        "invalid streaming key order",
        format!("{key} is out of order, and the document is too long to be read at once"),
    )
}
