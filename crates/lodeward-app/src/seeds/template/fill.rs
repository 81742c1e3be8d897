//! Fills templates: inserts values and produces requested seeds.

use std::collections::{BTreeMap, BTreeSet};

use super::{NameEscape, Placeholder, PlaceholderKind, SeedPattern, SeedPatternKind, Template, escape};
use crate::seed_note::SeedOrigin;
use crate::seeds::resolve::{RequestedSeed, SeedSpec};
use crate::seeds::{SeedProblem, SeedProblemInput, SeedProblems};
use lodeward::model::Uri;

/// The values of placeholders, by name. Each value of a placeholder produces a seed.
pub type PlaceholderValues = BTreeMap<String, Vec<String>>;

/// A template with inserted values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilledTemplate {
    /// The requested seeds.
    pub seeds: Vec<RequestedSeed>,
    /// Seeds that were omitted, because a placeholder has no value.
    pub left_out: Vec<String>,
}

/// One value for each placeholder of a seed.
type PlaceholderChoice<'t> = BTreeMap<&'t str, String>;

/// Maximum number of seeds that one seed of a template may produce.
const MAX_SEEDS_PER_PATTERN: usize = 10_000;

impl Template {
    /// Inserts values. All problems are reported at once.
    pub fn fill(&self, values: &PlaceholderValues) -> Result<FilledTemplate, SeedProblems> {
        let mut problems = SeedProblems::default();
        self.check(values, &mut problems);
        let mut filled = FilledTemplate::default();
        if problems.is_empty() {
            for seed in &self.seeds {
                self.fill_seed(seed, values, &mut filled, &mut problems);
            }
        }
        if problems.is_empty() { Ok(filled) } else { Err(problems) }
    }

    fn check(&self, values: &PlaceholderValues, problems: &mut SeedProblems) {
        for name in values.keys().filter(|name| self.placeholder(name).is_none()) {
            let names: Vec<String> = self.placeholders.iter().map(Placeholder::to_string).collect();
            problems.push(SeedProblem {
                location: Some(format!("template {}", self.name)),
                message: format!("unknown placeholder {{{name}}}"),
                hint: Some(if names.is_empty() {
                    "the template has no placeholders".to_owned()
                } else {
                    format!("known placeholders: {}", names.join(", "))
                }),
                input: Some(SeedProblemInput::Placeholder(name.clone())),
            });
        }
        for placeholder in &self.placeholders {
            let values = values.get(&placeholder.name).map(Vec::as_slice).unwrap_or_default();
            if values.is_empty() && placeholder.required {
                let Placeholder { name, description, .. } = placeholder;
                problems.push(SeedProblem {
                    location: Some(format!("template {}", self.name)),
                    message: format!("missing value of {{{name}}}"),
                    hint: Some(format!("set {{{name}}}: {description}")),
                    input: Some(SeedProblemInput::Placeholder(name.clone())),
                });
            }
            for value in values.iter().filter(|value| !is_value(value, placeholder.kind)) {
                problems.push(SeedProblem {
                    location: Some(format!("{{{}}} = {value}", placeholder.name)),
                    message: if value.trim().is_empty() { "empty value" } else { "not an absolute http or https IRI" }
                        .to_owned(),
                    hint: None,
                    input: Some(SeedProblemInput::Placeholder(placeholder.name.clone())),
                });
            }
        }
    }

    fn fill_seed(
        &self,
        seed: &SeedPattern,
        values: &PlaceholderValues,
        filled: &mut FilledTemplate,
        problems: &mut SeedProblems,
    ) {
        let choices = match self.choices(seed, values) {
            Ok(choices) => choices,
            Err(problem) => return problems.push(problem),
        };
        if choices.is_empty() {
            filled.left_out.push(seed.pattern.to_string());
        }
        for choice in choices {
            match self.seed_spec(seed, &choice) {
                Ok(spec) => {
                    let origin = self.origin(seed, &choice);
                    filled.seeds.push(RequestedSeed { spec, origin, is_required: true });
                }
                Err(problem) => problems.push(problem),
            }
        }
    }

