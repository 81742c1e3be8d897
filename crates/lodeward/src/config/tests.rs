use std::path::PathBuf;

use super::*;

fn from_file(text: &str) -> Result<Effective, String> {
    resolve(&Sources { file: Some((PathBuf::from(FILE_NAME), text.to_owned())), ..Sources::default() })
        .map_err(|problems| problems.to_string())
}

fn from_environment(variables: &[(&str, &str)]) -> Result<Effective, String> {
    let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    resolve(&Sources { environment, ..Sources::default() }).map_err(|problems| problems.to_string())
}

fn origin(effective: &Effective, section: &str, key: &str) -> String {
    let setting = effective.settings.iter().find(|setting| (setting.section, setting.key) == (section, key));
    setting.unwrap().origin.to_string()
}

const EXAMPLE: &str = include_str!("../../../../lodeward.example.toml");

#[test]
fn the_example_file_holds_the_defaults() {
    assert_eq!(from_file(EXAMPLE).unwrap().config, Config::default());
}

#[test]
fn the_example_file_mentions_every_key_in_its_section() {
    for (section, keys) in KEYS {
        let content = EXAMPLE.split(&format!("\n[{section}]\n")).nth(1).unwrap().split("\n[").next().unwrap();
        for key in *keys {
            let mentioned = content.lines().any(|line| line.trim_start_matches("# ").starts_with(&format!("{key} = ")));
            assert!(mentioned, "[{section}] {key}");
        }
    }
}

#[test]
fn the_example_file_shows_only_values_that_may_be_set() {
    let uncommented: String = EXAMPLE
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|line| is_setting(line)).unwrap_or(line).to_owned() + "\n")
        .collect();

    let settings = from_file(&uncommented).unwrap().settings;

    let unset: Vec<_> = settings.iter().filter(|setting| setting.origin == Origin::Default).collect();
    assert_eq!(unset, Vec::<&Setting>::new());
}

fn is_setting(line: &str) -> bool {
    KEYS.iter().flat_map(|(_, keys)| *keys).any(|key| line.starts_with(&format!("{key} = ")))
}

#[test]
fn an_upper_layer_hides_a_lower_one() {
    let template = toml::from_str("crawl.max_depth = 4\ncrawl.max_per_pld = 4\nfocus.keep = 4\n").unwrap();
    let sources = Sources {
        file: Some((
            PathBuf::from(FILE_NAME),
            "[crawl]\nmax_depth = 1\nseed = 1\nstay = true\nmax_per_pld = 1\n".to_owned(),
        )),
        environment: vec![
            ("LODEWARD_CRAWL_SEED".to_owned(), "2".to_owned()),
            ("LODEWARD_CRAWL_MAX_DEPTH".to_owned(), "2".to_owned()),
        ],
        template: Some(("template geography".to_owned(), template)),
        overrides: vec![Override { key: "crawl.max_depth", value: Value::from(3), flag: "--max-depth" }],
    };

    let effective = resolve(&sources).unwrap();

    let crawl = &effective.config.crawl;
    assert_eq!((crawl.max_depth, crawl.seed, crawl.stay), (Some(3), 2, true));
    assert_eq!(origin(&effective, "crawl", "max_depth"), "--max-depth");
    assert_eq!(origin(&effective, "crawl", "seed"), "LODEWARD_CRAWL_SEED");
    assert_eq!(origin(&effective, "crawl", "stay"), "lodeward.toml:4");
    assert_eq!(origin(&effective, "crawl", "links"), "default");
    assert_eq!((crawl.max_per_pld, effective.config.focus.keep), (Some(4), 4));
    assert_eq!(origin(&effective, "crawl", "max_per_pld"), "template geography");
}

#[test]
fn what_is_wrong_in_a_template_is_told_with_its_name() {
    let template = toml::from_str("crawl.max_dept = 4\n[focus]\nkeep = -1\n[focis]\nkeep = 1\n").unwrap();

    let problems = resolve(&Sources { template: Some(("template mine".to_owned(), template)), ..Sources::default() });

    let told = problems.unwrap_err().to_string();
    assert!(told.contains("template mine: unknown key `max_dept` in [crawl]; did you mean `max_depth` ?"), "{told}");
    assert!(told.contains("template mine: focus.keep: "), "{told}");
    assert!(told.contains("template mine: unknown section `focis`"), "{told}");
}

