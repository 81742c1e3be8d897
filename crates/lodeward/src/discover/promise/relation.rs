//! The meaning of properties and link relations.

use crate::model::Promise;

/// What a relation states, and how certainly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelationMeaning {
    /// The target is what this promise says, whatever its URL.
    Certain(Promise),
    /// A description of data, unless it is a page.
    Description,
    /// A service, which is a SPARQL endpoint if its URL mentions SPARQL.
    Service,
    /// A file to download, which may be a dump.
    Download,
    /// Data, with a promise only if its name or media type indicates RDF or an archive.
    Data,
    /// RDF in most cases.
    Likely,
}

/// How specifically a property states what its objects are, from 0 to 4. It is 0 for most properties, which state
/// nothing.
#[must_use]
pub(crate) fn specificity(property: &str) -> u8 {
    match property_meaning(property) {
        None => 0,
        Some(RelationMeaning::Likely) => 1,
        Some(RelationMeaning::Data) => 2,
        Some(RelationMeaning::Download | RelationMeaning::Service | RelationMeaning::Description) => 3,
        Some(RelationMeaning::Certain(_)) => 4,
    }
}

/// What a property states about its objects.
pub(super) fn property_meaning(property: &str) -> Option<RelationMeaning> {
    let local = property.rfind(['#', '/']).map_or(0, |at| at + 1);
    let (namespace, name) = property.split_at(local);
    match namespace {
        "http://rdfs.org/ns/void#" => void_meaning(name),
        "http://www.w3.org/ns/dcat#" => dcat_meaning(name),
        "http://www.w3.org/ns/sparql-service-description#" => {
            (name == "endpoint").then_some(RelationMeaning::Certain(Promise::Endpoint))
        }
        "http://schema.org/" | "https://schema.org/" => match name {
            "contentUrl" | "distribution" => Some(RelationMeaning::Data),
            "dataset" | "includedInDataCatalog" => Some(RelationMeaning::Description),
            _ => None,
        },
        // The next page of a feed has the same kind of content.
        "http://www.w3.org/ns/hydra/core#" => {
            matches!(name, "next" | "nextPage" | "view").then_some(RelationMeaning::Certain(Promise::Description))
        }
        "https://www.w3.org/ns/activitystreams#" | "http://www.w3.org/ns/activitystreams#" => {
            (name == "next").then_some(RelationMeaning::Certain(Promise::Description))
        }
        "https://w3id.org/tree#" => {
            matches!(name, "node" | "view").then_some(RelationMeaning::Certain(Promise::Description))
        }
        "http://www.w3.org/2000/01/rdf-schema#" => {
            matches!(name, "seeAlso" | "isDefinedBy").then_some(RelationMeaning::Likely)
        }
        "http://www.w3.org/2007/05/powder-s#" | "http://www.iana.org/assignments/relation/" => {
            (name == "describedby").then_some(RelationMeaning::Description)
        }
        _ => None,
    }
}

fn void_meaning(name: &str) -> Option<RelationMeaning> {
    match name {
        "sparqlEndpoint" => Some(RelationMeaning::Certain(Promise::Endpoint)),
        "dataDump" => Some(RelationMeaning::Certain(Promise::Dump)),
        "inDataset" | "subset" => Some(RelationMeaning::Description),
        "exampleResource" | "rootResource" | "vocabulary" => Some(RelationMeaning::Likely),
        _ => None,
    }
}

fn dcat_meaning(name: &str) -> Option<RelationMeaning> {
    match name {
        "downloadURL" => Some(RelationMeaning::Download),
        "accessURL" => Some(RelationMeaning::Data),
        "endpointURL" => Some(RelationMeaning::Service),
        "endpointDescription" | "dataset" | "catalog" | "record" | "service" | "distribution" => {
            Some(RelationMeaning::Description)
        }
        _ => None,
    }
}

/// The meaning of relation types of HTML and HTTP, separated by spaces. Those that are URLs are properties.
pub(super) fn rel_meaning(rel: &str) -> Option<RelationMeaning> {
    let relation_meaning = |relation: &str| {
        if relation.contains(':') {
            return property_meaning(relation);
        }
        let is = |name: &str| relation.eq_ignore_ascii_case(name);
        if is("sitemap") {
            Some(RelationMeaning::Certain(Promise::Sitemap))
        } else if is("describedby") {
            Some(RelationMeaning::Description)
        } else if is("linkset") {
            Some(RelationMeaning::Certain(Promise::Description))
        } else if is("item") || is("alternate") || is("meta") {
            Some(RelationMeaning::Data)
        } else {
            None
        }
    };
    rel.split_ascii_whitespace().find_map(relation_meaning)
}
