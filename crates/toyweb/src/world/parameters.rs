//! The parameters of a generated world.
//!
//! Every parameter has a default (the preset `mixed`), an unknown key is an error, and a file may start from a preset
//! with `preset = "…"`.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::faults::ServerFault;

/// The parameters of a world. A *share* is a number from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldParameters {
    /// Seed of the random numbers. Another seed gives another world of the same shape.
    pub seed: u64,
    /// The number of sites, each with its own pay-level domain.
    pub hosts: u32,
    /// The number of documents per site, without the HTML pages of RDF documents.
    pub documents_per_host: u32,
    /// The number of vocabularies, each on its own host.
    pub vocabularies: u16,
    /// The sizes of documents.
    pub bytes: ByteParameters,
    /// The shares of the kinds of document; only their ratios matter.
    pub kinds: KindShares,
    /// The links of documents.
    pub links: LinkParameters,
    /// The URIs and content types of RDF documents.
    pub naming: NamingParameters,
    /// How unevenly RDF is distributed, and which hints links give.
    pub skew: SkewParameters,
    /// Sections of sites.
    pub sections: SectionParameters,
    /// The rules of robots.txt.
    pub robots: RobotsParameters,
    /// The topics of documents.
    pub topics: TopicParameters,
    /// Injected faults.
    pub faults: FaultParameters,
    /// Changes to documents over time.
    pub changes: ChangeParameters,
}

impl Default for WorldParameters {
    fn default() -> Self {
        Self {
            seed: 1,
            hosts: 50,
            documents_per_host: 200,
            vocabularies: 5,
            bytes: ByteParameters::default(),
            kinds: KindShares::default(),
            links: LinkParameters::default(),
            naming: NamingParameters::default(),
            skew: SkewParameters::default(),
            sections: SectionParameters::default(),
            robots: RobotsParameters::default(),
            topics: TopicParameters::default(),
            faults: FaultParameters::default(),
            changes: ChangeParameters::default(),
        }
    }
}

/// Sizes of documents in bytes; approximate, because links are written first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ByteParameters {
    /// The minimum size.
    pub min: u32,
    /// The mean size.
    pub mean: u32,
    /// The maximum size.
    pub max: u32,
}

impl Default for ByteParameters {
    fn default() -> Self {
        Self { min: 5_000, mean: 12_000, max: 50_000 }
    }
}

/// Shares of the kinds of document; only their ratios matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KindShares {
    /// RDF/XML.
    pub rdf_xml: f64,
    /// Turtle.
    pub turtle: f64,
    /// N-Triples.
    pub n_triples: f64,
    /// N-Quads.
    pub n_quads: f64,
    /// TriG.
    pub trig: f64,
    /// JSON-LD.
    pub json_ld: f64,
    /// HTML with RDFa.
    pub html_rdfa: f64,
    /// HTML with Microdata.
    pub html_microdata: f64,
    /// HTML with JSON-LD scripts.
    pub html_json_ld: f64,
    /// HTML with RDFa, Microdata and JSON-LD at once.
    pub html_several: f64,
    /// HTML without any RDF.
    pub html: f64,
    /// Images and other binary data.
    pub binary: f64,
}

impl KindShares {
    /// All shares 0; a base for struct updates.
    pub const NONE: Self = Self {
        rdf_xml: 0.0,
        turtle: 0.0,
        n_triples: 0.0,
        n_quads: 0.0,
        trig: 0.0,
        json_ld: 0.0,
        html_rdfa: 0.0,
        html_microdata: 0.0,
        html_json_ld: 0.0,
        html_several: 0.0,
        html: 0.0,
        binary: 0.0,
    };
}

impl Default for KindShares {
    fn default() -> Self {
        Self {
            rdf_xml: 0.19,
            turtle: 0.14,
            n_triples: 0.05,
            n_quads: 0.02,
            trig: 0.02,
            json_ld: 0.10,
            html_rdfa: 0.09,
            html_microdata: 0.07,
            html_json_ld: 0.10,
            html_several: 0.02,
            html: 0.15,
            binary: 0.05,
        }
    }
}

