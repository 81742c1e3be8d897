//! Resolves requested seeds: IRIs are used as they are, texts are looked up among labels.

use std::collections::HashMap;
use std::fmt;

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use super::labels::{LabelError, LabelIndex, LabelMatch, MatchQuality, collapse_whitespace};
use super::{SeedProblem, SeedProblemInput, SeedProblems};
use crate::seed_note::{SeedNote, SeedOrigin, TextMatch};

/// A seed before it is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedSeed {
    /// The IRI or the text to look up.
    pub spec: SeedSpec,
    /// Where the seed comes from.
    pub origin: SeedOrigin,
    /// Whether a missing match is an error.
    pub is_required: bool,
}

/// How a requested seed is identified.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SeedSpec {
    /// By its IRI.
    Iri(String),
    /// By a text that is looked up among labels.
    Text(String),
}

impl RequestedSeed {
    /// A required seed with this label.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self { spec: SeedSpec::Text(collapse_whitespace(text)), origin: SeedOrigin::Text, is_required: true }
    }
}

/// Resolved seeds and warnings about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedSeeds {
    /// The seeds, in the order of the request, without duplicates.
    pub notes: Vec<SeedNote>,
    /// Warnings about seeds, which do not prevent the crawl.
    pub warnings: Vec<SeedWarning>,
}

/// A warning about the resolution of seeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "warning", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SeedWarning {
    /// A text was looked up.
    Chosen {
        /// The text that was looked up.
        text: String,
        /// The matches that are used.
        taken: Vec<LabelMatch>,
        /// Other matches of the same quality, which are not used.
        others: Vec<LabelMatch>,
    },
    /// A text was looked up in an earlier run.
    Known {
        /// The text that was looked up.
        text: String,
        /// The entities that are used.
        taken: Vec<String>,
    },
    /// Some texts in instance data match no label.
    NoMatch {
        /// Number of texts.
        count: usize,
        /// The first few texts.
        examples: Vec<String>,
    },
    /// Some values in instance data are texts, and looking up texts was not requested.
    Literals {
        /// Number of texts.
        count: usize,
        /// The first few texts.
        examples: Vec<String>,
    },
    /// There were more values than the limit.
    Truncated {
        /// Number of values used.
        kept: usize,
        /// Number of values found.
        of: usize,
    },
    /// Part of a file could not be read.
    Fault {
        /// The name of the file.
        file: String,
        /// Why the rest of the file could not be read.
        what: String,
    },
    /// Seeds of a template were omitted, because a placeholder has no value.
    LeftOut {
        /// The seeds in the template, with placeholders.
        seeds: Vec<String>,
    },
    /// Some IRIs cannot be dereferenced.
    NotUrls {
        /// Number of IRIs.
        count: usize,
        /// The first one.
        example: String,
    },
}

/// Maximum number of other matches listed in a warning.
const MAX_LISTED_OTHERS: usize = 3;

/// Maximum number of texts listed in a warning.
const MAX_EXAMPLES: usize = 3;

impl fmt::Display for SeedWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen { text, taken, others } => {
                write!(formatter, "“{text}” is {}", join_matches(taken))?;
                if taken.first().is_some_and(|best| best.quality > MatchQuality::Folded) {
                    formatter.write_str("; no label matches exactly")?;
                }
                let listed: Vec<_> = others.iter().take(MAX_LISTED_OTHERS).cloned().collect();
                match (listed.is_empty(), others.len() - listed.len()) {
                    (true, _) => Ok(()),
                    (false, 0) => write!(formatter, "; also matches {}", join_matches(&listed)),
                    (false, more) => write!(formatter, "; also matches {}, and {more} more", join_matches(&listed)),
                }
            }
            Self::Known { text, taken } => write!(formatter, "“{text}” was resolved before: {}", taken.join(", ")),
            Self::NoMatch { count, examples } => {
                let subject = if *count == 1 { "text matches" } else { "texts match" };
                write!(formatter, "{count} {subject} no label: {}", quote_examples(*count, examples))
            }
            Self::Literals { count, examples } => {
                let subject = if *count == 1 { "value is a text and was" } else { "values are texts and were" };
                write!(formatter, "{count} {subject} not looked up: {}", quote_examples(*count, examples))
            }
            Self::Truncated { kept, of } => {
                write!(formatter, "the {kept} most frequent of {of} values are used")
            }
            Self::Fault { file, what } => write!(formatter, "{file}: {what}"),
            Self::LeftOut { seeds } => {
                write!(formatter, "omitted, because a placeholder has no value: {}", seeds.join(", "))
            }
            Self::NotUrls { count, example } => {
                let subject = if *count == 1 { "value is not a URL" } else { "values are not URLs" };
                let more = if *count == 1 { "" } else { ", …" };
                write!(formatter, "{count} {subject} and cannot be fetched: {example}{more}")
            }
        }
    }
}

fn join_matches(matches: &[LabelMatch]) -> String {
    matches.iter().map(LabelMatch::to_string).collect::<Vec<_>>().join(", ")
}

fn quote_examples(count: usize, texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().take(MAX_EXAMPLES).map(|text| format!("“{text}”")).collect();
    let more = if count > quoted.len() { ", …" } else { "" };
    quoted.join(", ") + more
}

