//! Entities and links as tables have them, gathered as a crawl would gather them
//! from documents.
//!
//! Two entities of different rows with one IRI are one. An IRI with a fragment
//! (`X#this`, `X#membership_2`) is a part of the entity `X`, and what links to a
//! part links to the whole; a link counts only if both of its ends are entities
//! of the tables. Without that, people and what they ruled are two links apart in
//! nomisma, and most of what there is to be found cannot be reached.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::rank::facts::FactsReader;
use lodeward::rank::terms::Tokeniser;
use lodeward::rank::{FactsOptions, Gathering, Limits};
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{GraphNameRef, LiteralRef, NamedNodeRef, QuadRef, TermRef};

use super::FocusError;
use crate::web::manifest::{Table, read};

const SKOS_DEFINITION: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#definition");
/// Where predicates live that the tables know by a number only; as in `toyweb`.
const RELATIONS: &str = "http://dbpedia.org/property/";
/// Between the labels of an entity.
const BETWEEN_LABELS: &str = " | ";

/// Which tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Tables of entities: `uri`, and of `label` or `label_en`, `types`,
    /// `definition_en`, `all_labels` what there is.
    pub entities: Vec<PathBuf>,
    /// Tables of links: `subject`, `predicate` or `relation_id`, `object`.
    pub links: Vec<PathBuf>,
    /// Predicates, or relation ids, whose links nobody may see.
    pub hidden: Vec<String>,
}

impl Tables {
    /// Reads them.
    pub fn gather(&self) -> Result<Gathering, FocusError> {
        let options = FactsOptions { facts_per_document_max: usize::MAX, ..FactsOptions::default() };
        let mut told = Told { reader: FactsReader::new(Arc::new(options)), entities: HashSet::default() };
        for path in &self.entities {
            told.entities(path)?;
        }
        for path in &self.links {
            told.links(path, &self.hidden)?;
        }
        let everything = Limits { entities_max: u32::MAX as usize, links_max: usize::MAX };
        let mut gathering = Gathering::new(everything, Tokeniser::default());
        gathering.add(&told.reader.finish());
        gathering.tidy();
        Ok(gathering)
    }
}

struct Told {
    reader: FactsReader,
    entities: HashSet<String, RandomState>,
}

impl Told {
    fn entities(&mut self, path: &Path) -> Result<(), FocusError> {
        let text = read(path)?;
        let table = Table::new(path, &text)?;
        let iri = table.column("uri")?;
        let label = table.column("label").or_else(|_| table.column("label_en")).ok();
        let [types, definition, others] = ["types", "definition_en", "all_labels"].map(|name| table.column(name).ok());
        for (_, cells) in table.rows() {
            let cell = |column: Option<usize>| column.and_then(|column| cells.get(column)).copied().unwrap_or_default();
            let iri = cell(Some(iri));
            if iri.is_empty() {
                continue;
            }
            self.entities.insert(iri.to_owned());
            for class in cell(types).split(' ').filter(|class| !class.is_empty()) {
                self.say(iri, rdf::TYPE, NamedNodeRef::new_unchecked(class).into());
            }
            // Labels in other languages count where there is no other.
            let labels = if cell(label).is_empty() { cell(others) } else { cell(label) };
            for label in labels.split(BETWEEN_LABELS) {
                self.say(iri, rdfs::LABEL, LiteralRef::new_simple_literal(label).into());
            }
            self.say(iri, SKOS_DEFINITION, LiteralRef::new_simple_literal(cell(definition)).into());
        }
        Ok(())
    }

    fn links(&mut self, path: &Path, hidden: &[String]) -> Result<(), FocusError> {
        let text = read(path)?;
        let table = Table::new(path, &text)?;
        let predicate = table.column("predicate").or_else(|_| table.column("relation_id"))?;
        let columns = [table.column("subject")?, predicate, table.column("object")?];
        for (_, cells) in table.rows() {
            let [Some(subject), Some(predicate), Some(object)] = columns.map(|column| cells.get(column).copied())
            else {
                continue;
            };
            let iri = relation_iri(predicate);
            if hidden.iter().any(|hidden| hidden == predicate || *hidden == iri) {
                continue;
            }
            let (subject, object) = (self.whole(subject), self.whole(object));
            if subject != object && self.entities.contains(subject) && self.entities.contains(object) {
                let predicate = NamedNodeRef::new_unchecked(&iri);
                self.say(subject, predicate, NamedNodeRef::new_unchecked(object).into());
            }
        }
        Ok(())
    }

