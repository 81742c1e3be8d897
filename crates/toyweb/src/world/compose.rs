//! Making up what a document says.

use super::World;
use super::chance::{Chance, Matter};
use super::content::{Annotation, Content, Description, Literal, Property, Subject, Term};
use super::kind::Kind;
use super::links::Link;
use super::plan::{Face, Plan};
use super::site::push_number;
use super::vocabulary::{LABEL, NAMES, Name, TYPE};
use super::words;

/// About how many bytes things take in a syntax, so that documents come out
/// about as large as they should without being written twice.
struct Cost {
    frame: u32,
    link: u32,
    literal: u32,
}

fn cost(kind: Kind) -> Cost {
    let (frame, link, literal) = match kind {
        Kind::RdfXml => (400, 60, 34),
        Kind::Turtle => (220, 38, 13),
        Kind::TriG => (220, 42, 15),
        Kind::NTriples => (150, 112, 80),
        Kind::NQuads => (200, 148, 116),
        Kind::JsonLd => (320, 46, 22),
        Kind::HtmlRdfa => (500, 150, 42),
        Kind::HtmlMicrodata => (400, 150, 38),
        Kind::HtmlJsonLd => (500, 125, 22),
        Kind::HtmlSeveral => (900, 150, 36),
        Kind::Html | Kind::Page | Kind::Binary => (300, 70, 0),
    };
    Cost { frame, link, literal }
}

/// How much of a document is left when its frame and links are written.
pub(crate) fn room(plan: &Plan, kind: Kind, links: usize) -> u32 {
    let cost = cost(kind);
    let links = u32::try_from(links).expect("some dozens");
    plan.bytes.saturating_sub(cost.frame + links * cost.link)
}

/// What the syntaxes at hand can say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    /// Everything RDF has.
    All,
    /// Plain literals and unlabelled blank nodes, which is all of Microdata.
    Plain,
}

impl World {
    /// What a document says.
    pub(crate) fn content(&self, plan: &Plan, links: &[Link]) -> Content {
        if !plan.kind.holds_rdf() {
            return Content { descriptions: Vec::new() };
        }
        let chance = Chance::of(self.parameters().seed, Matter::Content, plan.site.number, plan.number);
        let means = match plan.kind {
            Kind::HtmlMicrodata | Kind::HtmlSeveral => Means::Plain,
            _ => Means::All,
        };
        let vocabularies = self.parameters().vocabularies;
        let mut composer =
            Composer { plan, means, chance, vocabularies, content: Content { descriptions: Vec::new() } };
        composer.subjects();
        composer.links(self, links);
        composer.literals(links.len());
        let mut content = composer.content;
        self.revise(plan, &mut content);
        for description in &mut content.descriptions {
            description.properties.sort_by_key(|property| property.predicate);
        }
        content
    }
}

struct Composer<'a> {
    plan: &'a Plan,
    means: Means,
    chance: Chance,
    vocabularies: u16,
    content: Content,
}

