//! Writing statements and faults, with a limit on both.

use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use crate::{EmbeddedSyntax, MarkupFault, PageSink, RdfFaultKind};

/// The work limit per byte of a page. References can let every item contain the rest of the page,
/// and nested properties repeat their text. Normal pages need less than 3.
const WORK_PER_BYTE: usize = 16;
/// The minimum work limit, for small pages.
const MIN_WORK: usize = 1 << 20;
/// The work of a statement or a fault, in addition to its value.
const STATEMENT_WORK: usize = 32;
const MAX_FAULTS: usize = 16;
/// Maximum number of bytes of an invalid value that are quoted.
const MAX_EXCERPT_BYTES: usize = 80;

pub(super) struct MicrodataWriter<'s> {
    sink: &'s mut dyn PageSink,
    work_left: usize,
    is_exhausted: bool,
    faults: usize,
}

impl<'s> MicrodataWriter<'s> {
    pub(super) fn new(sink: &'s mut dyn PageSink, page_bytes: usize) -> Self {
        let work_left = page_bytes.saturating_mul(WORK_PER_BYTE).max(MIN_WORK);
        Self { sink, work_left, is_exhausted: false, faults: 0 }
    }

    /// Whether the work limit is exceeded.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Counts work. Returns whether the total is within the limit.
    pub(super) fn spend(&mut self, work: usize) -> bool {
        if !self.is_exhausted {
            match self.work_left.checked_sub(work) {
                Some(left) => self.work_left = left,
                None => {
                    self.is_exhausted = true;
                    let detail = "items exceed the work limit of the page: the rest is omitted".to_owned();
                    self.sink.fault(MarkupFault {
                        syntax: EmbeddedSyntax::Microdata,
                        kind: RdfFaultKind::Limit,
                        detail,
                    });
                }
            }
        }
        !self.is_exhausted
    }

    pub(super) fn write_statement<'a>(
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
            self.sink
                .quad(EmbeddedSyntax::Microdata, QuadRef::new(subject, predicate, object, GraphNameRef::DefaultGraph));
        }
    }

    /// Reports a fault of a quoted value. Only the first few faults are reported, as one template
    /// can repeat the same fault a thousand times.
    pub(super) fn report_fault(&mut self, thing: &str, quoted: &str, problem: &str) {
        self.faults += 1;
        if self.spend(STATEMENT_WORK) && self.faults <= MAX_FAULTS {
            let end = quoted.floor_char_boundary(MAX_EXCERPT_BYTES);
            let detail = format!("{thing} `{}` {problem}", &quoted[..end]);
            self.sink.fault(MarkupFault { syntax: EmbeddedSyntax::Microdata, kind: RdfFaultKind::Syntax, detail });
        }
    }
}
