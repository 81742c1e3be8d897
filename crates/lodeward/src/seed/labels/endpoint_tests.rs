use std::io::Cursor;
use std::sync::Mutex;

use lodeward_archive::sparql::Fetched;

use super::super::Fit;
use super::*;
use crate::rank::FactsOptions;

/// Answers queries, and remembers them.
struct Canned {
    media_type: &'static str,
    answer: Box<dyn Fn(&str) -> String + Send + Sync>,
    asked: Mutex<Vec<String>>,
}

impl Services for Canned {
    fn query(&self, _: &str, query: &str) -> Result<Fetched, ServiceError> {
        self.asked.lock().unwrap().push(query.to_owned());
        let body = Box::new(Cursor::new((self.answer)(query)));
        Ok(Fetched { media_type: Some(self.media_type.to_owned()), body })
    }

    fn load(&self, _: &str) -> Result<Fetched, ServiceError> {
        unreachable!("nothing is loaded")
    }
}

fn canned(media_type: &'static str, answer: &'static str) -> (Arc<Canned>, EndpointLabels) {
    answering(media_type, move |_| answer.to_owned())
}

fn answering(
    media_type: &'static str,
    answer: impl Fn(&str) -> String + Send + Sync + 'static,
) -> (Arc<Canned>, EndpointLabels) {
    let services = Arc::new(Canned { media_type, answer: Box::new(answer), asked: Mutex::default() });
    let naming = Naming::of(&FactsOptions::default());
    let labels = EndpointLabels::new("http://e.example/sparql", Arc::clone(&services) as Arc<dyn Services>, naming);
    (services, labels)
}

#[test]
fn an_endpoint_is_asked_for_literals_as_they_may_be_written() {
    let answer = "?entity\t?property\t?label\n\
        <http://a.example/Perfume>\t<http://xmlns.com/foaf/0.1/name>\t\"Cologne\"@en\n\
        <http://a.example/Cologne>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Cologne\"@en\n\
        <http://a.example/Bonn>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Bonn\"@en\n\
        <http://a.example/Lie>\t<http://a.example/unasked>\t\"Cologne\"@en\n";
    let (services, labels) = canned("text/tab-separated-values", answer);

    let found = labels.look_up(&["cologne".to_owned(), "say \"Bonn\"".to_owned()], 1).unwrap();

    let names: Vec<_> = found[0].iter().map(|found| (found.entity.as_str(), found.fit)).collect();
    assert_eq!(names, [("http://a.example/Cologne", Fit::Folded), ("http://a.example/Perfume", Fit::Folded)]);
    assert_eq!(found[1], []);
    let asked = services.asked.lock().unwrap();
    let [query] = &asked[..] else { panic!("one query: {asked:?}") };
    for part in [r#""cologne""#, r#""Cologne"@en"#, r#""Say \"Bonn\"""#, "LIMIT 1000"] {
        assert!(query.contains(part), "{part} is not in {query}");
    }
    spargebra::SparqlParser::new().parse_query(query).unwrap();
}

#[test]
fn among_equals_those_come_first_of_whom_most_is_said() {
    let names = "?entity\t?property\t?label\n\
        <http://a.example/Category:Cologne>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Cologne\"@en\n\
        <http://a.example/Cologne>\t<http://www.w3.org/2000/01/rdf-schema#label>\t\"Cologne\"@en\n";
    let counts = "?entity\t?statements\n<http://a.example/Category:Cologne>\t3\n<http://a.example/Cologne>\t200\n";
    let check = |counts: &'static str, expected: &str| {
        let (services, labels) = answering("text/tab-separated-values", move |query| {
            if query.contains("COUNT") { counts } else { names }.to_owned()
        });
        let found = labels.look_up(&["Cologne".to_owned()], 1).unwrap();
        assert_eq!(found[0][0].entity, expected);
        let asked = services.asked.lock().unwrap();
        assert_eq!(asked.len(), 2);
        spargebra::SparqlParser::new().parse_query(&asked[1]).unwrap();
    };

    check(counts, "http://a.example/Cologne");
    check("this is no answer", "http://a.example/Category:Cologne");
}

#[test]
fn whoever_refuses_to_count_is_not_asked_again() {
    let check = |counts: &'static str, expected: usize| {
        let (services, labels) = answering("text/tab-separated-values", move |query| {
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
        let asked = services.asked.lock().unwrap();
        assert_eq!(asked.iter().filter(|query| query.contains("COUNT")).count(), expected);
    };

    check("?entity\t?statements\n", 10 * COUNTED_PER_TEXT / ENTITIES_PER_QUERY + 1);
    check("too busy", 1);
}

#[test]
fn a_name_that_very_many_have_leaves_room_for_others() {
    let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    let (services, labels) = answering("text/tab-separated-values", move |query| {
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
    let asked = services.asked.lock().unwrap();
    assert_eq!(asked.len(), 4, "both, each, and how much is said of the first");
    assert_eq!(asked[3].matches("<http://a.example/").count(), COUNTED_PER_TEXT);
}

#[test]
fn what_is_no_answer_is_an_error_that_names_the_endpoint() {
    let (_, labels) = canned("text/html", "<p>busy</p>");

    let error = labels.look_up(&["x".to_owned()], 1).unwrap_err();

    assert_eq!(error.to_string(), "cannot look up labels at http://e.example/sparql");
    let why = std::error::Error::source(&error).unwrap().to_string();
    assert!(why.contains("text/html"), "{why}");
}

#[test]
fn many_texts_are_asked_for_a_few_at_a_time() {
    let (services, labels) = canned("text/tab-separated-values", "?entity\t?property\t?label\n");
    let texts: Vec<String> = (0..45).map(|number| format!("text {number}")).collect();

    assert_eq!(labels.look_up(&texts, 1).unwrap().len(), 45);
    assert_eq!(services.asked.lock().unwrap().len(), 3);
}
