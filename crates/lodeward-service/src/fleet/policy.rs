//! What may be crawled at all.

use lodeward::config::Config;
use lodeward::fetch::guard::is_private_name;
use lodeward::model::Uri;

/// The most that are told.
const TOLD_MAX: usize = 100;

/// Says why some of these seeds may not be crawled, line by line; `None` if all may.
/// What links and redirects lead to, and what names resolve to, is looked at when its
/// turn comes.
pub(super) fn against(config: &Config, seeds: &[Uri]) -> Option<String> {
    let policy = lodeward::open::domains(config);
    let refused = |seed: &Uri| {
        if !config.fetch.allow_private && is_private_name(seed.host()) {
            return Some(format!("`{seed}`: {} is not part of the open internet", seed.host()));
        }
        (!policy.allows(seed)).then(|| format!("`{seed}`: the domain {} may not be crawled", seed.pld()))
    };
    let all: Vec<String> = seeds.iter().filter_map(refused).collect();
    let told = all.iter().take(TOLD_MAX).map(String::as_str).collect::<Vec<_>>().join("\n");
    match all.len().saturating_sub(TOLD_MAX) {
        _ if all.is_empty() => None,
        0 => Some(told),
        more => Some(format!("{told}\nand {more} more")),
    }
}
