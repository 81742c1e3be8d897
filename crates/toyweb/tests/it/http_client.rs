//! An HTTP/1.1 client on the level of bytes, to check what the server sends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The timeout of every read.
const TIMEOUT: Duration = Duration::from_secs(10);

/// One response as received.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl RawResponse {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
    }
}

pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("the server listens")
}

/// Sends `request` and returns everything until the connection closes.
pub(crate) async fn read_until_closed<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, request: &str) -> Vec<u8> {
    stream.write_all(request.as_bytes()).await.expect("a request can be written");
    let mut all = Vec::new();
    // A reset ends the connection as well.
    let _ = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut all)).await.expect("the connection closes in time");
    all
}

/// Sends `request` and reads one response with a length.
pub(crate) async fn send<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, request: &str) -> RawResponse {
    stream.write_all(request.as_bytes()).await.expect("a request can be written");
    read_response(stream, request.starts_with("HEAD")).await
}

/// Reads one response with a length.
pub(crate) async fn read_response<S: AsyncRead + Unpin>(stream: &mut S, bodiless: bool) -> RawResponse {
    let reading = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("a whole head"));
        }
        let head = String::from_utf8(head).expect("an ASCII head");
        let status = head[9..12].parse().expect("a status");
        let mut response = RawResponse { status, head, body: Vec::new() };
        let length = response.field("content-length").map_or(0, |length| length.parse().expect("a length"));
        response.body.resize(if bodiless { 0 } else { length }, 0);
        stream.read_exact(&mut response.body).await.expect("the whole body");
        response
    };
    tokio::time::timeout(TIMEOUT, reading).await.expect("a response in time")
}

/// Starts TLS on `stream`, trusting `authority` only.
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
        .expect("ring supports TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = ServerName::try_from(host).expect("a host name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}
