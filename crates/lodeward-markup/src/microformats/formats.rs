//! The classes of microformats and their terms in RDF.

use oxrdf::NamedNodeRef;

macro_rules! term {
    ($namespace:literal, $name:expr) => {
        NamedNodeRef::new_unchecked(concat!($namespace, $name))
    };
}

macro_rules! vcard {
    ($name:expr) => {
        term!("http://www.w3.org/2006/vcard/ns#", $name)
    };
}

macro_rules! ical {
    ($name:expr) => {
        term!("http://www.w3.org/2002/12/cal/icaltzd#", $name)
    };
}

macro_rules! review {
    ($name:expr) => {
        term!("http://purl.org/stuff/rev#", $name)
    };
}

type Term = NamedNodeRef<'static>;

pub(super) const CALENDAR: Term = ical!("Vcalendar");
pub(super) const COMPONENT: Term = ical!("component");
pub(super) const FULL_NAME: Term = vcard!("fn");
pub(super) const NAME: Term = vcard!("n");
pub(super) const NAME_CLASS: Term = vcard!("Name");
pub(super) const GIVEN_NAME: Term = vcard!("given-name");
pub(super) const FAMILY_NAME: Term = vcard!("family-name");
pub(super) const ORGANIZATION_NAME: Term = vcard!("organization-name");
pub(super) const LATITUDE: Term = vcard!("latitude");
pub(super) const LONGITUDE: Term = vcard!("longitude");
pub(super) const ALTITUDE: Term = vcard!("altitude");
pub(super) const URL: Term = vcard!("url");
const ORGANIZATION: Term = vcard!("org");
const DATE: Term = term!("http://purl.org/dc/terms/", "date");

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormatKind {
    Card,
    /// The parts of a name, in a card.
    Name,
    /// An organisation, in a card.
    Organization,
    Address,
    Location,
    Event,
    Todo,
    Journal,
    Review,
    /// What is reviewed, in a review, unless it is a card.
    Item,
}

impl FormatKind {
    /// The class of the entities.
    pub(super) fn class(self) -> Option<Term> {
        Some(match self {
            Self::Card => vcard!("VCard"),
            Self::Name => NAME_CLASS,
            Self::Organization => vcard!("Organization"),
            Self::Address => vcard!("Address"),
            Self::Location => vcard!("Location"),
            Self::Event => ical!("Vevent"),
            Self::Todo => ical!("Vtodo"),
            Self::Journal => ical!("Vjournal"),
            Self::Review => review!("Review"),
            Self::Item => return None,
        })
    }

    /// Whether the entities are components of the page's calendar.
    pub(super) fn is_component(self) -> bool {
        matches!(self, Self::Event | Self::Todo | Self::Journal)
    }
}

/// The format of the elements with a class, and whether it is version 2. Some classes start an entity only in one of
/// another format; `is_in` tells whether it is.
pub(super) fn format_of_class(class: &str, is_in: impl Fn(FormatKind) -> bool) -> Option<(FormatKind, bool)> {
    let class = class.to_ascii_lowercase();
    let version_1 = match class.as_str() {
        "vcard" => FormatKind::Card,
        "adr" => FormatKind::Address,
        "geo" => FormatKind::Location,
        "vevent" => FormatKind::Event,
        "vtodo" => FormatKind::Todo,
        "vjournal" => FormatKind::Journal,
        "hreview" => FormatKind::Review,
        "n" if is_in(FormatKind::Card) => FormatKind::Name,
        "org" | "p-org" if is_in(FormatKind::Card) => FormatKind::Organization,
        "item" if is_in(FormatKind::Review) => FormatKind::Item,
        _ => {
            let version_2 = match class.as_str() {
                "h-card" => FormatKind::Card,
                "h-adr" => FormatKind::Address,
                "h-geo" => FormatKind::Location,
                "h-event" => FormatKind::Event,
                "h-review" => FormatKind::Review,
                "h-item" | "h-product" if is_in(FormatKind::Review) => FormatKind::Item,
                _ => return None,
            };
            return Some((version_2, true));
        }
    };
    Some((version_1, false))
}

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text,
    Date,
    Url,
    /// An IRI with the scheme `mailto`.
    Mail,
    /// An IRI with the scheme `tel`.
    Telephone,
}

