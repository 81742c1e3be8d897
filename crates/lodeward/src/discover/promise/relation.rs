//! What properties and relations say of what they lead to.

use super::Promise;

/// What a relation says, and how surely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// This, whatever the address looks like.
    Plainly(Promise),
    /// A description of data, unless it is a page.
    Description,
    /// Some service: a SPARQL endpoint if its address says so.
    Service,
    /// A file to download, which may be a dump.
    Download,
    /// Data, if its name or media type says so.
    Data,
    /// RDF, more often than not.
    Likely,
}

/// How plainly a property says what its objects are: 0 for one that does not,
/// which are most.
#[must_use]
pub fn plainness(property: &str) -> u8 {
    match of_property(property) {
        None => 0,
        Some(Said::Likely) => 1,
        Some(Said::Data) => 2,
        Some(Said::Download | Said::Service | Said::Description) => 3,
        Some(Said::Plainly(_)) => 4,
    }
}

/// What a property says of its objects.
pub(super) fn of_property(property: &str) -> Option<Said> {
    let local = property.rfind(['#', '/']).map_or(0, |at| at + 1);
    let (namespace, name) = property.split_at(local);
    match namespace {
        "http://rdfs.org/ns/void#" => of_void(name),
        "http://www.w3.org/ns/dcat#" => of_dcat(name),
        "http://www.w3.org/ns/sparql-service-description#" => {
            (name == "endpoint").then_some(Said::Plainly(Promise::Endpoint))
        }
        "http://schema.org/" | "https://schema.org/" => match name {
            "contentUrl" | "distribution" => Some(Said::Data),
            "dataset" | "includedInDataCatalog" => Some(Said::Description),
            _ => None,
        },
        // The next page of a feed is as good as this one.
        "http://www.w3.org/ns/hydra/core#" => {
            matches!(name, "next" | "nextPage" | "view").then_some(Said::Plainly(Promise::Description))
        }
        "https://www.w3.org/ns/activitystreams#" | "http://www.w3.org/ns/activitystreams#" => {
            (name == "next").then_some(Said::Plainly(Promise::Description))
        }
        "https://w3id.org/tree#" => matches!(name, "node" | "view").then_some(Said::Plainly(Promise::Description)),
        "http://www.w3.org/2000/01/rdf-schema#" => matches!(name, "seeAlso" | "isDefinedBy").then_some(Said::Likely),
        "http://www.w3.org/2007/05/powder-s#" | "http://www.iana.org/assignments/relation/" => {
            (name == "describedby").then_some(Said::Description)
        }
        _ => None,
    }
}

fn of_void(name: &str) -> Option<Said> {
    match name {
        "sparqlEndpoint" => Some(Said::Plainly(Promise::Endpoint)),
        "dataDump" => Some(Said::Plainly(Promise::Dump)),
        "inDataset" | "subset" => Some(Said::Description),
        "exampleResource" | "rootResource" | "vocabulary" => Some(Said::Likely),
        _ => None,
    }
}

fn of_dcat(name: &str) -> Option<Said> {
    match name {
        "downloadURL" => Some(Said::Download),
        "accessURL" => Some(Said::Data),
        "endpointURL" => Some(Said::Service),
        "endpointDescription" | "dataset" | "catalog" | "record" | "service" | "distribution" => {
            Some(Said::Description)
        }
        _ => None,
    }
}

/// What relation types of HTML and HTTP say, separated by spaces. Those that are
/// addresses are properties.
pub(super) fn of_rel(rel: &str) -> Option<Said> {
    let of_one = |one: &str| {
        if one.contains(':') {
            return of_property(one);
        }
        let is = |name: &str| one.eq_ignore_ascii_case(name);
        if is("sitemap") {
            Some(Said::Plainly(Promise::Sitemap))
        } else if is("describedby") {
            Some(Said::Description)
        } else if is("linkset") {
            Some(Said::Plainly(Promise::Description))
        } else if is("item") || is("alternate") || is("meta") {
            Some(Said::Data)
        } else {
            None
        }
    };
    rel.split_ascii_whitespace().find_map(of_one)
}
