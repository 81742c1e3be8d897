//! Tests of the sources of settings, and of the example file.

use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use lodeward::engine::FollowedLinks;

fn from_file(text: &str) -> Result<EffectiveSettings, String> {
    resolve(&SettingSources { file: Some((PathBuf::from(FILE_NAME), text.to_owned())), ..SettingSources::default() })
        .map_err(|problems| problems.to_string())
}

fn from_environment(variables: &[(&str, &str)]) -> Result<EffectiveSettings, String> {
    let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    resolve(&SettingSources { environment, ..SettingSources::default() }).map_err(|problems| problems.to_string())
}

fn from_assignments(assignments: &[&str]) -> Result<EffectiveSettings, String> {
    let assignments = assignments.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    resolve(&SettingSources { assignments, ..SettingSources::default() }).map_err(|problems| problems.to_string())
}

fn origin(effective: &EffectiveSettings, section: &str, key: &str) -> String {
    let setting = effective.settings.iter().find(|setting| (setting.row.section, setting.row.key) == (section, key));
    setting.unwrap().origin.to_string()
}

fn row(name: &str) -> &'static SettingRow {
    ROWS.iter().find(|row| row.name() == name).unwrap()
}

const EXAMPLE: &str = include_str!("../../../../lodeward.example.toml");

#[test]
fn the_example_file_is_generated_from_the_table() {
    let is_current = EXAMPLE == example_file();
    assert!(is_current, "run `cargo run -p lodeward-cli -- config --example > lodeward.example.toml`");
}

#[test]
fn the_example_file_holds_the_defaults() {
    assert_eq!(from_file(&example_file()).unwrap().config, Config::default());
}

#[test]
fn the_example_file_shows_only_values_that_may_be_set() {
    let settings = from_file(&example_settings()).unwrap().settings;

    let unset = settings.iter().filter(|setting| setting.origin == SettingOrigin::Default);
    let unset: Vec<_> = unset.filter(|setting| setting.row.kind != SettingKind::Secret).collect();
    assert!(unset.is_empty(), "{unset:?}");
}

#[test]
fn a_later_source_overrides_an_earlier_one() {
    let template =
        toml::from_str("crawl.max_depth = 4\ncrawl.hops.max_documents = 4\nranking.max_candidates_per_hop = 4\n")
            .unwrap();
    let sources = SettingSources {
        file: Some((
            PathBuf::from(FILE_NAME),
            "[crawl]\nmax_depth = 1\nrng_seed = 1\nstay = \"domain\"\n[crawl.hops]\nmax_documents = 1\nstrict = true\n"
                .to_owned(),
        )),
        environment: vec![
            ("LODEWARD_CRAWL_RNG_SEED".to_owned(), "2".to_owned()),
            ("LODEWARD_CRAWL_MAX_DEPTH".to_owned(), "2".to_owned()),
        ],
        crawl: Some(("crawl `a`".to_owned(), toml::from_str("crawl.links = \"rdf\"\ncrawl.rng_seed = 2\n").unwrap())),
        template: Some(("template geography".to_owned(), template)),
        overrides: vec![FlagOverride { row: row("crawl.max_depth"), value: Value::from(3) }],
        assignments: vec![Assignment::parse("crawl.hops.min_domains=7").unwrap()],
    };

    let effective = resolve(&sources).unwrap();

    let crawl = &effective.config.crawl;
    assert_eq!((crawl.max_depth, crawl.rng_seed, crawl.stay), (Some(3), 2, StayScope::Domain));
    assert_eq!(origin(&effective, "crawl", "max_depth"), "--max-depth");
    assert_eq!(origin(&effective, "crawl", "rng_seed"), "crawl `a`");
    assert!(effective.ignored.is_empty(), "{:?}", effective.ignored);
    assert_eq!(origin(&effective, "crawl", "stay"), "lodeward.toml:4");
    assert_eq!(origin(&effective, "crawl", "links"), "crawl `a`");
    assert_eq!(origin(&effective, "crawl", "include"), "default");
    assert_eq!(origin(&effective, "crawl.hops", "strict"), "lodeward.toml:7");
    assert_eq!((crawl.hops.max_documents, effective.config.ranking.max_candidates_per_hop), (Some(4), 4));
    assert_eq!(origin(&effective, "crawl.hops", "max_documents"), "template geography");
    assert_eq!(crawl.hops.min_domains, Some(7));
    assert_eq!(origin(&effective, "crawl.hops", "min_domains"), "--set crawl.hops.min_domains=7");
}

