//! A service on a socket.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;

use crate::service::Service;
use crate::{api, door};

/// A service that listens, and does not answer yet.
pub struct Server {
    /// Where, with the port it got.
    pub address: SocketAddr,
    listener: TcpListener,
    service: Arc<Service>,
}

impl Server {
    /// Opens the socket.
    pub async fn bind(service: Arc<Service>, listen: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        Ok(Self { address: listener.local_addr()?, listener, service })
    }

    /// Serves until `stop` resolves; then crawls are told to stop, and answers under
    /// way get their time to end.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        // The door wants to know where requests come from.
        let router = router(&self.service).into_make_service_with_connect_info::<SocketAddr>();
        let closing = self.service.closing.clone();
        let stopped = async move {
            stop.await;
            closing.send_replace(true);
        };
        axum::serve(self.listener, router).with_graceful_shutdown(stopped).await
    }
}

/// Everything, behind the door.
fn router(service: &Arc<Service>) -> Router {
    let (router, document) = api::router().split_for_parts();
    let document = api::with_common_answers(document);
    door::guard(router.with_state(Arc::clone(service)), service, &document)
}
