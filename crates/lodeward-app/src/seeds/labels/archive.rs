//! Looks up labels in the archive of a data directory.
//!
//! First each text is looked up exactly, as a literal without a language and in each
//! preferred language; the archive has an index of literals. For texts with too few exact
//! matches, the search index finds the entities whose labels are compared with these texts.
//! Without a search index, all statements with a label property are read once. Memory is
//! bounded by the number of texts, not by the number of labels.

use lodeward_archive::{ArchiveError, Snapshot};
use oxrdf::{Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Term};

use super::best_matches::{BestMatches, MAX_HELD};
use super::fold::collapse_whitespace;
use super::queries::LabelQueries;
use super::{LabelError, LabelIndex, LabelMatch, LabelProperties, MatchQuality, is_text, primary_language};
use lodeward::select::facts::truncate_text;

/// Maximum number of texts for which similar labels are searched. Each label is compared with each
/// of these texts.
const MAX_NEAR_TEXTS: usize = 20;

/// Maximum number of similar labels returned per text.
const MAX_NEAR_MISSES: usize = 3;

/// Maximum number of labels of an entity that are read per property, and the maximum length of a label.
const MAX_LABELS_PER_PROPERTY: usize = 200;
const MAX_LABEL_BYTES: usize = 1 << 10;

/// Maximum number of labels of one entity that are compared, for each property.
const MAX_LABELS_OF_ENTITY: usize = 1_000;

/// The labels in a snapshot of an archive.
pub struct ArchiveLabels {
    snapshot: Snapshot,
    label_properties: LabelProperties,
    /// Finds entities by the words of a text.
    finder: Option<EntityFinder>,
}

/// Returns the IRIs of the entities that match the words of a text best.
pub(super) type EntityFinder = Box<dyn Fn(&str) -> Result<Vec<String>, LabelError>>;

impl ArchiveLabels {
    /// The labels of a snapshot. Without a `finder`, all labels are compared.
    #[must_use]
    pub(super) fn new(snapshot: Snapshot, label_properties: LabelProperties, finder: Option<EntityFinder>) -> Self {
        Self { snapshot, label_properties, finder }
    }

