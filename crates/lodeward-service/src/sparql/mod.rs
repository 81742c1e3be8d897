//! The archive behind HTTP: SPARQL queries and updates, and its graphs.
//!
//! What requests mean is for [`lodeward_archive::protocol`], how they are answered
//! within bounds for the [`Desk`]; here is who may ask for what. Everybody who is let
//! in may ask queries. Whoever may not update gets an endpoint that can only be read,
//! and whoever may not make us ask others one that refuses to: so it does not matter
//! how a request says what it wants.

mod federation;
mod routes;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use lodeward::config::Config;
use lodeward_archive::Archive;
use lodeward_archive::protocol::{self, Access, Endpoint};
use lodeward_archive::sparql::{DefaultGraph, QueryOptions, Services, UpdateOptions};

pub(crate) use self::routes::router;

use self::federation::{Closed, Federation};
use crate::endpoint::desk::Desk;
use crate::problem::Problem;
use crate::role::{Caller, Role};
use crate::service::Current;

/// How long queries wait for a seat before they are told to come again.
const QUEUE_TIME_MAX: Duration = Duration::from_secs(10);

/// The longest query.
const QUERY_BYTES_MAX: usize = 1 << 20;

/// The most rows of an answer.
const ROWS_MAX: u64 = 10_000_000;

/// About how much memory one query may take.
const MEMORY_BYTES_MAX: u64 = 1 << 30;

/// Where the archive is asked.
pub(crate) struct Counter {
    archive: Archive,
    desk: Desk,
    federation: Federation,
}

impl Counter {
    pub(crate) fn new(archive: &Archive, config: &Config) -> Self {
        let desk = Desk::new(config.service.queries, QUEUE_TIME_MAX, None);
        Self { archive: archive.clone(), desk, federation: Federation::default() }
    }

    /// Where requests wait, and are counted.
    pub(crate) fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Answers a request to the archive.
    async fn answer(&self, current: &Arc<Current>, caller: &Caller, request: Request) -> Result<Response, Problem> {
        let config = &current.config;
        let may_update = caller.role >= role(&config.service.update_role);
        let services: Arc<dyn Services> = if caller.role >= role(&config.service.federation_role) {
            self.federation.services(current).await?
        } else {
            Arc::new(Closed { role: config.service.federation_role.clone() })
        };
        let bytes_max =
            if may_update && !is_query(&request) { 1_000_000 * config.service.body_mb } else { QUERY_BYTES_MAX };
        let endpoint = Endpoint::new(self.archive.clone(), options(config, may_update, &services));
        Ok(self.desk.answer(&endpoint, request, bytes_max).await)
    }
}

/// A role by its name. What is none is the highest: the settings are checked
/// elsewhere, and whoever gets past that gets nothing by it.
fn role(name: &str) -> Role {
    let roles = [Role::Reader, Role::Operator, Role::Admin];
    roles.into_iter().find(|role| role.name() == name).unwrap_or(Role::Admin)
}

fn is_query(request: &Request) -> bool {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media_type.is_some_and(|media_type| media_type.trim_start().starts_with("application/sparql-query"))
}

fn options(config: &Config, may_update: bool, services: &Arc<dyn Services>) -> protocol::Options {
    let timeout = Some(Duration::from_secs(config.service.query_timeout_s));
    let (memory_bytes_max, default_graph) = (Some(MEMORY_BYTES_MAX), DefaultGraph::Union);
    let mut options = protocol::Options::default();
    options.access = if may_update { Access::ReadWrite } else { Access::ReadOnly };
    options.read_only_hint = Some(format!("to change it takes the role {}", config.service.update_role));
    options.public_url.clone_from(&config.service.public_url);
    options.query = QueryOptions {
        timeout,
        rows_max: Some(ROWS_MAX),
        memory_bytes_max,
        default_graph,
        services: Some(Arc::clone(services)),
        ..QueryOptions::default()
    };
    options.update = UpdateOptions {
        timeout,
        memory_bytes_max,
        default_graph,
        services: Some(Arc::clone(services)),
        ..UpdateOptions::default()
    };
    options
}