#[test]
fn all_problems_of_a_file_are_reported_with_their_lines() {
    let text = r#"
delay_ms = 5
[crawl]
max_request = 7
max_depth = "far"
links = "html"
include = ["(", "ok"]
[politness]
delay_ms = 0
[fetch]
connect_timeout_s = -1
proxy = "ftp://proxy.example:21"
resolve = ["a.example"]
"#;

    insta::assert_snapshot!(from_file(text).unwrap_err());
}

#[test]
fn a_file_that_is_not_toml_says_where() {
    insta::assert_snapshot!(from_file("[crawl]\nseed = \nstay = maybe\n").unwrap_err());
}

#[test]
fn a_variable_is_read_as_its_key_needs_it() {
    let effective = from_environment(&[
        ("LODEWARD_CRAWL_MAX_REQUESTS", "500"),
        ("LODEWARD_CRAWL_STAY", "true"),
        ("LODEWARD_CRAWL_LINKS", "rdf"),
        ("LODEWARD_CRAWL_INCLUDE", r"^https://a\.example/"),
        ("LODEWARD_CRAWL_EXCLUDE", r#"["a", "b"]"#),
        ("LODEWARD_FETCH_CONTACT", "4711"),
        ("LODEWARD_LOG", "debug"),
        ("LODEWARD_TOKEN", "lw_1_secret"),
        ("PATH", "/bin"),
    ]);

    let config = effective.unwrap().config;
    assert_eq!(config.crawl.max_requests, Some(500));
    assert!(config.crawl.stay);
    assert_eq!(config.crawl.links, Links::Rdf);
    assert_eq!(config.crawl.include, [r"^https://a\.example/"]);
    assert_eq!(config.crawl.exclude, ["a", "b"]);
    assert_eq!(config.fetch.contact.as_deref(), Some("4711"));
}

#[test]
fn a_variable_that_sets_nothing_is_a_problem() {
    let variables =
        [("LODEWARD_CRAWL_MAXDEPTH", "1"), ("LODEWARD_POLITNESS_DELAY_MS", "1"), ("LODEWARD_CRAWL_SEED", "x")];

    insta::assert_snapshot!(from_environment(&variables).unwrap_err());
}

#[test]
fn a_crawl_without_limits_has_one_all_the_same() {
    let check = |crawl: Crawl, documents_max| assert_eq!(crawl.documents_max(), documents_max);

    check(Crawl::default(), Some(100_000));
    check(Crawl { max_per_pld: Some(5), ..Crawl::default() }, Some(100_000));
    check(Crawl { max_requests: Some(5), ..Crawl::default() }, None);
    check(Crawl { max_depth: Some(0), ..Crawl::default() }, None);
    check(Crawl { max_relevant: Some(5), ..Crawl::default() }, None);
    check(Crawl { max_requests: Some(5), max_documents: Some(7), ..Crawl::default() }, Some(7));
    check(Crawl { max_documents: Some(0), ..Crawl::default() }, None);
}

#[test]
fn a_limit_of_hops_makes_them_strict() {
    let check = |crawl: Crawl, is_strict| assert_eq!(crawl.hops_are_strict(), is_strict);

    check(Crawl::default(), false);
    check(Crawl { max_per_pld: Some(5), ..Crawl::default() }, false);
    check(Crawl { strict_hops: true, ..Crawl::default() }, true);
    check(Crawl { max_per_hop: Some(5), ..Crawl::default() }, true);
    check(Crawl { max_per_pld_hop: Some(5), ..Crawl::default() }, true);
    check(Crawl { max_plds: Some(5), ..Crawl::default() }, true);
    check(Crawl { min_plds: Some(5), ..Crawl::default() }, true);
}

#[test]
fn what_is_printed_can_be_read_again() {
    let effective = from_file("[crawl]\ninclude = ['a\"b']\n[fetch]\nbody_bytes_max = 7\n").unwrap();

    let printed = effective.to_toml();

    assert_eq!(from_file(&printed).unwrap().config, effective.config);
}

/// Found by `make fuzz`: TOML's parser leaves numbers as they are written.
#[test]
fn a_number_that_is_none_is_a_problem_and_not_a_panic() {
    let check = |value: &str| {
        let problems = from_file(&format!("[crawl]\nmax_depth = {value}\n")).unwrap_err();
        assert!(problems.starts_with("lodeward.toml:2: "), "{problems}");
    };

    check("1e999");
    check("3e");
    check("99999999999999999999");
    check("[1, {a = 1e999}]");
}
