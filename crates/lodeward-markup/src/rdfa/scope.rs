//! What an element changes for all names in it: steps 2 to 4 of section 7.5.

use std::rc::Rc;

use super::attributes::{self, Attributes};
use super::context;
use super::names::Scope;
use super::report::Notice;
use super::statement::Resource;
use super::walk::{Frame, Walk};
use crate::iri::Base;
use crate::language::language_tag;
use crate::tree::{Element, NodeId};

impl Walk<'_> {
    /// Steps 2 to 4: the frame with vocabulary, prefixes and language.
    pub(super) fn scoped(&mut self, node: NodeId, element: &Element, attributes: &Attributes<'_>) -> Frame {
        let mut frame = self.top().clone();
        (frame.node, frame.lists_mark) = (node, self.lists.len());
        frame.prefixes_mark = self.names.prefixes.mark();
        if let Some(reference) = attributes.xml_base
            && let Resource::Iri(iri) = self.names.iri(reference, &frame.scope)
            && let Some(base) = Base::new(&iri)
        {
            frame.scope.base = Rc::new(base);
        }
        if let Some(vocabulary) = attributes.vocab {
            frame.scope.vocabulary = self.vocabulary(vocabulary.trim_ascii(), &frame.scope);
        }
        if attributes.has_namespaces {
            for (prefix, iri) in attributes::namespaces(element) {
                self.declare(prefix, iri);
            }
        }
        self.declare_all(attributes.prefix.unwrap_or_default());
        if let Some(language) = attributes.xml_lang.or(attributes.lang) {
            frame.scope.language = language_tag(language).map(Rc::from);
        }
        frame
    }

    /// Step 2.
    fn vocabulary(&mut self, value: &str, scope: &Scope) -> Option<Rc<str>> {
        if value.is_empty() {
            return None;
        }
        let vocabulary = self.names.iri(value, scope);
        let page = Resource::Iri(scope.base.as_str().into());
        self.state(&page, &"http://www.w3.org/ns/rdfa#usesVocabulary".into(), vocabulary.clone().into());
        match vocabulary {
            Resource::Iri(iri) => Some(iri),
            Resource::Blank(_) | Resource::Unresolvable => None,
        }
    }

    /// Step 3: pairs of a name with a colon, and an IRI.
    fn declare_all(&mut self, value: &str) {
        let mut words = value.split_ascii_whitespace();
        while let Some(word) = words.next() {
            if let Some(prefix) = word.strip_suffix(':')
                && let Some(iri) = words.next()
            {
                self.declare(prefix, iri);
            }
        }
    }

    fn declare(&mut self, prefix: &str, iri: &str) {
        // Neither may ever stand for anything else.
        if prefix.is_empty() || prefix == "_" {
            return;
        }
        if !self.names.rules.is_old() && context::prefix(prefix).is_some_and(|usual| usual != iri) {
            self.names.report.tell(Notice::Prefix, prefix, "is redefined");
        }
        if self.names.budget.spend(prefix.len() + iri.len()).is_some() {
            self.names.prefixes.declare(prefix, iri.trim_ascii());
        }
    }
}
