//! What a generated world is like, in numbers.
//!
//! Everything has a default (the mixed world), an unknown key is an error, and
//! a file may start from a named preset with `preset = "…"`.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::faults::Fault;

/// The parameters of a world. A *share* is a number from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// The seed of all chance. Another seed, another world of the same shape.
    pub seed: u64,
    /// How many sites, each with a pay-level domain of its own.
    pub hosts: u32,
    /// How many documents on each, not counting the HTML pages that stand
    /// beside RDF documents.
    pub documents_per_host: u32,
    /// How many vocabularies, each on a host of its own.
    pub vocabularies: u16,
    /// How large documents are.
    pub bytes: Bytes,
    /// The shares of the kinds of document; only their ratios matter.
    pub kinds: Kinds,
    /// How documents link.
    pub links: Links,
    /// How RDF documents are named and served.
    pub naming: Naming,
    /// How unevenly RDF is spread, and what betrays it.
    pub skew: Skew,
    /// Sections of sites that differ from each other.
    pub sections: Sections,
    /// What robots.txt says.
    pub robots: Robots,
    /// What documents are about.
    pub topics: Topics,
    /// What goes wrong on purpose.
    pub faults: Faults,
    /// What has changed since the world was made.
    pub changes: Changes,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            seed: 1,
            hosts: 50,
            documents_per_host: 200,
            vocabularies: 5,
            bytes: Bytes::default(),
            kinds: Kinds::default(),
            links: Links::default(),
            naming: Naming::default(),
            skew: Skew::default(),
            sections: Sections::default(),
            robots: Robots::default(),
            topics: Topics::default(),
            faults: Faults::default(),
            changes: Changes::default(),
        }
    }
}

/// Sizes of documents in bytes; met roughly, since links come first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bytes {
    /// The least size.
    pub min: u32,
    /// The mean size.
    pub mean: u32,
    /// The largest size.
    pub max: u32,
}

impl Default for Bytes {
    fn default() -> Self {
        Self { min: 5_000, mean: 12_000, max: 50_000 }
    }
}

/// Shares of the kinds of document; only their ratios matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kinds {
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
    /// Images and such.
    pub binary: f64,
}

impl Kinds {
    /// No kind at all; to be filled in.
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

impl Default for Kinds {
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

/// How documents link to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Links {
    /// The least number of links in a document.
    pub min: u32,
    /// The largest number of links in a document; the documents that hold the
    /// web together may have a few more.
    pub max: u32,
    /// Share of links that stay on their host.
    pub same_host: f64,
    /// Share of links to nothing (404).
    pub broken: f64,
    /// Share of links into `/private/`, which robots.txt forbids.
    pub private: f64,
    /// Share of links that reach their document over redirects (301, 302,
    /// 303, 307 and 308 alike).
    pub redirected: f64,
    /// The longest chain of such redirects.
    pub redirects_max: u32,
    /// Share of links into redirects that never end.
    pub redirect_loops: f64,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            min: 20,
            max: 50,
            same_host: 0.5,
            broken: 0.02,
            private: 0.01,
            redirected: 0.02,
            redirects_max: 3,
            redirect_loops: 0.001,
        }
    }
}

/// How RDF documents are named and served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Naming {
    /// Share of RDF documents whose thing is named by a hash URI
    /// (`/data/7#it`); the others' by `/resource/7`, which answers 303.
    pub hash: f64,
    /// Share of those with a hash URI that are files with an extension in a
    /// section (`/staff/7.rdf`, `/ontology/7.ttl`).
    pub extension: f64,
    /// Share of RDF/XML, Turtle, N-Triples and JSON-LD documents that come in
    /// all four syntaxes at one URL, by `Accept`.
    pub negotiating: f64,
    /// Share of RDF documents with a wrong content type.
    pub wrong_content_type: f64,
    /// Share of RDF documents without a content type.
    pub missing_content_type: f64,
    /// Share of sites with two hosts, `www.` for pages and `data.` for data.
    pub split_hosts: f64,
    /// Share of documents no link leads to; only the sitemap names them.
    pub orphans: f64,
    /// Share of sites no RDF link leads to, only HTML links.
    pub islands: f64,
}

impl Default for Naming {
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

/// How unevenly RDF is spread, and what betrays where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Skew {
    /// Share of hosts that hold nothing but RDF or none at all, in the same
    /// ratio as the documents of the world.
    pub hosts: f64,
    /// How strongly a section of a site (`/staff/`, `/news/`) tells whether
    /// its documents hold RDF and lead to RDF: 0 not at all, 1 always.
    pub paths: f64,
    /// Share of HTML links to RDF documents with a second link beside them,
    /// straight to the data, whose anchor text or `type` says so.
    pub betrayed: f64,
    /// Share of other HTML links whose anchor text or `type` says RDF.
    pub lies: f64,
}

