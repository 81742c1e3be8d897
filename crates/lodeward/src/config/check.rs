//! What a type cannot tell: whether values make sense.

use std::net::{IpAddr, SocketAddr};

use oxrdf::NamedNode;
use regex::Regex;
use url::Url;

use super::Config;
use crate::model::{Uri, UriError};
use crate::store::sparql::Secret;

/// Entities and links have numbers of 32 bits, and a link is seen from both ends.
const NUMBERED_MAX: usize = 1 << 31;

/// A request is held in memory.
const SERVICE_BODY_MB_MAX: usize = 4_096;

/// Tells for every key whose value makes no sense why.
pub(super) fn check(config: &Config) -> Vec<(&'static str, String)> {
    let mut found = Findings(Vec::new());
    found.positive(config);
    let Config { crawl, fetch, frontier, .. } = config;
    for pattern in &crawl.include {
        found.note("crawl.include", pattern, pattern_problem(pattern));
    }
    for pattern in &crawl.exclude {
        found.note("crawl.exclude", pattern, pattern_problem(pattern));
    }
    for predicate in &crawl.follow {
        found.iri("crawl.follow", predicate);
    }
    for extension in crawl.skip_extensions.iter().flatten() {
        let is_extension = !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let problem = (!is_extension).then(|| "not an extension, as `png` or `ttl`".to_owned());
        found.note("crawl.skip_extensions", extension, problem);
    }
    for entry in &fetch.resolve {
        found.note("fetch.resolve", entry, resolve_problem(entry));
    }
    if let Some(proxy) = &fetch.proxy {
        found.note("fetch.proxy", proxy, proxy_problem(proxy));
    }
    let sent =
        [("fetch.user_agent", &fetch.user_agent), ("fetch.contact", &fetch.contact), ("fetch.accept", &fetch.accept)];
    for (key, value) in sent {
        if let Some(value) = value {
            let sendable = !value.trim().is_empty() && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
            let problem = "empty, or not to be sent in an HTTP header";
            found.note(key, value, (!sendable).then(|| problem.to_owned()));
        }
    }
    let addresses = [
        ("sparql.update", &config.sparql.update),
        ("sparql.graph_store", &config.sparql.graph_store),
        ("seeds.labels_at", &config.seeds.labels_at),
        ("focus.endpoint", &config.focus.endpoint),
    ];
    for (key, address) in addresses {
        found.address(key, address.as_deref());
    }
    for property in config.seeds.roles.values().flatten() {
        found.iri("seeds.roles", property);
    }
    for property in config.focus.text_properties.iter().flatten() {
        found.iri("focus.text_properties", property);
    }
    let base = &config.store.base;
    let is_base = NamedNode::new(base).is_ok() && base.ends_with(['/', ':', '#', '?', '=']);
    let problem = "not an absolute IRI that ends where a name can go on, as with `/` or `:`";
    found.note("store.base", base, (!is_base).then(|| problem.to_owned()));
    found.select(&config.select);
    found.focus(&config.focus);
    found.service(&config.service);
    let refresh = &config.refresh;
    if !(refresh.factor.is_finite() && refresh.factor > 0.0) {
        found.0.push(("refresh.factor", "not above 0".to_owned()));
    }
    if refresh.min_hours > refresh.max_days.saturating_mul(24) {
        found.0.push(("refresh.min_hours", "longer than refresh.max_days".to_owned()));
    }
    if frontier.heads_per_pld > frontier.heads_total {
        found.0.push(("frontier.heads_per_pld", "more than frontier.heads_total".to_owned()));
    }
    found.0
}

