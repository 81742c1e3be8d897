//! Turns the description of an entity into a document of the index.
//!
//! Every part is bounded, so that a hostile entity (a label of megabytes, a million values) costs
//! no more than [`Bounds`] allow.

use foldhash::{HashSet, HashSetExt};
use serde::{Deserialize, Serialize};
use tantivy::TantivyDocument;

use super::adjacency::StoredNeighbours;
use super::schema::{FIELD_COUNT, FieldName, IndexSchema};
use crate::entity::{Direction, EntityDescription, EntityKey, NeighbourName, TaggedText};
use crate::text::names::{name_from_iri, name_words};
use crate::text::{StemmedLanguages, singular, words};

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
pub(crate) fn build(
    schema: &IndexSchema,
    languages: &StemmedLanguages,
    bounds: &Bounds,
    entity: &EntityDescription,
) -> TantivyDocument {
    let name = MainName::of(entity, bounds);
    let texts = FieldTexts::collect(entity, &name, languages, bounds);
    let neighbours = StoredNeighbours::collect(entity, bounds.max_neighbours);
    let mut document = TantivyDocument::default();
    document.add_u64(schema.key, entity.key.0);
    document.add_text(schema.iri, &entity.iri);
    for (at, terms) in texts.terms.iter().enumerate() {
        if !terms.is_empty() {
            document.add_text(schema.text[at], terms.join(" "));
        }
        document.add_u64(schema.lengths[at], terms.len() as u64);
    }
    document.add_u64(schema.main_length, texts.main_length as u64);
    document.add_text(schema.main, texts.terms[0][..texts.main_length].join(" "));
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
struct MainName {
    label: TaggedText,
    /// The label without a trailing parenthesis, up to its first comma.
    main: String,
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
        let main = before_comma(without_parenthesis(&label.text));
        let main = if words(main).is_empty() { label.text.clone() } else { main.to_owned() };
        Self { label, main }
    }
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
fn name_forms(name: &MainName, entity: &EntityDescription, bounds: &Bounds) -> HashSet<String> {
    let short = without_parenthesis(&name.label.text);
    let names = [name.label.text.as_str(), short, before_comma(&name.label.text), before_comma(short)];
    let others = entity.labels.iter().skip(1).chain(&entity.aliases).take(bounds.max_texts);
    let others = others.map(|alias| cut(&alias.text, bounds.max_name_bytes));
    names.into_iter().chain(others).filter_map(form).collect()
}

/// Returns a name as the sequence of its words, without plural endings.
pub(crate) fn form(name: &str) -> Option<String> {
    let words = words(name);
    (1..=MAX_FORM_WORDS).contains(&words.len()).then(|| join_form(&words))
}

pub(crate) fn join_form(words: &[String]) -> String {
    words.iter().map(|word| singular(word)).collect::<Vec<_>>().join(" ")
}

/// Terms of all text fields.
struct FieldTexts<'a> {
    languages: &'a StemmedLanguages,
    bounds: &'a Bounds,
    terms: [Vec<String>; FIELD_COUNT],
    main_length: usize,
}

impl<'a> FieldTexts<'a> {
    fn collect(
        entity: &EntityDescription,
        name: &MainName,
        languages: &'a StemmedLanguages,
        bounds: &'a Bounds,
    ) -> Self {
        let mut texts = Self { languages, bounds, terms: std::array::from_fn(|_| Vec::new()), main_length: 0 };
        texts.add(FieldName::Label, &name.label);
        let main = TaggedText { text: name.main.clone(), language: name.label.language.clone() };
        texts.main_length = texts.terms_of(&main).len();
        // Labels in other languages are further names: in the field `label` they would make it long.
        texts.add_all(FieldName::Alias, entity.labels.iter().skip(1).chain(&entity.aliases));
        texts.add_all(FieldName::Description, &entity.descriptions);
        texts.add_all(FieldName::Literal, &entity.literals);
        for iri in entity.types.iter().take(bounds.max_texts) {
            texts.add_words(FieldName::Type, name_words(iri));
        }
        texts.add_neighbours(entity);
        texts
    }

    fn terms_of(&self, text: &TaggedText) -> Vec<String> {
        let language = text.language.as_deref();
        words(&text.text).into_iter().map(|word| self.languages.term(word, language)).collect()
    }

    fn add(&mut self, field: FieldName, text: &TaggedText) {
        let terms = self.terms_of(text);
        self.terms[field as usize].extend(terms);
    }

    fn add_all<'t>(&mut self, field: FieldName, texts: impl IntoIterator<Item = &'t TaggedText>) {
        let mut left = self.bounds.max_text_bytes;
        for text in texts.into_iter().take(self.bounds.max_texts) {
            let part = cut(&text.text, left);
            left -= part.len();
            self.add(field, &TaggedText { text: part.to_owned(), language: text.language.clone() });
        }
    }

    fn add_words(&mut self, field: FieldName, words: Vec<String>) {
        let terms = words.into_iter().map(|word| self.languages.term(word, None));
        self.terms[field as usize].extend(terms);
    }

    /// Adds the labels of neighbours and the words of predicates, each once per direction.
    fn add_neighbours(&mut self, entity: &EntityDescription) {
        let mut known: HashSet<(Direction, EntityKey)> = HashSet::new();
        let mut predicates: HashSet<(Direction, EntityKey)> = HashSet::new();
        for neighbour in entity.neighbours.iter().take(self.bounds.max_neighbours) {
            let (labels, names) = match neighbour.direction {
                Direction::Out => (FieldName::Out, FieldName::PredicateOut),
                Direction::In => (FieldName::In, FieldName::PredicateIn),
            };
            if known.insert((neighbour.direction, neighbour.key)) {
                let label = &neighbour.label;
                let text = cut(&label.text, self.bounds.max_name_bytes).to_owned();
                self.add(labels, &TaggedText { text, language: label.language.clone() });
            }
            if predicates.insert((neighbour.direction, neighbour.predicate)) {
                self.add_words(names, name_words(&neighbour.predicate_iri));
            }
        }
    }
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

fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}
