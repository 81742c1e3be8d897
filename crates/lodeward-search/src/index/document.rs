//! Turns the description of an entity into a document of the index.
//!
//! Every part is bounded, so that a hostile entity (a label of megabytes, a million values) costs
//! no more than [`Bounds`] allow.

use foldhash::{HashSet, HashSetExt};
use serde::{Deserialize, Serialize};
use tantivy::TantivyDocument;

use super::adjacency::StoredNeighbours;
use super::field_terms::{FieldTerms, SharedTerms};
use super::schema::{FieldName, IndexSchema};
use crate::entity::{EntityDescription, NeighbourName, TaggedText};
use crate::text::names::name_from_iri;
use crate::text::{StemmedLanguages, for_each_word, singular, words};

/// How much of one entity is indexed.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Texts of one field.
    pub max_texts: usize,
    /// Bytes of one label or name; the rest is cut.
    pub max_name_bytes: usize,
    /// Bytes of the texts of one other field.
    pub max_text_bytes: usize,
    /// Neighbours.
    pub max_neighbours: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_texts: 256, max_name_bytes: 512, max_text_bytes: 32 * 1024, max_neighbours: 16_384 }
    }
}

/// Maximum number of words of a form of a name.
pub(crate) const MAX_FORM_WORDS: usize = 7;

/// Maximum length of the text that a result shows of a description.
const MAX_RECORD_TEXT: usize = 400;

/// Maximum number of languages of an entity, and length of a tag (BCP 47).
const MAX_LANGUAGES: usize = 64;
const MAX_LANGUAGE_BYTES: usize = 35;

/// What is stored of an entity to print a result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredRecord {
    pub(crate) iri: String,
    pub(crate) label: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) description: String,
    pub(crate) types: Vec<String>,
    pub(crate) graphs: Vec<String>,
    /// The first label as it was described; `None` if there is none.
    pub(crate) described_label: Option<(String, Option<String>)>,
    pub(crate) is_hub: bool,
}

impl StoredRecord {
    pub(crate) fn neighbour_name(&self) -> NeighbourName {
        let label = self.described_label.as_ref();
        let label = label.map(|(text, language)| TaggedText { text: text.clone(), language: language.clone() });
        NeighbourName::new(&self.iri, label.as_ref(), self.is_hub)
    }
}

/// Builds the document of an entity.
pub(super) fn build(
    schema: &IndexSchema,
    languages: &StemmedLanguages,
    bounds: &Bounds,
    shared: &mut SharedTerms,
    entity: &EntityDescription,
) -> TantivyDocument {
    let name = MainName::of(entity, bounds);
    let terms = FieldTerms::collect(entity, &name, languages, bounds, shared);
    let neighbours = StoredNeighbours::collect(entity, bounds.max_neighbours);
    let mut document = TantivyDocument::default();
    document.add_u64(schema.key, entity.key.0);
    document.add_text(schema.iri, &entity.iri);
    for (at, list) in terms.fields.iter().enumerate() {
        if list.count > 0 {
            document.add_text(schema.text[at], &list.joined);
        }
        document.add_u64(schema.lengths[at], list.count as u64);
    }
    document.add_u64(schema.main_length, name.main_length as u64);
    document.add_text(schema.main, terms.fields[FieldName::Label as usize].first(name.main_length));
    for form in name_forms(&name, entity, bounds) {
        document.add_text(schema.form, form);
    }
    document.add_u64(schema.degree, neighbours.degree() as u64);
    for iri in entity.types.iter().take(bounds.max_texts) {
        document.add_text(schema.type_iri, iri);
    }
    for graph in entity.graphs.iter().take(bounds.max_texts) {
        document.add_text(schema.graph, graph);
    }
    for domain in entity.domains.iter().take(bounds.max_texts) {
        document.add_text(schema.domain, domain);
    }
    for language in text_languages(entity) {
        document.add_text(schema.language, language);
    }
    document.add_bytes(schema.record, &encode(&record(entity, name, bounds)));
    document.add_bytes(schema.adjacency, &encode(&neighbours));
    document
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("plain data can always be encoded")
}

