//! Extracts the evidence about a link before it is followed.
//!
//! A candidate has two kinds of evidence, both as numbers: *keys*, by which the results of similar
//! requests are looked up, and *features*, whose weights are learned. They are stored in this
//! order: the keys, the number of features of the target's URL, these features, and the features of
//! the link. With this layout, the target of a redirect inherits the features of the link to the
//! redirect.
//!
//! Host-specific features have odd numbers, all others even ones: only the latter may be in the
//! bundled model.

use super::words::{fold_token, for_each_word, path_shape};
use crate::discover::promise::{self};
use crate::frontier::FeatureVector;
use crate::model::{Link, LinkKind, Promise, Uri};
use crate::select::LinkContext;
use crate::select::feature_hash::FeatureHasher;
use crate::select::feature_names::FeatureNames;

/// Keys by which results of requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum EvidenceKey {
    /// The pay-level domain of the target.
    Domain,
    /// Host and first directories of the target.
    Directory,
    /// Host and path shape of the target.
    Shape,
    /// Host and extension of the target.
    Extension,
    /// The page with the link.
    Page,
    /// The page, and the position on it: tag path or predicate.
    Section,
    /// The host of the page, and the position on its pages.
    SiteSection,
    /// The host of the page, and the shape of its path.
    PageShape,
    /// The relation between page and target: predicate, link relation or element.
    Relation,
}

impl EvidenceKey {
    pub(super) const COUNT: usize = 9;
    /// The smallest number that represents a key among the reasons of a verdict.
    pub(super) const MIN_REASON_ID: u32 = u32::MAX - 8;
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

    /// The key whose rate is the prior of this one; `None` for the global rate.
    pub(super) fn parent(self) -> Option<Self> {
        match self {
            Self::Directory | Self::Shape | Self::Extension => Some(Self::Domain),
            Self::Section => Some(Self::Page),
            Self::Domain | Self::Page | Self::SiteSection | Self::PageShape | Self::Relation => None,
        }
    }

    /// The number of the key among the reasons of a verdict. It is above the numbers of all features.
    pub(super) fn reason_id(self) -> u32 {
        u32::MAX - u32::try_from(self as usize).unwrap_or(0)
    }

    /// The key with this number among the reasons of a verdict.
    pub(super) fn from_reason_id(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.reason_id() == number)
    }

    /// Description of the key, shown to users as a reason of a verdict.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Domain => "earlier results of its domain",
            Self::Directory => "earlier results of its directory",
            Self::Shape => "earlier results of paths with its shape",
            Self::Extension => "earlier results of its extension on its host",
            Self::Page => "earlier results of other links of the page",
            Self::Section => "earlier results of links next to it on the page",
            Self::SiteSection => "earlier results of links at its position on pages of that site",
            Self::PageShape => "earlier results of links of similar pages",
            Self::Relation => "earlier results of links with its relation",
        }
    }
}

/// A candidate's features, split into parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkEvidence<'a> {
    pub(super) keys: &'a [u32; EvidenceKey::COUNT],
    /// Features of the target's URL.
    pub(super) url: &'a [u32],
    /// Features of the link.
    pub(super) link: &'a [u32],
}

impl<'a> LinkEvidence<'a> {
    /// Splits the features of a candidate; `None` if another strategy created them.
    pub(super) fn from_features(features: &'a FeatureVector) -> Option<Self> {
        let (keys, rest) = features.0.split_first_chunk()?;
        let (count, rest) = rest.split_first()?;
        let (url, link) = rest.split_at_checked(*count as usize)?;
        Some(Self { keys, url, link })
    }

    pub(super) fn features(self) -> impl Iterator<Item = u32> {
        self.url.iter().chain(self.link).copied()
    }

    /// Weight of each feature. It decreases with the number of features, so that long texts or
    /// paths do not dominate.
    pub(super) fn scale(self) -> f32 {
        const SCALE: f32 = 2.0;
        let count = u16::try_from(self.url.len() + self.link.len()).unwrap_or(u16::MAX);
        SCALE / f32::from(count.max(1)).sqrt()
    }
}

