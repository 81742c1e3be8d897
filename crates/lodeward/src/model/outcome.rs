//! The outcome of a URI, with its faults and drop reasons: the vocabulary of reports, request logs and `explain`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{FetchFacts, Uri};

/// The final state of a URI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// A representation was fetched (status 200).
    Document(DocumentSummary),
    /// The server redirected.
    Redirected {
        /// The status code.
        status: u16,
        /// The target, if it can be followed.
        target: Option<Uri>,
    },
    /// The request failed.
    Failed(Fault),
    /// The URI was not requested.
    Dropped(DropReason),
    /// The document was fetched earlier and has been deleted by its server.
    Deleted {
        /// When the deletion was first observed, in milliseconds since the Unix epoch.
        since_ms: u64,
        /// When the document was last available, in milliseconds since the Unix epoch.
        last_seen_ms: u64,
        /// The fault of the last request.
        fault: Fault,
    },
}

/// The properties of a fetched document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSummary {
    /// The facts of its last complete fetch.
    pub fetch: FetchFacts,
    /// Number of quads stored.
    pub quads: u64,
    /// Number of links found.
    pub links: u32,
    /// Whether it contains RDF.
    pub relevance: Relevance,
    /// xxh3-64 of the statements as N-Quads; 0 when there are none. It stays the same when only the rest of the page
    /// changes.
    pub statements_digest: u64,
}

/// Whether a document contains RDF, and of which kind (docs/algorithms.md, section 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relevance {
    /// No triples.
    #[default]
    None,
    /// At least one triple that is not only page metadata.
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

/// Why a document is missing or incomplete. A fault describes the web; it is not an error of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// Description for users, truncated.
    pub detail: String,
}

impl Fault {
    /// A fault with its detail truncated to 200 characters.
    #[must_use]
    pub fn new(kind: FaultKind, detail: impl fmt::Display) -> Self {
        const MAX_DETAIL_CHARS: usize = 200;
        let detail = detail.to_string();
        let detail = match detail.char_indices().nth(MAX_DETAIL_CHARS) {
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
    /// The kinds of fault.
    FaultKind {
        /// The host name has no IP address.
        Dns = "dns",
        /// The IP address is private, and private addresses are not allowed.
        ForbiddenAddress = "forbidden-address",
        /// No connection, or the connection broke before a response.
        Connect = "connect",
        /// The TLS handshake failed.
        Tls = "tls",
        /// The response did not arrive, or not completely, within the timeout.
        Timeout = "timeout",
        /// The response was not HTTP, or its header was too large.
        Protocol = "protocol",
        /// A status code of 400 or above.
        Status = "status",
        /// Too many requests, or temporarily unavailable (429, 503).
        Overloaded = "overloaded",
        /// A redirect without a usable target, or too many redirects.
        Redirect = "redirect",
        /// The body ended before it was complete.
        Truncated = "truncated",
        /// The body was larger than allowed and was truncated.
        TooLarge = "too-large",
        /// The body was decompressed beyond the allowed ratio and was truncated.
        DecompressionBomb = "decompression-bomb",
        /// The body could not be decompressed.
        Encoding = "encoding",
        /// The body does not match its declared character set.
        Charset = "charset",
        /// A syntax error in RDF.
        Syntax = "syntax",
        /// More links or faults than the limit.
        Limit = "limit",
        /// The extractor or the errand panicked: a bug of the program. The crawl continues.
        Panic = "panic",
        /// robots.txt could not be fetched, so the host is treated as disallowed.
        RobotsUnreachable = "robots-unreachable",
        /// A JSON-LD context is not available. Statements that depend on it are not read.
        Context = "context",
        /// Invalid JSON that was repaired and read.
        JsonRepaired = "json-repaired",
        /// robots.txt disallows a URI that it allowed before.
        Disallowed = "disallowed",
    }
}

impl FaultKind {
    /// Whether a document with this fault may be incomplete.
    #[must_use]
    pub fn is_truncation(self) -> bool {
        matches!(
            self,
            Self::Timeout | Self::Truncated | Self::TooLarge | Self::DecompressionBomb | Self::Encoding | Self::Panic
        )
    }

    /// Whether the fault occurs before a request is sent, so that the server need not be delayed.
    #[must_use]
    pub fn is_before_request(self) -> bool {
        matches!(self, Self::Dns | Self::ForbiddenAddress)
    }

    /// Whether no request can reach the server, whatever it requests.
    #[must_use]
    pub fn is_server_unreachable(self) -> bool {
        matches!(self, Self::Dns | Self::ForbiddenAddress | Self::Tls)
    }

    /// Whether the fault is that of the server, not of the requested document.
    #[must_use]
    pub fn is_server_fault(self) -> bool {
        self.is_server_unreachable() || matches!(self, Self::Connect | Self::Overloaded)
    }
}

named_enum! {
    /// Why a URI is not requested.
    DropReason {
        /// robots.txt disallows it.
        Robots = "robots",
        /// robots.txt could not be fetched.
        RobotsUnreachable = "robots-unreachable",
        /// Deeper than the maximum depth.
        Depth = "depth",
        /// The limit of documents per domain is reached.
        DomainLimit = "domain-limit",
        /// Outside the domains of the seeds.
        Scope = "scope",
        /// An include or exclude pattern rejects it.
        Pattern = "pattern",
        /// Its predicate is not followed.
        Predicate = "predicate",
        /// Its extension excludes RDF.
        Extension = "extension",
        /// Too many redirects in a row.
        Redirects = "redirects",
        /// Part of a trap: an endless calendar, a path that repeats itself.
        Trap = "trap",
        /// The strategy predicts that it contains no RDF.
        Strategy = "strategy",
        /// Its server was abandoned after too many consecutive failures.
        Unreachable = "unreachable",
        /// Its service has reached its limit of requests or quads.
        Quota = "quota",
        /// Link analysis predicts that it leads neither to RDF nor to a page.
        LinkClass = "link-class",
        /// A term of a vocabulary, and vocabularies are not followed.
        Vocabulary = "vocabulary",
        /// The limit of documents of its hop is reached.
        HopLimit = "hop-limit",
        /// The limit of documents per domain and hop is reached.
        HopDomainLimit = "hop-domain-limit",
        /// Its domain is not among those selected for the hop.
        HopDomains = "hop-domains",
        /// Its hop ended because too few domains were left.
        HopEnded = "hop-ended",
        /// The policy of the service denies its domain.
        Policy = "policy",
    }
}
