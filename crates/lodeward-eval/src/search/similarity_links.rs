//! Explicit links between the same or related entities, beside all links (D3.6, Fig. 4).

use std::collections::BTreeMap;
use std::path::Path;

use lodeward_search::entity::Direction;
use lodeward_search::retrieve::published::SIMILARITY_PREDICATES;

use super::collection::EntityCollection;
use super::page::SearchSection;
use crate::numbers::ratio;
use crate::web::WebError;
use crate::web::manifest::read;

/// Links of one graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LinkCounts {
    all: usize,
    explicit: usize,
}

impl LinkCounts {
    fn add(&mut self, predicate: &str) {
        self.all += 1;
        self.explicit += usize::from(SIMILARITY_PREDICATES.contains(&predicate));
    }
}

/// Counts the links of the collections, and of each graph of an N-Quads file.
pub(super) fn evaluate(collections: &[&EntityCollection], harvest: Option<&Path>) -> Result<SearchSection, WebError> {
    let mut section = SearchSection::new(
        "Explicit similarity links",
        "Statements with `owl:sameAs`, `skos:related`, or `wikiPageExternalLink`, `wikiPageDisambiguates`, `synonym` of \
         DBpedia, among all statements whose object is an IRI (D3.6, Fig. 4).",
    );
    section.table(&["graph", "links", "explicit", "share"]);
    let mut graphs: BTreeMap<String, LinkCounts> = BTreeMap::new();
    for collection in collections {
        let counts = graphs.entry(collection.name.clone()).or_default();
        let links = collection.entities.iter().flat_map(|entity| &entity.neighbours);
        for link in links.filter(|link| link.direction == Direction::Out) {
            counts.add(&link.predicate_iri);
        }
    }
    if let Some(path) = harvest {
        for line in read(path)?.lines() {
            count_statement(line, &mut graphs);
        }
    }
    let mut total = LinkCounts::default();
    for (graph, LinkCounts { all, explicit }) in graphs {
        section.row(&[graph.clone(), all.to_string(), explicit.to_string(), format!("{:.4}", ratio(explicit, all))]);
        section.figure(&graph, "links", "", "all", crate::numbers::to_f64(all));
        section.figure(&graph, "links", "", "explicit", crate::numbers::to_f64(explicit));
        total = LinkCounts { all: total.all + all, explicit: total.explicit + explicit };
    }
    let share = format!("{:.4}", ratio(total.explicit, total.all));
    section.row(&["**all**".to_owned(), total.all.to_string(), total.explicit.to_string(), share]);
    section.end_table();
    Ok(section)
}

/// Counts a line of N-Quads if its object is an IRI. Graphs are grouped by host: a harvest has one
/// graph per document.
fn count_statement(line: &str, graphs: &mut BTreeMap<String, LinkCounts>) {
    let mut terms = line.split_ascii_whitespace();
    let (Some(_), Some(predicate), Some(object)) = (terms.next(), terms.next(), terms.next()) else { return };
    let iri = |term: &str| term.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).map(str::to_owned);
    let (Some(predicate), Some(_)) = (iri(predicate), iri(object)) else { return };
    let graph = terms.next().and_then(iri).unwrap_or_else(|| "default graph".to_owned());
    let host = graph.split("//").nth(1).and_then(|rest| rest.split(['/', '#', '?']).next());
    graphs.entry(host.map_or_else(|| graph.clone(), str::to_owned)).or_default().add(&predicate);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_counted_by_host() {
        let mut graphs = BTreeMap::new();
        let lines = [
            "<http://a.example/1> <http://www.w3.org/2002/07/owl#sameAs> <http://b.example/1> <http://a.example/doc> .",
            "<http://a.example/1> <http://a.example/p> <http://b.example/2> <http://a.example/doc2> .",
            "<http://a.example/1> <http://a.example/p> \"a text <x> <y>\" <http://a.example/doc> .",
            "<http://a.example/1> <http://a.example/p> <http://b.example/2> .",
            "# comment",
        ];

        for line in lines {
            count_statement(line, &mut graphs);
        }

        assert_eq!(graphs["a.example"], LinkCounts { all: 2, explicit: 1 });
        assert_eq!(graphs["default graph"], LinkCounts { all: 1, explicit: 0 });
    }
}
