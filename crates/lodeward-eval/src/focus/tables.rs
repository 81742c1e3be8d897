//! Loading of entity tables into a fact base, as a crawl would collect it from documents.
//!
//! Rows with the same IRI are one entity. An IRI with a fragment (`X#this`, `X#membership_2`) is a part
//! of the entity `X`, and links of a part are links of the whole: otherwise persons and the regions they
//! ruled would be two links apart in nomisma, and most targets would be unreachable. A link counts only
//! if both ends are entities of the tables.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::fast::RandomState;
use lodeward::select::FactsOptions;
use lodeward::select::facts::FactsReader;
use lodeward_focus::rank::terms::Tokeniser;
use lodeward_focus::rank::{FactBase, FactLimits};
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{GraphNameRef, LiteralRef, NamedNodeRef, QuadRef, TermRef};

use super::FocusError;
use crate::web::manifest::{TsvTable, read};

const SKOS_DEFINITION: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#definition");
/// The namespace of predicates that the tables identify by number only; the same as in `toyweb`.
const RELATION_NAMESPACE: &str = "http://dbpedia.org/property/";
/// Separator of the labels of an entity.
const LABEL_SEPARATOR: &str = " | ";

/// The files of a graph of entities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityTables {
    /// Tables of entities: `uri`, and optionally `label` or `label_en`, `types`, `definition_en`,
    /// `all_labels`.
    pub entities: Vec<PathBuf>,
    /// Tables of links: `subject`, `predicate` or `relation_id`, `object`.
    pub links: Vec<PathBuf>,
    /// Predicates or relation ids whose links are ignored.
    pub hidden: Vec<String>,
}

impl EntityTables {
    /// Reads the tables into a fact base.
    pub fn load(&self) -> Result<FactBase, FocusError> {
        let options = FactsOptions { max_facts_per_document: usize::MAX, ..FactsOptions::default() };
        let mut facts = TableFacts { reader: FactsReader::new(Arc::new(options)), entities: HashSet::default() };
        for path in &self.entities {
            facts.read_entities(path)?;
        }
        for path in &self.links {
            facts.read_links(path, &self.hidden)?;
        }
        let unlimited = FactLimits { max_entities: u32::MAX as usize, max_links: usize::MAX };
        let mut fact_base = FactBase::new(unlimited, Tokeniser::default());
        fact_base.add(&facts.reader.finish());
        fact_base.dedup();
        Ok(fact_base)
    }
}

struct TableFacts {
    reader: FactsReader,
    entities: HashSet<String, RandomState>,
}

impl TableFacts {
    fn read_entities(&mut self, path: &Path) -> Result<(), FocusError> {
        let text = read(path)?;
        let table = TsvTable::new(path, &text)?;
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
                self.add_statement(iri, rdf::TYPE, NamedNodeRef::new_unchecked(class).into());
            }
            // Labels in other languages are used if there is no English one.
            let labels = if cell(label).is_empty() { cell(others) } else { cell(label) };
            for label in labels.split(LABEL_SEPARATOR) {
                self.add_statement(iri, rdfs::LABEL, LiteralRef::new_simple_literal(label).into());
            }
            self.add_statement(iri, SKOS_DEFINITION, LiteralRef::new_simple_literal(cell(definition)).into());
        }
        Ok(())
    }

    fn read_links(&mut self, path: &Path, hidden: &[String]) -> Result<(), FocusError> {
        let text = read(path)?;
        let table = TsvTable::new(path, &text)?;
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
            let (subject, object) = (self.containing_entity(subject), self.containing_entity(object));
            if subject != object && self.entities.contains(subject) && self.entities.contains(object) {
                let predicate = NamedNodeRef::new_unchecked(&iri);
                self.add_statement(subject, predicate, NamedNodeRef::new_unchecked(object).into());
            }
        }
        Ok(())
    }

    /// The entity that an IRI is a part of, or the IRI itself.
    fn containing_entity<'a>(&self, iri: &'a str) -> &'a str {
        let whole = iri.split_once('#').map(|(whole, _)| whole);
        whole.filter(|whole| !self.entities.contains(iri) && self.entities.contains(*whole)).unwrap_or(iri)
    }

    fn add_statement(&mut self, subject: &str, predicate: NamedNodeRef<'_>, object: TermRef<'_>) {
        let subject = NamedNodeRef::new_unchecked(subject).into();
        self.reader.add_quad(QuadRef { subject, predicate, object, graph_name: GraphNameRef::DefaultGraph });
    }
}

/// The IRI of a predicate, also of one that is given by a number.
fn relation_iri(predicate: &str) -> String {
    if predicate.starts_with("http://") || predicate.starts_with("https://") {
        return predicate.to_owned();
    }
    format!("{RELATION_NAMESPACE}{}", predicate.replace(':', "-"))
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

    fn load_facts(hidden: &[&str]) -> FactBase {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let hidden = hidden.iter().map(|&name| name.to_owned()).collect();
        let (entities, links) = (vec![file("entities.tsv", ENTITIES)], vec![file("links.tsv", LINKS)]);
        EntityTables { entities, links, hidden }.load().unwrap()
    }

    #[test]
    fn parts_are_merged_and_links_to_unknown_entities_are_ignored() {
        let facts = load_facts(&[]);
        let graph = facts.graph();
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
        let facts = load_facts(&[]);
        let graph = facts.graph();
        let terms = |name: &str| {
            let entity = graph.find(&format!("http://a.example/{name}")).unwrap();
            let mut terms: Vec<_> = graph.terms(entity).iter().map(|(term, _)| graph.term(*term)).collect();
            terms.sort_unstable();
            terms
        };

        assert_eq!(terms("Nero"), ["emperor", "nero", "roman"]);
        assert_eq!(terms("Rome"), ["rom", "roma"], "other languages, because there is no English label");
    }

    #[test]
    fn hidden_links_are_ignored() {
        let check =
            |hidden: &str, links: usize| assert_eq!(load_facts(&[hidden]).graph().links_len(), links, "{hidden}");

        check("ja:7", 1);
        check("http://dbpedia.org/property/ja-7", 1);
        check("http://a.example/of", 1);
        check("http://a.example/other", 2);
    }
}
