//! What every reader fills: the way of a statement to the sink.

use std::collections::HashSet;

use lodeward_markup::escape_iri;
use oxilangtag::LanguageTag;
use oxrdf::{BlankNodeRef, GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::blank::BlankNodes;
use super::triple_links::{InvalidIri, TripleLinks};
use super::{NamedGraphs, Options, Sink};
use crate::model::{Fault, FaultKind, Link, Relevance, Uri};

/// Links that are held until the end, for each that is taken: the same target
/// may be mentioned again.
const OTHER_LINKS_FACTOR: usize = 2;

/// A document while it is being read.
///
/// Checks and renames statements and passes them on at once; gathers links
/// until the end, because the later ways in which a target is mentioned count
/// as well; and keeps faults within their bound.
pub(super) struct Harvest<'a> {
    pub(super) options: &'a Options,
    pub(super) document: &'a Uri,
    sink: &'a mut dyn Sink,
    /// The name of the document's graph: its address, as an IRI.
    graph: String,
    blanks: BlankNodes,
    triple_links: TripleLinks,
    other_links: Vec<Link>,
    steps: Vec<Link>,
    language: String,
    labels: [String; 3],
    quads_by_syntax: Vec<(&'static str, u64)>,
    /// Which of them is being written in.
    syntax: usize,
    /// What a page was found to be: its statements may be mere metadata.
    relevance: Option<Relevance>,
    /// The best of the files of a dump that were read.
    relevance_of_files: Option<Relevance>,
    quads_before_file: u64,
    /// Whether the document is one of many in an archive.
    is_inside: bool,
    faults: usize,
    /// Whether it was told that something is missing.
    is_cut: bool,
    has_excess: bool,
}

impl<'a> Harvest<'a> {
    pub(super) fn new(document: &'a Uri, options: &'a Options, bytes: Option<usize>, sink: &'a mut dyn Sink) -> Self {
        Self {
            options,
            document,
            sink,
            graph: iri_of(document),
            blanks: BlankNodes::of_document(document),
            triple_links: TripleLinks::of_document(document, options, bytes),
            other_links: Vec::new(),
            steps: Vec::new(),
            language: String::new(),
            labels: Default::default(),
            quads_by_syntax: Vec::new(),
            syntax: 0,
            relevance: None,
            relevance_of_files: None,
            quads_before_file: 0,
            is_inside: false,
            faults: 0,
            is_cut: false,
            has_excess: false,
        }
    }

    /// What relative IRIs are resolved against.
    pub(super) fn base(&self) -> &str {
        &self.graph
    }

    /// Statements from here on were written in this syntax, and their blank
    /// nodes are not those of before.
    pub(super) fn begin(&mut self, syntax: &'static str) {
        self.blanks.begin_scope();
        let known = self.quads_by_syntax.iter().position(|(known, _)| *known == syntax);
        self.syntax = known.unwrap_or(self.quads_by_syntax.len());
        if known.is_none() {
            self.quads_by_syntax.push((syntax, 0));
        }
    }

    /// What comes next is a file of a dump: perhaps one of many in an archive.
    pub(super) fn begin_file(&mut self, is_inside: bool) {
        self.is_inside = is_inside;
        self.quads_before_file = self.quads();
        self.relevance = None;
    }

    /// That file has been read.
    pub(super) fn end_file(&mut self) {
        let found = self.relevance.take().unwrap_or(Relevance::Rdf);
        if self.quads() > self.quads_before_file {
            let known = self.relevance_of_files.unwrap_or(found);
            self.relevance_of_files = Some(if known == Relevance::Rdf { known } else { found });
        }
    }

    /// Whether the document is one of many in an archive, whose links to pages
    /// beside it lead nowhere.
    pub(super) fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Quads so far.
    pub(super) fn quads(&self) -> u64 {
        self.quads_by_syntax.iter().map(|(_, quads)| quads).sum()
    }

    /// Takes a statement. Says why not, if it cannot be written down.
    pub(super) fn quad(&mut self, quad: QuadRef<'_>) -> Result<(), String> {
        if let TermRef::Literal(literal) = quad.object
            && let Some(language) = literal.language()
            && language != self.language
        {
            LanguageTag::parse(language).map_err(|error| format!("language tag `{language}`: {error}"))?;
            language.clone_into(&mut self.language);
        }
        let quad = match self.options.named_graphs {
            NamedGraphs::Fold => QuadRef { graph_name: GraphNameRef::DefaultGraph, ..quad },
            NamedGraphs::Keep => quad,
        };
        self.triple_links.observe(quad).map_err(|InvalidIri(iri)| format!("`{iri}` is not an absolute IRI"))?;
        self.pass_on(quad);
        Ok(())
    }

    fn pass_on(&mut self, quad: QuadRef<'_>) {
        let [subject, object, graph] = &mut self.labels;
        let mut relabel = |node: BlankNodeRef<'_>, label: &mut String| self.blanks.label(node, label);
        let subject = match quad.subject {
            NamedOrBlankNodeRef::BlankNode(node) => {
                relabel(node, subject);
                BlankNodeRef::new_unchecked(subject).into()
            }
            named @ NamedOrBlankNodeRef::NamedNode(_) => named,
        };
        let object = match quad.object {
            TermRef::BlankNode(node) => {
                relabel(node, object);
                BlankNodeRef::new_unchecked(object).into()
            }
            other => other,
        };
        let graph_name = match quad.graph_name {
            GraphNameRef::BlankNode(node) => {
                relabel(node, graph);
                BlankNodeRef::new_unchecked(graph).into()
            }
            GraphNameRef::DefaultGraph => NamedNodeRef::new_unchecked(&self.graph).into(),
            named @ GraphNameRef::NamedNode(_) => named,
        };
        self.sink.quad(QuadRef { subject, predicate: quad.predicate, object, graph_name });
        if let Some(quads) = self.quads_by_syntax.get_mut(self.syntax) {
            quads.1 += 1;
        }
    }

    /// Takes a link that was not found in a triple.
    pub(super) fn link(&mut self, link: Link) {
        if link.target == *self.document {
            return;
        }
        if self.other_links.len() >= OTHER_LINKS_FACTOR * self.options.links_per_document_max {
            return self.note_excess();
        }
        self.other_links.push(link);
    }

    /// Takes a step. Not one of them may be lost: they are not counted among the
    /// links, and bounded by whoever finds them.
    pub(super) fn step(&mut self, link: Link) {
        self.steps.push(link);
    }

    /// The document is a page, and this is what its statements amount to.
    pub(super) fn set_relevance(&mut self, relevance: Relevance) {
        self.relevance = Some(relevance);
    }

    /// There were more links than are taken.
    pub(super) fn note_excess(&mut self) {
        self.has_excess = true;
    }

    /// Notes what could not be read. That something is missing is told however
    /// much went wrong before.
    pub(super) fn fault(&mut self, fault: Fault) {
        if fault.kind.cuts_short() && !std::mem::replace(&mut self.is_cut, true) {
            return self.sink.fault(fault);
        }
        self.faults += 1;
        if self.faults < self.options.faults_max.max(1) {
            self.sink.fault(fault);
        }
    }

    /// Hands over the links, triples first: what is linked both by a triple and
    /// by an anchor is linked data, and a crawl of RDF links must see it.
    pub(super) fn finish(mut self) -> (Relevance, Vec<(&'static str, u64)>) {
        let mut is_excess = self.has_excess || self.triple_links.has_excess();
        for step in self.steps {
            self.sink.link(step);
        }
        let mut known = HashSet::new();
        for link in self.triple_links.into_links() {
            if !self.other_links.is_empty() {
                known.insert(link.target.clone());
            }
            self.sink.link(link);
        }
        for link in self.other_links {
            if known.contains(&link.target) {
                continue;
            }
            if known.len() >= self.options.links_per_document_max {
                is_excess = true;
                break;
            }
            known.insert(link.target.clone());
            self.sink.link(link);
        }
        if is_excess {
            let detail = format!("more than {} links", self.options.links_per_document_max);
            self.sink.fault(Fault::new(FaultKind::Excess, detail));
        }
        let told = self.options.faults_max.max(1) - 1;
        if self.faults > told {
            self.sink.fault(Fault::new(FaultKind::Excess, format!("{} more faults", self.faults - told)));
        }
        self.quads_by_syntax.retain(|(_, quads)| *quads > 0);
        let relevance = match self.relevance.or(self.relevance_of_files) {
            _ if self.quads_by_syntax.is_empty() => Relevance::None,
            Some(relevance) => relevance,
            None => Relevance::Rdf,
        };
        (relevance, self.quads_by_syntax)
    }
}

/// The address of a document as an IRI. URLs allow what IRIs do not, such as
/// `|` or a lone `%`; those are escaped, or the graph's name could not be
/// written down.
fn iri_of(document: &Uri) -> String {
    escape_iri(document.as_str()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_graph_can_be_written_down() {
        let check = |url: &str, iri: &str| {
            assert_eq!(iri_of(&Uri::parse(url).unwrap()), iri);
            assert!(oxiri::Iri::parse(iri).is_ok());
        };

        check("http://a.org/b?c=d%20e", "http://a.org/b?c=d%20e");
        check("http://a.org/100%?a|b[1]^`", "http://a.org/100%25?a%7Cb%5B1%5D%5E%60");
        check("http://a.org/(x),y;z='1'*+:@", "http://a.org/(x),y;z='1'*+:@");
    }
}
