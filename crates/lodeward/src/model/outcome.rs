//! What became of a URI: the vocabulary of reports, journals and `explain`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Uri;

/// How the life of a URI ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// A representation was had (status 200).
    Document(Document),
    /// The server pointed elsewhere.
    Redirected {
        /// The status code.
        status: u16,
        /// The target, if it is one that can be followed.
        target: Option<Uri>,
    },
    /// It could not be had.
    Failed(Fault),
    /// It was never asked for.
    Dropped(DropReason),
    /// It was there once, and is no more.
    Vanished {
        /// When that was first seen, in milliseconds since the Unix epoch.
        since_ms: u64,
        /// When it was last there.
        last_had_ms: u64,
        /// What its server says.
        fault: Fault,
    },
}

/// What was found in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Milliseconds since the Unix epoch.
    pub fetched_at_ms: u64,
    /// The media type its server declared.
    pub declared: Option<String>,
    /// The syntax it turned out to be in, by its short name: `turtle`, `html`.
    pub syntax: String,
    /// Bytes, after decompression.
    pub bytes: u64,
    /// Quads stored.
    pub quads: u64,
    /// Of those, how many were written in which syntax: `rdfa`, `microdata`.
    pub quads_by_syntax: Vec<(String, u64)>,
    /// Links found.
    pub links: u32,
    /// Whether it holds RDF.
    pub relevance: Relevance,
    /// xxh3-64 of the decompressed bytes; 0 when the body was streamed.
    pub digest: u64,
    /// xxh3-64 of the statements as N-Quads; 0 when there are none. A page may
    /// change in everything but those.
    pub statements: u64,
    /// The `ETag` header field.
    pub etag: Option<String>,
    /// The `Last-Modified` header field.
    pub last_modified: Option<String>,
    /// What could not be read.
    pub faults: Vec<Fault>,
}

impl Document {
    /// Why this may not be all there is of it, if so.
    #[must_use]
    pub fn cut(&self) -> Option<&Fault> {
        self.faults.iter().find(|fault| fault.kind.cuts_short())
    }
}

/// Whether a document holds RDF, and of what sort (ALGORITHMS §1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relevance {
    /// No triple at all.
    #[default]
    None,
    /// At least one triple that is not mere page metadata.
    Rdf,
    /// Only `og:`, `fb:`, `article:` or `twitter:` properties. Not relevant.
    OgOnly,
    /// Only `xhv:` or `rdfa:` terms, as from rel=license. Not relevant.
    XhvOnly,
}

impl Relevance {
    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rdf => "rdf",
            Self::OgOnly => "og-only",
            Self::XhvOnly => "xhv-only",
        }
    }
}

/// What went wrong with a document: data about the web, not an error of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What sort of thing.
    pub kind: FaultKind,
    /// In words, for people. Cut to a bound.
    pub detail: String,
}

impl Fault {
    /// A fault, its detail cut to a sensible length.
    #[must_use]
    pub fn new(kind: FaultKind, detail: impl fmt::Display) -> Self {
        const DETAIL_CHARACTERS_MAX: usize = 200;
        let detail = detail.to_string();
        let detail = match detail.char_indices().nth(DETAIL_CHARACTERS_MAX) {
            Some((end, _)) => format!("{}…", &detail[..end]),
            None => detail,
        };
        Self { kind, detail }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind.name(), self.detail)
    }
}

macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name used in reports and on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

named_enum! {
    /// The sorts of fault.
    FaultKind {
        /// The host name has no address.
        Dns = "dns",
        /// The address is private, and private addresses were not allowed.
        Forbidden = "forbidden-address",
        /// No connection, or it broke before an answer.
        Connect = "connect",
        /// The TLS handshake failed.
        Tls = "tls",
        /// No answer, or not all of it, in time.
        Timeout = "timeout",
        /// The answer was not HTTP, or its header was too large.
        Protocol = "protocol",
        /// A status code of 400 or above.
        Status = "status",
        /// Too many requests, or unavailable for now (429, 503).
        Busy = "busy",
        /// A redirect that leads nowhere: no target, too many in a row.
        Redirect = "redirect",
        /// The body ended before it was complete.
        Truncated = "truncated",
        /// The body was larger than allowed, and was cut.
        TooLarge = "too-large",
        /// The body inflated beyond the allowed ratio, and was cut.
        Bomb = "bomb",
        /// The body could not be decompressed.
        Encoding = "encoding",
        /// The body is not what its character set says.
        Charset = "charset",
        /// A syntax error in RDF.
        Syntax = "syntax",
        /// More links or faults than are kept.
        Excess = "excess",
        /// The reader broke: a bug of ours, survived.
        Panic = "panic",
        /// robots.txt could not be had, so the host counts as closed.
        RobotsUnreachable = "robots-unreachable",
        /// A JSON-LD context that is not at hand: what depends on it is lost.
        Context = "context",
        /// Text that is not quite JSON, and was read all the same.
        Repaired = "repaired",
        /// The host's robots.txt forbids by now what it once allowed.
        Disallowed = "disallowed",
    }
}

impl FaultKind {
    /// Whether what was read of a document may not be all there is of it.
    #[must_use]
    pub fn cuts_short(self) -> bool {
        matches!(self, Self::Timeout | Self::Truncated | Self::TooLarge | Self::Bomb | Self::Encoding | Self::Panic)
    }
}

named_enum! {
    /// Why a URI is not visited.
    DropReason {
        /// The host's robots.txt forbids it.
        Robots = "robots",
        /// The host's robots.txt could not be had.
        RobotsUnreachable = "robots-unreachable",
        /// Further from the seeds than allowed.
        Depth = "depth",
        /// The domain has had its share.
        PldLimit = "pld-limit",
        /// Outside the domains of the seeds.
        Stay = "stay",
        /// An include or exclude pattern says so.
        Pattern = "pattern",
        /// Its predicate is not one that is followed.
        Predicate = "predicate",
        /// Its extension says it cannot hold RDF.
        Extension = "extension",
        /// Too many redirects in a row.
        Redirects = "redirects",
        /// Part of a trap: an endless calendar, a path that repeats itself.
        Trap = "trap",
        /// The selector predicts that it holds nothing.
        Selector = "selector",
        /// Its server does not answer, and was given up.
        Unreachable = "unreachable",
        /// Its service has had its share of requests or statements.
        Quota = "quota",
        /// Link analysis predicts that it leads neither to RDF nor to a page.
        LinkClass = "link-class",
        /// It is a term of a vocabulary, and those are not followed.
        Vocabulary = "vocabulary",
        /// Its hop has had its documents.
        HopLimit = "hop-limit",
        /// Its domain has had its share of the hop.
        HopPldLimit = "hop-pld-limit",
        /// Its domain is not among those that go on to the hop.
        HopPlds = "hop-plds",
        /// Its hop was ended, for few domains were left in it.
        HopEnded = "hop-ended",
        /// Whoever runs the service does not want its domain visited.
        Policy = "policy",
    }
}