/// Extracts the evidence of links as numbers.
#[derive(Clone, Debug)]
pub(super) struct EvidenceExtractor {
    features: FeatureHasher,
    pub(super) names: FeatureNames,
    keys: FeatureHasher,
    /// The feature of each promise, in the order of [`Promise::ALL`].
    promises: [u32; Promise::ALL.len()],
    shape: String,
    directory: String,
    section: String,
    word: String,
}

/// Evidence that is the same for all links of a page.
pub(super) struct PageEvidence<'a> {
    found: &'a LinkContext<'a>,
    host: &'a str,
    shape: String,
}

impl EvidenceExtractor {
    pub(super) fn new(bits: u8, names: FeatureNames) -> Self {
        let mut features = FeatureHasher::new(bits - 1);
        Self {
            promises: Promise::ALL.map(|promise| features.feature_index("promise", &[promise.name()]) << 1),
            features,
            names,
            keys: FeatureHasher::new(32),
            shape: String::new(),
            directory: String::new(),
            section: String::new(),
            word: String::new(),
        }
    }

    /// Extracts the evidence of a page.
    pub(super) fn page_evidence<'a>(found: &'a LinkContext<'a>) -> PageEvidence<'a> {
        let mut path = String::new();
        if let Some(source) = found.source {
            path_shape(source.path(), &mut path);
        }
        PageEvidence { found, host: found.source.map_or("", Uri::host), shape: path }
    }

    /// Extracts the evidence of a link. For the target of a redirect, `redirect_evidence` is the evidence of the
    /// link to the redirect.
    pub(super) fn extract(
        &mut self,
        page: &PageEvidence<'_>,
        link: &Link,
        redirect_evidence: Option<LinkEvidence<'_>>,
    ) -> FeatureVector {
        let mut numbers = Vec::with_capacity(64);
        self.push_keys(page, link, redirect_evidence, &mut numbers);
        numbers.push(0);
        let first = numbers.len();
        self.add_address(&link.target, &mut numbers);
        numbers[first - 1] = u32::try_from(numbers.len() - first).unwrap_or(0);
        match redirect_evidence {
            Some(redirect_evidence) => {
                numbers.extend_from_slice(redirect_evidence.link);
                self.add(&mut numbers, "led", &["redirect"]);
            }
            None => self.add_link(page, link, &mut numbers),
        }
        FeatureVector(numbers)
    }

    /// Adds a feature that means the same on every host.
    fn add(&mut self, numbers: &mut Vec<u32>, field: &str, parts: &[&str]) {
        self.add_with_parity(numbers, field, parts, 0);
    }

    /// Adds a host-specific feature.
    fn add_host_specific(&mut self, numbers: &mut Vec<u32>, field: &str, parts: &[&str]) {
        self.add_with_parity(numbers, field, parts, 1);
    }

    fn add_with_parity(&mut self, numbers: &mut Vec<u32>, field: &str, parts: &[&str], parity: u32) {
        let number = self.features.feature_index(field, parts) << 1 | parity;
        if self.names.record_occurrence(number) {
            self.names.insert(number, self.features.last_feature_text());
        }
        numbers.push(number);
    }

