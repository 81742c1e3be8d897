//! Statements and faults on their way out, with a bound on both.

use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use crate::{Fault, FaultKind, Sink, Syntax};

/// How much work a page may ask for, by its size: references let every item
/// take the rest of the page for its own, and properties inside each other
/// repeat their text. Pages that mean well stay below three.
const WORK_PER_BYTE: usize = 16;
/// Small pages may do more.
const WORK_MIN: usize = 1 << 20;
/// A statement costs this, and its value; so does a fault.
const STATEMENT_WORK: usize = 32;
const FAULTS_MAX: usize = 16;
/// How much of what is wrong is quoted.
const EXCERPT_MAX: usize = 80;

pub(super) struct Writer<'s> {
    sink: &'s mut dyn Sink,
    work_left: usize,
    is_spent: bool,
    faults: usize,
}

impl<'s> Writer<'s> {
    pub(super) fn new(sink: &'s mut dyn Sink, page_bytes: usize) -> Self {
        let work_left = page_bytes.saturating_mul(WORK_PER_BYTE).max(WORK_MIN);
        Self { sink, work_left, is_spent: false, faults: 0 }
    }

    /// Whether there is no more to do, because too much was done.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Counts work, and tells whether it may be done.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        if !self.is_spent {
            match self.work_left.checked_sub(work) {
                Some(left) => self.work_left = left,
                None => {
                    self.is_spent = true;
                    let detail = "items repeat too much of the page; the rest is left out".to_owned();
                    self.sink.fault(Fault { syntax: Syntax::Microdata, kind: FaultKind::Excess, detail });
                }
            }
        }
        !self.is_spent
    }

    pub(super) fn statement<'a>(
        &mut self,
        subject: NamedOrBlankNodeRef<'a>,
        predicate: NamedNodeRef<'a>,
        object: impl Into<TermRef<'a>>,
    ) {
        let object = object.into();
        let length = match object {
            TermRef::Literal(literal) => literal.value().len(),
            TermRef::NamedNode(node) => node.as_str().len(),
            TermRef::BlankNode(_) => 0,
        };
        if self.spend(STATEMENT_WORK + length) {
            self.sink.quad(Syntax::Microdata, QuadRef::new(subject, predicate, object, GraphNameRef::DefaultGraph));
        }
    }

    /// Says what is wrong with something that is quoted. Only the first few
    /// faults are told: one template makes the same a thousand times.
    pub(super) fn fault(&mut self, thing: &str, quoted: &str, problem: &str) {
        self.faults += 1;
        if self.spend(STATEMENT_WORK) && self.faults <= FAULTS_MAX {
            let end = quoted.floor_char_boundary(EXCERPT_MAX);
            let detail = format!("{thing} `{}` {problem}", &quoted[..end]);
            self.sink.fault(Fault { syntax: Syntax::Microdata, kind: FaultKind::Syntax, detail });
        }
    }
}