    /// The entity that an IRI is a part of, or the IRI itself.
    fn whole<'a>(&self, iri: &'a str) -> &'a str {
        let whole = iri.split_once('#').map(|(whole, _)| whole);
        whole.filter(|whole| !self.entities.contains(iri) && self.entities.contains(*whole)).unwrap_or(iri)
    }

    fn say(&mut self, subject: &str, predicate: NamedNodeRef<'_>, object: TermRef<'_>) {
        let subject = NamedNodeRef::new_unchecked(subject).into();
        self.reader.quad(QuadRef { subject, predicate, object, graph_name: GraphNameRef::DefaultGraph });
    }
}

/// The predicate of a relation that has a number only.
fn relation_iri(predicate: &str) -> String {
    if predicate.starts_with("http://") || predicate.starts_with("https://") {
        return predicate.to_owned();
    }
    format!("{RELATIONS}{}", predicate.replace(':', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTITIES: &str = "uri\ttypes\tlabel_en\tdefinition_en\tall_labels
http://a.example/Nero\thttp://a.example/Person\tNero\tRoman emperor\tNéron
http://a.example/Nero\thttp://a.example/Ruler\t\t\t
http://a.example/Rome\t\t\t\tRoma | Rom
";
    const LINKS: &str = "subject\tpredicate\tobject
http://a.example/Nero#membership_1\thttp://a.example/of\thttp://a.example/Rome
http://a.example/Nero\thttp://a.example/has\thttp://a.example/Nero#membership_1
http://a.example/Nero\tja:7\thttp://a.example/Rome
http://a.example/Nero\thttp://a.example/same\thttp://b.example/Nero
http://a.example/Rome
";

    fn gather(hidden: &[&str]) -> Gathering {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let hidden = hidden.iter().map(|&name| name.to_owned()).collect();
        let (entities, links) = (vec![file("entities.tsv", ENTITIES)], vec![file("links.tsv", LINKS)]);
        Tables { entities, links, hidden }.gather().unwrap()
    }

    #[test]
    fn parts_are_folded_and_links_out_of_the_tables_left_out() {
        let gathering = gather(&[]);
        let graph = gathering.graph();
        let [nero, rome] = ["Nero", "Rome"].map(|name| graph.find(&format!("http://a.example/{name}")).unwrap());

        let links: Vec<_> =
            graph.outgoing(nero).iter().map(|link| (graph.predicate(link.predicate), link.entity)).collect();
        assert_eq!(links, [("http://a.example/of", rome), ("http://dbpedia.org/property/ja-7", rome)]);
        assert_eq!(graph.links_len(), 2);
        assert_eq!(graph.find("http://b.example/Nero"), None);
        assert_eq!(graph.types(nero).len(), 2, "of both rows");
    }

    #[test]
    fn texts_are_labels_and_definitions() {
        let gathering = gather(&[]);
        let graph = gathering.graph();
        let terms = |name: &str| {
            let entity = graph.find(&format!("http://a.example/{name}")).unwrap();
            let mut terms: Vec<_> = graph.terms(entity).iter().map(|(term, _)| graph.term(*term)).collect();
            terms.sort_unstable();
            terms
        };

        assert_eq!(terms("Nero"), ["emperor", "nero", "roman"]);
        assert_eq!(terms("Rome"), ["rom", "roma"], "other languages, for want of English");
    }

    #[test]
    fn hidden_links_are_not_seen() {
        let check = |hidden: &str, links: usize| assert_eq!(gather(&[hidden]).graph().links_len(), links, "{hidden}");

        check("ja:7", 1);
        check("http://dbpedia.org/property/ja-7", 1);
        check("http://a.example/of", 1);
        check("http://a.example/other", 2);
    }
}
