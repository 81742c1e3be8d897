//! What follows from several settings.

use super::{CrawlSettings, FetchSettings, HopSettings, NotifySettings};

impl NotifySettings {
    /// Whether anything is sent.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.url.is_some() || self.command.is_some()
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
            None => (!self.has_other_limit()).then_some(Self::DEFAULT_MAX_DOCUMENTS),
        }
    }

    /// Whether a limit of the whole crawl other than `max_documents` is set.
    fn has_other_limit(&self) -> bool {
        let is_counted = self.max_requests.is_some() || self.max_rdf_documents.is_some();
        is_counted || self.max_depth.is_some() || self.max_time.is_some() || self.max_bytes.is_some()
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
