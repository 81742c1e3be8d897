//! A recorded web in memory.
//!
//! A directory is a recorded web if it has
//!
//! - `manifest.tsv.gz`: a row for each URL, with at least the columns `url`, `status`, `label`, `hard` and
//!   `class`;
//! - `seeds.txt`: the seeds of crawls, one URL per line;
//! - `*.warc.gz`: the recorded responses;
//! - optionally `entry-pages.tsv`: the entry pages of sites, in a column `entry_url`.
//!
//! Each page is read once, by the extractor of the crawler. Its links, and optionally its statements, are
//! stored packed and shared by all trials.

mod contexts;
mod load;
pub(crate) mod manifest;
mod packed;
mod statements;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use foldhash::fast::RandomState;
use lodeward::fetch::robots::RobotsRules;
use lodeward::model::{Link, Relevance, Uri};
use oxrdf::QuadRef;

use packed::{PackedLink, StringPool};
use statements::PackedStatement;

pub use load::WebLoadOptions;

/// The product token whose rules are applied in recorded robots.txt files.
pub const PRODUCT_TOKEN: &str = "lodeward";

/// The status of a page that is in the manifest but not in the recording.
const NOT_RECORDED_STATUS: u16 = 0;

/// A recorded web: every page with its label and its links.
pub struct RecordedWeb {
    /// The pages, including redirects, in the order of the manifest.
    pub pages: Vec<WebPage>,
    /// The seeds that are recorded.
    pub seeds: Vec<Uri>,
    /// The entry pages of sites that are recorded.
    pub entries: Vec<Uri>,
    /// All URIs: first those of the pages, in their order, then link targets that are not recorded.
    uris: Vec<Uri>,
    ids: HashMap<Uri, PageId, RandomState>,
    links: Vec<Box<[PackedLink]>>,
    /// The statements of each page; empty unless requested.
    statements: Vec<Box<[PackedStatement]>>,
    strings: StringPool,
    robots: HashMap<String, Bytes, RandomState>,
}

/// The number of a page of a [`RecordedWeb`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageId(pub u32);

impl PageId {
    /// The index of the page in [`RecordedWeb::pages`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A URL of a recorded web.
#[derive(Clone, Debug, PartialEq)]
pub struct WebPage {
    /// The URL of the page.
    pub uri: Uri,
    /// The status of the response.
    pub status: u16,
    /// The label in the manifest; `None` for a redirect.
    pub label: GoldLabel,
    /// Whether it is hard according to the manifest.
    pub is_hard: bool,
    /// The gold class of link analysis in the manifest.
    pub class: GoldClass,
    /// The target of a redirect, if it is a valid URL.
    pub redirect: Option<Uri>,
    /// The declared media type.
    pub media_type: Option<String>,
    /// The relevance determined by the extractor.
    pub relevance: Relevance,
    /// The detected format.
    pub format: &'static str,
    /// A digest of the bytes of the response.
    pub digest: u64,
    /// The number of bytes of the response.
    pub bytes: u64,
}

impl WebPage {
    /// Whether it is a document: neither a redirect nor an error.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.status == 200
    }

    /// Whether it is a redirect.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        (300..400).contains(&self.status)
    }

    /// Whether it is a document with RDF, by its label.
    #[must_use]
    pub fn is_rdf(&self) -> bool {
        self.is_document() && self.label == GoldLabel::Rdf
    }
}

/// The label of a document in the manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GoldLabel {
    /// The document has RDF.
    Rdf,
    /// Truncated RDF, which is treated as no RDF.
    RdfBroken,
    /// Only `og:` and similar terms, which are treated as no RDF; some figures also count them as RDF.
    OgOnly,
    /// Only terms that every page may have.
    XhvOnly,
    /// The document has no RDF.
    #[default]
    None,
}

/// The class of a document in link analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GoldClass {
    /// An RDF document.
    R,
    /// HTML with RDF inside, or with a link to an RDF document.
    Hr,
    /// Other HTML.
    H,
    /// Anything else.
    N,
    /// Not a document.
    #[default]
    Other,
}

