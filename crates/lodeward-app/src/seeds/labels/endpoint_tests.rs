//! Tests of the label lookup at a SPARQL endpoint, with canned results.

use std::io::Cursor;
use std::sync::Mutex;

use lodeward_archive::sparql::ServiceCallResponse;

use super::super::MatchQuality;
use super::*;
use lodeward::select::FactsOptions;

/// Returns prepared results and records the queries.
struct CannedEndpoint {
    media_type: &'static str,
    result: Box<dyn Fn(&str) -> String + Send + Sync>,
    queries: Mutex<Vec<String>>,
}

impl ServiceHandler for CannedEndpoint {
    fn query(&self, _: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.queries.lock().unwrap().push(query.to_owned());
        let body = Box::new(Cursor::new((self.result)(query)));
        Ok(ServiceCallResponse { media_type: Some(self.media_type.to_owned()), body })
    }

    fn load(&self, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        unreachable!("label lookups load no documents")
    }
}

fn canned(media_type: &'static str, result: &'static str) -> (Arc<CannedEndpoint>, EndpointLabels) {
    canned_with(media_type, move |_| result.to_owned())
}

fn canned_with(
    media_type: &'static str,
    result: impl Fn(&str) -> String + Send + Sync + 'static,
) -> (Arc<CannedEndpoint>, EndpointLabels) {
    let services = Arc::new(CannedEndpoint { media_type, result: Box::new(result), queries: Mutex::default() });
    let properties = LabelProperties::from_facts_options(&FactsOptions::default());
    let labels =
        EndpointLabels::new("http://e.example/sparql", Arc::clone(&services) as Arc<dyn ServiceHandler>, properties);
    (services, labels)
}

#[test]
fn the_spellings_of_a_text_are_queried() {
    let result = "?entity\t?property\t?label\n\
        <http://a.example/Perfume>\t<http://xmlns.com/foaf/0.1/name>\t\"Cologne\"@en\n\
        <http://a.example/Cologne>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Cologne\"@en\n\
        <http://a.example/Bonn>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Bonn\"@en\n\
        <http://a.example/Other>\t<http://a.example/unrequested>\t\"Cologne\"@en\n";
    let (services, labels) = canned("text/tab-separated-values", result);

    let found = labels.look_up(&["cologne".to_owned(), "say \"Bonn\"".to_owned()], 1).unwrap();

    let names: Vec<_> = found[0].iter().map(|found| (found.entity.as_str(), found.quality)).collect();
    assert_eq!(
        names,
        [("http://a.example/Cologne", MatchQuality::Folded), ("http://a.example/Perfume", MatchQuality::Folded)]
    );
    assert_eq!(found[1], []);
    let queries = services.queries.lock().unwrap();
    let [query] = &queries[..] else { panic!("expected one query: {queries:?}") };
    for part in [r#""cologne""#, r#""Cologne"@en"#, r#""Say \"Bonn\"""#, "LIMIT 1000"] {
        assert!(query.contains(part), "{part} is not in {query}");
    }
    spargebra::SparqlParser::new().parse_query(query).unwrap();
}

#[test]
fn ties_are_broken_by_the_number_of_statements() {
    let names = "?entity\t?property\t?label\n\
        <http://a.example/Category:Cologne>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Cologne\"@en\n\
        <http://a.example/Cologne>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Cologne\"@en\n";
    let counts = "?entity\t?statements\n<http://a.example/Category:Cologne>\t3\n<http://a.example/Cologne>\t200\n";
    let check = |counts: &'static str, expected: &str| {
        let (services, labels) = canned_with("text/tab-separated-values", move |query| {
            if query.contains("COUNT") { counts } else { names }.to_owned()
        });
        let found = labels.look_up(&["Cologne".to_owned()], 1).unwrap();
        assert_eq!(found[0][0].entity, expected);
        let queries = services.queries.lock().unwrap();
        assert_eq!(queries.len(), 2);
        spargebra::SparqlParser::new().parse_query(&queries[1]).unwrap();
    };

    check(counts, "http://a.example/Cologne");
    check("not a result", "http://a.example/Category:Cologne");
}

#[test]
fn an_endpoint_that_cannot_count_is_not_queried_for_counts_again() {
    let check = |counts: &'static str, expected: usize| {
        let (services, labels) = canned_with("text/tab-separated-values", move |query| {
            if query.contains("COUNT") {
                return counts.to_owned();
            }
            let names = (0..10 * COUNTED_PER_TEXT).map(|number| {
                let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
                format!("<http://a.example/{number}>\t{label}\t\"{}\"\n", number % 10)
            });
            format!("?entity\t?property\t?label\n{}", names.collect::<String>())
        });
        let texts: Vec<String> = (0..10).map(|number| number.to_string()).collect();
        labels.look_up(&texts, 1).unwrap();
        let queries = services.queries.lock().unwrap();
        assert_eq!(queries.iter().filter(|query| query.contains("COUNT")).count(), expected);
    };

    check("?entity\t?statements\n", 10 * COUNTED_PER_TEXT / ENTITIES_PER_QUERY + 1);
    check("too busy", 1);
}

#[test]
fn a_frequent_label_does_not_displace_the_matches_of_others() {
    let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    let (services, labels) = canned_with("text/tab-separated-values", move |query| {
        let smiths = (0..ROWS_PER_QUERY).map(|number| format!("<http://a.example/{number}>\t{label}\t\"Smith\"\n"));
        if query.contains("COUNT") {
            return "?entity\t?statements\n".to_owned();
        }
        let zweig = || format!("<http://a.example/Zweig>\t{label}\t\"Zweig\"\n");
        let rows: String = if query.contains("\"Smith\"") { smiths.collect() } else { zweig() };
        format!("?entity\t?property\t?label\n{rows}")
    });

    let found = labels.look_up(&["Smith".to_owned(), "Zweig".to_owned()], 1).unwrap();

    assert_eq!(found[1].len(), 1, "{:?}", found[1]);
    assert!(found[0].len() > COUNTED_PER_TEXT);
    let queries = services.queries.lock().unwrap();
    assert_eq!(queries.len(), 4, "both labels, each label, and the counts for the first");
    assert_eq!(queries[3].matches("<http://a.example/").count(), COUNTED_PER_TEXT);
}

#[test]
fn an_error_about_an_invalid_result_names_the_endpoint() {
    let (_, labels) = canned("text/html", "<p>busy</p>");

    let error = labels.look_up(&["x".to_owned()], 1).unwrap_err();

    assert_eq!(error.to_string(), "cannot look up labels at http://e.example/sparql");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("text/html"), "{cause}");
}

#[test]
fn many_texts_are_queried_in_batches() {
    let (services, labels) = canned("text/tab-separated-values", "?entity\t?property\t?label\n");
    let texts: Vec<String> = (0..45).map(|number| format!("text {number}")).collect();

    assert_eq!(labels.look_up(&texts, 1).unwrap().len(), 45);
    assert_eq!(services.queries.lock().unwrap().len(), 3);
}
