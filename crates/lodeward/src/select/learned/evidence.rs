//! What can be told about a link before it is followed.
//!
//! Two sorts of evidence go with a candidate, both as numbers: *keys*, under
//! which it is looked up how visits like it went, and *features*, whose weights
//! are learned. The keys come first, then how many features are of the target's
//! address, then those, then the features of the link; so a redirect can pass on
//! what was known of the link that led to it.
//!
//! A feature that says which host it is about has an odd number, any other an
//! even one: only the latter may be shipped.

use super::words::{fold, shape, words};
use crate::discover::promise::{self, Promise};
use crate::model::{Features, Link, Uri, Via};
use crate::select::Found;
use crate::select::hash::FeatureHasher;
use crate::select::names::Names;

/// What is counted how visits went by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Key {
    /// The target's pay-level domain.
    Domain,
    /// The target's host and first directories.
    Directory,
    /// The target's host and the shape of its path.
    Shape,
    /// The target's host and extension.
    Extension,
    /// The page the link is on.
    Page,
    /// The page, and where on it: the tag path, the predicate.
    Section,
    /// The host of the page, and where on its pages.
    SiteSection,
    /// Pages of that shape on that host.
    PageShape,
    /// What relates the two: a predicate, a relation, an element.
    Relation,
}

impl Key {
    pub(super) const COUNT: usize = 9;
    /// The smallest number of a key among the reasons of a verdict.
    pub(super) const LAST_REASON: u32 = u32::MAX - 8;
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::Domain,
        Self::Directory,
        Self::Shape,
        Self::Extension,
        Self::Page,
        Self::Section,
        Self::SiteSection,
        Self::PageShape,
        Self::Relation,
    ];

    /// Whose rate this one leans on; `None` for that of everything.
    pub(super) fn parent(self) -> Option<Self> {
        match self {
            Self::Directory | Self::Shape | Self::Extension => Some(Self::Domain),
            Self::Section => Some(Self::Page),
            Self::Domain | Self::Page | Self::SiteSection | Self::PageShape | Self::Relation => None,
        }
    }

    /// The number it has among the reasons of a verdict: beyond all features.
    pub(super) fn reason(self) -> u32 {
        u32::MAX - u32::try_from(self as usize).unwrap_or(0)
    }

    /// The key with this number among the reasons of a verdict.
    pub(super) fn of_reason(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.reason() == number)
    }

    /// In words, for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Domain => "how its domain has done",
            Self::Directory => "how its directory has done",
            Self::Shape => "how paths of its shape have done",
            Self::Extension => "how its extension has done on its host",
            Self::Page => "how other links of the page have done",
            Self::Section => "how links beside it on the page have done",
            Self::SiteSection => "how links at its place on pages of that site have done",
            Self::PageShape => "how links of pages like that one have done",
            Self::Relation => "how links of its relation have done",
        }
    }
}

/// A candidate's features, taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence<'a> {
    pub(super) keys: &'a [u32; Key::COUNT],
    /// Of the target's address.
    pub(super) address: &'a [u32],
    /// Of the link.
    pub(super) link: &'a [u32],
}

impl<'a> Evidence<'a> {
    /// `None` for features of another making.
    pub(super) fn of(features: &'a Features) -> Option<Self> {
        let (keys, rest) = features.0.split_first_chunk()?;
        let (count, rest) = rest.split_first()?;
        let (address, link) = rest.split_at_checked(*count as usize)?;
        Some(Self { keys, address, link })
    }

    pub(super) fn features(self) -> impl Iterator<Item = u32> {
        self.address.iter().chain(self.link).copied()
    }

    /// What each feature counts: the more there are, the less, so that neither
    /// long texts nor long paths drown the rest.
    pub(super) fn scale(self) -> f32 {
        const SCALE: f32 = 2.0;
        let count = u16::try_from(self.address.len() + self.link.len()).unwrap_or(u16::MAX);
        SCALE / f32::from(count.max(1)).sqrt()
    }
}

/// Takes evidence.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    features: FeatureHasher,
    pub(super) names: Names,
    keys: FeatureHasher,
    /// The features of promises.
    promises: [u32; Promise::ALL.len()],
    shape: String,
    directory: String,
    section: String,
    word: String,
}

/// What is the same for all links of a page.
pub(super) struct Page<'a> {
    found: &'a Found<'a>,
    host: &'a str,
    shape: String,
}

impl Observer {
    pub(super) fn new(bits: u8, names: Names) -> Self {
        let mut features = FeatureHasher::new(bits - 1);
        Self {
            promises: Promise::ALL.map(|promise| features.number("promise", &[promise.name()]) << 1),
            features,
            names,
            keys: FeatureHasher::new(32),
            shape: String::new(),
            directory: String::new(),
            section: String::new(),
            word: String::new(),
        }
    }

    /// Looks at a page, before its links.
    pub(super) fn page<'a>(found: &'a Found<'a>) -> Page<'a> {
        let mut path = String::new();
        if let Some(source) = found.source {
            shape(source.path(), &mut path);
        }
        Page { found, host: found.source.map_or("", Uri::host), shape: path }
    }

