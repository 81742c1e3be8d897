//! Finding the subject of an element: steps 5 and 6 of section 7.5.

use super::attributes::RdfaAttributes;
use super::names::RdfaScope;
use super::statement::RdfaResource;
use super::walk::{ElementSubject, EvaluationContext, RdfaWalk};
use crate::tree::{NodeId, TreeElement};

impl RdfaWalk<'_> {
    /// Determines the new subject, the current object resource and the typed resource of an
    /// element.
    pub(super) fn find_subject(
        &mut self,
        node: NodeId,
        element: &TreeElement,
        attributes: &RdfaAttributes<'_>,
        frame: &EvaluationContext,
        has_links: bool,
    ) -> ElementSubject {
        let is_head_or_body = self.names.rules.is_head_or_body(element);
        let is_root = Some(node) == self.root;
        let page = || RdfaResource::Iri(frame.scope.base.as_str().into());
        if self.names.rules.is_rdfa_1_0() {
            // At the root, only XML needs the page as an explicit subject, because `xml:base` can
            // change the base there.
            let is_about_page = is_head_or_body || (is_root && self.names.rules.has_xml_base());
            let implied = is_about_page.then(page);
            return self.find_rdfa_1_0_subject(attributes, frame, implied, has_links);
        }
        let about = attributes.about.and_then(|about| self.names.resource(about, &frame.scope));
        let target = self.target(attributes, &frame.scope);
        let implied = if is_root {
            Some(page())
        } else {
            // HTML+RDFa 1.1, section 3.1, and XHTML+RDFa 1.1, section 3.1.
            is_head_or_body.then(|| frame.object.clone())
        };
        let is_plain = attributes.property.is_some() && attributes.content.is_none() && attributes.datatype.is_none();
        let found = ElementSubject {
            has_about: about.is_some(),
            has_links,
            subject: frame.object.clone(),
            typed: None,
            object: None,
            target,
            is_skipped: false,
        };
        match (has_links, is_plain) {
            (true, _) => self.link_subject(found, attributes, about, implied),
            (false, true) => self.property_subject(found, attributes, about, implied, is_root),
            (false, false) => self.default_subject(found, attributes, about, implied),
        }
    }

    /// The resource of the first present attribute of `resource`, `href` and `src`.
    fn target(&mut self, attributes: &RdfaAttributes<'_>, scope: &RdfaScope) -> Option<RdfaResource> {
        let resource = attributes.resource.and_then(|resource| self.names.resource(resource, scope));
        resource.or_else(|| attributes.href.or(attributes.src).map(|reference| self.names.iri(reference, scope)))
    }

    /// Step 5.1: with `property`, and without `rel`, `rev`, `content` or `datatype`.
    fn property_subject(
        &mut self,
        mut found: ElementSubject,
        attributes: &RdfaAttributes<'_>,
        about: Option<RdfaResource>,
        implied: Option<RdfaResource>,
        is_root: bool,
    ) -> ElementSubject {
        if attributes.type_of.is_some() {
            let implied = implied.clone().filter(|_| is_root);
            found.typed = about.clone().or(implied).or_else(|| {
                let object = found.target.clone().unwrap_or_else(|| self.names.blanks.new_node());
                found.object = Some(object.clone());
                Some(object)
            });
        }
        if let Some(subject) = about.or(implied) {
            found.subject = subject;
        }
        found
    }

    /// Step 5.2: without `rel` or `rev`, in other cases.
    fn default_subject(
        &mut self,
        mut found: ElementSubject,
        attributes: &RdfaAttributes<'_>,
        about: Option<RdfaResource>,
        implied: Option<RdfaResource>,
    ) -> ElementSubject {
        let has_type = attributes.type_of.is_some();
        let new_node = || has_type.then(|| self.names.blanks.new_node());
        match about.or_else(|| found.target.clone()).or(implied).or_else(new_node) {
            Some(subject) => found.subject = subject,
            None => found.is_skipped = attributes.property.is_none(),
        }
        found.typed = has_type.then(|| found.subject.clone());
        found
    }

    /// Step 6: with `rel` or `rev`.
    fn link_subject(
        &mut self,
        mut found: ElementSubject,
        attributes: &RdfaAttributes<'_>,
        about: Option<RdfaResource>,
        implied: Option<RdfaResource>,
    ) -> ElementSubject {
        let has_type = attributes.type_of.is_some();
        found.object.clone_from(&found.target);
        if has_type && !found.has_about {
            let object = found.object.take().unwrap_or_else(|| self.names.blanks.new_node());
            found.typed = Some(object.clone());
            found.object = Some(object);
        }
        if let Some(subject) = about.or(implied) {
            found.subject = subject;
        }
        if has_type && found.has_about {
            found.typed = Some(found.subject.clone());
        }
        found
    }

    /// `RDFa` 1.0, section 5.5, steps 4 and 5: `src` is a subject, `href` an object, and `typeof`
    /// applies to the subject.
    fn find_rdfa_1_0_subject(
        &mut self,
        attributes: &RdfaAttributes<'_>,
        frame: &EvaluationContext,
        implied: Option<RdfaResource>,
        has_links: bool,
    ) -> ElementSubject {
        let scope = &frame.scope;
        let about = attributes.about.and_then(|about| self.names.resource(about, scope));
        let subject = about.or_else(|| attributes.src.map(|src| self.names.iri(src, scope)));
        let resource = attributes.resource.and_then(|resource| self.names.resource(resource, scope));
        let mut target = resource.or_else(|| attributes.href.map(|href| self.names.iri(href, scope)));
        let (subject, object) =
            if has_links { (subject, target.take()) } else { (subject.or_else(|| target.take()), None) };
        let has_type = attributes.type_of.is_some();
        let new_node = || has_type.then(|| self.names.blanks.new_node());
        let subject = subject.or(implied).or_else(new_node);
        let is_skipped = subject.is_none() && !has_links && attributes.property.is_none();
        let subject = subject.unwrap_or_else(|| frame.object.clone());
        let typed = has_type.then(|| subject.clone());
        ElementSubject { subject, typed, object, target: None, has_about: false, has_links, is_skipped }
    }
}
