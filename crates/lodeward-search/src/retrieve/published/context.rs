//! The share of the query's context words that an entity has (D3.6 §3.2.2, eq. 14).

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::index::{FieldName, IndexView, SearchError};
use crate::numbers::real;

/// Where an entity may have a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextFields {
    /// In its labels and other names.
    Names,
    /// In all its literals; of entities with many words, in names only.
    #[default]
    Literals,
    /// In all fields: also in types, predicates and the labels of neighbours.
    All,
}

impl ContextFields {
    fn fields(self) -> &'static [FieldName] {
        const NAMES: [FieldName; 2] = [FieldName::Label, FieldName::Alias];
        const LITERALS: [FieldName; 4] =
            [FieldName::Label, FieldName::Alias, FieldName::Description, FieldName::Literal];
        match self {
            Self::Names => &NAMES,
            Self::Literals => &LITERALS,
            Self::All => &FieldName::ALL,
        }
    }
}

/// Options of the context.
#[derive(Clone, Copy, Debug)]
pub struct ContextOptions {
    /// Where an entity may have a word.
    pub fields: ContextFields,
    /// Of entities with more words in descriptions and other literals, only names count. Ours: 200.
    pub max_literal_words: u64,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self { fields: ContextFields::default(), max_literal_words: 200 }
    }
}

/// Returns the share of words of each candidate; those without any are left out.
pub(super) fn shares(
    view: &IndexView,
    words: &HashSet<String>,
    candidates: &HashMap<u32, f64>,
    options: &ContextOptions,
) -> Result<HashMap<u32, f64>, SearchError> {
    let long_literals: HashSet<u32> =
        candidates.keys().copied().filter(|number| is_long(view, *number, options)).collect();
    let mut counts: HashMap<u32, f64> = HashMap::new();
    for word in words {
        let mut found: HashSet<u32> = HashSet::default();
        for field in options.fields.fields() {
            let is_literal = matches!(field, FieldName::Description | FieldName::Literal);
            view.for_each_posting(*field, word, |number, _, _| {
                if candidates.contains_key(&number) && !(is_literal && long_literals.contains(&number)) {
                    found.insert(number);
                }
            })?;
        }
        for number in found {
            *counts.entry(number).or_default() += 1.0;
        }
    }
    for count in counts.values_mut() {
        *count /= real(words.len());
    }
    Ok(counts)
}

fn is_long(view: &IndexView, number: u32, options: &ContextOptions) -> bool {
    let length = |field| view.field_length(field, number);
    length(FieldName::Description) + length(FieldName::Literal) > options.max_literal_words
}
