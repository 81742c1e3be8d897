//! Writes statements to files.

use lodeward::provenance::GraphNames;

use crate::settings::{Config, ProvenanceStorage, graph_names};

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
