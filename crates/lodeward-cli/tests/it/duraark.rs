//! The listings of DURAARK D3.6 §5, as printed and in lenient mode.

use crate::endpoint::RunningEndpoint;
use crate::sandbox::{Sandbox, repository, sorted};

/// A sandbox with the fixture data in its archive.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let data = repository("crates/lodeward-cli/tests/fixtures/duraark/archive.trig");
    sandbox.succeed(&["import", data.to_str().unwrap(), "--data", "data"]);
    sandbox
}

fn rows(sandbox: &Sandbox, listing: u8, flags: &[&str]) -> Vec<String> {
    let file = repository(&format!("docs/examples/duraark/listing-{listing}.rq"));
    let mut arguments = vec!["--file", file.to_str().unwrap()];
    arguments.extend(flags);
    sandbox.rows(&arguments)
}

/// Checks the number of rows as printed; returns the rows in lenient mode.
#[track_caller]
fn check(sandbox: &Sandbox, listing: u8, as_printed: usize) -> Vec<String> {
    assert_eq!(rows(sandbox, listing, &[]).len(), as_printed, "listing {listing} as printed");
    rows(sandbox, listing, &["--lenient"])
}

fn dbpedia(names: &[&str]) -> Vec<String> {
    sorted(
        names
            .iter()
            .map(|name| format!("<http://dbpedia.org/resource/{name}>"))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str),
    )
}

const FIGURE_8: &[&str] = &[
    "%C3%89difice_Price",
    "Aldred_Building",
    "Allen_Hazen_Water_Tower",
    "Allied_Arts_Building",
    "Americanization_School",
    "Andrews_Geyser",
    "Big_Duck",
    "Blue_Anchor_Building",
    "Boerentoren",
    "Boji_Tower",
    "Brill_Building",
    "Buenos_Aires_City_Legislature",
    "C.A._Schnack_Jewelry_Company_Store",
    "Capitol_Theatre,_Manchester",
    "Carew_Tower",
    "Chestertown_Armory",
    "Commerce_Court",
    "Communal_House_of_the_Textile_Institute",
    "Crane_Flat_Fire_Lookout",
    "De_Anza_Hotel",
    "DuMont_Building",
    "East_Cambridge_Savings_Bank",
    "Enchanted_Valley_Chalet",
    "First_Oil_Well,_Bahrain",
    "General_Electric_Building",
    "Grand_Hotel_Toplice",
    "H.B._Burns_Memorial_Building",
    "Hotel_Clovis",
    "Hotel_Tomi",
    "Hunt's_Tomb",
    "Imperial_Chemical_House",
    "India_of_Inchinnan",
    "Jerome_First_Baptist_Church",
    "John_Stickel_House",
    "John_Street_Roundhouse",
];

const FIGURE_9: &[&str] = &[
    "Adam_Clayton_Powell_Jr._State_Office_Building",
    "American_Radiator_Building",
    "American_Radiator_Building",
    "American_Stock_Exchange",
    "Assee_Levy_Public_Baths",
    "Association_Residence_Nursing_Home",
    "Bayard-Condict_Building",
    "Brill_Building",
    "Broad_Exchange_Building",
    "Bush_Tower",
    "Chapin_Building",
    "Chrysler_Building",
    "Chrysler_Building",
    "Corbin_Building",
    "Daily_News_Building",
    "DeVime_Press_Building",
    "Duffy_Square",
    "Federation_of_Protestant_Welfare_Agencies",
    "Film_Center_Building",
    "Flatiron_Building",
    "Flatiron_Building",
    "Ford_Foundation_Building",
    "Former_Emigrant_Industrial_Savings_Bank",
    "Former_New_York_Life_Insurance_Company_Building",
    "Fred_E._French_Building",
    "GE_Building",
];

