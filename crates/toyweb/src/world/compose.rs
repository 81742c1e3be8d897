//! Composes the statements of a document.

use super::World;
use super::chance_stream::{ChanceStream, ChanceTopic};
use super::content::{
    ContentLiteral, ContentProperty, ContentSubject, ContentTerm, DocumentContent, LiteralAnnotation,
    SubjectDescription,
};
use super::kind::DocumentKind;
use super::links::WorldLink;
use super::plan::{DocumentPlan, DocumentUrlKind};
use super::site::push_number;
use super::vocabulary::{LABEL, NAMES_PER_VOCABULARY, TYPE, VocabularyName};
use super::words;

/// Approximate bytes per item in a syntax, so that documents have about the planned size without being written twice.
struct SyntaxCost {
    frame: u32,
    link: u32,
    literal: u32,
}

fn syntax_cost(kind: DocumentKind) -> SyntaxCost {
    let (frame, link, literal) = match kind {
        DocumentKind::RdfXml => (400, 60, 34),
        DocumentKind::Turtle => (220, 38, 13),
        DocumentKind::TriG => (220, 42, 15),
        DocumentKind::NTriples => (150, 112, 80),
        DocumentKind::NQuads => (200, 148, 116),
        DocumentKind::JsonLd => (320, 46, 22),
        DocumentKind::HtmlRdfa => (500, 150, 42),
        DocumentKind::HtmlMicrodata => (400, 150, 38),
        DocumentKind::HtmlJsonLd => (500, 125, 22),
        DocumentKind::HtmlSeveral => (900, 150, 36),
        DocumentKind::Html | DocumentKind::Page | DocumentKind::Binary => (300, 70, 0),
    };
    SyntaxCost { frame, link, literal }
}

/// The planned size of a document in bytes, without its frame and links.
pub(crate) fn remaining_bytes(plan: &DocumentPlan, kind: DocumentKind, links: usize) -> u32 {
    let cost = syntax_cost(kind);
    let links = u32::try_from(links).expect("some dozens");
    plan.bytes.saturating_sub(cost.frame + links * cost.link)
}

/// The features that all syntaxes of a document support.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SyntaxFeatures {
    /// All features of RDF.
    All,
    /// Plain literals and unlabelled blank nodes, as in Microdata.
    Plain,
}

impl World {
    /// The statements of a document.
    pub(crate) fn content(&self, plan: &DocumentPlan, links: &[WorldLink]) -> DocumentContent {
        if !plan.kind.holds_rdf() {
            return DocumentContent { descriptions: Vec::new() };
        }
        let chance = ChanceStream::new(self.parameters().seed, ChanceTopic::Content, plan.site.number, plan.number);
        let features = match plan.kind {
            DocumentKind::HtmlMicrodata | DocumentKind::HtmlSeveral => SyntaxFeatures::Plain,
            _ => SyntaxFeatures::All,
        };
        let vocabularies = self.parameters().vocabularies;
        let mut composer =
            Composer { plan, features, chance, vocabularies, content: DocumentContent { descriptions: Vec::new() } };
        composer.add_subjects();
        composer.add_links(self, links);
        composer.add_literals(links.len());
        let mut content = composer.content;
        self.revise(plan, &mut content);
        for description in &mut content.descriptions {
            description.properties.sort_by_key(|property| property.predicate);
        }
        content
    }
}

struct Composer<'a> {
    plan: &'a DocumentPlan,
    features: SyntaxFeatures,
    chance: ChanceStream,
    vocabularies: u16,
    content: DocumentContent,
}

