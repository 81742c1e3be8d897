//! Seeds that are not URIs: texts, templates, instance data.

use crate::desk::{Desk, repository};
use crate::endpoint::Running;
use crate::web::{Box, succeed};

/// What an archive may know of Cologne.
const COLOGNE: &str = r#"
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix dbr: <http://dbpedia.org/resource/> .
    dbr:Cologne rdfs:label "Cologne"@en , "Köln"@de ; rdfs:seeAlso dbr:Rhine .
    dbr:Eau_de_Cologne rdfs:label "Cologne"@en .
    dbr:Cologne_Cathedral rdfs:label "Cologne Cathedral"@en .
    dbr:Ludwig_Hoffmann rdfs:label "Ludwig Hoffmann"@de .
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("cologne.ttl", COLOGNE);
    desk.succeed(&["import", "cologne.ttl", "--data", "data"]);
    desk
}

#[test]
fn texts_are_looked_up_among_the_labels_of_the_archive() {
    let desk = desk();
    let shown = |arguments: &[&str]| desk.shown(&[&["seeds", "--data", "data"], arguments].concat());

    insta::assert_snapshot!("seeds_by_text", shown(&["--seed-text", "cologne cathedral", "--seed-text", "Cologne"]));
    insta::assert_snapshot!(
        "seeds_by_text_several",
        shown(&["--seed-text", "Cologne", "--seed-matches", "2", "--json"])
    );
    insta::assert_snapshot!(
        "seeds_by_text_of_nobody",
        shown(&["--seed-text", "Colonge Cathedral", "--seed-text", "Timbuktu"])
    );
    insta::assert_snapshot!(
        "seeds_by_text_without_archive",
        desk.shown(&["seeds", "--data", "nowhere", "--seed-text", "x"])
    );
}

#[test]
fn whoever_says_nothing_is_told_what_can_be_said() {
    let said = Desk::new().run(&["seeds"]);

    assert_eq!(said.code, 2);
    assert!(said.errors.starts_with("error: there is no seed\nhint: give URIs, --seed-text"), "{}", said.errors);
}

#[test]
fn an_endpoint_is_asked_for_labels_instead() {
    let desk = desk();
    let endpoint = Running::start(&desk, &["--data", "data"]);
    let at = ["seeds", "--seed-text", "köln", "--seed-text", "cologne cathedral", "--labels-at", &endpoint.address];
    desk.write("lodeward.toml", "[focus]\nlanguages = [\"de\", \"en\"]\n[politeness]\ndelay_ms = 0\n");

    let found = desk.succeed(&[&at[..], &["--allow-private"]].concat());
    let refused = desk.run(&at);

    let seeds: Vec<&str> = found.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(seeds, ["http://dbpedia.org/resource/Cologne", "http://dbpedia.org/resource/Cologne_Cathedral"]);
    assert!(refused.code == 1 && refused.errors.contains("--allow-private"), "{}", refused.errors);
}

#[test]
fn an_endpoint_says_who_is_meant_by_how_much_it_says_of_them() {
    let desk = desk();
    desk.write(
        "category.ttl",
        "<http://dbpedia.org/resource/Category:Cologne> <http://www.w3.org/2000/01/rdf-schema#label> \"Cologne\"@en .",
    );
    desk.succeed(&["import", "category.ttl", "--data", "data"]);
    desk.write("lodeward.toml", "[politeness]\ndelay_ms = 0\n");
    let endpoint = Running::start(&desk, &["--data", "data"]);

    let at = ["seeds", "--seed-text", "Cologne", "--labels-at", &endpoint.address, "--allow-private"];
    let found = desk.succeed(&at);

    assert!(found.ends_with("\nhttp://dbpedia.org/resource/Cologne\n"), "{found}");
}

#[test]
fn templates_are_listed_shown_and_filled() {
    let desk = desk();
    let shown = |arguments: &[&str]| desk.shown(arguments);
    let geography = ["seeds", "--data", "data", "--template", "geography"];

    insta::assert_snapshot!("templates", shown(&["templates"]));
    insta::assert_snapshot!("templates_of_nobody", shown(&["templates", "show", "geology"]));
    insta::assert_snapshot!(
        "template_filled",
        shown(&[&geography[..], &["--set", "building=Cologne Cathedral", "--set", "place=Cologne"]].concat())
    );
    insta::assert_snapshot!("template_filled_wrongly", shown(&[&geography[..], &["--set", "palace=Cologne"]].concat()));
}

