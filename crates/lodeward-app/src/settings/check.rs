//! Checks the values of settings beyond their types.

use std::net::{IpAddr, SocketAddr};

use oxrdf::NamedNode;
use regex::Regex;
use url::Url;

use super::{Config, CrawlSettings, FetchSettings};
use crate::settings::SecretText;
use lodeward::model::{Uri, UriError};

/// Maximum of `service.max_body_size`. The service holds a request body in memory.
const MAX_SERVICE_BODY_SIZE: u64 = 4_096_000_000;

/// A value of `extract.contexts` that is rejected, because contexts are not fetched from the web.
const FETCHED_CONTEXTS: &str = "fetch";

/// Returns every key whose value is invalid, with the reason.
pub(super) fn check(config: &Config) -> Vec<(&'static str, String)> {
    let mut found = Findings(Vec::new());
    found.check_positive(config);
    found.check_crawl(&config.crawl);
    found.check_fetch(&config.fetch);
    let contexts = &config.extract.contexts;
    let problem = "contexts are not fetched; write \"./fetch\" for a directory of that name";
    found.add_problem("extract.contexts", contexts, (contexts == FETCHED_CONTEXTS).then(|| problem.to_owned()));
    let urls = [
        ("remote_store.update_url", &config.remote_store.update_url),
        ("remote_store.graph_store_url", &config.remote_store.graph_store_url),
        ("seeds.labels_endpoint", &config.seeds.labels_endpoint),
        ("ranking.descriptions_endpoint", &config.ranking.descriptions_endpoint),
    ];
    for (key, url) in urls {
        found.check_url(key, url.as_deref());
    }
    for property in config.seeds.roles.values().flatten() {
        found.check_iri("seeds.roles", property);
    }
    for property in config.ranking.text_properties.iter().flatten() {
        found.check_iri("ranking.text_properties", property);
    }
    let base = &config.store.graph_base_iri;
    let is_base = NamedNode::new(base).is_ok() && base.ends_with(['/', ':', '#', '?', '=']);
    let problem = "not an absolute IRI that ends with `/`, `:`, `#`, `?` or `=`";
    found.add_problem("store.graph_base_iri", base, (!is_base).then(|| problem.to_owned()));
    found.check_strategy(&config.strategy);
    found.check_ranking(&config.ranking);
    found.check_service(&config.service);
    if config.refresh.min_interval > config.refresh.max_interval {
        found.0.push(("refresh.min_interval", "longer than refresh.max_interval".to_owned()));
    }
    found.0
}

