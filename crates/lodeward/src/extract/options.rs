//! What can be chosen about reading.

use serde::{Deserialize, Serialize};

/// How documents are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What becomes of named graphs inside a document (`TriG`, N-Quads, JSON-LD).
    pub named_graphs: NamedGraphs,
    /// Siblings kept with a link from RDF. None by default: only the feature
    /// set `+x` looks at them, and they cost a hash table per document.
    pub siblings_max: usize,
    /// Links taken from one document. More are the mark of a trap or a dump.
    pub links_per_document_max: usize,
    /// Faults reported for one document; the rest is counted in the last one.
    pub faults_max: usize,
    /// Syntax errors after which the rest of a document is not read.
    pub syntax_errors_max: usize,
    /// Characters of context kept on each side of an HTML anchor, as in the
    /// paper on link analysis.
    pub context_characters: usize,
    /// Characters kept of an anchor's text, and of its title.
    pub anchor_characters: usize,
    /// Whether links marked `rel=nofollow`, and all links of a page whose
    /// robots meta element says `nofollow`, are left out. Triples are data,
    /// not links of the page, and are kept either way.
    pub respect_nofollow: bool,
    /// Bytes that are unpacked of one dump, in all layers of packing together.
    pub dump_bytes_max: u64,
    /// Bytes of an archive after which the rest is not read, if there was no RDF
    /// in them: most archives of the web hold programs or pictures.
    pub barren_bytes_max: u64,
}

/// What becomes of the named graphs inside a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedGraphs {
    /// Their statements go to the document's graph: a graph name then always
    /// says where a statement was found.
    #[default]
    Fold,
    /// They keep their names. Whoever publishes a document can then speak in
    /// the name of any other.
    Keep,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            named_graphs: NamedGraphs::Fold,
            siblings_max: 0,
            links_per_document_max: 50_000,
            faults_max: 20,
            syntax_errors_max: 1_000,
            context_characters: 80,
            anchor_characters: 200,
            respect_nofollow: true,
            dump_bytes_max: 10_000_000_000,
            barren_bytes_max: 128 << 20,
        }
    }
}
