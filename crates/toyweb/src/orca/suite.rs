//! The pages of RDFa sites, and what a reader is to make of them.
//!
//! They are those of the RDFa test suite, which is not part of the project:
//! the required tests with a positive outcome, of RDFa 1.0 in HTML 4 and XHTML
//! 1 and of RDFa 1.1 in HTML 4 and 5 and XHTML 1 and 5. Where the suite is not
//! at hand, a few dozen pages are generated in its stead.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use oxigraph::model::{GraphName, Triple};
use oxigraph::sparql::{QueryResults, SparqlEvaluator};
use oxigraph::store::Store;
use serde_json::Value;

use super::parameters::{Rdfa, RdfaPages};
use crate::shared;

/// The host that the suite's own pages are on.
const OWN: &str = "http://rdfa.info/";
const GENERATED: u32 = 36;
const LANGUAGES: [(&str, &[&str]); 2] =
    [("rdfa1.0", &["html4", "xhtml1"]), ("rdfa1.1", &["html4", "html5", "xhtml1", "xhtml5"])];

/// A page and what is to be found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its path, with the slash.
    pub(crate) path: String,
    /// Whether it is XHTML.
    pub(crate) xhtml: bool,
    markup: String,
    query: String,
    /// What it says, in Turtle; may be wrong.
    turtle: String,
}

impl Page {
    /// Its markup on this host.
    pub(crate) fn markup(&self, host: &str) -> String {
        moved(&self.markup, host)
    }

    /// The query that holds of what was read from it.
    pub(crate) fn query(&self, host: &str) -> String {
        moved(&self.query, host)
    }

    /// What it says, as far as that is what the query asks for. The graphs
    /// beside the suite's queries are what one processor once made of the
    /// pages, and not all of them agree with the queries.
    pub(crate) fn triples(&self, host: &str) -> Vec<Triple> {
        let url = format!("http://{host}{}", self.path);
        let turtle = moved(&self.turtle, host);
        let Ok(parser) = oxttl::TurtleParser::new().with_base_iri(url) else { return Vec::new() };
        let triples: Result<Vec<Triple>, _> = parser.for_slice(&turtle).collect();
        triples.ok().filter(|triples| holds(&self.query(host), triples)).unwrap_or_default()
    }
}

fn moved(text: &str, host: &str) -> String {
    text.replace(OWN, &format!("http://{host}/"))
}

/// The pages that parameters ask for.
pub(crate) fn pages(parameters: &Rdfa) -> Arc<Vec<Page>> {
    static SUITE: OnceLock<Option<Arc<Vec<Page>>>> = OnceLock::new();
    let all = match parameters.pages {
        RdfaPages::Suite => {
            SUITE.get_or_init(|| shared::suite("rdfa-test-suite").map(|it| Arc::new(read(&it)))).clone()
        }
        RdfaPages::Generated => None,
    };
    let all = all.unwrap_or_else(|| Arc::new((0..GENERATED).map(generated).collect()));
    let most = parameters.pages_max as usize;
    if most == 0 || most >= all.len() {
        return all;
    }
    // Evenly from all of them, so that no version or language is left out.
    Arc::new((0..most).map(|index| all[index * all.len() / most].clone()).collect())
}

/// Reads the suite.
///
/// A query that holds of nothing at all would be met by whoever never came: it
/// asks for nothing to be found, and so its page is left out.
fn read(files: &HashMap<String, Vec<u8>>) -> Vec<Page> {
    let manifest = files.get("test-suite/manifest.jsonld").and_then(|it| serde_json::from_slice::<Value>(it).ok());
    let tests = manifest.as_ref().and_then(|manifest| manifest["@graph"].as_array());
    let mut pages = Vec::new();
    for test in tests.into_iter().flatten().filter(|test| is_required(test)) {
        for (version, languages) in LANGUAGES.iter().filter(|(version, _)| has(&test["versions"], version)) {
            for language in languages.iter().filter(|language| has(&test["hostLanguages"], language)) {
                let number = test["num"].as_str().unwrap_or_default();
                let stem = format!("test-suite/test-cases/{version}/{language}/{number}");
                let extension = if language.starts_with("xhtml") { "xhtml" } else { "html" };
                pages.extend(page(files, &stem, extension).filter(|page| !holds(&page.query, &[])));
            }
        }
    }
    pages
}

fn is_required(test: &Value) -> bool {
    let classification = test["classification"].as_str().unwrap_or_default();
    classification.ends_with("#required") && test["expectedResults"] == Value::Bool(true)
}

fn has(list: &Value, name: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|it| it == name))
}

fn page(files: &HashMap<String, Vec<u8>>, stem: &str, extension: &str) -> Option<Page> {
    let text = |path: &str| String::from_utf8(files.get(path)?.clone()).ok();
    let path = format!("{stem}.{extension}");
    let turtle = text(&format!("{stem}.ttl")).unwrap_or_default();
    Some(Page {
        markup: text(&path)?,
        query: text(&format!("{stem}.sparql"))?,
        turtle,
        xhtml: extension == "xhtml",
        path: format!("/{path}"),
    })
}

