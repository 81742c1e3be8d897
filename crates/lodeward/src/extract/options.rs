//! Options of extraction.

use serde::{Deserialize, Serialize};

use crate::model::DEFAULT_MAX_DUMP_BYTES;

/// How documents are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each a setting")]
pub struct ExtractOptions {
    /// Handling of named graphs inside a document (`TriG`, N-Quads, JSON-LD).
    pub named_graphs: NamedGraphPolicy,
    /// Maximum number of siblings stored with a link from RDF. Zero by default: only the feature set `+x` uses them,
    /// and they cost a hash table per document.
    pub max_siblings: usize,
    /// Maximum number of links from one document. More indicate a trap or a dump.
    pub max_links_per_document: usize,
    /// Maximum number of faults reported for one document; the last one counts the rest.
    pub max_faults: usize,
    /// Number of syntax errors after which the rest of a document is not read.
    pub max_syntax_errors: usize,
    /// Maximum number of characters of context on each side of an HTML anchor, as in the paper on link analysis.
    pub max_context_characters: usize,
    /// Maximum number of characters of an anchor's text, and of its title.
    pub max_anchor_characters: usize,
    /// Whether links marked `rel=nofollow`, and all links of a page with `nofollow` in its robots meta element or in
    /// `X-Robots-Tag`, are omitted. Triples are data, not links of the page, and are always used.
    pub obey_nofollow: bool,
    /// Whether the statements of a document with `noindex` in its robots meta element or in `X-Robots-Tag` are omitted.
    pub obey_noindex: bool,
    /// Whether the statements of a document that reserves the rights to text and data mining are omitted.
    pub obey_tdm_reservation: bool,
    /// The name of this crawler in robots meta elements and in `X-Robots-Tag`.
    pub product_token: String,
    /// Whether microformats are read as RDF.
    pub microformats: bool,
    /// Maximum number of bytes unpacked from one dump, in all layers together.
    pub max_dump_bytes: u64,
    /// Number of bytes without RDF after which the rest of an archive is not read: most archives on the web contain
    /// programs or images.
    pub max_bytes_without_rdf: u64,
}

/// Handling of named graphs inside a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedGraphPolicy {
    /// Statements are moved to the document's graph, so that a graph name always states where a statement was found.
    #[default]
    Merge,
    /// Graph names are preserved. The publisher of a document can then make statements in the graph of any other.
    Keep,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            named_graphs: NamedGraphPolicy::Merge,
            max_siblings: 0,
            max_links_per_document: 50_000,
            max_faults: 20,
            max_syntax_errors: 1_000,
            max_context_characters: 80,
            max_anchor_characters: 200,
            obey_nofollow: true,
            obey_noindex: false,
            obey_tdm_reservation: false,
            product_token: "lodeward".to_owned(),
            microformats: false,
            max_dump_bytes: DEFAULT_MAX_DUMP_BYTES,
            max_bytes_without_rdf: 128 << 20,
        }
    }
}
