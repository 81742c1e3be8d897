//! An entity web: serves a graph as linked data, one document per entity.
//!
//! A document contains the statements of the tables about its entity. Like `DBpedia`, it lists incoming links as well
//! as outgoing ones, so that a crawler can follow the graph in both directions, unless [`ListedLinks::Forward`] is set.
//! The URL of a document is the percent-encoded IRI; its statements use the IRI itself.

mod graph;
mod render;

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::bail;
use http::header::{CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use oxrdf::Triple;
use url::Url;

use crate::message::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};
use crate::unknown_hosts::{UnknownHosts, status_response};
use graph::EntityTableGraph;
use render::EntitySyntax;

/// The links that a document lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedLinks {
    /// Outgoing and incoming links.
    #[default]
    BothWays,
    /// Outgoing links only.
    Forward,
}

/// The sources of an entity web.
#[derive(Clone, Debug, Default)]
pub struct EntityWebSources {
    /// Tables of entities.
    pub entities: Vec<PathBuf>,
    /// Tables of links.
    pub links: Vec<PathBuf>,
    /// Predicates, or relation ids, whose links are omitted because a crawler has to predict them.
    pub hidden: HashSet<String>,
    /// The links that a document lists.
    pub listed: ListedLinks,
    /// The response to requests for hosts without entities.
    pub unknown_hosts: UnknownHosts,
}

/// A web of entities.
pub struct EntityWeb {
    graph: EntityTableGraph,
    unknown_hosts: UnknownHosts,
}

impl EntityWeb {
    /// Reads the tables.
    pub fn load(sources: &EntityWebSources) -> anyhow::Result<Self> {
        let mut graph = EntityTableGraph::default();
        for path in &sources.entities {
            graph.add_entities(path)?;
        }
        for path in &sources.links {
            graph.add_links(path, &sources.hidden)?;
        }
        graph.index_links(sources.listed);
        if graph.urls().next().is_none() {
            bail!("the tables contain no entities (hint: check `--entities` and `--links`)");
        }
        Ok(Self { graph, unknown_hosts: sources.unknown_hosts })
    }

    /// The URLs of all documents, percent-encoded, in the order of the tables.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.graph.urls()
    }

    /// The statements of the document at `url`.
    #[must_use]
    pub fn statements(&self, url: &Url) -> Option<Vec<Triple>> {
        self.graph.statements_at(url).map(|statements| statements.triples)
    }
}

impl Web for EntityWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        if !request.url.host_str().is_some_and(|host| self.graph.hosts.contains(host)) {
            return self.unknown_hosts.response();
        }
        if request.method != Method::GET && request.method != Method::HEAD {
            return status_response(StatusCode::METHOD_NOT_ALLOWED);
        }
        let Some(statements) = self.graph.statements_at(&request.url) else {
            return status_response(StatusCode::NOT_FOUND);
        };
        let syntax = EntitySyntax::negotiate(&request.headers);
        let Ok(body) = syntax.render(&statements) else { return status_response(StatusCode::INTERNAL_SERVER_ERROR) };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(syntax.content_type()));
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        WebResponse {
            status: StatusCode::OK,
            headers,
            body: WebBody::Whole(body.into()),
            delivery: DeliveryFault::Plain,
        }
    }
}