impl Composer<'_> {
    /// Adds the main subject, and in larger documents its parts and a blank node that several of them refer to.
    fn add_subjects(&mut self) {
        let plan = self.plan;
        self.describe(ContentSubject::Iri(plan.name()), None);
        let parts = match (plan.kind, plan.bytes / 2_500) {
            (DocumentKind::HtmlSeveral, parts) => parts.clamp(2, 6),
            (_, parts) => parts.min(6),
        };
        for part in 1..=parts {
            let mut iri = plan.url(DocumentUrlKind::Document);
            iri.push_str("#part");
            push_number(part, &mut iri);
            let graph = plan.kind.has_graphs().then(|| u8::try_from(part % 3).expect("below three"));
            self.describe(ContentSubject::Iri(iri.clone()), graph);
            let predicate = self.draw_predicate();
            self.add_property(0, predicate, ContentTerm::Iri(iri));
        }
        if self.features == SyntaxFeatures::All && (plan.bytes > 2_000 || self.chance.bernoulli(0.1)) {
            let shared = self.describe(ContentSubject::Blank(1), None);
            let predicate = self.draw_predicate();
            for subject in 0..shared.min(2) {
                self.add_property(subject, predicate, ContentTerm::Blank(1));
            }
        }
    }

    fn describe(&mut self, subject: ContentSubject, graph: Option<u8>) -> usize {
        let class = VocabularyName::class(self.draw_vocabulary(), self.topic_class());
        let label = words::text(self.plan.topic, 12, &mut self.chance);
        let properties = vec![
            ContentProperty { predicate: TYPE, object: ContentTerm::Name(class) },
            ContentProperty { predicate: LABEL, object: ContentTerm::Literal(ContentLiteral::plain(label)) },
        ];
        self.content.descriptions.push(SubjectDescription { subject, graph, properties });
        self.content.descriptions.len() - 1
    }

    fn add_links(&mut self, world: &World, links: &[WorldLink]) {
        for link in links.iter().filter(|link| link.stated) {
            let predicate = self.draw_predicate();
            let subject = if self.chance.bernoulli(0.8) { 0 } else { self.draw_subject() };
            self.add_property(subject, predicate, ContentTerm::Iri(world.target_uri(&link.target)));
        }
    }

    /// Fills the document with literals and unlabelled blank nodes.
    fn add_literals(&mut self, links: usize) {
        let budget = remaining_bytes(self.plan, self.plan.kind, links);
        // Half of an HTML document is prose.
        let budget = if self.plan.kind.is_serialisation() { budget } else { budget / 2 };
        let overhead = syntax_cost(self.plan.kind).literal;
        let usual = (budget / 60).clamp(24, 600);
        let mut spent = 0;
        while spent + overhead < budget {
            let bytes = self.chance.between(usual / 2, usual * 3 / 2).min(budget - spent);
            let subject = self.draw_subject();
            let predicate = self.draw_predicate();
            let object = if self.chance.bernoulli(0.06) { self.nested_node(bytes) } else { self.literal(bytes) };
            spent += overhead
                + match &object {
                    ContentTerm::Literal(literal) => u32::try_from(literal.text.len()).expect("literals are short"),
                    _ => bytes + 3 * overhead,
                };
            self.add_property(subject, predicate, object);
        }
    }

    fn nested_node(&mut self, bytes: u32) -> ContentTerm {
        let class = VocabularyName::class(self.draw_vocabulary(), self.topic_class());
        let mut properties = vec![ContentProperty { predicate: TYPE, object: ContentTerm::Name(class) }];
        let mut numbers = [self.draw_predicate(), self.draw_predicate()];
        numbers.sort_unstable();
        for predicate in numbers {
            let object = self.literal(bytes / 2);
            properties.push(ContentProperty { predicate, object });
        }
        ContentTerm::Nested(properties)
    }

    fn literal(&mut self, bytes: u32) -> ContentTerm {
        let roll = if self.features == SyntaxFeatures::All { self.chance.below(100) } else { 99 };
        let (text, annotation) = match roll {
            0..6 => (self.chance.below(100_000).to_string(), LiteralAnnotation::Typed("integer")),
            6..9 => (self.date(), LiteralAnnotation::Typed("date")),
            9..11 => (
                if self.chance.bernoulli(0.5) { "true" } else { "false" }.to_owned(),
                LiteralAnnotation::Typed("boolean"),
            ),
            11..13 => (format!("{}.5", self.chance.below(1_000)), LiteralAnnotation::Typed("decimal")),
            13..15 => (format!("{}T12:30:00Z", self.date()), LiteralAnnotation::Typed("dateTime")),
            15..30 => (self.text(bytes), LiteralAnnotation::Language(self.chance.pick(&["en", "de", "fa", "pt-br"]))),
            _ => (self.text(bytes), LiteralAnnotation::Plain),
        };
        ContentTerm::Literal(ContentLiteral { text, annotation })
    }

    fn text(&mut self, bytes: u32) -> String {
        let mut text = words::text(self.plan.topic, bytes as usize, &mut self.chance);
        if self.chance.bernoulli(0.05)
            && let Some(space) = text.find(' ')
        {
            text.replace_range(space..=space, "\n");
        }
        text
    }

    fn date(&mut self) -> String {
        let (year, month, day) =
            (self.chance.between(1900, 2025), self.chance.between(1, 12), self.chance.between(1, 28));
        format!("{year}-{month:02}-{day:02}")
    }

    fn add_property(&mut self, subject: usize, predicate: VocabularyName, object: ContentTerm) {
        self.content.descriptions[subject].properties.push(ContentProperty { predicate, object });
    }

    fn draw_subject(&mut self) -> usize {
        let count = u32::try_from(self.content.descriptions.len()).expect("a handful");
        self.chance.below(count) as usize
    }

    /// A document mostly uses one vocabulary.
    fn draw_vocabulary(&mut self) -> u16 {
        let own = self.plan.topic % u32::from(self.vocabularies);
        let other = if self.chance.bernoulli(0.85) { own } else { self.chance.below(self.vocabularies.into()) };
        u16::try_from(other).expect("`vocabularies` is a u16")
    }

    fn draw_predicate(&mut self) -> VocabularyName {
        let number = u16::try_from(self.chance.below(NAMES_PER_VOCABULARY.into())).expect("the bound is a u16");
        VocabularyName::property(self.draw_vocabulary(), number)
    }

    /// The class for the document's topic.
    fn topic_class(&self) -> u16 {
        u16::try_from(self.plan.topic % u32::from(NAMES_PER_VOCABULARY)).expect("the divisor is a u16")
    }
}
