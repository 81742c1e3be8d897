//! Tests of filling templates.

use super::*;

const TEMPLATE: &str = r#"
    name = "geography"
    title = "Geography"

    [[placeholders]]
    name = "base"
    kind = "iri"
    default = "http://dbpedia.org/resource/"

    [[placeholders]]
    name = "place"
    description = "the town"
    required = true

    [[placeholders]]
    name = "country"

    [[placeholders]]
    name = "person"
    kind = "label"

    [[seeds]]
    iri = "{base}{place}"

    [[seeds]]
    iri = "{base}Transport_in_{place}"

    [[seeds]]
    text = "Map of {place}, {country}"

    [[seeds]]
    iri = "{person}"

    [[seeds]]
    iri = "http://a.example/?q={place}"
    escape = "percent"

    [[seeds]]
    iri = "{base}Landscape"
"#;

fn values(values: &[(&str, &str)]) -> PlaceholderValues {
    let mut all = PlaceholderValues::new();
    for (name, value) in values {
        all.entry((*name).to_owned()).or_default().push((*value).to_owned());
    }
    all
}

fn fill(pairs: &[(&str, &str)]) -> Result<FilledTemplate, String> {
    Template::parse(TEMPLATE).unwrap().fill(&values(pairs)).map_err(|problems| problems.to_string())
}

/// The requested seeds, texts in quotes.
fn requested(pairs: &[(&str, &str)]) -> Vec<String> {
    let displayed = |seed: &RequestedSeed| match &seed.spec {
        SeedSpec::Iri(iri) => iri.clone(),
        SeedSpec::Text(text) => format!("“{text}”"),
    };
    fill(pairs).unwrap().seeds.iter().map(displayed).collect()
}

#[test]
fn values_are_inserted_into_iris_and_texts() {
    let seeds = requested(&[("place", "new  york city"), ("country", "USA"), ("person", "Louis Sullivan")]);

    let expected = [
        "http://dbpedia.org/resource/New_york_city",
        "http://dbpedia.org/resource/Transport_in_new_york_city",
        "“Map of new  york city, USA”",
        "“Louis Sullivan”",
        "http://a.example/?q=new%20york%20city",
        "http://dbpedia.org/resource/Landscape",
    ];
    assert_eq!(seeds, expected);
}

#[test]
fn a_seed_whose_placeholder_has_no_value_is_left_out() {
    let filled = fill(&[("place", "Bonn")]).unwrap();

    assert_eq!(filled.seeds.len(), 4);
    assert_eq!(filled.left_out, ["Map of {place}, {country}", "{person}"]);
}

#[test]
fn several_values_make_several_seeds() {
    let seeds = requested(&[("place", "Bonn"), ("place", "Köln"), ("base", "http://de.example/")]);

    let places: Vec<&str> = seeds.iter().map(String::as_str).filter(|seed| !seed.contains('_')).collect();
    let expected = [
        "http://de.example/Bonn",
        "http://de.example/K%C3%B6ln",
        "http://a.example/?q=Bonn",
        "http://a.example/?q=K%C3%B6ln",
        "http://de.example/Landscape",
    ];
    assert_eq!(places, expected);
}

#[test]
fn an_iri_may_be_given_for_a_name() {
    let seeds = requested(&[("place", "http://d.example/id/Bad_Honnef"), ("person", "http://d.example/person/7")]);

    let expected = [
        "http://d.example/id/Bad_Honnef",
        "http://dbpedia.org/resource/Transport_in_Bad_Honnef",
        "http://d.example/person/7",
        "http://a.example/?q=Bad%20Honnef",
        "http://dbpedia.org/resource/Landscape",
    ];
    assert_eq!(seeds, expected);
}

#[test]
fn a_seed_has_its_template_and_values_as_origin() {
    let filled = fill(&[("place", "Bonn")]).unwrap();

    let origins: Vec<String> = filled.seeds.iter().map(|seed| seed.origin.to_string()).collect();
    assert_eq!(origins[0], "from the template geography, {place} = Bonn");
    assert_eq!(origins[3], "from the template geography");
}

#[test]
fn all_problems_of_values_are_reported_at_once() {
    insta::assert_snapshot!(fill(&[("plaice", "Bonn"), ("base", "dbpedia"), ("country", " ")]).unwrap_err(), @r"
    template geography: unknown placeholder {plaice}; known placeholders: {base}, {place}, {country}, {person}
    {base} = dbpedia: not an absolute http or https IRI
    template geography: missing value of {place}; set {place}: the town
    {country} =  : empty value
    ");
}

#[test]
fn values_that_make_too_many_seeds_are_rejected() {
    let many: Vec<String> = (0..10_001).map(|number| format!("place {number}")).collect();
    let pairs: Vec<(&str, &str)> = many.iter().map(|value| ("place", value.as_str())).collect();

    let message = fill(&pairs).unwrap_err();

    assert!(message.contains("expands to more than 10000 seeds"), "{message}");
}

#[test]
fn a_slash_in_a_name_is_part_of_the_name() {
    let seeds = requested(&[("place", "input/output")]);

    assert_eq!(seeds[0], "http://dbpedia.org/resource/Input/output");
    assert_eq!(seeds[1], "http://dbpedia.org/resource/Transport_in_input/output");
}
