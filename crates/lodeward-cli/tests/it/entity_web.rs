//! A web of entities on loopback, and a desk beside it.

use std::sync::Arc;

use toyweb::entities::{EntityWeb, Sources};
use toyweb::serve::{Options, Running, Server};

use crate::desk::Desk;

/// A web of entities, for as long as this lives.
pub(crate) struct Entities {
    pub(crate) desk: Desk,
    pub(crate) proxy: String,
    _running: Running,
    _runtime: tokio::runtime::Runtime,
}

impl Entities {
    /// Serves these tables.
    pub(crate) fn new(entities: &str, links: &str) -> Self {
        let desk = Desk::new();
        desk.write("entities.tsv", entities);
        desk.write("links.tsv", links);
        let sources = Sources {
            entities: vec![desk.path("entities.tsv")],
            links: vec![desk.path("links.tsv")],
            ..Sources::default()
        };
        let web = Arc::new(EntityWeb::load(&sources).unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(Server::bind(web, Options::default())).unwrap();
        let proxy = format!("http://{}", server.addresses[0]);
        let running = runtime.block_on(async { server.spawn() });
        Self { desk, proxy, _running: running, _runtime: runtime }
    }
}
