//! The pages of RDFa sites, and the statements that a crawler should extract from them.
//!
//! The pages come from the RDFa test suite, which is not part of the project: the required tests with a positive
//! result, of RDFa 1.0 in HTML 4 and XHTML 1 and of RDFa 1.1 in HTML 4 and 5 and XHTML 1 and 5. If the suite is not
//! available, a few dozen pages are generated instead.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use oxigraph::model::{GraphName, Triple};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use serde_json::Value;

use super::parameters::{RdfaPageSource, RdfaParameters};
use crate::test_data;

/// The origin of the suite's own pages.
const SUITE_ORIGIN: &str = "http://rdfa.info/";
const GENERATED_PAGES: u32 = 36;
const LANGUAGES: [(&str, &[&str]); 2] =
    [("rdfa1.0", &["html4", "xhtml1"]), ("rdfa1.1", &["html4", "html5", "xhtml1", "xhtml5"])];

/// A page and its expected statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SuitePage {
    /// The path of the page, with the leading slash.
    pub(crate) path: String,
    /// Whether the page is XHTML.
    pub(crate) xhtml: bool,
    markup: String,
    query: String,
    /// The statements of the page as Turtle. They can be wrong: see [`Self::triples`].
    turtle: String,
}

impl SuitePage {
    /// The markup of the page on this host.
    pub(crate) fn markup(&self, host: &str) -> String {
        rebase_to_host(&self.markup, host)
    }

    /// The query of the test, which must succeed on the extracted statements.
    pub(crate) fn query(&self, host: &str) -> String {
        rebase_to_host(&self.query, host)
    }

    /// Its statements, if the query of the test accepts them. The graphs in the suite are the output of one processor,
    /// and not all of them satisfy the queries.
    pub(crate) fn triples(&self, host: &str) -> Vec<Triple> {
        let url = format!("http://{host}{}", self.path);
        let turtle = rebase_to_host(&self.turtle, host);
        let Ok(parser) = oxttl::TurtleParser::new().with_base_iri(url) else { return Vec::new() };
        let triples: Result<Vec<Triple>, _> = parser.for_slice(&turtle).collect();
        triples.ok().filter(|triples| matches_triples(&self.query(host), triples)).unwrap_or_default()
    }
}

fn rebase_to_host(text: &str, host: &str) -> String {
    text.replace(SUITE_ORIGIN, &format!("http://{host}/"))
}

/// The pages for these parameters.
pub(crate) fn pages(parameters: &RdfaParameters) -> Arc<Vec<SuitePage>> {
    static SUITE: OnceLock<Option<Arc<Vec<SuitePage>>>> = OnceLock::new();
    let all = match parameters.pages {
        RdfaPageSource::Suite => {
            SUITE.get_or_init(|| test_data::suite("rdfa-test-suite").map(|it| Arc::new(read(&it)))).clone()
        }
        RdfaPageSource::Generated => None,
    };
    let all = all.unwrap_or_else(|| Arc::new((0..GENERATED_PAGES).map(generate_page).collect()));
    let max_pages = parameters.max_pages as usize;
    if max_pages == 0 || max_pages >= all.len() {
        return all;
    }
    // Pages are selected at even distances, so that every RDFa version and markup language is included.
    Arc::new((0..max_pages).map(|index| all[index * all.len() / max_pages].clone()).collect())
}

/// Reads the suite.
///
/// A test whose query succeeds on an empty graph is omitted: it would count as passed without a request.
fn read(files: &HashMap<String, Vec<u8>>) -> Vec<SuitePage> {
    let manifest = files.get("test-suite/manifest.jsonld").and_then(|it| serde_json::from_slice::<Value>(it).ok());
    let tests = manifest.as_ref().and_then(|manifest| manifest["@graph"].as_array());
    let mut pages = Vec::new();
    for test in tests.into_iter().flatten().filter(|test| is_required(test)) {
        for (version, languages) in LANGUAGES.iter().filter(|(version, _)| list_contains(&test["versions"], version)) {
            for language in languages.iter().filter(|language| list_contains(&test["hostLanguages"], language)) {
                let number = test["num"].as_str().unwrap_or_default();
                let stem = format!("test-suite/test-cases/{version}/{language}/{number}");
                let extension = if language.starts_with("xhtml") { "xhtml" } else { "html" };
                pages.extend(read_page(files, &stem, extension).filter(|page| !matches_triples(&page.query, &[])));
            }
        }
    }
    pages
}

fn is_required(test: &Value) -> bool {
    let classification = test["classification"].as_str().unwrap_or_default();
    classification.ends_with("#required") && test["expectedResults"] == Value::Bool(true)
}

fn list_contains(list: &Value, name: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|it| it == name))
}

fn read_page(files: &HashMap<String, Vec<u8>>, stem: &str, extension: &str) -> Option<SuitePage> {
    let text = |path: &str| String::from_utf8(files.get(path)?.clone()).ok();
    let path = format!("{stem}.{extension}");
    let turtle = text(&format!("{stem}.ttl")).unwrap_or_default();
    Some(SuitePage {
        markup: text(&path)?,
        query: text(&format!("{stem}.sparql"))?,
        turtle,
        xhtml: extension == "xhtml",
        path: format!("/{path}"),
    })
}

