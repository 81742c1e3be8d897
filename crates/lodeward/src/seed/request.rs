//! Everything that somebody wants to begin at.

use super::Problems;
use super::instance::Extracted;
use super::labels::{LabelError, LabelIndex};
use super::origin::Note;
use super::template::{Template, Values};
use super::wish::{Granted, Remark, Wish, grant};

/// Everything that somebody wants to begin at, in the order in which seeds come
/// of it.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Seeds that were given as URIs.
    pub given: Vec<Note>,
    /// Names of entities.
    pub texts: Vec<String>,
    /// A template, and what is put in.
    pub template: Option<(Template, Values)>,
    /// What was found in instance data.
    pub instances: Extracted,
    /// Entities that are taken for a text.
    pub matches: usize,
}

impl Request {
    /// Makes seeds of it: see [`grant`].
    pub fn grant<E: From<LabelError> + From<Problems>>(
        self,
        known: &[Note],
        open: impl FnOnce() -> Result<Box<dyn LabelIndex>, E>,
    ) -> Result<Granted, E> {
        let mut granted = Granted { notes: self.given, remarks: Vec::new() };
        let mut wishes: Vec<Wish> = self.texts.iter().map(|text| Wish::of_text(text)).collect();
        if let Some((template, values)) = &self.template {
            let filled = template.fill(values)?;
            wishes.extend(filled.wishes);
            let seeds = filled.left_out;
            granted.remarks.extend((!seeds.is_empty()).then_some(Remark::LeftOut { seeds }));
        }
        wishes.extend(self.instances.wishes);
        granted.remarks.extend(self.instances.remarks);
        let Granted { notes, remarks } = grant(wishes, known, self.matches, open)?;
        granted.notes.extend(notes);
        granted.remarks.extend(remarks);
        Ok(granted)
    }
}