/// The links of documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinkParameters {
    /// The minimum number of links of a document.
    pub min: u32,
    /// The maximum number of links of a document. Documents of the spanning tree may have a few more.
    pub max: u32,
    /// Share of links to the same host.
    pub same_host: f64,
    /// Share of links to missing documents (404).
    pub broken: f64,
    /// Share of links to `/private/`, which robots.txt disallows.
    pub private: f64,
    /// Share of links that reach their document over redirects (301, 302, 303, 307 and 308 with equal probability).
    pub redirected: f64,
    /// The maximum length of a chain of such redirects.
    pub max_redirects: u32,
    /// Share of links to redirect loops.
    pub redirect_loops: f64,
}

impl Default for LinkParameters {
    fn default() -> Self {
        Self {
            min: 20,
            max: 50,
            same_host: 0.5,
            broken: 0.02,
            private: 0.01,
            redirected: 0.02,
            max_redirects: 3,
            redirect_loops: 0.001,
        }
    }
}

/// The URIs and content types of RDF documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NamingParameters {
    /// Share of RDF documents whose resource has a hash URI (`/data/7#it`). The others use `/resource/7`, which
    /// responds with 303.
    pub hash: f64,
    /// Share of documents with a hash URI that are files with an extension in a section (`/staff/7.rdf`,
    /// `/ontology/7.ttl`).
    pub extension: f64,
    /// Share of RDF/XML, Turtle, N-Triples and JSON-LD documents that offer all four syntaxes at one URL, by `Accept`.
    pub negotiating: f64,
    /// Share of RDF documents with a wrong content type.
    pub wrong_content_type: f64,
    /// Share of RDF documents without a content type.
    pub missing_content_type: f64,
    /// Share of sites with two hosts, `www.` for pages and `data.` for data.
    pub split_hosts: f64,
    /// Share of documents without incoming links; only the sitemap lists them.
    pub orphans: f64,
    /// Share of sites without incoming RDF links, only with HTML links.
    pub islands: f64,
}

impl Default for NamingParameters {
    fn default() -> Self {
        Self {
            hash: 0.2,
            extension: 0.25,
            negotiating: 0.3,
            wrong_content_type: 0.05,
            missing_content_type: 0.01,
            split_hosts: 0.1,
            orphans: 0.0,
            islands: 0.0,
        }
    }
}

/// How unevenly RDF is distributed, and which hints links give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SkewParameters {
    /// Share of hosts that have either only RDF documents or no RDF, in the ratio of RDF to other documents of the
    /// world.
    pub hosts: f64,
    /// How strongly a section of a site (`/staff/`, `/news/`) indicates whether its documents contain RDF and link to
    /// RDF: 0 not at all, 1 always.
    pub paths: f64,
    /// Share of HTML links to RDF documents with a second link to the data itself, whose anchor text or `type` states
    /// RDF.
    pub data_links: f64,
    /// Share of other HTML links whose anchor text or `type` wrongly states RDF.
    pub misleading_links: f64,
}

impl Default for SkewParameters {
    fn default() -> Self {
        Self { hosts: 0.2, paths: 0.8, data_links: 0.2, misleading_links: 0.03 }
    }
}

/// Sections of sites, which differ in their share of RDF and in the names of RDF documents. Without sections, all sites
/// are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SectionParameters {
    /// The number of sections of each site. A section has its own name, URL style, RDF syntax and share of RDF. If 0,
    /// there are no sections and the other keys of this table have no effect.
    pub count: u32,
    /// The inequality of site sizes: with n, a site has `documents_per_host` × uⁿ documents, with u uniform in [0, 1).
    /// If 0, all sites have the same size.
    pub sizes: f64,
    /// How much sites differ in their share of RDF: with 0, not at all; with 1, each site has either only RDF or no
    /// RDF.
    pub sites: f64,
    /// How much the sections of one site differ from it, on the same scale.
    pub within: f64,
    /// Share of sections whose name indicates how much RDF they contain. The names of the others are the same on all
    /// sites and carry no information.
    pub descriptive_names: f64,
    /// Share of HTML links whose text states whether their target contains RDF.
    pub anchors: f64,
    /// Share of links between sites that lead to a site with a similar share of RDF.
    pub similar_sites: f64,
    /// Share of the documents with links to others that are lists: without RDF, and with links into their own section
    /// only.
    pub lists: f64,
    /// The number of links of a list.
    pub list_links: u32,
}

impl Default for SectionParameters {
    fn default() -> Self {
        Self {
            count: 0,
            sizes: 0.0,
            sites: 0.3,
            within: 0.5,
            descriptive_names: 0.3,
            anchors: 0.3,
            similar_sites: 0.3,
            lists: 0.1,
            list_links: 30,
        }
    }
}

