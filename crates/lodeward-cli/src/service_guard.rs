//! Rejects commands on a data directory that a service uses: the service would not know of the changes,
//! and other crawls would not share its delays per domain.

use std::path::Path;

use lodeward_service::ServicePresence;

use crate::errors::DataInUseError;

/// Returns an error if a service uses the data directory.
pub(crate) fn require_unserved(data: &Path) -> Result<(), DataInUseError> {
    require_unserved_with_hint(data, |service| {
        format!(
            "use the API of the service, or stop it first: {service}/api/v1/docs documents it, SPARQL is at \
             {service}/sparql"
        )
    })
}

/// Like [`require_unserved`], but `hint` makes the hint from the URL of the service.
pub(crate) fn require_unserved_with_hint(data: &Path, hint: impl FnOnce(&str) -> String) -> Result<(), DataInUseError> {
    let directory = data.display();
    let (message, hint) = match ServicePresence::detect(data) {
        ServicePresence::Absent => return Ok(()),
        ServicePresence::Starting => (
            format!("{directory} is used by a service that is starting"),
            "wait until it responds (`lodeward health`) and use its API, or stop it first".to_owned(),
        ),
        ServicePresence::Running(running) => {
            let service = format!("http://{}", running.address);
            (format!("{directory} is used by the service at {service} (process {})", running.pid), hint(&service))
        }
    };
    Err(DataInUseError { message, hint })
}
