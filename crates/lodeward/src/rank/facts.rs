//! What one document says of entities.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use oxrdf::vocab::{rdf, rdfs, xsd};
use oxrdf::{LiteralRef, NamedOrBlankNodeRef, QuadRef, TermRef};

/// Which facts are of interest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsOptions {
    /// The properties whose literals describe an entity, labels before all others.
    pub text_properties: Vec<String>,
    /// The languages that are read, by their primary subtag, the preferred one
    /// first; empty for all. What has no language is always read.
    pub languages: Vec<String>,
    /// Of a longer text only the beginning is read.
    pub text_bytes_max: usize,
    /// Of a document with more links and texts only the first ones count; so it is
    /// if these have more than 64 bytes on average.
    pub facts_per_document_max: usize,
}

impl Default for FactsOptions {
    fn default() -> Self {
        Self {
            text_properties: TEXT_PROPERTIES.iter().map(|&property| property.to_owned()).collect(),
            languages: vec!["en".to_owned()],
            text_bytes_max: 8_192,
            facts_per_document_max: 1_000_000,
        }
    }
}

/// Labels, then descriptions, comments and abstracts (DURAARK D3.6 §2.4.2 has
/// “datatype properties”; these are the ones whose values are prose).
pub const TEXT_PROPERTIES: &[&str] = &[
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#definition",
    "http://www.w3.org/2004/02/skos/core#scopeNote",
    "http://purl.org/dc/terms/description",
    "http://purl.org/dc/elements/1.1/description",
    "http://purl.org/dc/terms/abstract",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://dbpedia.org/ontology/abstract",
];

/// How many of [`TEXT_PROPERTIES`] name an entity rather than describe it.
const LABELS: usize = 10;

/// Whoever has a longer name is passed over: nobody wrote it to be visited.
const NAME_BYTES_MAX: usize = 4 << 10;

/// Facts have this many bytes on average at most: so many facts, so much memory.
const FACT_BYTES_MEAN_MAX: usize = 64;

/// Primary subtags of languages are not longer (BCP 47).
const LANGUAGE_BYTES_MAX: usize = 8;

/// Stands for `rdf:type` where facts are told apart.
const IS_A: u32 = u32::MAX;

/// What one document says of entities: links between them, their types, and
/// their texts. Names are kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// IRIs, and blank nodes as `_:label`.
    pub names: Vec<Box<str>>,
    /// Subject, predicate and object, as places in `names`.
    pub links: Vec<[u32; 3]>,
    /// Classes: an entity and its type, as places in `names`.
    pub types: Vec<[u32; 2]>,
    /// Literals.
    pub texts: Vec<Text>,
    /// Facts that were one too many, or whose names are too long.
    pub left_out: u64,
}

/// A literal that describes an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The entity, as a place in [`Facts::names`].
    pub entity: u32,
    /// How good a label it is: 0 for the best, `None` for what is no label.
    pub label_rank: Option<u8>,
    /// The place of its language among those that are preferred; `None` if it is
    /// in another one.
    pub language_rank: Option<u8>,
    /// Its primary language subtag, in lower case; empty if there is none.
    pub language: Box<str>,
    /// What it says.
    pub text: Box<str>,
}

/// Picks facts out of statements.
pub struct FactsReader {
    options: Arc<FactsOptions>,
    numbers: HashMap<Box<str>, u32, RandomState>,
    /// Links and types that were told already.
    known: HashSet<[u32; 3], RandomState>,
    /// What names and texts take.
    bytes: usize,
    facts: Facts,
}

impl FactsReader {
    /// A reader of one document.
    #[must_use]
    pub fn new(options: Arc<FactsOptions>) -> Self {
        Self { options, numbers: HashMap::default(), known: HashSet::default(), bytes: 0, facts: Facts::default() }
    }

    /// Takes a statement. In which graph it is does not matter, nor how often it
    /// comes.
    pub fn quad(&mut self, quad: QuadRef<'_>) {
        let taken = if self.is_full() { None } else { self.take(quad) };
        self.facts.left_out += u64::from(taken.is_none());
    }

    fn is_full(&self) -> bool {
        let max = self.options.facts_per_document_max;
        let facts = self.facts.links.len() + self.facts.types.len() + self.facts.texts.len();
        facts >= max || self.bytes >= max.saturating_mul(FACT_BYTES_MEAN_MAX)
    }

    /// Takes a statement unless a name in it is too long.
    fn take(&mut self, quad: QuadRef<'_>) -> Option<()> {
        match quad.object {
            TermRef::Literal(literal) => self.text(quad, literal),
            TermRef::NamedNode(class) if quad.predicate == rdf::TYPE => {
                let [entity, class] = [self.subject(quad.subject)?, self.number(class.as_str())?];
                if self.known.insert([entity, IS_A, class]) {
                    self.facts.types.push([entity, class]);
                }
                Some(())
            }
            TermRef::NamedNode(object) => {
                let object = self.number(object.as_str())?;
                self.link(quad, object)
            }
            TermRef::BlankNode(node) => {
                let object = self.number(&format!("_:{}", node.as_str()))?;
                self.link(quad, object)
            }
        }
    }

    fn link(&mut self, quad: QuadRef<'_>, object: u32) -> Option<()> {
        let fact = [self.subject(quad.subject)?, self.number(quad.predicate.as_str())?, object];
        if self.known.insert(fact) {
            self.facts.links.push(fact);
        }
        Some(())
    }

