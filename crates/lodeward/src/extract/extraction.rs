//! The state of a document being extracted: passes statements, links and faults to the sink.

use std::collections::HashSet;

use lodeward_markup::UsageDirectives;
use lodeward_rdf::blank_nodes::BlankNodeLabels;
use lodeward_rdf::iri::percent_encode;
use oxilangtag::LanguageTag;
use oxrdf::vocab::rdf;
use oxrdf::{BlankNodeRef, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::document_usage::DocumentUsage;
use super::triple_links::{InvalidIri, TripleLinks};
use super::{ExtractOptions, ExtractSink, NamedGraphPolicy};
use crate::discover::{NextStep, StatementRules};
use crate::model::{Fault, FaultKind, Link, Relevance, Uri, UsageTerms};

/// Maximum number of buffered links that are not from triples, per link that may be reported: a target may be
/// referenced more than once.
const OTHER_LINKS_FACTOR: usize = 2;

/// A document being read.
///
/// Statements are checked, relabelled and passed to the sink at once. Links are collected until the end, because later
/// references add to the link of a target. Faults are limited in number.
pub(super) struct Extraction<'a> {
    pub(super) options: &'a ExtractOptions,
    pub(super) document: &'a Uri,
    sink: &'a mut dyn ExtractSink,
    /// The name of the document's graph: its URL, as an IRI.
    graph: String,
    blanks: BlankNodeLabels,
    triple_links: TripleLinks,
    other_links: Vec<Link>,
    steps: Vec<NextStep>,
    language: String,
    labels: [String; 3],
    quads_by_syntax: Vec<(&'static str, u64)>,
    /// Index of the current format in `quads_by_syntax`.
    syntax: usize,
    /// The relevance of a page, whose statements may be mere metadata.
    relevance: Option<Relevance>,
    /// The highest relevance among the files of a dump read so far.
    relevance_of_files: Option<Relevance>,
    quads_before_file: u64,
    /// Whether the document is one of several in an archive.
    is_inside: bool,
    faults: usize,
    /// Whether a truncation was reported.
    is_truncated: bool,
    has_excess: bool,
    rules: StatementRules,
    usage: DocumentUsage,
}

impl<'a> Extraction<'a> {
    pub(super) fn new(
        document: &'a Uri,
        options: &'a ExtractOptions,
        bytes: Option<usize>,
        sink: &'a mut dyn ExtractSink,
    ) -> Self {
        Self {
            options,
            document,
            sink,
            graph: document_iri(document),
            blanks: BlankNodeLabels::for_document(document.as_str()),
            triple_links: TripleLinks::for_document(document, options, bytes),
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
            is_truncated: false,
            has_excess: false,
            rules: StatementRules {
                keeps_graph_names: options.named_graphs == NamedGraphPolicy::Keep,
                has_links: true,
            },
            usage: DocumentUsage::default(),
        }
    }

    /// Adds what the publisher states about the use of the document.
    pub(super) fn add_directives(&mut self, found: UsageDirectives) {
        self.usage.add(found, self.options);
    }

    /// Whether the links of the page must not be followed.
    pub(super) fn is_nofollow(&self) -> bool {
        self.usage.is_nofollow && self.options.obey_nofollow
    }

    /// Adds a licence of the document.
    pub(super) fn add_license(&mut self, iri: &str) {
        self.usage.add_license(iri);
    }

    /// The base for relative IRIs.
    pub(super) fn base(&self) -> &str {
        &self.graph
    }

    /// Sets the rules for the following statements. Graph names that the options keep are always kept.
    pub(super) fn set_rules(&mut self, rules: StatementRules) {
        let keeps_graph_names = rules.keeps_graph_names || self.options.named_graphs == NamedGraphPolicy::Keep;
        self.rules = StatementRules { keeps_graph_names, ..rules };
    }

    /// Starts a format: the following statements are counted for it, and their blank nodes are new.
    pub(super) fn begin_syntax(&mut self, syntax: &'static str) {
        self.blanks.begin_scope();
        let known = self.quads_by_syntax.iter().position(|(known, _)| *known == syntax);
        self.syntax = known.unwrap_or(self.quads_by_syntax.len());
        if known.is_none() {
            self.quads_by_syntax.push((syntax, 0));
        }
    }

    /// Starts a file of a dump, possibly one of several in an archive.
    pub(super) fn begin_file(&mut self, is_inside: bool) {
        self.is_inside = is_inside;
        self.quads_before_file = self.quads();
        self.relevance = None;
    }

    /// Ends the file.
    pub(super) fn end_file(&mut self) {
        let relevance = self.relevance.take().unwrap_or(Relevance::Rdf);
        if self.quads() > self.quads_before_file {
            let best = self.relevance_of_files.unwrap_or(relevance);
            self.relevance_of_files = Some(if best == Relevance::Rdf { best } else { relevance });
        }
    }

    /// Whether the document is one of several in an archive. The relative links of such a document cannot be followed,
    /// because its original URL is unknown.
    pub(super) fn is_archive_entry(&self) -> bool {
        self.is_inside
    }

    /// Number of quads so far.
    pub(super) fn quads(&self) -> u64 {
        self.quads_by_syntax.iter().map(|(_, quads)| quads).sum()
    }

    /// Accepts a statement, or returns why it cannot be serialised.
    pub(super) fn quad(&mut self, quad: QuadRef<'_>) -> Result<(), String> {
        if let TermRef::Literal(literal) = quad.object {
            self.check_language(literal)?;
        }
        let quad = if self.rules.keeps_graph_names {
            quad
        } else {
            QuadRef { graph_name: GraphNameRef::DefaultGraph, ..quad }
        };
        self.usage.observe(quad, &self.graph);
        self.triple_links.observe(quad).map_err(|InvalidIri(iri)| format!("`{iri}` is not an absolute IRI"))?;
        self.emit_quad(quad);
        Ok(())
    }

    /// Rejects a language tag that is invalid or missing. Parsers accept some of them.
    fn check_language(&mut self, literal: LiteralRef<'_>) -> Result<(), String> {
        let Some(language) = literal.language() else {
            let is_incomplete = literal.datatype() == rdf::LANG_STRING;
            return if is_incomplete { Err("`rdf:langString` without a language tag".to_owned()) } else { Ok(()) };
        };
        if language != self.language {
            LanguageTag::parse(language).map_err(|error| format!("language tag `{language}`: {error}"))?;
            language.clone_into(&mut self.language);
        }
        Ok(())
    }

    fn emit_quad(&mut self, quad: QuadRef<'_>) {
        let [subject, object, graph] = &mut self.labels;
        let mut relabel = |node: BlankNodeRef<'_>, label: &mut String| self.blanks.write_label(node, label);
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
        if self.usage.exclusion.is_none() {
            self.sink.quad(QuadRef { subject, predicate: quad.predicate, object, graph_name });
        }
        if let Some(quads) = self.quads_by_syntax.get_mut(self.syntax) {
            quads.1 += 1;
        }
    }

    /// Accepts a link that was not found in a triple.
    pub(super) fn link(&mut self, link: Link) {
        if link.target == *self.document {
            return;
        }
        if self.other_links.len() >= OTHER_LINKS_FACTOR * self.options.max_links_per_document {
            return self.mark_link_limit();
        }
        self.other_links.push(link);
    }

    /// Accepts a step. Steps are never dropped: they do not count as links and are bounded by their producers.
    pub(super) fn step(&mut self, next: NextStep) {
        self.steps.push(next);
    }

    /// Sets the relevance of a page.
    pub(super) fn set_relevance(&mut self, relevance: Relevance) {
        self.relevance = Some(relevance);
    }

    /// Records that the document has more links than the limit.
    pub(super) fn mark_link_limit(&mut self) {
        self.has_excess = true;
    }

    /// Accepts a fault. The first truncation is always reported, whatever the number of faults before it.
    pub(super) fn fault(&mut self, fault: Fault) {
        if fault.kind.is_truncation() && !std::mem::replace(&mut self.is_truncated, true) {
            return self.sink.fault(fault);
        }
        self.faults += 1;
        if self.faults < self.options.max_faults.max(1) {
            self.sink.fault(fault);
        }
    }

    /// Reports the links, those of triples first: a target linked both by a triple and by an anchor is linked data, and
    /// a crawl of RDF links must see it as such.
    pub(super) fn finish(mut self) -> (Relevance, Vec<(&'static str, u64)>, UsageTerms) {
        let mut is_excess = self.has_excess || (self.rules.has_links && self.triple_links.has_excess());
        for step in self.steps {
            self.sink.step(step);
        }
        let mut known = HashSet::new();
        let triple_links = self.rules.has_links.then(|| self.triple_links.into_links());
        for link in triple_links.into_iter().flatten() {
            if !self.other_links.is_empty() {
                known.insert(link.target.clone());
            }
            self.sink.link(link);
        }
        for link in self.other_links {
            if known.contains(&link.target) {
                continue;
            }
            if known.len() >= self.options.max_links_per_document {
                is_excess = true;
                break;
            }
            known.insert(link.target.clone());
            self.sink.link(link);
        }
        if is_excess {
            let detail = format!("more than {} links", self.options.max_links_per_document);
            self.sink.fault(Fault::new(FaultKind::Limit, detail));
        }
        let reported = self.options.max_faults.max(1) - 1;
        if self.faults > reported {
            self.sink.fault(Fault::new(FaultKind::Limit, format!("{} more faults", self.faults - reported)));
        }
        self.quads_by_syntax.retain(|(_, quads)| *quads > 0);
        let omitted: u64 = self.quads_by_syntax.iter().map(|(_, quads)| quads).sum();
        let relevance = match self.relevance.or(self.relevance_of_files) {
            _ if self.quads_by_syntax.is_empty() => Relevance::None,
            Some(relevance) => relevance,
            None => Relevance::Rdf,
        };
        if let Some(reason) = self.usage.exclusion.filter(|_| omitted > 0) {
            self.sink.fault(Fault::new(FaultKind::Excluded, format!("{omitted} statements omitted: {reason}")));
            self.quads_by_syntax.clear();
        }
        (relevance, self.quads_by_syntax, self.usage.terms)
    }
}

/// The URL of a document as an IRI. URLs allow characters that IRIs do not, such as `|` or a lone `%`; these are
/// escaped, because the graph name could not be serialised otherwise.
fn document_iri(document: &Uri) -> String {
    percent_encode(document.as_str()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_name_is_a_valid_iri() {
        let check = |url: &str, iri: &str| {
            assert_eq!(document_iri(&Uri::parse(url).unwrap()), iri);
            assert!(oxiri::Iri::parse(iri).is_ok());
        };

        check("http://a.org/b?c=d%20e", "http://a.org/b?c=d%20e");
        check("http://a.org/100%?a|b[1]^`", "http://a.org/100%25?a%7Cb%5B1%5D%5E%60");
        check("http://a.org/(x),y;z='1'*+:@", "http://a.org/(x),y;z='1'*+:@");
    }

    #[derive(Default)]
    struct Collected {
        quads: Vec<String>,
        links: Vec<String>,
    }

    impl ExtractSink for Collected {
        fn quad(&mut self, quad: QuadRef<'_>) {
            self.quads.push(quad.to_string());
        }

        fn link(&mut self, link: Link) {
            self.links.push(link.target.as_str().to_owned());
        }

        fn step(&mut self, _: NextStep) {}

        fn fault(&mut self, _: Fault) {}
    }

    #[test]
    fn statements_of_a_step_follow_its_rules() {
        let document = Uri::parse("http://data.example/sparql?query=1").unwrap();
        let options = ExtractOptions::default();
        let node = |iri| NamedNodeRef::new(iri).unwrap();
        let quad = QuadRef::new(
            node("http://a.example/s"),
            node("http://a.example/p"),
            node("http://b.example/o"),
            node("http://data.example/g"),
        );
        let extract = |rules: Option<StatementRules>| {
            let mut collected = Collected::default();
            let mut extraction = Extraction::new(&document, &options, None, &mut collected);
            extraction.begin_syntax("sparql-json");
            if let Some(rules) = rules {
                extraction.set_rules(rules);
            }
            extraction.quad(quad).unwrap();
            extraction.finish();
            collected
        };
        let merged = extract(None);
        assert!(merged.quads[0].ends_with("<http://data.example/sparql?query=1>"), "{:?}", merged.quads);
        assert_eq!(merged.links.len(), 3);
        let harvested = extract(Some(StatementRules { keeps_graph_names: true, has_links: false }));
        assert!(harvested.quads[0].ends_with("<http://data.example/g>"), "{:?}", harvested.quads);
        assert!(harvested.links.is_empty(), "{:?}", harvested.links);
    }
}
