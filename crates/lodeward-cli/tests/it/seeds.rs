//! Seeds other than URIs: labels, templates, instance data.

use crate::endpoint::RunningEndpoint;
use crate::sandbox::{Sandbox, repository};
use crate::web::{TestWeb, succeed};

/// Labels of an archive about Cologne.
const COLOGNE: &str = r#"
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix dbr: <http://dbpedia.org/resource/> .
    dbr:Cologne rdfs:label "Cologne"@en , "Köln"@de ; rdfs:seeAlso dbr:Rhine .
    dbr:Eau_de_Cologne rdfs:label "Cologne"@en .
    dbr:Cologne_Cathedral rdfs:label "Cologne Cathedral"@en .
    dbr:Ludwig_Hoffmann rdfs:label "Ludwig Hoffmann"@de .
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("cologne.ttl", COLOGNE);
    sandbox.succeed(&["import", "cologne.ttl", "--data", "data"]);
    sandbox
}

#[test]
fn labels_are_looked_up_in_the_archive() {
    let sandbox = sandbox();
    let shown = |arguments: &[&str]| sandbox.shown(&[&["seeds", "--data", "data"], arguments].concat());

    insta::assert_snapshot!("seeds_by_label", shown(&["--seed-label", "cologne cathedral", "--seed-label", "Cologne"]));
    insta::assert_snapshot!(
        "seeds_by_label_several",
        shown(&["--seed-label", "Cologne", "--set", "seeds.max_matches_per_label=2", "--json"])
    );
    insta::assert_snapshot!(
        "seeds_by_unknown_label",
        shown(&["--seed-label", "Colonge Cathedral", "--seed-label", "Timbuktu"])
    );
    insta::assert_snapshot!(
        "seeds_by_label_without_archive",
        sandbox.shown(&["seeds", "--data", "nowhere", "--seed-label", "x"])
    );
}

#[test]
fn a_command_without_seeds_is_a_usage_error() {
    let result = Sandbox::new().run(&["seeds"]);

    assert_eq!(result.code, 2);
    assert!(result.errors.starts_with("error: no seeds\nhint: pass URIs, --seed-label"), "{}", result.errors);
}

#[test]
fn labels_are_looked_up_at_an_endpoint() {
    let sandbox = sandbox();
    let endpoint = RunningEndpoint::start(&sandbox, &["--data", "data"]);
    let at = ["seeds", "--seed-label", "köln", "--seed-label", "cologne cathedral", "--labels-endpoint", &endpoint.url];
    sandbox.write("lodeward.toml", "[ranking]\nlanguages = [\"de\", \"en\"]\n[politeness]\ndelay = 0\n");

    let found = sandbox.succeed(&[&at[..], &["--allow-private"]].concat());
    let rejected = sandbox.run(&at);

    let seeds: Vec<&str> = found.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(seeds, ["http://dbpedia.org/resource/Cologne", "http://dbpedia.org/resource/Cologne_Cathedral"]);
    assert!(rejected.code == 1 && rejected.errors.contains("--allow-private"), "{}", rejected.errors);
}

#[test]
fn an_endpoint_prefers_the_entity_with_the_most_statements() {
    let sandbox = sandbox();
    sandbox.write(
        "category.ttl",
        "<http://dbpedia.org/resource/Category:Cologne> <http://www.w3.org/2000/01/rdf-schema#label> \"Cologne\"@en .",
    );
    sandbox.succeed(&["import", "category.ttl", "--data", "data"]);
    sandbox.write("lodeward.toml", "[politeness]\ndelay = 0\n");
    let endpoint = RunningEndpoint::start(&sandbox, &["--data", "data"]);

    let at = ["seeds", "--seed-label", "Cologne", "--labels-endpoint", &endpoint.url, "--allow-private"];
    let found = sandbox.succeed(&at);

    assert!(found.ends_with("\nhttp://dbpedia.org/resource/Cologne\n"), "{found}");
}

#[test]
fn templates_are_listed_printed_and_filled() {
    let sandbox = sandbox();
    let shown = |arguments: &[&str]| sandbox.shown(arguments);
    let geography = ["seeds", "--data", "data", "--template", "geography"];

    insta::assert_snapshot!("templates", shown(&["templates"]));
    insta::assert_snapshot!("templates_show_unknown", shown(&["templates", "show", "geology"]));
    insta::assert_snapshot!(
        "template_filled",
        shown(&[&geography[..], &["--value", "building=Cologne Cathedral", "--value", "place=Cologne"]].concat())
    );
    insta::assert_snapshot!(
        "template_filled_with_unknown_placeholder",
        shown(&[&geography[..], &["--value", "palace=Cologne"]].concat())
    );
}