/// A property of an entity.
#[derive(Clone, Copy, Debug)]
pub(super) struct MicroformatProperty {
    pub(super) predicate: Term,
    pub(super) value: ValueKind,
    /// Whether the value may be an entity.
    pub(super) has_entities: bool,
    /// Whether the value is the subject.
    pub(super) is_reverse: bool,
    /// Whether the property belongs to the name of a card, rather than to the card.
    pub(super) is_name_part: bool,
}

impl MicroformatProperty {
    pub(super) fn is_name(&self) -> bool {
        self.predicate == NAME
    }
}

/// The property that a class denotes in an entity. In version 2, a class has a prefix for the kind of its value.
pub(super) fn property_of_class(class: &str, kind: FormatKind, is_version_2: bool) -> Option<MicroformatProperty> {
    let class = class.to_ascii_lowercase();
    let name = if is_version_2 { version_2_name(&class, kind)? } else { class.as_str() };
    let (predicate, value) = match kind {
        FormatKind::Card => card_property(name)?,
        FormatKind::Name => name_property(name)?,
        FormatKind::Organization => organization_property(name)?,
        FormatKind::Address => address_property(name)?,
        FormatKind::Location => location_property(name)?,
        FormatKind::Event | FormatKind::Todo | FormatKind::Journal => component_property(name)?,
        FormatKind::Review => review_property(name)?,
        FormatKind::Item => item_property(name)?,
    };
    let is_name_part = kind == FormatKind::Card && name_property(name).is_some();
    let is_reverse = kind == FormatKind::Review && name == "item";
    let has_entities = matches!(
        name,
        "adr" | "geo" | "org" | "n" | "location" | "organizer" | "attendee" | "contact" | "reviewer" | "item"
    );
    Some(MicroformatProperty { predicate, value, has_entities, is_reverse, is_name_part })
}

/// The name of version 1 for a class of version 2.
fn version_2_name(class: &str, kind: FormatKind) -> Option<&str> {
    let name = ["p-", "u-", "dt-", "e-"].into_iter().find_map(|prefix| class.strip_prefix(prefix))?;
    Some(match (kind, name) {
        (FormatKind::Card | FormatKind::Item, "name") => "fn",
        (FormatKind::Card, "job-title") => "title",
        (FormatKind::Event | FormatKind::Review, "name") => "summary",
        (FormatKind::Event, "start") => "dtstart",
        (FormatKind::Event, "end") => "dtend",
        (FormatKind::Event, "summary" | "content") | (FormatKind::Review, "content") => "description",
        (FormatKind::Review, "author") => "reviewer",
        (FormatKind::Review, "published" | "reviewed") => "dtreviewed",
        (_, name) => name,
    })
}

type PropertyRow = (Term, ValueKind);

fn card_property(name: &str) -> Option<PropertyRow> {
    Some(match name {
        "fn" => (FULL_NAME, ValueKind::Text),
        "n" => (NAME, ValueKind::Text),
        "org" => (ORGANIZATION, ValueKind::Text),
        "adr" => (vcard!("adr"), ValueKind::Text),
        "geo" => (vcard!("geo"), ValueKind::Text),
        "nickname" => (vcard!("nickname"), ValueKind::Text),
        "sort-string" => (vcard!("sort-string"), ValueKind::Text),
        "url" => (URL, ValueKind::Url),
        "email" => (vcard!("email"), ValueKind::Mail),
        "tel" => (vcard!("tel"), ValueKind::Telephone),
        "photo" => (vcard!("photo"), ValueKind::Url),
        "logo" => (vcard!("logo"), ValueKind::Url),
        "sound" => (vcard!("sound"), ValueKind::Url),
        "bday" => (vcard!("bday"), ValueKind::Date),
        "rev" => (vcard!("rev"), ValueKind::Date),
        "tz" => (vcard!("tz"), ValueKind::Text),
        "uid" => (vcard!("uid"), ValueKind::Text),
        "class" => (vcard!("class"), ValueKind::Text),
        "category" => (vcard!("category"), ValueKind::Text),
        "title" => (vcard!("title"), ValueKind::Text),
        "role" => (vcard!("role"), ValueKind::Text),
        "note" => (vcard!("note"), ValueKind::Text),
        _ => return name_property(name),
    })
}

