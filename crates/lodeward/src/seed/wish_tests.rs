use std::cell::RefCell;
use std::rc::Rc;

use super::*;

/// Knows a few labels, and remembers what it was asked.
struct Few {
    labels: Vec<(&'static str, &'static str, Fit)>,
    asked: Rc<RefCell<Vec<String>>>,
}

fn found(entity: &str, fit: Fit) -> Match {
    let name = entity.rsplit('/').next().unwrap_or_default().to_owned();
    let (entity, language) = (entity.to_owned(), "en".to_owned());
    Match { entity, label: name, language, fit, label_rank: 0, language_rank: 0, statements: 1 }
}

impl Few {
    fn of(&self, text: &str, is_wanted: impl Fn(Fit) -> bool) -> Vec<Match> {
        let labels = self.labels.iter().filter(|(label, _, fit)| *label == text && is_wanted(*fit));
        labels.map(|(_, entity, fit)| found(entity, *fit)).collect()
    }
}

impl LabelIndex for Few {
    fn look_up(&self, texts: &[String], _: usize) -> Result<Vec<Vec<Match>>, LabelError> {
        self.asked.borrow_mut().extend(texts.iter().cloned());
        Ok(texts.iter().map(|text| self.of(text, |fit| !matches!(fit, Fit::Near(_)))).collect())
    }

    fn near_misses(&self, texts: &[String]) -> Result<Vec<Vec<Match>>, LabelError> {
        Ok(texts.iter().map(|text| self.of(text, |fit| matches!(fit, Fit::Near(_)))).collect())
    }
}

const LABELS: &[(&str, &str, Fit)] = &[
    ("Cologne", "http://a.example/Cologne", Fit::Same),
    ("Cologne", "http://a.example/Perfume", Fit::Same),
    ("Cologne", "http://a.example/Cologne_Cathedral", Fit::Words(1)),
    ("dom", "http://a.example/Cologne_Cathedral", Fit::Words(1)),
    ("Bon", "http://a.example/Bonn", Fit::Near(250)),
];

#[derive(Debug, PartialEq)]
struct Failure(String);

impl From<LabelError> for Failure {
    fn from(error: LabelError) -> Self {
        Self(error.to_string())
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self(problems.to_string())
    }
}

/// Seeds, remarks and what was looked up.
type Outcome = (Vec<String>, Vec<String>, Vec<String>);

fn granted(wishes: Vec<Wish>, known: &[Note], matches: usize) -> Result<Outcome, String> {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let labels = Few { labels: LABELS.to_vec(), asked: Rc::clone(&asked) };
    let granted = grant(wishes, known, matches, || Ok::<Box<dyn LabelIndex>, Failure>(Box::new(labels)));
    let Granted { notes, remarks } = granted.map_err(|failure| failure.0)?;
    let seeds = notes.iter().map(|note| note.entity().to_owned()).collect();
    let asked = asked.borrow().clone();
    Ok((seeds, remarks.iter().map(Remark::to_string).collect(), asked))
}

fn from_file(wanted: Wanted) -> Wish {
    Wish { wanted, origin: Origin::Subject { file: "a.ttl".to_owned() }, is_needed: false }
}

#[test]
fn the_best_match_is_taken_and_others_of_the_name_are_told() {
    let (seeds, remarks, _) = granted(vec![Wish::of_text(" Cologne ")], &[], 1).unwrap();

    assert_eq!(seeds, ["http://a.example/Cologne"]);
    let expected = "“Cologne” is http://a.example/Cologne (“Cologne”@en); or it may be \
                    http://a.example/Perfume (“Perfume”@en)";
    assert_eq!(remarks, [expected]);
}

#[test]
fn whoever_asks_for_more_gets_more() {
    let (seeds, remarks, _) = granted(vec![Wish::of_text("Cologne")], &[], 5).unwrap();

    assert_eq!(seeds.len(), 3);
    assert!(!remarks[0].contains("may be"), "{remarks:?}");
}

#[test]
fn a_label_that_is_only_something_like_the_text_is_told() {
    let (seeds, remarks, _) = granted(vec![Wish::of_text("dom")], &[], 1).unwrap();

    assert_eq!(seeds, ["http://a.example/Cologne_Cathedral"]);
    assert!(remarks[0].contains("nothing is called exactly so"), "{remarks:?}");
}

#[test]
fn all_texts_that_are_nobodys_label_are_told_at_once_with_near_misses() {
    let wishes = vec![Wish::of_text("Bon"), Wish::of_text("Cologne"), Wish::of_text("Timbuktu")];

    insta::assert_snapshot!(granted(wishes, &[], 1).unwrap_err(), @r"
    “Bon”: nothing is called so; did you mean http://a.example/Bonn (“Bonn”@en) ?
    “Timbuktu”: nothing is called so; give its URI, or look elsewhere: the archive has labels of what was crawled or imported, and seeds.labels_at names a SPARQL endpoint that is asked instead
    ");
}

#[test]
fn what_was_found_before_is_not_looked_up_again() {
    let before = Found { text: "Cologne".to_owned(), label: "Cologne".to_owned() };
    let known = [Note::of_iri("http://b.example/Köln#it", Origin::Text, Some(before)).unwrap()];

    let (seeds, remarks, asked) = granted(vec![Wish::of_text("Cologne")], &known, 1).unwrap();

    assert_eq!(seeds, ["http://b.example/Köln#it"]);
    assert_eq!(remarks, ["“Cologne” was found before: http://b.example/Köln#it"]);
    assert_eq!(asked, Vec::<String>::new());
}

#[test]
fn who_is_wished_for_twice_is_one_seed_and_looked_up_once() {
    let wishes = vec![
        Wish::of_text("Cologne"),
        from_file(Wanted::Iri("http://a.example/Cologne".to_owned())),
        from_file(Wanted::Text("Cologne".to_owned())),
    ];

    let (seeds, remarks, asked) = granted(wishes, &[], 1).unwrap();

    assert_eq!((seeds.len(), remarks.len(), asked.len()), (1, 1, 1));
}

#[test]
fn what_instance_data_have_and_cannot_be_had_is_counted() {
    let wishes = vec![
        from_file(Wanted::Text("Timbuktu".to_owned())),
        from_file(Wanted::Text("Bon".to_owned())),
        from_file(Wanted::Iri("urn:isbn:1".to_owned())),
        from_file(Wanted::Iri("http://a.example/x".to_owned())),
    ];

    let (seeds, remarks, _) = granted(wishes, &[], 1).unwrap();

    assert_eq!(seeds, ["http://a.example/x"]);
    let expected = [
        "texts that are nobody's label: 2, as “Timbuktu”, “Bon”",
        "values that are no addresses and cannot be visited: 1, as urn:isbn:1",
    ];
    assert_eq!(remarks, expected);
}

#[test]
fn labels_are_opened_only_where_they_are_needed() {
    let wishes = vec![from_file(Wanted::Iri("http://a.example/x".to_owned()))];

    let granted = grant(wishes, &[], 1, || Err::<Box<dyn LabelIndex>, _>(Failure("no archive".to_owned())));

    assert_eq!(granted.unwrap().notes.len(), 1);
}