    fn text(&mut self, quad: QuadRef<'_>, literal: LiteralRef<'_>) -> Option<()> {
        let properties = &self.options.text_properties;
        let Some(property) = properties.iter().position(|known| known == quad.predicate.as_str()) else {
            return Some(());
        };
        let is_prose = literal.datatype() == xsd::STRING || literal.datatype() == rdf::LANG_STRING;
        if !is_prose || literal.value().trim().is_empty() {
            return Some(());
        }
        let language = literal.language().unwrap_or_default().split('-').next().unwrap_or_default();
        let language = beginning(language, LANGUAGE_BYTES_MAX).to_ascii_lowercase();
        let languages = &self.options.languages;
        let preferred = languages.iter().position(|known| known.eq_ignore_ascii_case(&language));
        let language_rank = if language.is_empty() || languages.is_empty() { Some(0) } else { preferred };
        let text = Text {
            entity: self.subject(quad.subject)?,
            label_rank: label_rank(quad.predicate.as_str(), property),
            language_rank: language_rank.map(|rank| u8::try_from(rank).unwrap_or(u8::MAX)),
            language: language.into(),
            text: beginning(literal.value().trim(), self.options.text_bytes_max).into(),
        };
        self.bytes += text.text.len();
        self.facts.texts.push(text);
        Some(())
    }

    fn subject(&mut self, subject: NamedOrBlankNodeRef<'_>) -> Option<u32> {
        match subject {
            NamedOrBlankNodeRef::NamedNode(iri) => self.number(iri.as_str()),
            NamedOrBlankNodeRef::BlankNode(node) => self.number(&format!("_:{}", node.as_str())),
        }
    }

    /// The number of a name, unless it is too long.
    fn number(&mut self, name: &str) -> Option<u32> {
        if let Some(known) = self.numbers.get(name) {
            return Some(*known);
        }
        if name.len() > NAME_BYTES_MAX {
            return None;
        }
        let number = u32::try_from(self.facts.names.len()).expect("facts per document are bounded");
        self.facts.names.push(name.into());
        self.numbers.insert(name.into(), number);
        // It is there twice.
        self.bytes += 2 * name.len();
        Some(number)
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Facts {
        self.facts
    }
}

/// How good a label a property gives, the best first. Properties of the user's
/// own are labels if they are called so.
pub(crate) fn label_rank(property: &str, place: usize) -> Option<u8> {
    let is_known = TEXT_PROPERTIES[..LABELS].contains(&property) || property == rdfs::LABEL.as_str();
    let name = property.rsplit(['#', '/']).next().unwrap_or_default().to_ascii_lowercase();
    let is_called_so = name.ends_with("label") || name.ends_with("name") || name == "title";
    (is_known || is_called_so).then(|| u8::try_from(place).unwrap_or(u8::MAX))
}

/// The beginning of a text, cut between characters.
pub(super) fn beginning(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use oxrdf::{GraphNameRef, Literal, NamedNode, Term};

    use super::*;

    fn read(options: FactsOptions, statements: &[(&str, &str, Term)]) -> Facts {
        let mut reader = FactsReader::new(Arc::new(options));
        for (subject, predicate, object) in statements {
            let subject = NamedNode::new_unchecked(*subject);
            let predicate = NamedNode::new_unchecked(*predicate);
            let graph_name = GraphNameRef::DefaultGraph;
            reader.quad(QuadRef {
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
    fn links_types_and_texts_are_told_apart() {
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
    fn languages_have_an_order_and_what_has_none_is_read() {
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
    fn a_document_with_too_many_facts_is_read_in_part() {
        let options = FactsOptions { facts_per_document_max: 1, ..FactsOptions::default() };
        let facts = read(options, &[("urn:a", "urn:p", iri("urn:b")), ("urn:a", "urn:p", iri("urn:c"))]);
        assert_eq!((facts.links.len(), facts.left_out), (1, 1));
    }

    #[test]
    fn what_a_document_repeats_it_says_once() {
        let options = FactsOptions { facts_per_document_max: 3, ..FactsOptions::default() };
        let said = [("urn:a", "urn:p", iri("urn:b")), ("urn:a", rdf::TYPE.as_str(), iri("urn:b"))];
        let facts = read(options, &[said.clone(), said.clone(), said].concat());
        assert_eq!((facts.links.len(), facts.types.len(), facts.left_out), (1, 1, 0));
    }

    #[test]
    fn long_names_and_very_much_text_are_passed_over() {
        let check = |object: Term, times: usize, kept, left_out| {
            let options = FactsOptions { facts_per_document_max: 200, ..FactsOptions::default() };
            let facts = read(options, &vec![("urn:a", rdfs::LABEL.as_str(), object); times]);
            assert_eq!((facts.links.len() + facts.texts.len(), facts.left_out), (kept, left_out));
        };

        check(iri(&format!("urn:{}", "x".repeat(NAME_BYTES_MAX - 4))), 1, 1, 0);
        check(iri(&format!("urn:{}", "x".repeat(NAME_BYTES_MAX - 3))), 1, 0, 1);
        // 12,800 bytes and no more, but for the one that is begun.
        check(label(&"x".repeat(5_000), "en"), 9, 3, 6);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(beginning("Köln", 2), "K");
        assert_eq!(beginning("Köln", 3), "Kö");
        assert_eq!(beginning("Köln", 9), "Köln");
    }
}