struct Findings(Vec<(&'static str, String)>);

impl Findings {
    fn note(&mut self, key: &'static str, value: &str, problem: Option<String>) {
        self.0.extend(problem.map(|problem| (key, format!("`{value}`: {problem}"))));
    }

    fn iri(&mut self, key: &'static str, value: &str) {
        self.note(key, value, NamedNode::new(value).err().map(|_| "not an absolute IRI".to_owned()));
    }

    /// The address of a service, if there is one.
    fn address(&mut self, key: &'static str, address: Option<&str>) {
        let Some(address) = address else { return };
        let problem = Uri::parse(address).err();
        // A password is not shown, not even where it must not be.
        let shown = if problem == Some(UriError::Credentials) { Secret::SHOWN } else { address };
        self.note(key, shown, problem.map(|error| error.to_string()));
    }

    /// Where a number must be within bounds to make sense, and a name be one.
    fn select(&mut self, select: &super::Select) {
        let features = select.features.parse::<crate::select::ldcoc::FeatureSet>();
        self.0.extend(features.err().map(|error| ("select.features", error.to_string())));
        let finite_above_zero = |value: f64| value.is_finite() && value > 0.0;
        let not_negative = |value: f64| value.is_finite() && value >= 0.0;
        let checks = [
            ("select.bits", (10..=28).contains(&select.bits), "not between 10 and 28"),
            ("select.tau", (0.0..1.0).contains(&select.tau), "not between 0 and 1"),
            ("select.epsilon", select.epsilon > 0.0 && select.epsilon <= 1.0, "not above 0 and at most 1"),
            ("select.alpha", finite_above_zero(select.alpha), "not above 0"),
            ("select.beta", finite_above_zero(select.beta), "not above 0"),
            ("select.l1", not_negative(select.l1), "below 0"),
            ("select.l2", not_negative(select.l2), "below 0"),
            ("select.hub_weight", not_negative(select.hub_weight), "below 0"),
            ("select.noise", not_negative(select.noise), "below 0"),
            ("select.breadth", not_negative(select.breadth), "below 0"),
            ("select.hold_share", (0.0..=1.0).contains(&select.hold_share), "not between 0 and 1"),
        ];
        self.0.extend(
            checks.iter().filter(|(_, is_fine, _)| !is_fine).map(|(key, _, problem)| (*key, (*problem).to_owned())),
        );
    }

    /// What a focused crawl measures its seeds by.
    fn focus(&mut self, focus: &super::Focus) {
        // Without the value: an address may have a password in it.
        let reference = focus.reference.parse::<crate::rank::Reference>();
        self.0.extend(reference.err().map(|problem| ("focus.reference", problem.to_string())));
        let checks = [
            ("focus.katz_alpha", focus.katz_alpha > 0.0 && focus.katz_alpha <= 1.0, "not above 0 and at most 1"),
            ("focus.katz_length", (1..=16).contains(&focus.katz_length), "not between 1 and 16"),
            ("focus.path_max", (1..=64).contains(&focus.path_max), "not between 1 and 64"),
            ("focus.entities_max", focus.entities_max <= NUMBERED_MAX, "more than 2147483648"),
            ("focus.links_max", focus.links_max <= NUMBERED_MAX, "more than 2147483648"),
        ];
        self.0.extend(
            checks.iter().filter(|(_, is_fine, _)| !is_fine).map(|(key, _, problem)| (*key, (*problem).to_owned())),
        );
    }

    /// Whom a service serves, and where.
    fn service(&mut self, service: &super::Service) {
        let is_address = service.listen.parse::<SocketAddr>().is_ok();
        let problem = "not an address and a port, as 127.0.0.1:7474";
        self.note("service.listen", &service.listen, (!is_address).then(|| problem.to_owned()));
        if let Some(url) = &service.public_url {
            let problem = public_url_problem(url);
            // A password is not shown, not even where it must not be.
            let shown = if url.contains('@') { Secret::SHOWN } else { url };
            self.note("service.public_url", shown, problem);
        }
        let roles: [(_, &String, &[&str]); 2] = [
            ("service.update_role", &service.update_role, &["operator", "admin"]),
            ("service.federation_role", &service.federation_role, &["reader", "operator", "admin"]),
        ];
        for (key, role, known) in roles {
            let problem = (!known.contains(&role.as_str())).then(|| format!("not one of {}", known.join(", ")));
            self.note(key, role, problem);
        }
        let domains = service.allow_domains.iter().map(|domain| ("service.allow_domains", domain));
        for (key, domain) in domains.chain(service.deny_domains.iter().map(|domain| ("service.deny_domains", domain))) {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']');
            let is_domain = !domain.trim_matches('.').is_empty() && domain.bytes().all(is_plain);
            let problem = "not a domain, as example.org (others than ASCII in punycode)";
            self.note(key, domain, (!is_domain).then(|| problem.to_owned()));
        }
        if service.body_mb > SERVICE_BODY_MB_MAX {
            self.0.push(("service.body_mb", format!("more than {SERVICE_BODY_MB_MAX}")));
        }
    }

    /// Where 0 would mean a crawl that never does anything.
    fn positive(&mut self, config: &Config) {
        let Config { crawl, politeness, fetch, frontier, store, sparql, service, .. } = config;
        let zero = [
            ("crawl.max_requests", crawl.max_requests == Some(0)),
            ("crawl.max_per_pld", crawl.max_per_pld == Some(0)),
            ("crawl.max_relevant", crawl.max_relevant == Some(0)),
            ("crawl.max_per_hop", crawl.max_per_hop == Some(0)),
            ("crawl.max_per_pld_hop", crawl.max_per_pld_hop == Some(0)),
            ("crawl.max_plds", crawl.max_plds == Some(0)),
            ("politeness.requests_in_flight", politeness.requests_in_flight == 0),
            ("politeness.give_up_after", politeness.give_up_after == 0),
            ("fetch.connect_timeout_s", fetch.connect_timeout_s == 0),
            ("fetch.read_timeout_s", fetch.read_timeout_s == 0),
            ("fetch.document_timeout_s", fetch.document_timeout_s == 0),
            ("fetch.body_bytes_max", fetch.body_bytes_max == 0),
            ("fetch.ratio_max", fetch.ratio_max == 0),
            ("frontier.heads_total", frontier.heads_total == 0),
            ("frontier.heads_per_pld", frontier.heads_per_pld == 0),
            ("frontier.bloom_expected", frontier.bloom_expected == 0),
            ("frontier.group_documents", frontier.group_documents == 0),
            ("focus.keep", config.focus.keep == 0),
            ("focus.listed", config.focus.listed == 0),
            ("focus.entities_max", config.focus.entities_max == 0),
            ("focus.links_max", config.focus.links_max == 0),
            ("seeds.matches", config.seeds.matches == 0),
            ("seeds.max", config.seeds.max == 0),
            ("store.segment_mb", store.segment_mb == 0),
            ("sparql.batch_documents", sparql.batch_documents == 0),
            ("sparql.batch_kb", sparql.batch_kb == 0),
            ("sparql.timeout_s", sparql.timeout_s == 0),
            ("service.crawls_running", service.crawls_running == 0),
            ("service.crawls_per_user", service.crawls_per_user == 0),
            ("service.documents_max", service.documents_max == 0),
            ("service.body_mb", service.body_mb == 0),
            ("service.request_timeout_s", service.request_timeout_s == 0),
            ("service.query_timeout_s", service.query_timeout_s == 0),
            ("service.queries", service.queries == 0),
            ("service.session_hours", service.session_hours == 0),
        ];
        let zero = zero.into_iter().filter(|(_, is_zero)| *is_zero);
        self.0.extend(zero.map(|(key, _)| (key, "must be at least 1".to_owned())));
    }
}

/// The last line says what is wrong; those before it draw where.
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
        Ok(_) => Some("not the address of an HTTP or SOCKS proxy".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Others know a service by scheme, host and port, and by nothing else.
fn public_url_problem(text: &str) -> Option<String> {
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return Some(error.to_string()),
    };
    let is_web = url.has_host() && matches!(url.scheme(), "http" | "https");
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    let is_fine = is_web && is_bare && !has_credentials;
    (!is_fine).then(|| "not scheme, host and port, as https://crawls.example.org".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Config, check};

    #[test]
    fn a_password_in_an_address_is_found_and_not_shown() {
        let mut config = Config::default();
        config.sparql.update = Some("http://ali:sesame@a.example/".to_owned());
        let findings = format!("{:?}", check(&config));
        assert!(findings.contains("sparql.update") && !findings.contains("sesame"), "{findings}");
    }

    #[test]
    fn what_seeds_cannot_be_measured_by_is_found() {
        let mut config = Config::default();
        config.focus.reference = "endpoint:http://ali:sesame@a.example/".to_owned();
        config.focus.katz_alpha = f64::NAN;
        config.focus.katz_length = 0;
        config.focus.path_max = 0;
        let findings = check(&config);
        let keys: Vec<_> = findings.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ["focus.reference", "focus.katz_alpha", "focus.katz_length", "focus.path_max"]);
        assert!(!format!("{findings:?}").contains("sesame"), "{findings:?}");
    }

    #[test]
    fn a_focus_that_finds_nothing_is_found() {
        let check_focus = |change: fn(&mut super::super::Focus), expected: &[(&str, &str)]| {
            let mut config = Config::default();
            change(&mut config.focus);
            let findings = check(&config);
            let is_as_expected = |(found, (key, problem)): (&(&str, String), &(&str, &str))| {
                found.0 == *key && found.1.contains(problem)
            };
            assert_eq!(findings.len(), expected.len(), "{findings:?}");
            assert!(findings.iter().zip(expected).all(is_as_expected), "{findings:?}");
            assert!(!format!("{findings:?}").contains("sesame"), "{findings:?}");
        };

        check_focus(|_| {}, &[]);
        check_focus(|focus| focus.keep = 0, &[("focus.keep", "at least 1")]);
        check_focus(|focus| focus.listed = 0, &[("focus.listed", "at least 1")]);
        check_focus(|focus| focus.entities_max = 0, &[("focus.entities_max", "at least 1")]);
        check_focus(|focus| focus.links_max = 0, &[("focus.links_max", "at least 1")]);
        check_focus(|focus| focus.entities_max = 1 << 31, &[]);
        check_focus(|focus| focus.entities_max = (1 << 31) + 1, &[("focus.entities_max", "more than")]);
        check_focus(|focus| focus.links_max = usize::MAX, &[("focus.links_max", "more than")]);
        let property = "`label`: not an absolute IRI";
        check_focus(
            |focus| focus.text_properties = Some(vec!["urn:p".to_owned(), "label".to_owned()]),
            &[("focus.text_properties", property)],
        );
        check_focus(|focus| focus.endpoint = Some("https://a.example/sparql".to_owned()), &[]);
        check_focus(|focus| focus.endpoint = Some("ftp://a.example/".to_owned()), &[("focus.endpoint", "ftp:")]);
        check_focus(
            |focus| focus.endpoint = Some("http://ali:sesame@a.example/".to_owned()),
            &[("focus.endpoint", "")],
        );
    }
    #[test]
    fn a_service_that_could_serve_nobody_is_found() {
        let check_service = |change: fn(&mut super::super::Service), expected: Option<&str>| {
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
        check_service(|service| service.allow_domains = vec!["example.org".to_owned()], None);
        check_service(
            |service| service.deny_domains = vec!["https://example.org/".to_owned()],
            Some("service.deny_domains"),
        );
        check_service(|service| service.body_mb = usize::MAX, Some("service.body_mb"));
        check_service(|service| service.queries = 0, Some("service.queries"));
    }
}
