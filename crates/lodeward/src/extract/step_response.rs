//! Reads the responses of services, step by step.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use oxrdf::QuadRef;

use super::extraction::Extraction;
use super::unpack::ByteCounter;
use crate::discover::{NextStep, ServiceResponse, StatementRules, Step, StepSink};
use crate::fetch::{Representation, ResponseBody};
use crate::model::{Fault, Link, StreamFault};

/// Reads a response into an extraction. Returns its format and size in bytes.
pub(super) fn read(step: &Step, representation: Representation, harvest: &mut Extraction<'_>) -> (&'static str, u64) {
    let Representation { uri, body, .. } = representation;
    let count = Rc::new(Cell::new(0));
    let body = ByteCounter { inner: body_reader(body), count: Rc::clone(&count) };
    let syntax = step.read(ServiceResponse { uri: &uri, body: Box::new(body) }, harvest);
    (syntax, count.get())
}

/// Adds the next steps.
pub(super) fn add_steps(steps: Vec<NextStep>, harvest: &mut Extraction<'_>) {
    for next in steps {
        StepSink::step(harvest, next);
    }
}

fn body_reader(body: ResponseBody) -> Box<dyn Read> {
    match body {
        ResponseBody::Buffered { bytes, truncation: None } => Box::new(Cursor::new(bytes)),
        ResponseBody::Buffered { bytes, truncation: Some(fault) } => {
            Box::new(Cursor::new(bytes).chain(PartialBody(fault)))
        }
        ResponseBody::Stream(stream) => stream,
    }
}

/// A reader that fails with the fault that truncated the body.
struct PartialBody(Fault);

impl Read for PartialBody {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other(StreamFault(self.0.clone())))
    }
}

impl StepSink for Extraction<'_> {
    fn set_rules(&mut self, rules: StatementRules) {
        Extraction::set_rules(self, rules);
    }

    fn begin_syntax(&mut self, syntax: &'static str) {
        Extraction::begin_syntax(self, syntax);
    }

    fn quad(&mut self, quad: QuadRef<'_>) -> Result<(), String> {
        Extraction::quad(self, quad)
    }

    fn link(&mut self, link: Link) {
        Extraction::link(self, link);
    }

    fn step(&mut self, next: NextStep) {
        Extraction::step(self, next);
    }

    fn fault(&mut self, fault: Fault) {
        Extraction::fault(self, fault);
    }
}