/// Resolves requested seeds. If a seed in `known` was found by the same text, the text is not
/// looked up again. For all other texts, `open` opens the label index, and up to `matches` entities
/// are used per text. A required text without a match is a problem; all problems are reported at
/// once.
pub fn resolve_seeds<E: From<LabelError> + From<SeedProblems>>(
    requested: Vec<RequestedSeed>,
    known: &[SeedNote],
    matches: usize,
    open: impl FnOnce() -> Result<Box<dyn LabelIndex>, E>,
) -> Result<ResolvedSeeds, E> {
    let mut resolver = SeedResolver { matches, ..SeedResolver::default() };
    for note in known {
        if let Some(found) = &note.found {
            resolver.known.entry(found.text.clone()).or_default().push(note.clone());
        }
    }
    let texts = resolver.unknown_texts(&requested);
    if !texts.is_empty() {
        let labels = open()?;
        let found = labels.look_up(&texts, matches)?;
        resolver.found = texts.into_iter().zip(found).collect();
        let unfound = resolver.missing_required_texts(&requested);
        if !unfound.is_empty() {
            let near = labels.near_misses(&unfound)?;
            resolver.near = unfound.into_iter().zip(near).collect();
        }
    }
    for seed in requested {
        resolver.resolve(seed);
    }
    resolver.finish().map_err(E::from)
}

#[derive(Default)]
struct SeedResolver {
    matches: usize,
    known: HashMap<String, Vec<SeedNote>>,
    found: HashMap<String, Vec<LabelMatch>>,
    /// Similar labels, for texts without a match.
    near: HashMap<String, Vec<LabelMatch>>,
    resolved: ResolvedSeeds,
    /// Entities that are seeds.
    entities: HashSet<String>,
    /// Texts for which a warning or problem was already reported.
    reported: HashSet<String>,
    unfound: Vec<String>,
    not_urls: Vec<String>,
    problems: SeedProblems,
}

impl SeedResolver {
    /// The texts that must be looked up, without duplicates.
    fn unknown_texts(&self, requested: &[RequestedSeed]) -> Vec<String> {
        let mut seen = HashSet::default();
        let texts = requested.iter().filter_map(|seed| match &seed.spec {
            SeedSpec::Text(text) => Some(text),
            SeedSpec::Iri(_) => None,
        });
        texts.filter(|text| !self.known.contains_key(*text) && seen.insert(*text)).cloned().collect()
    }

    /// The required texts without a match.
    fn missing_required_texts(&self, requested: &[RequestedSeed]) -> Vec<String> {
        let required = requested.iter().filter(|seed| seed.is_required);
        let texts = required.filter_map(|seed| match &seed.spec {
            SeedSpec::Text(text) if self.found.get(text).is_some_and(Vec::is_empty) => Some(text.clone()),
            _ => None,
        });
        texts.collect()
    }

    fn resolve(&mut self, seed: RequestedSeed) {
        match seed.spec {
            SeedSpec::Iri(iri) => match SeedNote::from_iri(&iri, seed.origin, None) {
                Some(note) => self.add_seed(note),
                None => self.not_urls.push(iri),
            },
            SeedSpec::Text(text) => self.resolve_text(text, &seed.origin, seed.is_required),
        }
    }

    fn resolve_text(&mut self, text: String, origin: &SeedOrigin, is_required: bool) {
        let is_reported = !self.reported.insert(text.clone());
        if let Some(notes) = self.known.get(&text).cloned() {
            let taken = notes.iter().map(|note| note.entity().to_owned()).collect();
            for note in notes {
                self.add_seed(note);
            }
            self.resolved.warnings.extend((is_required && !is_reported).then_some(SeedWarning::Known { text, taken }));
            return;
        }
        let best = self.found.get(&text).cloned().unwrap_or_default();
        if best.is_empty() {
            match is_required {
                _ if is_reported => {}
                true => self
                    .problems
                    .push(not_found_problem(&text, self.near.get(&text).map(Vec::as_slice).unwrap_or_default())),
                false => self.unfound.push(text),
            }
            return;
        }
        let (taken, others) = best.split_at(self.matches.min(best.len()));
        for found in taken {
            let label = TextMatch { text: text.clone(), label: found.label.clone() };
            if let Some(note) = SeedNote::from_iri(&found.entity, origin.clone(), Some(label)) {
                self.add_seed(note);
            }
        }
        // A label that matches only partly is not listed as an alternative to one that matches
        // completely.
        let worst = taken.last().map_or(MatchQuality::Folded, |found| found.quality.max(MatchQuality::Folded));
        let others: Vec<LabelMatch> = others.iter().filter(|other| other.quality <= worst).cloned().collect();
        if is_required && !is_reported {
            self.resolved.warnings.push(SeedWarning::Chosen { text, taken: taken.to_vec(), others });
        }
    }

    fn add_seed(&mut self, note: SeedNote) {
        if self.entities.insert(note.entity().to_owned()) {
            self.resolved.notes.push(note);
        }
    }

    fn finish(mut self) -> Result<ResolvedSeeds, SeedProblems> {
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        let warnings = &mut self.resolved.warnings;
        if !self.unfound.is_empty() {
            let examples = self.unfound.iter().take(MAX_EXAMPLES).cloned().collect();
            warnings.push(SeedWarning::NoMatch { count: self.unfound.len(), examples });
        }
        if let Some(example) = self.not_urls.first() {
            warnings.push(SeedWarning::NotUrls { count: self.not_urls.len(), example: example.clone() });
        }
        Ok(self.resolved)
    }
}

fn not_found_problem(text: &str, near: &[LabelMatch]) -> SeedProblem {
    let hint = match near {
        [] => "use its URI, or import data with this label; seeds.labels_endpoint names a SPARQL endpoint to query \
               instead of the archive"
            .to_owned(),
        near => format!("did you mean {}?", near.iter().map(LabelMatch::to_string).collect::<Vec<_>>().join(", or ")),
    };
    SeedProblem {
        location: None,
        message: format!("no entity with the label “{text}”"),
        hint: Some(hint),
        input: Some(SeedProblemInput::Text(text.to_owned())),
    }
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
