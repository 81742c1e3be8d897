//! Whom queries may make us ask: `SERVICE` and `LOAD`.

use std::sync::{Arc, Mutex, PoisonError};

use lodeward::open;
use lodeward_archive::sparql::{Fetched, ServiceError, Services};

use crate::problem::Problem;
use crate::service::Current;

/// Who asks others for queries, made once for the settings that hold.
#[derive(Default)]
pub(super) struct Federation(Mutex<Option<Made>>);

/// Who was made for which settings.
type Made = (Arc<Current>, Arc<dyn Services>);

impl Federation {
    /// Who asks others under these settings.
    pub(super) async fn services(&self, current: &Arc<Current>) -> Result<Arc<dyn Services>, Problem> {
        if let Some((known, services)) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner)
            && Arc::ptr_eq(known, current)
        {
            return Ok(Arc::clone(services));
        }
        let settings = Arc::clone(current);
        // It reads certificates.
        let made = tokio::task::spawn_blocking(move || open::services(&settings.config, false)).await;
        let inner = match made {
            Ok(Ok(inner)) => inner,
            Ok(Err(error)) => return Err(Problem::internal(&error)),
            Err(error) => return Err(Problem::internal(&error)),
        };
        let services: Arc<dyn Services> = Arc::new(Open(inner));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Arc::clone(current), Arc::clone(&services)));
        Ok(services)
    }
}

/// Asks others, but nobody inside: what a refusal would tell of our network is left
/// out.
struct Open(Arc<dyn Services>);

impl Services for Open {
    fn query(&self, endpoint: &str, query: &str) -> Result<Fetched, ServiceError> {
        self.0.query(endpoint, query).map_err(|error| discreet(error, endpoint))
    }

    fn load(&self, url: &str) -> Result<Fetched, ServiceError> {
        self.0.load(url).map_err(|error| discreet(error, url))
    }
}

fn discreet(error: ServiceError, whom: &str) -> ServiceError {
    if error.is_forbidden() {
        return ServiceError::forbidden(format!("<{whom}> is not part of the open internet, and is not asked"));
    }
    error
}

/// Asks nobody.
pub(super) struct Closed {
    /// Who else may.
    pub(super) role: String,
}

impl Closed {
    fn refuse(&self, what: &str) -> Result<Fetched, ServiceError> {
        Err(ServiceError::forbidden(format!("to use {what} takes the role {}", self.role)))
    }
}

impl Services for Closed {
    fn query(&self, _: &str, _: &str) -> Result<Fetched, ServiceError> {
        self.refuse("SERVICE")
    }

    fn load(&self, _: &str) -> Result<Fetched, ServiceError> {
        self.refuse("LOAD")
    }
}
