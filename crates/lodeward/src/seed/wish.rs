//! From what somebody wants to seeds.

use std::collections::HashMap;
use std::fmt;

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use super::labels::{Fit, LabelError, LabelIndex, Match, spaced};
use super::origin::{Found, Note, Origin};
use super::{Problem, Problems};

/// A seed that somebody wants, as they know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// What they know of it.
    pub wanted: Wanted,
    /// Where the wish comes from.
    pub origin: Origin,
    /// Whether it is a problem if it cannot be had.
    pub is_needed: bool,
}

/// What is known of a seed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Its IRI.
    Iri(String),
    /// What it is called.
    Text(String),
}

impl Wish {
    /// A seed that somebody wrote the name of.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self { wanted: Wanted::Text(spaced(text)), origin: Origin::Text, is_needed: true }
    }
}

/// Seeds, and what whoever wants them should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// The seeds, in the order of the wishes, each once.
    pub notes: Vec<Note>,
    /// What there is to say of them.
    pub remarks: Vec<Remark>,
}

/// Something that whoever wants seeds should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "remark", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remark {
    /// A text has been looked up.
    Chosen {
        /// The text.
        text: String,
        /// Who was taken.
        taken: Vec<Match>,
        /// Who else is called so.
        others: Vec<Match>,
    },
    /// A text was looked up before.
    Known {
        /// The text.
        text: String,
        /// Who was taken then.
        taken: Vec<String>,
    },
    /// Some texts in instance data are no labels.
    Unfound {
        /// How many.
        count: usize,
        /// The first few.
        examples: Vec<String>,
    },
    /// Some values in instance data are texts, and nobody asked to look them up.
    Literals {
        /// How many.
        count: usize,
        /// The first few.
        examples: Vec<String>,
    },
    /// There were more seeds than wanted.
    Cut {
        /// So many are left.
        kept: usize,
        /// Of so many.
        of: usize,
    },
    /// Part of a file could not be read.
    Fault {
        /// The file.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// Seeds of a template were left out, for their placeholders have no value.
    LeftOut {
        /// As the template has them.
        seeds: Vec<String>,
    },
    /// What is named cannot be dereferenced.
    NoAddress {
        /// How many.
        count: usize,
        /// The first of them.
        example: String,
    },
}

/// Entities of the same name that are told.
const OTHERS_TOLD: usize = 3;

/// Texts that are told as examples.
const EXAMPLES_TOLD: usize = 3;

impl fmt::Display for Remark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen { text, taken, others } => {
                write!(formatter, "“{text}” is {}", listed(taken))?;
                if taken.first().is_some_and(|best| best.fit > Fit::Folded) {
                    formatter.write_str("; nothing is called exactly so")?;
                }
                let told: Vec<_> = others.iter().take(OTHERS_TOLD).cloned().collect();
                match (told.is_empty(), others.len() - told.len()) {
                    (true, _) => Ok(()),
                    (false, 0) => write!(formatter, "; or it may be {}", listed(&told)),
                    (false, more) => write!(formatter, "; or it may be {}, or one of {more} more", listed(&told)),
                }
            }
            Self::Known { text, taken } => write!(formatter, "“{text}” was found before: {}", taken.join(", ")),
            Self::Unfound { count, examples } => {
                write!(formatter, "texts that are nobody's label: {count}, as {}", quoted(examples))
            }
            Self::Literals { count, examples } => {
                write!(formatter, "values that are texts, and were not looked up: {count}, as {}", quoted(examples))
            }
            Self::Cut { kept, of } => {
                write!(formatter, "of {of} values the {kept} most frequent are taken")
            }
            Self::Fault { file, what } => write!(formatter, "{file}: {what}"),
            Self::LeftOut { seeds } => {
                write!(formatter, "left out, for nobody said what to put in: {}", seeds.join(", "))
            }
            Self::NoAddress { count, example } => {
                write!(formatter, "values that are no addresses and cannot be visited: {count}, as {example}")
            }
        }
    }
}

fn listed(matches: &[Match]) -> String {
    matches.iter().map(Match::to_string).collect::<Vec<_>>().join(", ")
}

fn quoted(texts: &[String]) -> String {
    let told: Vec<String> = texts.iter().take(EXAMPLES_TOLD).map(|text| format!("“{text}”")).collect();
    told.join(", ")
}

/// Makes seeds of wishes. A text that a seed in `known` was found for is not
/// looked up again; if there are others, `open` is asked for labels, and up to
/// `matches` entities are taken for each. What is needed and cannot be had is a
/// problem, and all problems are told at once.
pub fn grant<E: From<LabelError> + From<Problems>>(
    wishes: Vec<Wish>,
    known: &[Note],
    matches: usize,
    open: impl FnOnce() -> Result<Box<dyn LabelIndex>, E>,
) -> Result<Granted, E> {
    let mut granting = Granting { matches, ..Granting::default() };
    for note in known {
        if let Some(found) = &note.found {
            granting.known.entry(found.text.clone()).or_default().push(note.clone());
        }
    }
    let texts = granting.unknown_texts(&wishes);
    if !texts.is_empty() {
        let labels = open()?;
        let answers = labels.look_up(&texts, matches)?;
        granting.answers = texts.into_iter().zip(answers).collect();
        let unfound = granting.needed_and_unfound(&wishes);
        if !unfound.is_empty() {
            let near = labels.near_misses(&unfound)?;
            granting.near = unfound.into_iter().zip(near).collect();
        }
    }
    for wish in wishes {
        granting.grant(wish);
    }
    granting.finish().map_err(E::from)
}

