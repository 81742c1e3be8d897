//! Checks seeds against the domains and networks that may be crawled.

use lodeward::fetch::address_guard::is_private_name;
use lodeward::model::Uri;
use lodeward_app::settings::Config;

/// The maximum number of violations that are reported.
const MAX_REPORTED: usize = 100;

/// Lists why some of these seeds may not be crawled, one line each; `None` if all may be crawled.
/// Links, redirects and resolved addresses are checked when they are fetched.
pub(super) fn violations(config: &Config, seeds: &[Uri]) -> Option<String> {
    let policy = lodeward_app::settings::domain_policy(config);
    let violation = |seed: &Uri| {
        if !config.fetch.allow_private_addresses && is_private_name(seed.host()) {
            return Some(format!("`{seed}`: {} is on a private network", seed.host()));
        }
        (!policy.allows(seed)).then(|| format!("`{seed}`: the domain {} is not allowed", seed.pld()))
    };
    let all: Vec<String> = seeds.iter().filter_map(violation).collect();
    let reported = all.iter().take(MAX_REPORTED).map(String::as_str).collect::<Vec<_>>().join("\n");
    match all.len().saturating_sub(MAX_REPORTED) {
        _ if all.is_empty() => None,
        0 => Some(reported),
        more => Some(format!("{reported}\nand {more} more")),
    }
}
