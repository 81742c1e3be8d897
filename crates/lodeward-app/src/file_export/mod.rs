//! Writes statements to files: a selection of the archive ([`ExportSelection`]), or the harvest of a
//! crawl ([`write_harvest`]), also by hop ([`write_hops`]).

mod harvest;
mod hops;
mod selection;

use std::io;
use std::path::PathBuf;

use crate::provenance::GraphNames;
use lodeward::store::StoreError;
use lodeward_archive::ArchiveError;

pub use harvest::{UnknownExtension, extension, format_by_name, write_harvest, write_harvest_to};
pub use hops::{hop_path, write_hops};
pub use selection::{ExportSelection, GraphSelection, candidate_subjects, generated_graphs};

use crate::settings::{Config, ProvenanceStorage, graph_names};

/// Statements cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileExportError {
    /// A file cannot be written.
    #[error("cannot write {}", .path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The output cannot be written.
    #[error(transparent)]
    Io(io::Error),
    /// The harvest cannot be copied to a file.
    #[error("cannot write {}", .path.display())]
    Harvest {
        /// The path of the file.
        path: PathBuf,
        /// Why it cannot be copied.
        #[source]
        source: StoreError,
    },
    /// The harvest cannot be read.
    #[error(transparent)]
    Store(StoreError),
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The export was cancelled.
    #[error("export cancelled")]
    Cancelled,
}

/// The names of provenance graphs in the file of `--output`, if they are written there.
#[must_use]
pub fn output_graph_names(config: &Config, crawl: u32) -> Option<GraphNames> {
    graph_names(config, crawl).filter(|_| config.store.provenance == ProvenanceStorage::All)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provenance_is_in_the_output_only_if_it_is_enabled() {
        let mut config = Config::default();
        assert_eq!(output_graph_names(&config, 1), None);
        config.store.provenance = ProvenanceStorage::All;
        assert_eq!(output_graph_names(&config, 1), Some(GraphNames::new("urn:lodeward:", 1)));
    }
}
