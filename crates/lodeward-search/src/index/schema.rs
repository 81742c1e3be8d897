//! Fields of the index.

use tantivy::schema::{FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager, WhitespaceTokenizer};

/// Text fields, in the order of [`FieldName`].
pub(crate) const FIELD_COUNT: usize = 9;

/// A text field that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldName {
    /// Labels; if there are none, the name in the IRI.
    Label,
    /// Alternative names.
    Alias,
    /// Descriptions.
    Description,
    /// Labels of objects.
    Out,
    /// Labels of subjects.
    In,
    /// Words of the predicates to objects.
    PredicateOut,
    /// Words of the predicates from subjects.
    PredicateIn,
    /// Words of types.
    Type,
    /// Other literals.
    Literal,
}

impl FieldName {
    /// All fields.
    pub const ALL: [Self; FIELD_COUNT] = [
        Self::Label,
        Self::Alias,
        Self::Description,
        Self::Out,
        Self::In,
        Self::PredicateOut,
        Self::PredicateIn,
        Self::Type,
        Self::Literal,
    ];

    /// Name in settings and responses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Alias => "alias",
            Self::Description => "description",
            Self::Out => "out",
            Self::In => "in",
            Self::PredicateOut => "predicate_out",
            Self::PredicateIn => "predicate_in",
            Self::Type => "type",
            Self::Literal => "literal",
        }
    }
}

/// Name of the tokenizer of fields whose terms are prepared by [`crate::text`] and joined by spaces.
const TERMS: &str = "terms";

/// The fields of the index.
#[derive(Clone, Debug)]
pub(crate) struct IndexSchema {
    pub(crate) schema: Schema,
    /// Number of the entity.
    pub(crate) key: Field,
    pub(crate) iri: Field,
    /// Text fields, in the order of [`FieldName`].
    pub(crate) text: [Field; FIELD_COUNT],
    /// Lengths of the text fields in terms. Tantivy's own are rounded.
    pub(crate) lengths: [Field; FIELD_COUNT],
    /// Number of terms at the start of the field `label` that are the main name.
    pub(crate) main_length: Field,
    /// The main name, as one term.
    pub(crate) main: Field,
    /// Forms of labels and aliases, each as one term.
    pub(crate) form: Field,
    /// Number of distinct neighbours.
    pub(crate) degree: Field,
    /// Types, graphs, domains and languages, for filters and facets.
    pub(crate) type_iri: Field,
    pub(crate) graph: Field,
    pub(crate) domain: Field,
    pub(crate) language: Field,
    /// The record that results are printed from, and the neighbours.
    pub(crate) record: Field,
    pub(crate) adjacency: Field,
}

impl IndexSchema {
    pub(crate) fn new() -> Self {
        let mut builder = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TERMS)
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false);
        let text = TextOptions::default().set_indexing_options(indexing.clone());
        // The terms of labels are also a column: the weight of a label is the sum over its terms.
        let label = text.clone().set_fast(TERMS);
        let key = builder.add_u64_field("key", FAST | tantivy::schema::INDEXED);
        let iri = builder.add_text_field("iri", STRING);
        let text = FieldName::ALL.map(|field| {
            let options = if field == FieldName::Label { label.clone() } else { text.clone() };
            builder.add_text_field(field.name(), options)
        });
        let lengths = FieldName::ALL.map(|field| builder.add_u64_field(&format!("{}_length", field.name()), FAST));
        let main_length = builder.add_u64_field("main_length", FAST);
        let main = builder.add_text_field("main", STRING | FAST);
        let form = builder.add_text_field("form", STRING);
        let degree = builder.add_u64_field("degree", FAST);
        let type_iri = builder.add_text_field("type_iri", STRING | FAST);
        let graph = builder.add_text_field("graph", STRING);
        let domain = builder.add_text_field("domain", STRING | FAST);
        let language = builder.add_text_field("language", STRING | FAST);
        let record = builder.add_bytes_field("record", STORED);
        let adjacency = builder.add_bytes_field("adjacency", STORED);
        let schema = builder.build();
        Self {
            schema,
            key,
            iri,
            text,
            lengths,
            main_length,
            main,
            form,
            degree,
            type_iri,
            graph,
            domain,
            language,
            record,
            adjacency,
        }
    }

    /// The tokenizers that the schema names.
    pub(crate) fn tokenizers() -> TokenizerManager {
        let manager = TokenizerManager::default();
        manager.register(TERMS, TextAnalyzer::from(WhitespaceTokenizer::default()));
        manager
    }
}
