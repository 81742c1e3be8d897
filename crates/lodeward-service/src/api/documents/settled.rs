//! What was settled, a page at a time.

use std::sync::Arc;

use lodeward::frontier::{FrontierError, Life};
use lodeward::open::Shelf;
use serde::Deserialize;
use tokio::runtime::Handle;
use utoipa::IntoParams;

use crate::api::page::{Address, Limit, Links, following_link};
use crate::beside::in_turn;
use crate::problem::Problem;

/// How many of the settled are read at a time: the crawl waits for it.
const READ_MAX: usize = 256;

/// How many are looked at for a page of those that are wanted.
const LOOKED_AT_MAX: usize = 10_000;

/// Which of the settled are told of.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Those that come after the one of this number.
    after: Option<u64>,
    /// How many there are at most. There may be fewer, and more behind them.
    #[param(inline)]
    limit: Limit,
}

impl Wanted {
    /// Those that something is made of, and after which number there are more: as many
    /// as a page takes, or fewer if very many had to be looked at.
    pub(super) async fn page<T: Send + 'static>(
        &self,
        shelf: Arc<Shelf>,
        make: impl Fn(u64, Life) -> Option<T> + Send + 'static,
    ) -> Result<(Vec<T>, Option<u64>), Problem> {
        let from = self.after.map_or(Some(0), |after| after.checked_add(1));
        let Some(from) = from else { return Ok((Vec::new(), None)) };
        let limit = usize::from(self.limit.get());
        // A frontier on disk reads while it is asked.
        in_turn(move || read(&shelf, from, limit, make).map_err(|error| Problem::internal(&error))).await
    }

    /// The link to the page behind.
    pub(super) fn links(&self, path: String, next: Option<u64>) -> Links {
        following_link(&Address::of(path), next, self.limit)
    }
}

fn read<T>(
    shelf: &Shelf,
    mut from: u64,
    limit: usize,
    make: impl Fn(u64, Life) -> Option<T>,
) -> Result<(Vec<T>, Option<u64>), FrontierError> {
    let (mut found, mut next, mut looked_at) = (Vec::new(), None, 0);
    while looked_at < LOOKED_AT_MAX {
        let lives = Handle::current().block_on(shelf.frontier.settled(from, READ_MAX))?;
        let is_last = lives.len() < READ_MAX;
        looked_at += lives.len();
        for (number, life) in lives {
            if found.len() == limit {
                return Ok((found, next));
            }
            found.extend(make(number, life));
            next = Some(number);
            from = number.saturating_add(1);
        }
        if is_last {
            return Ok((found, None));
        }
    }
    Ok((found, next))
}