fn record(entity: &EntityDescription, name: MainName, bounds: &Bounds) -> StoredRecord {
    let description = entity.descriptions.first().map_or("", |text| cut(&text.text, MAX_RECORD_TEXT));
    StoredRecord {
        iri: entity.iri.clone(),
        label: name.label.text,
        aliases: entity
            .aliases
            .iter()
            .take(8)
            .map(|alias| cut(&alias.text, bounds.max_name_bytes).to_owned())
            .collect(),
        description: description.to_owned(),
        types: entity.types.iter().take(16).cloned().collect(),
        graphs: entity.graphs.iter().take(16).cloned().collect(),
        described_label: entity
            .labels
            .first()
            .map(|label| (cut(&label.text, bounds.max_name_bytes).to_owned(), label.language.clone())),
        is_hub: entity.is_hub,
    }
}

/// The label that stands for an entity.
pub(super) struct MainName {
    pub(super) label: TaggedText,
    /// Number of words of the label without a trailing parenthesis, up to its first comma; of the
    /// whole label, if that has none.
    main_length: usize,
}

impl MainName {
    fn of(entity: &EntityDescription, bounds: &Bounds) -> Self {
        let label = match entity.labels.first() {
            Some(label) => TaggedText {
                text: cut(&label.text, bounds.max_name_bytes).to_owned(),
                language: label.language.clone(),
            },
            None => TaggedText::plain(cut(&name_from_iri(&entity.iri), bounds.max_name_bytes)),
        };
        let main_length = match word_count(before_comma(without_parenthesis(&label.text))) {
            0 => word_count(&label.text),
            count => count,
        };
        Self { label, main_length }
    }
}

fn word_count(text: &str) -> usize {
    let mut count = 0;
    for_each_word(text, |_| count += 1);
    count
}

pub(crate) fn without_parenthesis(label: &str) -> &str {
    let trimmed = label.trim_end();
    match trimmed.strip_suffix(')').and_then(|inner| inner.rfind('(')) {
        Some(start) if start > 0 => trimmed[..start].trim_end(),
        _ => trimmed,
    }
}

pub(crate) fn before_comma(label: &str) -> &str {
    match label.find(',') {
        Some(comma) if comma > 0 => label[..comma].trim_end(),
        _ => label,
    }
}

/// Returns the forms under which a mention of the entity is recognised in a query.
fn name_forms(name: &MainName, entity: &EntityDescription, bounds: &Bounds) -> Vec<String> {
    let label = name.label.text.as_str();
    let short = without_parenthesis(label);
    let mut names = vec![label, short, before_comma(label), before_comma(short)];
    let others = entity.labels.iter().skip(1).chain(&entity.aliases).take(bounds.max_texts);
    names.extend(others.map(|alias| cut(&alias.text, bounds.max_name_bytes)));
    names.sort_unstable();
    names.dedup();
    let mut forms: Vec<String> = names.into_iter().filter_map(form).collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Returns a name as the sequence of its words, without plural endings.
pub(crate) fn form(name: &str) -> Option<String> {
    let words = words(name);
    (1..=MAX_FORM_WORDS).contains(&words.len()).then(|| join_form(&words))
}

pub(crate) fn join_form(words: &[String]) -> String {
    words.iter().map(|word| singular(word)).collect::<Vec<_>>().join(" ")
}

/// Returns the languages of the texts of an entity: `en-gb` is also `en`.
fn text_languages(entity: &EntityDescription) -> HashSet<String> {
    let texts = entity.labels.iter().chain(&entity.aliases).chain(&entity.descriptions).chain(&entity.literals);
    let mut found = HashSet::new();
    for tag in texts.filter_map(|text| text.language.as_deref()) {
        if found.len() >= MAX_LANGUAGES {
            break;
        }
        let tag = cut(tag, MAX_LANGUAGE_BYTES).to_ascii_lowercase();
        if let Some((primary, _)) = tag.split_once('-') {
            found.insert(primary.to_owned());
        }
        found.insert(tag);
    }
    found
}

pub(super) fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}
