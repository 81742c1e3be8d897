//! The settings, room by room. The reasons for the defaults are told in
//! `lodeward.example.toml`, which a test keeps equal to this file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::store::sparql::Secret;

/// Declares the sections: a struct each, its defaults beside its fields, and
/// the list of all keys in the order of declaration.
macro_rules! sections {
    ($(
        $(#[$section_meta:meta])*
        $section:ident: $Section:ident {
            $($(#[$key_meta:meta])* $key:ident: $Type:ty = $default:expr,)+
        }
    )+) => {
        /// Every setting, one section for each room.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Config {
            $($(#[$section_meta])* pub $section: $Section,)+
        }

        /// The names of all sections and of their keys.
        pub const KEYS: &[(&str, &[&str])] = &[$((stringify!($section), &[$(stringify!($key),)+]),)+];

        $(
            $(#[$section_meta])*
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields, default)]
            pub struct $Section {
                $($(#[$key_meta])* pub $key: $Type,)+
            }

            impl Default for $Section {
                fn default() -> Self {
                    Self { $($key: $default,)+ }
                }
            }
        )+
    };
}

sections! {
    /// What is crawled, and how far.
    crawl: Crawl {
        /// Where requests are spent.
        strategy: Strategy = Strategy::Learned,
        /// Stop after this many requests, robots.txt included.
        max_requests: Option<u64> = None,
        /// Stop after this many documents; 0 for no limit. See
        /// [`Crawl::documents_max`] for what holds when it is not set.
        max_documents: Option<u64> = None,
        /// Stop after this many documents that hold RDF.
        max_relevant: Option<u64> = None,
        /// Follow links at most this far from the seeds, which are at 0.
        max_depth: Option<u16> = None,
        /// Visit at most this many documents of a pay-level domain.
        max_per_pld: Option<u64> = None,
        /// Whether nothing of a hop is visited before all of the hop before is done
        /// with. See [`Crawl::hops_are_strict`].
        strict_hops: bool = false,
        /// Visit at most this many documents of a hop.
        max_per_hop: Option<u64> = None,
        /// Visit at most this many documents of a pay-level domain in one hop.
        max_per_pld_hop: Option<u64> = None,
        /// Of a hop, visit only the domains where most URIs wait, this many of them.
        /// The seeds' domains are all visited.
        max_plds: Option<u64> = None,
        /// End a hop when fewer domains than this are left in it, and each has had a
        /// visit. The seeds are all visited.
        min_plds: Option<u64> = None,
        /// Visit only URIs that one of these patterns is found in; empty for
        /// all. Regular expressions, matched anywhere in the URI.
        include: Vec<String> = Vec::new(),
        /// Visit no URI that one of these patterns is found in.
        exclude: Vec<String> = Vec::new(),
        /// Stay on the pay-level domains of the seeds.
        stay: bool = false,
        /// Where to stay, if to stay.
        stay_on: StayOn = StayOn::Pld,
        /// Follow only links by these predicates; empty for all.
        follow: Vec<String> = Vec::new(),
        /// Which links are followed.
        links: Links = Links::All,
        /// Whether terms of vocabularies are followed: predicates, and classes.
        vocabularies: bool = true,
        /// Visit nothing with one of these extensions, instead of the built-in list.
        skip_extensions: Option<Vec<String>> = None,
        /// Where chance begins: the same seed gives the same crawl.
        seed: u64 = 0,
    }

    /// How a strategy chooses and learns. Which keys count depends on the
    /// strategy.
    select: Select {
        /// A model to begin with, as a crawl keeps it or `lodeward eval` made it.
        model: Option<String> = None,
        /// Whether `learned` begins with what was learned before it was shipped.
        prior: bool = true,
        /// A model has 2 to the power of this many coordinates; that of `learned`
        /// 20 at most, and with fewer it begins without its prior.
        bits: u8 = 22,
        /// How many names of features are remembered, to explain with.
        names: usize = 65_536,
        /// The feature sets of `ldcoc`: `+t`, `+r`, `+p`, `+x`, in any
        /// combination.
        features: String = "+t+r+p".to_owned(),
        /// The least probability of RDF that `ldcoc` visits (τ).
        tau: f64 = 0.5,
        /// The share of what it predicts to be barren that `ldcoc` visits all the
        /// same (ε).
        epsilon: f64 = 0.17,
        /// Take for ε the ratio of positive to negative examples so far.
        epsilon_by_ratio: bool = false,
        /// The learning rate of the FTRL-proximal of `ldcoc` (α).
        alpha: f64 = 0.5,
        /// Its smoothing (β).
        beta: f64 = 1.0,
        /// Its L1 regularisation (λ1).
        l1: f64 = 0.1,
        /// Its L2 regularisation (λ2).
        l2: f64 = 0.1,
        /// How much `learned` values that a page leads to RDF.
        hub_weight: f64 = 0.1,
        /// How much chance there is in the order of `learned`, in units of its
        /// uncertainty.
        noise: f64 = 0.5,
        /// How much more a document is worth to `learned` if its domain was hardly
        /// visited.
        breadth: f64 = 0.35,
        /// What `learned` finds worth less than this share of the best waits for
        /// the best one's domain to have rested.
        hold_share: f64 = 0.1,
        /// Seconds that what is worth little waits for a better domain to have
        /// rested.
        hold_s: u64 = 5,
        /// Seconds from one writing down of what was learned to the next.
        keep_s: u64 = 60,
        /// A folder with lists for `links` that extend the built-in ones:
        /// `terms.txt`, `media-types.txt`, `extensions.txt`.
        lists: Option<String> = None,
        /// Whether `links` also learns from pages with RDF inside.
        embedded: bool = false,
    }

    /// Which entities matter, for the strategy `focus` and for `lodeward rank`.
    focus: Focus {
        /// How candidates are ranked.
        ranker: Ranker = Ranker::Auto,
        /// Entities up to this many links from a seed are candidates; chosen by the
        /// seed list if not set.
        depth: Option<u8> = None,
        /// Of each hop only the best candidates are visited, this many of them.
        keep: usize = 2_000,
        /// How the weight of a seed follows from its centrality.
        attrition: Attrition = Attrition::Intent,
        /// How two texts are compared by `ejsim` and `ejsim+`.
        jaccard: Jaccard = Jaccard::Set,
        /// The attenuation of Katz centrality (α).
        katz_alpha: f64 = 0.05,
        /// The length of the longest walks that Katz centrality counts.
        katz_length: u8 = 5,
        /// Two seeds that nothing connects, or only a longer path, count as this
        /// far from each other.
        path_max: u8 = 8,
        /// Where coherence and centrality of seeds are measured: `crawl`,
        /// `graph:IRI`, `file:PATH`, `endpoint:URL`.
        reference: String = "crawl".to_owned(),
        /// The properties whose values describe an entity, labels first; the
        /// built-in list if not set.
        text_properties: Option<Vec<String>> = None,
        /// The languages of texts that are read, the preferred one first; empty for
        /// all.
        languages: Vec<String> = vec!["en".to_owned()],
        /// Further words that are not counted.
        stop_words: Vec<String> = Vec::new(),
        /// A SPARQL endpoint that is asked for the descriptions of entities, instead
        /// of asking for the entities themselves.
        endpoint: Option<String> = None,
        /// Entities that are remembered.
        entities_max: usize = 1_000_000,
        /// Links between them that are remembered.
        links_max: usize = 5_000_000,
        /// Candidates that a ranking lists.
        listed: usize = 10_000,
    }

    /// Seeds that are not given as URIs.
    seeds: Seeds {
        /// Entities that are taken for a text, of those whose labels match.
        matches: usize = 1,
        /// A SPARQL endpoint that is asked for labels instead of the archive.
        labels_at: Option<String> = None,
        /// The most seeds that are taken from instance data.
        max: usize = 1_000,
        /// Which properties of instance data hold what: roles besides the built-in
        /// ones, or in their place.
        roles: BTreeMap<String, Vec<String>> = BTreeMap::new(),
    }

    /// What servers are spared.
    politeness: Politeness {
        /// Milliseconds from the end of an answer to the next request to the
        /// same pay-level domain, and to the same address.
        delay_ms: u64 = 1_000,
        /// Requests under way at a time, over all servers.
        requests_in_flight: usize = 64,
        /// How long a robots.txt is believed, in hours.
        robots_ttl_h: u64 = 24,
        /// The longest wait before something is tried again, in seconds. A server
        /// whose `Retry-After` asks for more is given up.
        retry_after_max_s: u64 = 3_600,
        /// A server that fails this often in a row is given up.
        give_up_after: u32 = 25,
    }

    /// How documents are had.
    fetch: Fetch {
        /// Seconds to wait for a connection.
        connect_timeout_s: u64 = 10,
        /// Seconds to wait for the next bytes.
        read_timeout_s: u64 = 30,
        /// Seconds to wait for the whole document.
        document_timeout_s: u64 = 120,
        /// Bytes of a document, after decompression; the rest is cut off.
        body_bytes_max: u64 = 50_000_000,
        /// Bytes of a dump, which is read as it arrives.
        dump_bytes_max: u64 = 10_000_000_000,
        /// How many bytes one byte may decompress to.
        ratio_max: u64 = 100,
        /// Redirects in a row.
        redirects_max: u8 = 10,
        /// What we call ourselves; `lodeward/VERSION (+contact)` if not set.
        user_agent: Option<String> = None,
        /// How whoever runs a server can reach whoever runs this crawl.
        contact: Option<String> = None,
        /// The `Accept` field; all syntaxes that are read, by preference, if not set.
        accept: Option<String> = None,
        /// A proxy for all requests: `http://host:port` or `socks5://host:port`.
        proxy: Option<String> = None,
        /// Addresses of hosts, before DNS is asked: `host:address` or
        /// `host:address:port`.
        resolve: Vec<String> = Vec::new(),
        /// Files of further certificates (PEM) to trust.
        ca_certs: Vec<String> = Vec::new(),
        /// Whether private addresses may be visited.
        allow_private: bool = false,
        /// A folder to record every exchange in.
        warc: Option<String> = None,
        /// Recordings to answer from, instead of the web.
        replay: Vec<String> = Vec::new(),
    }

    /// Where URIs wait. Knobs for memory and for how often it is written.
    frontier: Frontier {
        /// Candidates held in memory.
        heads_total: usize = 65_536,
        /// Candidates of one pay-level domain held in memory.
        heads_per_pld: usize = 1_024,
        /// Megabytes of cache for reading.
        cache_mb: u64 = 32,
        /// URIs that the filter of known ones is made for.
        bloom_expected: u64 = 10_000_000,
        /// Documents that are settled together.
        group_documents: usize = 64,
        /// Milliseconds that a finished document waits for others.
        group_ms: u64 = 100,
        /// Milliseconds from one sync of the disk to the next.
        sync_ms: u64 = 1_000,
    }

    /// What is read from documents.
    extract: Extract {
        /// Keep the graphs that a document names, instead of putting all of it
        /// into the graph named by its address.
        named_graphs: bool = false,
        /// Links of a document; the rest is passed over.
        links_per_document_max: usize = 50_000,
        /// Whether `nofollow` is obeyed.
        respect_nofollow: bool = true,
        /// A folder of JSON-LD contexts, besides the bundled ones.
        contexts: Option<String> = None,
    }

    /// What is asked for besides documents.
    discover: Discover {
        /// What becomes of SPARQL endpoints.
        endpoints: Endpoints = Endpoints::Describe,
        /// Whether the API of CKAN catalogues is asked.
        catalogues: bool = true,
        /// Whether the sitemaps that a robots.txt names are read.
        sitemaps: bool = false,
        /// Whether hosts on which RDF was found are asked for
        /// `/.well-known/void`.
        well_known: bool = false,
        /// Rows that an endpoint is asked for at a time.
        page_rows: u32 = 10_000,
        /// Statements taken from one service: an endpoint, a catalogue.
        quads_max: u64 = 10_000_000,
        /// Requests made to one service.
        requests_max: u64 = 10_000,
    }

    /// When documents are visited again, by `crawl --refresh`.
    refresh: Refresh {
        /// Days after the first visit, when nothing is known yet.
        first_days: u64 = 7,
        /// Never sooner than after this many hours.
        min_hours: u64 = 24,
        /// Never later than after this many days.
        max_days: u64 = 90,
        /// The share of the expected time to the next change.
        factor: f64 = 0.5,
        /// Whether the statements of documents that are gone stay in the harvest.
        keep_vanished: bool = false,
    }

    /// How the harvest is kept.
    store: Store {
        /// Megabytes after which a new segment file is begun.
        segment_mb: u64 = 256,
        /// Whether the harvest also goes into the archive of the data directory,
        /// where it can be queried.
        archive: bool = true,
        /// Megabytes of cache for reading the archive.
        archive_cache_mb: u64 = 64,
        /// Where it is kept where documents come from.
        provenance: Provenance = Provenance::Archive,
        /// How the names of graphs begin that a crawl makes itself.
        base: String = "urn:lodeward:".to_owned(),
        /// Seconds that a crawl waits at its end for a store that cannot be
        /// reached.
        patience_s: u64 = 30,
    }

    /// How `lodeward serve` treats those who ask it.
    service: Service {
        /// Where it listens.
        listen: String = "127.0.0.1:7474".to_owned(),
        /// Scheme, host and port by which others know it, behind a proxy.
        public_url: Option<String> = None,
        /// Crawls that run at a time; others wait.
        crawls_running: usize = 5,
        /// Crawls that a user may have which are not done; admins may have any number.
        crawls_per_user: usize = 20,
        /// The most documents that a crawl may have; it is stopped there, and can be
        /// resumed when this was raised.
        documents_max: u64 = 100_000,
        /// Only these pay-level domains may be crawled; empty for all.
        allow_domains: Vec<String> = Vec::new(),
        /// These never.
        deny_domains: Vec<String> = Vec::new(),
        /// Requests that somebody may make in a minute; 0 for any number.
        requests_per_minute: u32 = 1_200,
        /// Megabytes of a request.
        body_mb: usize = 16,
        /// Seconds for a request to arrive and to be answered; queries and downloads
        /// have times of their own.
        request_timeout_s: u64 = 30,
        /// Seconds that a query may take.
        query_timeout_s: u64 = 60,
        /// Queries at a time; others wait.
        queries: usize = 4,
        /// Who may update the archive: `operator` or `admin`.
        update_role: String = "admin".to_owned(),
        /// Whose queries may ask other endpoints (`SERVICE`): `reader`, `operator` or
        /// `admin`.
        federation_role: String = "admin".to_owned(),
        /// Hours after which somebody has to sign in again.
        session_hours: u64 = 12,
        /// Where backups are written; by default in the folder `backups` of the data
        /// directory.
        backup_folder: Option<String> = None,
    }

    /// A SPARQL 1.1 store elsewhere that gets the harvest, too.
    sparql: Sparql {
        /// Where it takes updates.
        update: Option<String> = None,
        /// Where its graph store is: for documents that are too large for one
        /// update, and for all of them if `update` is not set.
        graph_store: Option<String> = None,
        /// The user of Basic authentication.
        user: Option<String> = None,
        /// Their password.
        password: Option<Secret> = None,
        /// A file with their password in its first line.
        password_file: Option<String> = None,
        /// A token for Bearer authentication.
        token: Option<Secret> = None,
        /// A file with the token in its first line.
        token_file: Option<String> = None,
        /// Documents of one update.
        batch_documents: usize = 256,
        /// Kilobytes of one update.
        batch_kb: usize = 2_048,
        /// Seconds to wait for an answer.
        timeout_s: u64 = 120,
        /// Whether provenance and the description of the crawl are sent, too.
        provenance: bool = false,
    }
}

/// Declares a choice between names.
macro_rules! choice {
    ($(#[$meta:meta])* $Name:ident { $($(#[$variant_meta:meta])* $Variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub enum $Name { $($(#[$variant_meta])* $Variant,)+ }

        impl From<$Name> for String {
            fn from(chosen: $Name) -> Self {
                chosen.name().to_owned()
            }
        }

        impl $Name {
            /// Every choice.
            pub const ALL: &[Self] = &[$(Self::$Variant,)+];

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$Variant => $text,)+ }
            }
        }

        // By hand, for what serde says of a choice that is not there is meant
        // for programmers.
        impl TryFrom<String> for $Name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                match text.as_str() {
                    $($text => Ok(Self::$Variant),)+
                    _ => Err(format!("`{text}` is none of {}", [$($text,)+].join(", "))),
                }
            }
        }
    };
}

choice! {
    /// Where requests are spent.
    Strategy {
        /// One online model of all evidence, best first across domains.
        Learned = "learned",
        /// An online classifier, round robin over the domains (LDCOC).
        Ldcoc = "ldcoc",
        /// The classes R, HR, H, N of links in HTML.
        Links = "links",
        /// Breadth first.
        Bfs = "bfs",
        /// Breadth first, by links found in RDF alone.
        BfsRdf = "bfs-rdf",
        /// The rules of LDSpider and SWSE: extensions and media types.
        Heuristic = "heuristic",
        /// Naive Bayes online, and a bandit over hosts (Anthelion).
        NbOnline = "nb-online",
        /// Naive Bayes, trained before.
        Nb = "nb",
        /// A linear support vector machine, trained before.
        Svm = "svm",
        /// The nearest neighbours among examples seen before.
        Knn = "knn",
        /// The entities that matter to the seeds (DURAARK).
        Focus = "focus",
    }
}

choice! {
    /// How candidates are ranked.
    Ranker {
        /// Whichever suits the seeds.
        Auto = "auto",
        /// Links, walks and texts together (ours).
        Hybrid = "hybrid",
        /// Texts, seeds weighed by their attrition (DURAARK's).
        EjsimPlus = "ejsim+",
        /// Texts.
        Ejsim = "ejsim",
        /// Neighbourhoods.
        Njsim = "njsim",
        /// PageRank, whatever the seeds.
        Pagerank = "pagerank",
        /// Personalised PageRank from the seeds.
        Ppr = "ppr",
        /// Naive Bayes, trained on what the user has kept and dropped.
        Nb = "nb",
    }
}

choice! {
    /// How the weight of a seed follows from its centrality.
    Attrition {
        /// The less central a seed, the more it weighs: as the paper's text has it.
        Intent = "intent",
        /// As the authors' program has it.
        Published = "published",
        /// All seeds weigh the same.
        Off = "off",
    }
}

choice! {
    /// How two texts are compared.
    Jaccard {
        /// As sets of terms, as printed.
        Set = "set",
        /// As multisets, as the authors' program does.
        Multiset = "multiset",
    }
}

choice! {
    /// Where a crawl stays that is to stay.
    StayOn {
        /// On the pay-level domains of the seeds.
        Pld = "pld",
        /// On the hosts of the seeds.
        Host = "host",
    }
}

choice! {
    /// Which links are followed.
    Links {
        /// All of them.
        All = "all",
        /// Those found in RDF, and redirects.
        Rdf = "rdf",
    }
}

choice! {
    /// What becomes of SPARQL endpoints.
    Endpoints {
        /// They are documents like any other.
        Off = "off",
        /// Their service description is read, and what graphs they have.
        Describe = "describe",
        /// Everything in them is taken.
        Harvest = "harvest",
    }
}

choice! {
    /// Where it is kept where documents come from.
    Provenance {
        /// In the archive, in a graph for each document.
        Archive = "archive",
        /// In the archive, and in what a crawl writes with `--output`.
        All = "all",
        /// Nowhere.
        Off = "off",
    }
}

impl Crawl {
    /// How many documents a crawl stops after when nobody said where it ends.
    pub const DOCUMENTS_MAX_UNSAID: u64 = 100_000;

    /// After how many documents to stop: as set, where 0 means never; never
    /// where another bound of the whole crawl is set; otherwise
    /// [`Self::DOCUMENTS_MAX_UNSAID`], for nobody means to crawl the web.
    #[must_use]
    pub fn documents_max(&self) -> Option<u64> {
        match self.max_documents {
            Some(0) => None,
            Some(documents) => Some(documents),
            None if self.max_requests.is_some() || self.max_depth.is_some() || self.max_relevant.is_some() => None,
            None => Some(Self::DOCUMENTS_MAX_UNSAID),
        }
    }

    /// Whether hops are strict: where that is set, and where a limit of hops is,
    /// which otherwise would mean nothing.
    #[must_use]
    pub fn hops_are_strict(&self) -> bool {
        let limits = [self.max_per_hop, self.max_per_pld_hop, self.max_plds, self.min_plds];
        self.strict_hops || limits.iter().any(Option::is_some)
    }
}

impl Fetch {
    /// The `User-Agent` field.
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
