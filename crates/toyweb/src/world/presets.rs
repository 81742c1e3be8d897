//! The presets of generated worlds.

use super::parameters::{
    ByteParameters, FaultParameters, KindShares, LinkParameters, NamingParameters, RobotsParameters, SkewParameters,
    TopicParameters, WorldParameters,
};

impl WorldParameters {
    /// The names of the presets.
    pub const PRESETS: [&str; 8] = ["mixed", "tiny", "rdfxml", "polite", "faults", "focus", "surrounded", "demo"];

    /// The preset of this name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Some(match name {
            "mixed" => Self::default(),
            "tiny" => tiny(),
            "rdfxml" => {
                Self { kinds: KindShares { rdf_xml: 1.0, ..KindShares::NONE }, skew: even_skew(), ..Self::default() }
            }
            "polite" => polite(),
            "faults" => faults(),
            "focus" => Self {
                topics: TopicParameters { count: 12, affinity: 0.8 },
                links: LinkParameters { min: 10, max: 20, ..LinkParameters::default() },
                ..Self::default()
            },
            "surrounded" => surrounded(),
            "demo" => demo(),
            _ => return None,
        })
    }
}

fn even_skew() -> SkewParameters {
    SkewParameters { hosts: 0.0, ..SkewParameters::default() }
}

/// A million small documents, to measure the cost per document.
fn tiny() -> WorldParameters {
    WorldParameters {
        hosts: 1_000,
        documents_per_host: 1_000,
        bytes: ByteParameters { min: 300, mean: 400, max: 600 },
        kinds: KindShares { turtle: 0.5, n_triples: 0.5, ..KindShares::NONE },
        links: LinkParameters { min: 2, max: 4, ..clean_links() },
        // There are no 303 redirects and no content negotiation, so that every request fetches a document.
        naming: NamingParameters { hash: 1.0, extension: 0.0, negotiating: 0.0, ..clean_naming() },
        skew: even_skew(),
        robots: RobotsParameters { missing: 0.0, ..RobotsParameters::default() },
        ..WorldParameters::default()
    }
}

fn clean_links() -> LinkParameters {
    LinkParameters { broken: 0.0, private: 0.0, redirected: 0.0, redirect_loops: 0.0, ..LinkParameters::default() }
}

fn clean_naming() -> NamingParameters {
    NamingParameters {
        wrong_content_type: 0.0,
        missing_content_type: 0.0,
        split_hosts: 0.0,
        ..NamingParameters::default()
    }
}

/// Few documents on each of many hosts, half of which have a `Crawl-delay`.
fn polite() -> WorldParameters {
    WorldParameters {
        hosts: 40,
        documents_per_host: 10,
        bytes: ByteParameters { min: 1_000, mean: 2_000, max: 5_000 },
        links: LinkParameters { min: 5, max: 12, private: 0.05, ..LinkParameters::default() },
        naming: NamingParameters { split_hosts: 0.3, ..NamingParameters::default() },
        robots: RobotsParameters {
            crawl_delay_share: 0.5,
            crawl_delay_seconds: 0.5,
            sitemap: 1.0,
            ..RobotsParameters::default()
        },
        ..WorldParameters::default()
    }
}

/// All faults, with short delays.
fn faults() -> WorldParameters {
    WorldParameters {
        hosts: 20,
        documents_per_host: 25,
        bytes: ByteParameters { min: 1_000, mean: 2_000, max: 5_000 },
        links: LinkParameters {
            min: 5,
            max: 12,
            broken: 0.05,
            redirected: 0.1,
            redirect_loops: 0.01,
            ..LinkParameters::default()
        },
        naming: NamingParameters { orphans: 0.05, ..NamingParameters::default() },
        faults: FaultParameters {
            documents: 0.15,
            hosts: 0.25,
            gallery: true,
            slow_seconds: 0.5,
            drip_seconds: 0.05,
            retry_after_seconds: 1,
            ..FaultParameters::default()
        },
        ..WorldParameters::default()
    }
}

/// RDF surrounded by HTML: only HTML links lead to much of it.
fn surrounded() -> WorldParameters {
    WorldParameters {
        kinds: KindShares { html: 0.6, ..KindShares::default() },
        naming: NamingParameters { islands: 0.4, ..NamingParameters::default() },
        skew: SkewParameters { hosts: 0.4, paths: 0.9, data_links: 0.4, misleading_links: 0.05 },
        ..WorldParameters::default()
    }
}

/// A small world with all features, for demonstrations.
fn demo() -> WorldParameters {
    WorldParameters {
        hosts: 12,
        documents_per_host: 40,
        bytes: ByteParameters { min: 1_500, mean: 4_000, max: 15_000 },
        links: LinkParameters { min: 8, max: 16, ..LinkParameters::default() },
        naming: NamingParameters { split_hosts: 0.25, orphans: 0.02, islands: 0.1, ..NamingParameters::default() },
        robots: RobotsParameters { crawl_delay_share: 0.2, crawl_delay_seconds: 0.2, ..RobotsParameters::default() },
        ..WorldParameters::default()
    }
}
