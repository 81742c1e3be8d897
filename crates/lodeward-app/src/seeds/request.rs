//! The request for seeds of all kinds.

use super::SeedProblems;
use super::instance::InstanceValues;
use super::labels::{LabelError, LabelIndex};
use super::resolve::{RequestedSeed, ResolvedSeeds, SeedWarning, resolve_seeds};
use super::template::{PlaceholderValues, Template};
use crate::seed_note::SeedNote;

/// A request for seeds of all kinds. The seeds are resolved in the order of the fields.
#[derive(Clone, Debug, Default)]
pub struct SeedRequest {
    /// Seeds that are URIs.
    pub seeds: Vec<SeedNote>,
    /// Labels to look up.
    pub labels: Vec<String>,
    /// A template and the values of its placeholders.
    pub template: Option<(Template, PlaceholderValues)>,
    /// Values of instance data.
    pub instances: InstanceValues,
    /// Maximum number of entities used per label.
    pub max_matches: usize,
}

impl SeedRequest {
    /// Resolves the request: see [`resolve_seeds`].
    pub fn resolve<E: From<LabelError> + From<SeedProblems>>(
        self,
        known: &[SeedNote],
        open: impl FnOnce() -> Result<Box<dyn LabelIndex>, E>,
    ) -> Result<ResolvedSeeds, E> {
        let mut resolved = ResolvedSeeds { notes: self.seeds, warnings: Vec::new() };
        let mut requested: Vec<RequestedSeed> = self.labels.iter().map(|text| RequestedSeed::from_text(text)).collect();
        if let Some((template, values)) = &self.template {
            let filled = template.fill(values)?;
            requested.extend(filled.seeds);
            let seeds = filled.left_out;
            resolved.warnings.extend((!seeds.is_empty()).then_some(SeedWarning::LeftOut { seeds }));
        }
        requested.extend(self.instances.seeds);
        resolved.warnings.extend(self.instances.warnings);
        let ResolvedSeeds { notes, warnings } = resolve_seeds(requested, known, self.max_matches, open)?;
        resolved.notes.extend(notes);
        resolved.warnings.extend(warnings);
        Ok(resolved)
    }
}