/// Whether a query succeeds on these triples; false for an invalid query.
pub(crate) fn matches_triples(query: &str, triples: &[Triple]) -> bool {
    let Ok(store) = Store::new() else { return false };
    let quads = triples.iter().map(|triple| triple.clone().in_graph(GraphName::DefaultGraph));
    if store.extend(quads).is_err() {
        return false;
    }
    matches_store(&store, query)
}

/// Whether a query succeeds on the default graph of a store.
pub(crate) fn matches_store(store: &Store, query: &str) -> bool {
    let Ok(query) = SparqlEvaluator::new().parse_query(query) else { return false };
    matches!(query.on_store(store).execute(), Ok(QueryResults::Boolean(true)))
}

const TITLE: &str = "http://purl.org/dc/terms/title";
const PERSON: &str = "http://xmlns.com/foaf/0.1/Person";
const NAME: &str = "http://xmlns.com/foaf/0.1/name";
const KNOWS: &str = "http://xmlns.com/foaf/0.1/knows";

/// A page and its statements as a pattern, in one of six styles.
fn generate_page(number: u32) -> SuitePage {
    let path_of = |number: u32| format!("/test-suite/test-cases/generated/{number:04}.html");
    let url_of = |number: u32| format!("http://rdfa.info{}", path_of(number));
    let (url, next) = (url_of(number), number + 1);
    let name = format!("<span property=\"{NAME}\">Name {number}</span>");
    let (body, pattern) = match number % 6 {
        0 => (format!("<p property=\"{TITLE}\">Page {number}</p>"), format!("<{url}> <{TITLE}> \"Page {number}\"")),
        1 => (
            format!("<p about=\"#it\" property=\"{TITLE}\" lang=\"en\">Page {number}</p>"),
            format!("<{url}#it> <{TITLE}> \"Page {number}\"@en"),
        ),
        2 => (
            format!("<div typeof=\"{PERSON}\" resource=\"#me\">{name}</div>"),
            format!("<{url}#me> a <{PERSON}> ; <{NAME}> \"Name {number}\""),
        ),
        3 => (
            format!(
                "<p vocab=\"http://purl.org/dc/terms/\"><span property=\"title\" content=\"{number}\">x</span></p>"
            ),
            format!("<{url}> <{TITLE}> \"{number}\""),
        ),
        4 => (
            format!(
                "<p prefix=\"foaf: http://xmlns.com/foaf/0.1/\"><a rel=\"foaf:knows\" href=\"{next:04}.html#it\">x</a></p>"
            ),
            format!("<{url}> <{KNOWS}> <{}#it>", url_of(next)),
        ),
        _ => (
            format!("<div rel=\"{KNOWS}\"><p typeof=\"{PERSON}\">{name}</p></div>"),
            format!("<{url}> <{KNOWS}> ?who . ?who a <{PERSON}> ; <{NAME}> \"Name {number}\""),
        ),
    };
    SuitePage {
        path: path_of(number),
        xhtml: false,
        markup: format!("<!DOCTYPE html>\n<html><head><title>Test {number}</title></head><body>{body}</body></html>\n"),
        query: format!("ASK WHERE {{ {pattern} }}"),
        turtle: format!("{} .\n", pattern.replace("?who", "_:who")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_has_the_pages_of_orca() {
        if test_data::find("suites/rdfa-test-suite.tar.gz").is_none() {
            return;
        }
        let pages = pages(&RdfaParameters::default());
        let count = |directory: &str| pages.iter().filter(|page| page.path.contains(directory)).count();

        assert!(pages.len() > 800, "{}", pages.len());
        for directory in
            ["/rdfa1.0/html4/", "/rdfa1.0/xhtml1/", "/rdfa1.1/html4/", "/rdfa1.1/html5/", "/rdfa1.1/xhtml1/"]
        {
            assert!(count(directory) > 90, "{directory} {}", count(directory));
        }
        for page in pages.iter() {
            assert!(
                !page.markup("h.example").contains("rdfa.info/") && !page.query("h.example").contains("rdfa.info/")
            );
        }
        let few = super::pages(&RdfaParameters { max_pages: 20, ..RdfaParameters::default() });
        assert_eq!(few.len(), 20);
        assert!(few.iter().any(|page| page.path.contains("1.0")) && few.iter().any(|page| page.path.contains("html5")));
    }

    #[test]
    fn generated_pages_have_statements_and_reject_an_empty_graph() {
        let pages = pages(&RdfaParameters { pages: RdfaPageSource::Generated, ..RdfaParameters::default() });

        assert_eq!(pages.len(), GENERATED_PAGES as usize);
        for page in pages.iter() {
            assert!(!page.triples("h.example").is_empty(), "{}", page.path);
            assert!(!matches_triples(&page.query("h.example"), &[]), "{}", page.path);
        }
    }
}