#[test]
fn problems_of_a_template_are_reported_with_its_name() {
    let template =
        toml::from_str("crawl.max_dept = 4\n[ranking]\nmax_listed = -1\n[rankings]\nmax_listed = 1\n").unwrap();

    let problems = resolve(&SettingSources {
        template: Some(("template mine".to_owned(), template)),
        ..SettingSources::default()
    });

    let message = problems.unwrap_err().to_string();
    let expected = "template mine: unknown key `max_dept` in [crawl]; hint: did you mean `max_depth`?";
    assert!(message.contains(expected), "{message}");
    assert!(message.contains("template mine: ranking.max_listed: "), "{message}");
    assert!(message.contains("template mine: unknown section `rankings`"), "{message}");
}

#[test]
fn all_problems_of_a_file_are_reported_with_their_lines() {
    let text = r#"
delay = 5
[crawl]
max_request = 7
max_depth = "far"
links = "html"
include = ["(", "ok"]
[crawl.hops]
strikt = true
[politness]
delay = 0
[politeness]
delay = 500
[fetch]
connect_timeout = -1
proxy = "ftp://proxy.example:21"
resolve = ["a.example"]
max_document_size = "50 megabytes"
[remote_store]
password = "sesame"
"#;

    insta::assert_snapshot!(from_file(text).unwrap_err());
}

#[test]
fn former_names_are_rejected_with_the_names_of_today() {
    let text = r"
[crawl]
max_per_pld = 7
strict_hops = true
[select]
noise = 0
[politeness]
delay_ms = 0
robots_ttl_h = 24
";

    insta::assert_snapshot!(from_file(text).unwrap_err());
    let variables = [("LODEWARD_SELECT_NOISE", "0"), ("LODEWARD_FRONTIER_CACHE_MB", "64")];
    insta::assert_snapshot!("former_variables", from_environment(&variables).unwrap_err());
}

#[test]
fn a_file_that_is_not_toml_is_rejected_with_its_lines() {
    insta::assert_snapshot!(from_file("[crawl]\nrng_seed = \nstay = maybe\n").unwrap_err());
}