    /// The evidence about a link. `led` is that about the link which led to a
    /// redirect that led here.
    pub(super) fn observe(&mut self, page: &Page<'_>, link: &Link, led: Option<Evidence<'_>>) -> Features {
        let mut numbers = Vec::with_capacity(64);
        self.keys(page, link, led, &mut numbers);
        numbers.push(0);
        let first = numbers.len();
        self.address(&link.target, &mut numbers);
        numbers[first - 1] = u32::try_from(numbers.len() - first).unwrap_or(0);
        match led {
            Some(led) => {
                numbers.extend_from_slice(led.link);
                self.add(&mut numbers, "led", &["redirect"]);
            }
            None => self.link(page, link, &mut numbers),
        }
        Features(numbers)
    }

    /// Adds a feature that means the same on every host.
    fn add(&mut self, numbers: &mut Vec<u32>, field: &str, parts: &[&str]) {
        self.add_number(numbers, field, parts, 0);
    }

    /// Adds a feature that says which host it is about.
    fn add_local(&mut self, numbers: &mut Vec<u32>, field: &str, parts: &[&str]) {
        self.add_number(numbers, field, parts, 1);
    }

    fn add_number(&mut self, numbers: &mut Vec<u32>, field: &str, parts: &[&str], parity: u32) {
        let number = self.features.number(field, parts) << 1 | parity;
        if self.names.meets(number) {
            self.names.keep(number, self.features.last_words());
        }
        numbers.push(number);
    }

    fn keys(&mut self, page: &Page<'_>, link: &Link, led: Option<Evidence<'_>>, numbers: &mut Vec<u32>) {
        let target = &link.target;
        let host = target.host();
        shape(target.path(), &mut self.shape);
        directories(&self.shape, 2, &mut self.directory);
        let pld = target.pld();
        let extension = target.extension().unwrap_or_default();
        numbers.push(self.keys.number("pld", &[pld.as_str()]));
        numbers.push(self.keys.number("dir", &[host, &self.directory]));
        numbers.push(self.keys.number("shape", &[host, &self.shape]));
        numbers.push(self.keys.number("ext", &[host, &extension]));
        if let Some(led) = led {
            numbers.extend_from_slice(&led.keys[Key::Page as usize..]);
            return;
        }
        let source = page.found.source.map_or("", Uri::as_str);
        section(&link.via, &mut self.section);
        numbers.push(self.keys.number("page", &[source]));
        numbers.push(self.keys.number("section", &[source, &self.section]));
        numbers.push(self.keys.number("site", &[page.host, &self.section]));
        numbers.push(self.keys.number("pages", &[page.host, &page.shape]));
        numbers.push(self.keys.number("relation", &[&relation(&link.via)]));
    }

    fn address(&mut self, target: &Uri, numbers: &mut Vec<u32>) {
        const WORDS_MAX: usize = 10;
        let host = target.host();
        let extension = target.extension().unwrap_or_default();
        self.add_local(numbers, "host", &[host]);
        self.add(numbers, "ext", &[&extension]);
        let mut path = std::mem::take(&mut self.shape);
        let mut directory = std::mem::take(&mut self.directory);
        self.add_local(numbers, "hostshape", &[host, &path]);
        for depth in 1..=3 {
            if directories(&path, depth, &mut directory) {
                self.add_local(numbers, "hostdir", &[host, &directory]);
            }
        }
        abstracted(&path, &mut directory);
        self.add(numbers, "shape", &[&directory]);
        path.clear();
        self.shape = path;
        self.directory = directory;
        let mut word = std::mem::take(&mut self.word);
        words(target.path(), WORDS_MAX, &mut word, |word| self.add(numbers, "path", &[word]));
        words(host, 4, &mut word, |word| self.add_local(numbers, "hostword", &[word]));
        if let Some((_, query)) = target.path_and_query().split_once('?') {
            self.add(numbers, "query", &[]);
            for pair in query.split('&').take(4) {
                fold(pair.split('=').next().unwrap_or(pair), &mut word);
                self.add(numbers, "querykey", &[&word]);
            }
        }
        self.word = word;
    }

    /// What was promised by the link that evidence is about, or by the one that
    /// led to the redirect to it.
    pub(super) fn promise(&self, evidence: Evidence<'_>) -> Option<Promise> {
        let first = evidence.link.first()?;
        self.promises.iter().position(|number| number == first).map(|index| Promise::ALL[index])
    }