struct Findings(Vec<(&'static str, String)>);

impl Findings {
    fn add_problem(&mut self, key: &'static str, value: &str, problem: Option<String>) {
        self.0.extend(problem.map(|problem| (key, format!("`{value}`: {problem}"))));
    }

    fn check_crawl(&mut self, crawl: &CrawlSettings) {
        for pattern in &crawl.include {
            self.add_problem("crawl.include", pattern, pattern_problem(pattern));
        }
        for pattern in &crawl.exclude {
            self.add_problem("crawl.exclude", pattern, pattern_problem(pattern));
        }
        for predicate in &crawl.follow_predicates {
            self.check_iri("crawl.follow_predicates", predicate);
        }
        for extension in crawl.skip_extensions.iter().flatten() {
            let is_extension = !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let problem = (!is_extension).then(|| "not an extension such as `png` or `ttl`".to_owned());
            self.add_problem("crawl.skip_extensions", extension, problem);
        }
    }

    fn check_fetch(&mut self, fetch: &FetchSettings) {
        for entry in &fetch.resolve {
            self.add_problem("fetch.resolve", entry, resolve_problem(entry));
        }
        if let Some(proxy) = &fetch.proxy {
            self.add_problem("fetch.proxy", proxy, proxy_problem(proxy));
        }
        let header_values = [
            ("fetch.user_agent", &fetch.user_agent),
            ("fetch.contact", &fetch.contact),
            ("fetch.accept", &fetch.accept),
        ];
        for (key, value) in header_values {
            if let Some(value) = value {
                let is_valid = !value.trim().is_empty() && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
                let problem = "empty, or not valid in an HTTP header";
                self.add_problem(key, value, (!is_valid).then(|| problem.to_owned()));
            }
        }
    }

    /// Adds a problem for each check that failed.
    fn add_failed(&mut self, checks: &[(&'static str, bool, &str)]) {
        let failed = checks.iter().filter(|(_, is_valid, _)| !is_valid);
        self.0.extend(failed.map(|(key, _, problem)| (*key, (*problem).to_owned())));
    }

    fn check_iri(&mut self, key: &'static str, value: &str) {
        self.add_problem(key, value, NamedNode::new(value).err().map(|_| "not an absolute IRI".to_owned()));
    }

    fn check_url(&mut self, key: &'static str, url: Option<&str>) {
        let Some(url) = url else { return };
        let problem = Uri::parse(url).err();
        // Passwords are not shown, not even in a URL that is rejected because of its password.
        let shown = if problem == Some(UriError::Credentials) { SecretText::MASK } else { url };
        self.add_problem(key, shown, problem.map(|error| error.to_string()));
    }

    fn check_strategy(&mut self, strategy: &super::StrategySettings) {
        let super::StrategySettings { learned, ldcoc, .. } = strategy;
        let features = ldcoc.features.parse::<lodeward::select::ldcoc::FeatureSet>();
        self.0.extend(features.err().map(|error| ("strategy.ldcoc.features", error.to_string())));
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let is_not_negative = |value: f64| value.is_finite() && value >= 0.0;
        self.add_failed(&[
            ("strategy.learned.noise", is_not_negative(learned.noise), "must not be below 0"),
            ("strategy.ldcoc.tau", (0.0..1.0).contains(&ldcoc.tau), "must be at least 0 and below 1"),
            ("strategy.ldcoc.epsilon", ldcoc.epsilon > 0.0 && ldcoc.epsilon <= 1.0, "must be above 0 and at most 1"),
            ("strategy.ldcoc.alpha", is_positive(ldcoc.alpha), "must be above 0"),
            ("strategy.ldcoc.beta", is_positive(ldcoc.beta), "must be above 0"),
            ("strategy.ldcoc.l1", is_not_negative(ldcoc.l1), "must not be below 0"),
            ("strategy.ldcoc.l2", is_not_negative(ldcoc.l2), "must not be below 0"),
        ]);
    }

    fn check_ranking(&mut self, ranking: &super::RankingSettings) {
        // The value is not shown, because a URL may contain a password.
        let reference = ranking.reference_graph.parse::<crate::settings::ReferenceSource>();
        self.0.extend(reference.err().map(|problem| ("ranking.reference_graph", problem.to_string())));
        let published = &ranking.published;
        let is_share = |value: f64| value > 0.0 && value <= 1.0;
        let share = "must be above 0 and at most 1";
        self.add_failed(&[
            ("ranking.published.katz_alpha", is_share(published.katz_alpha), share),
            ("ranking.published.katz_length", (1..=16).contains(&published.katz_length), "must be between 1 and 16"),
            ("ranking.published.path_max", (1..=64).contains(&published.path_max), "must be between 1 and 64"),
            ("ranking.published.njsim_alpha", is_share(published.njsim_alpha), share),
            ("ranking.published.njsim_tau", (1..=8).contains(&published.njsim_tau), "must be between 1 and 8"),
            (
                "ranking.published.pagerank_damping",
                (0.0..1.0).contains(&published.pagerank_damping),
                "must be at least 0 and below 1",
            ),
        ]);
    }

    fn check_service(&mut self, service: &super::ServiceSettings) {
        let is_address = service.listen.parse::<SocketAddr>().is_ok();
        let problem = "not an IP address and a port, such as 127.0.0.1:7474";
        self.add_problem("service.listen", &service.listen, (!is_address).then(|| problem.to_owned()));
        if let Some(url) = &service.public_url {
            let problem = public_url_problem(url);
            // Passwords are not shown, not even in a URL that is rejected because of its password.
            let shown = if url.contains('@') { SecretText::MASK } else { url };
            self.add_problem("service.public_url", shown, problem);
        }
        let roles: [(_, &String, &[&str]); 2] = [
            ("service.update_role", &service.update_role, &["operator", "admin"]),
            ("service.federation_role", &service.federation_role, &["reader", "operator", "admin"]),
        ];
        for (key, role, known) in roles {
            let problem = (!known.contains(&role.as_str())).then(|| format!("not one of {}", known.join(", ")));
            self.add_problem(key, role, problem);
        }
        let allowed = service.allowed_domains.iter().map(|domain| ("service.allowed_domains", domain));
        let denied = service.denied_domains.iter().map(|domain| ("service.denied_domains", domain));
        for (key, domain) in allowed.chain(denied) {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']');
            let is_domain = !domain.trim_matches('.').is_empty() && domain.bytes().all(is_plain);
            let problem = "not a domain such as example.org (write non-ASCII domains in punycode)";
            self.add_problem(key, domain, (!is_domain).then(|| problem.to_owned()));
        }
        if service.max_body_size > MAX_SERVICE_BODY_SIZE {
            let max = super::units::format_size(MAX_SERVICE_BODY_SIZE);
            self.0.push(("service.max_body_size", format!("more than {max}")));
        }
    }

    /// Rejects 0 for limits that would prevent a crawl or the service from doing anything.
    fn check_positive(&mut self, config: &Config) {
        let Config { crawl, politeness, fetch, remote_store, service, ranking, seeds, .. } = config;
        let zero = [
            ("crawl.max_requests", crawl.max_requests == Some(0)),
            ("crawl.max_documents_per_domain", crawl.max_documents_per_domain == Some(0)),
            ("crawl.max_rdf_documents", crawl.max_rdf_documents == Some(0)),
            ("crawl.hops.max_documents", crawl.hops.max_documents == Some(0)),
            ("crawl.hops.max_documents_per_domain", crawl.hops.max_documents_per_domain == Some(0)),
            ("crawl.hops.max_domains", crawl.hops.max_domains == Some(0)),
            ("politeness.max_concurrent_requests", politeness.max_concurrent_requests == 0),
            ("politeness.max_consecutive_failures", politeness.max_consecutive_failures == 0),
            ("fetch.connect_timeout", fetch.connect_timeout.is_zero()),
            ("fetch.read_timeout", fetch.read_timeout.is_zero()),
            ("fetch.document_timeout", fetch.document_timeout.is_zero()),
            ("fetch.max_document_size", fetch.max_document_size == 0),
            ("ranking.max_candidates_per_hop", ranking.max_candidates_per_hop == 0),
            ("ranking.max_listed", ranking.max_listed == 0),
            ("seeds.max_matches_per_label", seeds.max_matches_per_label == 0),
            ("seeds.max_from_records", seeds.max_from_records == 0),
            ("remote_store.max_batch_size", remote_store.max_batch_size == 0),
            ("remote_store.timeout", remote_store.timeout.is_zero()),
            ("service.max_running_crawls", service.max_running_crawls == 0),
            ("service.max_crawls_per_user", service.max_crawls_per_user == 0),
            ("service.max_documents_per_crawl", service.max_documents_per_crawl == 0),
            ("service.max_body_size", service.max_body_size == 0),
            ("service.request_timeout", service.request_timeout.is_zero()),
            ("service.query_timeout", service.query_timeout.is_zero()),
            ("service.max_concurrent_queries", service.max_concurrent_queries == 0),
            ("service.session_lifetime", service.session_lifetime.is_zero()),
        ];
        let zero = zero.into_iter().filter(|(_, is_zero)| *is_zero);
        self.0.extend(zero.map(|(key, _)| (key, "must be above 0".to_owned())));
    }
}

/// Returns the reason why a regular expression is invalid: the last line of its error message. The
/// lines before it show the position.
fn pattern_problem(pattern: &str) -> Option<String> {
    let error = Regex::new(pattern).err()?.to_string();
    let reason = error.lines().next_back().unwrap_or_default();
    Some(reason.strip_prefix("error: ").unwrap_or(reason).to_owned())
}

fn resolve_problem(entry: &str) -> Option<String> {
    let address = entry.split_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, address)| address);
    let is_address = |text: &str| text.parse::<IpAddr>().is_ok() || text.parse::<SocketAddr>().is_ok();
    (!address.is_some_and(is_address)).then(|| "not of the form host:address".to_owned())
}

fn proxy_problem(proxy: &str) -> Option<String> {
    match Url::parse(proxy) {
        Ok(url) if url.has_host() && matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") => None,
        Ok(_) => Some("not the URL of an HTTP or SOCKS proxy".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Checks that a URL has no path: a service is reached at the root of its host.
fn public_url_problem(text: &str) -> Option<String> {
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return Some(error.to_string()),
    };
    let is_web = url.has_host() && matches!(url.scheme(), "http" | "https");
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    let is_valid = is_web && is_bare && !has_credentials;
    (!is_valid).then(|| "not scheme, host and port, such as https://crawls.example.org".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{RankingSettings, ServiceSettings};
    use super::{Config, check};

    #[test]
    fn a_password_in_a_url_is_rejected_and_not_shown() {
        let mut config = Config::default();
        config.remote_store.update_url = Some("http://ali:sesame@a.example/".to_owned());
        let findings = format!("{:?}", check(&config));
        assert!(findings.contains("remote_store.update_url") && !findings.contains("sesame"), "{findings}");
    }

    #[test]
    fn parameters_of_published_rankers_have_ranges() {
        let mut config = Config::default();
        config.ranking.reference_graph = "endpoint:http://ali:sesame@a.example/".to_owned();
        let published = &mut config.ranking.published;
        (published.katz_alpha, published.katz_length, published.path_max) = (f64::NAN, 0, 0);
        (published.njsim_alpha, published.njsim_tau, published.pagerank_damping) = (1.5, 0, 1.0);
        let findings = check(&config);
        let keys: Vec<_> = findings.iter().map(|(key, _)| key.rsplit('.').next().unwrap()).collect();
        let expected = [
            "reference_graph",
            "katz_alpha",
            "katz_length",
            "path_max",
            "njsim_alpha",
            "njsim_tau",
            "pagerank_damping",
        ];
        assert_eq!(keys, expected);
        assert!(!format!("{findings:?}").contains("sesame"), "{findings:?}");
    }

    #[test]
    fn ranking_settings_are_checked() {
        let check_ranking = |change: fn(&mut RankingSettings), expected: &[(&str, &str)]| {
            let mut config = Config::default();
            change(&mut config.ranking);
            let findings = check(&config);
            let is_as_expected = |(found, (key, problem)): (&(&str, String), &(&str, &str))| {
                found.0 == *key && found.1.contains(problem)
            };
            assert_eq!(findings.len(), expected.len(), "{findings:?}");
            assert!(findings.iter().zip(expected).all(is_as_expected), "{findings:?}");
            assert!(!format!("{findings:?}").contains("sesame"), "{findings:?}");
        };

        check_ranking(|_| {}, &[]);
        let key = "ranking.max_candidates_per_hop";
        check_ranking(|ranking| ranking.max_candidates_per_hop = 0, &[(key, "above 0")]);
        check_ranking(|ranking| ranking.max_listed = 0, &[("ranking.max_listed", "above 0")]);
        let property = "`label`: not an absolute IRI";
        check_ranking(
            |ranking| ranking.text_properties = Some(vec!["urn:p".to_owned(), "label".to_owned()]),
            &[("ranking.text_properties", property)],
        );
        let key = "ranking.descriptions_endpoint";
        check_ranking(|ranking| ranking.descriptions_endpoint = Some("https://a.example/sparql".to_owned()), &[]);
        check_ranking(|ranking| ranking.descriptions_endpoint = Some("ftp://a.example/".to_owned()), &[(key, "ftp:")]);
        check_ranking(
            |ranking| ranking.descriptions_endpoint = Some("http://ali:sesame@a.example/".to_owned()),
            &[(key, "")],
        );
    }

    #[test]
    fn contexts_are_not_fetched() {
        let mut config = Config::default();
        config.extract.contexts = "fetch".to_owned();
        assert_eq!(check(&config)[0].0, "extract.contexts");
    }

    #[test]
    fn service_settings_are_checked() {
        let check_service = |change: fn(&mut ServiceSettings), expected: Option<&str>| {
            let mut config = Config::default();
            change(&mut config.service);
            let findings = check(&config);
            let keys: Vec<_> = findings.iter().map(|(key, _)| *key).collect();
            assert_eq!(keys, Vec::from_iter(expected), "{findings:?}");
            assert!(!format!("{findings:?}").contains("sesame"), "{findings:?}");
        };

        check_service(|_| {}, None);
        check_service(|service| service.listen = "localhost".to_owned(), Some("service.listen"));
        check_service(|service| service.listen = "[::1]:80".to_owned(), None);
        check_service(|service| service.public_url = Some("https://a.example".to_owned()), None);
        check_service(
            |service| service.public_url = Some("https://a.example/b".to_owned()),
            Some("service.public_url"),
        );
        check_service(
            |service| service.public_url = Some("https://ali:sesame@a.example".to_owned()),
            Some("service.public_url"),
        );
        check_service(|service| service.update_role = "reader".to_owned(), Some("service.update_role"));
        check_service(|service| service.federation_role = "reader".to_owned(), None);
        check_service(|service| service.federation_role = "root".to_owned(), Some("service.federation_role"));
        check_service(|service| service.allowed_domains = vec!["example.org".to_owned()], None);
        check_service(
            |service| service.denied_domains = vec!["https://example.org/".to_owned()],
            Some("service.denied_domains"),
        );
        check_service(|service| service.max_body_size = u64::MAX, Some("service.max_body_size"));
        let key = "service.max_concurrent_queries";
        check_service(|service| service.max_concurrent_queries = 0, Some(key));
    }
}
