//! Usual prefixes of vocabularies, for names that users write: `foaf:knows`.

use lodeward_markup::rdfa::initial_prefix;

/// Prefixes that are not in the initial context of `RDFa`.
const PREFIXES: &[(&str, &str)] = &[
    ("buildm", "http://data.duraark.eu/vocab/buildm/"),
    ("crm", "http://www.cidoc-crm.org/cidoc-crm/"),
    ("dbo", "http://dbpedia.org/ontology/"),
    ("dbp", "http://dbpedia.org/property/"),
    ("dbr", "http://dbpedia.org/resource/"),
    ("dct", "http://purl.org/dc/terms/"),
    ("edm", "http://www.europeana.eu/schemas/edm/"),
    ("geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"),
    ("gn", "http://www.geonames.org/ontology#"),
    ("lodeward", "urn:lodeward:"),
    ("nmo", "http://nomisma.org/ontology#"),
    ("wd", "http://www.wikidata.org/entity/"),
    ("wdt", "http://www.wikidata.org/prop/direct/"),
    ("yago", "http://dbpedia.org/class/yago/"),
];

/// The namespace of a usual prefix.
#[must_use]
pub fn namespace(prefix: &str) -> Option<&'static str> {
    let ours = PREFIXES.iter().find(|(known, _)| *known == prefix).map(|(_, namespace)| *namespace);
    ours.or_else(|| initial_prefix(prefix))
}

/// Prefixes of the initial context of `RDFa` that names are shortened with.
const INITIAL: &[&str] = &[
    "cc", "dc", "dcat", "dcterms", "foaf", "org", "owl", "prov", "qb", "rdf", "rdfs", "schema", "sioc", "skos",
    "vcard", "void", "xsd",
];

/// A name with a usual prefix for an IRI: `dbo:Building`. `None` if there is none, or the rest is not a simple name.
#[must_use]
pub fn shorten(iri: &str) -> Option<String> {
    let initial = INITIAL.iter().filter_map(|prefix| Some((*prefix, initial_prefix(prefix)?)));
    let (prefix, local) = PREFIXES
        .iter()
        .copied()
        .chain(initial)
        .filter_map(|(prefix, namespace)| Some((prefix, iri.strip_prefix(namespace)?)))
        .min_by_key(|(_, local)| local.len())?;
    let is_simple = !local.is_empty() && !local.contains(['#', '?', ':', ' ']);
    is_simple.then(|| format!("{prefix}:{local}"))
}

/// Whether a text with a colon is an IRI, and not a name with a prefix.
pub(crate) fn is_full_iri(prefix: &str, rest: &str) -> bool {
    rest.starts_with("//") || matches!(prefix, "urn" | "tag" | "info" | "doi")
}

/// The IRI of a name with a usual prefix; an IRI stays as it is. `None` if the prefix is unknown.
pub(crate) fn expand_name(text: &str) -> Option<String> {
    match text.split_once(':') {
        Some((prefix, local)) if !is_full_iri(prefix, local) => Some(format!("{}{local}", namespace(prefix)?)),
        _ => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_usual_prefix_are_expanded() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(expand_name(text).as_deref(), expected, "{text}");

        check("foaf:knows", Some("http://xmlns.com/foaf/0.1/knows"));
        check("owl:sameAs", Some("http://www.w3.org/2002/07/owl#sameAs"));
        check("dbo:architect", Some("http://dbpedia.org/ontology/architect"));
        check("http://a.example/p", Some("http://a.example/p"));
        check("urn:a:b", Some("urn:a:b"));
        check("nonsense:knows", None);
    }
}
