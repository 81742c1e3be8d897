//! A recorded web, in memory.
//!
//! A folder holds one if it has
//!
//! - `manifest.tsv.gz`: a row for each address, with at least the columns
//!   `url`, `status`, `label`, `hard` and `class`;
//! - `seeds.txt`: where crawls begin, an address per line;
//! - `*.warc.gz`: what the addresses answer;
//! - `entry-pages.tsv`, if sites have entry pages: a column `entry_url`.
//!
//! Each page is read once, by the extractor of the crawl, and its links are
//! kept packed, and what it says if somebody wants to know; trials share them.

mod contexts;
mod load;
pub(crate) mod manifest;
mod packed;
mod statements;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use foldhash::fast::RandomState;
use lodeward::fetch::robots::Robots;
use lodeward::model::{Link, Relevance, Uri};
use oxrdf::QuadRef;

use packed::{PackedLink, Strings};
use statements::PackedStatement;

pub use load::Reading;

/// The name by which recorded robots.txt files know us.
pub const PRODUCT_TOKEN: &str = "lodeward";

/// The status of a page that is in the manifest, but in no recording.
const NOT_RECORDED: u16 = 0;

/// A recorded web, read once: every page with its label and its links.
pub struct Web {
    /// Its pages, redirects among them, in the order of the manifest.
    pub pages: Vec<Page>,
    /// Where crawls begin. All of them are recorded.
    pub seeds: Vec<Uri>,
    /// The entry pages of sites. All of them are recorded.
    pub entries: Vec<Uri>,
    /// Every address that occurs: first those of the pages, in their order,
    /// then those that nobody recorded.
    addresses: Vec<Uri>,
    places: HashMap<Uri, PageId, RandomState>,
    links: Vec<Box<[PackedLink]>>,
    /// What each page says; nothing unless it was asked for.
    statements: Vec<Box<[PackedStatement]>>,
    strings: Strings,
    robots: HashMap<String, Bytes, RandomState>,
}

/// Which page of a [`Web`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageId(pub u32);

impl PageId {
    /// Its place in [`Web::pages`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of one address of a recorded web.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The address.
    pub uri: Uri,
    /// The status of its answer.
    pub status: u16,
    /// What it holds, by the manifest. A redirect holds nothing.
    pub label: Label,
    /// Whether neither its extension nor its media type tells, by the manifest.
    pub is_hard: bool,
    /// The gold class of link analysis, by the manifest.
    pub class: Class,
    /// Where its answer points, if it is a redirect that can be followed.
    pub redirect: Option<Uri>,
    /// The media type it was declared as.
    pub media_type: Option<String>,
    /// What it holds, as our own extractor reads it.
    pub relevance: Relevance,
    /// The syntax that it turned out to be in.
    pub syntax: &'static str,
    /// A digest of its bytes.
    pub digest: u64,
    /// How many bytes those are.
    pub bytes: u64,
}

impl Page {
    /// Whether it is a document, rather than a redirect or an error.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.status == 200
    }

    /// Whether it is a redirect.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        (300..400).contains(&self.status)
    }

    /// Whether it is a document that holds RDF, by its label.
    #[must_use]
    pub fn is_rdf(&self) -> bool {
        self.is_document() && self.label == Label::Rdf
    }
}

/// What a document holds, as the manifest says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Label {
    /// RDF.
    Rdf,
    /// RDF that breaks off. Counts as none.
    RdfBroken,
    /// Only `og:` and its like. Counts as none, and once, beside it, as some.
    OgOnly,
    /// Only terms that any page may have.
    XhvOnly,
    /// No RDF.
    #[default]
    None,
}

/// The class of a document in link analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Class {
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

impl Class {
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

/// Why a folder cannot be evaluated on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebError {
    /// Something that must be there is not.
    #[error(
        "{} is not a recorded web: it has no {missing}; it needs manifest.tsv.gz (columns url, status, label, hard, \
         class), seeds.txt and *.warc.gz", directory.display()
    )]
    NotAWeb {
        /// The folder.
        directory: PathBuf,
        /// What is missing.
        missing: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: std::io::Error,
    },
    /// A table is not as it should be.
    #[error("{}: {what}", path.display())]
    Table {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A recording cannot be read.
    #[error(transparent)]
    Replay(#[from] lodeward::fetch::warc::ReplayError),
    /// None of the seeds is recorded, or there is none.
    #[error("no seed of {} is in the recording", .0.display())]
    NoSeeds(PathBuf),
}

impl Web {
    /// Reads a folder with all cores, without siblings.
    pub fn load(directory: &Path) -> Result<Self, WebError> {
        Self::load_with(directory, &Reading::default())
    }

    /// The page at this address.
    #[must_use]
    pub fn find(&self, uri: &Uri) -> Option<PageId> {
        self.places.get(uri).copied()
    }

    /// One of its pages.
    #[must_use]
    pub fn page(&self, id: PageId) -> &Page {
        &self.pages[id.index()]
    }

    /// All pages, with their numbers.
    pub fn ids(&self) -> impl Iterator<Item = (PageId, &Page)> {
        (0..).map(PageId).zip(&self.pages)
    }

    /// The links of a page whose targets are recorded and may hold RDF, as our
    /// extractor found them, in their order.
    #[must_use]
    pub fn links(&self, id: PageId) -> Vec<Link> {
        let recorded = |link: &&PackedLink| self.is_recorded(link.target);
        self.links[id.index()].iter().filter(recorded).map(|link| self.unpack(link)).collect()
    }

    /// The same, and those whose targets nobody recorded.
    #[must_use]
    pub fn links_and_misses(&self, id: PageId) -> Vec<Link> {
        self.links[id.index()].iter().map(|link| self.unpack(link)).collect()
    }

    /// The targets of a page's links that are recorded, and whether each was
    /// found in RDF.
    pub fn targets(&self, id: PageId) -> impl Iterator<Item = (PageId, bool)> {
        let recorded = self.links[id.index()].iter().filter(|link| self.is_recorded(link.target));
        recorded.map(|link| (PageId(link.target), link.is_rdf()))
    }

    /// What a page says, if the web was [read](Reading::keeps_statements) so.
    pub fn statements(&self, id: PageId) -> impl Iterator<Item = QuadRef<'_>> {
        self.statements[id.index()].iter().map(|statement| statement.unpack(&self.strings))
    }

    /// How many links lead to what nobody recorded, over all pages.
    #[must_use]
    pub fn misses(&self) -> usize {
        self.links.iter().flatten().filter(|link| !self.is_recorded(link.target)).count()
    }

    /// Whether the robots.txt of its host lets us visit a page.
    #[must_use]
    pub fn allows(&self, uri: &Uri) -> bool {
        let rules = self.robots.get(uri.origin());
        rules.is_none_or(|text| Robots::parse(text, PRODUCT_TOKEN).allows(uri.path_and_query()))
    }

    /// The robots.txt at an address, if one is recorded.
    #[must_use]
    pub fn robots(&self, location: &Uri) -> Option<&Bytes> {
        self.robots.get(location.origin()).filter(|_| location.path_and_query() == "/robots.txt")
    }

    fn is_recorded(&self, target: u32) -> bool {
        self.pages.get(target as usize).is_some_and(|page| page.status != NOT_RECORDED)
    }

    fn unpack(&self, link: &PackedLink) -> Link {
        link.unpack(&self.strings, &self.addresses)
    }
}
