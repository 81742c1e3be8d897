//! From a template and values to wishes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Escape, Kind, Placeholder, Reading, SeedPattern, Template, escape};
use crate::model::Uri;
use crate::seed::origin::Origin;
use crate::seed::wish::{Wanted, Wish};
use crate::seed::{Problem, Problems};

/// What is put in for placeholders, by their names. Several values make several
/// seeds.
pub type Values = BTreeMap<String, Vec<String>>;

/// A template with values put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The seeds that it asks for.
    pub wishes: Vec<Wish>,
    /// Seeds that were left out, for their placeholders have no value.
    pub left_out: Vec<String>,
}

/// One value for each placeholder of a seed.
type Choice<'t> = BTreeMap<&'t str, String>;

/// Seeds that one line of a template may become.
const SEEDS_PER_PATTERN_MAX: usize = 10_000;

impl Template {
    /// Puts values in. Tells all that is wrong with them at once.
    pub fn fill(&self, values: &Values) -> Result<Filled, Problems> {
        let mut problems = Problems::default();
        self.check(values, &mut problems);
        let mut filled = Filled::default();
        if problems.is_empty() {
            for seed in &self.seeds {
                self.fill_seed(seed, values, &mut filled, &mut problems);
            }
        }
        if problems.is_empty() { Ok(filled) } else { Err(problems) }
    }

    fn check(&self, values: &Values, problems: &mut Problems) {
        for name in values.keys().filter(|name| self.placeholder(name).is_none()) {
            let names: Vec<String> = self.placeholders.iter().map(Placeholder::to_string).collect();
            problems.push(Problem {
                place: Some(format!("the template {}", self.name)),
                what: format!("it has no placeholder {{{name}}}"),
                hint: Some(if names.is_empty() {
                    "it has none".to_owned()
                } else {
                    format!("it has {}", names.join(", "))
                }),
            });
        }
        for placeholder in &self.placeholders {
            let given = values.get(&placeholder.name).map(Vec::as_slice).unwrap_or_default();
            if given.is_empty() && placeholder.required {
                let Placeholder { name, description, .. } = placeholder;
                problems.push(Problem {
                    place: Some(format!("the template {}", self.name)),
                    what: format!("{{{name}}} has no value"),
                    hint: Some(format!("give it one: {description}")),
                });
            }
            for value in given.iter().filter(|value| !is_value(value, placeholder.kind)) {
                problems.push(Problem {
                    place: Some(format!("{{{}}} = {value}", placeholder.name)),
                    what: if value.trim().is_empty() { "empty" } else { "not an absolute http or https IRI" }
                        .to_owned(),
                    hint: None,
                });
            }
        }
    }

    fn fill_seed(&self, seed: &SeedPattern, values: &Values, filled: &mut Filled, problems: &mut Problems) {
        let choices = match self.choices(seed, values) {
            Ok(choices) => choices,
            Err(problem) => return problems.push(problem),
        };
        if choices.is_empty() {
            filled.left_out.push(seed.pattern.to_string());
        }
        for choice in choices {
            match self.wanted(seed, &choice) {
                Ok(wanted) => filled.wishes.push(Wish { wanted, origin: self.origin(seed, &choice), is_needed: true }),
                Err(problem) => problems.push(problem),
            }
        }
    }

    /// All ways to put in values; none if there is no value for a placeholder.
    fn choices<'t>(&'t self, seed: &'t SeedPattern, values: &Values) -> Result<Vec<Choice<'t>>, Problem> {
        let mut choices = vec![Choice::new()];
        let names: BTreeSet<&str> = seed.pattern.placeholders().collect();
        for name in names {
            let default = self.placeholder(name).and_then(|placeholder| placeholder.default.clone());
            let given = values.get(name).cloned().unwrap_or_else(|| default.into_iter().collect());
            if choices.len().saturating_mul(given.len()) > SEEDS_PER_PATTERN_MAX {
                let what = format!("`{}` would be more than {SEEDS_PER_PATTERN_MAX} seeds", seed.pattern);
                return Err(Problem { place: Some(format!("the template {}", self.name)), what, hint: None });
            }
            let mut further = Vec::with_capacity(choices.len() * given.len());
            for choice in &choices {
                for value in &given {
                    let mut choice = choice.clone();
                    choice.insert(name, value.trim().to_owned());
                    further.push(choice);
                }
            }
            choices = further;
        }
        Ok(choices)
    }

