//! The outcomes of URIs in words, with the flags that change them.

use lodeward::model::{DropReason, FaultKind};
use lodeward_app::failed_seeds::{FailedSeed, SeedFailure};

/// A drop reason in words, with the flag or setting that causes it.
pub(crate) fn drop_reason_text(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Robots => "robots.txt of the host disallows it",
        DropReason::RobotsUnreachable => "robots.txt of the host could not be fetched, so the host is not crawled",
        DropReason::Depth => "it is further from the seeds than --max-depth allows",
        DropReason::DomainLimit => "its domain has reached --max-documents-per-domain",
        DropReason::Scope => "it is outside the domains or hosts of the seeds (--stay)",
        DropReason::Pattern => "it is excluded by --include or --exclude",
        DropReason::Predicate => "no predicate of --follow links to it",
        DropReason::Extension => "files with its extension contain no RDF, or the strategy expects none",
        DropReason::Redirects => "the redirect chain is too long",
        DropReason::Trap => "it looks like part of an endless series of pages",
        DropReason::Strategy => "the strategy predicts no RDF",
        DropReason::Unreachable => "its server was abandoned after consecutive failures",
        DropReason::Quota => "its service has reached its maximum of requests or quads (section [discover])",
        DropReason::LinkClass => "link analysis predicts neither RDF nor a page",
        DropReason::Vocabulary => "it is a term of a vocabulary, and crawl.follow_vocabularies is false",
        DropReason::HopLimit => "its hop has reached crawl.hops.max_documents",
        DropReason::HopDomainLimit => "its domain has reached crawl.hops.max_documents_per_domain in this hop",
        DropReason::HopDomains => "its domain is not among the crawl.hops.max_domains domains of its hop",
        DropReason::HopEnded => "its hop was ended: fewer domains than crawl.hops.min_domains were left",
        DropReason::Policy => {
            "the policy of the service does not allow its domain, it was removed on request (`lodeward remove --list`), or \
             the crawl has no --contact and stays on loopback"
        }
        _ => "this version does not know the reason",
    }
}

/// The flag that helps against a fault.
pub(crate) fn fault_hint(fault: FaultKind) -> Option<&'static str> {
    match fault {
        FaultKind::ForbiddenAddress => Some("--allow-private permits private IP addresses"),
        FaultKind::Tls => Some("--ca-cert FILE trusts additional certificates"),
        FaultKind::Dns => Some("check the host name; --resolve HOST:ADDRESS sets its IP address"),
        FaultKind::Timeout => Some("--timeout waits longer"),
        FaultKind::Connect | FaultKind::Overloaded | FaultKind::RobotsUnreachable => {
            Some("the same command with --refresh tries again")
        }
        _ => None,
    }
}

/// A seed that yielded no document, in one line, with a hint.
pub(crate) fn failed_seed_text(failed: &FailedSeed) -> String {
    let FailedSeed { seed, redirected_to, problem } = failed;
    let target = redirected_to.as_ref().map_or(String::new(), |target| format!("redirects to {target}: "));
    let (reason, hint) = match problem {
        SeedFailure::Failed { fault } => (fault.to_string(), fault_hint(fault.kind)),
        SeedFailure::Dropped { reason } => {
            (format!("dropped ({}): {}", reason.name(), drop_reason_text(*reason)), drop_hint(*reason))
        }
        SeedFailure::RedirectLoop => ("its redirects have no end".to_owned(), None),
        SeedFailure::Waiting => ("not fetched yet".to_owned(), Some("raise the limits and run the command again")),
    };
    let hint = hint.map_or_else(|| format!("`lodeward explain {seed}` shows more"), str::to_owned);
    format!("{seed}: {target}{reason}; hint: {hint}")
}

/// The flag that helps if a seed was dropped.
fn drop_hint(reason: DropReason) -> Option<&'static str> {
    match reason {
        DropReason::Pattern => Some("change --exclude"),
        DropReason::Extension => Some("set crawl.skip_extensions"),
        DropReason::Redirects => Some("raise fetch.max_redirects"),
        DropReason::Strategy | DropReason::LinkClass => Some("--strategy bfs fetches every URI"),
        DropReason::Unreachable | DropReason::RobotsUnreachable => Some("the same command with --refresh tries again"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lodeward::model::{Fault, Uri};

    use super::*;

    #[test]
    fn a_failed_seed_is_one_line_with_reason_and_hint() {
        let check = |redirected_to: Option<&str>, problem, expected: &str| {
            let uri = |uri: &str| Uri::parse(uri).unwrap();
            let failed = FailedSeed { seed: uri("http://a.example/"), redirected_to: redirected_to.map(uri), problem };
            assert_eq!(failed_seed_text(&failed), format!("http://a.example/: {expected}"));
        };

        check(
            None,
            SeedFailure::Failed { fault: Fault::new(FaultKind::ForbiddenAddress, "10.0.0.1") },
            "forbidden-address: 10.0.0.1; hint: --allow-private permits private IP addresses",
        );
        check(
            Some("http://b.example/"),
            SeedFailure::Dropped { reason: DropReason::Pattern },
            "redirects to http://b.example/: dropped (pattern): it is excluded by --include or --exclude; \
             hint: change --exclude",
        );
        check(
            None,
            SeedFailure::Failed { fault: Fault::new(FaultKind::Status, "404") },
            "status: 404; hint: `lodeward explain http://a.example/` shows more",
        );
    }
}
