//! The registry of vocabularies (section 3).

use std::fmt;

use oxiri::Iri;
use oxrdf::NamedNode;
use serde_json::Value;

/// Vocabularies, by the prefixes of their types.
///
/// The default is the registry of the Note's appendix D, plus schema.org with `https`, which is now
/// its usual name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabularyRegistry {
    vocabularies: Vec<RegisteredVocabulary>,
}

/// A vocabulary: the prefix of its types, and the properties that imply others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RegisteredVocabulary {
    pub(super) prefix: String,
    properties: Vec<(String, Vec<NamedNode>)>,
}

/// Why a registry cannot be parsed.
#[derive(Debug)]
#[non_exhaustive]
pub enum VocabularyRegistryError {
    /// The text is not JSON.
    Json(serde_json::Error),
    /// The value of this key is not an object.
    NotAnObject(String),
    /// The name of a vocabulary or property is not an absolute IRI.
    NotAnIri(String),
}

impl fmt::Display for VocabularyRegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "registry is not JSON: {error}"),
            Self::NotAnObject(key) => write!(f, "`{key}` in registry is not an object"),
            Self::NotAnIri(text) => write!(f, "`{text}` in registry is not an absolute IRI"),
        }
    }
}

impl std::error::Error for VocabularyRegistryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Json(error) => Some(error),
            Self::NotAnObject(_) | Self::NotAnIri(_) => None,
        }
    }
}

impl Default for VocabularyRegistry {
    fn default() -> Self {
        Self::from_json(include_str!("registry.json")).expect("the bundled registry is valid")
    }
}

impl VocabularyRegistry {
    /// An empty registry.
    #[must_use]
    pub fn empty() -> Self {
        Self { vocabularies: Vec::new() }
    }

    /// Parses a registry in the JSON format of the Note's section 3. Keys that start with `@` are
    /// comments. `propertyURI` and `multipleValues`, which the second edition removed, are ignored.
    pub fn from_json(text: &str) -> Result<Self, VocabularyRegistryError> {
        let document: Value = serde_json::from_str(text).map_err(VocabularyRegistryError::Json)?;
        let mut vocabularies = Vec::new();
        for (prefix, rules) in expect_object(&document, "registry")? {
            if prefix.starts_with('@') {
                continue;
            }
            if Iri::parse(prefix.as_str()).is_err() {
                return Err(VocabularyRegistryError::NotAnIri(prefix.clone()));
            }
            let properties = match expect_object(rules, prefix)?.get("properties") {
                Some(properties) => parse_implications(properties)?,
                None => Vec::new(),
            };
            vocabularies.push(RegisteredVocabulary { prefix: prefix.clone(), properties });
        }
        Ok(Self { vocabularies })
    }

    /// The vocabulary of a type (section 6.3, step 6): the one with the longest prefix.
    pub(super) fn vocabulary(&self, item_type: &str) -> Option<&RegisteredVocabulary> {
        let matching = self.vocabularies.iter().filter(|it| item_type.starts_with(&it.prefix));
        matching.max_by_key(|it| it.prefix.len())
    }
}

impl RegisteredVocabulary {
    /// The properties that this property implies (section 4).
    pub(super) fn implied_properties(&self, name: &str) -> &[NamedNode] {
        let found = self.properties.iter().find(|(it, _)| it == name);
        found.map_or(&[], |(_, implied)| implied)
    }
}

fn expect_object<'a>(
    value: &'a Value,
    key: &str,
) -> Result<&'a serde_json::Map<String, Value>, VocabularyRegistryError> {
    value.as_object().ok_or_else(|| VocabularyRegistryError::NotAnObject(key.to_owned()))
}

fn parse_implications(properties: &Value) -> Result<Vec<(String, Vec<NamedNode>)>, VocabularyRegistryError> {
    let mut found = Vec::new();
    for (name, rules) in expect_object(properties, "properties")? {
        let rules = expect_object(rules, name)?;
        let mut implied = Vec::new();
        for value in ["subPropertyOf", "equivalentProperty"].iter().filter_map(|key| rules.get(*key)) {
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for value in values {
                let iri = value.as_str().and_then(|iri| NamedNode::new(iri).ok());
                implied.push(iri.ok_or_else(|| VocabularyRegistryError::NotAnIri(value.to_string()))?);
            }
        }
        found.push((name.clone(), implied));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_knows_schema_org_by_both_schemes_and_hcard() {
        let registry = VocabularyRegistry::default();
        let check = |item_type: &str, prefix: Option<&str>| {
            assert_eq!(registry.vocabulary(item_type).map(|it| it.prefix.as_str()), prefix, "{item_type}");
        };
        check("http://schema.org/Person/Teacher", Some("http://schema.org/"));
        check("https://schema.org/Person", Some("https://schema.org/"));
        check("http://microformats.org/profile/hcard", Some("http://microformats.org/profile/hcard"));
        check("http://schema.orgy/Person", None);
    }

    #[test]
    fn registry_errors_state_the_invalid_key() {
        let check = |text: &str, message: &str| {
            assert_eq!(VocabularyRegistry::from_json(text).unwrap_err().to_string(), message);
        };
        check("[]", "`registry` in registry is not an object");
        check(r#"{"a/": {}}"#, "`a/` in registry is not an absolute IRI");
        check(r#"{"x:/": {"properties": {"n": 1}}}"#, "`n` in registry is not an object");
        check(
            r#"{"x:/": {"properties": {"n": {"subPropertyOf": ["x:a", 2]}}}}"#,
            "`2` in registry is not an absolute IRI",
        );
    }
}
