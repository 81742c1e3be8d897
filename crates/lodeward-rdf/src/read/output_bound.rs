//! Bounds the length of statements in proportion to the length of their document.
//!
//! A prefix, a base or a subject is written once and becomes part of any number of statements: a
//! megabyte of Turtle can expand to a terabyte of N-Quads. Terms up to a length that genuine
//! documents use do not count.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use oxrdf::{GraphNameRef, NamedOrBlankNodeRef, Quad, QuadRef, TermRef};

use super::RdfInput;
use crate::sink::{QuadSink, RdfFault, RdfFaultKind};

/// Terms up to this length do not count.
const MAX_FREE_BYTES: usize = 256;
/// Length that long terms may have in a document of any size.
const BASE_BYTES: u64 = 64 << 20;
/// Length that long terms may have for each byte of the document.
const BYTES_PER_BYTE: u64 = 16;

/// Passes statements on until they are too long.
pub(super) struct OutputBound<'s, S> {
    sink: &'s mut S,
    input_bytes: Rc<Cell<u64>>,
    long_bytes: u64,
    is_exceeded: bool,
}

impl<'s, S: QuadSink> OutputBound<'s, S> {
    /// Bounds the statements of a document. Also returns the document, whose length is counted
    /// while it is read.
    pub(super) fn new<'a>(input: RdfInput<'a>, sink: &'s mut S) -> (RdfInput<'a>, Self) {
        let input_bytes = Rc::new(Cell::new(0));
        let input = match input {
            RdfInput::Slice(bytes) => {
                input_bytes.set(bytes.len() as u64);
                input
            }
            RdfInput::Stream(inner) => {
                RdfInput::Stream(Box::new(DocumentLengthReader { inner, bytes: Rc::clone(&input_bytes) }))
            }
        };
        (input, Self { sink, input_bytes, long_bytes: 0, is_exceeded: false })
    }

    fn count(&mut self, quad: QuadRef<'_>) {
        let subject = match quad.subject {
            NamedOrBlankNodeRef::NamedNode(node) => node.as_str().len(),
            NamedOrBlankNodeRef::BlankNode(_) => 0,
        };
        let object = match quad.object {
            TermRef::NamedNode(node) => node.as_str().len(),
            TermRef::BlankNode(_) => 0,
            TermRef::Literal(literal) => {
                let suffix = literal.language().map_or(literal.datatype().as_str().len(), str::len);
                literal.value().len() + suffix
            }
        };
        let graph = match quad.graph_name {
            GraphNameRef::NamedNode(node) => node.as_str().len(),
            _ => 0,
        };
        for bytes in [subject, quad.predicate.as_str().len(), object, graph] {
            self.long_bytes += bytes.saturating_sub(MAX_FREE_BYTES) as u64;
        }
        if self.long_bytes > BASE_BYTES + BYTES_PER_BYTE * self.input_bytes.get() && !self.is_exceeded {
            self.is_exceeded = true;
            let detail = "the statements are much longer than the document; the rest is not read";
            self.sink.fault(RdfFault::new(RdfFaultKind::Limit, detail));
        }
    }
}

impl<S: QuadSink> QuadSink for OutputBound<'_, S> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.count(quad);
        if !self.is_exceeded {
            self.sink.quad(quad);
        }
    }

    fn owned_quad(&mut self, quad: Quad) {
        self.count(quad.as_ref());
        if !self.is_exceeded {
            self.sink.owned_quad(quad);
        }
    }

    fn fault(&mut self, fault: RdfFault) {
        self.sink.fault(fault);
    }

    fn begin_scope(&mut self) {
        self.sink.begin_scope();
    }

    fn is_open(&self) -> bool {
        !self.is_exceeded && self.sink.is_open()
    }
}

struct DocumentLengthReader<'a> {
    inner: Box<dyn Read + 'a>,
    bytes: Rc<Cell<u64>>,
}

impl Read for DocumentLengthReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(into)?;
        self.bytes.set(self.bytes.get() + len as u64);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RdfFormat, RdfReader};

    /// Counts without storing.
    #[derive(Default)]
    struct OutputCounter {
        bytes: usize,
        faults: Vec<RdfFaultKind>,
    }

    impl QuadSink for OutputCounter {
        fn quad(&mut self, quad: QuadRef<'_>) {
            self.bytes += quad.predicate.as_str().len();
        }

        fn fault(&mut self, fault: RdfFault) {
            self.faults.push(fault.kind);
        }
    }

    #[test]
    fn repeated_long_terms_are_bounded_in_every_format() {
        let long = format!("http://a.example/{}", "x".repeat(100_000));
        let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
        let cases = [
            (RdfFormat::Turtle, format!("@prefix p: <{long}> . {}", "p: p: p: . ".repeat(5_000))),
            (RdfFormat::TriG, format!("@base <{long}/> . {}", "<a> { <a> <b> <c> } ".repeat(5_000))),
            (
                RdfFormat::RdfXml,
                format!("<r:RDF xmlns:r='{rdf}' xmlns='{long}'>{}</r:RDF>", "<A><p/></A>".repeat(5_000)),
            ),
            (
                RdfFormat::JsonLd,
                format!("{{\"@context\":{{\"@vocab\":\"{long}\"}},\"@graph\":[{}{{}}]}}", "{\"p\":1},".repeat(5_000)),
            ),
        ];
        for (format, document) in cases {
            for input in [document.as_bytes().into(), RdfInput::Stream(Box::new(document.as_bytes()))] {
                let mut counter = OutputCounter::default();
                RdfReader::new(format).read(input, &mut counter).unwrap();

                assert_eq!(counter.faults, [RdfFaultKind::Limit], "{format:?}");
                assert!(counter.bytes as u64 <= BASE_BYTES + BYTES_PER_BYTE * document.len() as u64, "{format:?}");
            }
        }
    }
}
