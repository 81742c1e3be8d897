//! The scope of names in an element: steps 2 to 4 of section 7.5.

use std::rc::Rc;

use super::attributes::{self, RdfaAttributes};
use super::context;
use super::names::RdfaScope;
use super::report::ProcessorNotice;
use super::statement::RdfaResource;
use super::walk::{EvaluationContext, RdfaWalk};
use crate::tree::{NodeId, TreeElement};
use lodeward_rdf::iri::BaseIri;
use lodeward_rdf::language::language_tag;

impl RdfaWalk<'_> {
    /// Steps 2 to 4: the evaluation context with vocabulary, prefixes and language.
    pub(super) fn element_context(
        &mut self,
        node: NodeId,
        element: &TreeElement,
        attributes: &RdfaAttributes<'_>,
    ) -> EvaluationContext {
        let mut frame = self.current().clone();
        (frame.node, frame.lists_mark) = (node, self.lists.len());
        frame.prefixes_mark = self.names.prefixes.mark();
        if let Some(reference) = attributes.xml_base
            && let RdfaResource::Iri(iri) = self.names.iri(reference, &frame.scope)
            && let Some(base) = BaseIri::new(&iri)
        {
            frame.scope.base = Rc::new(base);
        }
        if let Some(vocabulary) = attributes.vocab {
            frame.scope.vocabulary = self.read_vocabulary(vocabulary.trim_ascii(), &frame.scope);
        }
        if attributes.has_namespaces {
            for (prefix, iri) in attributes::namespace_declarations(element) {
                self.declare_prefix(prefix, iri);
            }
        }
        self.declare_prefixes(attributes.prefix.unwrap_or_default());
        if let Some(language) = attributes.xml_lang.or(attributes.lang) {
            frame.scope.language = language_tag(language).map(Rc::from);
        }
        frame
    }

    /// Step 2: the local default vocabulary.
    fn read_vocabulary(&mut self, value: &str, scope: &RdfaScope) -> Option<Rc<str>> {
        if value.is_empty() {
            return None;
        }
        let vocabulary = self.names.iri(value, scope);
        let page = RdfaResource::Iri(scope.base.as_str().into());
        self.emit(&page, &"http://www.w3.org/ns/rdfa#usesVocabulary".into(), vocabulary.clone().into());
        match vocabulary {
            RdfaResource::Iri(iri) => Some(iri),
            RdfaResource::Blank(_) | RdfaResource::Unresolvable => None,
        }
    }

    /// Step 3: declares the prefixes of a `prefix` attribute, which contains pairs of a prefix with
    /// a colon and an IRI.
    fn declare_prefixes(&mut self, value: &str) {
        let mut words = value.split_ascii_whitespace();
        while let Some(word) = words.next() {
            if let Some(prefix) = word.strip_suffix(':')
                && let Some(iri) = words.next()
            {
                self.declare_prefix(prefix, iri);
            }
        }
    }

    fn declare_prefix(&mut self, prefix: &str, iri: &str) {
        // The empty prefix and `_` are reserved.
        if prefix.is_empty() || prefix == "_" {
            return;
        }
        if !self.names.rules.is_rdfa_1_0() && context::prefix(prefix).is_some_and(|standard| standard != iri) {
            self.names.report.add(ProcessorNotice::Prefix, prefix, "is redefined");
        }
        if self.names.budget.spend(prefix.len() + iri.len()).is_some() {
            self.names.prefixes.declare(prefix, iri.trim_ascii());
        }
    }
}
