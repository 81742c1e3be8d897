//! JSON-LD contexts that are part of the recording.

use std::sync::Arc;

use lodeward::fetch::warc::Replay;
use lodeward::fetch::{Body, Fetched, Fetcher as _, Purpose};
use lodeward::model::Uri;
use lodeward_markup::json_ld::{Bundled, Cache, Chain, Contexts};

use super::load::runtime;

/// Contexts that are kept in memory, and bytes of them.
const CACHED_MAX: (usize, usize) = (1_024, 16 << 20);

/// Redirects on the way to a context.
const REDIRECTS_MAX: usize = 5;

/// The bundled contexts, and then those of a recording.
pub(super) fn recorded(replay: &Arc<Replay>) -> Arc<dyn Contexts> {
    let recorded = Cache::new(Recorded(Arc::clone(replay)), CACHED_MAX.0, CACHED_MAX.1);
    Arc::new(Chain(vec![Arc::new(Bundled), Arc::new(recorded)]))
}

struct Recorded(Arc<Replay>);

impl Contexts for Recorded {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        let mut address = Uri::parse(address).map_err(|error| error.to_string())?;
        let runtime = runtime();
        for _ in 0..=REDIRECTS_MAX {
            match runtime.block_on(self.0.fetch(&address, Purpose::Harvest)) {
                Ok(Fetched::Representation(file)) => match file.body {
                    Body::Whole { bytes, cut: None } => return Ok(bytes.to_vec()),
                    _ => return Err("not recorded in full".to_owned()),
                },
                Ok(Fetched::Redirect { target, .. }) => address = target.map_err(|fault| fault.to_string())?,
                Ok(Fetched::Unchanged) => return Err("not recorded".to_owned()),
                Err(refusal) => return Err(refusal.to_string()),
            }
        }
        Err("too many redirects".to_owned())
    }
}
