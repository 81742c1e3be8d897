//! Answers of services, read step by step.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use oxrdf::QuadRef;

use super::archive::Counting;
use super::harvest::Harvest;
use crate::discover::{Answer, Findings, Next, Step};
use crate::fetch::{Body, CutShort, Representation};
use crate::model::{Fault, Link};

/// Reads an answer into a harvest. Returns its syntax and how many bytes it had.
pub(super) fn read(step: &Step, representation: Representation, harvest: &mut Harvest<'_>) -> (&'static str, u64) {
    let Representation { uri, content_type, body, .. } = representation;
    let count = Rc::new(Cell::new(0));
    let body = Counting { inner: reader(body), count: Rc::clone(&count) };
    let answer = Answer { uri: &uri, content_type: content_type.as_deref(), body: Box::new(body) };
    let syntax = step.read(answer, harvest);
    (syntax, count.get())
}

/// Notes the steps that come next.
pub(super) fn note(nexts: Vec<Next>, harvest: &mut Harvest<'_>) {
    for next in nexts {
        Findings::step(harvest, next);
    }
}

fn reader(body: Body) -> Box<dyn Read> {
    match body {
        Body::Whole { bytes, cut: None } => Box::new(Cursor::new(bytes)),
        Body::Whole { bytes, cut: Some(fault) } => Box::new(Cursor::new(bytes).chain(Cut(fault))),
        Body::Stream(stream) => stream,
    }
}

/// The end of a body that is not all there is.
struct Cut(Fault);

impl Read for Cut {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other(CutShort(self.0.clone())))
    }
}

impl Findings for Harvest<'_> {
    fn begin(&mut self, syntax: &'static str) {
        Harvest::begin(self, syntax);
    }

    fn quad(&mut self, quad: QuadRef<'_>) -> Result<(), String> {
        Harvest::quad(self, quad)
    }

    fn link(&mut self, link: Link) {
        Harvest::link(self, link);
    }

    fn step(&mut self, next: Next) {
        Harvest::step(self, next.into());
    }

    fn fault(&mut self, fault: Fault) {
        Harvest::fault(self, fault);
    }
}
