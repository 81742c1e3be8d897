//! Documents of any length, a piece at a time.
//!
//! What JSON-LD allows in any order has to come in one here: contexts before
//! what they are about, the name of a node before what is said of it. That is
//! less than [Streaming JSON-LD](https://www.w3.org/TR/json-ld11-streaming/)
//! asks for, since only the outermost level is taken apart: what is in the
//! array or graph of a document, or in an array that is a value of its one
//! node, comes piece by piece, and each piece is read in any order.

use std::io::{self, Read};
use std::sync::Arc;

use oxrdf::{GraphName, NamedOrBlankNode};

use super::active::{Active, Coercion, Container};
use super::document::Reader;
use super::error::{EXCESS, Error, LOADING_DOCUMENT_FAILED, fail};
use super::expand::Place;
use super::json::{self, Json, NotJson, Object};

/// What ends the reading of a stream early.
pub(super) enum Stop {
    /// The stream itself.
    Stream(io::Error),
    /// What is in it.
    Document(Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Document(error)
    }
}

/// Takes the pieces of a JSON text from a stream.
pub(super) struct Pieces<R> {
    source: R,
    buffer: Vec<u8>,
    at: usize,
    /// How many bytes were before those in the buffer.
    passed: usize,
    bytes_max: usize,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(source: R, bytes_max: usize) -> Self {
        Self { source, buffer: Vec::new(), at: 0, passed: 0, bytes_max }
    }

    fn stop<T>(&self, what: &'static str) -> Result<T, Stop> {
        Err(Error::not_json(&NotJson { at: self.passed + self.at, what }).into())
    }

    /// Gets more of the stream, behind what is still to be taken. Whether there was any.
    fn fill(&mut self) -> io::Result<bool> {
        const STEP: u64 = 64 << 10;
        self.passed += self.at;
        self.buffer.drain(..self.at);
        self.at = 0;
        Ok(self.source.by_ref().take(STEP).read_to_end(&mut self.buffer)? > 0)
    }

    /// The next byte that is not white space, which is not taken yet.
    fn peek(&mut self) -> Result<Option<u8>, Stop> {
        loop {
            let rest = &self.buffer[self.at..];
            if let Some(len) = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += len;
                return Ok(Some(self.buffer[self.at]));
            }
            self.at = self.buffer.len();
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Takes a byte, if it is the next.
    fn take(&mut self, byte: u8) -> Result<bool, Stop> {
        let is_next = self.peek()? == Some(byte);
        self.at += usize::from(is_next);
        Ok(is_next)
    }

    /// Takes a whole value. Whether it is one shows when it is parsed.
    fn value(&mut self) -> Result<String, Stop> {
        if self.peek()?.is_none() {
            return self.stop("the text ends early");
        }
        let mut scan = Scan::default();
        let mut len = 0;
        loop {
            let rest = &self.buffer[self.at + len..];
            match rest.iter().position(|byte| scan.is_over_at(*byte)) {
                Some(more) => {
                    len += more + usize::from(scan.is_closed);
                    break;
                }
                None => len += rest.len(),
            }
            if len > self.bytes_max {
                return Err(Error::excess(format!("a piece of it is longer than {} bytes", self.bytes_max)).into());
            }
            if !self.fill()? {
                break;
            }
        }
        let bytes = self.buffer[self.at..self.at + len].to_vec();
        let text = String::from_utf8(bytes).or_else(|_| self.stop("not UTF-8"))?;
        self.at += len;
        Ok(text)
    }
}

/// Looks for the end of a value.
#[derive(Default)]
struct Scan {
    depth: usize,
    within: Within,
    /// The byte at the end is its own.
    is_closed: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Within {
    #[default]
    Start,
    Value,
    String,
    Escape,
}

impl Scan {
    fn is_over_at(&mut self, byte: u8) -> bool {
        match (&self.within, byte) {
            (Within::String, b'\\') => self.within = Within::Escape,
            (Within::String, b'"') => {
                self.within = Within::Value;
                self.is_closed = self.depth == 0;
            }
            (Within::String, _) => {}
            (Within::Escape, _) | (_, b'"') => self.within = Within::String,
            (_, b'{' | b'[') => {
                self.within = Within::Value;
                self.depth += 1;
            }
            (_, b'}' | b']') if self.depth > 0 => {
                self.depth -= 1;
                self.is_closed = self.depth == 0;
            }
            (Within::Value, b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\n' | b'\r') => return self.depth == 0,
            _ => self.within = Within::Value,
        }
        self.is_closed
    }
}

/// The node that a document is about, as far as it is known.
#[derive(Default)]
struct Subject {
    active: Arc<Active>,
    /// The context without those of its types.
    type_scoped: Arc<Active>,
    /// What is said of it while its name may still come.
    pending: Vec<(String, Json<'static>)>,
    pending_bytes: usize,
    name: Option<NamedOrBlankNode>,
    is_begun: bool,
    /// Its graph was taken to be that without a name.
    is_default_graph: bool,
}

impl Reader<'_> {
    /// Reads a document from a stream, as far as it can be read.
    pub(super) fn stream(&mut self, pieces: &mut Pieces<impl Read>) -> Result<(), Stop> {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        pieces.peek()?;
        pieces.at += if pieces.buffer[pieces.at..].starts_with(MARK) { MARK.len() } else { 0 };
        match pieces.peek()? {
            Some(b'[') => {
                let place = Place::new(&self.initial, None);
                self.pieces(pieces, &place, &GraphName::DefaultGraph)?;
            }
            Some(b'{') => self.entries(pieces)?,
            _ => return Err(Error::new(LOADING_DOCUMENT_FAILED, "neither an object nor an array").into()),
        }
        if pieces.peek()?.is_some() { pieces.stop("text after the end of the value") } else { Ok(()) }
    }

