//! Whom we believe.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::{Options, OptionsError};

/// Trust in the web's authorities and in those the user adds.
///
/// The authorities are compiled in rather than taken from the machine, so that
/// a crawl in a bare container sees the same web; and the provider is given
/// rather than installed, so that nothing depends on who comes first.
pub(super) fn configuration(options: &Options) -> Result<ClientConfig, OptionsError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for path in &options.ca_certificates {
        let unreadable = |reason: String| OptionsError::Certificates { path: path.clone(), reason };
        let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
        let before = roots.len();
        for certificate in certificates {
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(unreadable("no certificate in it".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| OptionsError::Client(error.to_string()))?;
    let mut configuration = builder.with_root_certificates(roots).with_no_client_auth();
    configuration.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(configuration)
}