    fn push_keys(
        &mut self,
        page: &PageEvidence<'_>,
        link: &Link,
        redirect_evidence: Option<LinkEvidence<'_>>,
        numbers: &mut Vec<u32>,
    ) {
        let target = &link.target;
        let host = target.host();
        path_shape(target.path(), &mut self.shape);
        write_directories(&self.shape, 2, &mut self.directory);
        let pld = target.pld();
        let extension = target.extension().unwrap_or_default();
        numbers.push(self.keys.feature_index("pld", &[pld.as_str()]));
        numbers.push(self.keys.feature_index("dir", &[host, &self.directory]));
        numbers.push(self.keys.feature_index("shape", &[host, &self.shape]));
        numbers.push(self.keys.feature_index("ext", &[host, &extension]));
        if let Some(redirect_evidence) = redirect_evidence {
            numbers.extend_from_slice(&redirect_evidence.keys[EvidenceKey::Page as usize..]);
            return;
        }
        let source = page.found.source.map_or("", Uri::as_str);
        write_section(&link.via, &mut self.section);
        numbers.push(self.keys.feature_index("page", &[source]));
        numbers.push(self.keys.feature_index("section", &[source, &self.section]));
        numbers.push(self.keys.feature_index("site", &[page.host, &self.section]));
        numbers.push(self.keys.feature_index("pages", &[page.host, &page.shape]));
        numbers.push(self.keys.feature_index("relation", &[&relation(&link.via)]));
    }

    fn add_address(&mut self, target: &Uri, numbers: &mut Vec<u32>) {
        const MAX_WORDS: usize = 10;
        let host = target.host();
        let extension = target.extension().unwrap_or_default();
        self.add_host_specific(numbers, "host", &[host]);
        self.add(numbers, "ext", &[&extension]);
        let mut path = std::mem::take(&mut self.shape);
        let mut directory = std::mem::take(&mut self.directory);
        self.add_host_specific(numbers, "hostshape", &[host, &path]);
        for depth in 1..=3 {
            if write_directories(&path, depth, &mut directory) {
                self.add_host_specific(numbers, "hostdir", &[host, &directory]);
            }
        }
        write_abstract_shape(&path, &mut directory);
        self.add(numbers, "shape", &[&directory]);
        path.clear();
        self.shape = path;
        self.directory = directory;
        let mut word = std::mem::take(&mut self.word);
        for_each_word(target.path(), MAX_WORDS, &mut word, |word| self.add(numbers, "path", &[word]));
        for_each_word(host, 4, &mut word, |word| self.add_host_specific(numbers, "hostword", &[word]));
        if let Some((_, query)) = target.path_and_query().split_once('?') {
            self.add(numbers, "query", &[]);
            for pair in query.split('&').take(4) {
                fold_token(pair.split('=').next().unwrap_or(pair), &mut word);
                self.add(numbers, "querykey", &[&word]);
            }
        }
        self.word = word;
    }

    /// The promise of a link, by its evidence. The target of a redirect has the promise of the link to the redirect.
    pub(super) fn promise(&self, evidence: LinkEvidence<'_>) -> Option<Promise> {
        let first = evidence.link.first()?;
        self.promises.iter().position(|number| number == first).map(|index| Promise::ALL[index])
    }

    /// Adds the features of a link. The promise comes first, so that `promise` finds it.
    fn add_link(&mut self, page: &PageEvidence<'_>, link: &Link, numbers: &mut Vec<u32>) {
        let PageEvidence { found, host, shape } = page;
        if let Some(promise) = promise::from_link(link) {
            self.add(numbers, "promise", &[promise.name()]);
        }
        let is_same_host = if link.target.host() == *host { "same" } else { "other" };
        self.add(numbers, "via", &[link_kind(&link.via), is_same_host]);
        self.add(numbers, "from", &[found.format, found.relevance.name(), is_same_host]);
        self.add_host_specific(numbers, "fromhost", &[host]);
        self.add_host_specific(numbers, "fromshape", &[host, shape]);
        match &link.via {
            LinkKind::Seed | LinkKind::Redirect(_) => {}
            LinkKind::Listed { media_type, .. } => {
                if let Some(media_type) = media_type {
                    self.add(numbers, "type", &[media_type]);
                }
            }
            LinkKind::Triple { properties, vocabulary, .. } => {
                for property in properties {
                    self.add(numbers, "predicate", &[property]);
                }
                if *vocabulary {
                    self.add(numbers, "vocabulary", &[]);
                }
            }
            LinkKind::Header { rel, media_type } => {
                self.add_relations(rel, numbers);
                self.add(numbers, "type", &[media_type.as_deref().unwrap_or_default()]);
            }
            LinkKind::Html(html) => {
                self.add_relations(html.rel.as_deref().unwrap_or_default(), numbers);
                if let Some(media_type) = &html.media_type {
                    self.add(numbers, "type", &[media_type]);
                }
                let mut word = std::mem::take(&mut self.word);
                let title = html.title.as_deref().unwrap_or_default();
                for_each_word(title, 6, &mut word, |word| self.add(numbers, "title", &[word]));
                for_each_word(&html.text, 8, &mut word, |word| self.add(numbers, "anchor", &[word]));
                for_each_word(&html.context, 10, &mut word, |word| self.add(numbers, "context", &[word]));
                self.word = word;
                let tags = last_elements(&html.tag_path, 3);
                self.add(numbers, "tags", &[tags]);
                self.add_host_specific(numbers, "sitetags", &[host, &html.tag_path]);
            }
        }
    }