impl GoldClass {
    /// Its name in the paper.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::R => "R",
            Self::Hr => "HR",
            Self::H => "H",
            Self::N => "N",
            Self::Other => "-",
        }
    }
}

/// A recorded web could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// A file is missing.
    #[error(
        "{} is not a recorded web: it has no {missing}; it needs manifest.tsv.gz (columns url, status, label, hard, \
         class), seeds.txt and *.warc.gz", directory.display()
    )]
    NotAWeb {
        /// Path of the directory.
        directory: PathBuf,
        /// The missing file.
        missing: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A table is invalid.
    #[error("{}: {message}", path.display())]
    Table {
        /// Path of the file.
        path: PathBuf,
        /// Description of the defect.
        message: String,
    },
    /// A recording cannot be read.
    #[error(transparent)]
    Replay(#[from] lodeward::fetch::warc::ReplayError),
    /// No seed is recorded.
    #[error("no seed of {} is in the recording", .0.display())]
    NoSeeds(PathBuf),
}

impl RecordedWeb {
    /// Loads a directory with all cores and the default options.
    pub fn load(directory: &Path) -> Result<Self, WebError> {
        Self::load_with(directory, &WebLoadOptions::default())
    }

    /// The page with this URL.
    #[must_use]
    pub fn find(&self, uri: &Uri) -> Option<PageId> {
        self.ids.get(uri).copied()
    }

    /// A page by its number.
    #[must_use]
    pub fn page(&self, id: PageId) -> &WebPage {
        &self.pages[id.index()]
    }

    /// All pages with their numbers.
    pub fn pages_with_ids(&self) -> impl Iterator<Item = (PageId, &WebPage)> {
        (0..).map(PageId).zip(&self.pages)
    }

    /// The links of a page to recorded pages that may have RDF, in the order of the extractor.
    #[must_use]
    pub fn links(&self, id: PageId) -> Vec<Link> {
        let recorded = |link: &&PackedLink| self.is_recorded(link.target);
        self.links[id.index()].iter().filter(recorded).map(|link| self.unpack(link)).collect()
    }

    /// Like [`links`](Self::links), with links to pages that are not recorded.
    #[must_use]
    pub fn links_including_unrecorded(&self, id: PageId) -> Vec<Link> {
        self.links[id.index()].iter().map(|link| self.unpack(link)).collect()
    }

    /// The recorded targets of the links of a page, and whether each link was found in RDF.
    pub fn targets(&self, id: PageId) -> impl Iterator<Item = (PageId, bool)> {
        let recorded = self.links[id.index()].iter().filter(|link| self.is_recorded(link.target));
        recorded.map(|link| (PageId(link.target), link.is_rdf()))
    }

    /// The statements of a page, if the web was loaded with [`WebLoadOptions::keeps_statements`].
    pub fn statements(&self, id: PageId) -> impl Iterator<Item = QuadRef<'_>> {
        self.statements[id.index()].iter().map(|statement| statement.unpack(&self.strings))
    }

    /// Number of links to pages that are not recorded, over all pages.
    #[must_use]
    pub fn unrecorded_link_count(&self) -> usize {
        self.links.iter().flatten().filter(|link| !self.is_recorded(link.target)).count()
    }

    /// Whether the recorded robots.txt of its host allows a URL.
    #[must_use]
    pub fn allows(&self, uri: &Uri) -> bool {
        let rules = self.robots.get(uri.origin());
        rules.is_none_or(|text| RobotsRules::parse(text, PRODUCT_TOKEN).allows(uri.path_and_query()))
    }

    /// The robots.txt with this URL, if it is recorded.
    #[must_use]
    pub fn robots_txt(&self, location: &Uri) -> Option<&Bytes> {
        self.robots.get(location.origin()).filter(|_| location.path_and_query() == "/robots.txt")
    }

    fn is_recorded(&self, target: u32) -> bool {
        self.pages.get(target as usize).is_some_and(|page| page.status != NOT_RECORDED_STATUS)
    }

    fn unpack(&self, link: &PackedLink) -> Link {
        link.unpack(&self.strings, &self.uris)
    }
}
