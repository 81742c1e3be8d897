//! The source of the graph in which coherence and centrality of seeds are measured.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use oxrdf::NamedNode;

use lodeward::model::{Uri, UriError};

/// The graph in which coherence and centrality of seeds are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceSource {
    /// The documents crawled so far.
    Crawl,
    /// A named graph of the archive.
    Graph(NamedNode),
    /// An RDF file, compressed or not.
    File(PathBuf),
    /// The neighbourhood of the seeds in a SPARQL endpoint.
    Endpoint(Uri),
}

/// An invalid reference.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceSourceError {
    /// Unknown kind of reference.
    #[error("expected one of crawl, graph:IRI, file:PATH, endpoint:URL")]
    Unknown,
    /// The name of the graph is not an IRI.
    #[error("`{0}` is not an absolute IRI; hint: write for example graph:http://example.org/g")]
    Graph(String),
    /// The path is missing.
    #[error("the file name is missing; hint: write for example file:dbpedia.nt.gz")]
    File,
    /// The URL of the endpoint is invalid. It is not printed, because it may contain a password.
    #[error("invalid URL of an endpoint: {0}")]
    Endpoint(UriError),
}

impl FromStr for ReferenceSource {
    type Err = ReferenceSourceError;

    fn from_str(text: &str) -> Result<Self, ReferenceSourceError> {
        if text == "crawl" {
            return Ok(Self::Crawl);
        }
        match text.split_once(':') {
            Some(("graph", name)) => {
                NamedNode::new(name).map(Self::Graph).map_err(|_| ReferenceSourceError::Graph(name.to_owned()))
            }
            Some(("file", "")) => Err(ReferenceSourceError::File),
            Some(("file", path)) => Ok(Self::File(path.into())),
            Some(("endpoint", url)) => Uri::parse(url).map(Self::Endpoint).map_err(ReferenceSourceError::Endpoint),
            _ => Err(ReferenceSourceError::Unknown),
        }
    }
}

impl fmt::Display for ReferenceSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crawl => write!(formatter, "crawl"),
            Self::Graph(name) => write!(formatter, "graph:{}", name.as_str()),
            Self::File(path) => write!(formatter, "file:{}", path.display()),
            Self::Endpoint(url) => write!(formatter, "endpoint:{url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_parsed_and_printed_unchanged() {
        for text in
            ["crawl", "graph:http://a.example/g", "file:dump.nt.gz", "file:/a b.ttl", "endpoint:http://a.example/"]
        {
            assert_eq!(text.parse::<ReferenceSource>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn an_invalid_reference_is_reported_with_a_hint() {
        let check = |text: &str, words: &str| {
            let problem = text.parse::<ReferenceSource>().unwrap_err().to_string();
            assert!(problem.contains(words), "{text}: {problem}");
            assert!(!problem.contains("sesame"), "{problem}");
        };

        check("", "expected one of crawl, graph:IRI, file:PATH, endpoint:URL");
        check("http://a.example/g", "expected one of crawl");
        check("Crawl", "expected one of crawl");
        check("graph:g", "`g` is not an absolute IRI");
        check("file:", "the file name is missing");
        check("endpoint:ftp://a.example/", "invalid URL of an endpoint");
        check("endpoint:http://ali:sesame@a.example/", "invalid URL of an endpoint");
    }
}
