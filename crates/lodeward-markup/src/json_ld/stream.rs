//! Documents of any length, a piece at a time.
//!
//! What JSON-LD allows in any order has to come in one here: contexts before
//! what they are about, the name of a node before what is said of it. That is
//! less than [Streaming JSON-LD](https://www.w3.org/TR/json-ld11-streaming/)
//! asks for, since only the outermost level is taken apart: what is in the
//! array or graph of a document, or in an array that is a value of its one
//! node, comes piece by piece, and each piece is read in any order.

use std::io::Read;
use std::sync::Arc;

use oxrdf::{GraphName, NamedOrBlankNode};

use super::active::{Active, Coercion, Container};
use super::document::Reader;
use super::error::{EXCESS, Error, LOADING_DOCUMENT_FAILED, fail};
use super::expand::Place;
use super::json::{self, Json, NotJson, Object};
use super::pieces::{Pieces, Stop};

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
        pieces.skip_mark()?;
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
        match json::parse(text, self.options.depth()) {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.what == json::TOO_DEEP => {
                self.note(Err(Error::not_json(&error)));
                Ok(None)
            }
            Err(error) => {
                let at = pieces.offset() - text.len() + error.at;
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
