//! Graphs that come with a server, and are nobody's data.

/// By name, with what is in them. All are Virtuoso's: others keep such things
/// elsewhere.
const NAMES: [(&str, &str); 13] = [
    ("http://www.openlinksw.com/schemas/virtrdf#", "how tables are mapped to RDF"),
    ("http://localhost:8890/DAV/", "the files of its WebDAV server"),
    ("http://localhost:8890/sparql", "its own service description"),
    ("http://www.openlinksw.com/virtpivot/icons", "icons of a viewer"),
    ("urn:activitystreams-owl:map", "rules"),
    ("urn:core:services:sparql", "settings of the endpoint"),
    ("urn:rules.skos", "rules"),
    ("urn:virtuoso:val:acl:schema", "who may do what"),
    ("virtrdf-label", "rules"),
    ("dbprdf-label", "rules"),
    ("facets", "rules"),
    ("b3sonto", "rules"),
    ("b3sifp", "rules"),
];

/// Whether a graph is one of these.
pub(super) fn contain(name: &str) -> bool {
    NAMES.iter().any(|(known, _)| *known == name)
}
