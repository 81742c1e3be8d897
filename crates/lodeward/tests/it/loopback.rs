//! A scripted server that sends exact bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// An action of the server after it has read a request.
#[derive(Clone)]
pub(crate) enum ServerAction {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends nothing for this long.
    Wait(Duration),
    /// Closes the connection.
    Close,
}

/// A scripted server on a loopback port.
pub(crate) struct LoopbackServer {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
    requests: mpsc::UnboundedReceiver<String>,
}

impl LoopbackServer {
    /// Responds to every request as `script` decides by its head.
    pub(crate) async fn new(script: impl Fn(&str) -> Vec<ServerAction> + Send + Sync + 'static) -> Self {
        Self::with(script, None).await
    }

    /// Like `new`, over TLS.
    pub(crate) async fn with_tls(
        script: impl Fn(&str) -> Vec<ServerAction> + Send + Sync + 'static,
        acceptor: tokio_rustls::TlsAcceptor,
    ) -> Self {
        Self::with(script, Some(acceptor)).await
    }

    async fn with(
        script: impl Fn(&str) -> Vec<ServerAction> + Send + Sync + 'static,
        acceptor: Option<tokio_rustls::TlsAcceptor>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = mpsc::unbounded_channel();
        let connections = Arc::new(AtomicUsize::new(0));
        let (script, count) = (Arc::new(script), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let (script, sender, acceptor) = (Arc::clone(&script), sender.clone(), acceptor.clone());
                tokio::spawn(async move {
                    match acceptor {
                        None => serve_connection(socket, &*script, &sender).await,
                        Some(acceptor) => {
                            if let Ok(socket) = acceptor.accept(socket).await {
                                serve_connection(socket, &*script, &sender).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, connections, requests }
    }

    /// Responds to every request with these bytes.
    pub(crate) async fn responding_with(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::new(move |_| vec![ServerAction::Send(response.clone())]).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Number of accepted connections.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The head of the next request.
    pub(crate) async fn request(&mut self) -> String {
        self.requests.recv().await.unwrap()
    }
}

async fn serve_connection(
    mut socket: impl AsyncRead + AsyncWrite + Unpin,
    script: &(dyn Fn(&str) -> Vec<ServerAction> + Send + Sync),
    sender: &mpsc::UnboundedSender<String>,
) {
    while let Some(head) = read_head(&mut socket).await {
        let acts = script(&head);
        let _ = sender.send(head);
        for act in acts {
            match act {
                ServerAction::Send(bytes) => {
                    if socket.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                ServerAction::Wait(duration) => {
                    let _ = tokio::time::timeout(duration, std::future::pending::<()>()).await;
                }
                ServerAction::Close => {
                    let _ = socket.shutdown().await;
                    return;
                }
            }
        }
    }
}

async fn read_head(socket: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}