#[test]
fn a_variable_gets_the_type_of_its_key() {
    let effective = from_environment(&[
        ("LODEWARD_CRAWL_MAX_REQUESTS", "500"),
        ("LODEWARD_CRAWL_STAY", "host"),
        ("LODEWARD_CRAWL_LINKS", "rdf"),
        ("LODEWARD_CRAWL_INCLUDE", r"^https://a\.example/"),
        ("LODEWARD_CRAWL_EXCLUDE", r#"["a", "b"]"#),
        ("LODEWARD_CRAWL__HOPS__STRICT", "true"),
        ("LODEWARD_STRATEGY__LINK_ANALYSIS__TERM_LISTS_DIR", "lists"),
        ("LODEWARD_POLITENESS_DELAY", "500ms"),
        ("LODEWARD_FETCH_CONTACT", "4711"),
        ("LODEWARD_REMOTE_STORE_PASSWORD", "sesame"),
        ("LODEWARD_LOG", "debug"),
        ("LODEWARD_TOKEN", "lw_1_secret"),
        ("LODEWARD_TEST_TORTURE", "1"),
        ("PATH", "/bin"),
    ]);

    let config = effective.unwrap().config;
    assert_eq!(config.crawl.max_requests, Some(500));
    assert_eq!(config.crawl.stay, StayScope::Host);
    assert_eq!(config.crawl.links, FollowedLinks::Rdf);
    assert_eq!(config.crawl.include, [r"^https://a\.example/"]);
    assert_eq!(config.crawl.exclude, ["a", "b"]);
    assert!(config.crawl.hops.strict);
    assert_eq!(config.strategy.link_analysis.term_lists_dir.as_deref(), Some("lists"));
    assert_eq!(config.politeness.delay, Duration::from_millis(500));
    assert_eq!(config.fetch.contact.as_deref(), Some("4711"));
    assert!(config.remote_store.password.is_some());
}

#[test]
fn a_variable_that_is_not_a_setting_is_a_problem() {
    let variables = [
        ("LODEWARD_CRAWL_MAXDEPTH", "1"),
        ("LODEWARD_POLITNESS_DELAY", "1s"),
        ("LODEWARD_CRAWL_RNG_SEED", "x"),
        ("LODEWARD_CRAWL__HOPS__STRIKT", "true"),
        ("LODEWARD_POLITENESS_DELAY", "500"),
    ];

    insta::assert_snapshot!(from_environment(&variables).unwrap_err());
}

#[test]
fn predicates_to_follow_may_have_usual_prefixes() {
    let config =
        from_assignments(&["crawl.follow_predicates=[\"foaf:knows\", \"http://a.example/p\"]"]).unwrap().config;

    let followed = crate::settings::options::scope(&config, &[]).unwrap().follow_predicates;
    assert!(followed.contains("http://xmlns.com/foaf/0.1/knows") && followed.contains("http://a.example/p"));
    let unknown = from_assignments(&["crawl.follow_predicates=[\"nonsense:knows\"]"]).unwrap_err();
    assert!(unknown.contains("`nonsense:knows`: unknown prefix; write the whole IRI"), "{unknown}");
}

#[test]
fn an_assignment_is_toml_or_text() {
    let effective = from_assignments(&[
        "crawl.hops.strict=true",
        "politeness.delay=250ms",
        "fetch.max_document_size=\"1MB\"",
        "crawl.follow_predicates=[\"http://www.w3.org/2002/07/owl#sameAs\"]",
        "fetch.accept=text/turtle, application/rdf+xml;q=0.9",
    ]);

    let config = effective.unwrap().config;
    assert!(config.crawl.hops.strict);
    assert_eq!(config.politeness.delay, Duration::from_millis(250));
    assert_eq!(config.fetch.max_document_size, ByteSize(1_000_000));
    assert_eq!(config.crawl.follow_predicates, ["http://www.w3.org/2002/07/owl#sameAs"]);
    assert_eq!(config.fetch.accept.as_deref(), Some("text/turtle, application/rdf+xml;q=0.9"));
}

#[test]
fn an_assignment_to_an_unknown_key_is_a_problem() {
    let assignments =
        ["max_depth=3", "crawl.hop.strict=true", "crawl.strict=true", "select.noise=0", "remote_store.token=x"];

    insta::assert_snapshot!(from_assignments(&assignments).unwrap_err());
    let problem = Assignment::parse("crawl.max_depth").unwrap_err();
    assert_eq!(problem.message, "`crawl.max_depth` is not of the form KEY=VALUE");
}

#[test]
fn a_crawl_without_limits_has_a_document_limit() {
    let check = |crawl: CrawlSettings, max_documents| assert_eq!(crawl.effective_max_documents(), max_documents);

    check(CrawlSettings::default(), Some(100_000));
    check(CrawlSettings { max_documents_per_domain: Some(5), ..CrawlSettings::default() }, Some(100_000));
    check(CrawlSettings { max_requests: Some(5), ..CrawlSettings::default() }, None);
    check(CrawlSettings { max_depth: Some(0), ..CrawlSettings::default() }, None);
    check(CrawlSettings { max_rdf_documents: Some(5), ..CrawlSettings::default() }, None);
    check(CrawlSettings { max_requests: Some(5), max_documents: Some(7), ..CrawlSettings::default() }, Some(7));
    check(CrawlSettings { max_documents: Some(0), ..CrawlSettings::default() }, None);
}

#[test]
fn a_limit_of_hops_makes_them_strict() {
    let check = |hops: HopSettings, is_strict| {
        assert_eq!(CrawlSettings { hops, ..CrawlSettings::default() }.has_strict_hops(), is_strict);
    };

    check(HopSettings::default(), false);
    assert!(!CrawlSettings { max_documents_per_domain: Some(5), ..CrawlSettings::default() }.has_strict_hops());
    check(HopSettings { strict: true, ..HopSettings::default() }, true);
    check(HopSettings { max_documents: Some(5), ..HopSettings::default() }, true);
    check(HopSettings { max_documents_per_domain: Some(5), ..HopSettings::default() }, true);
    check(HopSettings { max_domains: Some(5), ..HopSettings::default() }, true);
    check(HopSettings { min_domains: Some(5), ..HopSettings::default() }, true);
}

#[test]
fn printed_settings_can_be_read_back() {
    let text = "[crawl]\ninclude = ['a\"b']\n[crawl.hops]\nstrict = true\n[fetch]\nmax_document_size = \"7B\"\n\
                [politeness]\ndelay = \"1500ms\"\n[strategy.link-analysis]\nlearn_from_embedded = true\n";
    let effective = from_file(text).unwrap();

    let printed = effective.to_toml();

    assert_eq!(from_file(&printed).unwrap().config, effective.config);
    assert!(printed.contains("max_document_size = \"7B\"") && printed.contains("delay = \"1500ms\""), "{printed}");
}

/// Found by `make fuzz`: the TOML parser does not validate numbers.
#[test]
fn an_invalid_number_is_a_problem_and_not_a_panic() {
    let check = |value: &str| {
        let problems = from_file(&format!("[crawl]\nmax_depth = {value}\n")).unwrap_err();
        assert!(problems.starts_with("lodeward.toml:2: "), "{problems}");
    };

    check("1e999");
    check("3e");
    check("99999999999999999999");
    check("[1, {a = 1e999}]");
}

#[test]
fn tuning_is_set_by_name() {
    let mut tuning = StrategyTuning::default();

    for key in StrategyTuning::KEYS {
        assert_eq!(tuning.set(key, if *key == "bits" { "12" } else { "1" }), Ok(()), "{key}");
    }
    let expected =
        StrategyTuning { bits: 12, max_names: 1, noise: 1.0, hub_weight: 1.0, breadth: 1.0, hold_share: 1.0 };
    assert_eq!(tuning, expected);
    for (key, value) in [
        ("bits", "9"),
        ("bits", "29"),
        ("noise", "much"),
        ("hub_weight", "-1"),
        ("breadth", "nan"),
        ("hold_share", "2"),
    ] {
        assert!(tuning.set(key, value).is_err(), "{key}");
    }
    assert!(tuning.set("prior", "0").is_err());
}

/// The example file, with all settings.
fn example_settings() -> String {
    let is_setting = |line: &&str| ROWS.iter().any(|row| line.starts_with(&format!("{} = ", row.key)));
    let lines = EXAMPLE.lines().map(|line| line.strip_prefix("# ").filter(is_setting).unwrap_or(line));
    lines.filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n")
}

proptest! {
    #[test]
    fn damaged_settings_are_reported_and_printed_settings_are_read_again(
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<char>()), 0..4),
        variable in "LODEWARD_[A-Z_]{1,20}=[a-z0-9]{0,5}",
    ) {
        let mut text: Vec<char> = example_settings().chars().collect();
        for (index, character) in edits {
            let index = index.index(text.len());
            text[index] = character;
        }
        let file = Some((PathBuf::from("lodeward.toml"), text.into_iter().collect()));
        let (name, value) = variable.split_once('=').unwrap();
        let environment = vec![(name.to_owned(), value.to_owned())];
        match resolve(&SettingSources { file, environment, ..SettingSources::default() }) {
            Ok(effective) => {
                let file = Some((PathBuf::from("printed.toml"), effective.to_toml()));
                let again = resolve(&SettingSources { file, ..SettingSources::default() }).unwrap();
                let mut printed = effective.config.clone();
                // Secrets are not printed.
                (printed.remote_store.password, printed.remote_store.token) = (None, None);
                prop_assert_eq!(again.config, printed);
            }
            Err(problems) => prop_assert!(!problems.to_string().is_empty()),
        }
    }
}
