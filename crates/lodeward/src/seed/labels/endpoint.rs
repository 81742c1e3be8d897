//! Labels at a SPARQL endpoint.
//!
//! An endpoint can be asked quickly only for what it has an index of: literals as
//! they are written. So each text is asked for as it is, with its first letter in
//! upper case, and with that of each word, without a language and in each of the
//! preferred ones. There are no near misses.

use std::sync::Arc;

use lodeward_archive::sparql::{Fetched, ServiceError, Services};
use oxrdf::{Literal, NamedNode, Term};
use sparesults::{QueryResultsFormat, QueryResultsParser, QuerySolution, ReaderQueryResultsParserOutput};

use super::best::Best;
use super::fold::spaced;
use super::question::Questions;
use super::{LabelError, LabelIndex, Match, Naming};

/// Texts that are asked for at a time: queries have a length that servers take.
const TEXTS_PER_QUERY: usize = 20;

/// Rows for each text.
const ROWS_PER_TEXT: usize = 100;

/// The labels of a SPARQL endpoint.
pub struct EndpointLabels {
    endpoint: String,
    services: Arc<dyn Services>,
    naming: Naming,
}

impl EndpointLabels {
    /// The labels of this endpoint, asked in this way.
    #[must_use]
    pub fn new(endpoint: &str, services: Arc<dyn Services>, naming: Naming) -> Self {
        Self { endpoint: endpoint.to_owned(), services, naming }
    }

    fn query(&self, texts: &[String]) -> String {
        let properties: Vec<String> = self
            .naming
            .properties
            .iter()
            .filter_map(|(property, _)| Some(NamedNode::new(property).ok()?.to_string()))
            .collect();
        let mut labels: Vec<String> = Vec::new();
        for text in texts.iter().flat_map(|text| spellings(text)) {
            labels.push(Literal::from(text.as_str()).to_string());
            let tagged = self.naming.languages.iter();
            let tagged = tagged.filter_map(|language| Literal::new_language_tagged_literal(&text, language).ok());
            labels.extend(tagged.map(|literal| literal.to_string()));
        }
        format!(
            "SELECT DISTINCT ?entity ?property ?label WHERE {{ VALUES ?property {{ {} }} VALUES ?label {{ {} }} \
             ?entity ?property ?label . FILTER(isIRI(?entity)) }} LIMIT {}",
            properties.join(" "),
            labels.join(" "),
            texts.len() * ROWS_PER_TEXT
        )
    }

    fn ask(&self, texts: &[String], best: &mut [Best]) -> Result<(), ServiceError> {
        let questions = Questions::new(texts, |_| true);
        let fetched = self.services.query(&self.endpoint, &self.query(texts))?;
        for row in rows(fetched)? {
            let row = row?;
            let (Some(Term::NamedNode(entity)), Some(Term::NamedNode(property)), Some(Term::Literal(label))) =
                (row.get("entity"), row.get("property"), row.get("label"))
            else {
                continue;
            };
            let known = self.naming.properties.iter().find(|(known, _)| known == property.as_str());
            let Some((_, rank)) = known else { continue };
            questions.fits(label.value(), |place, fit| {
                if let Some(found) = self.naming.found(entity.as_str(), *rank, label.as_ref(), fit) {
                    best[place].take(found);
                }
            });
        }
        Ok(())
    }
}

/// How a text may be written as a label.
fn spellings(text: &str) -> Vec<String> {
    let text = spaced(text);
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    let mut all = vec![capital(&text), text.split(' ').map(capital).collect::<Vec<_>>().join(" "), text];
    all.sort_unstable();
    all.dedup();
    all
}

type Rows = Box<dyn Iterator<Item = Result<QuerySolution, ServiceError>>>;

/// The rows of an answer, as they are read.
fn rows(fetched: Fetched) -> Result<Rows, ServiceError> {
    let failed = |what: String| ServiceError(what.into());
    let media_type = fetched.media_type.as_deref().unwrap_or("application/sparql-results+json");
    let format = QueryResultsFormat::from_media_type(media_type)
        .ok_or_else(|| failed(format!("it answered with `{media_type}`, which is not a SPARQL result")))?;
    let parsed = QueryResultsParser::from_format(format).for_reader(fetched.body);
    match parsed.map_err(|error| ServiceError(error.into()))? {
        ReaderQueryResultsParserOutput::Solutions(rows) => {
            Ok(Box::new(rows.map(|row| row.map_err(|error| ServiceError(error.into())))))
        }
        ReaderQueryResultsParserOutput::Boolean(_) => Err(failed("it answered a SELECT with yes or no".to_owned())),
    }
}

impl LabelIndex for EndpointLabels {
    fn look_up(&self, texts: &[String], _: usize) -> Result<Vec<Vec<Match>>, LabelError> {
        let mut best: Vec<Best> = texts.iter().map(|_| Best::default()).collect();
        for (texts, best) in texts.chunks(TEXTS_PER_QUERY).zip(best.chunks_mut(TEXTS_PER_QUERY)) {
            let failed = |source| LabelError::Endpoint { endpoint: self.endpoint.clone(), source };
            self.ask(texts, best).map_err(failed)?;
        }
        Ok(best.into_iter().map(Best::sorted).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Mutex;

    use super::super::Fit;
    use super::*;
    use crate::rank::FactsOptions;

    /// Answers every query alike, and remembers it.
    struct Canned {
        media_type: &'static str,
        answer: &'static str,
        asked: Mutex<Vec<String>>,
    }

    impl Services for Canned {
        fn query(&self, _: &str, query: &str) -> Result<Fetched, ServiceError> {
            self.asked.lock().unwrap().push(query.to_owned());
            Ok(Fetched { media_type: Some(self.media_type.to_owned()), body: Box::new(Cursor::new(self.answer)) })
        }

        fn load(&self, _: &str) -> Result<Fetched, ServiceError> {
            unreachable!("nothing is loaded")
        }
    }

    fn canned(media_type: &'static str, answer: &'static str) -> (Arc<Canned>, EndpointLabels) {
        let services = Arc::new(Canned { media_type, answer, asked: Mutex::default() });
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
        for part in [r#""cologne""#, r#""Cologne"@en"#, r#""Say \"Bonn\"""#, "LIMIT 200"] {
            assert!(query.contains(part), "{part} is not in {query}");
        }
        spargebra::SparqlParser::new().parse_query(query).unwrap();
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
}
