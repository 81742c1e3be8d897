//! Where a seed comes from.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::Uri;

/// A seed, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The document that is visited.
    pub uri: Uri,
    /// The entity that is meant, where its name is not that of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
    /// The text that it was found for, and by which label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// Where a seed comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Origin {
    /// Somebody wrote its URI, or gave a file with it.
    Given,
    /// Somebody wrote what it is called.
    Text,
    /// A template.
    Template {
        /// Its name.
        template: String,
        /// The seed as the template has it, with placeholders.
        seed: String,
        /// What was put in for them.
        values: BTreeMap<String, String>,
    },
    /// A value in instance data.
    Instance {
        /// The file.
        file: String,
        /// What the value is to whom it describes: `places`.
        role: String,
        /// The property that has it.
        property: String,
        /// How often it was there.
        times: u64,
    },
    /// Somebody whom instance data describe.
    Subject {
        /// The file.
        file: String,
    },
}

/// A text, and the label that it was found by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What was looked for.
    pub text: String,
    /// What it is called.
    pub label: String,
}

impl Note {
    /// A seed that was named by its IRI; `None` if that cannot be dereferenced.
    #[must_use]
    pub fn of_iri(iri: &str, origin: Origin, found: Option<Found>) -> Option<Self> {
        let uri = Uri::parse(iri).ok()?;
        let entity = (uri.as_str() != iri).then(|| iri.to_owned());
        Some(Self { uri, entity, origin, found })
    }

    /// The name of the entity that is meant.
    #[must_use]
    pub fn entity(&self) -> &str {
        self.entity.as_deref().unwrap_or(self.uri.as_str())
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.origin.fmt(formatter)?;
        match &self.found {
            Some(Found { text, label }) if text == label => write!(formatter, ", found by its label “{label}”"),
            Some(Found { text, label }) => write!(formatter, ", “{text}” found by the label “{label}”"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => formatter.write_str("given by its address"),
            Self::Text => formatter.write_str("given as a text"),
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
    fn where_a_seed_comes_from_is_told_in_words() {
        let check = |origin: Origin, found: Option<(&str, &str)>, told: &str| {
            let found = found.map(|(text, label)| Found { text: text.to_owned(), label: label.to_owned() });
            assert_eq!(Note::of_iri("http://a.example/", origin, found).unwrap().to_string(), told);
        };
        let template = |values: &[(&str, &str)]| Origin::Template {
            template: "geography".to_owned(),
            seed: "http://a.example/{place}".to_owned(),
            values: values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        };
        let instance = |times| Origin::Instance {
            file: "a.ttl".to_owned(),
            role: "places".to_owned(),
            property: "http://p.example/in".to_owned(),
            times,
        };

        check(Origin::Given, None, "given by its address");
        check(Origin::Text, Some(("köln", "Köln")), "given as a text, “köln” found by the label “Köln”");
        check(template(&[("place", "Cologne")]), None, "from the template geography, {place} = Cologne");
        check(template(&[]), None, "from the template geography");
        check(instance(1), None, "from places in a.ttl");
        check(instance(3), Some(("Bonn", "Bonn")), "from places in a.ttl, 3 times, found by its label “Bonn”");
        check(Origin::Subject { file: "a.ttl".to_owned() }, None, "described in a.ttl");
    }

    #[test]
    fn an_entity_keeps_its_name_where_its_document_has_another() {
        let note = |iri: &str| Note::of_iri(iri, Origin::Given, None);

        assert_eq!(note("http://a.example/x").unwrap().entity, None);
        assert_eq!(note("http://a.example/x#me").unwrap().entity(), "http://a.example/x#me");
        assert_eq!(note("http://a.example/x#me").unwrap().uri.as_str(), "http://a.example/x");
        assert_eq!(note("urn:x"), None);
    }

    #[test]
    fn what_is_written_down_is_read_again() {
        let note = Note::of_iri("http://a.example/#x", Origin::Text, None).unwrap();
        let json = serde_json::to_string(&note).unwrap();

        assert_eq!(json, r#"{"uri":"http://a.example/","entity":"http://a.example/#x","origin":{"from":"text"}}"#);
        assert_eq!(serde_json::from_str::<Note>(&json).unwrap(), note);
    }
}
