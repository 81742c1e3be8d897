//! The initial context: prefixes and terms that need no declaration.

/// The XHTML vocabulary, for the terms of XHTML and for CURIEs without prefix.
pub(super) const XHV: &str = "http://www.w3.org/1999/xhtml/vocab#";

/// A prefix of the initial context, <https://www.w3.org/2011/rdfa-context/rdfa-1.1>.
#[must_use]
pub fn prefix(name: &str) -> Option<&'static str> {
    Some(match name {
        "as" => "https://www.w3.org/ns/activitystreams#",
        "cc" => "http://creativecommons.org/ns#",
        "csvw" => "http://www.w3.org/ns/csvw#",
        "ctag" => "http://commontag.org/ns#",
        "dc" | "dcterms" => "http://purl.org/dc/terms/",
        "dc11" => "http://purl.org/dc/elements/1.1/",
        "dcat" => "http://www.w3.org/ns/dcat#",
        "dqv" => "http://www.w3.org/ns/dqv#",
        "duv" => "https://www.w3.org/ns/duv#",
        "foaf" => "http://xmlns.com/foaf/0.1/",
        "gr" => "http://purl.org/goodrelations/v1#",
        "grddl" => "http://www.w3.org/2003/g/data-view#",
        "ical" => "http://www.w3.org/2002/12/cal/icaltzd#",
        "jsonld" => "http://www.w3.org/ns/json-ld#",
        "ldp" => "http://www.w3.org/ns/ldp#",
        "ma" => "http://www.w3.org/ns/ma-ont#",
        "oa" => "http://www.w3.org/ns/oa#",
        "odrl" => "http://www.w3.org/ns/odrl/2/",
        "og" => "http://ogp.me/ns#",
        "org" => "http://www.w3.org/ns/org#",
        "owl" => "http://www.w3.org/2002/07/owl#",
        "prov" => "http://www.w3.org/ns/prov#",
        "qb" => "http://purl.org/linked-data/cube#",
        "rdf" => "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfa" => "http://www.w3.org/ns/rdfa#",
        "rdfs" => "http://www.w3.org/2000/01/rdf-schema#",
        "rev" => "http://purl.org/stuff/rev#",
        "rif" => "http://www.w3.org/2007/rif#",
        "rr" => "http://www.w3.org/ns/r2rml#",
        "schema" => "http://schema.org/",
        "sd" => "http://www.w3.org/ns/sparql-service-description#",
        "sioc" => "http://rdfs.org/sioc/ns#",
        "skos" => "http://www.w3.org/2004/02/skos/core#",
        "skosxl" => "http://www.w3.org/2008/05/skos-xl#",
        "sosa" => "http://www.w3.org/ns/sosa/",
        "ssn" => "http://www.w3.org/ns/ssn/",
        "time" => "http://www.w3.org/2006/time#",
        "v" => "http://rdf.data-vocabulary.org/#",
        "vcard" => "http://www.w3.org/2006/vcard/ns#",
        "void" => "http://rdfs.org/ns/void#",
        "wdr" => "http://www.w3.org/2007/05/powder#",
        "wdrs" => "http://www.w3.org/2007/05/powder-s#",
        "xhv" => XHV,
        "xml" => "http://www.w3.org/XML/1998/namespace",
        "xsd" => "http://www.w3.org/2001/XMLSchema#",
        _ => return None,
    })
}

/// The link types of XHTML that are terms in XHTML+RDFa.
const LINK_TYPES: [&str; 27] = [
    "alternate",
    "appendix",
    "bookmark",
    "chapter",
    "cite",
    "contents",
    "copyright",
    "first",
    "glossary",
    "help",
    "icon",
    "index",
    "itsRules",
    "last",
    "license",
    "meta",
    "next",
    "p3pv1",
    "prev",
    "previous",
    "role",
    "section",
    "start",
    "stylesheet",
    "subsection",
    "top",
    "up",
];

/// The namespace and the spelling of a term of the initial context, ignoring case. No two of them
/// differ only in case, so the exact match of section 7.4.3 is not needed.
pub(super) fn term(name: &str, has_link_types: bool) -> Option<(&'static str, &'static str)> {
    let is = |term: &&str| name.eq_ignore_ascii_case(term);
    if let Some(term) = ["license", "role"].into_iter().find(is) {
        return Some((XHV, term));
    }
    if is(&"describedby") {
        return Some(("http://www.w3.org/2007/05/powder-s#", "describedby"));
    }
    if !has_link_types {
        return None;
    }
    link_type(name)
}

/// A link type of XHTML, ignoring case: these are the only terms of `RDFa` 1.0.
pub(super) fn link_type(name: &str) -> Option<(&'static str, &'static str)> {
    LINK_TYPES.into_iter().find(|term| name.eq_ignore_ascii_case(term)).map(|term| (XHV, term))
}
