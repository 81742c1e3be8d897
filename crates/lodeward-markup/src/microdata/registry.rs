//! What is known of vocabularies (section 3).

use std::fmt;

use oxiri::Iri;
use oxrdf::NamedNode;
use serde_json::Value;

/// Vocabularies, by the prefixes of their types.
///
/// The default is that of the Note's appendix D, and schema.org under `https`,
/// which has become its usual name since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    vocabularies: Vec<Vocabulary>,
}

/// A vocabulary: what its types begin with, and which of its properties imply
/// others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vocabulary {
    pub(super) prefix: String,
    properties: Vec<(String, Vec<NamedNode>)>,
}

/// Why a registry cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistryError {
    /// It is no JSON.
    Json(serde_json::Error),
    /// Something that should be an object is not; this is its key.
    NotAnObject(String),
    /// A vocabulary or property has a name that is no absolute IRI.
    NotAnIri(String),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "registry is not JSON: {error}"),
            Self::NotAnObject(key) => write!(f, "`{key}` in registry is not an object"),
            Self::NotAnIri(text) => write!(f, "`{text}` in registry is not an absolute IRI"),
        }
    }
}

impl std::error::Error for RegistryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Json(error) => Some(error),
            Self::NotAnObject(_) | Self::NotAnIri(_) => None,
        }
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::from_json(include_str!("registry.json")).expect("our registry is right")
    }
}

impl Registry {
    /// A registry that knows nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self { vocabularies: Vec::new() }
    }

    /// Reads a registry in the JSON of the Note's section 3. Keys that begin
    /// with `@` are comments; what the second edition withdrew, `propertyURI`
    /// and `multipleValues`, is passed over.
    pub fn from_json(text: &str) -> Result<Self, RegistryError> {
        let document: Value = serde_json::from_str(text).map_err(RegistryError::Json)?;
        let mut vocabularies = Vec::new();
        for (prefix, rules) in object(&document, "registry")? {
            if prefix.starts_with('@') {
                continue;
            }
            if Iri::parse(prefix.as_str()).is_err() {
                return Err(RegistryError::NotAnIri(prefix.clone()));
            }
            let properties = match object(rules, prefix)?.get("properties") {
                Some(properties) => implications(properties)?,
                None => Vec::new(),
            };
            vocabularies.push(Vocabulary { prefix: prefix.clone(), properties });
        }
        Ok(Self { vocabularies })
    }

    /// The vocabulary of a type (section 6.3, step 6): that with the longest
    /// prefix, should there be several.
    pub(super) fn vocabulary(&self, item_type: &str) -> Option<&Vocabulary> {
        let matching = self.vocabularies.iter().filter(|it| item_type.starts_with(&it.prefix));
        matching.max_by_key(|it| it.prefix.len())
    }
}

impl Vocabulary {
    /// The properties that hold wherever this one does (section 4).
    pub(super) fn implied_by(&self, name: &str) -> &[NamedNode] {
        let found = self.properties.iter().find(|(it, _)| it == name);
        found.map_or(&[], |(_, implied)| implied)
    }
}

fn object<'a>(value: &'a Value, key: &str) -> Result<&'a serde_json::Map<String, Value>, RegistryError> {
    value.as_object().ok_or_else(|| RegistryError::NotAnObject(key.to_owned()))
}

fn implications(properties: &Value) -> Result<Vec<(String, Vec<NamedNode>)>, RegistryError> {
    let mut found = Vec::new();
    for (name, rules) in object(properties, "properties")? {
        let rules = object(rules, name)?;
        let mut implied = Vec::new();
        for value in ["subPropertyOf", "equivalentProperty"].iter().filter_map(|key| rules.get(*key)) {
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for value in values {
                let iri = value.as_str().and_then(|iri| NamedNode::new(iri).ok());
                implied.push(iri.ok_or_else(|| RegistryError::NotAnIri(value.to_string()))?);
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
        let registry = Registry::default();
        let check = |item_type: &str, prefix: Option<&str>| {
            assert_eq!(registry.vocabulary(item_type).map(|it| it.prefix.as_str()), prefix, "{item_type}");
        };
        check("http://schema.org/Person/Teacher", Some("http://schema.org/"));
        check("https://schema.org/Person", Some("https://schema.org/"));
        check("http://microformats.org/profile/hcard", Some("http://microformats.org/profile/hcard"));
        check("http://schema.orgy/Person", None);
    }

    #[test]
    fn what_is_wrong_with_a_registry_is_named() {
        let check = |text: &str, message: &str| {
            assert_eq!(Registry::from_json(text).unwrap_err().to_string(), message);
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