    /// What a seed is with these values.
    fn wanted(&self, seed: &SeedPattern, choice: &Choice<'_>) -> Result<Wanted, Problem> {
        let kind = |name: &str| self.placeholder(name).map_or(Kind::Text, |placeholder| placeholder.kind);
        // An IRI for a name stands for all of the seed, if that has no other name.
        let mut names = seed.pattern.placeholders().filter(|name| kind(name) != Kind::Iri);
        if let (Some(name), None) = (names.next(), names.next())
            && is_iri(&choice[name])
            && seed.pattern.is_named_by(name, |other| kind(other) == Kind::Iri)
        {
            return Ok(Wanted::Iri(choice[name].clone()));
        }
        let escape = match seed.reading {
            Reading::Iri(_) if seed.pattern.alone().is_some_and(|name| kind(name) == Kind::Label) => {
                return Ok(Wanted::Text(seed.pattern.filled(choice)));
            }
            Reading::Text => {
                let put = choice.iter().map(|(name, value)| (*name, as_name(value))).collect();
                return Ok(Wanted::Text(seed.pattern.filled(&put)));
            }
            Reading::Iri(escape) => escape,
        };
        let iri = iri(seed, choice, escape, kind);
        let problem = |error: crate::model::UriError| Problem {
            place: Some(format!("the template {}", self.name)),
            what: format!("`{}` becomes `{iri}`: {error}", seed.pattern),
            hint: None,
        };
        Uri::parse(&iri).map_err(problem)?;
        Ok(Wanted::Iri(iri))
    }

    fn origin(&self, seed: &SeedPattern, choice: &Choice<'_>) -> Origin {
        // What nobody set is not worth telling.
        let is_default = |name: &str, value: &str| {
            self.placeholder(name).is_some_and(|placeholder| placeholder.default.as_deref() == Some(value))
        };
        let told = choice.iter().filter(|(name, value)| !is_default(name, value));
        Origin::Template {
            template: self.name.clone(),
            seed: seed.pattern.to_string(),
            values: told.map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        }
    }
}

fn iri(seed: &SeedPattern, choice: &Choice<'_>, escape: Escape, kind: impl Fn(&str) -> Kind) -> String {
    let put = choice.iter().map(|(name, value)| match kind(name) {
        Kind::Iri => (*name, value.clone()),
        Kind::Text | Kind::Label => (*name, escape.escaped(&as_name(value))),
    });
    let put: BTreeMap<&str, String> = put.collect();
    let has_name = seed.pattern.placeholders().any(|name| kind(name) != Kind::Iri);
    let iri = seed.pattern.filled(&put);
    if !has_name {
        return iri;
    }
    // A slash in a name, as in “Input/output”, does not end a part of the IRI.
    let hidden = put.into_iter().map(|(name, value)| match kind(name) {
        Kind::Iri => (name, value),
        Kind::Text | Kind::Label => (name, value.replace('/', "_")),
    });
    let begin = seed.pattern.filled(&hidden.collect()).rfind('/').map_or(0, |slash| slash + 1);
    escape.finished(iri, begin)
}

fn is_value(value: &str, kind: Kind) -> bool {
    !value.trim().is_empty() && (kind != Kind::Iri || is_iri(value.trim()))
}

fn is_iri(value: &str) -> bool {
    (value.starts_with("http://") || value.starts_with("https://")) && Uri::parse(value).is_ok()
}

/// A value as a name, also where an IRI was given for it.
fn as_name(value: &str) -> String {
    if is_iri(value) { escape::name_of(value) } else { value.to_owned() }
}

impl std::fmt::Display for Placeholder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{{{}}}", self.name)
    }
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;
