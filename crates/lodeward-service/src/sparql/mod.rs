//! The archive over HTTP: SPARQL queries and updates, and graphs.
//!
//! [`lodeward_archive::protocol`] defines the meaning of requests, the [`QueryRunner`]
//! evaluates them within limits; this module checks permissions. All authenticated users may
//! run queries. A user without the role for updates gets a read-only endpoint, and a user
//! without the role for federation gets one that rejects `SERVICE` and `LOAD`: so the check
//! does not depend on how a request is written.

mod federation;
mod query_runner;
pub(crate) mod standalone;
pub(crate) mod streamed_body;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use lodeward_app::followers::search::SearchIndex;
use lodeward_app::prefixes;
use lodeward_app::search::SparqlSearch;
use lodeward_app::settings::Config;
use lodeward_archive::Archive;
use lodeward_archive::protocol::{self, ProtocolEndpoint, WriteAccess};
use lodeward_archive::sparql::{DefaultGraph, QueryOptions, ServiceHandler, TextSearch, UpdateOptions};

pub(crate) use self::query_runner::QueryRunner;
pub use self::standalone::SparqlOnlyOptions;

use self::federation::{ClosedFederation, FederationAccess};
use crate::live_settings::CurrentSettings;
use crate::problem::Problem;
use crate::role::{Caller, Role};

/// How long queries wait for a slot before they are rejected.
const MAX_QUEUE_TIME: Duration = Duration::from_secs(10);

/// The maximum size of a query.
const MAX_QUERY_BYTES: usize = 1 << 20;

/// The maximum number of rows of a result.
const MAX_ROWS: u64 = 10_000_000;

/// The approximate memory limit of a query.
const MAX_MEMORY_BYTES: u64 = 1 << 30;

/// Runs requests to the archive.
pub(crate) struct ArchiveAccess {
    archive: Archive,
    search: Option<Arc<dyn TextSearch>>,
    query_runner: QueryRunner,
    federation: FederationAccess,
}

impl ArchiveAccess {
    pub(crate) fn new(archive: &Archive, search: Option<Arc<SearchIndex>>, config: &Config) -> Self {
        let query_runner = QueryRunner::new(config.service.max_concurrent_queries, MAX_QUEUE_TIME, None);
        let search = SparqlSearch::of(search);
        Self { archive: archive.clone(), search, query_runner, federation: FederationAccess::default() }
    }

    /// Options for a query that is only checked.
    pub(crate) fn check_options(&self, config: &Config) -> (QueryOptions, UpdateOptions) {
        let timeout = Some(config.service.query_timeout);
        let usual_prefixes: Option<fn(&str) -> Option<&'static str>> = Some(prefixes::namespace);
        let search = self.search.clone();
        let query = QueryOptions { usual_prefixes, timeout, search, ..QueryOptions::default() };
        (query, UpdateOptions { usual_prefixes, timeout, ..UpdateOptions::default() })
    }

    /// The query runner, whose counters are exported as metrics.
    pub(crate) fn query_runner(&self) -> &QueryRunner {
        &self.query_runner
    }

    /// Checks the permissions of a request to the archive, and runs it.
    pub(crate) async fn handle(
        &self,
        current: &Arc<CurrentSettings>,
        caller: &Caller,
        request: Request,
    ) -> Result<Response, Problem> {
        let config = &current.config;
        let may_update = caller.role >= parse_role(&config.service.update_role);
        let services: Arc<dyn ServiceHandler> = if caller.role >= parse_role(&config.service.federation_role) {
            self.federation.services(current).await?
        } else {
            Arc::new(ClosedFederation { role: config.service.federation_role.clone() })
        };
        let max_bytes =
            if may_update && !is_query(&request) { config.service.max_body_size.to_usize() } else { MAX_QUERY_BYTES };
        let mut options = protocol_options(config, caller, &services);
        options.query.search.clone_from(&self.search);
        options.update.search.clone_from(&self.search);
        let endpoint = ProtocolEndpoint::new(self.archive.clone(), options);
        Ok(self.query_runner.handle(&endpoint, request, max_bytes).await)
    }
}

/// A role by its name. An unknown name means the highest role; the settings are validated
/// elsewhere.
fn parse_role(name: &str) -> Role {
    let roles = [Role::Reader, Role::Operator, Role::Admin];
    roles.into_iter().find(|role| role.name() == name).unwrap_or(Role::Admin)
}

fn is_query(request: &Request) -> bool {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media_type.is_some_and(|media_type| media_type.trim_start().starts_with("application/sparql-query"))
}

fn protocol_options(config: &Config, caller: &Caller, services: &Arc<dyn ServiceHandler>) -> protocol::ProtocolOptions {
    let timeout = Some(config.service.query_timeout);
    let (max_memory_bytes, default_graph) = (Some(MAX_MEMORY_BYTES), DefaultGraph::Union);
    let mut options = protocol::ProtocolOptions::default();
    let may_update = caller.role >= parse_role(&config.service.update_role);
    options.access = if may_update { WriteAccess::ReadWrite } else { WriteAccess::ReadOnly };
    let (needed, own) = (&config.service.update_role, caller.role.name());
    options.read_only_detail = Some(format!("changes of the archive need the role `{needed}`; yours is `{own}`"));
    options.read_only_hint = Some("an admin can change your role, or `service.update_role`".to_owned());
    options.public_url.clone_from(&config.service.public_url);
    options.query = QueryOptions {
        usual_prefixes: Some(prefixes::namespace),
        timeout,
        max_rows: Some(MAX_ROWS),
        max_memory_bytes,
        default_graph,
        services: Some(Arc::clone(services)),
        ..QueryOptions::default()
    };
    options.update = UpdateOptions {
        usual_prefixes: Some(prefixes::namespace),
        timeout,
        max_memory_bytes,
        default_graph,
        services: Some(Arc::clone(services)),
        ..UpdateOptions::default()
    };
    options
}
