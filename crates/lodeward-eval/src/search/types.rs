//! Types of queries and of their relevant entities: the table of eq. 13, and its plot (D3.6, Fig. 5).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lodeward_search::retrieve::AnalysedQuery;
use lodeward_search::retrieve::published::{TypeAffinity, broad_type, detect_type, type_name};
use lodeward_search::text::StemmedLanguages;

use super::collection::EntityCollection;
use super::gold::archive_file;
use super::heatmap::Heatmap;
use super::page::{SearchSection, share};
use super::topics::SearchTopic;
use crate::numbers::{ratio, to_f64};
use crate::web::WebError;

/// Archive of the types of queries, and the table in it.
const ARCHIVE: &str = "gold/sigir2017-query-types.tar.gz";
const JUDGMENTS: &str = "qrels-tti-CF-filtered_by_NIL+merged.tsv";

/// Number of entity types in the plot.
const PLOTTED_TYPES: usize = 24;

/// Counts below this are left out of the shipped table.
const MIN_COUNT: f64 = 0.3;

/// The types that judges gave queries, with their votes.
pub(super) struct QueryTypes(HashMap<String, Vec<(String, f64)>>);

impl QueryTypes {
    pub(super) fn load(directory: &Path) -> Result<Self, WebError> {
        let mut types: HashMap<String, Vec<(String, f64)>> = HashMap::new();
        for line in archive_file(&directory.join(ARCHIVE), JUDGMENTS)?.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let [id, _, kind, votes] = cells[..] else { continue };
            let name = type_name(kind.trim_matches(['<', '>']).trim_start_matches("dbo:"));
            types.entry(id.to_owned()).or_default().push((name, votes.parse().unwrap_or(0.0)));
        }
        for of_query in types.values_mut() {
            of_query.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        }
        Ok(Self(types))
    }

    /// The type with most votes.
    pub(super) fn of(&self, topic: &SearchTopic) -> Option<&str> {
        Some(self.0.get(&topic.id)?.first()?.0.as_str())
    }

    /// Counts the types of relevant entities of some topics, by type of the query. An entity counts
    /// 1, divided among its types, and among the types of the query by their votes.
    pub(super) fn count(
        &self,
        collections: &[(&EntityCollection, &[SearchTopic])],
        is_chosen: impl Fn(&SearchTopic) -> bool,
    ) -> TypeAffinity {
        let mut table = TypeAffinity::default();
        for (collection, topics) in collections {
            for topic in topics.iter().filter(|topic| is_chosen(topic)) {
                let Some(query_types) = self.0.get(&topic.id) else { continue };
                let votes: f64 = query_types.iter().map(|(_, votes)| votes).sum();
                for place in topic.grades.keys().filter_map(|iri| collection.place(iri)) {
                    let types = &collection.entities[place].types;
                    for entity_type in types {
                        for (query_type, own) in query_types {
                            table.add(query_type, &type_name(entity_type), own / votes / to_f64(types.len()));
                        }
                    }
                }
            }
        }
        table
    }
}

/// Trains the table on all topics, plots it, and measures how often the type of a query is detected.
pub(super) fn evaluate(
    directory: &Path,
    collections: &[(&EntityCollection, &[SearchTopic])],
) -> Result<SearchSection, WebError> {
    let types = QueryTypes::load(directory)?;
    let mut section = SearchSection::new(
        "Types of queries",
        "p(t_e|t_q) of eq. 13, counted from the judged types of the public queries and the types of their relevant \
         entities in both collections (Fig. 5 for broad query types: the plot). *Detected*: from the words of a query.",
    );
    let table = types.count(collections, |_| true);
    section.file("affinity.tsv", shipped_text(&table));
    section.file("types.svg", plot(&table));
    write_detection(&mut section, &types, collections);
    Ok(section)
}

/// The table without rare pairs, as it is shipped.
pub(super) fn shipped_text(table: &TypeAffinity) -> String {
    let text = table.to_text();
    let count = |line: &str| line.rsplit('\t').next().and_then(|count| count.parse().ok()).unwrap_or(0.0);
    let mut shipped = "# Made by `lodeward-eval search types`: query type, entity type, count.\n".to_owned();
    for line in text.lines().filter(|line| count(line) >= MIN_COUNT) {
        shipped.push_str(line);
        shipped.push('\n');
    }
    shipped
}

fn plot(table: &TypeAffinity) -> String {
    let broad = table.broad();
    let mut rows: Vec<String> = broad.query_types().to_vec();
    rows.sort();
    let probability = |kind: &str| rows.iter().map(|row| broad.probability(kind, row)).fold(0.0, f64::max);
    let mut columns: Vec<String> = broad.entity_types().map(str::to_owned).collect();
    columns.sort_by(|a, b| probability(b).total_cmp(&probability(a)).then_with(|| a.cmp(b)));
    columns.truncate(PLOTTED_TYPES);
    let cells = rows.iter().map(|row| columns.iter().map(|kind| broad.probability(kind, row)).collect()).collect();
    let title = "Types of relevant entities by type of the query".to_owned();
    Heatmap { title, rows: rows.clone(), columns, cells }.draw()
}

fn write_detection(
    section: &mut SearchSection,
    types: &QueryTypes,
    collections: &[(&EntityCollection, &[SearchTopic])],
) {
    let topics: BTreeMap<&str, &SearchTopic> =
        collections.iter().flat_map(|(_, topics)| topics.iter()).map(|topic| (topic.id.as_str(), topic)).collect();
    let (mut judged, mut detected, mut right, mut broad) = (0, 0, 0, 0);
    for topic in topics.values() {
        let Some(of_query) = types.0.get(&topic.id) else { continue };
        judged += 1;
        let Some(found) = detect_type(&AnalysedQuery::new(&topic.query, &StemmedLanguages::default())) else {
            continue;
        };
        detected += 1;
        right += usize::from(of_query.iter().any(|(name, _)| name == found));
        broad += usize::from(of_query.iter().any(|(name, _)| broad_type(name) == broad_type(found)));
    }
    section.table(&["queries with a judged type", "detected", "right type", "right broad type"]);
    let of_detected = |count| format!("{count} ({})", share(ratio(count, detected)));
    let coverage = format!("{detected} ({})", share(ratio(detected, judged)));
    section.row(&[judged.to_string(), coverage, of_detected(right), of_detected(broad)]);
    section.end_table();
    section.figure("both", "types", "", "detected", ratio(detected, judged));
    section.figure("both", "types", "", "right", ratio(right, detected));
    section.figure("both", "types", "", "right-broad", ratio(broad, detected));
}