impl Default for Skew {
    fn default() -> Self {
        Self { hosts: 0.2, paths: 0.8, betrayed: 0.2, lies: 0.03 }
    }
}

/// Sections of sites that differ from each other, in how much RDF they hold and
/// in how they call it. Without them, all sites are cut from one cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sections {
    /// How many sections each site has, with a name, a manner of writing URLs, a
    /// kind of RDF and a share of it that are its own. 0: none of all this, and
    /// nothing below holds.
    pub count: u32,
    /// How unequal sites are in size: with n, a site has `documents_per_host` ×
    /// uⁿ documents, u even in [0, 1). 0: all have as many.
    pub sizes: f64,
    /// How much sites differ in their share of RDF: 0 not at all, 1: each has
    /// nothing but RDF, or none.
    pub sites: f64,
    /// How much the sections of one site differ from it in the same way.
    pub within: f64,
    /// Share of sections whose name says how much RDF there is; the names of
    /// the others are the same everywhere and mean nothing.
    pub telling: f64,
    /// Share of HTML links whose text says whether there is RDF behind them.
    pub anchors: f64,
    /// Share of links between sites that are made to lead to a site with a like
    /// share of RDF.
    pub alike: f64,
    /// Share of the documents that lead to others which are lists: without RDF
    /// themselves, with links into their own section and nowhere else.
    pub lists: f64,
    /// How many links a list has.
    pub list_links: u32,
}

impl Default for Sections {
    fn default() -> Self {
        Self {
            count: 0,
            sizes: 0.0,
            sites: 0.3,
            within: 0.5,
            telling: 0.3,
            anchors: 0.3,
            alike: 0.3,
            lists: 0.1,
            list_links: 30,
        }
    }
}

/// What robots.txt says. Where there is one, it forbids `/private/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Robots {
    /// Share of sites without one.
    pub missing: f64,
    /// Share of sites with a `Crawl-delay`.
    pub crawl_delay: f64,
    /// That delay in seconds; may be a fraction.
    pub crawl_delay_s: f64,
    /// Share of sites whose robots.txt names a sitemap.
    pub sitemap: f64,
}

impl Default for Robots {
    fn default() -> Self {
        Self { missing: 1.0 / 17.0, crawl_delay: 0.0, crawl_delay_s: 1.0, sitemap: 0.5 }
    }
}

/// What documents are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Topics {
    /// How many topics there are.
    pub count: u32,
    /// Share of links that are made to stay on their topic.
    pub affinity: f64,
}

impl Default for Topics {
    fn default() -> Self {
        Self { count: 8, affinity: 0.5 }
    }
}

/// What goes wrong on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// Share of documents with a fault.
    pub documents: f64,
    /// The faults they may have.
    pub document_faults: Vec<Fault>,
    /// Share of hosts with a fault.
    pub hosts: f64,
    /// The faults they may have.
    pub host_faults: Vec<Fault>,
    /// Whether `http://faults.example/` shows every fault under its name.
    pub gallery: bool,
    /// How long a slow answer takes, in seconds.
    pub slow_s: f64,
    /// How long a dripping answer pauses, in seconds.
    pub drip_s: f64,
    /// How often a passing fault fails before it passes.
    pub passing_requests: u32,
    /// The `Retry-After` of those that have one, in seconds.
    pub retry_after_s: u32,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            documents: 0.0,
            document_faults: Fault::OF_DOCUMENTS.to_vec(),
            hosts: 0.0,
            host_faults: Fault::OF_HOSTS.to_vec(),
            gallery: false,
            slow_s: 5.0,
            drip_s: 1.0,
            passing_requests: 2,
            retry_after_s: 2,
        }
    }
}

/// What has changed since the world was made, and how a visitor may tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Changes {
    /// 0: nothing has changed. Any other number: the shares below have, and a
    /// different number means different documents. All others are what they
    /// are in revision 0, to the byte.
    pub revision: u32,
    /// Share of documents with RDF that say something else.
    pub changed_share: f64,
    /// Share of documents that are gone: 404 or 410.
    pub vanished_share: f64,
    /// Share of documents with an `ETag`.
    pub etag_share: f64,
    /// Share of documents with a `Last-Modified`.
    pub last_modified_share: f64,
}

impl Default for Changes {
    fn default() -> Self {
        Self { revision: 0, changed_share: 0.05, vanished_share: 0.0, etag_share: 0.0, last_modified_share: 0.0 }
    }
}

/// Parameters that make no world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadParameters(pub(crate) String);