    fn add_relations(&mut self, rel: &str, numbers: &mut Vec<u32>) {
        for one in rel.split_ascii_whitespace().take(4) {
            self.add(numbers, "rel", &[one]);
        }
    }
}

/// The position of a link on a page.
fn write_section(via: &LinkKind, section: &mut String) {
    section.clear();
    match via {
        LinkKind::Seed => section.push_str("seed"),
        LinkKind::Triple { properties, vocabulary, .. } => {
            section.push_str(if *vocabulary { "term " } else { "triple " });
            section.push_str(properties.first().map_or("", |property| property));
        }
        LinkKind::Html(link) => {
            section.push_str(&link.tag_path);
            section.push(' ');
            section.push_str(link.rel.as_deref().unwrap_or_default());
        }
        LinkKind::Header { rel, .. } => section.push_str(rel),
        LinkKind::Redirect(_) => section.push_str("redirect"),
        LinkKind::Listed { list, .. } => section.push_str(list.name()),
    }
}

/// The relation between a page and a target.
fn relation(via: &LinkKind) -> String {
    match via {
        LinkKind::Seed => "seed".to_owned(),
        LinkKind::Triple { properties, vocabulary, .. } => {
            let property = properties.first().map_or("", |property| property);
            format!("triple {vocabulary} {property}")
        }
        LinkKind::Html(link) => {
            let media_type = link.media_type.as_deref().unwrap_or_default();
            format!("{} {} {media_type}", link.element, link.rel.as_deref().unwrap_or_default())
        }
        LinkKind::Header { rel, media_type } => format!("header {rel} {}", media_type.as_deref().unwrap_or_default()),
        LinkKind::Redirect(status) => format!("redirect {status}"),
        LinkKind::Listed { list, media_type } => {
            format!("listed {} {}", list.name(), media_type.as_deref().unwrap_or_default())
        }
    }
}

fn link_kind(via: &LinkKind) -> &str {
    match via {
        LinkKind::Seed => "seed",
        LinkKind::Triple { .. } => "triple",
        LinkKind::Html(link) => &link.element,
        LinkKind::Header { .. } => "header",
        LinkKind::Redirect(_) => "redirect",
        LinkKind::Listed { list, .. } => list.name(),
    }
}

/// Writes the first `count` directories of a path's shape. Returns whether there are that many.
fn write_directories(shape: &str, count: usize, directories: &mut String) -> bool {
    directories.clear();
    let mut parts = shape.split('/').skip(1).peekable();
    for _ in 0..count {
        let Some(part) = parts.next() else { return false };
        // The last part is not a directory.
        if parts.peek().is_none() {
            return false;
        }
        directories.push('/');
        directories.push_str(part);
    }
    true
}

/// Writes a shape without the names of its directories, which are host-specific.
fn write_abstract_shape(shape: &str, abstracted: &mut String) {
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

/// The last elements of a tag path.
fn last_elements(tag_path: &str, count: usize) -> &str {
    let start = tag_path.rmatch_indices('/').nth(count - 1).map_or(0, |(index, _)| index + 1);
    &tag_path[start..]
}
