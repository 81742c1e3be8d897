//! The statement of an entity that matches the words of a search best.

use lodeward_archive::{ArchiveError, Snapshot};
use lodeward_search::text::names::name_from_iri;
use lodeward_search::text::{StemmedLanguages, words};
use oxrdf::Term;
use unicode_segmentation::UnicodeSegmentation as _;

use super::Snippet;
use crate::display_text::single_line;
use crate::followers::search::PredicateRole;

/// Number of statements that are read.
const MAX_STATEMENTS: usize = 1_000;

/// Length of a snippet in bytes, and of the text before its first match.
const MAX_SNIPPET_BYTES: usize = 240;
const MAX_LEAD_BYTES: usize = 60;

/// Finds snippets for one search.
pub(super) struct SnippetFinder<'a> {
    snapshot: &'a Snapshot,
    terms: &'a [Vec<String>],
    stemmed: StemmedLanguages,
}

impl<'a> SnippetFinder<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, terms: &'a [Vec<String>]) -> Self {
        Self { snapshot, terms, stemmed: StemmedLanguages::default() }
    }

    /// Returns the statement with most of the words; of equal ones, that of the first field.
    pub(super) fn find(&self, entity: u64) -> Result<Option<Snippet>, ArchiveError> {
        let mut best: Option<(usize, PredicateRole, &'static str, String, u64)> = None;
        for quad in self.snapshot.numbered_quads(entity).take(MAX_STATEMENTS) {
            let [graph, _, predicate, object] = quad?;
            let Term::NamedNode(predicate) = self.snapshot.numbered_term(predicate)? else { continue };
            let role = PredicateRole::of(predicate.as_str());
            let (field, text) = match self.snapshot.numbered_term(object)? {
                Term::Literal(literal) => (role.field(), literal.value().to_owned()),
                Term::NamedNode(node) if role == PredicateRole::Type => ("type", name_from_iri(node.as_str())),
                Term::NamedNode(node) => ("neighbour", name_from_iri(node.as_str())),
                Term::BlankNode(_) => continue,
            };
            let matched = self.matched(&text);
            let is_better = best.as_ref().is_none_or(|(most, known, ..)| (matched, *known) > (*most, role));
            if matched > 0 && is_better {
                best = Some((matched, role, field, text, graph));
            }
        }
        let Some((_, _, field, text, graph)) = best else { return Ok(None) };
        let document = match graph {
            0 => None,
            graph => match self.snapshot.numbered_term(graph)? {
                Term::NamedNode(node) => Some(node.into_string()),
                _ => None,
            },
        };
        Ok(Some(Snippet { field, text: self.excerpt(&text), document }))
    }

    /// Number of terms of the search that a text has.
    fn matched(&self, text: &str) -> usize {
        let text = &text[..text.floor_char_boundary(8 << 10)];
        let found: foldhash::HashSet<String> =
            words(text).iter().flat_map(|word| self.stemmed.query_terms(word)).collect();
        self.terms.iter().filter(|variants| variants.iter().any(|variant| found.contains(variant))).count()
    }

    /// The part of a text around its first match.
    fn excerpt(&self, text: &str) -> String {
        if text.len() <= MAX_SNIPPET_BYTES {
            return single_line(text).into_owned();
        }
        let mut start = 0;
        for (at, word) in text.unicode_word_indices() {
            if self.matched(word) > 0 {
                start = at.saturating_sub(MAX_LEAD_BYTES);
                break;
            }
        }
        let start = text.floor_char_boundary(start);
        let end = text.floor_char_boundary((start + MAX_SNIPPET_BYTES).min(text.len()));
        let (before, after) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
        format!("{before}{}{after}", single_line(text[start..end].trim()))
    }
}
