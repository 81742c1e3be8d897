//! Tests of candidate filters.

use oxrdf::{Literal, NamedNode, Term};

use super::*;

fn row() -> RankingRow {
    RankingRow {
        rank: 7,
        entity: "http://fr.dbpedia.org/resource/Cologne_Cathedral".to_owned(),
        score: Some(0.5),
        hop: Some(1),
        label: Some("Cologne Cathedral".to_owned()),
        types: vec!["http://dbpedia.org/ontology/Building".to_owned(), "https://schema.org/Place".to_owned()],
        described: true,
        reasons: Vec::new(),
    }
}

/// Statements about the cathedral.
fn statements() -> Vec<(NamedNode, Term)> {
    let iri = |text: &str| NamedNode::new_unchecked(text);
    let literal = |text: &str| Term::from(Literal::from(text));
    vec![
        (iri("http://dbpedia.org/ontology/height"), Literal::from(157.38).into()),
        (iri("http://dbpedia.org/ontology/architect"), iri("http://dbpedia.org/resource/Gerhard").into()),
        (iri("http://dbpedia.org/ontology/completionDate"), literal("1880-10-15")),
        (iri("urn:name"), Literal::new_language_tagged_literal_unchecked("Kölner Dom", "de").into()),
        (iri("urn:name"), literal("the Dom")),
    ]
}

fn evidence(filter: &CandidateFilter) -> PropertyEvidence {
    let mut evidence = PropertyEvidence::default();
    for (property, value) in statements() {
        filter.record_evidence(property.as_ref(), value.as_ref(), &mut evidence);
    }
    evidence
}

fn check(text: &str, expected: bool) {
    let filter = CandidateFilter::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(filter.evaluate(&row(), Some(MarkKind::Keep), Some(&evidence(&filter))), Some(expected), "{text}");
}

#[test]
fn conditions_test_fields_of_a_row() {
    check("", true);
    check("  ", true);
    check("score >= 0.5", true);
    check("score>0.5", false);
    check("score != 0.5", false);
    check("score > -1e3", true);
    check("hop <= 1", true);
    check("hop < 1", false);
    check("rank = 7", true);
    check("RANK == 8", false);
    check("label ~ Cath", true);
    check("label ~ cath", false);
    check("label ~ (?i)cath(edral)?", true);
    check("label !~ ^Cologne", false);
    check("label = 'Cologne Cathedral'", true);
    check("label = \"Cologne\"", false);
    check("entity ~ /resource/", true);
    check("entity = <http://fr.dbpedia.org/resource/Cologne_Cathedral>", true);
    check("entity = http://fr.dbpedia.org/resource/Cologne_Cathedral", true);
    check("marked", true);
    check("marked = keep", true);
    check("marked = any", true);
    check("marked != drop", true);
    check("marked = none", false);
    check("described", true);
    check("described = false", false);
    check("described != false", true);
}

#[test]
fn classes_are_named_by_iri_prefix_or_local_name() {
    check("type = <http://dbpedia.org/ontology/Building>", true);
    check("type = http://dbpedia.org/ontology/Building", true);
    check("type = dbo:Building", true);
    check("type = building", true);
    check("type = schema:Place", true);
    check("type = <http://schema.org/Place>", false);
    check("type = dbo:Place", false);
    check("type = Build", false);
    check("type != dbo:Building", false);
    check("type != dbo:Bridge", true);
}

#[test]
fn a_domain_includes_its_subdomains() {
    check("domain = dbpedia.org", true);
    check("domain = FR.dbpedia.org", true);
    check("domain = *.dbpedia.org", true);
    check("domain = de.dbpedia.org", false);
    check("domain = pedia.org", false);
    check("domain ~ ^dbpedia", true);
    check("domain != dbpedia.org", false);
}

#[test]
fn conditions_are_combined() {
    check("hop = 1 and rank = 7", true);
    check("hop = 1 and rank = 8", false);
    check("hop = 1; rank = 7;", true);
    check("hop=2;rank=7", false);
    check("hop = 2 or rank = 7", true);
    check("hop = 2 and rank = 8 or score = 0.5", true);
    check("hop = 2 and (rank = 8 or score = 0.5)", false);
    check("not hop = 2 and not (rank = 8 or marked = drop)", true);
    check("NOT not hop = 1", true);
    check("(hop=1)and(rank=7)", true);
    check("((type = Building) or described) and label ~ (C|c)ologne", true);
}

