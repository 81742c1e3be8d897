//! TLS for generated hosts: certificates are issued on demand.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll};

use anyhow::Context;
use bytes::{Buf, BytesMut};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose, SerialNumber,
};
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert, ServerSessionMemoryCache, StoresServerSessions};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Maximum number of hosts whose certificates are cached.
const MAX_CACHED_HOSTS: usize = 20_000;
const MAX_SESSIONS: usize = 4096;

/// A certificate authority that issues certificates for any host.
pub struct CertificateAuthority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    // One key for all hosts: generating a key costs more than signing a certificate.
    host_key: KeyPair,
    provider: Arc<CryptoProvider>,
    sessions: Arc<dyn StoresServerSessions>,
    hosts: Mutex<HashMap<String, Arc<ServerConfig>>>,
}

impl CertificateAuthority {
    /// A new authority with its own key.
    pub fn new() -> anyhow::Result<Self> {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        parameters.distinguished_name.push(DnType::CommonName, "toyweb, for tests only");
        let key = KeyPair::generate().context("cannot generate the authority's key")?;
        Ok(Self {
            issuer: CertifiedIssuer::self_signed(parameters, key).context("cannot sign the authority's certificate")?,
            host_key: KeyPair::generate().context("cannot generate the hosts' key")?,
            provider: Arc::new(rustls::crypto::ring::default_provider()),
            sessions: ServerSessionMemoryCache::new(MAX_SESSIONS),
            hosts: Mutex::default(),
        })
    }

    /// The certificate to trust, as PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// The certificate to trust, as DER.
    #[must_use]
    pub fn certificate(&self) -> CertificateDer<'static> {
        self.issuer.der().clone()
    }

    /// The TLS configuration of `host`.
    pub(super) fn server_config(&self, host: &str) -> anyhow::Result<Arc<ServerConfig>> {
        if let Some(cached) = self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get(host) {
            return Ok(Arc::clone(cached));
        }
        let config = Arc::new(self.issue(host)?);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_CACHED_HOSTS {
            hosts.clear();
        }
        hosts.insert(host.to_owned(), Arc::clone(&config));
        Ok(config)
    }

    fn issue(&self, host: &str) -> anyhow::Result<ServerConfig> {
        let mut parameters = CertificateParams::new(vec![host.to_owned()])?;
        // Some clients reject two certificates with the same serial number.
        parameters.serial_number = Some(SerialNumber::from(xxhash_rust::xxh3::xxh3_64(host.as_bytes()) >> 1));
        parameters.distinguished_name.push(DnType::CommonName, host);
        parameters.use_authority_key_identifier_extension = true;
        let certificate = parameters.signed_by(&self.host_key, &self.issuer)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.host_key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone(), self.certificate()], key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        config.session_storage = Arc::clone(&self.sessions);
        Ok(config)
    }

    /// A TLS configuration whose handshakes fail: it sends an alert instead of a certificate.
    pub(super) fn failing_config(&self) -> anyhow::Result<Arc<ServerConfig>> {
        let config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(NoCertificate));
        Ok(Arc::new(config))
    }
}

#[derive(Debug)]
struct NoCertificate;

impl ResolvesServerCert for NoCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        None
    }
}

/// A stream whose first bytes were read ahead and are read again.
pub(super) struct RewoundStream<S> {
    ahead: BytesMut,
    stream: S,
}

impl<S> RewoundStream<S> {
    pub(super) fn new(ahead: BytesMut, stream: S) -> Self {
        Self { ahead, stream }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for RewoundStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut TaskContext<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let taken = self.ahead.len().min(buffer.remaining());
        buffer.put_slice(&self.ahead[..taken]);
        self.ahead.advance(taken);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RewoundStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut TaskContext<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut TaskContext<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