fn name_property(name: &str) -> Option<PropertyRow> {
    let predicate = match name {
        "given-name" => GIVEN_NAME,
        "family-name" => FAMILY_NAME,
        "additional-name" => vcard!("additional-name"),
        "honorific-prefix" => vcard!("honorific-prefix"),
        "honorific-suffix" => vcard!("honorific-suffix"),
        _ => return None,
    };
    Some((predicate, ValueKind::Text))
}

fn organization_property(name: &str) -> Option<PropertyRow> {
    let predicate = match name {
        "organization-name" => ORGANIZATION_NAME,
        "organization-unit" => vcard!("organization-unit"),
        _ => return None,
    };
    Some((predicate, ValueKind::Text))
}

fn address_property(name: &str) -> Option<PropertyRow> {
    let predicate = match name {
        "post-office-box" => vcard!("post-office-box"),
        "extended-address" => vcard!("extended-address"),
        "street-address" => vcard!("street-address"),
        "locality" => vcard!("locality"),
        "region" => vcard!("region"),
        "postal-code" => vcard!("postal-code"),
        "country-name" => vcard!("country-name"),
        "type" => vcard!("addressType"),
        _ => return None,
    };
    Some((predicate, ValueKind::Text))
}

fn location_property(name: &str) -> Option<PropertyRow> {
    let predicate = match name {
        "latitude" => LATITUDE,
        "longitude" => LONGITUDE,
        "altitude" => ALTITUDE,
        _ => return None,
    };
    Some((predicate, ValueKind::Text))
}

fn component_property(name: &str) -> Option<PropertyRow> {
    Some(match name {
        "summary" => (ical!("summary"), ValueKind::Text),
        "description" => (ical!("description"), ValueKind::Text),
        "location" => (ical!("location"), ValueKind::Text),
        "category" => (ical!("categories"), ValueKind::Text),
        "status" => (ical!("status"), ValueKind::Text),
        "class" => (ical!("class"), ValueKind::Text),
        "transp" => (ical!("transp"), ValueKind::Text),
        "uid" => (ical!("uid"), ValueKind::Text),
        "duration" => (ical!("duration"), ValueKind::Date),
        "dtstart" => (ical!("dtstart"), ValueKind::Date),
        "dtend" => (ical!("dtend"), ValueKind::Date),
        "dtstamp" => (ical!("dtstamp"), ValueKind::Date),
        "last-modified" => (ical!("lastModified"), ValueKind::Date),
        "url" => (ical!("url"), ValueKind::Url),
        "attach" => (ical!("attach"), ValueKind::Url),
        "organizer" => (ical!("organizer"), ValueKind::Text),
        "attendee" => (ical!("attendee"), ValueKind::Text),
        "contact" => (ical!("contact"), ValueKind::Text),
        "geo" => (ical!("geo"), ValueKind::Text),
        _ => return None,
    })
}

fn review_property(name: &str) -> Option<PropertyRow> {
    Some(match name {
        "rating" => (review!("rating"), ValueKind::Text),
        "summary" => (review!("title"), ValueKind::Text),
        "description" => (review!("text"), ValueKind::Text),
        "type" => (review!("type"), ValueKind::Text),
        "reviewer" => (review!("reviewer"), ValueKind::Text),
        "dtreviewed" => (DATE, ValueKind::Date),
        "item" => (review!("hasReview"), ValueKind::Text),
        _ => return None,
    })
}

fn item_property(name: &str) -> Option<PropertyRow> {
    Some(match name {
        "fn" => (FULL_NAME, ValueKind::Text),
        "url" => (URL, ValueKind::Url),
        "photo" => (vcard!("photo"), ValueKind::Url),
        _ => return None,
    })
}
