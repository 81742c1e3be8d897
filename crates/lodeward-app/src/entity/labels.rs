//! Labels of entities, in a preferred language.

use lodeward_archive::{ArchiveError, Snapshot};
use lodeward_rdf::text_properties::{TEXT_PROPERTIES, TextRole};
use oxrdf::{NamedNodeRef, Term};

use super::LabelledTerm;

/// The maximum number of labels that are compared.
const MAX_LABELS: usize = 200;

/// Reads labels.
pub(super) struct LabelReader<'a> {
    snapshot: &'a Snapshot,
    language: &'a str,
}

impl<'a> LabelReader<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, language: &'a str) -> Self {
        Self { snapshot, language }
    }

    /// The best label of an entity: of the first property that has one, in the preferred language, then in English, then
    /// without a language, then in any.
    pub(super) fn find(&self, entity: NamedNodeRef<'_>) -> Result<Option<String>, ArchiveError> {
        let properties = TEXT_PROPERTIES.iter().filter(|property| property.role == TextRole::Label);
        for property in properties {
            let predicate = NamedNodeRef::new_unchecked(property.iri);
            let mut best: Option<(u8, String)> = None;
            for quad in self.snapshot.quads(Some(entity.into()), Some(predicate), None, None).take(MAX_LABELS) {
                let Term::Literal(literal) = quad?.object else { continue };
                let rank = self.rank(literal.language());
                let is_better = best.as_ref().is_none_or(|(known, text)| (rank, literal.value()) < (*known, text));
                if is_better {
                    best = Some((rank, literal.value().to_owned()));
                }
            }
            if let Some((_, label)) = best {
                return Ok(Some(label));
            }
        }
        Ok(None)
    }

    /// A term with its label, if it is an IRI.
    pub(super) fn with_label(&self, term: Term) -> Result<LabelledTerm, ArchiveError> {
        let label = match &term {
            Term::NamedNode(node) => self.find(node.as_ref())?,
            _ => None,
        };
        Ok(LabelledTerm { term, label })
    }

    fn rank(&self, language: Option<&str>) -> u8 {
        let is_of = |language: &str, wanted: &str| {
            language.split('-').next().is_some_and(|primary| primary.eq_ignore_ascii_case(wanted))
        };
        match language {
            Some(language) if is_of(language, self.language) => 0,
            Some(language) if is_of(language, "en") => 1,
            None => 2,
            Some(_) => 3,
        }
    }
}
