//! Finding crawls, and saying why one cannot be had.

use std::path::Path;

use lodeward::open::OpenError;
use lodeward::registry::{Record, Registry};
use lodeward::select::StrategyError;

use crate::arguments::Place;
use crate::failure::Usage;
use crate::unserved::require_unserved;

/// The crawl that was named, which must exist.
pub(super) fn find(place: &Place) -> anyhow::Result<(Registry, Record)> {
    let data = place.data.display();
    if !place.data.is_dir() {
        let hint = Some("say with --data where the crawl was made".to_owned());
        return Err(anyhow::Error::new(Usage { message: format!("there is no folder {data}"), hint }));
    }
    let registry = Registry::open(&place.data)?;
    let record = named(&registry, &place.data, &place.name)?;
    Ok((registry, record))
}

/// The crawl of this name, which must exist.
pub(super) fn named(registry: &Registry, data: &Path, name: &str) -> anyhow::Result<Record> {
    if let Some(record) = registry.find(name)? {
        return Ok(record);
    }
    let names: Vec<String> = registry.list()?.into_iter().map(|record| record.name).collect();
    let hint =
        if names.is_empty() { "it holds no crawl yet".to_owned() } else { format!("it holds: {}", names.join(", ")) };
    let message = format!("there is no crawl `{name}` in {}", data.display());
    Err(anyhow::Error::new(Usage { message, hint: Some(hint) }))
}

/// Tells what to do about a crawl that another process has, or about a model that
/// cannot be used.
pub(super) fn explain_open(error: OpenError) -> anyhow::Error {
    match error {
        OpenError::Strategy(error) => explain_strategy(error),
        OpenError::InUse(ref folder) => {
            // Its folder is `crawls/N` in that of the data, and a service may have it.
            let served = folder.ancestors().nth(2).and_then(|data| require_unserved(data).err());
            let hint = Some("wait for it or stop it; `lodeward status` works meanwhile".to_owned());
            served.unwrap_or_else(|| Usage { message: error.to_string(), hint }).into()
        }
        error => anyhow::Error::new(error),
    }
}

/// Tells what to do about a strategy that cannot begin.
pub(super) fn explain_strategy(error: StrategyError) -> anyhow::Error {
    let hint = match error {
        StrategyError::File { .. } | StrategyError::Model(_) => {
            Some("--model takes what another crawl has learned: crawls/1/model in its data folder".to_owned())
        }
        _ => None,
    };
    anyhow::Error::new(Usage { message: format!("{:#}", anyhow::Error::new(error)), hint })
}
