//! Rules for the texts of settings, and for combinations of settings.

use std::net::{IpAddr, SocketAddr};

use oxrdf::NamedNode;
use regex::Regex;
use url::Url;

use super::layers::SectionAndKey;
use super::{Config, ROWS, ReferenceSource, SecretText, SettingRow};
use crate::prefixes::expand_name;
use lodeward::engine::DailyHours;
use lodeward::model::{Uri, UriError};
use lodeward::select::ldcoc::FeatureSet;

/// A rule that a text must satisfy.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextRule {
    /// What the text must be, for the documentation.
    pub(super) format: &'static str,
    /// Returns the problem of a text, with the text unless it may contain a password.
    pub(super) problem: fn(&str) -> Option<String>,
}

/// Returns the problem `what` of a text.
#[expect(clippy::unnecessary_wraps, reason = "the result of a rule")]
fn quoted(text: &str, what: &str) -> Option<String> {
    Some(format!("`{text}`: {what}"))
}

/// The rule of a text that a predicate accepts.
macro_rules! rule {
    ($format:literal, $what:literal, $is_valid:expr) => {
        TextRule { format: $format, problem: |text| if $is_valid(text) { None } else { quoted(text, $what) } }
    };
}

pub(super) const IRI: TextRule = rule!("absolute IRI", "not an absolute IRI", |text| NamedNode::new(text).is_ok());

/// A predicate as an IRI, or with a usual prefix. `foaf:knows` alone is an IRI of the scheme `foaf`,
/// which no link has.
pub(super) const PREDICATE: TextRule = TextRule {
    format: "IRI, or a name with a usual prefix such as `foaf:knows`",
    problem: |text| match expand_name(text) {
        Some(iri) if NamedNode::new(&iri).is_ok() => None,
        Some(_) => quoted(text, "not an absolute IRI"),
        None => quoted(text, "unknown prefix; write the whole IRI"),
    },
};

pub(super) const EXTENSION: TextRule =
    rule!("file extension", "not an extension such as `png` or `ttl`", |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });

pub(super) const HEADER: TextRule =
    rule!("value of an HTTP header", "empty, or not valid in an HTTP header", |text: &str| {
        !text.trim().is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    });

pub(super) const GRAPH_BASE: TextRule =
    rule!("prefix of IRIs", "not an absolute IRI that ends with `/`, `:`, `#`, `?` or `=`", |text: &str| {
        NamedNode::new(text).is_ok() && text.ends_with(['/', ':', '#', '?', '='])
    });

pub(super) const ADDRESS: TextRule =
    rule!("IP address and port", "not an IP address and a port, such as 127.0.0.1:7474", |text: &str| {
        text.parse::<SocketAddr>().is_ok()
    });

pub(super) const DOMAIN: TextRule =
    rule!("domain", "not a domain such as example.org (write non-ASCII domains in punycode)", |text: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']');
        !text.trim_matches('.').is_empty() && text.bytes().all(is_plain)
    });

pub(super) const RESOLVE: TextRule = rule!("host:address", "not of the form host:address", |text: &str| {
    let address = text.split_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, address)| address);
    let is_address = |text: &str| text.parse::<IpAddr>().is_ok() || text.parse::<SocketAddr>().is_ok();
    address.is_some_and(is_address)
});

/// Hours of the day.
pub(super) const HOURS: TextRule = TextRule {
    format: "HH:MM-HH:MM, in UTC",
    problem: |text| text.parse::<DailyHours>().err().and_then(|problem| quoted(text, problem)),
};

/// Contexts are not fetched from the web.
pub(super) const CONTEXTS: TextRule = rule!(
    "`bundled` or a directory",
    "contexts are not fetched; write \"./fetch\" for a directory of that name",
    |text| { text != "fetch" }
);

/// The problem is the last line of the error. The lines before it show the position.
pub(super) const PATTERN: TextRule = TextRule {
    format: "regular expression",
    problem: |pattern| {
        let error = Regex::new(pattern).err()?.to_string();
        let reason = error.lines().next_back().unwrap_or_default();
        quoted(pattern, reason.strip_prefix("error: ").unwrap_or(reason))
    },
};