/// The rules of robots.txt. Every robots.txt disallows `/private/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RobotsParameters {
    /// Share of sites without robots.txt.
    pub missing: f64,
    /// Share of sites with a `Crawl-delay`.
    pub crawl_delay_share: f64,
    /// The `Crawl-delay`, in seconds; may be a fraction.
    pub crawl_delay_seconds: f64,
    /// Share of sites whose robots.txt names a sitemap.
    pub sitemap: f64,
}

impl Default for RobotsParameters {
    fn default() -> Self {
        Self { missing: 1.0 / 17.0, crawl_delay_share: 0.0, crawl_delay_seconds: 1.0, sitemap: 0.5 }
    }
}

/// The topics of documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TopicParameters {
    /// The number of topics.
    pub count: u32,
    /// Share of links that stay within their topic.
    pub affinity: f64,
}

impl Default for TopicParameters {
    fn default() -> Self {
        Self { count: 8, affinity: 0.5 }
    }
}

/// Injected faults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FaultParameters {
    /// Share of documents with a fault.
    pub documents: f64,
    /// The faults of documents.
    pub document_faults: Vec<ServerFault>,
    /// Share of hosts with a fault.
    pub hosts: f64,
    /// The faults of hosts.
    pub host_faults: Vec<ServerFault>,
    /// Whether `http://faults.example/` has a document for every fault.
    pub gallery: bool,
    /// The delay of a slow response, in seconds.
    pub slow_seconds: f64,
    /// The pause of a dripping response, in seconds.
    pub drip_seconds: f64,
    /// The number of requests for which a transient fault lasts.
    pub passing_requests: u32,
    /// The value of `Retry-After`, in seconds.
    pub retry_after_seconds: u32,
}

impl Default for FaultParameters {
    fn default() -> Self {
        Self {
            documents: 0.0,
            document_faults: ServerFault::DOCUMENT_FAULTS.to_vec(),
            hosts: 0.0,
            host_faults: ServerFault::HOST_FAULTS.to_vec(),
            gallery: false,
            slow_seconds: 5.0,
            drip_seconds: 1.0,
            passing_requests: 2,
            retry_after_seconds: 2,
        }
    }
}

/// Changes to documents over time, and the validators that show them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangeParameters {
    /// The number of the revision. In revision 0 no document has changed. Every other revision applies the shares below
    /// to other documents; the remaining documents equal revision 0 byte by byte.
    pub revision: u32,
    /// Share of documents with RDF whose statements change.
    pub changed_share: f64,
    /// Share of documents that are deleted: 404 or 410.
    pub deleted_share: f64,
    /// Share of documents with an `ETag`.
    pub etag_share: f64,
    /// Share of documents with a `Last-Modified`.
    pub last_modified_share: f64,
}

impl Default for ChangeParameters {
    fn default() -> Self {
        Self { revision: 0, changed_share: 0.05, deleted_share: 0.0, etag_share: 0.0, last_modified_share: 0.0 }
    }
}

/// Invalid parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldParametersError(pub(crate) String);

impl fmt::Display for WorldParametersError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for WorldParametersError {}

