//! What may be crawled at all.

use lodeward::config::Config;
use lodeward::fetch::guard::is_private_name;
use lodeward::model::Uri;

use super::Refused;

/// Says why these seeds may not be crawled. What links and redirects lead to, and
/// what names resolve to, is looked at when its turn comes.
pub(super) fn check(config: &Config, seeds: &[Uri]) -> Result<(), Refused> {
    let policy = lodeward::open::domains(config);
    for seed in seeds {
        if !config.fetch.allow_private && is_private_name(seed.host()) {
            return Err(Refused::Policy(format!("{} is not part of the open internet", seed.host())));
        }
        if !policy.allows(seed) {
            return Err(Refused::Policy(format!("the domain {} may not be crawled", seed.pld())));
        }
    }
    Ok(())
}
