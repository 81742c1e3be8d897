//! Graphs that belong to the server software and contain no data.

/// Names and contents of the graphs. All belong to Virtuoso: other servers store such data elsewhere.
const SYSTEM_GRAPHS: [(&str, &str); 13] = [
    ("http://www.openlinksw.com/schemas/virtrdf#", "how tables are mapped to RDF"),
    ("http://localhost:8890/DAV/", "the files of its WebDAV server"),
    ("http://localhost:8890/sparql", "its own service description"),
    ("http://www.openlinksw.com/virtpivot/icons", "icons of a viewer"),
    ("urn:activitystreams-owl:map", "rules"),
    ("urn:core:services:sparql", "settings of the endpoint"),
    ("urn:rules.skos", "rules"),
    ("urn:virtuoso:val:acl:schema", "access rights"),
    ("virtrdf-label", "rules"),
    ("dbprdf-label", "rules"),
    ("facets", "rules"),
    ("b3sonto", "rules"),
    ("b3sifp", "rules"),
];

/// Whether `name` is a graph of the server software.
pub(super) fn contains(name: &str) -> bool {
    SYSTEM_GRAPHS.iter().any(|(graph, _)| *graph == name)
}
