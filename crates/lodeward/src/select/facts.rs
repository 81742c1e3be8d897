//! Reads the facts about entities of one document.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward_rdf::text_properties::TEXT_PROPERTIES;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{LiteralRef, NamedOrBlankNodeRef, QuadRef, TermRef};

/// Options for reading facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsOptions {
    /// Properties whose literals describe an entity, labels first.
    pub text_properties: Vec<String>,
    /// Languages that are read, by primary subtag, preferred first; empty for all. Literals without
    /// a language are always read.
    pub languages: Vec<String>,
    /// Maximum number of bytes read of a text; the rest is ignored.
    pub max_text_bytes: usize,
    /// Maximum number of links and texts read per document. The limit also applies to their total
    /// size, at an average of 64 bytes.
    pub max_facts_per_document: usize,
}

impl Default for FactsOptions {
    fn default() -> Self {
        let common = TEXT_PROPERTIES.iter().filter(|property| property.is_common);
        Self {
            // Labels, then descriptions, comments and abstracts (DURAARK D3.6 §2.4.2 uses “datatype
            // properties”; these are the ones with prose values).
            text_properties: common.map(|property| property.iri.to_owned()).collect(),
            languages: vec!["en".to_owned()],
            max_text_bytes: 8_192,
            max_facts_per_document: 1_000_000,
        }
    }
}

/// Maximum length of a name in bytes. Longer names are ignored: they are not URLs that can be
/// fetched.
const MAX_NAME_BYTES: usize = 4 << 10;

/// Maximum average size of facts in bytes, which bounds the memory they use.
const MAX_MEAN_FACT_BYTES: usize = 64;

/// Maximum length of a primary language subtag (BCP 47).
const MAX_LANGUAGE_BYTES: usize = 8;

/// Predicate number that represents `rdf:type` when facts are deduplicated.
const RDF_TYPE_ID: u32 = u32::MAX;

/// Facts of one document: links between entities, their types, and their texts. Names are stored
/// once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// IRIs, and blank nodes as `_:label`.
    pub names: Vec<Box<str>>,
    /// Subject, predicate and object, as indices into `names`.
    pub links: Vec<[u32; 3]>,
    /// Entity and class, as indices into `names`.
    pub types: Vec<[u32; 2]>,
    /// Literals that describe entities.
    pub texts: Vec<EntityText>,
    /// Number of facts omitted because of limits, or because a name is too long.
    pub omitted: u64,
}

/// A literal that describes an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityText {
    /// The entity, as an index into [`Facts::names`].
    pub entity: u32,
    /// Rank among label properties: 0 for the best, `None` if it is not a label.
    pub label_rank: Option<u8>,
    /// Rank of its language among the preferred ones; `None` for another language.
    pub language_rank: Option<u8>,
    /// Primary language subtag in lower case; empty if the literal has no language.
    pub language: Box<str>,
    /// Text of the literal.
    pub text: Box<str>,
}

/// Extracts facts from statements.
pub struct FactsReader {
    options: Arc<FactsOptions>,
    numbers: HashMap<Box<str>, u32, RandomState>,
    /// Links and types read so far.
    known: HashSet<[u32; 3], RandomState>,
    /// Total size of names and texts in bytes.
    bytes: usize,
    facts: Facts,
}

impl FactsReader {
    /// Creates a reader for one document.
    #[must_use]
    pub fn new(options: Arc<FactsOptions>) -> Self {
        Self { options, numbers: HashMap::default(), known: HashSet::default(), bytes: 0, facts: Facts::default() }
    }

    /// Adds a statement. Its graph is ignored, and repeated statements count once.
    pub fn add_quad(&mut self, quad: QuadRef<'_>) {
        let taken = if self.is_full() { None } else { self.add_fact(quad) };
        self.facts.omitted += u64::from(taken.is_none());
    }

    fn is_full(&self) -> bool {
        let max = self.options.max_facts_per_document;
        let facts = self.facts.links.len() + self.facts.types.len() + self.facts.texts.len();
        facts >= max || self.bytes >= max.saturating_mul(MAX_MEAN_FACT_BYTES)
    }

