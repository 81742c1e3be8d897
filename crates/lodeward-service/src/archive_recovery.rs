//! Opens the archive again after a failed write, as soon as there is room.

use std::time::Duration;

use lodeward::error_chain;
use lodeward_archive::{Archive, ArchiveError};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// Time between two checks of the archive.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How long queries that still read the archive are waited for. New queries wait meanwhile.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Checks the archive until the service closes. A crawl that writes into the archive does the same
/// for itself; this is for everything else.
pub(crate) async fn watch_archive(archive: Archive, mut closing: watch::Receiver<bool>) {
    let mut checks = interval(CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last_failure = None;
    loop {
        tokio::select! {
            _ = checks.tick() => {}
            // An error: the service is gone.
            _ = closing.wait_for(|is_closing| *is_closing) => return,
        }
        let archive = archive.clone();
        let Ok(recovered) = tokio::task::spawn_blocking(move || archive.recover(MAX_WAIT)).await else { return };
        last_failure = log_result(recovered, last_failure.as_deref());
    }
}

/// Logs a failure once. Returns the failure.
fn log_result(recovered: Result<bool, ArchiveError>, last_failure: Option<&str>) -> Option<String> {
    match recovered {
        Ok(false) => None,
        Ok(true) => {
            tracing::info!("archive opened again after a failed write");
            None
        }
        Err(error) => {
            let failure = error_chain::with_causes(&error);
            if last_failure != Some(failure.as_str()) {
                tracing::error!(error = failure, "the archive cannot be written");
            }
            Some(failure)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use oxrdf::{NamedNode, Quad};

    use super::*;

    /// Makes a write of the archive fail, as on a full disk, so that it rejects all further ones.
    pub(crate) fn fail_archive(directory: &Path, archive: &Archive) {
        let mut transaction = archive.begin();
        transaction.set_note(b"key", Some(b"value"));
        let predicate = NamedNode::new_unchecked("urn:predicate");
        for number in 0..40 {
            let subject = NamedNode::new_unchecked(format!("urn:subject:{number}"));
            let quad = Quad::new(subject, predicate.clone(), predicate.clone(), predicate.clone());
            transaction.insert(quad.as_ref()).unwrap();
        }
        transaction.commit().unwrap();
        let keyspaces = std::fs::read_dir(directory.join("keyspaces")).unwrap();
        let tables = keyspaces.map(|keyspace| keyspace.unwrap().path().join("tables"));
        let tables: Vec<_> = tables.filter(|path| path.is_dir()).collect();
        for path in &tables {
            std::fs::rename(path, path.with_extension("away")).unwrap();
        }
        let failed = archive.reclaim();
        for path in &tables {
            let _ = std::fs::remove_dir_all(path);
            std::fs::rename(path.with_extension("away"), path).unwrap();
        }
        assert!(archive.check_writable().is_err(), "{failed:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_archive_that_failed_is_opened_again() {
        let directory = tempfile::tempdir().unwrap();
        let archive = Archive::open(directory.path(), &lodeward_archive::Options::default()).unwrap();
        fail_archive(directory.path(), &archive);
        let closing = watch::Sender::new(false);

        let watching = tokio::spawn(watch_archive(archive.clone(), closing.subscribe()));
        while archive.check_writable().is_err() {
            tokio::task::yield_now().await;
        }
        closing.send_replace(true);
        watching.await.unwrap();

        assert_eq!(archive.snapshot().note(b"key").unwrap().as_deref(), Some(b"value".as_slice()));
    }
}
