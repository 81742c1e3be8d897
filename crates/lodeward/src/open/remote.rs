//! The remote store of a configuration.

use super::feeds::{description, name_of, names};
use super::{OpenError, Shelf, fetch_options};
use crate::config::{Config, Sparql};
use crate::model::Uri;
use crate::provenance::survey::About;
use crate::store::follow::{Followers, Pace};
use crate::store::sparql::{Options, SparqlFollower};

/// Begins to feed the remote store, if there is one.
///
/// One that was described wrongly ends the crawl before it begins; one that
/// cannot be reached does not.
pub(super) fn follow(
    config: &Config,
    shelf: &Shelf,
    seeds: &[Uri],
    followers: &mut Followers,
) -> Result<(), OpenError> {
    if config.sparql.update.is_none() && config.sparql.graph_store.is_none() {
        return Ok(());
    }
    let place = shelf.place().filter(|_| config.sparql.provenance);
    let names = place.and_then(|(_, crawl)| names(config, crawl));
    let describe = place
        .zip(names.clone())
        .map(|((data, crawl), names)| description(names, About { title: name_of(data, crawl), seeds: seeds.to_vec() }));
    let folder = shelf.directory.join("remote");
    let follower = SparqlFollower::open(options(&config.sparql), fetch_options(config)?, &folder, names)?;
    followers.add(Box::new(follower), Pace::default(), describe);
    Ok(())
}

fn options(sparql: &Sparql) -> Options {
    Options {
        update: sparql.update.clone(),
        graph_store: sparql.graph_store.clone(),
        user: sparql.user.clone(),
        password: sparql.password.clone(),
        password_file: sparql.password_file.as_ref().map(Into::into),
        token: sparql.token.clone(),
        token_file: sparql.token_file.as_ref().map(Into::into),
        batch_documents: sparql.batch_documents,
        batch_bytes: sparql.batch_kb << 10,
        timeout_s: sparql.timeout_s,
        ..Options::default()
    }
}