/// Whether a query holds of these triples. One that is no query never does.
pub(crate) fn holds(query: &str, triples: &[Triple]) -> bool {
    let Ok(store) = Store::new() else { return false };
    let quads = triples.iter().map(|triple| triple.clone().in_graph(GraphName::DefaultGraph));
    if store.extend(quads).is_err() {
        return false;
    }
    let Ok(query) = SparqlEvaluator::new().parse_query(query) else { return false };
    matches!(query.on_store(&store).execute(), Ok(QueryResults::Boolean(true)))
}

/// A page in one of six manners.
fn generated(number: u32) -> Page {
    let path = format!("/test-suite/test-cases/generated/{number:04}.html");
    let url = format!("{}{}", OWN.trim_end_matches('/'), path);
    let title = "http://purl.org/dc/terms/title";
    let (body, pattern) = match number % 6 {
        0 => (format!("<p property=\"{title}\">Page {number}</p>"), format!("<{url}> <{title}> \"Page {number}\"")),
        1 => (
            format!("<p about=\"#it\" property=\"{title}\" lang=\"en\">Page {number}</p>"),
            format!("<{url}#it> <{title}> \"Page {number}\"@en"),
        ),
        2 => (
            format!(
                "<div typeof=\"http://xmlns.com/foaf/0.1/Person\" resource=\"#me\"><span property=\"http://xmlns.com/foaf/0.1/name\">Name {number}</span></div>"
            ),
            format!(
                "<{url}#me> a <http://xmlns.com/foaf/0.1/Person> ; <http://xmlns.com/foaf/0.1/name> \"Name {number}\""
            ),
        ),
        3 => (
            format!(
                "<p vocab=\"http://purl.org/dc/terms/\"><span property=\"created\" datatype=\"http://www.w3.org/2001/XMLSchema#integer\" content=\"{number}\">then</span></p>"
            ),
            format!("<{url}> <http://purl.org/dc/terms/created> {number}"),
        ),
        4 => (
            format!(
                "<p prefix=\"ex: http://example.org/\"><a rel=\"ex:next\" href=\"{:04}.html#it\">next</a></p>",
                number + 1
            ),
            format!(
                "<{url}> <http://example.org/next> <{}>",
                url.replace(&format!("{number:04}"), &format!("{:04}", number + 1)) + "#it"
            ),
        ),
        _ => (
            format!(
                "<div rel=\"http://xmlns.com/foaf/0.1/knows\"><p typeof=\"http://xmlns.com/foaf/0.1/Person\"><span property=\"http://xmlns.com/foaf/0.1/name\">Name {number}</span></p></div>"
            ),
            format!(
                "<{url}> <http://xmlns.com/foaf/0.1/knows> ?who . ?who a <http://xmlns.com/foaf/0.1/Person> ; <http://xmlns.com/foaf/0.1/name> \"Name {number}\""
            ),
        ),
    };
    let markup =
        format!("<!DOCTYPE html>\n<html><head><title>Test {number}</title></head><body>{body}</body></html>\n");
    let turtle = format!("{} .\n", pattern.replace("?who", "_:who"));
    Page { path, xhtml: false, markup, query: format!("ASK WHERE {{ {pattern} }}"), turtle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_has_the_pages_that_orca_takes() {
        if shared::find("suites/rdfa-test-suite.tar.gz").is_none() {
            return;
        }
        let pages = pages(&Rdfa::default());
        let count = |folder: &str| pages.iter().filter(|page| page.path.contains(folder)).count();

        assert!(pages.len() > 800, "{}", pages.len());
        for folder in ["/rdfa1.0/html4/", "/rdfa1.0/xhtml1/", "/rdfa1.1/html4/", "/rdfa1.1/html5/", "/rdfa1.1/xhtml1/"]
        {
            assert!(count(folder) > 90, "{folder} {}", count(folder));
        }
        for page in pages.iter() {
            assert!(
                !page.markup("h.example").contains("rdfa.info/") && !page.query("h.example").contains("rdfa.info/")
            );
        }
        let few = super::pages(&Rdfa { pages_max: 20, ..Rdfa::default() });
        assert_eq!(few.len(), 20);
        assert!(few.iter().any(|page| page.path.contains("1.0")) && few.iter().any(|page| page.path.contains("html5")));
    }

    #[test]
    fn generated_pages_differ_and_ask_for_something() {
        let pages = pages(&Rdfa { pages: RdfaPages::Generated, ..Rdfa::default() });

        assert_eq!(pages.len(), GENERATED as usize);
        for page in pages.iter() {
            assert!(!page.triples("h.example").is_empty(), "{}", page.path);
            assert!(!holds(&page.query("h.example"), &[]), "{}", page.path);
        }
    }
}
