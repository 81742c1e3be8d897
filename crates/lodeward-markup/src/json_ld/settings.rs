//! What a context says of all terms: base, vocabulary, language and direction.

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::HashMap;
use oxiri::Iri;

use super::active::{Active, Dir, has_keyword_form, has_scheme};
use super::error::{Error, fail};
use super::json::Json;
use super::process::Processor;
use crate::iri::escaped;
use crate::iri_resolve::resolve;

/// Whether an entry of a context is about all terms, and not one of them.
pub(super) fn is_setting(key: &str) -> bool {
    matches!(
        key,
        "@base" | "@direction" | "@import" | "@language" | "@propagate" | "@protected" | "@version" | "@vocab"
    )
}

impl Processor<'_> {
    pub(super) fn check_version(&self, entries: &HashMap<&str, &Json<'_>>) -> Result<(), Error> {
        match entries.get("@version") {
            None => Ok(()),
            Some(Json::Number(version)) if version == "1.1" && self.is_1_0() => {
                fail("processing mode conflict", "@version 1.1 is not of JSON-LD 1.0")
            }
            Some(Json::Number(version)) if version == "1.1" => Ok(()),
            Some(_) => fail("invalid @version value", "not 1.1"),
        }
    }

    pub(super) fn flag(
        &self,
        entries: &HashMap<&str, &Json<'_>>,
        name: &'static str,
        code: &'static str,
    ) -> Result<bool, Error> {
        match entries.get(name) {
            None => Ok(false),
            Some(_) if self.is_1_0() => fail("invalid context entry", format!("{name} is of JSON-LD 1.1")),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(_) => fail(code, "neither true nor false"),
        }
    }

    /// What is said of all terms: base, vocabulary, language and direction.
    pub(super) fn set_defaults(
        &mut self,
        result: &mut Arc<Active>,
        entries: &HashMap<&str, &Json<'_>>,
        remotes: &[String],
    ) -> Result<(), Error> {
        // The base of a context elsewhere is not that of the document.
        if let Some(base) = entries.get("@base").filter(|_| remotes.is_empty()) {
            self.set_base(result, base)?;
        }
        if let Some(vocab) = entries.get("@vocab") {
            self.set_vocab(result, vocab)?;
        }
        match entries.get("@language") {
            None => {}
            Some(Json::Null) => Arc::make_mut(result).language = None,
            Some(Json::String(language)) => Arc::make_mut(result).language = Some((&**language).into()),
            Some(_) => return fail("invalid default language", "neither a string nor null"),
        }
        match entries.get("@direction") {
            None => {}
            Some(_) if self.is_1_0() => return fail("invalid context entry", "@direction is of JSON-LD 1.1"),
            Some(value) => Arc::make_mut(result).direction = direction(value)?,
        }
        self.flag(entries, "@propagate", "invalid @propagate value").map(|_| ())
    }

    /// What an author meant who wrote this where an IRI belongs.
    fn mended<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.options.repair { escaped(text.trim_ascii()) } else { Cow::Borrowed(text) }
    }

    fn set_base(&mut self, result: &mut Arc<Active>, value: &Json<'_>) -> Result<(), Error> {
        let base = match value {
            Json::Null => None,
            Json::String(reference) => {
                let reference = self.mended(reference);
                let base = match &result.base {
                    // One that is no IRI makes none of what is relative to it.
                    _ if has_scheme(&reference) => Iri::parse_unchecked(reference.to_string()),
                    Some(base) => Iri::parse_unchecked(
                        resolve(base, &reference).or_else(|error| fail("invalid base IRI", error.to_string()))?,
                    ),
                    None => return fail("invalid base IRI", format!("`{reference}` is relative to nothing")),
                };
                self.budget.spend(base.as_str().len())?;
                Some(Arc::new(base))
            }
            _ => return fail("invalid base IRI", "neither a string nor null"),
        };
        Arc::make_mut(result).base = base;
        Ok(())
    }

    fn set_vocab(&mut self, result: &mut Arc<Active>, value: &Json<'_>) -> Result<(), Error> {
        let vocab = match value {
            Json::Null => None,
            Json::String(vocab) => {
                let vocab = self.mended(vocab);
                if self.is_1_0() && !has_scheme(&vocab) && !vocab.starts_with("_:") {
                    return fail("invalid vocab mapping", format!("`{vocab}` is no absolute IRI"));
                }
                let is_open = self.options.repair && vocab.split_once("://").is_some_and(|(_, it)| is_schema_org(it));
                let vocab = if is_open && !vocab.ends_with('/') {
                    self.repaired("a vocabulary without slash");
                    &format!("{vocab}/")
                } else {
                    &*vocab
                };
                let iri = result.expand(vocab, true, true).filter(|iri| !has_keyword_form(iri));
                let Some(iri) = iri else { return fail("invalid vocab mapping", format!("`{vocab}` is no IRI")) };
                self.budget.spend(iri.len())?;
                Some(iri)
            }
            _ => return fail("invalid vocab mapping", "neither a string nor null"),
        };
        Arc::make_mut(result).vocab = vocab;
        Ok(())
    }
}

pub(super) fn direction(value: &Json<'_>) -> Result<Option<Dir>, Error> {
    match value {
        Json::Null => Ok(None),
        Json::String(name) if let Some(direction) = Dir::new(name) => Ok(Some(direction)),
        _ => fail("invalid base direction", "neither ltr nor rtl nor null"),
    }
}

/// Whether this is the address of schema.org but for its scheme: written so,
/// there is nothing else that it can mean.
pub(super) fn is_schema_org(address: &str) -> bool {
    matches!(address.trim_end_matches('/'), "schema.org" | "www.schema.org")
}
