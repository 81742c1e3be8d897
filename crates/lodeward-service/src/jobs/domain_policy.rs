//! Checks seeds against the domains and networks that may be crawled.

use lodeward::engine::DomainPolicy;
use lodeward::fetch::address_guard::is_private_name;
use lodeward::model::Uri;
use lodeward_app::seeds::{SeedProblem, SeedProblemInput, SeedProblems};
use lodeward_app::settings::Config;

/// Why some of these seeds may not be crawled. Links, redirects and resolved addresses are checked
/// when they are fetched. `given` are the URIs of the request.
pub(super) fn violations(config: &Config, seeds: &[Uri], given: &[String]) -> SeedProblems {
    let policy = lodeward_app::settings::domain_policy(config);
    let mut problems = SeedProblems::default();
    for seed in seeds {
        if let Some(message) = violation(config, &policy, seed) {
            let index = given.iter().position(|uri| Uri::parse(uri).is_ok_and(|uri| uri == *seed));
            let input = index.map(SeedProblemInput::Uri);
            problems.push(SeedProblem { location: Some(format!("`{seed}`")), message, hint: None, input });
        }
    }
    problems
}

/// Why a URI may not be crawled; `None` if it may be crawled.
pub(super) fn violation(config: &Config, policy: &DomainPolicy, uri: &Uri) -> Option<String> {
    if !config.fetch.allow_private_addresses && is_private_name(uri.host()) {
        return Some(format!("{} is on a private network", uri.host()));
    }
    (!policy.allows(uri)).then(|| format!("the domain {} is not allowed", uri.pld()))
}
