//! JSON-LD contexts from the recording.

use std::sync::Arc;

use lodeward::fetch::warc::WarcReplay;
use lodeward::fetch::{FetchOutcome, FetchRequest, Fetcher as _, ResponseBody};
use lodeward::model::Uri;
use lodeward_rdf::json_ld::{BundledContexts, ContextCache, ContextChain, ContextLoader};

use super::load::runtime;

/// Maximum number and total size of cached contexts.
const CACHE_LIMITS: (usize, usize) = (1_024, 16 << 20);

/// Maximum number of redirects followed to load a context.
const MAX_REDIRECTS: usize = 5;

/// A loader that searches the bundled contexts first, then those of a recording.
pub(super) fn context_loader(replay: &Arc<WarcReplay>) -> Arc<dyn ContextLoader> {
    let recorded = ContextCache::new(RecordedContexts(Arc::clone(replay)), CACHE_LIMITS.0, CACHE_LIMITS.1);
    Arc::new(ContextChain(vec![Arc::new(BundledContexts), Arc::new(recorded)]))
}

struct RecordedContexts(Arc<WarcReplay>);

impl ContextLoader for RecordedContexts {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        let mut url = Uri::parse(url).map_err(|error| error.to_string())?;
        let runtime = runtime();
        for _ in 0..=MAX_REDIRECTS {
            match runtime.block_on(self.0.fetch(FetchRequest::harvest(&url))).result {
                Ok(FetchOutcome::Representation(file)) => match file.body {
                    ResponseBody::Buffered { bytes, truncation: None } => return Ok(bytes.to_vec()),
                    _ => return Err("the recorded response is truncated".to_owned()),
                },
                Ok(FetchOutcome::Redirect { target, .. }) => url = target.map_err(|fault| fault.to_string())?,
                Ok(FetchOutcome::Unchanged) => return Err("not recorded".to_owned()),
                Err(failure) => return Err(failure.to_string()),
            }
        }
        Err("too many redirects".to_owned())
    }
}
