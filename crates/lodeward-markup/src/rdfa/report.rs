//! What there is to tell about a page besides what it states.

use oxrdf::{BlankNodeRef, LiteralRef, NamedNodeRef, QuadRef, TermRef};

use super::PROCESSOR_GRAPH;
use super::budget::Budget;
use super::statement::RDF_TYPE;
use crate::iri::Base;
use crate::sink::{Fault, FaultKind, Sink, Syntax};

/// How many faults of a page are told one by one.
const FAULTS_MAX: usize = 16;

/// How many notices the processor graph has at most.
const NOTICES_MAX: usize = 1000;

/// What there is to tell (`RDFa` Core 1.1, section 7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// The document is not well-formed.
    Document,
    /// A prefix of a CURIE is not declared, or what it makes is no IRI.
    Curie,
    /// A term is not known. Half of all link types of HTML are not.
    Term,
    /// What is an IRI cannot be one.
    Iri,
    /// A prefix that everybody knows stands for something else here.
    Prefix,
    /// A vocabulary is not at hand.
    Vocabulary,
}

impl Notice {
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

    /// Whether data is lost, which the reader of the page is told.
    fn fault(self) -> Option<FaultKind> {
        match self {
            Self::Curie | Self::Iri => Some(FaultKind::Syntax),
            Self::Vocabulary => Some(FaultKind::Remote),
            Self::Document | Self::Term | Self::Prefix => None,
        }
    }
}

/// The notices of a page.
pub(super) struct Report {
    has_graph: bool,
    notices: Vec<(Notice, String)>,
    faults: Vec<Fault>,
    more_faults: usize,
}

impl Report {
    pub(super) fn new(has_graph: bool) -> Self {
        Self { has_graph, notices: Vec::new(), faults: Vec::new(), more_faults: 0 }
    }

    pub(super) fn tell(&mut self, notice: Notice, what: &str, wrong: &str) {
        let detail = || {
            let what: String = what.chars().take(200).collect();
            format!("`{what}` {wrong}")
        };
        if self.has_graph && self.notices.len() < NOTICES_MAX {
            self.notices.push((notice, detail()));
        }
        let Some(kind) = notice.fault() else { return };
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault { syntax: Syntax::Rdfa, kind, detail: detail() });
        } else {
            self.more_faults += 1;
        }
    }

    pub(super) fn finish(self, budget: &Budget<'_>, document: &Base, sink: &mut dyn Sink) {
        for (at, (notice, detail)) in self.notices.iter().enumerate() {
            state(*notice, detail, &format!("p{at}"), document, sink);
        }
        for fault in self.faults {
            sink.fault(fault);
        }
        let mut tell = |kind, detail| sink.fault(Fault { syntax: Syntax::Rdfa, kind, detail });
        if self.more_faults > 0 {
            tell(FaultKind::Syntax, format!("and {} more like these", self.more_faults));
        }
        if budget.is_spent() {
            tell(FaultKind::Excess, "the page states far more than it says; the rest is left out".to_owned());
        }
    }
}

/// States a notice in the processor graph.
fn state(notice: Notice, detail: &str, label: &str, document: &Base, sink: &mut dyn Sink) {
    let mut state = |predicate: &str, object: TermRef<'_>| {
        let node = BlankNodeRef::new_unchecked(label);
        let predicate = NamedNodeRef::new_unchecked(predicate);
        sink.quad(Syntax::Rdfa, QuadRef::new(node, predicate, object, NamedNodeRef::new_unchecked(PROCESSOR_GRAPH)));
    };
    for class in notice.classes() {
        let class = format!("http://www.w3.org/ns/rdfa#{class}");
        state(RDF_TYPE, NamedNodeRef::new_unchecked(&class).into());
    }
    state("http://purl.org/dc/terms/description", LiteralRef::new_simple_literal(detail).into());
    state("http://www.w3.org/ns/rdfa#context", NamedNodeRef::new_unchecked(document.as_str()).into());
}