    /// What a link promises comes first, so that it is found again.
    fn link(&mut self, page: &Page<'_>, link: &Link, numbers: &mut Vec<u32>) {
        let Page { found, host, shape } = page;
        if let Some(promise) = promise::of(link) {
            self.add(numbers, "promise", &[promise.name()]);
        }
        let is_same_host = if link.target.host() == *host { "same" } else { "other" };
        self.add(numbers, "via", &[kind(&link.via), is_same_host]);
        self.add(numbers, "from", &[found.syntax, found.relevance.name(), is_same_host]);
        self.add_local(numbers, "fromhost", &[host]);
        self.add_local(numbers, "fromshape", &[host, shape]);
        match &link.via {
            Via::Seed | Via::Redirect(_) | Via::Step(_) => {}
            Via::Listed { media_type, .. } => {
                if let Some(media_type) = media_type {
                    self.add(numbers, "type", &[media_type]);
                }
            }
            Via::Triple { properties, vocabulary, .. } => {
                for property in properties {
                    self.add(numbers, "predicate", &[property]);
                }
                if *vocabulary {
                    self.add(numbers, "vocabulary", &[]);
                }
            }
            Via::Header { rel, media_type } => {
                self.relations(rel, numbers);
                self.add(numbers, "type", &[media_type.as_deref().unwrap_or_default()]);
            }
            Via::Html(html) => {
                self.relations(html.rel.as_deref().unwrap_or_default(), numbers);
                if let Some(media_type) = &html.media_type {
                    self.add(numbers, "type", &[media_type]);
                }
                let mut word = std::mem::take(&mut self.word);
                let title = html.title.as_deref().unwrap_or_default();
                words(title, 6, &mut word, |word| self.add(numbers, "title", &[word]));
                words(&html.text, 8, &mut word, |word| self.add(numbers, "anchor", &[word]));
                words(&html.context, 10, &mut word, |word| self.add(numbers, "context", &[word]));
                self.word = word;
                let tags = tail(&html.tag_path, 3);
                self.add(numbers, "tags", &[tags]);
                self.add_local(numbers, "sitetags", &[host, &html.tag_path]);
            }
        }
    }

    fn relations(&mut self, rel: &str, numbers: &mut Vec<u32>) {
        for one in rel.split_ascii_whitespace().take(4) {
            self.add(numbers, "rel", &[one]);
        }
    }
}

/// Where on a page a link is.
fn section(via: &Via, section: &mut String) {
    section.clear();
    match via {
        Via::Seed => section.push_str("seed"),
        Via::Triple { properties, vocabulary, .. } => {
            section.push_str(if *vocabulary { "term " } else { "triple " });
            section.push_str(properties.first().map_or("", |property| property));
        }
        Via::Html(link) => {
            section.push_str(&link.tag_path);
            section.push(' ');
            section.push_str(link.rel.as_deref().unwrap_or_default());
        }
        Via::Header { rel, .. } => section.push_str(rel),
        Via::Redirect(_) => section.push_str("redirect"),
        Via::Listed { list, .. } => section.push_str(list.name()),
        Via::Step(_) => section.push_str("step"),
    }
}

/// What relates a page and a target, wherever that is.
fn relation(via: &Via) -> String {
    match via {
        Via::Seed => "seed".to_owned(),
        Via::Triple { properties, vocabulary, .. } => {
            let property = properties.first().map_or("", |property| property);
            format!("triple {vocabulary} {property}")
        }
        Via::Html(link) => {
            let media_type = link.media_type.as_deref().unwrap_or_default();
            format!("{} {} {media_type}", link.element, link.rel.as_deref().unwrap_or_default())
        }
        Via::Header { rel, media_type } => format!("header {rel} {}", media_type.as_deref().unwrap_or_default()),
        Via::Redirect(status) => format!("redirect {status}"),
        Via::Listed { list, media_type } => {
            format!("listed {} {}", list.name(), media_type.as_deref().unwrap_or_default())
        }
        Via::Step(_) => "step".to_owned(),
    }
}

fn kind(via: &Via) -> &str {
    match via {
        Via::Seed => "seed",
        Via::Triple { .. } => "triple",
        Via::Html(link) => &link.element,
        Via::Header { .. } => "header",
        Via::Redirect(_) => "redirect",
        Via::Listed { list, .. } => list.name(),
        Via::Step(_) => "step",
    }
}

/// The first directories of a path's shape. Whether there are that many.
fn directories(shape: &str, count: usize, directories: &mut String) -> bool {
    directories.clear();
    let mut parts = shape.split('/').skip(1).peekable();
    for _ in 0..count {
        let Some(part) = parts.next() else { return false };
        // The last part is no directory.
        if parts.peek().is_none() {
            return false;
        }
        directories.push('/');
        directories.push_str(part);
    }
    true
}

/// A shape without the words of its directories, which say whose it is.
fn abstracted(shape: &str, abstracted: &mut String) {
    abstracted.clear();
    let (path, last) = shape.rsplit_once('/').unwrap_or(("", shape));
    for directory in path.split('/').skip(1) {
        abstracted.push('/');
        abstracted.push_str(match directory {
            "#" | "~" => directory,
            _ => "w",
        });
    }
    abstracted.push('/');
    abstracted.push_str(last);
}

/// The last few elements of a tag path.
fn tail(tag_path: &str, count: usize) -> &str {
    let start = tag_path.rmatch_indices('/').nth(count - 1).map_or(0, |(index, _)| index + 1);
    &tag_path[start..]
}
