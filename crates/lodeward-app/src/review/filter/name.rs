//! Names of classes and properties in filters.

use lodeward_markup::rdfa::initial_prefix;

/// Name of a class or property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterName {
    /// A full IRI.
    Iri(String),
    /// An IRI with the scheme http or https: some namespaces are used with both.
    EitherScheme(String),
    /// A local name: the end of an IRI.
    Local(String),
}

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
    ("nmo", "http://nomisma.org/ontology#"),
    ("wd", "http://www.wikidata.org/entity/"),
    ("wdt", "http://www.wikidata.org/prop/direct/"),
    ("yago", "http://dbpedia.org/class/yago/"),
];

impl FilterName {
    /// Parses an unquoted name: an IRI, a prefixed name, or a local name.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let Some((prefix, local)) = text.split_once(':') else { return Ok(Self::Local(text.to_owned())) };
        if local.starts_with("//") || matches!(prefix, "urn" | "tag" | "info" | "doi") {
            return Ok(Self::Iri(text.to_owned()));
        }
        let ours = PREFIXES.iter().find(|(known, _)| *known == prefix).map(|(_, namespace)| *namespace);
        match ours.or_else(|| initial_prefix(prefix)) {
            Some(namespace) => Ok(Self::EitherScheme(without_scheme(&format!("{namespace}{local}")).to_owned())),
            None => Err(format!("unknown prefix `{prefix}`")),
        }
    }

    /// Whether the name refers to the class or property with this IRI.
    pub(super) fn matches(&self, iri: &str) -> bool {
        match self {
            Self::Iri(expected) => iri == expected,
            Self::EitherScheme(expected) => without_scheme(iri) == expected,
            Self::Local(expected) => local_name(iri).eq_ignore_ascii_case(expected),
        }
    }
}

fn without_scheme(iri: &str) -> &str {
    iri.strip_prefix("http://").or_else(|| iri.strip_prefix("https://")).unwrap_or(iri)
}

/// The end of an IRI.
fn local_name(iri: &str) -> &str {
    iri.trim_end_matches(['/', '#']).rsplit(['/', '#', ':']).next().unwrap_or(iri)
}
