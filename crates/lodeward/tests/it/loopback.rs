//! A server that says exactly what it is told to, byte by byte.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// What the server does after it has read a request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Sends these bytes.
    Say(Vec<u8>),
    /// Sends nothing for this long.
    Wait(Duration),
    /// Closes the connection.
    Close,
}

/// A scripted server on a loopback port.
pub(crate) struct Loopback {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
    requests: mpsc::UnboundedReceiver<String>,
}

impl Loopback {
    /// Answers every request with what `script` makes of its head.
    pub(crate) async fn new(script: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static) -> Self {
        Self::with(script, None).await
    }

    /// Likewise, over TLS.
    pub(crate) async fn with_tls(
        script: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static,
        acceptor: tokio_rustls::TlsAcceptor,
    ) -> Self {
        Self::with(script, Some(acceptor)).await
    }

    async fn with(
        script: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static,
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
                        None => converse(socket, &*script, &sender).await,
                        Some(acceptor) => {
                            if let Ok(socket) = acceptor.accept(socket).await {
                                converse(socket, &*script, &sender).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, connections, requests }
    }

    /// Answers every request with these bytes.
    pub(crate) async fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::new(move |_| vec![Act::Say(answer.clone())]).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Connections accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The head of the next request.
    pub(crate) async fn request(&mut self) -> String {
        self.requests.recv().await.unwrap()
    }
}

async fn converse(
    mut socket: impl AsyncRead + AsyncWrite + Unpin,
    script: &(dyn Fn(&str) -> Vec<Act> + Send + Sync),
    sender: &mpsc::UnboundedSender<String>,
) {
    while let Some(head) = read_head(&mut socket).await {
        let acts = script(&head);
        let _ = sender.send(head);
        for act in acts {
            match act {
                Act::Say(bytes) => {
                    if socket.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Act::Wait(duration) => {
                    let _ = tokio::time::timeout(duration, std::future::pending::<()>()).await;
                }
                Act::Close => {
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