    /// Reads the elements of an array, each by itself.
    fn pieces(&mut self, pieces: &mut Pieces<impl Read>, place: &Place<'_>, graph: &GraphName) -> Result<(), Stop> {
        self.each(pieces, &mut |reader, element| reader.element(place, element, graph))
    }

    fn each(
        &mut self,
        pieces: &mut Pieces<impl Read>,
        read: &mut dyn FnMut(&mut Self, &Json<'_>) -> Result<(), Error>,
    ) -> Result<(), Stop> {
        pieces.take(b'[')?;
        if pieces.take(b']')? {
            return Ok(());
        }
        loop {
            let text = pieces.value()?;
            let element = self.parsed(&text, pieces)?;
            let result = element.map_or(Ok(()), |element| read(self, &element));
            self.note_or_stop(result)?;
            if pieces.take(b']')? {
                return Ok(());
            }
            if !pieces.take(b',')? {
                return pieces.stop("a comma or bracket is missing");
            }
        }
    }

    /// What is wrong with a piece is noted, unless nothing more can be read.
    fn note_or_stop(&mut self, result: Result<(), Error>) -> Result<(), Stop> {
        match result {
            Err(error) if error.code == EXCESS => Err(error.into()),
            result => {
                self.note(result);
                Ok(())
            }
        }
    }

    /// A piece as JSON, or `None` if it is too deep to be.
    fn parsed<'t>(&mut self, text: &'t str, pieces: &Pieces<impl Read>) -> Result<Option<Json<'t>>, Stop> {
        self.expander.processor.budget.grow(text.len());
        match json::parse(text, self.options.depth_max) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.what == json::TOO_DEEP => {
                self.note(Err(Error::not_json(&error)));
                Ok(None)
            }
            Err(error) => {
                let at = pieces.passed + pieces.at - text.len() + error.at;
                Err(Error::not_json(&NotJson { at, ..error }).into())
            }
        }
    }

    /// Reads the entries of the object that a document is.
    fn entries(&mut self, pieces: &mut Pieces<impl Read>) -> Result<(), Stop> {
        let (active, type_scoped) = (Arc::clone(&self.initial), Arc::clone(&self.initial));
        let mut subject = Subject { active, type_scoped, ..Subject::default() };
        pieces.take(b'{')?;
        let mut is_over = pieces.take(b'}')?;
        while !is_over {
            if pieces.peek()? != Some(b'"') {
                return pieces.stop("a key is missing");
            }
            let text = pieces.value()?;
            let Some(Json::String(key)) = self.parsed(&text, pieces)? else { return pieces.stop("a key is missing") };
            if !pieces.take(b':')? {
                return pieces.stop("a colon is missing");
            }
            self.entry(pieces, &mut subject, &key)?;
            is_over = pieces.take(b'}')?;
            if !is_over && !pieces.take(b',')? {
                return pieces.stop("a comma or brace is missing");
            }
        }
        if !subject.pending.is_empty() {
            let pending = std::mem::take(&mut subject.pending);
            let object = Object(pending.into_iter().map(|(key, value)| (key.into(), value)).collect());
            let initial = std::mem::replace(&mut self.initial, subject.type_scoped);
            let result = self.top(&Json::Object(object));
            self.initial = initial;
            return Ok(result?);
        }
        Ok(())
    }