pub(super) const PROXY: TextRule = TextRule {
    format: "URL of a proxy",
    problem: |proxy| match Url::parse(proxy) {
        Ok(url) if url.has_host() && matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") => None,
        Ok(_) => quoted(proxy, "not the URL of an HTTP or SOCKS proxy"),
        Err(error) => quoted(proxy, &error.to_string()),
    },
};

/// Passwords are not shown, not even in a URL that is rejected because of its password.
pub(super) const URL: TextRule = TextRule {
    format: "URL",
    problem: |url| {
        let error = Uri::parse(url).err()?;
        let shown = if error == UriError::Credentials { SecretText::MASK } else { url };
        quoted(shown, &error.to_string())
    },
};

/// The URL of a service: at the root of its host, or below a path if a proxy removes that path.
pub(super) const SERVICE_URL: TextRule = TextRule {
    format: "URL without query",
    problem: |text| {
        let shown = if text.contains('@') { SecretText::MASK } else { text };
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(error) => return quoted(shown, &error.to_string()),
        };
        let is_web = url.has_host() && matches!(url.scheme(), "http" | "https");
        let is_simple = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        let is_path = url.path().bytes().all(is_simple) && !url.path().contains("//");
        let is_bare = is_path && url.query().is_none() && url.fragment().is_none();
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        let is_valid = is_web && is_bare && !has_credentials;
        if is_valid {
            None
        } else {
            quoted(
                shown,
                "not a URL without query, such as https://crawls.example.org or https://example.org/tools/lodeward",
            )
        }
    },
};

pub(super) const FEATURES: TextRule = TextRule {
    format: "feature sets",
    problem: |text| text.parse::<FeatureSet>().err().map(|error| error.to_string()),
};

/// The value is not shown, because a URL may contain a password.
pub(super) const REFERENCE: TextRule = TextRule {
    format: "crawl, graph:IRI, file:PATH or endpoint:URL",
    problem: |text| text.parse::<ReferenceSource>().err().map(|problem| problem.to_string()),
};

/// Every problem of some settings, with section and key.
pub(super) fn problems(config: &Config) -> Vec<(SectionAndKey, String)> {
    let of_row =
        |row: &'static SettingRow| row.problems(config).into_iter().map(|problem| ((row.section, row.key), problem));
    let mut problems: Vec<_> = ROWS.iter().flat_map(of_row).collect();
    if config.refresh.min_interval > config.refresh.max_interval {
        problems.push((("refresh", "min_interval"), "longer than refresh.max_interval".to_owned()));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::{ByteSize, RankingSettings, ServiceSettings};
    use super::*;

    /// The problems, with the name of the key.
    fn check(config: &Config) -> Vec<(String, String)> {
        problems(config).into_iter().map(|((section, key), problem)| (format!("{section}.{key}"), problem)).collect()
    }

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
            let is_as_expected = |(found, (key, problem)): (&(String, String), &(&str, &str))| {
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
            let keys: Vec<_> = findings.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys, Vec::from_iter(expected), "{findings:?}");
            assert!(!format!("{findings:?}").contains("sesame"), "{findings:?}");
        };

        check_service(|_| {}, None);
        check_service(|service| service.listen = "localhost".to_owned(), Some("service.listen"));
        check_service(|service| service.listen = "[::1]:80".to_owned(), None);
        check_service(|service| service.public_url = Some("https://a.example".to_owned()), None);
        check_service(|service| service.public_url = Some("https://a.example/tools/lodeward/".to_owned()), None);
        check_service(
            |service| service.public_url = Some("https://a.example/b?c".to_owned()),
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
        check_service(|service| service.max_body_size = ByteSize(u64::MAX), Some("service.max_body_size"));
        let key = "service.max_concurrent_queries";
        check_service(|service| service.max_concurrent_queries = 0, Some(key));
    }
}
