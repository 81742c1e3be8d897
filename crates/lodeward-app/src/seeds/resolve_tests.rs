//! Tests of seed resolution, with a label index of a few labels.

use std::cell::RefCell;
use std::rc::Rc;

use super::*;

/// An index of a few labels that records which texts are looked up.
struct TestLabels {
    labels: Vec<(&'static str, &'static str, MatchQuality)>,
    looked_up: Rc<RefCell<Vec<String>>>,
}

fn found(entity: &str, quality: MatchQuality) -> LabelMatch {
    let name = entity.rsplit('/').next().unwrap_or_default().to_owned();
    let (entity, language) = (entity.to_owned(), "en".to_owned());
    LabelMatch { entity, label: name, language, quality, label_rank: 0, language_rank: 0, statements: 1 }
}

impl TestLabels {
    fn matches(&self, text: &str, is_accepted: impl Fn(MatchQuality) -> bool) -> Vec<LabelMatch> {
        let labels = self.labels.iter().filter(|(label, _, fit)| *label == text && is_accepted(*fit));
        labels.map(|(_, entity, fit)| found(entity, *fit)).collect()
    }
}

impl LabelIndex for TestLabels {
    fn look_up(&self, texts: &[String], _: usize) -> Result<Vec<Vec<LabelMatch>>, LabelError> {
        self.looked_up.borrow_mut().extend(texts.iter().cloned());
        Ok(texts.iter().map(|text| self.matches(text, |fit| !matches!(fit, MatchQuality::Near(_)))).collect())
    }

    fn near_misses(&self, texts: &[String]) -> Result<Vec<Vec<LabelMatch>>, LabelError> {
        Ok(texts.iter().map(|text| self.matches(text, |fit| matches!(fit, MatchQuality::Near(_)))).collect())
    }
}

const LABELS: &[(&str, &str, MatchQuality)] = &[
    ("Cologne", "http://a.example/Cologne", MatchQuality::Exact),
    ("Cologne", "http://a.example/Perfume", MatchQuality::Exact),
    ("Cologne", "http://a.example/Cologne_Cathedral", MatchQuality::Words(1)),
    ("dom", "http://a.example/Cologne_Cathedral", MatchQuality::Words(1)),
    ("Bon", "http://a.example/Bonn", MatchQuality::Near(250)),
];

#[derive(Debug, PartialEq)]
struct Failure(String);

impl From<LabelError> for Failure {
    fn from(error: LabelError) -> Self {
        Self(error.to_string())
    }
}

impl From<SeedProblems> for Failure {
    fn from(problems: SeedProblems) -> Self {
        Self(problems.to_string())
    }
}

/// Seeds, warnings and the texts that were looked up.
type Resolution = (Vec<String>, Vec<String>, Vec<String>);

fn resolve(requested: Vec<RequestedSeed>, known: &[SeedNote], matches: usize) -> Result<Resolution, String> {
    let looked_up = Rc::new(RefCell::new(Vec::new()));
    let labels = TestLabels { labels: LABELS.to_vec(), looked_up: Rc::clone(&looked_up) };
    let resolved = resolve_seeds(requested, known, matches, || Ok::<Box<dyn LabelIndex>, Failure>(Box::new(labels)));
    let ResolvedSeeds { notes, warnings } = resolved.map_err(|failure| failure.0)?;
    let seeds = notes.iter().map(|note| note.entity().to_owned()).collect();
    let looked_up = looked_up.borrow().clone();
    Ok((seeds, warnings.iter().map(SeedWarning::to_string).collect(), looked_up))
}

fn from_file(spec: SeedSpec) -> RequestedSeed {
    RequestedSeed { spec, origin: SeedOrigin::Subject { file: "a.ttl".to_owned() }, is_required: false }
}

