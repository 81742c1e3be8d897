//! What a service has, nobody else changes: it would know nothing of it, and crawls
//! beside its own would not keep the delays of servers together with them.

use std::path::Path;

use lodeward_service::Presence;

use crate::failure::Usage;

/// Refuses to use a data directory that is served.
pub(crate) fn require_unserved(data: &Path) -> Result<(), Usage> {
    match Presence::in_data(data) {
        Presence::Nobody => Ok(()),
        presence => Err(refusal(data, &presence)),
    }
}

fn refusal(data: &Path, presence: &Presence) -> Usage {
    let data = data.display();
    let Presence::Running(running) = presence else {
        let message = format!("{data} is served by a process that has just begun");
        let hint = "wait until it answers (`lodeward health`) and ask it instead, or stop it first".to_owned();
        return Usage { message, hint: Some(hint) };
    };
    let address = format!("http://{}", running.address);
    let message = format!("{data} is served by process {} at {address}", running.pid);
    let hint = format!(
        "ask the service instead, or stop it first: {address}/api/v1/docs says how it is asked, SPARQL goes to \
         {address}/sparql"
    );
    Usage { message, hint: Some(hint) }
}