#[test]
fn properties_are_compared_with_values() {
    check("has dbo:architect", true);
    check("has architect", true);
    check("has <http://dbpedia.org/ontology/architect>", true);
    check("has dbo:style", false);
    check("not has dbo:style", true);
    check("property dbo:height > 100", true);
    check("property dbo:height>157.38", false);
    check("property dbo:height = 157.380", true);
    check("property dbo:height < tall", true);
    check("property dbo:architect = dbr:Gerhard", true);
    check("property dbo:architect = Gerhard", true);
    check("property dbo:architect = <http://dbpedia.org/resource/Gerhard>", true);
    check("property dbo:architect = \"Gerhard\"", false);
    check("property dbo:architect != Gerhard", false);
    check("property architect ~ hard$", true);
    check("property completionDate < 1900", false);
    check("property completionDate < 1900-01-01", true);
    check("property <urn:name> = 'the Dom'", true);
    check("property <urn:name> = 'Kölner Dom'", true);
    check("property <urn:name> = 'Kölner Dom'@de", true);
    check("property <urn:name> = 'Kölner Dom'@en", false);
    check("property <urn:name> >= 'Kölner'@DE", true);
    check("property <urn:name> ~ '^K.* Dom$'", true);
    check("property <urn:name> = 'Dom'", false);
    // One of several values is equal.
    check("property <urn:name> != 'the Dom'", false);
}

#[test]
fn statements_are_needed_only_if_they_decide() {
    let check = |text: &str, expected: Option<bool>| {
        let filter = CandidateFilter::parse(text).unwrap();
        assert_eq!(filter.evaluate(&row(), None, None), expected, "{text}");
    };

    check("has dbo:architect", None);
    check("hop = 1 and has dbo:architect", None);
    check("hop = 2 and has dbo:architect", Some(false));
    check("has dbo:architect and hop = 2", Some(false));
    check("hop = 1 or has dbo:architect", Some(true));
    check("not (hop = 1 or has dbo:architect)", Some(false));
}

#[test]
fn filters_are_combined_with_their_conditions_on_properties() {
    let parse = |text: &str| CandidateFilter::parse(text).unwrap();
    let evaluate = |filters: &[&str]| {
        let all = CandidateFilter::all(filters.iter().map(|text| parse(text)));
        all.evaluate(&row(), None, Some(&evidence(&all)))
    };

    assert_eq!(evaluate(&[]), Some(true));
    assert_eq!(evaluate(&["has style", "has architect"]), Some(false));
    assert_eq!(evaluate(&["not has style", "has architect", "hop = 1"]), Some(true));
}

#[test]
fn a_syntax_error_is_reported_with_its_position() {
    let message = |text: &str| {
        let error = CandidateFilter::parse(text).map(drop).unwrap_err();
        let hint = error.hint.as_ref().map_or(String::new(), |hint| format!("hint: {hint}\n"));
        format!("{error}\n{hint}")
    };
    let wrong = [
        "score >= and hop <= 1",
        "type = dbo:Building hop <= 1",
        "size > 3",
        "> 3",
        "(hop = 1 and rank < 9",
        "hop = one",
        "type ~ Build",
        "label Dom",
        "type = foo:Bar",
        "property dbo:height >= <urn:tall>",
        "label ~ 'a(b'",
        "label ~ 'Dom und",
        "has <urn:a b>",
        "has",
        "hop = 1)",
        "hop = 1 and",
        "marked = maybe",
        "described = perhaps",
        "domain = straße.example and label = Köln and score >> 1 and described and not marked and has <urn:architect>",
    ];

    insta::assert_snapshot!(wrong.map(message).join("\n"));
}

#[test]
fn excessive_filters_are_rejected() {
    let check = |text: &str, expected: &str| {
        let error = CandidateFilter::parse(text).map(drop).unwrap_err();
        assert!(error.message.contains(expected), "{}", error.message);
    };

    check(&"(".repeat(10_000), "nested too deeply");
    check(&"not ".repeat(4_000), "nested too deeply");
    check(&" ".repeat(100_000), "the filter has 100000 bytes");
    check(&"hop=1;".repeat(600), "more than 500 conditions");
    check("label ~ (a{1000}){1000}", "the regular expression is too large");
    check("label ~ \u{0}(", "invalid regular expression");
}

proptest::proptest! {
    #[test]
    fn the_parser_does_not_panic(
        text in "((score|hop|type|has|property|not|and|or|marked|label)|[ ()=<>!~;'\"@\\\\]|[a-zä:.0-9]){0,30}",
    ) {
        if let Err(error) = CandidateFilter::parse(&text) {
            error.to_string();
        }
    }
}
