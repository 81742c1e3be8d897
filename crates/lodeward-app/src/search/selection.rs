//! Which entities are clustered or compared.

use lodeward::model::Uri;
use lodeward_search::EntityDescription;
use lodeward_search::retrieve::TypeFilter;
use lodeward_search::source::EntitySource;
use lodeward_search::text::names::name_words;
use lodeward_search::text::{StemmedLanguages, words};

use super::{EntitySearchError, type_filter};
use crate::followers::search::{ArchiveEntities, SearchIndex, SearchIndexError};

/// A selection of entities. An empty one selects all.
#[derive(Clone, Debug, Default)]
pub struct EntitySelection {
    /// A crawl that has a document about the entity.
    pub crawl: Option<u32>,
    /// IRIs of types, names with a usual prefix, or words of their names.
    pub types: Vec<String>,
    /// Pay-level domains of the IRI of the entity.
    pub domains: Vec<String>,
}

/// The selected entities of one state of the archive.
pub struct SelectedEntities<'a> {
    entities: ArchiveEntities,
    crawl: Option<u32>,
    types: Vec<TypeFilter>,
    domains: Vec<String>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> SelectedEntities<'a> {
    /// Selects entities of the archive as it is now. Reading them ends with an error when
    /// `is_stopped`.
    pub fn new(
        index: &SearchIndex,
        selection: &EntitySelection,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Result<Self, EntitySearchError> {
        Ok(Self {
            entities: index.entities(),
            crawl: selection.crawl,
            types: selection.types.iter().map(|text| type_filter(text)).collect::<Result<_, _>>()?,
            domains: selection.domains.iter().map(|domain| domain.to_lowercase()).collect(),
            is_stopped,
        })
    }

    /// The archive that the entities are read from.
    #[must_use]
    pub fn entities(&self) -> &ArchiveEntities {
        &self.entities
    }

    fn selects(&self, entity: &EntityDescription) -> bool {
        let of_type = self.types.is_empty() || self.types.iter().any(|kind| has_type(entity, kind));
        of_type && (self.domains.is_empty() || self.domains.contains(&domain(&entity.iri)))
    }
}

impl EntitySource for SelectedEntities<'_> {
    type Error = SearchIndexError;

    fn for_each_entity(&self, visit: &mut dyn FnMut(&EntityDescription)) -> Result<(), SearchIndexError> {
        self.entities.for_each(self.crawl, self.is_stopped, &mut |entity| {
            if self.selects(entity) {
                visit(entity);
            }
        })
    }
}

/// The pay-level domain of an IRI; empty if it has none.
pub(super) fn domain(iri: &str) -> String {
    Uri::parse_stored(iri).map(|uri| uri.pld().as_str().to_owned()).unwrap_or_default()
}

fn has_type(entity: &EntityDescription, kind: &TypeFilter) -> bool {
    match kind {
        TypeFilter::Iri(iri) => entity.types.contains(iri),
        TypeFilter::Words(text) => {
            let stemmed = StemmedLanguages::default();
            let stems = |words: Vec<String>| -> Vec<String> {
                words.into_iter().map(|word| stemmed.term(word, None)).collect()
            };
            let wanted = stems(words(text));
            let known: Vec<String> = entity.types.iter().flat_map(|iri| stems(name_words(iri))).collect();
            !wanted.is_empty() && wanted.iter().all(|word| known.contains(word))
        }
    }
}