#[test]
fn listings_1_to_4_query_crawled_data() {
    let sandbox = sandbox();

    // Listing 1 and figure 8, of which only the first column is shown.
    let built_1931 = check(&sandbox, 1, 0);
    assert_eq!(sorted(built_1931.iter().map(|row| row.split('\t').next().unwrap())), dbpedia(FIGURE_8));

    // A literal matches as printed, an IRI only in lenient mode.
    let churches = check(&sandbox, 2, 1);
    assert_eq!(churches, dbpedia(&["Berlin_Cathedral", "Cologne_Cathedral", "Frauenkirche_Dresden"]));

    let about_architect = check(&sandbox, 3, 6);
    assert_eq!(about_architect.len(), 6);
    assert!(about_architect.iter().any(|row| row.ends_with("\t\"Ludwig Hoffmann\"@de")), "{about_architect:?}");

    // Listing 4 and figure 9, which is an excerpt; and instances of the archive, whose address is a
    // literal.
    let in_manhattan = check(&sandbox, 4, 3);
    let own = |row: &&String| row.starts_with("<http://data.duraark.eu/resource/");
    assert_eq!(in_manhattan.iter().filter(own).count(), 3);
    let crawled = in_manhattan.iter().filter(|row| !own(row)).map(String::as_str);
    assert_eq!(sorted(crawled), dbpedia(FIGURE_9));
}

#[test]
fn listings_5_to_8_query_instances() {
    let sandbox = sandbox();
    let resource = |name: &str| format!("<http://data.duraark.eu/resource/{name}>");

    let historic = check(&sandbox, 5, 4);
    assert!(historic.iter().all(|row| row.starts_with(&resource("Berlin_Cathedral"))), "{historic:?}");

    assert_eq!(check(&sandbox, 6, 2), [resource("Chrysler_Building"), resource("Empire_State_Building")]);

    // Figure 10.
    let expected = [
        ("http://data.duraark.eu/vocab/buildm/addressLocality", "\"Berlin\""),
        ("http://data.duraark.eu/vocab/buildm/architect", "\"Ludwig Hoffmann\""),
        ("http://data.duraark.eu/vocab/buildm/buildingCount", "\"1\""),
        ("http://data.duraark.eu/vocab/buildm/name", "\"Haus 30\""),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "<http://data.duraark.eu/vocab/buildm/PhysicalAsset>"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "<http://www.w3.org/2002/07/owl#NamedIndividual>"),
    ];
    let expected = expected.map(|(architect, o)| format!("{}\t<{architect}>\t{o}", resource("Haus_30")));
    assert_eq!(check(&sandbox, 7, 6), expected);

    let floors = check(&sandbox, 8, 10);
    assert!(floors.contains(&format!(
        "{}\t<http://data.duraark.eu/vocab/buildm/floorCount>\t\"102\"",
        resource("Empire_State_Building")
    )));
    assert!(!floors.iter().any(|row| row.contains("Woolworth")), "it has no floorCount");
}

#[test]
fn listing_9_queries_another_endpoint() {
    let sandbox = sandbox();
    let remote = repository("crates/lodeward-cli/tests/fixtures/duraark/remote.trig");
    sandbox.succeed(&["import", remote.to_str().unwrap(), "--data", "remote"]);
    let endpoint = RunningEndpoint::start(&sandbox, &["--data", "remote"]);
    let listing = std::fs::read_to_string(repository("docs/examples/duraark/listing-9.rq")).unwrap();
    sandbox.write("listing-9.rq", listing.replace("http://127.0.0.1:7879/sparql", &endpoint.url));
    let rows = |flags: &[&str]| {
        let mut arguments = vec!["--file", "listing-9.rq", "--allow-private"];
        arguments.extend(flags);
        sandbox.rows(&arguments)
    };

    let as_printed = rows(&[]);
    let lenient = rows(&["--lenient"]);
    let rejected = sandbox.run(&["query", "--file", "listing-9.rq", "--data", "data"]);

    assert_eq!(as_printed, Vec::<String>::new());
    let here = "<http://data.duraark.eu/resource/Stanley_Ranger_Station>\t<http://sws.geonames.org/5609022/>";
    assert_eq!(lenient, ["\t<http://sws.geonames.org/5596512/>", here]);
    assert_eq!(rejected.code, 1);
    assert!(rejected.errors.contains("--allow-private"), "{}", rejected.errors);
}
