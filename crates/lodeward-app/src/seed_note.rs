//! The origins of seeds.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use lodeward::model::Uri;

/// A seed and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedNote {
    /// The document to fetch.
    pub uri: Uri,
    /// The IRI of the entity, if it differs from the URI of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Where the seed comes from.
    pub origin: SeedOrigin,
    /// The text that was looked up, and the label that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<TextMatch>,
}

/// The origin of a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum SeedOrigin {
    /// A URI from the user or from a list.
    Given,
    /// A label from the user.
    Text,
    /// A seed of a template.
    Template {
        /// The name of the template.
        template: String,
        /// The seed in the template, with placeholders.
        seed: String,
        /// The values of the placeholders; default values are omitted.
        values: BTreeMap<String, String>,
    },
    /// A value in instance data.
    Instance {
        /// The name of the instance data file.
        file: String,
        /// The role of the value, such as `places`.
        role: String,
        /// The IRI of the property with the value.
        property: String,
        /// Number of occurrences of the value.
        times: u64,
    },
    /// A subject of instance data.
    Subject {
        /// The name of the instance data file.
        file: String,
    },
}

/// A text that was looked up, and the label that matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextMatch {
    /// The text that was looked up.
    pub text: String,
    /// The label of the entity.
    pub label: String,
}

impl SeedNote {
    /// A seed with this IRI; `None` if the IRI cannot be dereferenced.
    #[must_use]
    pub fn from_iri(iri: &str, origin: SeedOrigin, found: Option<TextMatch>) -> Option<Self> {
        let uri = Uri::parse(iri).ok()?;
        let entity = (uri.as_str() != iri).then(|| iri.to_owned());
        Some(Self { uri, entity, origin, found })
    }

    /// The IRI of the entity.
    #[must_use]
    pub fn entity(&self) -> &str {
        self.entity.as_deref().unwrap_or(self.uri.as_str())
    }
}

impl fmt::Display for SeedNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.origin, &self.found) {
            (origin, None) => origin.fmt(formatter),
            (SeedOrigin::Text, Some(found)) => found.fmt(formatter),
            (origin, Some(found)) => write!(formatter, "{origin}, {found}"),
        }
    }
}

impl fmt::Display for TextMatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, label } = self;
        write!(formatter, "label “{label}”")?;
        if text == label { Ok(()) } else { write!(formatter, " for “{text}”") }
    }
}

impl fmt::Display for SeedOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => formatter.write_str("given as a URI"),
            Self::Text => formatter.write_str("given as a label"),
            Self::Template { template, values, .. } => {
                write!(formatter, "from the template {template}")?;
                values.iter().try_for_each(|(name, value)| write!(formatter, ", {{{name}}} = {value}"))
            }
            Self::Instance { file, role, times: 1, .. } => write!(formatter, "from {role} in {file}"),
            Self::Instance { file, role, times, .. } => write!(formatter, "from {role} in {file}, {times} times"),
            Self::Subject { file } => write!(formatter, "described in {file}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_of_a_seed_is_displayed() {
        let check = |origin: SeedOrigin, found: Option<(&str, &str)>, expected: &str| {
            let found = found.map(|(text, label)| TextMatch { text: text.to_owned(), label: label.to_owned() });
            assert_eq!(SeedNote::from_iri("http://a.example/", origin, found).unwrap().to_string(), expected);
        };
        let template = |values: &[(&str, &str)]| SeedOrigin::Template {
            template: "geography".to_owned(),
            seed: "http://a.example/{place}".to_owned(),
            values: values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        };
        let instance = |times| SeedOrigin::Instance {
            file: "a.ttl".to_owned(),
            role: "places".to_owned(),
            property: "http://p.example/in".to_owned(),
            times,
        };

        check(SeedOrigin::Given, None, "given as a URI");
        check(SeedOrigin::Text, None, "given as a label");
        check(SeedOrigin::Text, Some(("köln", "Köln")), "label “Köln” for “köln”");
        check(template(&[("place", "Cologne")]), None, "from the template geography, {place} = Cologne");
        check(template(&[]), None, "from the template geography");
        check(instance(1), None, "from places in a.ttl");
        check(instance(3), Some(("Bonn", "Bonn")), "from places in a.ttl, 3 times, label “Bonn”");
        check(SeedOrigin::Subject { file: "a.ttl".to_owned() }, None, "described in a.ttl");
    }

    #[test]
    fn the_iri_of_an_entity_is_stored_if_it_differs_from_its_document() {
        let note = |iri: &str| SeedNote::from_iri(iri, SeedOrigin::Given, None);

        assert_eq!(note("http://a.example/x").unwrap().entity, None);
        assert_eq!(note("http://a.example/x#me").unwrap().entity(), "http://a.example/x#me");
        assert_eq!(note("http://a.example/x#me").unwrap().uri.as_str(), "http://a.example/x");
        assert_eq!(note("urn:x"), None);
    }

    #[test]
    fn a_seed_note_survives_a_json_round_trip() {
        let note = SeedNote::from_iri("http://a.example/#x", SeedOrigin::Text, None).unwrap();
        let json = serde_json::to_string(&note).unwrap();

        assert_eq!(json, r#"{"uri":"http://a.example/","entity":"http://a.example/#x","origin":{"from":"text"}}"#);
        assert_eq!(serde_json::from_str::<SeedNote>(&json).unwrap(), note);
    }
}