#[test]
fn an_edited_template_is_used_and_its_errors_are_reported() {
    let sandbox = sandbox();
    let mine = sandbox.succeed(&["templates", "show", "style"]).replacen("name = \"style\"", "name = \"mine\"", 1);
    let mine = mine.replace("strategy = \"focus\"", "strategy = \"focus\"\nlinks = \"html\"");
    std::fs::create_dir(sandbox.path("data/templates")).unwrap();
    sandbox.write("data/templates/mine.toml", &mine);
    let arguments = ["seeds", "--data", "data", "--template", "mine", "--value", "style=Art Deco"];

    let wrong = sandbox.run(&arguments);
    sandbox.write("data/templates/mine.toml", mine.replace("\"html\"", "\"rdf\""));
    let right = sandbox.succeed(&arguments);

    assert_eq!(wrong.code, 2);
    assert!(wrong.errors.contains("error: template mine: crawl.links: "), "{}", wrong.errors);
    assert!(
        right.contains("# from the template mine, {style} = Art Deco\nhttp://dbpedia.org/resource/Art_Deco\n"),
        "{right}"
    );
    let listed = sandbox.succeed(&["templates", "--data", "data"]);
    assert!(listed.contains("mine: Buildings of one style (data/templates/mine.toml)"), "{listed}");
}

#[test]
fn seeds_are_extracted_from_records_of_buildings() {
    let sandbox = sandbox();
    let records = repository("crates/lodeward-cli/tests/fixtures/duraark/archive.trig");
    std::fs::copy(records, sandbox.path("records.trig")).unwrap();
    let from = ["seeds", "--data", "data", "--seeds-from", "records.trig"];
    let shown = |arguments: &[&str]| sandbox.shown(&[&from[..], arguments].concat());

    insta::assert_snapshot!("seeds_from_records", shown(&["--set", "seeds.max_from_records=2"]));
    insta::assert_snapshot!("seeds_from_records_resolved", shown(&["--roles", "architects", "--resolve-literals"]));
    insta::assert_snapshot!("seeds_from_records_of_unknown_role", shown(&["--roles", "builders"]));
}

#[test]
fn records_are_read_from_standard_input() {
    let sandbox = sandbox();
    let record = "<urn:house> <http://dbpedia.org/ontology/location> <http://dbpedia.org/resource/Cologne> .";

    let found = sandbox.run_with_input(&["seeds", "--seeds-from", "-"], record);
    let twice = sandbox.run_with_input(&["seeds", "-", "--seeds-from", "-"], record);

    assert_eq!(found.output, "# from places in stdin\nhttp://dbpedia.org/resource/Cologne\n", "{}", found.errors);
    assert!(
        twice.code == 2 && twice.errors.contains("standard input cannot be a list of seeds and instance data"),
        "{}",
        twice.errors
    );
}

#[test]
fn roles_can_be_defined_in_the_settings() {
    let sandbox = sandbox();
    sandbox.write("lodeward.toml", "[seeds.roles]\nrivers = [\"http://www.w3.org/2000/01/rdf-schema#seeAlso\"]\n");

    let found = sandbox.succeed(&["seeds", "--seeds-from", "cologne.ttl", "--roles", "rivers", "--include-subjects"]);

    let expected = "# from rivers in cologne.ttl\nhttp://dbpedia.org/resource/Rhine\n\
                    # described in cologne.ttl\nhttp://dbpedia.org/resource/Cologne\n";
    assert_eq!(found, expected);
}

#[test]
fn a_crawl_stores_the_origins_of_its_seeds_and_does_not_look_them_up_again() {
    let web = TestWeb::new("demo", |parameters| {
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
    let by_text = ["--seed-label", "where ALL begins"];

    let first = succeed(web.crawl_from(&by_text, "data", &["--max-documents", "1"]));
    lodeward(&["query", "--data", "data", "--update", "DROP ALL"]);
    let again = succeed(web.crawl_from(&by_text, "data", &["--max-documents", "2"]));

    let (first, again) = (String::from_utf8(first.stderr).unwrap(), String::from_utf8(again.stderr).unwrap());
    assert!(first.contains("archive  up to date"), "the label lookup has closed the archive: {first}");
    assert!(again.contains(&format!("seeds: “where ALL begins” was resolved before: {seed}")), "{again}");
    let status = lodeward(&["status", "--data", "data"]);
    assert!(status.contains("seeds: 1 by label\n"), "{status}");
    let explained = lodeward(&["explain", seed, "--data", "data"]);
    let expected = "label “Where all begins” for “where ALL begins”";
    assert!(explained.contains("found     as a seed") && explained.contains(expected), "{explained}");
}
