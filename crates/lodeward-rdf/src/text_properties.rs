//! The one table of properties whose literals name or describe a resource.

use TextRole::{Alias, Description, Label};

/// A property whose literals name or describe their subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextProperty {
    /// The IRI of the property.
    pub iri: &'static str,
    /// What its literals are.
    pub role: TextRole,
    /// Whether many vocabularies and sites use it. Focused crawls read only these.
    pub is_common: bool,
}

/// What a literal says about its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// Its name.
    Label,
    /// Another name.
    Alias,
    /// A description.
    Description,
}

const fn common(role: TextRole, iri: &'static str) -> TextProperty {
    TextProperty { iri, role, is_common: true }
}

const fn rare(role: TextRole, iri: &'static str) -> TextProperty {
    TextProperty { iri, role, is_common: false }
}

/// All properties, by role; preferred ones first.
pub const TEXT_PROPERTIES: &[TextProperty] = &[
    common(Label, "http://www.w3.org/2000/01/rdf-schema#label"),
    common(Label, "http://www.w3.org/2004/02/skos/core#prefLabel"),
    common(Label, "http://xmlns.com/foaf/0.1/name"),
    common(Label, "http://schema.org/name"),
    common(Label, "https://schema.org/name"),
    common(Label, "http://purl.org/dc/terms/title"),
    common(Label, "http://purl.org/dc/elements/1.1/title"),
    rare(Label, "http://www.w3.org/2006/vcard/ns#fn"),
    rare(Label, "http://www.geonames.org/ontology#name"),
    common(Alias, "http://www.w3.org/2004/02/skos/core#altLabel"),
    common(Alias, "http://schema.org/alternateName"),
    common(Alias, "https://schema.org/alternateName"),
    rare(Alias, "http://www.w3.org/2004/02/skos/core#hiddenLabel"),
    rare(Alias, "http://purl.org/dc/terms/alternative"),
    rare(Alias, "http://xmlns.com/foaf/0.1/nick"),
    rare(Alias, "http://xmlns.com/foaf/0.1/givenName"),
    rare(Alias, "http://xmlns.com/foaf/0.1/familyName"),
    rare(Alias, "http://www.geonames.org/ontology#alternateName"),
    rare(Alias, "http://dbpedia.org/ontology/alias"),
    common(Description, "http://www.w3.org/2000/01/rdf-schema#comment"),
    common(Description, "http://www.w3.org/2004/02/skos/core#definition"),
    common(Description, "http://www.w3.org/2004/02/skos/core#scopeNote"),
    common(Description, "http://purl.org/dc/terms/description"),
    common(Description, "http://purl.org/dc/elements/1.1/description"),
    common(Description, "http://purl.org/dc/terms/abstract"),
    common(Description, "http://schema.org/description"),
    common(Description, "https://schema.org/description"),
    common(Description, "http://dbpedia.org/ontology/abstract"),
    rare(Description, "http://www.w3.org/2004/02/skos/core#note"),
];
