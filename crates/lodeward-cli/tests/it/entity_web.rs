//! A generated web of entities on loopback, with a sandbox.

use std::sync::Arc;

use toyweb::entities::{EntityWeb, EntityWebSources};
use toyweb::serve::{RunningServer, ServeOptions, WebServer};

use crate::sandbox::Sandbox;

/// A served web of entities; stopped when dropped.
pub(crate) struct EntityServer {
    pub(crate) sandbox: Sandbox,
    pub(crate) proxy: String,
    _running: RunningServer,
    _runtime: tokio::runtime::Runtime,
}

impl EntityServer {
    /// Serves the entities and links of these tables.
    pub(crate) fn new(entities: &str, links: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("entities.tsv", entities);
        sandbox.write("links.tsv", links);
        let sources = EntityWebSources {
            entities: vec![sandbox.path("entities.tsv")],
            links: vec![sandbox.path("links.tsv")],
            ..EntityWebSources::default()
        };
        let web = Arc::new(EntityWeb::load(&sources).unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(WebServer::bind(web, ServeOptions::default())).unwrap();
        let proxy = format!("http://{}", server.addresses[0]);
        let running = runtime.block_on(async { server.spawn() });
        Self { sandbox, proxy, _running: running, _runtime: runtime }
    }
}
