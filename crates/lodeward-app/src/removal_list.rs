//! The list of documents that were removed on request, in `removals.jsonl` of a data directory.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use lodeward::engine::DomainPolicy;
use lodeward::model::Uri;
use serde::{Deserialize, Serialize};

use crate::atomic_file::{self, FileAccess};

/// The list of removals, in the data directory.
const REMOVALS_FILE: &str = "removals.jsonl";

/// What is removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemovalTarget {
    /// The document at this URI.
    Uri(Uri),
    /// All documents of this domain and its subdomains, in lower case.
    Domain(String),
}

impl RemovalTarget {
    /// A domain such as `example.org`; otherwise the problem of the text.
    pub fn domain(text: &str) -> Result<Self, String> {
        let domain = text.trim().trim_matches('.').to_ascii_lowercase();
        match Uri::parse(&format!("http://{domain}/")) {
            Ok(uri) if uri.host() == domain => Ok(Self::Domain(domain)),
            _ => Err(format!("`{text}`: not a domain such as example.org")),
        }
    }

    /// Whether a document is removed.
    #[must_use]
    pub fn covers(&self, uri: &Uri) -> bool {
        match self {
            Self::Uri(removed) => removed == uri,
            Self::Domain(domain) => {
                let host = uri.host().trim_end_matches('.');
                host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
        }
    }
}

impl fmt::Display for RemovalTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uri(uri) => write!(formatter, "{uri}"),
            Self::Domain(domain) => write!(formatter, "domain {domain}"),
        }
    }
}

/// A removal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovalRecord {
    /// When it was requested, in milliseconds since the Unix epoch; a date in JSON.
    #[serde(rename = "at", with = "crate::json_file::json_time")]
    pub at_ms: u64,
    /// What was removed.
    #[serde(flatten)]
    pub target: RemovalTarget,
    /// The person or user who requested it.
    pub by: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The list of removals cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemovalListError {
    /// It cannot be read or written.
    #[error("cannot access {}", .path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// It has an invalid line.
    #[error("{} is damaged: line {line}: {what}", .path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// All removals of a data directory, oldest first.
pub fn read_removals(data: &Path) -> Result<Vec<RemovalRecord>, RemovalListError> {
    let path = data.join(REMOVALS_FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(RemovalListError::Io { path, source }),
    };
    let parse = |(number, line): (usize, &str)| {
        let damaged = |error: serde_json::Error| RemovalListError::Damaged {
            path: path.clone(),
            line: number + 1,
            what: error.to_string(),
        };
        serde_json::from_str(line).map_err(damaged)
    };
    text.lines().enumerate().map(parse).collect()
}

/// Records a removal: from now on, no crawl fetches its documents. On disk when it returns.
pub fn record_removal(data: &Path, removal: &RemovalRecord) -> Result<(), RemovalListError> {
    let mut removals = read_removals(data)?;
    removals.push(removal.clone());
    let to_line = |removal| serde_json::to_string(removal).expect("a removal is JSON") + "\n";
    let lines: String = removals.iter().map(to_line).collect();
    let path = data.join(REMOVALS_FILE);
    atomic_file::replace(&path, FileAccess::Owner, lines.as_bytes())
        .map_err(|source| RemovalListError::Io { path, source })
}

/// Adds the removals of a data directory to a policy.
pub(crate) fn deny_removed(data: &Path, mut policy: DomainPolicy) -> Result<DomainPolicy, RemovalListError> {
    for removal in read_removals(data)? {
        match removal.target {
            RemovalTarget::Uri(uri) => policy.denied_uris.insert(uri.to_string()),
            RemovalTarget::Domain(domain) => policy.denied.insert(domain),
        };
    }
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    #[test]
    fn a_domain_covers_its_subdomains() {
        let domain = RemovalTarget::Domain("a.example".to_owned());

        assert!(domain.covers(&uri("http://a.example/x")) && domain.covers(&uri("https://www.a.example/")));
        assert_eq!(RemovalTarget::domain(" A.example. "), Ok(domain.clone()));
        assert!(RemovalTarget::domain("http://a.example/").is_err() && RemovalTarget::domain("").is_err());
        assert!(!domain.covers(&uri("http://ba.example/")) && !domain.covers(&uri("http://example/")));
        assert!(RemovalTarget::Uri(uri("http://a.example/x")).covers(&uri("http://a.example/x")));
        assert!(!RemovalTarget::Uri(uri("http://a.example/x")).covers(&uri("http://a.example/y")));
    }

    #[test]
    fn removals_are_recorded_and_deny_their_documents() {
        let directory = tempfile::tempdir().unwrap();
        let record = |target, reason: Option<&str>| RemovalRecord {
            at_ms: 1_000,
            target,
            by: "ada".to_owned(),
            reason: reason.map(str::to_owned),
        };
        let page = record(RemovalTarget::Uri(uri("http://a.example/x")), None);
        let site = record(RemovalTarget::Domain("b.example".to_owned()), Some("letter of 1 May"));

        record_removal(directory.path(), &page).unwrap();
        record_removal(directory.path(), &site).unwrap();

        assert_eq!(read_removals(directory.path()).unwrap(), [page, site]);
        let policy = deny_removed(directory.path(), DomainPolicy::default()).unwrap();
        let denied = ["http://a.example/x", "http://www.b.example/"].map(|text| !policy.allows(&uri(text)));
        assert_eq!((denied, policy.allows(&uri("http://a.example/y"))), ([true, true], true));
        let text = std::fs::read_to_string(directory.path().join(REMOVALS_FILE)).unwrap();
        assert!(
            text.starts_with(r#"{"at":"1970-01-01T00:00:01.000Z","uri":"http://a.example/x","by":"ada"}"#),
            "{text}"
        );
    }
}
