//! A graph of entities as linked data: every entity is a document.
//!
//! A document says what the tables say of its entity, and lists the links of
//! other entities to it as well as its own, as `DBpedia` does: a crawler can
//! walk the graph in both directions, unless only the [forward](Listed::Forward)
//! ones are asked for. The URL to ask for is the IRI,
//! percent-encoded; the data speak of the IRI itself.

mod graph;
mod render;

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::bail;
use http::header::{CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use oxrdf::Triple;
use url::Url;

use crate::elsewhere::{Elsewhere, bare};
use crate::message::{Body, Conduct, Request, Response, Web};
use graph::Graph;
use render::Syntax;

/// Which links a document lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listed {
    /// Those from its entity, and those to it.
    #[default]
    BothWays,
    /// Those from its entity only.
    Forward,
}

/// What an entity web is made of.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Tables of entities.
    pub entities: Vec<PathBuf>,
    /// Tables of links.
    pub links: Vec<PathBuf>,
    /// Predicates, or relation ids, whose links are not told; those a crawler
    /// is to guess.
    pub hidden: HashSet<String>,
    /// Which links a document lists.
    pub listed: Listed,
    /// What becomes of requests to hosts without entities.
    pub elsewhere: Elsewhere,
}

/// A web of entities.
pub struct EntityWeb {
    graph: Graph,
    elsewhere: Elsewhere,
}

impl EntityWeb {
    /// Reads the tables.
    pub fn load(sources: &Sources) -> anyhow::Result<Self> {
        let mut graph = Graph::default();
        for path in &sources.entities {
            graph.add_entities(path)?;
        }
        for path in &sources.links {
            graph.add_links(path, &sources.hidden)?;
        }
        graph.connect(sources.listed);
        if graph.urls().next().is_none() {
            bail!("no entities in the tables given (hint: give `--entities` and `--links`)");
        }
        Ok(Self { graph, elsewhere: sources.elsewhere })
    }

    /// The URLs of all documents, percent-encoded, in the order of the tables.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.graph.urls()
    }

    /// What the document at `url` says.
    #[must_use]
    pub fn statements(&self, url: &Url) -> Option<Vec<Triple>> {
        self.graph.said_at(url).map(|said| said.triples)
    }
}

impl Web for EntityWeb {
    fn respond(&self, request: &Request) -> Response {
        if !request.url.host_str().is_some_and(|host| self.graph.hosts.contains(host)) {
            return self.elsewhere.response();
        }
        if request.method != Method::GET && request.method != Method::HEAD {
            return bare(StatusCode::METHOD_NOT_ALLOWED);
        }
        let Some(said) = self.graph.said_at(&request.url) else { return bare(StatusCode::NOT_FOUND) };
        let syntax = Syntax::wanted(&request.headers);
        let Ok(body) = syntax.render(&said) else { return bare(StatusCode::INTERNAL_SERVER_ERROR) };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(syntax.content_type()));
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        Response { status: StatusCode::OK, headers, body: Body::Whole(body.into()), conduct: Conduct::Plain }
    }
}
