//! Which URIs a refresh requests, in which order, and which limits apply.

use std::collections::BTreeSet;

use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{EngineOptions, HopLimits, StopReason};
use lodeward::frontier::embedded;
use lodeward::frontier::{RefreshSelection, Rounds as _};
use lodeward::model::{DropReason, Outcome};

use super::{
    BOB, Day, Pages, day, harvest, open_dir, open_dir_with, run, run_with_discovery, seeds, settings, uri_record,
};
use crate::in_process::web_response;

#[tokio::test(start_paused = true)]
async fn only_due_documents_are_requested() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let (news, rest) = ("http://news.example/", "http://old.example/");
    pages.turtle(news, "<> <http://p.example/day> 0 .");
    pages.turtle(rest, "<> <http://p.example/day> 0 .");
    let days: [Day<'_>; 7] = [
        (day::<3>, 3, &[]),
        (day::<8>, 8, &[news, rest]),
        // `news` changed within 8 days: its estimated interval is 7.3 days, so it is due after
        // 3.6 days; the other page after 12.
        (day::<11>, 11, &[]),
        (day::<12>, 12, &[news]),
        (day::<19>, 19, &[news]),
        // By now, the estimated interval of `news` is 3 days.
        (day::<20>, 20, &[]),
        (day::<21>, 21, &[news, rest]),
    ];
    run(&crawl_dir, &pages.web(), &seeds(&[news, rest]), settings(day::<0>, None)).await;

    for (now_ms, number, expected) in days {
        pages.turtle(news, &format!("<> <http://p.example/day> {number} ."));
        let again = run(&crawl_dir, &pages.web(), &[], settings(now_ms, Some(RefreshSelection::Due))).await;
        let requested = again.log.iter().map(|entry| entry.url.as_str()).filter(|url| !url.ends_with("/robots.txt"));
        assert_eq!(requested.collect::<BTreeSet<_>>(), expected.iter().copied().collect(), "day {number}");
    }
}

#[tokio::test(start_paused = true)]
async fn revisits_come_first_and_limits_apply_to_new_documents() {
    let directory = tempfile::tempdir().unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_documents_per_domain: Some(3),
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let (crawl_dir, pages) = (open_dir_with(directory.path(), options), Pages::default());
    let page = |n: u32| format!("http://a.example/{n}");
    for n in 0..6 {
        pages.turtle(&page(n), &format!("<> <http://p.example/next> </{}> .", n + 1));
    }
    let limited = |now_ms, refresh| EngineOptions { max_documents: Some(3), ..settings(now_ms, refresh) };
    let first = run(&crawl_dir, &pages.web(), &seeds(&[&page(0)]), limited(day::<0>, None)).await;
    assert_eq!((first.last.tally.documents, first.last.tally.dropped_by_reason["domain-limit"]), (3, 1));

    pages.turtle(&page(1), "<> <http://p.example/see> <http://b.example/> .");
    pages.set(&page(2), web_response(410, &[], ""));
    pages.turtle("http://b.example/", "<> <http://p.example/is> 1 .");
    let again = run(&crawl_dir, &pages.web(), &[], limited(day::<8>, Some(RefreshSelection::Due))).await;

    let requested: Vec<&str> = again.log.iter().map(|entry| entry.url.as_str()).collect();
    let requested: Vec<&str> = requested.into_iter().filter(|url| !url.ends_with("/robots.txt")).collect();
    let mut known = requested[..3].to_vec();
    known.sort_unstable();
    assert_eq!(known, ["http://a.example/0", "http://a.example/1", "http://a.example/2"]);
    // One document is deleted, so one new document is allowed.
    assert_eq!((again.stop_reason, again.last.tally.documents), (StopReason::MaxDocuments, 3));
}

#[tokio::test(start_paused = true)]
async fn the_rdf_document_limit_applies_to_new_documents() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    let limited = |now_ms, refresh| EngineOptions { max_rdf_documents: Some(1), ..settings(now_ms, refresh) };
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), limited(day::<0>, None)).await;

    pages.turtle(BOB, "<> <http://p.example/age> 42 .");
    let again = run(&crawl_dir, &pages.web(), &[], limited(day::<8>, Some(RefreshSelection::Due))).await;

    assert_eq!((again.stop_reason, again.last.tally.refresh.changed), (StopReason::MaxRdfDocuments, 1));
    assert_eq!(crawl_dir.frontier.current_round().await.unwrap(), None, "the round has ended");
}

