//! Worlds with a name.

use super::parameters::{Bytes, Faults, Kinds, Links, Naming, Parameters, Robots, Skew, Topics};

impl Parameters {
    /// The names of the presets.
    pub const PRESETS: [&str; 8] = ["mixed", "tiny", "rdfxml", "polite", "faults", "focus", "surrounded", "demo"];

    /// The preset of this name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Some(match name {
            "mixed" => Self::default(),
            "tiny" => tiny(),
            "rdfxml" => Self { kinds: Kinds { rdf_xml: 1.0, ..Kinds::NONE }, skew: even(), ..Self::default() },
            "polite" => polite(),
            "faults" => faults(),
            "focus" => Self {
                topics: Topics { count: 12, affinity: 0.8 },
                links: Links { min: 10, max: 20, ..Links::default() },
                ..Self::default()
            },
            "surrounded" => surrounded(),
            "demo" => demo(),
            _ => return None,
        })
    }
}

fn even() -> Skew {
    Skew { hosts: 0.0, ..Skew::default() }
}

/// A million small documents: what a crawler costs per document.
fn tiny() -> Parameters {
    Parameters {
        hosts: 1_000,
        documents_per_host: 1_000,
        bytes: Bytes { min: 300, mean: 400, max: 600 },
        kinds: Kinds { turtle: 0.5, n_triples: 0.5, ..Kinds::NONE },
        links: Links { min: 2, max: 4, ..clean_links() },
        // No 303 and no variants, so that a request is a document.
        naming: Naming { hash: 1.0, extension: 0.0, negotiating: 0.0, ..clean_naming() },
        skew: even(),
        robots: Robots { missing: 0.0, ..Robots::default() },
        ..Parameters::default()
    }
}

fn clean_links() -> Links {
    Links { broken: 0.0, private: 0.0, redirected: 0.0, redirect_loops: 0.0, ..Links::default() }
}

fn clean_naming() -> Naming {
    Naming { wrong_content_type: 0.0, missing_content_type: 0.0, split_hosts: 0.0, ..Naming::default() }
}

/// Few documents on each of many hosts, half of which ask for a delay.
fn polite() -> Parameters {
    Parameters {
        hosts: 40,
        documents_per_host: 10,
        bytes: Bytes { min: 1_000, mean: 2_000, max: 5_000 },
        links: Links { min: 5, max: 12, private: 0.05, ..Links::default() },
        naming: Naming { split_hosts: 0.3, ..Naming::default() },
        robots: Robots { crawl_delay: 0.5, crawl_delay_s: 0.5, sitemap: 1.0, ..Robots::default() },
        ..Parameters::default()
    }
}

/// Everything that can go wrong, quickly: waits are short.
fn faults() -> Parameters {
    Parameters {
        hosts: 20,
        documents_per_host: 25,
        bytes: Bytes { min: 1_000, mean: 2_000, max: 5_000 },
        links: Links { min: 5, max: 12, broken: 0.05, redirected: 0.1, redirect_loops: 0.01, ..Links::default() },
        naming: Naming { orphans: 0.05, ..Naming::default() },
        faults: Faults {
            documents: 0.15,
            hosts: 0.25,
            gallery: true,
            slow_s: 0.5,
            drip_s: 0.05,
            retry_after_s: 1,
            ..Faults::default()
        },
        ..Parameters::default()
    }
}

/// RDF surrounded by HTML: much of it only HTML links lead to.
fn surrounded() -> Parameters {
    Parameters {
        kinds: Kinds { html: 0.6, ..Kinds::default() },
        naming: Naming { islands: 0.4, ..Naming::default() },
        skew: Skew { hosts: 0.4, paths: 0.9, betrayed: 0.4, lies: 0.05 },
        ..Parameters::default()
    }
}

/// A small world with something of everything, for a first look.
fn demo() -> Parameters {
    Parameters {
        hosts: 12,
        documents_per_host: 40,
        bytes: Bytes { min: 1_500, mean: 4_000, max: 15_000 },
        links: Links { min: 8, max: 16, ..Links::default() },
        naming: Naming { split_hosts: 0.25, orphans: 0.02, islands: 0.1, ..Naming::default() },
        robots: Robots { crawl_delay: 0.2, crawl_delay_s: 0.2, ..Robots::default() },
        ..Parameters::default()
    }
}