    /// Adds the fact that a statement states; returns `None` if a name in it is too long.
    fn add_fact(&mut self, quad: QuadRef<'_>) -> Option<()> {
        match quad.object {
            TermRef::Literal(literal) => self.add_text(quad, literal),
            TermRef::NamedNode(class) if quad.predicate == rdf::TYPE => {
                let [entity, class] = [self.subject_id(quad.subject)?, self.name_id(class.as_str())?];
                if self.known.insert([entity, RDF_TYPE_ID, class]) {
                    self.facts.types.push([entity, class]);
                }
                Some(())
            }
            TermRef::NamedNode(object) => {
                let object = self.name_id(object.as_str())?;
                self.add_link(quad, object)
            }
            TermRef::BlankNode(node) => {
                let object = self.name_id(&format!("_:{}", node.as_str()))?;
                self.add_link(quad, object)
            }
        }
    }

    fn add_link(&mut self, quad: QuadRef<'_>, object: u32) -> Option<()> {
        let fact = [self.subject_id(quad.subject)?, self.name_id(quad.predicate.as_str())?, object];
        if self.known.insert(fact) {
            self.facts.links.push(fact);
        }
        Some(())
    }

    fn add_text(&mut self, quad: QuadRef<'_>, literal: LiteralRef<'_>) -> Option<()> {
        let properties = &self.options.text_properties;
        let Some(property) = properties.iter().position(|known| known == quad.predicate.as_str()) else {
            return Some(());
        };
        let is_prose = literal.datatype() == xsd::STRING || literal.datatype() == rdf::LANG_STRING;
        if !is_prose || literal.value().trim().is_empty() {
            return Some(());
        }
        let language = literal.language().unwrap_or_default().split('-').next().unwrap_or_default();
        let language = truncate_text(language, MAX_LANGUAGE_BYTES).to_ascii_lowercase();
        let languages = &self.options.languages;
        let preferred = languages.iter().position(|known| known.eq_ignore_ascii_case(&language));
        let language_rank = if language.is_empty() || languages.is_empty() { Some(0) } else { preferred };
        let text = EntityText {
            entity: self.subject_id(quad.subject)?,
            label_rank: label_rank(quad.predicate.as_str(), property),
            language_rank: language_rank.map(|rank| u8::try_from(rank).unwrap_or(u8::MAX)),
            language: language.into(),
            text: truncate_text(literal.value().trim(), self.options.max_text_bytes).into(),
        };
        self.bytes += text.text.len();
        self.facts.texts.push(text);
        Some(())
    }

    fn subject_id(&mut self, subject: NamedOrBlankNodeRef<'_>) -> Option<u32> {
        match subject {
            NamedOrBlankNodeRef::NamedNode(iri) => self.name_id(iri.as_str()),
            NamedOrBlankNodeRef::BlankNode(node) => self.name_id(&format!("_:{}", node.as_str())),
        }
    }

    /// Returns the index of a name, and stores it if it is new; `None` if it is too long.
    fn name_id(&mut self, name: &str) -> Option<u32> {
        if let Some(known) = self.numbers.get(name) {
            return Some(*known);
        }
        if name.len() > MAX_NAME_BYTES {
            return None;
        }
        let number = u32::try_from(self.facts.names.len()).expect("the number of names per document fits into 32 bits");
        self.facts.names.push(name.into());
        self.numbers.insert(name.into(), number);
        // A name is stored twice: in `names` and as a key.
        self.bytes += 2 * name.len();
        Some(number)
    }

    /// Returns the facts.
    #[must_use]
    pub fn finish(self) -> Facts {
        self.facts
    }
}

/// Rank of a label property, 0 for the best. A property is a label if its name ends in `label` or
/// `name` or is `title`, as all common ones do.
#[must_use]
pub fn label_rank(property: &str, rank: usize) -> Option<u8> {
    let name = property.rsplit(['#', '/']).next().unwrap_or_default().to_ascii_lowercase();
    let is_label_name = name.ends_with("label") || name.ends_with("name") || name == "title";
    is_label_name.then(|| u8::try_from(rank).unwrap_or(u8::MAX))
}

