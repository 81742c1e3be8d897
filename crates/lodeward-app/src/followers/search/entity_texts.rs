//! The texts of an entity: bounded, safe to print, and in an order that does not depend on the order
//! of its statements.

use lodeward_search::entity::TaggedText;
use lodeward_search::index::Bounds;
use oxrdf::Literal;
use oxrdf::vocab::xsd;

use super::predicates::PredicateRole;
use crate::display_text::single_line;

/// Maximum length of a description or another literal in bytes; the rest is cut.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// The texts of an entity, by role.
#[derive(Default)]
pub(super) struct IndexedTexts {
    labels: Vec<(u8, u8, String, Option<String>)>,
    aliases: Vec<(u8, String, Option<String>)>,
    descriptions: Vec<(u8, String, Option<String>)>,
    literals: Vec<(u8, String, Option<String>)>,
}

/// The texts of an entity in their final order.
pub(super) struct OrderedTexts {
    pub(super) labels: Vec<TaggedText>,
    pub(super) aliases: Vec<TaggedText>,
    pub(super) descriptions: Vec<TaggedText>,
    pub(super) literals: Vec<TaggedText>,
}

impl IndexedTexts {
    pub(super) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.aliases.is_empty() && self.descriptions.is_empty() && self.literals.is_empty()
    }

    /// Adds a literal. Numbers with fractions and truth values are no text.
    pub(super) fn add(&mut self, role: PredicateRole, literal: &Literal, languages: &[String]) {
        if [xsd::DOUBLE, xsd::FLOAT, xsd::DECIMAL, xsd::BOOLEAN].contains(&literal.datatype()) {
            return;
        }
        let max = match role {
            PredicateRole::Label(_) | PredicateRole::Alias => Bounds::default().max_name_bytes,
            _ => MAX_TEXT_BYTES,
        };
        let value = literal.value();
        let text = single_line(value[..value.floor_char_boundary(max)].trim()).into_owned();
        if text.is_empty() {
            return;
        }
        let language = literal.language().map(str::to_ascii_lowercase);
        let order = language_order(language.as_deref(), languages);
        match role {
            PredicateRole::Label(rank) => self.labels.push((order, rank, text, language)),
            PredicateRole::Alias => self.aliases.push((order, text, language)),
            PredicateRole::Description => self.descriptions.push((order, text, language)),
            PredicateRole::Type | PredicateRole::Other => self.literals.push((order, text, language)),
        }
    }

    pub(super) fn into_ordered(mut self) -> OrderedTexts {
        self.labels.sort_unstable();
        let mut labels: Vec<TaggedText> =
            self.labels.into_iter().map(|(_, _, text, language)| TaggedText { text, language }).collect();
        // The same text may be the value of several predicates.
        let mut known = foldhash::HashSet::default();
        labels.retain(|label| known.insert((label.text.clone(), label.language.clone())));
        OrderedTexts {
            labels,
            aliases: ordered(self.aliases),
            descriptions: ordered(self.descriptions),
            literals: ordered(self.literals),
        }
    }
}

fn ordered(mut texts: Vec<(u8, String, Option<String>)>) -> Vec<TaggedText> {
    texts.sort_unstable();
    texts.dedup();
    texts.into_iter().map(|(_, text, language)| TaggedText { text, language }).collect()
}

/// The preferred languages first, then texts without a language, then others.
fn language_order(language: Option<&str>, preferred: &[String]) -> u8 {
    let rank = match language {
        None => preferred.len(),
        Some(tag) => {
            let primary = tag.split('-').next().unwrap_or_default();
            preferred.iter().position(|wanted| wanted == primary).unwrap_or(preferred.len() + 1)
        }
    };
    u8::try_from(rank).unwrap_or(u8::MAX)
}