#[test]
fn a_template_can_be_copied_and_edited_and_what_is_wrong_in_it_is_told() {
    let desk = desk();
    let mine = desk.succeed(&["templates", "show", "style"]).replacen("name = \"style\"", "name = \"mine\"", 1);
    let mine = mine.replace("strategy = \"focus\"", "strategy = \"focus\"\nlinks = \"html\"");
    std::fs::create_dir(desk.path("data/templates")).unwrap();
    desk.write("data/templates/mine.toml", &mine);
    let arguments = ["seeds", "--data", "data", "--template", "mine", "--set", "style=Art Deco"];

    let wrong = desk.run(&arguments);
    desk.write("data/templates/mine.toml", mine.replace("\"html\"", "\"rdf\""));
    let right = desk.succeed(&arguments);

    assert_eq!(wrong.code, 2);
    assert!(wrong.errors.contains("error: template mine: crawl.links: "), "{}", wrong.errors);
    assert!(
        right.contains("# from the template mine, {style} = Art Deco\nhttp://dbpedia.org/resource/Art_Deco\n"),
        "{right}"
    );
    let listed = desk.succeed(&["templates", "--data", "data"]);
    assert!(listed.contains("mine: Buildings of one style (data/templates/mine.toml)"), "{listed}");
}

#[test]
fn seeds_are_extracted_from_records_of_buildings() {
    let desk = desk();
    let records = repository("crates/lodeward-cli/tests/fixtures/duraark/archive.trig");
    std::fs::copy(records, desk.path("records.trig")).unwrap();
    let from = ["seeds", "--data", "data", "--seeds-from", "records.trig"];
    let shown = |arguments: &[&str]| desk.shown(&[&from[..], arguments].concat());

    insta::assert_snapshot!("seeds_from_records", shown(&["--seeds-max", "2"]));
    insta::assert_snapshot!("seeds_from_records_resolved", shown(&["--roles", "architects", "--resolve-literals"]));
    insta::assert_snapshot!("seeds_from_records_of_no_role", shown(&["--roles", "builders"]));
}

#[test]
fn records_are_read_from_standard_input() {
    let desk = desk();
    let record = "<urn:house> <http://dbpedia.org/ontology/location> <http://dbpedia.org/resource/Cologne> .";

    let found = desk.run_with_input(&["seeds", "--seeds-from", "-"], record);
    let twice = desk.run_with_input(&["seeds", "-", "--seeds-from", "-"], record);

    assert_eq!(found.output, "# from places in stdin\nhttp://dbpedia.org/resource/Cologne\n", "{}", found.errors);
    assert!(twice.code == 2 && twice.errors.contains("standard input cannot be both"), "{}", twice.errors);
}

#[test]
fn what_a_role_is_can_be_said_in_the_settings() {
    let desk = desk();
    desk.write("lodeward.toml", "[seeds.roles]\nrivers = [\"http://www.w3.org/2000/01/rdf-schema#seeAlso\"]\n");

    let found = desk.succeed(&["seeds", "--seeds-from", "cologne.ttl", "--roles", "rivers", "--with-subjects"]);

    let expected = "# from rivers in cologne.ttl\nhttp://dbpedia.org/resource/Rhine\n\
                    # described in cologne.ttl\nhttp://dbpedia.org/resource/Cologne\n";
    assert_eq!(found, expected);
}

#[test]
fn a_crawl_remembers_where_its_seeds_come_from_and_looks_nothing_up_again() {
    let web = Box::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 4;
    });
    let seed = &web.world.seeds()[0];
    let label = format!("<{seed}> <http://www.w3.org/2000/01/rdf-schema#label> \"Where all begins\"@en .\n");
    std::fs::write(web.path("labels.nt"), label).unwrap();
    let lodeward = |arguments: &[&str]| {
        let output = web.lodeward(arguments);
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    lodeward(&["import", "labels.nt", "--data", "data"]);
    let by_text = ["--seed-text", "where ALL begins"];

    let first = succeed(web.crawl_from(&by_text, "data", &["--max-documents", "1"]));
    lodeward(&["query", "--data", "data", "--update", "DROP ALL"]);
    let again = succeed(web.crawl_from(&by_text, "data", &["--max-documents", "2"]));

    let (first, again) = (String::from_utf8(first.stderr).unwrap(), String::from_utf8(again.stderr).unwrap());
    assert!(first.contains("the archive, which has everything"), "it was closed again: {first}");
    assert!(again.contains(&format!("seeds: “where ALL begins” was found before: {seed}")), "{again}");
    let status = lodeward(&["status", "--data", "data"]);
    assert!(status.contains("seeds: 1 by text\n"), "{status}");
    let told = lodeward(&["explain", seed, "--data", "data"]);
    let expected = "given as a text, “where ALL begins” found by the label “Where all begins”";
    assert!(told.contains("found     as a seed") && told.contains(expected), "{told}");
}
