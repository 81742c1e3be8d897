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
    name = "who"
    kind = "label"

    [[seeds]]
    iri = "{base}{place}"

    [[seeds]]
    iri = "{base}Transport_in_{place}"

    [[seeds]]
    text = "Map of {place}, {country}"

    [[seeds]]
    iri = "{who}"

    [[seeds]]
    iri = "http://a.example/?q={place}"
    escape = "percent"

    [[seeds]]
    iri = "{base}Landscape"
"#;

fn values(values: &[(&str, &str)]) -> Values {
    let mut all = Values::new();
    for (name, value) in values {
        all.entry((*name).to_owned()).or_default().push((*value).to_owned());
    }
    all
}

fn fill(given: &[(&str, &str)]) -> Result<Filled, String> {
    Template::parse(TEMPLATE).unwrap().fill(&values(given)).map_err(|problems| problems.to_string())
}

/// What is wanted, texts in quotes.
fn wanted(given: &[(&str, &str)]) -> Vec<String> {
    let told = |wish: &Wish| match &wish.wanted {
        Wanted::Iri(iri) => iri.clone(),
        Wanted::Text(text) => format!("“{text}”"),
    };
    fill(given).unwrap().wishes.iter().map(told).collect()
}

#[test]
fn values_are_put_into_iris_and_texts() {
    let wanted = wanted(&[("place", "new  york city"), ("country", "USA"), ("who", "Louis Sullivan")]);

    let expected = [
        "http://dbpedia.org/resource/New_york_city",
        "http://dbpedia.org/resource/Transport_in_new_york_city",
        "“Map of new  york city, USA”",
        "“Louis Sullivan”",
        "http://a.example/?q=new%20york%20city",
        "http://dbpedia.org/resource/Landscape",
    ];
    assert_eq!(wanted, expected);
}

#[test]
fn a_seed_whose_placeholder_has_no_value_is_left_out() {
    let filled = fill(&[("place", "Bonn")]).unwrap();

    assert_eq!(filled.wishes.len(), 4);
    assert_eq!(filled.left_out, ["Map of {place}, {country}", "{who}"]);
}

#[test]
fn several_values_are_several_seeds() {
    let wanted = wanted(&[("place", "Bonn"), ("place", "Köln"), ("base", "http://de.example/")]);

    let places: Vec<&str> = wanted.iter().map(String::as_str).filter(|seed| !seed.contains('_')).collect();
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
    let wanted = wanted(&[("place", "http://d.example/id/Bad_Honnef"), ("who", "http://d.example/who/7")]);

    let expected = [
        "http://d.example/id/Bad_Honnef",
        "http://dbpedia.org/resource/Transport_in_Bad_Honnef",
        "http://d.example/who/7",
        "http://a.example/?q=Bad%20Honnef",
        "http://dbpedia.org/resource/Landscape",
    ];
    assert_eq!(wanted, expected);
}

#[test]
fn where_a_seed_comes_from_is_known() {
    let filled = fill(&[("place", "Bonn")]).unwrap();

    let told: Vec<String> = filled.wishes.iter().map(|wish| wish.origin.to_string()).collect();
    assert_eq!(told[0], "from the template geography, {place} = Bonn");
    assert_eq!(told[3], "from the template geography");
}

#[test]
fn all_that_is_wrong_with_values_is_told_at_once() {
    insta::assert_snapshot!(fill(&[("plaice", "Bonn"), ("base", "dbpedia"), ("country", " ")]).unwrap_err(), @r"
    the template geography: it has no placeholder {plaice}; it has {base}, {place}, {country}, {who}
    {base} = dbpedia: not an absolute http or https IRI
    the template geography: {place} has no value; give it one: the town
    {country} =  : empty
    ");
}

#[test]
fn values_that_make_very_many_seeds_are_refused() {
    let many: Vec<String> = (0..10_001).map(|number| format!("place {number}")).collect();
    let given: Vec<(&str, &str)> = many.iter().map(|value| ("place", value.as_str())).collect();

    let refused = fill(&given).unwrap_err();

    assert!(refused.contains("would be more than 10000 seeds"), "{refused}");
}

#[test]
fn a_slash_in_a_name_is_a_part_of_it() {
    let wanted = wanted(&[("place", "input/output")]);

    assert_eq!(wanted[0], "http://dbpedia.org/resource/Input/output");
    assert_eq!(wanted[1], "http://dbpedia.org/resource/Transport_in_input/output");
}
