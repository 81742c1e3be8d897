//! Where coherence and centrality of seeds are measured.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use oxrdf::NamedNode;

use crate::model::{Uri, UriError};

/// Where coherence and centrality of seeds are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// In what was crawled so far.
    Crawl,
    /// In a named graph of the archive.
    Graph(NamedNode),
    /// In a file of RDF, compressed or not.
    File(PathBuf),
    /// In what a SPARQL endpoint knows of the neighbourhood of the seeds.
    Endpoint(Uri),
}

/// What is no reference.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceProblem {
    /// It begins with none of the words.
    #[error("none of crawl, graph:IRI, file:PATH, endpoint:URL")]
    Unknown,
    /// The name of the graph is none.
    #[error("`{0}` is not an absolute IRI; a graph is named as in graph:http://example.org/g")]
    Graph(String),
    /// There is no name of a file.
    #[error("the name of a file is missing, as in file:dbpedia.nt.gz")]
    File,
    /// The endpoint has an address that cannot be asked. It is not shown, for it may
    /// have a password in it.
    #[error("not the address of an endpoint: {0}")]
    Endpoint(UriError),
}

impl FromStr for Reference {
    type Err = ReferenceProblem;

    fn from_str(text: &str) -> Result<Self, ReferenceProblem> {
        if text == "crawl" {
            return Ok(Self::Crawl);
        }
        match text.split_once(':') {
            Some(("graph", name)) => {
                NamedNode::new(name).map(Self::Graph).map_err(|_| ReferenceProblem::Graph(name.to_owned()))
            }
            Some(("file", "")) => Err(ReferenceProblem::File),
            Some(("file", path)) => Ok(Self::File(path.into())),
            Some(("endpoint", address)) => Uri::parse(address).map(Self::Endpoint).map_err(ReferenceProblem::Endpoint),
            _ => Err(ReferenceProblem::Unknown),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crawl => write!(formatter, "crawl"),
            Self::Graph(name) => write!(formatter, "graph:{}", name.as_str()),
            Self::File(path) => write!(formatter, "file:{}", path.display()),
            Self::Endpoint(address) => write!(formatter, "endpoint:{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_as_it_is_written() {
        for text in
            ["crawl", "graph:http://a.example/g", "file:dump.nt.gz", "file:/a b.ttl", "endpoint:http://a.example/"]
        {
            assert_eq!(text.parse::<Reference>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_reference_is_told_with_what_would_be_one() {
        let check = |text: &str, words: &str| {
            let problem = text.parse::<Reference>().unwrap_err().to_string();
            assert!(problem.contains(words), "{text}: {problem}");
            assert!(!problem.contains("sesame"), "{problem}");
        };

        check("", "none of crawl, graph:IRI, file:PATH, endpoint:URL");
        check("http://a.example/g", "none of crawl");
        check("Crawl", "none of crawl");
        check("graph:g", "`g` is not an absolute IRI");
        check("file:", "the name of a file is missing");
        check("endpoint:ftp://a.example/", "not the address of an endpoint");
        check("endpoint:http://ali:sesame@a.example/", "not the address of an endpoint");
    }
}
