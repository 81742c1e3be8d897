//! The table of settings: every key with its type and default.
//!
//! `lodeward.example.toml` explains the defaults. A test checks that it has the same keys and
//! values as this file.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::choices::{self, ProvenanceStorage, RankerSetting, StayScope, StrategyKind};
use super::units;
use crate::settings::SecretText;
use lodeward::discover::EndpointPolicy;
use lodeward::engine::FollowedLinks;
use lodeward::extract::NamedGraphPolicy;
use lodeward::rank::walk::WalkTransition;
use lodeward::rank::{Attrition, FactLimits, JaccardMode, TextScope};

/// Declares sections: a struct for each, with the defaults next to the fields, and the names of the
/// keys. The fields after the semicolon are not keys: they are subsections, and options that are
/// not settings.
macro_rules! sections {
    ($(
        $(#[$section_meta:meta])*
        $path:literal $Section:ident {
            $($(#[$key_meta:meta])* $key:ident: $Type:ty = $default:expr,)+
            $(; $($(#[$sub_meta:meta])* $sub:ident: $Sub:ty,)+)?
        }
    )+) => {
        /// The names of all sections and of their keys, in the order of declaration.
        /// The name of a subsection has a dot: `crawl.hops`.
        pub const KEYS: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($key),)+]),)+];

        $(
            $(#[$section_meta])*
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields, default)]
            pub struct $Section {
                $($(#[$key_meta])* pub $key: $Type,)+
                $($($(#[$sub_meta])* pub $sub: $Sub,)+)?
            }

            impl Default for $Section {
                fn default() -> Self {
                    Self { $($key: $default,)+ $($($sub: <$Sub>::default(),)+)? }
                }
            }
        )+
    };
}

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The section `[crawl]`.
    pub crawl: CrawlSettings,
    /// The section `[strategy]`.
    pub strategy: StrategySettings,
    /// The section `[ranking]`.
    pub ranking: RankingSettings,
    /// The section `[seeds]`.
    pub seeds: SeedSettings,
    /// The section `[politeness]`.
    pub politeness: PolitenessSettings,
    /// The section `[fetch]`.
    pub fetch: FetchSettings,
    /// The section `[extract]`.
    pub extract: ExtractSettings,
    /// The section `[discover]`.
    pub discover: DiscoverSettings,
    /// The section `[refresh]`.
    pub refresh: RefreshSettings,
    /// The section `[store]`.
    pub store: StoreSettings,
    /// The section `[service]`.
    pub service: ServiceSettings,
    /// The section `[remote_store]`.
    pub remote_store: RemoteStoreSettings,
}

sections! {
    /// The scope of a crawl and its limits.
    "crawl" CrawlSettings {
        /// The order in which URIs are fetched.
        strategy: StrategyKind = StrategyKind::Learned,
        /// Stop after this many requests, robots.txt included.
        max_requests: Option<u64> = None,
        /// Stop after this many documents; 0 for no limit. If it is not set,
        /// [`CrawlSettings::effective_max_documents`] applies.
        max_documents: Option<u64> = None,
        /// Stop after this many documents that contain RDF.
        max_rdf_documents: Option<u64> = None,
        /// Follow links at most this many steps from the seeds, which are at 0.
        max_depth: Option<u16> = None,
        /// Fetch at most this many documents of a domain.
        max_documents_per_domain: Option<u64> = None,
        /// Fetch only URIs that match one of these regular expressions; empty for all.
        include: Vec<String> = Vec::new(),
        /// Fetch no URI that matches one of these regular expressions.
        exclude: Vec<String> = Vec::new(),
        /// Restrict the crawl to the domains or hosts of the seeds.
        stay: StayScope = StayScope::Off,
        /// Follow only links with these predicates; empty for all.
        follow_predicates: Vec<String> = Vec::new(),
        /// Which links are followed.
        #[serde(with = "choices::followed_links")]
        links: FollowedLinks = FollowedLinks::All,
        /// Whether predicates and classes are followed.
        follow_vocabularies: bool = true,
        /// Fetch no URI with one of these extensions, instead of the built-in list.
        skip_extensions: Option<Vec<String>> = None,
        /// The seed of the random number generator: the same seed gives the same crawl.
        rng_seed: u64 = 0,
        ;
        /// The section `[crawl.hops]`.
        hops: HopSettings,
    }

    /// Limits of each hop. If one of them is set, hops are strict.
    "crawl.hops" HopSettings {
        /// Whether a hop starts only after the hop before it is finished. See
        /// [`CrawlSettings::has_strict_hops`].
        strict: bool = false,
        /// Fetch at most this many documents of a hop.
        max_documents: Option<u64> = None,
        /// Fetch at most this many documents of a domain in one hop.
        max_documents_per_domain: Option<u64> = None,
        /// Fetch only this many domains of a hop, those with most waiting URIs. The
        /// hop of the seeds is exempt.
        max_domains: Option<u64> = None,
        /// End a hop when fewer domains than this are left and each was requested
        /// once. The hop of the seeds is exempt.
        min_domains: Option<u64> = None,
    }

    /// Options of the strategies.
    "strategy" StrategySettings {
        /// The file of a model to start with, from another crawl or from `lodeward-eval`.
        initial_model: Option<String> = None,
        ;
        /// The section `[strategy.learned]`.
        learned: LearnedSettings,
        /// The section `[strategy.ldcoc]`.
        ldcoc: LdcocSettings,
        /// The section `[strategy.link-analysis]`.
        #[serde(rename = "link-analysis")]
        link_analysis: LinkAnalysisSettings,
        /// Parameters of the strategies that an evaluation can vary.
        #[serde(skip)]
        tuning: StrategyTuning,
    }

    /// The strategy `learned`.
    "strategy.learned" LearnedSettings {
        /// Whether a crawl starts with the bundled model.
        prior: bool = true,
        /// Randomness of the order, as a multiple of the uncertainty.
        noise: f64 = 0.5,
        /// How long low-priority URIs are deferred while a better domain is rate-limited.
        #[serde(with = "units::duration")]
        max_hold: Duration = Duration::from_secs(5),
    }

    /// The strategy `ldcoc`, and the feature sets of `nb`, `svm` and `knn`.
    "strategy.ldcoc" LdcocSettings {
        /// The feature sets: `+t`, `+r`, `+p`, `+x`, in any combination.
        features: String = "+t+r+p".to_owned(),
        /// The probability of RDF above which a URI is fetched (τ).
        tau: f64 = 0.5,
        /// The share of the other URIs that are fetched nevertheless (ε).
        epsilon: f64 = 0.17,
        /// Whether ε is set to the ratio of positive to negative examples so far.
        epsilon_by_ratio: bool = false,
        /// The learning rate of FTRL-proximal (α).
        alpha: f64 = 0.5,
        /// The smoothing of FTRL-proximal (β).
        beta: f64 = 1.0,
        /// The L1 regularisation of FTRL-proximal (λ1).
        l1: f64 = 0.1,
        /// The L2 regularisation of FTRL-proximal (λ2).
        l2: f64 = 0.1,
    }

    /// The strategy `link-analysis`.
    "strategy.link-analysis" LinkAnalysisSettings {
        /// A directory with lists that extend the built-in ones: `terms.txt`,
        /// `media-types.txt`, `extensions.txt`.
        term_lists_dir: Option<String> = None,
        /// Whether pages with embedded RDF are used as positive examples.
        learn_from_embedded: bool = false,
    }

    /// The ranking of entities, for the strategy `focus` and for `lodeward rank`.
    "ranking" RankingSettings {
        /// How candidates are ranked.
        ranker: RankerSetting = RankerSetting::Auto,
        /// Entities up to this many links from a seed are candidates. If it is not set, it is
        /// selected from the properties of the seeds.
        max_hops: Option<u8> = None,
        /// Fetch only this many candidates of each hop, the best ones.
        max_candidates_per_hop: usize = 2_000,
        /// List at most this many candidates.
        max_listed: usize = 10_000,
        /// The graph in which coherence and centrality of the seeds are measured:
        /// `crawl`, `graph:IRI`, `file:PATH`, `endpoint:URL`.
        reference_graph: String = "crawl".to_owned(),
        /// A SPARQL endpoint that is queried for descriptions of entities, instead of
        /// fetching the entities.
        descriptions_endpoint: Option<String> = None,
        /// The properties whose values describe an entity, labels first; the built-in
        /// list if not set.
        text_properties: Option<Vec<String>> = None,
        /// The languages of texts, the preferred one first; empty for all.
        languages: Vec<String> = vec!["en".to_owned()],
        /// Words that are ignored, in addition to the built-in lists.
        stop_words: Vec<String> = Vec::new(),
        ;
        /// The section `[ranking.published]`.
        published: PublishedRankingSettings,
        /// Limits of the facts in memory. An entity uses some hundred bytes, a link some ten.
        #[serde(skip)]
        limits: FactLimits,
    }

    /// Parameters of the published rankers.
    "ranking.published" PublishedRankingSettings {
        /// How the weight of a seed is computed from its centrality.
        #[serde(with = "choices::attrition")]
        attrition: Attrition = Attrition::Intent,
        /// How `ejsim` and `ejsim+` compare two texts.
        #[serde(with = "choices::jaccard")]
        jaccard: JaccardMode = JaccardMode::Set,
        /// The attenuation of Katz centrality (α).
        katz_alpha: f64 = 0.05,
        /// The length of the longest walks that Katz centrality counts.
        katz_length: u8 = 5,
        /// The distance assumed for two seeds that are connected by no path, or only by a longer
        /// one.
        path_max: u8 = 8,
        /// The factor by which a ring counts less than the next inner one, in `njsim` (α).
        njsim_alpha: f64 = 0.7,
        /// The number of the outermost ring that `njsim` compares (τ).
        njsim_tau: u8 = 2,
        /// The damping of `pagerank` and `ppr` (d).
        pagerank_damping: f64 = 0.85,
        /// Which links the walks of `pagerank` and `ppr` follow.
        #[serde(with = "choices::walk_transition")]
        pagerank_direction: WalkTransition = WalkTransition::Both,
        /// Which text an entity has: its own, or also that of its neighbours.
        #[serde(with = "choices::text_scope")]
        text: TextScope = TextScope::WithNeighbours,
    }

    /// Seeds that are not given as URIs.
    "seeds" SeedSettings {
        /// Use at most this many entities whose labels match a text.
        max_matches_per_label: usize = 1,
        /// A SPARQL endpoint that is queried for labels, instead of the archive.
        labels_endpoint: Option<String> = None,
        /// Use at most this many seeds from instance data.
        max_from_records: usize = 1_000,
        /// The properties of each role of instance data. A role is added to the built-in ones, or
        /// replaces the built-in role of the same name.
        roles: BTreeMap<String, Vec<String>> = BTreeMap::new(),
    }

    /// Limits on the load that a crawl puts on servers.
    "politeness" PolitenessSettings {
        /// The time between the end of a response and the next request to the same
        /// domain or IP address.
        #[serde(with = "units::duration")]
        delay: Duration = Duration::from_secs(1),
        /// Maximum number of concurrent requests, over all servers.
        max_concurrent_requests: usize = 64,
        /// The longest wait before a retry. If the `Retry-After` of a server is longer, the server
        /// is abandoned.
        #[serde(with = "units::duration")]
        max_retry_after: Duration = Duration::from_hours(1),
        /// A server is abandoned after this many consecutive failures.
        max_consecutive_failures: u32 = 25,
    }

    /// HTTP requests.
    "fetch" FetchSettings {
        /// The timeout for establishing a connection, including TLS.
        #[serde(with = "units::duration")]
        connect_timeout: Duration = Duration::from_secs(10),
        /// The timeout for receiving the next bytes.
        #[serde(with = "units::duration")]
        read_timeout: Duration = Duration::from_secs(30),
        /// The timeout for receiving a whole document.
        #[serde(with = "units::duration")]
        document_timeout: Duration = Duration::from_mins(2),
        /// The size, after decompression, at which a document is truncated.
        #[serde(with = "units::size")]
        max_document_size: u64 = 50_000_000,
        /// The size at which a dump is truncated.
        #[serde(with = "units::size")]
        max_dump_size: u64 = 10_000_000_000,
        /// Maximum number of consecutive redirects.
        max_redirects: u8 = 10,
        /// The `User-Agent` field; `lodeward/VERSION (+contact)` if not set.
        user_agent: Option<String> = None,
        /// An e-mail address or a page through which server owners can reach you.
        contact: Option<String> = None,
        /// The `Accept` field. If it is not set, all supported formats, by preference.
        accept: Option<String> = None,
        /// A proxy for all requests: `http://host:port` or `socks5://host:port`.
        proxy: Option<String> = None,
        /// IP addresses of hosts, used in place of DNS: `host:address` or
        /// `host:address:port`.
        resolve: Vec<String> = Vec::new(),
        /// Files of additional certificates (PEM) to trust.
        ca_certificates: Vec<String> = Vec::new(),
        /// Whether private and loopback IP addresses are requested.
        allow_private_addresses: bool = false,
        /// The directory in which every request and response is recorded.
        warc_dir: Option<String> = None,
        /// WARC files to replay, instead of the web.
        replay: Vec<String> = Vec::new(),
    }

    /// How documents are read.
    "extract" ExtractSettings {
        /// Whether the named graphs of a document are merged into the graph of the
        /// document or kept.
        #[serde(with = "choices::named_graphs")]
        named_graphs: NamedGraphPolicy = NamedGraphPolicy::Merge,
        /// Whether `nofollow` is obeyed.
        obey_nofollow: bool = true,
        /// JSON-LD contexts: `bundled`, or a directory of additional ones.
        contexts: String = BUNDLED_CONTEXTS.to_owned(),
    }

    /// Data sources other than documents.
    "discover" DiscoverSettings {
        /// What is read from SPARQL endpoints.
        #[serde(with = "choices::endpoint_policy")]
        sparql_endpoints: EndpointPolicy = EndpointPolicy::Describe,
        /// Whether the API of CKAN catalogues is read.
        ckan: bool = true,
        /// Whether the sitemaps that a robots.txt names are read.
        sitemaps: bool = false,
        /// Whether `/.well-known/void` is requested from hosts on which RDF was found.
        well_known_void: bool = false,
        /// Store at most this many quads of one endpoint or catalogue.
        max_quads_per_service: u64 = 10_000_000,
        /// Send at most this many requests to one endpoint or catalogue.
        max_requests_per_service: u64 = 10_000,
    }

    /// When `crawl --refresh` revalidates documents.
    "refresh" RefreshSettings {
        /// The interval after the first fetch.
        #[serde(with = "units::duration")]
        first_interval: Duration = Duration::from_hours(7 * 24),
        /// The shortest interval.
        #[serde(with = "units::duration")]
        min_interval: Duration = Duration::from_hours(24),
        /// The longest interval.
        #[serde(with = "units::duration")]
        max_interval: Duration = Duration::from_hours(90 * 24),
        /// Whether the statements of deleted documents stay in the harvest.
        keep_deleted: bool = false,
    }

    /// How the harvest is stored.
    "store" StoreSettings {
        /// Whether the harvest is also written to the archive of the data directory,
        /// where it can be queried.
        archive: bool = true,
        /// The size of the read cache of the archive.
        #[serde(with = "units::size")]
        archive_cache: u64 = 64 << 20,
        /// The size of the read cache of the frontier.
        #[serde(with = "units::size")]
        frontier_cache: u64 = 32 << 20,
        /// Where provenance is stored.
        provenance: ProvenanceStorage = ProvenanceStorage::Archive,
        /// The prefix of the names of graphs that a crawl generates.
        graph_base_iri: String = "urn:lodeward:".to_owned(),
        /// How long a crawl waits at its end for a remote store that is unreachable.
        #[serde(with = "units::duration")]
        follower_timeout: Duration = Duration::from_secs(30),
    }

    /// The service that `lodeward serve` runs.
    "service" ServiceSettings {
        /// The IP address and port to listen on.
        listen: String = "127.0.0.1:7474".to_owned(),
        /// The scheme, host and port that clients use, if the service is behind a proxy.
        public_url: Option<String> = None,
        /// Maximum number of crawls that run at the same time; others are queued.
        max_running_crawls: usize = 5,
        /// Maximum number of unfinished crawls per user; admins have no limit.
        max_crawls_per_user: usize = 20,
        /// Maximum number of documents per crawl. A crawl that reaches it stops, and can be resumed
        /// after the limit is raised.
        max_documents_per_crawl: u64 = 100_000,
        /// Only these domains may be crawled; empty for all.
        allowed_domains: Vec<String> = Vec::new(),
        /// These domains may not be crawled.
        denied_domains: Vec<String> = Vec::new(),
        /// Maximum number of requests per client and minute; 0 for no limit.
        rate_limit_per_minute: u32 = 1_200,
        /// Maximum size of a request body.
        #[serde(with = "units::size")]
        max_body_size: u64 = 16_000_000,
        /// The timeout of a request. Queries and downloads have their own timeouts.
        #[serde(with = "units::duration")]
        request_timeout: Duration = Duration::from_secs(30),
        /// The timeout of a query.
        #[serde(with = "units::duration")]
        query_timeout: Duration = Duration::from_mins(1),
        /// Maximum number of queries that run at the same time; others wait.
        max_concurrent_queries: usize = 4,
        /// The role that may update the archive: `operator` or `admin`.
        update_role: String = "admin".to_owned(),
        /// The role whose queries may call other endpoints (`SERVICE`): `reader`,
        /// `operator` or `admin`.
        federation_role: String = "admin".to_owned(),
        /// How long a browser session lasts.
        #[serde(with = "units::duration")]
        session_lifetime: Duration = Duration::from_hours(12),
        /// The directory of backups; `backups` in the data directory if not set.
        backup_dir: Option<String> = None,
        /// Whether the DURAARK API (`/CrawlAPI`) is served.
        duraark_api: bool = true,
    }

    /// A SPARQL 1.1 store that receives a copy of the harvest.
    "remote_store" RemoteStoreSettings {
        /// The URL of the store's SPARQL Update endpoint.
        update_url: Option<String> = None,
        /// The URL of the store's Graph Store: for documents that are too large for one update, and
        /// for all documents if `update_url` is not set.
        graph_store_url: Option<String> = None,
        /// The user name of Basic authentication.
        username: Option<String> = None,
        /// The password; only from the environment.
        password: Option<SecretText> = None,
        /// A file with the password in its first line.
        password_file: Option<String> = None,
        /// The token of Bearer authentication; only from the environment.
        token: Option<SecretText> = None,
        /// A file with the token in its first line.
        token_file: Option<String> = None,
        /// Maximum size of one update.
        #[serde(with = "units::size")]
        max_batch_size: u64 = 2 << 20,
        /// The timeout of a request.
        #[serde(with = "units::duration")]
        timeout: Duration = Duration::from_mins(2),
        /// Whether provenance and the description of the crawl are sent.
        include_provenance: bool = false,
    }
}

/// Secrets, which are read only from the environment: a configuration file is often
/// committed or copied, and arguments are visible to other users.
pub(super) const ENVIRONMENT_ONLY: &[(&str, &str)] = &[("remote_store", "password"), ("remote_store", "token")];

/// The value of `extract.contexts` that selects the bundled contexts.
pub const BUNDLED_CONTEXTS: &str = "bundled";

/// Parameters of the strategies that are constant in a crawl. They are not settings: only `lodeward
/// eval select --set` can vary them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrategyTuning {
    /// A model has 2 to the power of this many coordinates of 12 bytes each. `learned` uses at most
    /// 20 bits; with fewer, it starts without its prior.
    pub bits: u8,
    /// Maximum number of feature names that are stored, for `lodeward explain` and `lodeward model
    /// show`.
    pub max_names: usize,
    /// The weight of links to RDF in the value that `learned` assigns to a page.
    pub hub_weight: f64,
    /// The bonus that `learned` gives to documents of domains with few requests.
    pub breadth: f64,
    /// While the domain of the best URI is rate-limited, `learned` defers URIs whose score is below
    /// this share of the best score.
    pub hold_share: f64,
}

impl Default for StrategyTuning {
    fn default() -> Self {
        Self { bits: 22, max_names: 65_536, hub_weight: 0.1, breadth: 0.35, hold_share: 0.1 }
    }
}

impl StrategyTuning {
    /// The names that [`Self::set`] accepts.
    pub const KEYS: &[&str] = &["bits", "max_names", "hub_weight", "breadth", "hold_share"];

    /// Sets one of [`Self::KEYS`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = || value.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let share = || number().filter(|number| *number <= 1.0);
        let done = match key {
            "bits" => value.parse().ok().filter(|bits| (10..=28).contains(bits)).map(|bits| self.bits = bits),
            "max_names" => value.parse().ok().map(|names| self.max_names = names),
            "hub_weight" => number().map(|weight| self.hub_weight = weight),
            "breadth" => number().map(|breadth| self.breadth = breadth),
            "hold_share" => share().map(|share| self.hold_share = share),
            _ => return Err(format!("`{key}` is not one of {}", Self::KEYS.join(", "))),
        };
        done.ok_or_else(|| format!("{key}: `{value}` is not a number in its range"))
    }
}

impl CrawlSettings {
    /// The document limit of a crawl for which no other limit is set.
    pub const DEFAULT_MAX_DOCUMENTS: u64 = 100_000;

    /// Returns the maximum number of documents: the configured number, where 0 means no limit. If
    /// it is not set, there is no limit if another limit of the whole crawl is set; otherwise it is
    /// [`Self::DEFAULT_MAX_DOCUMENTS`], because a crawl of the whole web is never intended.
    #[must_use]
    pub fn effective_max_documents(&self) -> Option<u64> {
        match self.max_documents {
            Some(0) => None,
            Some(documents) => Some(documents),
            None if self.max_requests.is_some() || self.max_depth.is_some() || self.max_rdf_documents.is_some() => None,
            None => Some(Self::DEFAULT_MAX_DOCUMENTS),
        }
    }

    /// Whether hops are strict: because `strict` is set, or because a limit of hops is set, which
    /// requires strict hops.
    #[must_use]
    pub fn has_strict_hops(&self) -> bool {
        let HopSettings { strict, max_documents, max_documents_per_domain, max_domains, min_domains } = self.hops;
        strict || [max_documents, max_documents_per_domain, max_domains, min_domains].iter().any(Option::is_some)
    }
}

impl FetchSettings {
    /// Returns the value of the `User-Agent` field.
    #[must_use]
    pub fn user_agent(&self) -> String {
        if let Some(user_agent) = &self.user_agent {
            return user_agent.clone();
        }
        let version = env!("CARGO_PKG_VERSION");
        self.contact
            .as_ref()
            .map_or(format!("lodeward/{version}"), |contact| format!("lodeward/{version} (+{contact})"))
    }
}
