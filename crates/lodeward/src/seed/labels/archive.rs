//! Labels in the archive of a data directory.
//!
//! First each text is looked up as it is written, as a literal without a language
//! and in each of the preferred ones: the archive knows where a literal is. Only
//! for texts that this finds too little for, all statements with a label property
//! are read, once for all texts, and compared one by one. Memory is bounded by
//! the number of texts, not by that of labels.

use lodeward_archive::{ArchiveError, Snapshot};
use oxrdf::{Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Term};

use super::best::{Best, HELD_MAX};
use super::fold::spaced;
use super::question::Questions;
use super::{Fit, LabelError, LabelIndex, Match, Naming, is_text};

/// Texts that near misses are looked for: each label is compared with each of
/// them.
const NEAR_TEXTS_MAX: usize = 20;

/// Near misses that are told.
const NEAR_MAX: usize = 3;

/// The labels of an archive at one moment.
pub struct ArchiveLabels {
    snapshot: Snapshot,
    naming: Naming,
}

impl ArchiveLabels {
    /// Labels that are read in this way.
    #[must_use]
    pub fn new(snapshot: Snapshot, naming: Naming) -> Self {
        Self { snapshot, naming }
    }

    /// Looks up a text as it is written.
    fn exact(&self, text: &str, best: &mut Best) -> Result<(), ArchiveError> {
        let text = spaced(text);
        let tagged = self
            .naming
            .languages
            .iter()
            .filter_map(|language| Literal::new_language_tagged_literal(&text, language).ok());
        let literals: Vec<Literal> = std::iter::once(Literal::from(text.as_str())).chain(tagged).collect();
        for (property, rank) in &self.naming.properties {
            let Ok(property) = NamedNode::new(property) else { continue };
            for literal in &literals {
                let object = Some(literal.as_ref().into());
                // Of more than that only those count of which most is said, and
                // nobody means one of so many by its name alone.
                for quad in self.snapshot.quads(None, Some(property.as_ref()), object, None).take(16 * HELD_MAX) {
                    let NamedOrBlankNode::NamedNode(entity) = quad?.subject else { continue };
                    let found = self.naming.found(entity.as_str(), *rank, literal.as_ref(), Fit::Same);
                    if let Some(found) = found {
                        best.take(self.measured(found)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// Hands over every label that is wanted, with its entity.
    fn each_label(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        mut take: impl FnMut(&str, u8, &Literal),
    ) -> Result<(), ArchiveError> {
        for (property, rank) in &self.naming.properties {
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

    /// Finds what is called something like one of the texts.
    fn alike(&self, questions: &Questions, best: &mut [Best]) -> Result<(), ArchiveError> {
        let is_wanted = |label: &str| {
            let mut fits = false;
            questions.fits(label, |_, _| fits = true);
            fits
        };
        self.each_label(is_wanted, |entity, rank, label| {
            questions.fits(label.value(), |place, fit| {
                if let Some(found) = self.naming.found(entity, rank, label.as_ref(), fit) {
                    best[place].take(found);
                }
            });
        })
    }

    /// With about how many statements there are about it.
    fn measured(&self, found: Match) -> Result<Match, ArchiveError> {
        let entity = NamedNodeRef::new_unchecked(&found.entity);
        let statements = self.snapshot.estimate(Some(entity.into()), None, None, None)?;
        Ok(Match { statements, ..found })
    }

    /// The best of all, by how much is said of them where nothing else decides.
    fn ranked(&self, best: Best) -> Result<Vec<Match>, ArchiveError> {
        let mut measured = Best::default();
        for found in best.sorted() {
            let known = found.statements > 0;
            measured.take(if known { found } else { self.measured(found)? });
        }
        Ok(measured.sorted())
    }
}

impl LabelIndex for ArchiveLabels {
    fn look_up(&self, texts: &[String], matches: usize) -> Result<Vec<Vec<Match>>, LabelError> {
        let mut best: Vec<Best> = texts.iter().map(|_| Best::default()).collect();
        for (text, best) in texts.iter().zip(&mut best) {
            self.exact(text, best)?;
        }
        let questions = Questions::new(texts, |place| best[place].len() < matches);
        if !questions.is_empty() {
            self.alike(&questions, &mut best)?;
        }
        best.into_iter().map(|best| Ok(self.ranked(best)?)).collect()
    }

    fn near_misses(&self, texts: &[String]) -> Result<Vec<Vec<Match>>, LabelError> {
        let questions = Questions::new(texts, |place| place < NEAR_TEXTS_MAX);
        let mut near: Vec<Best> = texts.iter().map(|_| Best::default()).collect();
        let is_wanted = |label: &str| {
            let mut resembles = false;
            questions.resembles(label, |_, _| resembles = true);
            resembles
        };
        self.each_label(is_wanted, |entity, rank, label| {
            questions.resembles(label.value(), |place, fit| {
                if let Some(found) = self.naming.found(entity, rank, label.as_ref(), fit) {
                    near[place].take(found);
                }
            });
        })?;
        Ok(near.into_iter().map(|near| near.sorted().into_iter().take(NEAR_MAX).collect()).collect())
    }
}

#[cfg(test)]
mod tests {
    use lodeward_archive::Archive;
    use lodeward_archive::sparql::UpdateOptions;

    use super::*;
    use crate::rank::FactsOptions;

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

    fn ask<T>(texts: &[&str], question: impl Fn(&ArchiveLabels, &[String]) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path(), &lodeward_archive::Options::default()).unwrap();
        archive.update(LABELS, &UpdateOptions::default()).unwrap();
        let labels = ArchiveLabels::new(archive.snapshot(), Naming::of(&FactsOptions::default()));
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        question(&labels, &texts)
    }

    fn look_up(texts: &[&str], matches: usize) -> Vec<Vec<Match>> {
        ask(texts, |labels, texts| labels.look_up(texts, matches).unwrap())
    }

    fn names(matches: &[Match]) -> Vec<(&str, Fit)> {
        matches.iter().map(|found| (found.entity.trim_start_matches("http://a.example/"), found.fit)).collect()
    }

    #[test]
    fn a_text_as_it_is_written_finds_the_entity_of_which_most_is_said() {
        let found = look_up(&["Cologne"], 1);

        // An alternative label is a worse one; nodes without an address are none.
        assert_eq!(names(&found[0]), [("Cologne", Fit::Same), ("Perfume", Fit::Same), ("Cathedral", Fit::Same)]);
        assert!(found[0][0].statements > found[0][1].statements, "{:?}", found[0]);
    }

    #[test]
    fn where_nothing_is_called_so_case_and_accents_do_not_count_and_then_all_words_do() {
        let found = look_up(&["KOLN", "cathedral, Cologne", "bonn"], 1);

        assert_eq!(names(&found[0]), [("Cologne", Fit::Folded)]);
        assert_eq!(names(&found[1]), [("Cathedral", Fit::Words(0))]);
        assert_eq!(names(&found[2]), [("Bonn", Fit::Folded)]);
    }

    #[test]
    fn whoever_wants_more_gets_what_is_called_something_like_it() {
        let found = look_up(&["Cologne"], 9);

        let expected =
            [("Cologne", Fit::Same), ("Perfume", Fit::Same), ("Cathedral", Fit::Same), ("Coeln", Fit::Folded)];
        assert_eq!(names(&found[0]), expected);
    }

    #[test]
    fn what_is_not_found_has_near_misses() {
        let texts = ["Colonge", "Timbuktu", "  "];

        let found = look_up(&texts, 1);
        let near = ask(&texts, |labels, texts| labels.near_misses(texts).unwrap());

        assert_eq!(found, [[], [], []]);
        assert!(near[0].iter().any(|found| found.label == "Cologne"), "{near:?}");
        assert_eq!(near[1..], [[], []]);
    }
}