    fn entry(&mut self, pieces: &mut Pieces<impl Read>, subject: &mut Subject, key: &str) -> Result<(), Stop> {
        let word = subject.active.word(key);
        let is_array = pieces.peek()? == Some(b'[');
        match word.as_deref() {
            Some("@graph") if is_array => {
                let graph = self.graph(subject)?;
                let place = Place::new(&subject.active, Some("@graph"));
                self.pieces(pieces, &place, &graph)
            }
            Some(word) if is_array && !word.starts_with('@') && is_plain(&subject.active, key) => {
                self.begin(subject)?;
                self.each(pieces, &mut |reader, element| reader.said(subject, key, element.clone()))
            }
            word => {
                let text = pieces.value()?;
                let Some(value) = self.parsed(&text, pieces)? else { return Ok(()) };
                subject.pending_bytes += key.len() + text.len();
                let result = self.whole(subject, key, word, value);
                self.note_or_stop(result)?;
                if subject.pending_bytes > self.options.bytes_max {
                    self.begin(subject)?;
                }
                Ok(())
            }
        }
    }

    /// Takes up an entry that was read whole.
    fn whole(&mut self, subject: &mut Subject, key: &str, word: Option<&str>, value: Json<'_>) -> Result<(), Error> {
        match word {
            Some("@context") => {
                if subject.is_begun || subject.is_default_graph || !subject.pending.is_empty() {
                    return out_of_order(key);
                }
                let document = self.expander.document.clone();
                subject.active = self.expander.processor.local(&subject.active, &value, document.as_deref())?;
                subject.type_scoped = Arc::clone(&subject.active);
                Ok(())
            }
            Some(_) if subject.is_default_graph => out_of_order("@graph"),
            Some("@id") if subject.is_begun => out_of_order(key),
            Some(_) if subject.is_begun => self.said(subject, key, value),
            Some(_) => {
                subject.pending.push((key.to_owned(), value.into_owned()));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The graph that is within the node: if nothing is known of that, the one
    /// without a name.
    fn graph(&mut self, subject: &mut Subject) -> Result<GraphName, Error> {
        if subject.pending.is_empty() && !subject.is_begun {
            subject.is_default_graph = true;
            return Ok(GraphName::DefaultGraph);
        }
        self.begin(subject)?;
        Ok(subject.name.clone().map_or(GraphName::DefaultGraph, Into::into))
    }

    /// From here on, the node has a name, and what was said of it is said.
    fn begin(&mut self, subject: &mut Subject) -> Result<(), Error> {
        if subject.is_default_graph {
            return out_of_order("@graph");
        }
        if subject.is_begun {
            return Ok(());
        }
        subject.is_begun = true;
        let pending = std::mem::take(&mut subject.pending);
        let object = Object(pending.into_iter().map(|(key, value)| (key.into(), value)).collect());
        subject.active = self.expander.with_types(&subject.type_scoped, &object)?.0;
        let node = self.expander.said(&subject.active, &subject.type_scoped, &object)?;
        subject.name = self.emitter.subject(&node);
        self.emitter.describe(&node, subject.name.as_ref(), &GraphName::DefaultGraph);
        Ok(())
    }

    /// Says of the node what is in one entry.
    fn said(&mut self, subject: &Subject, key: &str, value: Json<'_>) -> Result<(), Error> {
        let object = Object(vec![(key.into(), value)]);
        let node = self.expander.said(&subject.active, &subject.type_scoped, &object)?;
        self.emitter.describe(&node, subject.name.as_ref(), &GraphName::DefaultGraph);
        Ok(())
    }
}

/// Whether the elements of an array mean the same one by one.
fn is_plain(active: &Active, key: &str) -> bool {
    let is_json = active.term(key).is_some_and(|term| term.coercion == Some(Coercion::Json));
    !is_json && active.container(key).without(Container::SET) == Container::default()
}

fn out_of_order<T>(key: &str) -> Result<T, Error> {
    fail("invalid streaming key order", format!("{key} comes too late or too early in a document of this length"))
}