    /// Returns all combinations of values; none if a placeholder has no value.
    fn choices<'t>(
        &'t self,
        seed: &'t SeedPattern,
        values: &PlaceholderValues,
    ) -> Result<Vec<PlaceholderChoice<'t>>, SeedProblem> {
        let mut choices = vec![PlaceholderChoice::new()];
        let names: BTreeSet<&str> = seed.pattern.placeholders().collect();
        for name in names {
            let default = self.placeholder(name).and_then(|placeholder| placeholder.default.clone());
            let values = values.get(name).cloned().unwrap_or_else(|| default.into_iter().collect());
            if choices.len().saturating_mul(values.len()) > MAX_SEEDS_PER_PATTERN {
                let message = format!("`{}` expands to more than {MAX_SEEDS_PER_PATTERN} seeds", seed.pattern);
                let location = Some(format!("template {}", self.name));
                return Err(SeedProblem { location, message, ..SeedProblem::default() });
            }
            let mut extended = Vec::with_capacity(choices.len() * values.len());
            for choice in &choices {
                for value in &values {
                    let mut choice = choice.clone();
                    choice.insert(name, value.trim().to_owned());
                    extended.push(choice);
                }
            }
            choices = extended;
        }
        Ok(choices)
    }

    /// The seed with these values.
    fn seed_spec(&self, seed: &SeedPattern, choice: &PlaceholderChoice<'_>) -> Result<SeedSpec, SeedProblem> {
        let kind = |name: &str| self.placeholder(name).map_or(PlaceholderKind::Text, |placeholder| placeholder.kind);
        // If an IRI is given as the value of a name, and the seed has no other name, the IRI
        // replaces the seed.
        let mut names = seed.pattern.placeholders().filter(|name| kind(name) != PlaceholderKind::Iri);
        if let (Some(name), None) = (names.next(), names.next())
            && is_iri(&choice[name])
            && seed.pattern.ends_in_name(name, |other| kind(other) == PlaceholderKind::Iri)
        {
            return Ok(SeedSpec::Iri(choice[name].clone()));
        }
        let escape = match seed.kind {
            SeedPatternKind::Iri(_)
                if seed.pattern.sole_placeholder().is_some_and(|name| kind(name) == PlaceholderKind::Label) =>
            {
                return Ok(SeedSpec::Text(seed.pattern.fill(choice)));
            }
            SeedPatternKind::Text => {
                let names = choice.iter().map(|(name, value)| (*name, to_name(value))).collect();
                return Ok(SeedSpec::Text(seed.pattern.fill(&names)));
            }
            SeedPatternKind::Iri(escape) => escape,
        };
        let iri = iri(seed, choice, escape, kind);
        let problem = |error: lodeward::model::UriError| SeedProblem {
            location: Some(format!("template {}", self.name)),
            message: format!("`{}` expands to `{iri}`: {error}", seed.pattern),
            ..SeedProblem::default()
        };
        Uri::parse(&iri).map_err(problem)?;
        Ok(SeedSpec::Iri(iri))
    }

    fn origin(&self, seed: &SeedPattern, choice: &PlaceholderChoice<'_>) -> SeedOrigin {
        // Default values are not part of the origin.
        let is_default = |name: &str, value: &str| {
            self.placeholder(name).is_some_and(|placeholder| placeholder.default.as_deref() == Some(value))
        };
        let set = choice.iter().filter(|(name, value)| !is_default(name, value));
        SeedOrigin::Template {
            template: self.name.clone(),
            seed: seed.pattern.to_string(),
            values: set.map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        }
    }
}

fn iri(
    seed: &SeedPattern,
    choice: &PlaceholderChoice<'_>,
    escape: NameEscape,
    kind: impl Fn(&str) -> PlaceholderKind,
) -> String {
    let escaped = choice.iter().map(|(name, value)| match kind(name) {
        PlaceholderKind::Iri => (*name, value.clone()),
        PlaceholderKind::Text | PlaceholderKind::Label => (*name, escape.escape(&to_name(value))),
    });
    let escaped: BTreeMap<&str, String> = escaped.collect();
    let has_name = seed.pattern.placeholders().any(|name| kind(name) != PlaceholderKind::Iri);
    let iri = seed.pattern.fill(&escaped);
    if !has_name {
        return iri;
    }
    // A slash in a name, as in “Input/output”, does not separate two parts of the IRI.
    let without_slashes = escaped.into_iter().map(|(name, value)| match kind(name) {
        PlaceholderKind::Iri => (name, value),
        PlaceholderKind::Text | PlaceholderKind::Label => (name, value.replace('/', "_")),
    });
    let begin = seed.pattern.fill(&without_slashes.collect()).rfind('/').map_or(0, |slash| slash + 1);
    escape.capitalize_name(iri, begin)
}

fn is_value(value: &str, kind: PlaceholderKind) -> bool {
    !value.trim().is_empty() && (kind != PlaceholderKind::Iri || is_iri(value.trim()))
}

fn is_iri(value: &str) -> bool {
    (value.starts_with("http://") || value.starts_with("https://")) && Uri::parse(value).is_ok()
}

/// Returns a value as a name. The name of an IRI is its last part.
fn to_name(value: &str) -> String {
    if is_iri(value) { escape::name_from_iri(value) } else { value.to_owned() }
}

impl std::fmt::Display for Placeholder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{{{}}}", self.name)
    }
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;
