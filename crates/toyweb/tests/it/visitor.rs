//! A visitor who speaks HTTP/1.1 byte by byte, to see what is really sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// No test waits longer than this for anything.
const PATIENCE: Duration = Duration::from_secs(10);

/// One answer, as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
    }
}

pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("the server listens")
}

/// Everything that is sent in answer until the connection closes.
pub(crate) async fn until_closed<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, request: &str) -> Vec<u8> {
    stream.write_all(request.as_bytes()).await.expect("a request can be written");
    let mut all = Vec::new();
    // A reset is an end as well.
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut all)).await.expect("the connection closes in time");
    all
}

/// Sends `request` and reads one answer with a length.
pub(crate) async fn ask<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, request: &str) -> Answer {
    stream.write_all(request.as_bytes()).await.expect("a request can be written");
    read_answer(stream, request.starts_with("HEAD")).await
}

/// Reads one answer with a length.
pub(crate) async fn read_answer<S: AsyncRead + Unpin>(stream: &mut S, bodiless: bool) -> Answer {
    let reading = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("a whole head"));
        }
        let head = String::from_utf8(head).expect("an ASCII head");
        let status = head[9..12].parse().expect("a status");
        let mut answer = Answer { status, head, body: Vec::new() };
        let length = answer.field("content-length").map_or(0, |length| length.parse().expect("a length"));
        answer.body.resize(if bodiless { 0 } else { length }, 0);
        stream.read_exact(&mut answer.body).await.expect("the whole body");
        answer
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("an answer in time")
}

/// Speaks TLS over `stream`, trusting `authority` alone.
pub(crate) async fn secure(
    stream: TcpStream,
    host: &'static str,
    authority: CertificateDer<'static>,
    protocol: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(authority).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring knows TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = ServerName::try_from(host).expect("a host name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}