    /// Finds the labels that are equal to the text.
    fn find_exact(&self, text: &str, best: &mut BestMatches) -> Result<(), ArchiveError> {
        let text = collapse_whitespace(text);
        let tagged = self
            .label_properties
            .languages
            .iter()
            .filter_map(|language| Literal::new_language_tagged_literal(&text, language).ok());
        let literals: Vec<Literal> = std::iter::once(Literal::from(text.as_str())).chain(tagged).collect();
        for (property, rank) in &self.label_properties.properties {
            let Ok(property) = NamedNode::new(property) else { continue };
            for literal in &literals {
                let object = Some(literal.as_ref().into());
                // The number of matches is limited: a label that more entities share does not
                // identify any of them.
                for quad in self.snapshot.quads(None, Some(property.as_ref()), object, None).take(16 * MAX_HELD) {
                    let NamedOrBlankNode::NamedNode(entity) = quad?.subject else { continue };
                    let found = self.label_properties.label_match(
                        entity.as_str(),
                        *rank,
                        literal.as_ref(),
                        MatchQuality::Exact,
                    );
                    if let Some(found) = found {
                        best.add(self.with_statement_count(found)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// The best label of an entity.
    pub(super) fn label_of(&self, entity: &str) -> Result<Option<String>, ArchiveError> {
        let Ok(node) = NamedNodeRef::new(entity) else { return Ok(None) };
        let mut best: Option<(u8, u8, String)> = None;
        for (property, rank) in &self.label_properties.properties {
            let Ok(property) = NamedNode::new(property) else { continue };
            let labels = self.snapshot.quads(Some(node.into()), Some(property.as_ref()), None, None);
            for quad in labels.take(MAX_LABELS_PER_PROPERTY) {
                let Term::Literal(literal) = quad?.object else { continue };
                let language_rank = self.label_properties.language_rank(&primary_language(literal.as_ref()));
                let label = (language_rank, *rank, collapse_whitespace(literal.value()));
                if is_text(literal.as_ref()) && best.as_ref().is_none_or(|best| label < *best) {
                    best = Some(label);
                }
            }
        }
        Ok(best.map(|(_, _, label)| truncate_text(&label, MAX_LABEL_BYTES).to_owned()))
    }

    /// Passes every label that `is_wanted` accepts to `take`, with its entity. With a search index,
    /// these are labels of entities that it finds for the texts.
    fn for_each_label(
        &self,
        texts: &[&String],
        is_wanted: impl Fn(&str) -> bool,
        mut take: impl FnMut(&str, u8, &Literal),
    ) -> Result<(), LabelError> {
        if let Some(find) = &self.finder {
            let mut known = foldhash::HashSet::default();
            for text in texts {
                for entity in find(text)? {
                    if known.insert(entity.clone()) {
                        self.for_each_label_of(&entity, &is_wanted, &mut take)?;
                    }
                }
            }
            return Ok(());
        }
        for (property, rank) in &self.label_properties.properties {
            let Ok(property) = NamedNode::new(property) else { continue };
            let labels = self.snapshot.quads_with_object(property.as_ref(), |object| match object {
                Term::Literal(label) => is_text(label.as_ref()) && is_wanted(label.value()),
                _ => false,
            });
            for quad in labels {
                let quad = quad?;
                if let (NamedOrBlankNode::NamedNode(entity), Term::Literal(label)) = (&quad.subject, &quad.object) {
                    take(entity.as_str(), *rank, label);
                }
            }
        }
        Ok(())
    }

    /// Passes the labels of one entity that `is_wanted` accepts to `take`.
    fn for_each_label_of(
        &self,
        entity: &str,
        is_wanted: &impl Fn(&str) -> bool,
        take: &mut impl FnMut(&str, u8, &Literal),
    ) -> Result<(), ArchiveError> {
        let subject = NamedNodeRef::new_unchecked(entity);
        for (property, rank) in &self.label_properties.properties {
            let Ok(property) = NamedNode::new(property) else { continue };
            let labels = self.snapshot.quads(Some(subject.into()), Some(property.as_ref()), None, None);
            for quad in labels.take(MAX_LABELS_OF_ENTITY) {
                if let Term::Literal(label) = &quad?.object
                    && is_text(label.as_ref())
                    && is_wanted(label.value())
                {
                    take(entity, *rank, label);
                }
            }
        }
        Ok(())
    }

    /// Finds inexact matches of the texts.
    fn find_similar(
        &self,
        texts: &[&String],
        queries: &LabelQueries,
        best: &mut [BestMatches],
    ) -> Result<(), LabelError> {
        let is_wanted = |label: &str| {
            let mut matches = false;
            queries.for_each_match(label, |_, _| matches = true);
            matches
        };
        self.for_each_label(texts, is_wanted, |entity, rank, label| {
            queries.for_each_match(label.value(), |index, fit| {
                if let Some(found) = self.label_properties.label_match(entity, rank, label.as_ref(), fit) {
                    best[index].add(found);
                }
            });
        })
    }

    /// Sets the approximate number of statements about the entity.
    fn with_statement_count(&self, found: LabelMatch) -> Result<LabelMatch, ArchiveError> {
        let entity = NamedNodeRef::new_unchecked(&found.entity);
        let statements = self.snapshot.estimate(Some(entity.into()), None, None, None)?;
        Ok(LabelMatch { statements, ..found })
    }

    /// Sorts the matches. The number of statements breaks ties.
    fn rank(&self, best: BestMatches) -> Result<Vec<LabelMatch>, ArchiveError> {
        let mut counted = BestMatches::default();
        for found in best.into_sorted() {
            let is_counted = found.statements > 0;
            counted.add(if is_counted { found } else { self.with_statement_count(found)? });
        }
        Ok(counted.into_sorted())
    }
}

impl LabelIndex for ArchiveLabels {
    fn look_up(&self, texts: &[String], matches: usize) -> Result<Vec<Vec<LabelMatch>>, LabelError> {
        let mut best: Vec<BestMatches> = texts.iter().map(|_| BestMatches::default()).collect();
        for (text, best) in texts.iter().zip(&mut best) {
            self.find_exact(text, best)?;
        }
        let is_open: Vec<bool> = best.iter().map(|best| best.len() < matches).collect();
        let queries = LabelQueries::new(texts, |index| is_open[index]);
        if !queries.is_empty() {
            let open: Vec<&String> =
                texts.iter().zip(is_open).filter(|(_, is_open)| *is_open).map(|(text, _)| text).collect();
            self.find_similar(&open, &queries, &mut best)?;
        }
        best.into_iter().map(|best| Ok(self.rank(best)?)).collect()
    }

    fn near_misses(&self, texts: &[String]) -> Result<Vec<Vec<LabelMatch>>, LabelError> {
        let queries = LabelQueries::new(texts, |index| index < MAX_NEAR_TEXTS);
        let mut near: Vec<BestMatches> = texts.iter().map(|_| BestMatches::default()).collect();
        let is_wanted = |label: &str| {
            let mut is_similar = false;
            queries.for_each_near_match(label, |_, _| is_similar = true);
            is_similar
        };
        let compared: Vec<&String> = texts.iter().take(MAX_NEAR_TEXTS).collect();
        self.for_each_label(&compared, is_wanted, |entity, rank, label| {
            queries.for_each_near_match(label.value(), |index, fit| {
                if let Some(found) = self.label_properties.label_match(entity, rank, label.as_ref(), fit) {
                    near[index].add(found);
                }
            });
        })?;
        Ok(near.into_iter().map(|near| near.into_sorted().into_iter().take(MAX_NEAR_MISSES).collect()).collect())
    }
}

#[cfg(test)]
mod tests {
    use lodeward_archive::Archive;
    use lodeward_archive::sparql::UpdateOptions;

    use super::*;
    use lodeward::select::FactsOptions;

    const LABELS: &str = r#"
        PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
        PREFIX : <http://a.example/>
        INSERT DATA {
            GRAPH :g1 {
                :Cologne rdfs:label "Cologne"@en , "Köln"@de ; :in :Germany , :Europe ; :on :Rhine .
                :Perfume rdfs:label "Cologne"@en ; :kind :Scent .
                :Cathedral rdfs:label "Cologne Cathedral"@en ; skos:altLabel "Cologne"@en .
            }
            GRAPH :g2 {
                :Cologne rdfs:label "Cologne"@en .
                :Coeln rdfs:label "COLOGNE" .
                _:b rdfs:label "Cologne"@en .
                <urn:x> rdfs:label "Cologne"@en .
                :Bonn rdfs:label "Bonn"@en , 53 ; rdfs:comment "Cologne" .
            }
        }"#;

    fn with_labels<T>(texts: &[&str], search: impl Fn(&ArchiveLabels, &[String]) -> T) -> T {
        let directory = tempfile::tempdir().unwrap();
        let archive = Archive::open(directory.path(), &lodeward_archive::Options::default()).unwrap();
        archive.update(LABELS, &UpdateOptions::default()).unwrap();
        let labels =
            ArchiveLabels::new(archive.snapshot(), LabelProperties::from_facts_options(&FactsOptions::default()), None);
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        search(&labels, &texts)
    }

    fn look_up(texts: &[&str], matches: usize) -> Vec<Vec<LabelMatch>> {
        with_labels(texts, |labels, texts| labels.look_up(texts, matches).unwrap())
    }

    fn names(matches: &[LabelMatch]) -> Vec<(&str, MatchQuality)> {
        matches.iter().map(|found| (found.entity.trim_start_matches("http://a.example/"), found.quality)).collect()
    }

    #[test]
    fn among_exact_matches_the_entity_with_the_most_statements_is_first() {
        let found = look_up(&["Cologne"], 1);

        // Alternative labels rank lower; entities that cannot be dereferenced are left out.
        assert_eq!(
            names(&found[0]),
            [("Cologne", MatchQuality::Exact), ("Perfume", MatchQuality::Exact), ("Cathedral", MatchQuality::Exact)]
        );
        assert!(found[0][0].statements > found[0][1].statements, "{:?}", found[0]);
    }

    #[test]
    fn without_an_exact_match_case_and_accents_are_ignored_and_then_all_words_must_match() {
        let found = look_up(&["KOLN", "cathedral, Cologne", "bonn"], 1);

        assert_eq!(names(&found[0]), [("Cologne", MatchQuality::Folded)]);
        assert_eq!(names(&found[1]), [("Cathedral", MatchQuality::Words(0))]);
        assert_eq!(names(&found[2]), [("Bonn", MatchQuality::Folded)]);
    }

    #[test]
    fn inexact_matches_follow_if_more_matches_are_requested() {
        let found = look_up(&["Cologne"], 9);

        let expected = [
            ("Cologne", MatchQuality::Exact),
            ("Perfume", MatchQuality::Exact),
            ("Cathedral", MatchQuality::Exact),
            ("Coeln", MatchQuality::Folded),
        ];
        assert_eq!(names(&found[0]), expected);
    }

    #[test]
    fn a_text_without_a_match_has_similar_labels() {
        let texts = ["Colonge", "Timbuktu", "  "];

        let found = look_up(&texts, 1);
        let near = with_labels(&texts, |labels, texts| labels.near_misses(texts).unwrap());

        assert_eq!(found, [[], [], []]);
        assert!(near[0].iter().any(|found| found.label == "Cologne"), "{near:?}");
        assert_eq!(near[1..], [[], []]);
    }
}