#[tokio::test(start_paused = true)]
async fn hop_limits_apply_to_new_documents() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let page = |host: &str, n: u32| format!("http://{host}.example/{n}");
    let listing = |targets: &[String]| {
        targets.iter().map(|target| format!("<> <http://p.example/see> <{target}> .")).collect::<Vec<_>>().join("\n")
    };
    let (root, next) = (page("root", 0), [page("a", 1), page("a", 2), page("b", 1), page("b", 2), page("c", 1)]);
    pages.turtle(&root, &listing(&next));
    for target in &next {
        let further = format!("{target}/further");
        pages.turtle(target, &listing(std::slice::from_ref(&further)));
        pages.turtle(&further, "<> <http://p.example/is> 1 .");
    }
    let hops = HopLimits {
        max_documents: Some(3),
        max_documents_per_domain: Some(2),
        max_domains: Some(2),
        min_domains: Some(1),
    };
    let strict = |now_ms, refresh| EngineOptions { strict_hops: true, hops, ..settings(now_ms, refresh) };
    let first = run(&crawl_dir, &pages.web(), &seeds(&[&root]), strict(day::<0>, None)).await;
    assert_eq!(first.last.tally.documents_by_hop, [1, 3, 3], "{:?}", first.last.tally);

    let new = page("root", 9);
    pages.turtle(&root, &listing(std::slice::from_ref(&new)));
    let again = run(&crawl_dir, &pages.web(), &[], strict(day::<8>, Some(RefreshSelection::Due))).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!((refresh.queued, refresh.unchanged, refresh.changed, refresh.failed), (7, 6, 1, 0));
    assert_eq!(again.last.tally.documents_by_hop, [1, 3, 3], "that hop is at its limit");
    assert!(matches!(uri_record(&crawl_dir, &new).await.outcome, Some(Outcome::Dropped(DropReason::HopLimit))));
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_server_is_requested_again() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let page = |n: u32| format!("http://a.example/{n}");
    let urls: Vec<String> = (0..6).map(page).collect();
    for url in &urls {
        pages.set(url, web_response(500, &[], ""));
    }
    let impatient = |now_ms, refresh| EngineOptions { max_consecutive_failures: 2, ..settings(now_ms, refresh) };
    let first = run(&crawl_dir, &pages.web(), &urls, impatient(day::<0>, None)).await;
    assert!(first.last.tally.dropped_by_reason["unreachable"] > 0);

    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    let again = run(&crawl_dir, &pages.web(), &[], impatient(day::<8>, Some(RefreshSelection::Due))).await;

    assert_eq!(again.last.tally.documents, 6);
    assert_eq!(again.last.tally.dropped_by_reason["unreachable"], 0);
    assert_eq!(harvest(&crawl_dir.store).len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_uri_beyond_the_domain_limit_is_dropped_once() {
    let directory = tempfile::tempdir().unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_documents_per_domain: Some(3),
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let (crawl_dir, pages) = (open_dir_with(directory.path(), options), Pages::default());
    let urls: Vec<String> = (0..5).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    run(&crawl_dir, &pages.web(), &urls, settings(day::<0>, None)).await;

    for now_ms in [day::<8>, day::<40>, day::<99>] {
        let again = run(&crawl_dir, &pages.web(), &[], settings(now_ms, Some(RefreshSelection::All))).await;
        let tally = &again.last.tally;
        assert_eq!((tally.refresh.unchanged, tally.dropped_by_reason["domain-limit"]), (3, 2), "{tally:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn service_lists_are_refreshed() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let json = |url: &str, body: &str| {
        pages.set(url, web_response(200, &[(http::header::CONTENT_TYPE, "application/json")], body));
    };
    let sitemap = |names: &[&str]| {
        let urls = names.iter().map(|name| format!("<url><loc>http://a.example/{name}</loc></url>"));
        let text = format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>",
            urls.collect::<String>()
        );
        pages.set(
            "http://a.example/map.xml",
            web_response(200, &[(http::header::CONTENT_TYPE, "application/xml")], &text),
        );
    };
    let api = |action: &str| format!("http://c.example/api/3/action/{action}");
    let dataset = |name: &str| {
        let text = format!(r#"{{"success": true, "result": {{"id": "{name}", "title": "{name}"}}}}"#);
        json(&api(&format!("package_show?id={name}")), &text);
    };
    let list = api("package_list?limit=1000&offset=0");
    pages.set("http://a.example/robots.txt", web_response(200, &[], "Sitemap: http://a.example/map.xml"));
    for name in ["one", "two"] {
        pages.turtle(&format!("http://a.example/{name}"), "<> <http://p.example/is> 1 .");
    }
    let front =
        "<html><head><meta name=generator content='ckan 2.10.4'></head><body data-site-root='http://c.example/'>";
    pages.set("http://c.example/", web_response(200, &[(http::header::CONTENT_TYPE, "text/html")], front));
    sitemap(&["one"]);
    for name in ["bees", "wasps", "ants"] {
        dataset(name);
    }
    json(&list, r#"{"success": true, "result": ["bees", "wasps"]}"#);
    pages.turtle(
        "http://a.example/",
        "<#set> <http://rdfs.org/ns/void#sparqlEndpoint> <http://e.example/sparql> . <#a> <#b> <http://c.example/> .",
    );
    let policy = DiscoverPolicy { sitemaps: true, ..DiscoverPolicy::default() };
    let first = run_with_discovery(
        policy.clone(),
        &crawl_dir,
        &pages.web(),
        &seeds(&["http://a.example/"]),
        settings(day::<0>, None),
    )
    .await;
    let services = first.last.tally.services.clone();
    assert!(services.contains_key("http://c.example/") && services.contains_key("http://e.example/sparql"));
    let before = harvest(&crawl_dir.store);

    let still = run_with_discovery(
        policy.clone(),
        &crawl_dir,
        &pages.web(),
        &[],
        settings(day::<8>, Some(RefreshSelection::All)),
    )
    .await;
    assert_eq!(still.last.tally.services, services, "nothing is counted twice");
    assert_eq!((still.last.tally.refresh.changed, still.last.tally.refresh.deleted), (0, 0));
    assert!(harvest(&crawl_dir.store) == before);

    sitemap(&["one", "two"]);
    json(&list, r#"{"success": true, "result": ["bees", "ants"]}"#);
    pages.set(&api("package_show?id=wasps"), web_response(404, &[], ""));
    let changed =
        run_with_discovery(policy, &crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::All)))
            .await;

    let refresh = &changed.last.tally.refresh;
    assert_eq!(
        (refresh.changed, refresh.deleted),
        (2, 1),
        "the lists changed, and one dataset is no longer listed: {refresh:?}"
    );
    let after = harvest(&crawl_dir.store).into_iter().collect::<String>();
    assert!(after.contains("<http://a.example/two>") && after.contains("\"ants\"") && !after.contains("\"wasps\""));
}
