//! What the index knows of an entity.

use std::sync::Arc;

use crate::text::StemmedLanguages;
use crate::text::names::name_from_iri;

/// Number of an entity or a predicate, chosen by the caller and stable while the index exists. The
/// archive uses the numbers of its terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityKey(pub u64);

/// A text with its language tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaggedText {
    /// The text.
    pub text: String,
    /// Language tag; `None` if it has none.
    pub language: Option<String>,
}

impl TaggedText {
    /// A text without a language tag.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), language: None }
    }
}

/// Direction of a statement between an entity and its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The entity is the subject.
    Out,
    /// The entity is the object.
    In,
}

/// A statement that links an entity with another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityLink {
    /// The other entity.
    pub key: EntityKey,
    /// Its label, which its other neighbours share.
    pub label: Arc<TaggedText>,
    /// Number of the predicate.
    pub predicate: EntityKey,
    /// IRI of the predicate.
    pub predicate_iri: Arc<str>,
    /// Whether the entity is subject or object.
    pub direction: Direction,
}

/// The whole description of an entity, across documents and graphs.
///
/// It replaces the previous one in the index.
#[derive(Clone, Debug)]
pub struct EntityDescription {
    /// Number of the entity.
    pub key: EntityKey,
    /// IRI of the entity.
    pub iri: String,
    /// Labels, the preferred one first. May be empty: then the name is taken from the IRI.
    pub labels: Vec<TaggedText>,
    /// Alternative names.
    pub aliases: Vec<TaggedText>,
    /// Descriptions.
    pub descriptions: Vec<TaggedText>,
    /// Other literals.
    pub literals: Vec<TaggedText>,
    /// IRIs of types.
    pub types: Vec<String>,
    /// Statements from and to other entities.
    pub neighbours: Vec<EntityLink>,
    /// IRIs of the graphs with statements about the entity.
    pub graphs: Vec<String>,
    /// Domains of the entity and of the documents that describe it.
    pub domains: Vec<String>,
    /// Whether so many statements lead to the entity that its neighbours have the name in its IRI
    /// instead of its label. See [`NeighbourName`].
    pub is_hub: bool,
}

/// The name under which an entity is in the fields of its neighbours.
///
/// If it changes, the neighbours have to be described again. A change of a hub would affect any
/// number of them, so the name of a hub is the one in its IRI, which never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourName(pub Arc<TaggedText>);

impl NeighbourName {
    /// The name in the IRI of an entity: of a hub, and of one that is not in the index.
    #[must_use]
    pub fn from_iri(iri: &str) -> Self {
        Self(Arc::new(TaggedText::plain(name_from_iri(iri))))
    }

    /// The terms of the name in the fields of neighbours. Names with equal terms are
    /// interchangeable.
    #[must_use]
    pub fn terms(&self, stemmed: &StemmedLanguages) -> Vec<String> {
        let mut terms = Vec::new();
        stemmed.for_each_term(&self.0.text, self.0.language.as_deref(), |term| terms.push(term.to_owned()));
        terms
    }

    /// The name of an entity with this label.
    #[must_use]
    pub fn new(iri: &str, label: Option<&TaggedText>, is_hub: bool) -> Self {
        match label {
            Some(label) if !is_hub => Self(Arc::new(label.clone())),
            _ => Self::from_iri(iri),
        }
    }
}

impl EntityDescription {
    /// A description without any statement.
    #[must_use]
    pub fn new(key: EntityKey, iri: impl Into<String>) -> Self {
        Self {
            key,
            iri: iri.into(),
            labels: Vec::new(),
            aliases: Vec::new(),
            descriptions: Vec::new(),
            literals: Vec::new(),
            types: Vec::new(),
            neighbours: Vec::new(),
            graphs: Vec::new(),
            domains: Vec::new(),
            is_hub: false,
        }
    }
}
