//! Labels at a SPARQL endpoint.
//!
//! An endpoint can be asked quickly only for what it has an index of: literals as
//! they are written. So each text is asked for as it is, with its first letter in
//! upper case, and with that of each word, without a language and in each of the
//! preferred ones. There are no near misses.
//!
//! Many may be called so, as a city and the category of what is about it. Among
//! equals those come first of whom most is said, which is asked for in a query of its
//! own. Every query has a limit, and there is a pause between them. The user has named
//! the endpoint, so its robots.txt is not asked.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_archive::sparql::{ServiceError, Services};
use oxrdf::{Literal, NamedNode, Term};

use super::best::Best;
use super::fold::spaced;
use super::question::Questions;
use super::{LabelError, LabelIndex, Match, Naming};
use crate::fetch::service::rows;

/// Texts that are asked for at a time: queries have a length that servers take.
const TEXTS_PER_QUERY: usize = 20;

/// Rows of an answer.
const ROWS_PER_QUERY: usize = 1_000;

/// Entities whose statements are counted for a text, if others are as good.
const COUNTED_PER_TEXT: usize = 30;

/// Entities whose statements are counted at a time.
const ENTITIES_PER_QUERY: usize = 200;

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
            ROWS_PER_QUERY
        )
    }

    /// Finds who is called so. If there are more than fit into an answer, each text is
    /// asked for by itself: a name that many have leaves no room for the others.
    fn ask(&self, texts: &[String], best: &mut [Best]) -> Result<(), ServiceError> {
        let count = self.ask_at_once(texts, best)?;
        if count >= ROWS_PER_QUERY && texts.len() > 1 {
            for (text, best) in texts.iter().zip(best) {
                self.ask_at_once(std::slice::from_ref(text), std::slice::from_mut(best))?;
            }
        }
        Ok(())
    }

    /// Returns how many rows there were.
    fn ask_at_once(&self, texts: &[String], best: &mut [Best]) -> Result<usize, ServiceError> {
        let questions = Questions::new(texts, |_| true);
        let fetched = self.services.query(&self.endpoint, &self.query(texts))?;
        let mut count = 0;
        for row in rows(fetched)?.take(ROWS_PER_QUERY) {
            let row = row?;
            count += 1;
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
        Ok(count)
    }

    /// Puts those first, among equals, of whom most is said.
    fn rank(&self, all: &mut [Vec<Match>]) {
        let open = |matches: &Vec<Match>| -> Vec<NamedNode> {
            let equals = matches.chunk_by(Match::is_as_good_as).filter(|equals| equals.len() > 1).flatten();
            equals.take(COUNTED_PER_TEXT).filter_map(|found| NamedNode::new(&found.entity).ok()).collect()
        };
        let mut entities: Vec<NamedNode> = all.iter().flat_map(open).collect();
        entities.sort_unstable();
        entities.dedup();
        let mut counts = HashMap::new();
        for entities in entities.chunks(ENTITIES_PER_QUERY) {
            // Whoever cannot count has still told who is called so.
            if self.count(entities, &mut counts).is_err() {
                break;
            }
        }
        for matches in all {
            for found in &mut *matches {
                found.statements = counts.get(&found.entity).copied().unwrap_or_default();
            }
            matches.sort_by(|one, other| one.order().cmp(&other.order()));
        }
    }

    /// Asks how many statements there are about entities.
    fn count(&self, entities: &[NamedNode], counts: &mut HashMap<String, u64>) -> Result<(), ServiceError> {
        let names: Vec<String> = entities.iter().map(ToString::to_string).collect();
        let query = format!(
            "SELECT ?entity (COUNT(*) AS ?statements) WHERE {{ VALUES ?entity {{ {} }} ?entity ?property ?value }} \
             GROUP BY ?entity LIMIT {}",
            names.join(" "),
            names.len()
        );
        for row in rows(self.services.query(&self.endpoint, &query)?)?.take(entities.len()) {
            let row = row?;
            if let (Some(Term::NamedNode(entity)), Some(Term::Literal(count))) =
                (row.get("entity"), row.get("statements"))
            {
                counts.insert(entity.as_str().to_owned(), count.value().parse().unwrap_or_default());
            }
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

impl LabelIndex for EndpointLabels {
    fn look_up(&self, texts: &[String], _: usize) -> Result<Vec<Vec<Match>>, LabelError> {
        let mut best: Vec<Best> = texts.iter().map(|_| Best::default()).collect();
        for (texts, best) in texts.chunks(TEXTS_PER_QUERY).zip(best.chunks_mut(TEXTS_PER_QUERY)) {
            let failed = |source| LabelError::Endpoint { endpoint: self.endpoint.clone(), source };
            self.ask(texts, best).map_err(failed)?;
        }
        let mut all: Vec<Vec<Match>> = best.into_iter().map(Best::sorted).collect();
        for matches in all.chunks_mut(TEXTS_PER_QUERY) {
            self.rank(matches);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
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
}