#[derive(Default)]
struct Granting {
    matches: usize,
    known: HashMap<String, Vec<Note>>,
    answers: HashMap<String, Vec<Match>>,
    /// Who is called nearly so, for texts that were not found.
    near: HashMap<String, Vec<Match>>,
    granted: Granted,
    /// Entities that are seeds.
    taken: HashSet<String>,
    /// Texts that have been told of.
    told: HashSet<String>,
    unfound: Vec<String>,
    no_address: Vec<String>,
    problems: Problems,
}

impl Granting {
    /// The texts that must be looked up, each once.
    fn unknown_texts(&self, wishes: &[Wish]) -> Vec<String> {
        let mut seen = HashSet::default();
        let texts = wishes.iter().filter_map(|wish| match &wish.wanted {
            Wanted::Text(text) => Some(text),
            Wanted::Iri(_) => None,
        });
        texts.filter(|text| !self.known.contains_key(*text) && seen.insert(*text)).cloned().collect()
    }

    /// The texts that were looked up in vain, and are a problem.
    fn needed_and_unfound(&self, wishes: &[Wish]) -> Vec<String> {
        let needed = wishes.iter().filter(|wish| wish.is_needed);
        let texts = needed.filter_map(|wish| match &wish.wanted {
            Wanted::Text(text) if self.answers.get(text).is_some_and(Vec::is_empty) => Some(text.clone()),
            _ => None,
        });
        texts.collect()
    }

    fn grant(&mut self, wish: Wish) {
        match wish.wanted {
            Wanted::Iri(iri) => match Note::of_iri(&iri, wish.origin, None) {
                Some(note) => self.take(note),
                None => self.no_address.push(iri),
            },
            Wanted::Text(text) => self.look_up(text, &wish.origin, wish.is_needed),
        }
    }

    fn look_up(&mut self, text: String, origin: &Origin, is_needed: bool) {
        let is_told = !self.told.insert(text.clone());
        if let Some(notes) = self.known.get(&text).cloned() {
            let taken = notes.iter().map(|note| note.entity().to_owned()).collect();
            for note in notes {
                self.take(note);
            }
            self.granted.remarks.extend((is_needed && !is_told).then_some(Remark::Known { text, taken }));
            return;
        }
        let best = self.answers.get(&text).cloned().unwrap_or_default();
        if best.is_empty() {
            match is_needed {
                _ if is_told => {}
                true => self.problems.push(unfound(&text, self.near.get(&text).map(Vec::as_slice).unwrap_or_default())),
                false => self.unfound.push(text),
            }
            return;
        }
        let (taken, others) = best.split_at(self.matches.min(best.len()));
        for found in taken {
            let label = Found { text: text.clone(), label: found.label.clone() };
            if let Some(note) = Note::of_iri(&found.entity, origin.clone(), Some(label)) {
                self.take(note);
            }
        }
        // Whoever is called so only in part is nobody one would confuse it with.
        let worst = taken.last().map_or(Fit::Folded, |found| found.fit.max(Fit::Folded));
        let others: Vec<Match> = others.iter().filter(|other| other.fit <= worst).cloned().collect();
        if is_needed && !is_told {
            self.granted.remarks.push(Remark::Chosen { text, taken: taken.to_vec(), others });
        }
    }

    fn take(&mut self, note: Note) {
        if self.taken.insert(note.entity().to_owned()) {
            self.granted.notes.push(note);
        }
    }

    fn finish(mut self) -> Result<Granted, Problems> {
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        let remarks = &mut self.granted.remarks;
        if !self.unfound.is_empty() {
            let examples = self.unfound.iter().take(EXAMPLES_TOLD).cloned().collect();
            remarks.push(Remark::Unfound { count: self.unfound.len(), examples });
        }
        if let Some(example) = self.no_address.first() {
            remarks.push(Remark::NoAddress { count: self.no_address.len(), example: example.clone() });
        }
        Ok(self.granted)
    }
}

fn unfound(text: &str, near: &[Match]) -> Problem {
    let hint = match near {
        [] => "give its URI, or look elsewhere: the archive has labels of what was crawled or imported, and \
               seeds.labels_at names a SPARQL endpoint that is asked instead"
            .to_owned(),
        near => format!("did you mean {} ?", near.iter().map(Match::to_string).collect::<Vec<_>>().join(", or ")),
    };
    Problem { place: Some(format!("“{text}”")), what: "nothing is called so".to_owned(), hint: Some(hint) }
}

#[cfg(test)]
#[path = "wish_tests.rs"]
mod tests;
