//! Federated queries: handlers for `SERVICE` and `LOAD`, and which roles may use them.

use std::sync::{Arc, Mutex, PoisonError};

use lodeward_app::federation;
use lodeward_archive::sparql::{ServiceCallError, ServiceCallResponse, ServiceHandler};

use crate::live_settings::CurrentSettings;
use crate::problem::Problem;

/// Caches the service handler for the current settings.
#[derive(Default)]
pub(super) struct FederationAccess(Mutex<Option<FederationCacheEntry>>);

/// The settings and the handler created for them.
type FederationCacheEntry = (Arc<CurrentSettings>, Arc<dyn ServiceHandler>);

impl FederationAccess {
    /// The handler for these settings, created if they have changed.
    pub(super) async fn services(&self, current: &Arc<CurrentSettings>) -> Result<Arc<dyn ServiceHandler>, Problem> {
        if let Some((known, services)) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner)
            && Arc::ptr_eq(known, current)
        {
            return Ok(Arc::clone(services));
        }
        let settings = Arc::clone(current);
        // Creating the handler blocks, because it reads certificates from disk.
        let created = tokio::task::spawn_blocking(move || federation::service_handler(&settings.config, false)).await;
        let inner = match created {
            Ok(Ok(inner)) => inner,
            Ok(Err(error)) => return Err(Problem::internal(&error)),
            Err(error) => return Err(Problem::internal(&error)),
        };
        let services: Arc<dyn ServiceHandler> = Arc::new(OpenFederation(inner));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Arc::clone(current), Arc::clone(&services)));
        Ok(services)
    }
}

/// Queries other endpoints. Errors about private addresses are redacted, because they would
/// reveal the structure of our network.
struct OpenFederation(Arc<dyn ServiceHandler>);

impl ServiceHandler for OpenFederation {
    fn query(&self, endpoint: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.0.query(endpoint, query).map_err(|error| redact_forbidden(error, endpoint))
    }

    fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.0.load(url).map_err(|error| redact_forbidden(error, url))
    }
}

fn redact_forbidden(error: ServiceCallError, url: &str) -> ServiceCallError {
    if error.is_forbidden() {
        return ServiceCallError::forbidden(format!("<{url}> is on a private network: not requested"));
    }
    error
}

/// Rejects all `SERVICE` and `LOAD` requests.
pub(super) struct ClosedFederation {
    /// The role that may use `SERVICE` and `LOAD`, for the error message.
    pub(super) role: String,
}

impl ClosedFederation {
    fn reject(&self, keyword: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        Err(ServiceCallError::forbidden(format!("{keyword} needs the role `{}`", self.role)))
    }
}

impl ServiceHandler for ClosedFederation {
    fn query(&self, _: &str, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.reject("SERVICE")
    }

    fn load(&self, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.reject("LOAD")
    }
}
