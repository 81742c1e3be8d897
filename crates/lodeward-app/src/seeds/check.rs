//! Checks a request for seeds line by line before a crawl starts, and the seeds as a whole.

use std::collections::HashMap;

use foldhash::HashSet;
use lodeward_archive::{Archive, ArchiveError};

use super::labels::{LabelError, LabelIndex, LabelMatch, collapse_whitespace, labels_of_entities};
use super::neighbourhood::{SeedNeighbourhood, measure_neighbourhood};
use super::{ResolvedSeeds, SeedProblem, SeedProblems, SeedWarning, parse_uris};
use crate::seed_note::SeedNote;
use crate::settings::Config;
use lodeward::model::Uri;

/// Maximum number of entities to choose from, per label.
const MAX_CHOICES: usize = 8;

/// Maximum number of seeds whose labels are read.
const MAX_LABELLED: usize = 500;

/// A request to check.
pub struct SeedCheckRequest<'a> {
    /// URIs of seeds.
    pub uris: &'a [String],
    /// Labels of seeds.
    pub labels: &'a [String],
    /// The seeds of a template and of instance data, or what is wrong with them.
    pub others: Result<ResolvedSeeds, SeedProblems>,
    /// Returns why a URI may not be crawled; `None` if it may be crawled.
    pub violation: &'a dyn Fn(&Uri) -> Option<String>,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct SeedCheck {
    /// The state of each URI, in the order of the request.
    pub uris: Vec<CheckedLine>,
    /// The state of each label, in the order of the request.
    pub labels: Vec<CheckedLine>,
    /// The seeds of template and instance data.
    pub others: Vec<SeedNote>,
    /// Warnings about the seeds of template and instance data.
    pub warnings: Vec<SeedWarning>,
    /// Problems with the seeds of template and instance data.
    pub problems: SeedProblems,
    /// Labels of seeds, by entity, as far as the archive has them.
    pub names: HashMap<String, String>,
    /// How the seeds are linked in the archive.
    pub neighbourhood: SeedNeighbourhood,
    /// The documents to fetch, without duplicates.
    pub documents: Vec<Uri>,
}

/// A checked URI or label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLine {
    /// The URI or label of the request.
    pub text: String,
    /// The state of the line.
    pub state: SeedLineState,
    /// The entity that becomes a seed.
    pub entity: Option<String>,
    /// Entities with this label, the best match first; or with similar labels, if there is none.
    pub choices: Vec<LabelMatch>,
    /// What is wrong.
    pub detail: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The state of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedLineState {
    /// The line is a seed.
    Valid,
    /// Several entities have this label equally well; the first one is used.
    Ambiguous,
    /// No entity has this label.
    Unknown,
    /// The line is not a URI that can be fetched.
    Invalid,
    /// The policy of the service forbids this URI.
    Blocked,
    /// An earlier line is the same seed.
    Duplicate,
}

impl CheckedLine {
    fn new(text: &str, state: SeedLineState) -> Self {
        Self { text: text.to_owned(), state, entity: None, choices: Vec::new(), detail: None, hint: None }
    }

    fn is_seed(&self) -> bool {
        matches!(self.state, SeedLineState::Valid | SeedLineState::Ambiguous)
    }
}

/// Checks a request. Nothing is fetched; labels are looked up in `labels`. Blocks.
pub fn check_seeds(
    config: &Config,
    archive: &Archive,
    request: SeedCheckRequest<'_>,
    labels: &dyn LabelIndex,
) -> Result<SeedCheck, LabelError> {
    let mut known = HashSet::default();
    let mut check = SeedCheck {
        uris: request.uris.iter().map(|uri| check_uri(uri, request.violation, &mut known)).collect(),
        labels: check_labels(request.labels, labels, request.violation, &mut known)?,
        ..SeedCheck::default()
    };
    match request.others {
        Ok(ResolvedSeeds { notes, warnings }) => {
            check.others = notes.into_iter().filter(|note| known.insert(note.entity().to_owned())).collect();
            check.warnings = warnings;
        }
        Err(problems) => check.problems = problems,
    }
    for note in &check.others {
        if let Some(violation) = (request.violation)(&note.uri) {
            let location = Some(format!("`{}`", note.uri));
            check.problems.push(SeedProblem { location, message: violation, ..SeedProblem::default() });
        }
    }
    describe(config, archive, &mut check)?;
    Ok(check)
}