/// The beginning of a text, at most `bytes_max` bytes, cut between characters.
#[must_use]
pub fn truncate_text(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use oxrdf::vocab::rdfs;
    use oxrdf::{GraphNameRef, Literal, NamedNode, Term};

    use super::*;

    fn read(options: FactsOptions, statements: &[(&str, &str, Term)]) -> Facts {
        let mut reader = FactsReader::new(Arc::new(options));
        for (subject, predicate, object) in statements {
            let subject = NamedNode::new_unchecked(*subject);
            let predicate = NamedNode::new_unchecked(*predicate);
            let graph_name = GraphNameRef::DefaultGraph;
            reader.add_quad(QuadRef {
                subject: subject.as_ref().into(),
                predicate: predicate.as_ref(),
                object: object.as_ref(),
                graph_name,
            });
        }
        reader.finish()
    }

    fn iri(iri: &str) -> Term {
        NamedNode::new_unchecked(iri).into()
    }

    fn label(text: &str, language: &str) -> Term {
        Literal::new_language_tagged_literal_unchecked(text, language).into()
    }

    #[test]
    fn links_types_and_texts_are_distinguished() {
        let statements = [
            ("urn:a", "urn:knows", iri("urn:b")),
            ("urn:a", rdf::TYPE.as_str(), iri("urn:Person")),
            ("urn:a", rdfs::LABEL.as_str(), label("Anna", "en-GB")),
            ("urn:a", "urn:age", Literal::from(12).into()),
        ];
        let facts = read(FactsOptions::default(), &statements);

        let name = |number: u32| &*facts.names[number as usize];
        assert_eq!(
            facts.links.iter().map(|link| link.map(name)).collect::<Vec<_>>(),
            [["urn:a", "urn:knows", "urn:b"]]
        );
        assert_eq!(facts.types.iter().map(|class| class.map(name)).collect::<Vec<_>>(), [["urn:a", "urn:Person"]]);
        let [text] = &facts.texts[..] else { panic!("one text: {:?}", facts.texts) };
        assert_eq!(
            (&*text.text, &*text.language, text.language_rank, text.label_rank),
            ("Anna", "en", Some(0), Some(0))
        );
    }

    #[test]
    fn languages_are_ranked_and_untagged_texts_are_read() {
        let check = |languages: &[&str], language: &str, rank: Option<u8>| {
            let languages = languages.iter().map(|&language| language.to_owned()).collect();
            let options = FactsOptions { languages, ..FactsOptions::default() };
            let object = if language.is_empty() { Literal::from("x").into() } else { label("x", language) };
            let facts = read(options, &[("urn:a", rdfs::LABEL.as_str(), object)]);
            assert_eq!(facts.texts[0].language_rank, rank, "{language}");
        };

        check(&["en", "de"], "en", Some(0));
        check(&["en", "de"], "de-AT", Some(1));
        check(&["en", "de"], "fr", None);
        check(&["en", "de"], "", Some(0));
        check(&[], "fr", Some(0));
    }

    #[test]
    fn facts_above_the_limit_of_a_document_are_omitted() {
        let options = FactsOptions { max_facts_per_document: 1, ..FactsOptions::default() };
        let facts = read(options, &[("urn:a", "urn:p", iri("urn:b")), ("urn:a", "urn:p", iri("urn:c"))]);
        assert_eq!((facts.links.len(), facts.omitted), (1, 1));
    }

    #[test]
    fn repeated_statements_count_once() {
        let options = FactsOptions { max_facts_per_document: 3, ..FactsOptions::default() };
        let statements = [("urn:a", "urn:p", iri("urn:b")), ("urn:a", rdf::TYPE.as_str(), iri("urn:b"))];
        let facts = read(options, &[statements.clone(), statements.clone(), statements].concat());
        assert_eq!((facts.links.len(), facts.types.len(), facts.omitted), (1, 1, 0));
    }

    #[test]
    fn long_names_and_excessive_text_are_omitted() {
        let check = |object: Term, times: usize, kept, left_out| {
            let options = FactsOptions { max_facts_per_document: 200, ..FactsOptions::default() };
            let facts = read(options, &vec![("urn:a", rdfs::LABEL.as_str(), object); times]);
            assert_eq!((facts.links.len() + facts.texts.len(), facts.omitted), (kept, left_out));
        };

        check(iri(&format!("urn:{}", "x".repeat(MAX_NAME_BYTES - 4))), 1, 1, 0);
        check(iri(&format!("urn:{}", "x".repeat(MAX_NAME_BYTES - 3))), 1, 0, 1);
        // The limit is 12,800 bytes; the text that reaches it is read completely.
        check(label(&"x".repeat(5_000), "en"), 9, 3, 6);
    }

    #[test]
    fn long_texts_are_truncated_between_characters() {
        assert_eq!(truncate_text("Köln", 2), "K");
        assert_eq!(truncate_text("Köln", 3), "Kö");
        assert_eq!(truncate_text("Köln", 9), "Köln");
    }
}
