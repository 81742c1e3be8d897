//! Names of classes and properties, as people write them.

use lodeward_markup::rdfa::initial_prefix;

/// A class or a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// This one.
    Iri(String),
    /// This one, over http or https: some namespaces are written both ways.
    EitherScheme(String),
    /// Any whose IRI ends so.
    Local(String),
}

/// Prefixes that the initial context of `RDFa` does not have.
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

impl Name {
    /// What somebody wrote without saying what it is: an IRI, a prefixed name, or
    /// the end of a name.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let Some((prefix, local)) = text.split_once(':') else { return Ok(Self::Local(text.to_owned())) };
        if local.starts_with("//") || matches!(prefix, "urn" | "tag" | "info" | "doi") {
            return Ok(Self::Iri(text.to_owned()));
        }
        let ours = PREFIXES.iter().find(|(known, _)| *known == prefix).map(|(_, namespace)| *namespace);
        match ours.or_else(|| initial_prefix(prefix)) {
            Some(namespace) => Ok(Self::EitherScheme(without_scheme(&format!("{namespace}{local}")).to_owned())),
            None => Err(format!("the prefix `{prefix}` is not known")),
        }
    }

    /// Whether it names this.
    pub(super) fn is(&self, iri: &str) -> bool {
        match self {
            Self::Iri(wanted) => iri == wanted,
            Self::EitherScheme(wanted) => without_scheme(iri) == wanted,
            Self::Local(wanted) => local_name(iri).eq_ignore_ascii_case(wanted),
        }
    }
}

fn without_scheme(iri: &str) -> &str {
    iri.strip_prefix("http://").or_else(|| iri.strip_prefix("https://")).unwrap_or(iri)
}

/// The end of an IRI: what it is called.
fn local_name(iri: &str) -> &str {
    iri.trim_end_matches(['/', '#']).rsplit(['/', '#', ':']).next().unwrap_or(iri)
}
