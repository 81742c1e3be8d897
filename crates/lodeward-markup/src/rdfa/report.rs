//! Faults and processor notices of a page.

use oxrdf::{BlankNodeRef, LiteralRef, NamedNodeRef, QuadRef, TermRef};

use super::PROCESSOR_GRAPH;
use super::budget::RdfaBudget;
use super::statement::RDF_TYPE;
use crate::{EmbeddedSyntax, MarkupFault, PageSink, RdfFaultKind};
use lodeward_rdf::iri::BaseIri;

/// The maximum number of faults that are reported individually.
const MAX_FAULTS: usize = 16;

/// The maximum number of notices in the processor graph.
const MAX_NOTICES: usize = 1000;

/// The kinds of notices (`RDFa` Core 1.1, section 7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcessorNotice {
    /// The document is not well-formed.
    Document,
    /// The prefix of a CURIE is not declared, or the CURIE does not expand to an IRI.
    Curie,
    /// A term is not known, such as half of all link types of HTML.
    Term,
    /// A reference is not a valid IRI.
    Iri,
    /// A standard prefix is redefined.
    Prefix,
    /// A vocabulary is not available.
    Vocabulary,
}

impl ProcessorNotice {
    /// The classes of the notice.
    fn classes(self) -> [&'static str; 2] {
        match self {
            Self::Document => ["Error", "DocumentError"],
            Self::Curie | Self::Iri => ["Warning", "UnresolvedCURIE"],
            Self::Term => ["Warning", "UnresolvedTerm"],
            Self::Prefix => ["Warning", "PrefixRedefinition"],
            Self::Vocabulary => ["Error", "VocabReferenceError"],
        }
    }

    /// The fault to report, if data is lost.
    fn fault_kind(self) -> Option<RdfFaultKind> {
        match self {
            Self::Curie | Self::Iri => Some(RdfFaultKind::Syntax),
            Self::Vocabulary => Some(RdfFaultKind::Remote),
            Self::Document | Self::Term | Self::Prefix => None,
        }
    }
}

/// The notices of a page.
pub(super) struct ProcessorReport {
    has_graph: bool,
    notices: Vec<(ProcessorNotice, String)>,
    faults: Vec<MarkupFault>,
    more_faults: usize,
}

impl ProcessorReport {
    pub(super) fn new(has_graph: bool) -> Self {
        Self { has_graph, notices: Vec::new(), faults: Vec::new(), more_faults: 0 }
    }

    pub(super) fn add(&mut self, notice: ProcessorNotice, what: &str, problem: &str) {
        let detail = || {
            let what: String = what.chars().take(200).collect();
            format!("`{what}` {problem}")
        };
        if self.has_graph && self.notices.len() < MAX_NOTICES {
            self.notices.push((notice, detail()));
        }
        let Some(kind) = notice.fault_kind() else { return };
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(MarkupFault { syntax: EmbeddedSyntax::Rdfa, kind, detail: detail() });
        } else {
            self.more_faults += 1;
        }
    }

    pub(super) fn finish(self, budget: &RdfaBudget<'_>, document: &BaseIri, sink: &mut dyn PageSink) {
        for (at, (notice, detail)) in self.notices.iter().enumerate() {
            emit_notice(*notice, detail, &format!("p{at}"), document, sink);
        }
        for fault in self.faults {
            sink.fault(fault);
        }
        let mut report = |kind, detail| sink.fault(MarkupFault { syntax: EmbeddedSyntax::Rdfa, kind, detail });
        if self.more_faults > 0 {
            report(RdfFaultKind::Syntax, format!("{} more faults are not listed", self.more_faults));
        }
        if budget.is_exhausted() {
            report(RdfFaultKind::Limit, "statements of the page exceed the size limit: the rest is omitted".to_owned());
        }
    }
}

/// Writes a notice into the processor graph.
fn emit_notice(notice: ProcessorNotice, detail: &str, label: &str, document: &BaseIri, sink: &mut dyn PageSink) {
    let mut write = |predicate: &str, object: TermRef<'_>| {
        let node = BlankNodeRef::new_unchecked(label);
        let predicate = NamedNodeRef::new_unchecked(predicate);
        sink.quad(
            EmbeddedSyntax::Rdfa,
            QuadRef::new(node, predicate, object, NamedNodeRef::new_unchecked(PROCESSOR_GRAPH)),
        );
    };
    for class in notice.classes() {
        let class = format!("http://www.w3.org/ns/rdfa#{class}");
        write(RDF_TYPE, NamedNodeRef::new_unchecked(&class).into());
    }
    write("http://purl.org/dc/terms/description", LiteralRef::new_simple_literal(detail).into());
    write("http://www.w3.org/ns/rdfa#context", NamedNodeRef::new_unchecked(document.as_str()).into());
}
