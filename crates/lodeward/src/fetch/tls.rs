//! TLS configuration: trusted certificate authorities.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::{FetchOptions, FetchOptionsError};

/// Trusts the authorities of the web and those the user adds.
///
/// The authorities are compiled in rather than read from the machine, so that a crawl in a minimal container sees the
/// same web. The provider is passed explicitly rather than installed, so that the order of initialisation does not
/// matter.
pub(super) fn configuration(options: &FetchOptions) -> Result<ClientConfig, FetchOptionsError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for path in &options.ca_certificates {
        let unreadable = |reason: String| FetchOptionsError::Certificates { path: path.clone(), reason };
        let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
        let before = roots.len();
        for certificate in certificates {
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(unreadable("file contains no certificate".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| FetchOptionsError::Client(error.to_string()))?;
    let mut configuration = builder.with_root_certificates(roots).with_no_client_auth();
    configuration.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(configuration)
}