fn check_uri(text: &str, violation: &dyn Fn(&Uri) -> Option<String>, known: &mut HashSet<String>) -> CheckedLine {
    let note = match parse_uris(&[text.to_owned()]) {
        Ok(notes) => notes.into_iter().next(),
        Err(problems) => {
            let problem = problems.first().first().cloned().unwrap_or_default();
            let line = CheckedLine::new(text, SeedLineState::Invalid);
            return CheckedLine { detail: Some(problem.message), hint: problem.hint, ..line };
        }
    };
    let Some(note) = note else { return CheckedLine::new(text, SeedLineState::Invalid) };
    let entity = note.entity().to_owned();
    if let Some(violation) = violation(&note.uri) {
        let line = CheckedLine::new(text, SeedLineState::Blocked);
        return CheckedLine { detail: Some(violation), entity: Some(entity), ..line };
    }
    let state = if known.insert(entity.clone()) { SeedLineState::Valid } else { SeedLineState::Duplicate };
    CheckedLine { entity: Some(entity), ..CheckedLine::new(text, state) }
}

fn check_labels(
    texts: &[String],
    labels: &dyn LabelIndex,
    violation: &dyn Fn(&Uri) -> Option<String>,
    known: &mut HashSet<String>,
) -> Result<Vec<CheckedLine>, LabelError> {
    let texts: Vec<String> = texts.iter().map(|text| collapse_whitespace(text)).collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let found = labels.look_up(&texts, 1)?;
    let unfound: Vec<String> =
        texts.iter().zip(&found).filter(|(_, found)| found.is_empty()).map(|(text, _)| text.clone()).collect();
    let near = if unfound.is_empty() { Vec::new() } else { labels.near_misses(&unfound)? };
    let mut near = near.into_iter();
    let mut lines = Vec::new();
    for (text, mut choices) in texts.iter().zip(found) {
        if choices.is_empty() {
            let line = CheckedLine::new(text, SeedLineState::Unknown);
            let detail = Some(format!("no entity with the label “{text}”"));
            lines.push(CheckedLine { detail, choices: near.next().unwrap_or_default(), ..line });
            continue;
        }
        choices.truncate(MAX_CHOICES);
        let best = choices[0].clone();
        let is_ambiguous = choices.get(1).is_some_and(|second| second.quality == best.quality);
        let mut line = CheckedLine::new(text, SeedLineState::Valid);
        let blocked = Uri::parse(&best.entity).ok().and_then(|uri| violation(&uri));
        line.state = match &blocked {
            Some(_) => SeedLineState::Blocked,
            None if !known.insert(best.entity.clone()) => SeedLineState::Duplicate,
            None if is_ambiguous => SeedLineState::Ambiguous,
            None => SeedLineState::Valid,
        };
        lines.push(CheckedLine { entity: Some(best.entity), choices, detail: blocked, ..line });
    }
    Ok(lines)
}

/// Adds names, documents and links of the seeds.
fn describe(config: &Config, archive: &Archive, check: &mut SeedCheck) -> Result<(), ArchiveError> {
    let lines = check.uris.iter().chain(&check.labels).filter(|line| line.is_seed());
    let own = lines.filter_map(|line| line.entity.clone());
    let entities: Vec<String> = own.chain(check.others.iter().map(|note| note.entity().to_owned())).collect();
    let mut seen = HashSet::default();
    let documents = entities.iter().filter_map(|entity| Uri::parse(entity).ok());
    check.documents = documents.filter(|uri| seen.insert(uri.clone())).collect();
    let snapshot = archive.snapshot();
    check.names = labels_of_entities(config, &snapshot, entities.iter().take(MAX_LABELLED))?;
    check.neighbourhood = measure_neighbourhood(config, &snapshot, &entities, &check.names)?;
    Ok(())
}