impl WorldParameters {
    /// Parses parameters from TOML. The key `preset` names the preset that the other keys modify; the default is
    /// `mixed`.
    pub fn from_toml(text: &str) -> Result<Self, WorldParametersError> {
        let parameters = parse_with_preset(text, Self::preset)?;
        Self::check(&parameters)?;
        Ok(parameters)
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<(), WorldParametersError> {
        let reject = |problem: &str| Err(WorldParametersError(problem.to_owned()));
        if self.hosts == 0 || self.documents_per_host == 0 || self.vocabularies == 0 || self.topics.count == 0 {
            return reject("hosts, documents_per_host, vocabularies and topics.count must be above 0");
        }
        if self.bytes.min > self.bytes.mean || self.bytes.mean > self.bytes.max || self.links.min > self.links.max {
            return reject("a minimum is above its mean or maximum");
        }
        if self.shares().iter().any(|share| !(0.0..=1.0).contains(share)) {
            return reject("a share is not between 0 and 1");
        }
        let kinds = self.kinds.shares();
        if kinds.iter().any(|share| !share.is_finite() || *share < 0.0) || kinds.iter().sum::<f64>() <= 0.0 {
            return reject("the shares of kinds must not be negative or all zero");
        }
        if !(0.0..=10.0).contains(&self.sections.sizes) || self.sections.count > SectionParameters::MAX_COUNT {
            return reject("sections.sizes must be at most 10, sections.count at most 12");
        }
        let durations = [self.faults.slow_seconds, self.faults.drip_seconds, self.robots.crawl_delay_seconds];
        if durations.iter().any(|seconds| !(0.0..=86_400.0).contains(seconds)) {
            return reject("a duration is negative or longer than a day");
        }
        Ok(())
    }

    fn shares(&self) -> [f64; 33] {
        let Self { links, naming, skew, sections, robots, topics, faults, changes, .. } = self;
        [
            links.same_host,
            links.broken,
            links.private,
            links.redirected,
            links.redirect_loops,
            naming.hash,
            naming.extension,
            naming.negotiating,
            naming.wrong_content_type,
            naming.missing_content_type,
            naming.split_hosts,
            naming.orphans,
            naming.islands,
            skew.hosts,
            skew.paths,
            skew.data_links,
            skew.misleading_links,
            sections.sites,
            sections.within,
            sections.descriptive_names,
            sections.anchors,
            sections.similar_sites,
            sections.lists,
            robots.missing,
            robots.crawl_delay_share,
            robots.sitemap,
            topics.affinity,
            faults.documents,
            faults.hosts,
            changes.changed_share,
            changes.deleted_share,
            changes.etag_share,
            changes.last_modified_share,
        ]
    }
}

impl SectionParameters {
    /// The number of available section names.
    const MAX_COUNT: u32 = 12;
}

impl KindShares {
    /// The shares in the order of `DocumentKind::WEIGHTED`.
    pub(crate) fn shares(&self) -> [f64; 12] {
        [
            self.rdf_xml,
            self.turtle,
            self.n_triples,
            self.n_quads,
            self.trig,
            self.json_ld,
            self.html_rdfa,
            self.html_microdata,
            self.html_json_ld,
            self.html_several,
            self.html,
            self.binary,
        ]
    }
}

/// Parses TOML: the parameters of the named preset, or the defaults, modified by the other keys.
pub(crate) fn parse_with_preset<P: Default + Serialize + DeserializeOwned>(
    text: &str,
    preset: fn(&str) -> Option<P>,
) -> Result<P, WorldParametersError> {
    let error = |problem: &dyn fmt::Display| WorldParametersError(problem.to_string());
    let mut changes: toml::Table = text.parse().map_err(|problem| error(&problem))?;
    let preset = match changes.remove("preset") {
        None => P::default(),
        Some(toml::Value::String(name)) => {
            preset(&name).ok_or_else(|| error(&format_args!("unknown preset `{name}`")))?
        }
        Some(other) => return Err(error(&format_args!("`preset` must be a string, not `{other}`"))),
    };
    let mut table = toml::Table::try_from(&preset).expect("parameters are plain tables");
    merge_tables(&mut table, changes);
    table.try_into().map_err(|problem| error(&problem))
}

fn merge_tables(table: &mut toml::Table, changes: toml::Table) {
    for (key, value) in changes {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => merge_tables(below, above),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_modifies_its_preset() {
        let parameters =
            WorldParameters::from_toml("preset = \"tiny\"\nhosts = 3\n[links]\nbroken = 0.5").expect("fine");

        let tiny = WorldParameters::preset("tiny").expect("a preset");
        assert_eq!((parameters.hosts, parameters.bytes), (3, tiny.bytes));
        assert_eq!((parameters.links.broken, parameters.links.max), (0.5, tiny.links.max));
    }

    #[test]
    fn unknown_keys_are_errors_at_every_depth() {
        assert!(WorldParameters::from_toml("hostz = 3").is_err());
        assert!(WorldParameters::from_toml("[links]\nbrokn = 0.1").is_err());
        assert!(WorldParameters::from_toml("preset = \"nothing\"").is_err());
        assert!(WorldParameters::from_toml("[links]\nbroken = 1.5").is_err());
    }

    #[test]
    fn every_preset_is_valid_and_round_trips_through_toml() {
        for name in WorldParameters::PRESETS {
            let preset = WorldParameters::preset(name).expect("a preset");
            let text = toml::to_string(&preset).expect("plain tables");

            assert_eq!(WorldParameters::from_toml(&text), Ok(preset));
        }
    }
}