impl Composer<'_> {
    /// The thing itself, and in larger documents its parts and a blank node
    /// several of them refer to.
    fn subjects(&mut self) {
        let plan = self.plan;
        self.describe(Subject::Iri(plan.name()), None);
        let parts = match (plan.kind, plan.bytes / 2_500) {
            (Kind::HtmlSeveral, parts) => parts.clamp(2, 6),
            (_, parts) => parts.min(6),
        };
        for part in 1..=parts {
            let mut iri = plan.url(Face::Document);
            iri.push_str("#part");
            push_number(part, &mut iri);
            let graph = plan.kind.has_graphs().then(|| u8::try_from(part % 3).expect("below three"));
            self.describe(Subject::Iri(iri.clone()), graph);
            let predicate = self.predicate();
            self.say(0, predicate, Term::Iri(iri));
        }
        if self.means == Means::All && (plan.bytes > 2_000 || self.chance.happens(0.1)) {
            let shared = self.describe(Subject::Blank(1), None);
            let predicate = self.predicate();
            for teller in 0..shared.min(2) {
                self.say(teller, predicate, Term::Blank(1));
            }
        }
    }

    fn describe(&mut self, subject: Subject, graph: Option<u8>) -> usize {
        let class = Name::class(self.vocabulary(), self.topical());
        let label = words::text(self.plan.topic, 12, &mut self.chance);
        let properties = vec![
            Property { predicate: TYPE, object: Term::Name(class) },
            Property { predicate: LABEL, object: Term::Literal(Literal::plain(label)) },
        ];
        self.content.descriptions.push(Description { subject, graph, properties });
        self.content.descriptions.len() - 1
    }

    fn links(&mut self, world: &World, links: &[Link]) {
        for link in links.iter().filter(|link| link.stated) {
            let predicate = self.predicate();
            let teller = if self.chance.happens(0.8) { 0 } else { self.teller() };
            self.say(teller, predicate, Term::Iri(world.target_uri(&link.target)));
        }
    }

    /// Fills the document up with literals and unlabelled blank nodes.
    fn literals(&mut self, links: usize) {
        let room = room(self.plan, self.plan.kind, links);
        // In HTML the other half is prose.
        let room = if self.plan.kind.is_serialisation() { room } else { room / 2 };
        let overhead = cost(self.plan.kind).literal;
        let usual = (room / 60).clamp(24, 600);
        let mut spent = 0;
        while spent + overhead < room {
            let bytes = self.chance.between(usual / 2, usual * 3 / 2).min(room - spent);
            let teller = self.teller();
            let predicate = self.predicate();
            let object = if self.chance.happens(0.06) { self.nested(bytes) } else { self.literal(bytes) };
            spent += overhead
                + match &object {
                    Term::Literal(literal) => u32::try_from(literal.text.len()).expect("a short text"),
                    _ => bytes + 3 * overhead,
                };
            self.say(teller, predicate, object);
        }
    }

    fn nested(&mut self, bytes: u32) -> Term {
        let class = Name::class(self.vocabulary(), self.topical());
        let mut properties = vec![Property { predicate: TYPE, object: Term::Name(class) }];
        let mut numbers = [self.predicate(), self.predicate()];
        numbers.sort_unstable();
        for predicate in numbers {
            let object = self.literal(bytes / 2);
            properties.push(Property { predicate, object });
        }
        Term::Nested(properties)
    }

    fn literal(&mut self, bytes: u32) -> Term {
        let roll = if self.means == Means::All { self.chance.below(100) } else { 99 };
        let (text, annotation) = match roll {
            0..6 => (self.chance.below(100_000).to_string(), Annotation::Typed("integer")),
            6..9 => (self.date(), Annotation::Typed("date")),
            9..11 => (if self.chance.happens(0.5) { "true" } else { "false" }.to_owned(), Annotation::Typed("boolean")),
            11..13 => (format!("{}.5", self.chance.below(1_000)), Annotation::Typed("decimal")),
            13..15 => (format!("{}T12:30:00Z", self.date()), Annotation::Typed("dateTime")),
            15..30 => (self.text(bytes), Annotation::Language(self.chance.pick(&["en", "de", "fa", "pt-br"]))),
            _ => (self.text(bytes), Annotation::Plain),
        };
        Term::Literal(Literal { text, annotation })
    }

    fn text(&mut self, bytes: u32) -> String {
        let mut text = words::text(self.plan.topic, bytes as usize, &mut self.chance);
        if self.chance.happens(0.05)
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

    fn say(&mut self, teller: usize, predicate: Name, object: Term) {
        self.content.descriptions[teller].properties.push(Property { predicate, object });
    }

    fn teller(&mut self) -> usize {
        let count = u32::try_from(self.content.descriptions.len()).expect("a handful");
        self.chance.below(count) as usize
    }

    /// A document keeps to one vocabulary, mostly.
    fn vocabulary(&mut self) -> u16 {
        let own = self.plan.topic % u32::from(self.vocabularies);
        let other = if self.chance.happens(0.85) { own } else { self.chance.below(self.vocabularies.into()) };
        u16::try_from(other).expect("below a 16-bit number")
    }

    fn predicate(&mut self) -> Name {
        let number = u16::try_from(self.chance.below(NAMES.into())).expect("below a 16-bit number");
        Name::property(self.vocabulary(), number)
    }

    /// The class of things of the document's topic.
    fn topical(&self) -> u16 {
        u16::try_from(self.plan.topic % u32::from(NAMES)).expect("below a 16-bit number")
    }
}
