//! The table of settings: one row for each key, with everything about it.
//!
//! From a row follow the field and its default, the check of its value, the environment variable, the
//! flag, the paragraph in `lodeward.example.toml`, what templates and API requests may set, what a
//! crawl remembers, and `GET /api/v1/settings`. If a setting fills an option of the library, its
//! default is that of the option.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use lodeward::discover::{DiscoverPolicy, EndpointPolicy};
use lodeward::engine::{EngineOptions, FollowedLinks};
use lodeward::extract::{ExtractOptions, NamedGraphPolicy};
use lodeward::fetch::FetchOptions;
use lodeward::model::RefreshIntervals;
use lodeward::select::FactsOptions;
use lodeward::select::ldcoc::LdcocOptions;
use lodeward_focus::rank::walk::WalkTransition;
use lodeward_focus::rank::{Attrition, FactLimits, JaccardMode, RankingOptions, TextScope};

use super::SecretText;
use super::choices::{ProvenanceStorage, RankerSetting, StayScope, StrategyKind};
use super::row::FlagHeading::{Advanced, Common, Fetching, Focus, Limits, Output, Politeness, Scope, Seeds};
use super::row::{FlagCommand, SettingOwner, SettingRow, table};
use super::rules;
use super::tuning::StrategyTuning;
use super::value::{ByteSize, SettingType as _};

/// The value of `extract.contexts` that selects the bundled contexts.
pub const BUNDLED_CONTEXTS: &str = "bundled";

/// All settings.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// The section `[search]`.
    pub search: SearchSettings,
    /// The section `[service]`.
    pub service: ServiceSettings,
    /// The section `[remote_store]`.
    pub remote_store: RemoteStoreSettings,
    /// The section `[notify]`.
    pub notify: NotifySettings,
}