impl fmt::Display for BadParameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BadParameters {}

impl Parameters {
    /// Reads parameters from TOML. The key `preset` says what the rest
    /// departs from; without it, that is the mixed world.
    pub fn from_toml(text: &str) -> Result<Self, BadParameters> {
        let parameters = departing(text, Self::preset)?;
        Self::check(&parameters)?;
        Ok(parameters)
    }

    /// Whether these parameters make a world.
    pub fn check(&self) -> Result<(), BadParameters> {
        let refuse = |problem: &str| Err(BadParameters(problem.to_owned()));
        if self.hosts == 0 || self.documents_per_host == 0 || self.vocabularies == 0 || self.topics.count == 0 {
            return refuse("a world needs a host, a document, a vocabulary and a topic");
        }
        if self.bytes.min > self.bytes.mean || self.bytes.mean > self.bytes.max || self.links.min > self.links.max {
            return refuse("a least value is above its mean or largest value");
        }
        if self.shares().iter().any(|share| !(0.0..=1.0).contains(share)) {
            return refuse("a share is not between 0 and 1");
        }
        let kinds = self.kinds.shares();
        if kinds.iter().any(|share| !share.is_finite() || *share < 0.0) || kinds.iter().sum::<f64>() <= 0.0 {
            return refuse("the shares of kinds are negative or all zero");
        }
        if !(0.0..=10.0).contains(&self.sections.sizes) || self.sections.count > Sections::COUNT_MAX {
            return refuse("sections.sizes is at most 10, sections.count at most 12");
        }
        let durations = [self.faults.slow_s, self.faults.drip_s, self.robots.crawl_delay_s];
        if durations.iter().any(|seconds| !(0.0..=86_400.0).contains(seconds)) {
            return refuse("a number of seconds is negative or more than a day");
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
            skew.betrayed,
            skew.lies,
            sections.sites,
            sections.within,
            sections.telling,
            sections.anchors,
            sections.alike,
            sections.lists,
            robots.missing,
            robots.crawl_delay,
            robots.sitemap,
            topics.affinity,
            faults.documents,
            faults.hosts,
            changes.changed_share,
            changes.vanished_share,
            changes.etag_share,
            changes.last_modified_share,
        ]
    }
}

impl Sections {
    /// There are no more names.
    const COUNT_MAX: u32 = 12;
}

impl Kinds {
    /// The shares in the order of `Kind::DRAWN`.
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

/// Parameters as a TOML text has them: those of the preset it names, or the
/// default ones, and what it changes about them.
pub(crate) fn departing<P: Default + Serialize + DeserializeOwned>(
    text: &str,
    preset: fn(&str) -> Option<P>,
) -> Result<P, BadParameters> {
    let bad = |problem: &dyn fmt::Display| BadParameters(problem.to_string());
    let mut departures: toml::Table = text.parse().map_err(|problem| bad(&problem))?;
    let preset = match departures.remove("preset") {
        None => P::default(),
        Some(toml::Value::String(name)) => {
            preset(&name).ok_or_else(|| bad(&format_args!("no preset is called `{name}`")))?
        }
        Some(other) => return Err(bad(&format_args!("`preset` is a name, not `{other}`"))),
    };
    let mut table = toml::Table::try_from(&preset).expect("parameters are plain tables");
    lay_over(&mut table, departures);
    table.try_into().map_err(|problem| bad(&problem))
}

fn lay_over(table: &mut toml::Table, departures: toml::Table) {
    for (key, value) in departures {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => lay_over(below, above),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_departs_from_its_preset() {
        let parameters = Parameters::from_toml("preset = \"tiny\"\nhosts = 3\n[links]\nbroken = 0.5").expect("fine");

        let tiny = Parameters::preset("tiny").expect("a preset");
        assert_eq!((parameters.hosts, parameters.bytes), (3, tiny.bytes));
        assert_eq!((parameters.links.broken, parameters.links.max), (0.5, tiny.links.max));
    }

    #[test]
    fn unknown_keys_are_errors_at_every_depth() {
        assert!(Parameters::from_toml("hostz = 3").is_err());
        assert!(Parameters::from_toml("[links]\nbrokn = 0.1").is_err());
        assert!(Parameters::from_toml("preset = \"nothing\"").is_err());
        assert!(Parameters::from_toml("[links]\nbroken = 1.5").is_err());
    }

    #[test]
    fn every_preset_is_a_world_and_survives_toml() {
        for name in Parameters::PRESETS {
            let preset = Parameters::preset(name).expect("a preset");
            let text = toml::to_string(&preset).expect("plain tables");

            assert_eq!(Parameters::from_toml(&text), Ok(preset));
        }
    }
}