#[test]
fn the_best_match_is_used_and_other_matches_are_reported() {
    let (seeds, warnings, _) = resolve(vec![RequestedSeed::from_text(" Cologne ")], &[], 1).unwrap();

    assert_eq!(seeds, ["http://a.example/Cologne"]);
    let expected = "“Cologne” is http://a.example/Cologne (“Cologne”@en); also matches \
                    http://a.example/Perfume (“Perfume”@en)";
    assert_eq!(warnings, [expected]);
}

#[test]
fn several_matches_are_used_if_requested() {
    let (seeds, warnings, _) = resolve(vec![RequestedSeed::from_text("Cologne")], &[], 5).unwrap();

    assert_eq!(seeds.len(), 3);
    assert!(!warnings[0].contains("also matches"), "{warnings:?}");
}

#[test]
fn a_partial_match_is_reported() {
    let (seeds, warnings, _) = resolve(vec![RequestedSeed::from_text("dom")], &[], 1).unwrap();

    assert_eq!(seeds, ["http://a.example/Cologne_Cathedral"]);
    assert!(warnings[0].contains("no label matches exactly"), "{warnings:?}");
}

#[test]
fn all_texts_without_a_match_are_reported_at_once_with_similar_labels() {
    let requested = ["Bon", "Cologne", "Timbuktu"].map(RequestedSeed::from_text).to_vec();

    insta::assert_snapshot!(resolve(requested, &[], 1).unwrap_err(), @r"
    no entity with the label “Bon”; did you mean http://a.example/Bonn (“Bonn”@en)?
    no entity with the label “Timbuktu”; use its URI, or import data with this label; seeds.labels_endpoint names a SPARQL endpoint to query instead of the archive
    ");
}

#[test]
fn a_resolved_text_is_not_looked_up_again() {
    let before = TextMatch { text: "Cologne".to_owned(), label: "Cologne".to_owned() };
    let known = [SeedNote::from_iri("http://b.example/Köln#it", SeedOrigin::Text, Some(before)).unwrap()];

    let (seeds, warnings, looked_up) = resolve(vec![RequestedSeed::from_text("Cologne")], &known, 1).unwrap();

    assert_eq!(seeds, ["http://b.example/Köln#it"]);
    assert_eq!(warnings, ["“Cologne” was resolved before: http://b.example/Köln#it"]);
    assert_eq!(looked_up, Vec::<String>::new());
}

#[test]
fn a_seed_requested_twice_is_looked_up_and_used_once() {
    let requested = vec![
        RequestedSeed::from_text("Cologne"),
        from_file(SeedSpec::Iri("http://a.example/Cologne".to_owned())),
        from_file(SeedSpec::Text("Cologne".to_owned())),
    ];

    let (seeds, warnings, looked_up) = resolve(requested, &[], 1).unwrap();

    assert_eq!((seeds.len(), warnings.len(), looked_up.len()), (1, 1, 1));
}

#[test]
fn unresolvable_values_of_instance_data_are_counted() {
    let requested = vec![
        from_file(SeedSpec::Text("Timbuktu".to_owned())),
        from_file(SeedSpec::Text("Bon".to_owned())),
        from_file(SeedSpec::Iri("urn:isbn:1".to_owned())),
        from_file(SeedSpec::Iri("http://a.example/x".to_owned())),
    ];

    let (seeds, warnings, _) = resolve(requested, &[], 1).unwrap();

    assert_eq!(seeds, ["http://a.example/x"]);
    let expected =
        ["2 texts match no label: “Timbuktu”, “Bon”", "1 value is not a URL and cannot be fetched: urn:isbn:1"];
    assert_eq!(warnings, expected);
}

#[test]
fn the_label_index_is_opened_only_if_needed() {
    let requested = vec![from_file(SeedSpec::Iri("http://a.example/x".to_owned()))];

    let resolved = resolve_seeds(requested, &[], 1, || Err::<Box<dyn LabelIndex>, _>(Failure("no archive".to_owned())));

    assert_eq!(resolved.unwrap().notes.len(), 1);
}
