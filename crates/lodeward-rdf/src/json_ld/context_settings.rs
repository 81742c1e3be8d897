//! The settings of a context for all terms: base, vocabulary, language and direction.

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::HashMap;
use oxiri::Iri;

use super::active_context::{ActiveContext, TextDirection, has_keyword_form, has_scheme};
use super::context_processing::ContextProcessor;
use super::error::{JsonLdError, fail};
use super::json::JsonValue;
use crate::iri::{percent_encode, resolve};

/// Whether an entry of a context is a setting, not a term.
pub(super) fn is_setting(key: &str) -> bool {
    matches!(
        key,
        "@base" | "@direction" | "@import" | "@language" | "@propagate" | "@protected" | "@version" | "@vocab"
    )
}

impl ContextProcessor<'_> {
    pub(super) fn check_version(&self, entries: &HashMap<&str, &JsonValue<'_>>) -> Result<(), JsonLdError> {
        match entries.get("@version") {
            None => Ok(()),
            Some(JsonValue::Number(version)) if version == "1.1" && self.is_1_0() => {
                fail("processing mode conflict", "@version 1.1 requires JSON-LD 1.1")
            }
            Some(JsonValue::Number(version)) if version == "1.1" => Ok(()),
            Some(_) => fail("invalid @version value", "not 1.1"),
        }
    }

    pub(super) fn parse_flag(
        &self,
        entries: &HashMap<&str, &JsonValue<'_>>,
        name: &'static str,
        code: &'static str,
    ) -> Result<bool, JsonLdError> {
        match entries.get(name) {
            None => Ok(false),
            Some(_) if self.is_1_0() => fail("invalid context entry", format!("{name} requires JSON-LD 1.1")),
            Some(JsonValue::Bool(flag)) => Ok(*flag),
            Some(_) => fail(code, "it must be true or false"),
        }
    }

    /// Applies base, vocabulary, language and direction.
    pub(super) fn set_defaults(
        &mut self,
        result: &mut Arc<ActiveContext>,
        entries: &HashMap<&str, &JsonValue<'_>>,
        remotes: &[String],
    ) -> Result<(), JsonLdError> {
        // A remote context does not change the base of the document.
        if let Some(base) = entries.get("@base").filter(|_| remotes.is_empty()) {
            self.set_base(result, base)?;
        }
        if let Some(vocab) = entries.get("@vocab") {
            self.set_vocab(result, vocab)?;
        }
        match entries.get("@language") {
            None => {}
            Some(JsonValue::Null) => Arc::make_mut(result).language = None,
            Some(JsonValue::String(language)) => Arc::make_mut(result).language = Some((&**language).into()),
            Some(_) => return fail("invalid default language", "it must be a string or null"),
        }
        match entries.get("@direction") {
            None => {}
            Some(_) if self.is_1_0() => return fail("invalid context entry", "@direction requires JSON-LD 1.1"),
            Some(value) => Arc::make_mut(result).direction = parse_direction(value)?,
        }
        self.parse_flag(entries, "@propagate", "invalid @propagate value").map(|_| ())
    }

    /// A reference with white space trimmed and invalid characters escaped, if repairs are enabled.
    fn repair_reference<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.options.repair { percent_encode(text.trim_ascii()) } else { Cow::Borrowed(text) }
    }

    fn set_base(&mut self, result: &mut Arc<ActiveContext>, value: &JsonValue<'_>) -> Result<(), JsonLdError> {
        let base = match value {
            JsonValue::Null => None,
            JsonValue::String(reference) => {
                let reference = self.repair_reference(reference);
                let base = match &result.base {
                    // An absolute base is not validated here: if it is invalid, the references
                    // resolved against it are invalid and omitted.
                    _ if has_scheme(&reference) => Iri::parse_unchecked(reference.to_string()),
                    Some(base) => Iri::parse_unchecked(
                        resolve(base, &reference).or_else(|error| fail("invalid base IRI", error.to_string()))?,
                    ),
                    None => {
                        return fail("invalid base IRI", format!("`{reference}` is relative, but no base is set"));
                    }
                };
                self.budget.spend(base.as_str().len())?;
                Some(Arc::new(base))
            }
            _ => return fail("invalid base IRI", "it must be a string or null"),
        };
        Arc::make_mut(result).base = base;
        Ok(())
    }

    fn set_vocab(&mut self, result: &mut Arc<ActiveContext>, value: &JsonValue<'_>) -> Result<(), JsonLdError> {
        let vocab = match value {
            JsonValue::Null => None,
            JsonValue::String(vocab) => {
                let vocab = self.repair_reference(vocab);
                if self.is_1_0() && !has_scheme(&vocab) && !vocab.starts_with("_:") {
                    return fail("invalid vocab mapping", format!("`{vocab}` is not an absolute IRI"));
                }
                let is_open = self.options.repair && vocab.split_once("://").is_some_and(|(_, it)| is_schema_org(it));
                let vocab = if is_open && !vocab.ends_with('/') {
                    self.add_repair("vocabulary IRI without trailing slash");
                    &format!("{vocab}/")
                } else {
                    &*vocab
                };
                let iri = result.expand_iri(vocab, true, true).filter(|iri| !has_keyword_form(iri));
                let Some(iri) = iri else { return fail("invalid vocab mapping", format!("`{vocab}` is not an IRI")) };
                self.budget.spend(iri.len())?;
                Some(iri)
            }
            _ => return fail("invalid vocab mapping", "it must be a string or null"),
        };
        Arc::make_mut(result).vocab = vocab;
        Ok(())
    }
}

pub(super) fn parse_direction(value: &JsonValue<'_>) -> Result<Option<TextDirection>, JsonLdError> {
    match value {
        JsonValue::Null => Ok(None),
        JsonValue::String(name) if let Some(direction) = TextDirection::new(name) => Ok(Some(direction)),
        _ => fail("invalid base direction", "it must be ltr, rtl or null"),
    }
}

/// Whether this is the URL of schema.org without its scheme, which is unambiguous.
pub(super) fn is_schema_org(url: &str) -> bool {
    matches!(url.trim_end_matches('/'), "schema.org" | "www.schema.org")
}