table! {
    /// The scope of a crawl and its limits.
    ["crawl"] CrawlSettings: crawl, Crawl {
        /// Order in which URIs are fetched. "learned": one online model of all evidence, best first
        /// across domains; docs/evaluation.md has the comparison. "ldcoc" and "link-analysis" are
        /// published strategies; "bfs", "bfs-rdf", "heuristic" and "nb-online" are their baselines;
        /// "nb", "svm" and "knn" need a trained model. "focus" fetches the entities that are relevant
        /// to the seeds, see \[ranking\].
        strategy: StrategyKind = StrategyKind::Learned,
            for_users(), flag("--strategy", "STRATEGY", Common(4));
        /// Stop after this many requests. robots.txt is included. Requests are the load on other
        /// servers, so this is the limit to set for a budget.
        max_requests: Option<u64> = None,
            above(0.0), for_users(), flag("--max-requests", "N", Common(5)), example("10000");
        /// Stop after this many documents; 0 for no limit. A document is a response with status 200.
        /// If no other limit of the crawl and no `max_depth` is set, a crawl stops after 100,000
        /// documents.
        max_documents: Option<u64> = None,
            for_users(), flag("--max-documents", "N", Common(6)), example("100000"),
            help("Stop after this many documents; 0 for no limit [default: 100000 if no other limit is set]");
        /// Stop after this many documents that contain RDF.
        max_rdf_documents: Option<u64> = None,
            above(0.0), for_users(), flag("--max-rdf-documents", "N", Limits), example("10000");
        /// Follow links at most this many steps from the seeds. Seeds are at 0. A redirect is not a
        /// step. No default, because the number of documents is limited already.
        max_depth: Option<u16> = None,
            for_users(), flag("--max-depth", "N", Common(7)), example("3");
        /// Stop a run after this time, such as 30m or 8h. The next run continues. Pauses count.
        max_time: Option<Duration> = None,
            above(0.0), for_users(), flag("--max-time", "TIME", Limits), example(r#""8h""#);
        /// Stop a run after this many bytes were downloaded, such as 500MB. The next run continues. The
        /// bodies of documents count, as they are transferred; requests in flight are completed.
        max_bytes: Option<ByteSize> = None,
            above(0.0), for_users(), flag("--max-bytes", "SIZE", Limits), example(r#""10GB""#);
        /// Send requests only in these hours of the day, in UTC, such as 22:00-06:00. Outside of them, a
        /// crawl pauses.
        hours: Option<String> = None,
            rule(rules::HOURS), for_users(), flag("--hours", "HH:MM-HH:MM", Limits), example(r#""22:00-06:00""#);
        /// Fetch at most this many documents of a domain. The domain is the pay-level domain:
        /// `example.org` for `data.example.org`. No default, because a crawl of one large site is a
        /// common use.
        max_documents_per_domain: Option<u64> = None,
            above(0.0), for_users(), flag("--max-documents-per-domain", "N", Limits), example("1000");
        /// Fetch only URIs that match one of these regular expressions; all URIs if there is none. It
        /// applies neither to seeds nor to redirects of fetched URIs.
        include: Vec<String> = Vec::new(),
            rule(rules::PATTERN), for_users(), flag("--include", "REGEX", Common(9)),
            help("Fetch only URIs that match this regular expression; repeatable");
        /// Fetch no URI that matches one of these regular expressions. It applies to redirects, but not
        /// to seeds.
        exclude: Vec<String> = Vec::new(),
            rule(rules::PATTERN), for_users(), flag("--exclude", "REGEX", Common(10)),
            help("Fetch no URI that matches this regular expression; repeatable");
        /// Restrict the crawl to the domains or hosts of the seeds, and of the URIs that seeds redirect
        /// to. "off", because linked data is about links between domains.
        stay: StayScope = StayScope::Off,
            for_users(), flag("--stay", "SCOPE", Common(8));
        /// Follow only links with these predicates: IRIs, or names with a usual prefix such as
        /// `owl:sameAs`. Empty for all.
        follow_predicates: Vec<String> = Vec::new(),
            rule(rules::PREDICATE), for_users(), flag("--follow", "PREDICATE", Scope);
        /// Which links to follow. "all": links in RDF and in HTML, because many sites are linked from
        /// HTML only. "rdf": links in RDF, and redirects.
        links: FollowedLinks = FollowedLinks::default(), for_users();
        /// Follow predicates and classes. The documents of vocabularies are few, and they define the
        /// terms of the others.
        follow_vocabularies: bool = true, for_users();
        /// Fetch no URI with one of these extensions, instead of the built-in list of images, software
        /// packages and the like; \[\] to fetch all. Strategies that learn still use the extension as
        /// evidence.
        skip_extensions: Option<Vec<String>> = None,
            rule(rules::EXTENSION), for_users(), example(r#"["png", "jpg", "pdf"]"#);
        /// Seed of the random number generator. The same seed and the same web give the same crawl.
        rng_seed: u64 = EngineOptions::default().rng_seed, flag("--rng-seed", "N", Advanced);
        + {
            /// The section `[crawl.hops]`.
            hops: HopSettings,
        }
    }

    /// Limits of each hop. They need the strategy "bfs", "bfs-rdf", "heuristic" or "focus". If one of
    /// them is set, hops are strict.
    ["crawl.hops"] HopSettings: crawl.hops, Crawl {
        /// Start a hop only after the hop before it is finished, retries included. Off, because a crawl
        /// then waits for the slowest server of each hop.
        strict: bool = EngineOptions::default().strict_hops, for_users();
        /// Fetch at most this many documents of a hop.
        max_documents: Option<u64> = None, above(0.0), for_users(), example("10000");
        /// Fetch at most this many documents of a domain in one hop.
        max_documents_per_domain: Option<u64> = None, above(0.0), for_users(), example("100");
        /// Fetch only this many domains of each hop, those with most waiting URIs at its start. The hop
        /// of the seeds is exempt.
        max_domains: Option<u64> = None, above(0.0), for_users(), example("1000");
        /// End a hop when fewer domains than this are left and each was requested once, so that a few
        /// large domains do not delay the next hop. The hop of the seeds is exempt.
        min_domains: Option<u64> = None, for_users(), example("10");
    }

    /// Options of the strategies.
    ["strategy"] StrategySettings: strategy, Crawl {
        /// Start with this model, from another crawl or from `lodeward-eval`. It is `crawls/1/model` in
        /// the data directory of another crawl, or the output of `lodeward-eval train`. A resumed crawl
        /// uses its own model.
        initial_model: Option<String> = None,
            private(), flag("--model", "FILE", Advanced), example(r#""model""#);
        + {
            /// The section `[strategy.learned]`.
            learned: LearnedSettings,
            /// The section `[strategy.ldcoc]`.
            ldcoc: LdcocSettings,
            /// The section `[strategy.link-analysis]`.
            link_analysis: LinkAnalysisSettings,
            /// Parameters of the strategies that an evaluation can vary.
            tuning: StrategyTuning,
        }
    }

    /// The strategy "learned".
    ["strategy.learned"] LearnedSettings: strategy.learned, Crawl {
        /// Start with the bundled model, which was trained on a small recording of public sites. It
        /// contains no host names.
        prior: bool = true;
        /// How long low-priority URIs are deferred while a better domain is rate-limited. A shorter time
        /// uses more requests for the same amount of RDF.
        max_hold: Duration = EngineOptions::default().max_hold;
    }

    /// The strategy "ldcoc". The strategies "nb", "svm" and "knn" use the feature sets, too.
    ["strategy.ldcoc"] LdcocSettings: strategy.ldcoc, Crawl {
        /// Feature sets: the target (+t), the referring document (+r), the properties of the link (+p),
        /// its siblings (+x). The default is the best combination in the paper.
        features: String = LdcocOptions::default().features.to_string(), rule(rules::FEATURES);
        /// Fetch URIs whose probability of RDF is above this (τ). The default is that of the paper.
        tau: f32 = LdcocOptions::default().tau, at_least(0.0), below(1.0);
        /// Fetch this share of the other URIs (ε). The default is that of the paper.
        epsilon: f64 = LdcocOptions::default().epsilon, above(0.0), at_most(1.0);
        /// Set `epsilon` to the ratio of positive to negative examples so far.
        epsilon_by_ratio: bool = LdcocOptions::default().epsilon_by_ratio;
        /// Remember the media types of at least this many URIs of each media type, so that no HEAD
        /// request is sent for them again. The memory is stored with the model. It uses up to 3.6 bytes
        /// per URI and media type, of which there are at most 32: 15 MB by default.
        max_remembered_uris: usize = LdcocOptions::default().max_remembered_uris, above(0.0), at_most(100_000_000.0);
        /// Learning rate of FTRL-proximal (α).
        alpha: f32 = LdcocOptions::default().rates.alpha, above(0.0);
        /// Smoothing of FTRL-proximal (β).
        beta: f32 = LdcocOptions::default().rates.beta, above(0.0);
        /// L1 regularisation of FTRL-proximal (λ1).
        l1: f32 = LdcocOptions::default().rates.l1, at_least(0.0);
        /// L2 regularisation of FTRL-proximal (λ2).
        l2: f32 = LdcocOptions::default().rates.l2, at_least(0.0);
    }

    /// The strategy "link-analysis".
    ["strategy.link-analysis"] LinkAnalysisSettings: strategy.link_analysis, Crawl {
        /// Directory with `terms.txt`, `media-types.txt` and `extensions.txt`, one entry per line, that
        /// extend the built-in lists.
        term_lists_dir: Option<String> = None, private(), example(r#""lists""#);
        /// Use pages with embedded RDF as positive examples. Off, because the crawler of the paper
        /// learns from links to RDF only.
        learn_from_embedded: bool = false;
    }

    /// The ranking of entities by their relevance to the seeds, for the strategy "focus" and for
    /// `lodeward rank`. See docs/focus.md.
    ["ranking"] RankingSettings: ranking, Crawl {
        /// Ranker of entities. "auto" selects it from the properties of the seeds; the report states the
        /// reason. "hybrid" combines links, walks and texts. Its baselines are "ejsim+", "ejsim",
        /// "njsim", "pagerank", "nb" (DURAARK D3.6), and "ppr" (personalised `PageRank`).
        ranker: RankerSetting = RankerSetting::default(),
            for_users(), flag("--ranker", "RANKER", Focus), commands(CRAWL_AND_RANK);
        /// Rank entities up to this many links from a seed. If not set, it is selected from the
        /// properties of the seeds: mostly 2. For a crawl with a limit of requests or documents it is 4,
        /// because distant entities are then fetched only if they rank high.
        max_hops: Option<u8> = RankingOptions::default().max_hops,
            at_least(1.0), at_most(10.0), for_users(), flag("--max-hops", "N", Focus), commands(CRAWL_AND_RANK),
            help("Rank entities up to this many links from a seed [default: depends on the seeds, mostly 2, and 4 \
                  for a crawl with a limit; `rank` uses the depth of the crawl]"), example("2");
        /// Fetch only this many candidates of each hop, the best ones.
        max_candidates_per_hop: usize = 2_000,
            above(0.0), for_users(), flag("--max-candidates-per-hop", "N", Focus);
        /// Add the 100 best results of a search for these words in the archive to the candidates. They are
        /// fetched and ranked as if a seed linked to them. Needs the search index.
        candidate_words: Vec<String> = Vec::new(),
            for_users(), flag("--candidate-words", "WORDS", Focus);
        /// List at most this many candidates, the best ones.
        max_listed: usize = 10_000,
            above(0.0), for_users(), flag("--max-listed", "N", Focus), commands(&[FlagCommand::Rank]);
        /// Measure the seeds in this graph: crawl, `graph:IRI`, `file:PATH` or `endpoint:URL`. Coherence
        /// and centrality of the seeds are measured in the crawl so far ("crawl"), a graph of the
        /// archive, an RDF file, or a SPARQL endpoint.
        reference_graph: String = "crawl".to_owned(),
            rule(rules::REFERENCE), private(), flag("--reference-graph", "GRAPH", Focus), commands(CRAWL_AND_RANK);
        /// Query this SPARQL endpoint for descriptions of entities, instead of fetching them.
        descriptions_endpoint: Option<String> = None,
            rule(rules::URL), private(), flag("--descriptions-endpoint", "URL", Focus),
            example(r#""https://dbpedia.org/sparql""#);
        /// Properties whose values describe an entity, labels first. The default is a list of common
        /// ones (labels, names, titles, comments, descriptions, abstracts).
        text_properties: Option<Vec<String>> = None,
            rule(rules::IRI), for_users(), example(r#"["http://www.w3.org/2000/01/rdf-schema#label"]"#);
        /// Languages of texts, the preferred one first; \[\] for all. A text without a language is always
        /// read. If an entity has no text in these languages, another language is used.
        languages: Vec<String> = FactsOptions::default().languages, for_users();
        /// Words that are ignored, in addition to the built-in list of each language.
        stop_words: Vec<String> = Vec::new(), for_users();
        + {
            /// The section `[ranking.published]`.
            published: PublishedRankingSettings,
            /// Limits of the facts in memory. An entity uses some hundred bytes, a link some ten.
            limits: FactLimits,
        }
    }

    /// Parameters of the published rankers.
    ["ranking.published"] PublishedRankingSettings: ranking.published, Crawl {
        /// How the weight of a seed is computed from its Katz centrality: "intent" (less central seeds
        /// have more weight, as in the text of the paper), "published" (as in the program of the
        /// authors), "off" (all have the same weight).
        attrition: Attrition = RankingOptions::default().attrition, for_users();
        /// How "ejsim" and "ejsim+" compare texts: as a "set" of terms (as printed), or as a "multiset"
        /// (as in the program of the authors).
        jaccard: JaccardMode = RankingOptions::default().jaccard, for_users();
        /// Attenuation of Katz centrality (α).
        katz_alpha: f64 = RankingOptions::default().katz.alpha, above(0.0), at_most(1.0), for_users();
        /// Length of the longest walks that Katz centrality counts.
        katz_length: u8 = RankingOptions::default().katz.length, at_least(1.0), at_most(16.0), for_users();
        /// Distance assumed for two seeds that are connected by no path, or only by a longer one.
        path_max: u8 = RankingOptions::default().path_max, at_least(1.0), at_most(64.0), for_users();
        /// Factor by which a ring of "njsim" counts less than the next inner one (α).
        njsim_alpha: f64 = RankingOptions::default().rings.alpha, above(0.0), at_most(1.0), for_users();
        /// Number of the outermost ring that "njsim" compares (τ).
        njsim_tau: u8 = RankingOptions::default().rings.length, at_least(1.0), at_most(8.0), for_users();
        /// Damping of "pagerank" and "ppr" (d).
        pagerank_damping: f64 = RankingOptions::default().damping, at_least(0.0), below(1.0), for_users();
        /// Links that the walks of "pagerank" and "ppr" follow: "both" directions, or "forward" from
        /// subject to object.
        pagerank_direction: WalkTransition = RankingOptions::default().steps, for_users();
        /// Text of an entity: its "own", or "with-neighbours". Labels alone are too short to compare.
        text: TextScope = RankingOptions::default().texts, for_users();
    }

    /// Seeds that are not given as URIs: labels, and instance data.
    ["seeds"] SeedSettings: seeds, Process {
        /// Use at most this many entities whose labels match, the best ones.
        max_matches_per_label: usize = 1, above(0.0);
        /// Look up labels at this SPARQL endpoint instead of in the archive.
        labels_endpoint: Option<String> = None,
            rule(rules::URL), private(), flag("--labels-endpoint", "URL", Seeds), commands(CRAWL_AND_SEEDS),
            example(r#""https://dbpedia.org/sparql""#);
        /// Use at most this many seeds from instance data, the most frequent values.
        max_from_records: usize = 1_000, above(0.0);
        /// Properties of each role of instance data. A role is added to the built-in ones (places,
        /// architects, styles, owners, topics), or replaces the one of the same name: `roles =
        /// { materials = ["http://dbpedia.org/ontology/buildingMaterial"] }`.
        roles: BTreeMap<String, Vec<String>> = BTreeMap::new(), rule(rules::IRI);
    }

    /// Limits on the load that a crawl puts on servers.
    ["politeness"] PolitenessSettings: politeness, Crawl {
        /// Time between the end of a response and the next request to the same domain or IP address.
        /// One second is the convention of crawlers. A longer Crawl-delay of a robots.txt is obeyed.
        delay: Duration = EngineOptions::default().delay, flag("--delay", "TIME", Politeness),
            help("Time between requests to one domain or IP address, such as 500ms or 2s; 0 for none");
        /// Maximum number of concurrent requests, over all servers. 64 are enough for two cores at a
        /// latency of one second.
        max_concurrent_requests: usize = EngineOptions::default().max_concurrent_requests,
            above(0.0), flag("--concurrency", "N", Politeness);
        /// Download at most this many bytes per second, over all servers, such as 1MB. A slow download is
        /// still bound by `fetch.document_timeout`.
        max_rate: Option<ByteSize> = None,
            above(0.0), flag("--max-rate", "SIZE", Politeness), example(r#""1MB""#);
        /// Longest wait before a retry. If the Retry-After of a server is longer, the server is
        /// delayed by this time. If it then requests a longer wait again, it is abandoned for the
        /// rest of the crawl.
        max_retry_after: Duration = EngineOptions::default().max_retry_after;
        /// A server is abandoned after this many consecutive failures.
        max_consecutive_failures: u32 = EngineOptions::default().max_consecutive_failures, above(0.0);
    }

    /// HTTP requests.
    ["fetch"] FetchSettings: fetch, Crawl {
        /// Timeout for establishing a connection, including TLS.
        connect_timeout: Duration = Duration::from_millis(FetchOptions::default().connect_timeout_ms), above(0.0);
        /// Timeout for receiving the next bytes.
        read_timeout: Duration = Duration::from_millis(FetchOptions::default().read_timeout_ms), above(0.0);
        /// Timeout of a whole document. A slow server occupies one of `max_concurrent_requests`.
        document_timeout: Duration = Duration::from_millis(FetchOptions::default().document_timeout_ms),
            above(0.0), flag("--timeout", "TIME", Fetching);
        /// Size, after decompression, at which a document is truncated. 50 MB are about half a million
        /// statements.
        max_document_size: ByteSize = ByteSize(FetchOptions::default().max_body_bytes), above(0.0);
        /// Size at which a dump is truncated. Dumps are parsed while they are downloaded.
        max_dump_size: ByteSize = ByteSize(FetchOptions::default().max_dump_bytes);
        /// Maximum number of consecutive redirects. Linked data needs three or four.
        max_redirects: u8 = EngineOptions::default().max_redirects;
        /// User-Agent field. If not set: lodeward/VERSION (+contact).
        user_agent: Option<String> = None,
            rule(rules::HEADER), example(r#""lodeward/0.1.0 (+https://example.org/crawl)""#);
        /// Name an e-mail address or page for server owners; required outside of loopback.
        contact: Option<String> = None,
            rule(rules::HEADER), flag("--contact", "CONTACT", Common(1)), example(r#""crawl@example.org""#);
        /// Accept field of requests for documents. If not set: all supported formats, RDF first.
        accept: Option<String> = None,
            rule(rules::HEADER), example(r#""application/rdf+xml, text/turtle;q=0.9""#);
        /// Send all requests through this proxy. Behind a proxy, the delay applies to domains only, not to
        /// IP addresses. If not set, `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` apply.
        proxy: Option<String> = None,
            rule(rules::PROXY), of_process(), private(), flag("--proxy", "URL", Fetching),
            example(r#""http://localhost:3128""#);
        /// Use these IP addresses for hosts, in place of DNS: "host:address". For tests.
        resolve: Vec<String> = Vec::new(),
            rule(rules::RESOLVE), private(), flag("--resolve", "HOST:ADDR", Fetching),
            help("Use this IP address for a host, in place of DNS; repeatable");
        /// Trust the certificates in these files (PEM), in addition to the default ones.
        ca_certificates: Vec<String> = Vec::new(),
            private(), flag("--ca-cert", "FILE", Fetching),
            help("Trust the certificates in this file (PEM); repeatable");
        /// Send requests to private and loopback IP addresses. Off, because a link on a page of another
        /// site must not reach your network.
        allow_private_addresses: bool = FetchOptions::default().allow_private_addresses,
            flag("--allow-private", "", Fetching), commands(CRAWL_RANK_AND_SEEDS);
        /// Record every request and response as WARC files in this directory. No default, because the
        /// recording is as large as all downloads.
        warc_dir: Option<String> = None, private(), flag("--warc-dir", "DIR", Output), example(r#""warc""#);
        /// Replay these WARC files instead of the web.
        replay: Vec<String> = Vec::new(), private(), flag("--replay", "WARC", Fetching);
    }

    /// How documents are read.
    ["extract"] ExtractSettings: extract, Crawl {
        /// Named graphs of a document: "merge" them into the graph that is named by the URL of the
        /// document, which is its provenance, or "keep" them.
        named_graphs: NamedGraphPolicy = ExtractOptions::default().named_graphs;
        /// Obey `rel="nofollow"`, and `nofollow` in `<meta name="robots">` and `X-Robots-Tag`. Triples are data
        /// and are followed.
        obey_nofollow: bool = ExtractOptions::default().obey_nofollow;
        /// Do not store the statements of documents with `noindex` in `<meta name="robots">` or `X-Robots-Tag`,
        /// for all crawlers or for this one. Their links are followed.
        obey_noindex: bool = true;
        /// Do not store the statements of documents whose publisher reserves the rights to text and data
        /// mining (`tdm-reservation: 1`, in the header or a meta element). Off, because the law of many
        /// countries permits it for research. The reservation is always recorded in the provenance.
        obey_tdm_reservation: bool = ExtractOptions::default().obey_tdm_reservation;
        /// Read microformats (hCard, hCalendar, hReview, geo, adr, XFN; and their version 2) as RDF. Off,
        /// because their class names also occur on pages that do not use them.
        microformats: bool = ExtractOptions::default().microformats,
            for_users(), flag("--microformats", "", Advanced);
        /// JSON-LD contexts: "bundled", or a directory of additional ones. The name of a file in it is the
        /// percent-encoded URL of the context, with the suffix .jsonld. If a document uses a context that
        /// is not available, a fault is reported with the name of the missing file.
        contexts: String = BUNDLED_CONTEXTS.to_owned(),
            rule(rules::CONTEXTS), private(), flag("--contexts", "DIR", Advanced),
            help("Use the JSON-LD contexts in this directory, in addition to the bundled ones [default: only bundled ones]");
    }

    /// Data sources other than documents.
    ["discover"] DiscoverSettings: discover, Crawl {
        /// Read SPARQL endpoints: not at all, their description, or everything. "off": they are fetched as
        /// any other document. "describe": the service description and the list of graphs are read.
        /// "harvest": all statements are read, page by page. Not "harvest", because it is a high load for
        /// a server.
        sparql_endpoints: EndpointPolicy = DiscoverPolicy::default().sparql_endpoints,
            for_users(), flag("--endpoints", "WHAT", Scope);
        /// Harvest only this graph of SPARQL endpoints.
        endpoint_graph: Option<String> = None,
            rule(rules::IRI), for_users(), flag("--endpoint-graph", "IRI", Scope),
            example(r#""http://example.org/graph""#);
        /// Harvest only the statements about instances of this class from SPARQL endpoints.
        endpoint_class: Option<String> = None,
            rule(rules::IRI), for_users(), flag("--endpoint-class", "IRI", Scope),
            example(r#""http://xmlns.com/foaf/0.1/Person""#);
        /// Fetch the IRIs in the statements harvested from SPARQL endpoints, too. Off, because the
        /// statements of an endpoint usually describe the same as the documents.
        follow_harvested: bool = DiscoverPolicy::default().follow_harvested,
            for_users(), flag("--follow-harvested", "", Scope);
        /// Read the API of CKAN catalogues. On, because it replaces thousands of requests for pages.
        ckan: bool = DiscoverPolicy::default().ckan, for_users();
        /// Read the sitemaps that a robots.txt names. Off, because most of the listed pages contain no
        /// RDF.
        sitemaps: bool = DiscoverPolicy::default().sitemaps, for_users(), flag("--sitemaps", "", Scope);
        /// Request /.well-known/void from hosts on which RDF was found. Off, because a crawl normally
        /// requests only URIs that a document links to.
        well_known_void: bool = DiscoverPolicy::default().well_known_void, for_users();
        /// Store at most this many quads of one endpoint or catalogue.
        max_quads_per_service: u64 = DiscoverPolicy::default().max_quads_per_service;
        /// Send at most this many requests to one endpoint or catalogue.
        max_requests_per_service: u64 = DiscoverPolicy::default().max_requests_per_service;
    }

    /// When `lodeward crawl --refresh` revalidates documents. See docs/refresh.md.
    ["refresh"] RefreshSettings: refresh, Crawl {
        /// Interval after the first fetch, when no change has been observed yet.
        first_interval: Duration = Duration::from_millis(RefreshIntervals::default().first_ms);
        /// Shortest interval, independent of how often a document changes.
        min_interval: Duration = Duration::from_millis(RefreshIntervals::default().min_ms);
        /// Longest interval, independent of how often a document changes.
        max_interval: Duration = Duration::from_millis(RefreshIntervals::default().max_ms);
        /// Keep the statements of deleted documents. A document is deleted if the server returns 404 or
        /// 410. `explain`, `changes` and the report show it as deleted in both cases.
        keep_deleted: bool = EngineOptions::default().keep_deleted, flag("--keep-deleted", "", Output);
    }

    /// How the harvest is stored.
    ["store"] StoreSettings: store, Crawl {
        /// Write the harvest also to the archive of the data directory (DIR/archive), where it can be
        /// queried with SPARQL. The archive follows the segments in a thread of its own, does not delay
        /// the crawl, and catches up after a crash. If it is off, the crawl uses about half of the disk
        /// space; `lodeward archive rebuild` creates the archive later.
        archive: bool = true, flag("--no-archive", "", Output),
            help("Do not write to the archive; the first `query` after the crawl does");
        /// Size of the read cache of the archive.
        archive_cache: ByteSize = ByteSize(32 << 20),
            of_process(), needs_restart();
        /// Free disk space below which crawls pause; they continue when there is room. At most a tenth of
        /// the disk counts, so that crawls run on small disks, too. 0: never pause.
        min_free_space: ByteSize = ByteSize(500_000_000), of_process();
        /// Where to store provenance. Provenance is the time of the fetch, redirects, response fields,
        /// faults. "archive": in the archive, in a graph for each document. "all": also in the file of
        /// --output. "off": nowhere, not even in the segments.
        provenance: ProvenanceStorage = ProvenanceStorage::Archive, flag("--provenance", "WHERE", Output);
        /// Prefix of the names of these graphs, and of the description of the crawl. The default cannot be
        /// dereferenced; set it if you publish the archive.
        graph_base_iri: String = "urn:lodeward:".to_owned(), rule(rules::GRAPH_BASE);
        /// How long a crawl waits at its end for a remote store that cannot be reached. The rest stays in
        /// the segments, and the next run sends it.
        follower_timeout: Duration = EngineOptions::default().follower_timeout, of_process();
    }

    /// The search index: entities by plain words (`lodeward search`). See docs/search.md.
    ["search"] SearchSettings: search, Process {
        /// Keep a search index of the archive (DIR/search). A thread of its own updates it while a crawl
        /// or the service runs. While much changes, it pauses ten times as long as each update takes;
        /// what a fast crawl leaves, the next search indexes. When it is switched on again, it is built
        /// from the archive.
        index: bool = true, needs_restart();
        /// Languages whose words are found in all their forms, as tags. A text without a language is
        /// treated as one of the first. A label in one of these languages is preferred. A change builds
        /// the index again.
        stemming: Vec<String> = vec!["en".to_owned()],
            one_of(&["ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"]),
            needs_restart();
        /// Match words for the same relation, such as spouse, wife, married, in the method "ranked". There
        /// are words in English, German and French; those of the languages in `stemming` are used.
        relation_words: bool = true, needs_restart();
        + {
            /// The section `[search.published]`.
            published: PublishedSearchSettings,
        }
    }

    /// The method "published" of `lodeward search`: the retrieval of DURAARK D3.6. See docs/algorithms.md.
    ["search.published"] PublishedSearchSettings: search.published, Process {
        /// Steps after BM25F: "expansion" (eq. 12), "affinity" (eq. 13), "context" (eq. 14).
        parts: Vec<String> = ["expansion", "affinity", "context"].map(str::to_owned).to_vec(),
            one_of(&["expansion", "affinity", "context"]), needs_restart();
        /// Number of results of BM25F that are expanded and ranked again (k).
        base_results: usize = 100, above(0.0), at_most(10_000.0), needs_restart();
        /// How scores of BM25F are normalised: divided by the "maximum", to the "range" from 0 to 1, or "none".
        normalisation: String = "maximum".to_owned(), one_of(&["maximum", "range", "none"]), needs_restart();
        /// What expands the results: members of "clusters" (`lodeward cluster`), explicit "links" such as
        /// owl:sameAs, or "both".
        expand_by: String = "clusters".to_owned(), one_of(&["clusters", "links", "both"]), needs_restart();
        /// Clusters with more entities do not expand the results.
        max_cluster_size: u32 = 100, at_most(500.0), needs_restart();
        /// Maximum number of entities that one result adds.
        max_added: usize = 10, at_most(20.0), needs_restart();
        /// λ of eq. 12: weight of the string distance. The default is that of the paper.
        expansion_lambda: f64 = 0.5, at_least(0.0), at_most(1.0), needs_restart();
        /// φ of eq. 12: the share of "edits" between query and label, or of different "words".
        string_distance: String = "edits".to_owned(), one_of(&["edits", "words"]), needs_restart();
        /// Form of γ: "published" (eq. 13), "scaled" to at most 1, or "lift", which measures better.
        affinity: String = "published".to_owned(), one_of(&["published", "scaled", "lift"]), needs_restart();
        /// Exponent of γ.
        affinity_power: f64 = 1.0, above(0.0), at_most(4.0), needs_restart();
        /// Types of queries: "fine" such as film, or "broad" such as work.
        query_types: String = "fine".to_owned(), one_of(&["fine", "broad"]), needs_restart();
        /// Where an entity may have a context word: in "names", in all "literals", or in "all" fields.
        context_fields: String = "literals".to_owned(), one_of(&["names", "literals", "all"]), needs_restart();
        /// Of entities with more words in descriptions and other literals, only names count.
        max_literal_words: u64 = 200, needs_restart();
        /// λ of eq. 16: weight of rank and type; the rest is that of the context. The default is that of
        /// the paper.
        lambda: f64 = 0.5, at_least(0.0), at_most(1.0), needs_restart();
    }

    /// `lodeward serve`.
    ["service"] ServiceSettings: service, Process {
        /// IP address and port to listen on. Put a proxy with TLS in front of any address but loopback:
        /// passwords and tokens are not encrypted.
        listen: String = "127.0.0.1:7474".to_owned(), rule(rules::ADDRESS), needs_restart();
        /// URL that clients use, if the service is behind a proxy. It may have a path, which the proxy
        /// removes from requests: `https://example.org/tools/lodeward`.
        public_url: Option<String> = None, rule(rules::SERVICE_URL), example(r#""https://crawls.example.org""#);
        /// Maximum number of crawls that run at the same time; others are queued. Each uses about 100 MB
        /// of memory.
        max_running_crawls: usize = 5, above(0.0);
        /// Maximum number of unfinished crawls per user. Admins have no limit.
        max_crawls_per_user: usize = 20, above(0.0);
        /// Maximum number of documents per crawl. A crawl that reaches it stops, and can be resumed after
        /// the limit is raised.
        max_documents_per_crawl: u64 = 100_000, above(0.0);
        /// Only these domains may be crawled; all domains if there is none.
        allowed_domains: Vec<String> = Vec::new(), rule(rules::DOMAIN);
        /// These domains may not be crawled.
        denied_domains: Vec<String> = Vec::new(), rule(rules::DOMAIN);
        /// Maximum number of requests per client and minute; 0 for no limit.
        rate_limit_per_minute: u32 = 1_200;
        /// Maximum size of a request body. The service holds it in memory. Instance data are uploaded in
        /// one body.
        max_body_size: ByteSize = ByteSize(16_000_000), above(0.0), at_most(4_096_000_000.0);
        /// Timeout of a request. Queries and downloads have their own timeouts.
        request_timeout: Duration = Duration::from_secs(30), above(0.0);
        /// Timeout of a query.
        query_timeout: Duration = Duration::from_mins(1), above(0.0);
        /// Maximum number of queries that run at the same time; others wait.
        max_concurrent_queries: usize = 4, above(0.0), needs_restart();
        /// Role that may update the archive.
        update_role: String = "admin".to_owned(), one_of(&["operator", "admin"]);
        /// Role whose queries may call other endpoints with SERVICE.
        federation_role: String = "admin".to_owned(), one_of(&["reader", "operator", "admin"]);
        /// How long a browser session lasts.
        session_lifetime: Duration = Duration::from_hours(12), above(0.0);
        /// Directory of backups, preferably on another disk. If not set: `backups` in the data directory.
        backup_dir: Option<String> = None, private(), example(r#""/mnt/backups/lodeward""#);
        /// Serve the DURAARK API at `/CrawlAPI`.
        duraark_api: bool = true;
    }

    /// A SPARQL 1.1 store that receives a copy of the harvest. See docs/remote.md.
    ///
    /// Passwords and tokens are not read from this file: set `LODEWARD_REMOTE_STORE_PASSWORD` or
    /// `LODEWARD_REMOTE_STORE_TOKEN`, or name a file.
    ["remote_store"] RemoteStoreSettings: remote_store, Crawl {
        /// URL of its SPARQL update endpoint. The store follows the segments as the archive does: changes
        /// that cannot be sent now are sent later, exactly once.
        update_url: Option<String> = None,
            rule(rules::URL), private(), flag("--remote-store", "URL", Output),
            help("Send the harvest to the SPARQL update URL of a store, too; its user and password are settings of \
                  `remote_store`"),
            example(r#""http://localhost:3030/harvest/update""#);
        /// URL of its graph store (SPARQL 1.1 Graph Store HTTP Protocol). Documents that are too large for
        /// one update are streamed to it. Without `update_url`, all documents are streamed to it, one
        /// request each.
        graph_store_url: Option<String> = None,
            rule(rules::URL), private(), example(r#""http://localhost:3030/harvest/data""#);
        /// User name of Basic authentication.
        username: Option<String> = None, private(), example(r#""admin""#);
        /// Password of Basic authentication; only from the environment.
        password: Option<SecretText> = None;
        /// File with the password in its first line.
        password_file: Option<String> = None, of_process(), private(), example(r#""password.txt""#);
        /// Token of Bearer authentication; only from the environment.
        token: Option<SecretText> = None;
        /// File with the token of Bearer authentication in its first line.
        token_file: Option<String> = None, of_process(), private(), example(r#""token.txt""#);
        /// Maximum size of one update. Use less for Virtuoso, whose compiler accepts at most 10,000 lines.
        max_batch_size: ByteSize = ByteSize(2 << 20), above(0.0);
        /// Timeout of a request.
        timeout: Duration = Duration::from_mins(2), above(0.0);
        /// Send provenance and a description of the crawl, too.
        include_provenance: bool = false;
    }

    /// Notifications at the end of a run. See docs/everyday.md. The secret is not read from this file:
    /// set `LODEWARD_NOTIFY_SECRET` or `secret_file`.
    ["notify"] NotifySettings: notify, Process {
        /// Send a POST to this URL at the end of each run, with state and counts as JSON.
        url: Option<String> = None,
            rule(rules::URL), private(), flag("--notify-url", "URL", Output), example(r#""https://example.org/hook""#);
        /// Run this command of the shell at the end of each run, with the same JSON on its standard input.
        command: Option<String> = None,
            private(), flag("--notify-command", "COMMAND", Output), example(r#""mail -s crawl me@example.org""#);
        /// Key of the signature in `X-Lodeward-Signature`; only from the environment.
        secret: Option<SecretText> = None;
        /// File with the key of the signature in its first line.
        secret_file: Option<String> = None, private(), example(r#""hook-secret.txt""#);
        /// Send notifications to private and loopback IP addresses, too.
        allow_private_addresses: bool = false;
    }
}

const CRAWL_AND_RANK: &[FlagCommand] = &[FlagCommand::Crawl, FlagCommand::Rank];
const CRAWL_RANK_AND_SEEDS: &[FlagCommand] = &[FlagCommand::Crawl, FlagCommand::Rank, FlagCommand::Seeds];
const CRAWL_AND_SEEDS: &[FlagCommand] = &[FlagCommand::Crawl, FlagCommand::Seeds];
