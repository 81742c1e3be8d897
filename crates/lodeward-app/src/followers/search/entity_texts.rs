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

/// Size of the texts of a role in bytes, from which on those that are not needed are dropped.
const MAX_HELD_BYTES: usize = 1 << 20;

/// A longer language tag is no tag (BCP 47).
const MAX_TAG_BYTES: usize = 35;

/// The texts of an entity, by role.
#[derive(Default)]
pub(super) struct IndexedTexts {
    labels: RoleTexts,
    aliases: RoleTexts,
    descriptions: RoleTexts,
    literals: RoleTexts,
}

/// The texts of an entity in their final order.
pub(super) struct OrderedTexts {
    pub(super) labels: Vec<TaggedText>,
    pub(super) aliases: Vec<TaggedText>,
    pub(super) descriptions: Vec<TaggedText>,
    pub(super) literals: Vec<TaggedText>,
}

/// A text: rank of its language and of its property, text, language.
type RankedText = (u8, u8, String, Option<String>);

/// The texts of one role.
#[derive(Default)]
struct RoleTexts {
    texts: Vec<RankedText>,
    bytes: usize,
}

impl RoleTexts {
    fn push(&mut self, text: RankedText) {
        self.bytes += text.2.len() + size_of::<RankedText>();
        self.texts.push(text);
        if self.bytes > MAX_HELD_BYTES {
            self.select();
        }
    }

    /// Sorts the texts and keeps the first ones: as many as are indexed. Which ones does not depend on
    /// the order in which they were added, nor on how often this is called.
    fn select(&mut self) {
        let Bounds { max_texts, max_text_bytes, .. } = Bounds::default();
        self.texts.sort_unstable();
        // The same text may be the value of several properties.
        let mut known = foldhash::HashSet::default();
        self.texts.retain(|(_, _, text, language)| known.insert((text.clone(), language.clone())));
        let mut size = 0;
        let needed = self.texts.iter().take_while(|(_, _, text, _)| {
            let is_needed = size < max_text_bytes;
            size += text.len();
            is_needed
        });
        let needed = needed.count().min(max_texts);
        self.texts.truncate(needed);
        self.bytes = 0;
    }

    fn into_ordered(mut self) -> Vec<TaggedText> {
        if self.texts.len() > 1 {
            self.select();
        }
        self.texts.into_iter().map(|(_, _, text, language)| TaggedText { text, language }).collect()
    }
}

impl IndexedTexts {
    pub(super) fn is_empty(&self) -> bool {
        let roles = [&self.labels, &self.aliases, &self.descriptions, &self.literals];
        roles.iter().all(|role| role.texts.is_empty())
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
        let tag = literal.language().filter(|tag| tag.len() <= MAX_TAG_BYTES);
        let language = tag.map(str::to_ascii_lowercase);
        let order = language_order(language.as_deref(), languages);
        match role {
            PredicateRole::Label(rank) => self.labels.push((order, rank, text, language)),
            PredicateRole::Alias => self.aliases.push((order, 0, text, language)),
            PredicateRole::Description => self.descriptions.push((order, 0, text, language)),
            PredicateRole::Type | PredicateRole::Other => self.literals.push((order, 0, text, language)),
        }
    }

    pub(super) fn into_ordered(self) -> OrderedTexts {
        OrderedTexts {
            labels: self.labels.into_ordered(),
            aliases: self.aliases.into_ordered(),
            descriptions: self.descriptions.into_ordered(),
            literals: self.literals.into_ordered(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_large_texts_the_same_ones_are_kept_in_any_order() {
        let texts: Vec<Literal> = (0..2_000)
            .map(|n| Literal::new_simple_literal(format!("{:05} {}", n * 7 % 2_000, "x".repeat(5_000))))
            .collect();
        let read = |texts: &mut dyn Iterator<Item = &Literal>| {
            let mut read = IndexedTexts::default();
            for text in texts {
                read.add(PredicateRole::Description, text, &[]);
                assert!(read.descriptions.bytes <= MAX_HELD_BYTES);
            }
            read.into_ordered().descriptions
        };
        let kept = read(&mut texts.iter());
        assert_eq!(kept, read(&mut texts.iter().rev()));
        assert!(kept[0].text.starts_with("00000") && kept.len() < 10, "{}", kept.len());
    }

    #[test]
    fn a_language_tag_has_a_maximum_length() {
        let tag = format!("en-{}", "x".repeat(1_000_000));
        let literal = Literal::new_language_tagged_literal_unchecked("text", tag);
        let mut texts = IndexedTexts::default();
        texts.add(PredicateRole::Label(0), &literal, &["en".to_owned()]);
        assert_eq!(texts.into_ordered().labels, [TaggedText::plain("text")]);
    }
}
