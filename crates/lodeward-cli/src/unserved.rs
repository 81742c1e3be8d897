//! What a service has, nobody else changes: it would know nothing of it, and crawls
//! beside its own would not keep the delays of servers together with them.

use std::path::Path;

use lodeward_service::Presence;

use crate::failure::Usage;

/// Refuses to use a data directory that is served.
pub(crate) fn require_unserved(data: &Path) -> Result<(), Usage> {
    require_unserved_or(data, |service| {
        format!(
            "ask the service instead, or stop it first: {service}/api/v1/docs says how it is asked, SPARQL goes to \
             {service}/sparql"
        )
    })
}

/// The same, with what can be done with the service at this address instead.
pub(crate) fn require_unserved_or(data: &Path, instead: impl FnOnce(&str) -> String) -> Result<(), Usage> {
    let data_told = data.display();
    let (message, hint) = match Presence::in_data(data) {
        Presence::Nobody => return Ok(()),
        Presence::Starting => (
            format!("{data_told} is served by a process that has just begun"),
            "wait until it answers (`lodeward health`) and ask it instead, or stop it first".to_owned(),
        ),
        Presence::Running(running) => {
            let service = format!("http://{}", running.address);
            (format!("{data_told} is served by process {} at {service}", running.pid), instead(&service))
        }
    };
    Err(Usage { message, hint: Some(hint) })
}
