//! Answers of services, read step by step.

use std::io::{self, Cursor, Read};

use oxrdf::QuadRef;

use super::harvest::Harvest;
use crate::discover::{Answer, Findings, Next, Step};
use crate::fetch::{Body, CutShort, Representation};
use crate::model::link::StepLink;
use crate::model::{Fault, How, Link, Via};

/// Reads an answer into a harvest. Returns its syntax and how many bytes it had.
pub(super) fn read(step: &Step, representation: Representation, harvest: &mut Harvest<'_>) -> (&'static str, u64) {
    let Representation { uri, content_type, body, .. } = representation;
    let mut count = 0;
    let body = Counted { inner: reader(body), count: &mut count };
    let answer = Answer { uri: &uri, content_type: content_type.as_deref(), body: Box::new(body) };
    let syntax = step.read(answer, harvest);
    (syntax, count)
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

struct Counted<'a> {
    inner: Box<dyn Read>,
    count: &'a mut u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(into)?;
        *self.count += len as u64;
        Ok(len)
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
        let how = How::Step(next.step.to_string());
        Harvest::step(self, Link { target: next.uri, via: Via::Step(Box::new(StepLink { step: next.step, how })) });
    }

    fn fault(&mut self, fault: Fault) {
        Harvest::fault(self, fault);
    }
}
