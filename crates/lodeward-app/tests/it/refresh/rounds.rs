//! Rounds that are interrupted, and what they count.

use std::sync::Arc;

use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, StopReason};
use lodeward::frontier::embedded;
use lodeward::frontier::{Journal as _, REVISIT_PRIORITY, RefreshSelection, Rounds as _};
use lodeward::store::segments::RdfPatchFile;
use tokio::sync::{mpsc, watch};
use toyweb::world::WorldParameters;

use super::{BOB, Pages, assemble, day, harvest, open_dir, open_dir_with, patched, run, seeds, settings, world};
use crate::in_process::{InProcessFetcher, web_response};

#[tokio::test(start_paused = true)]
async fn an_interrupted_refresh_resumes_with_the_next_run() {
    let change = |parameters: &mut WorldParameters| {
        (parameters.changes.changed_share, parameters.changes.deleted_share) = (0.3, 0.1);
    };
    let directory = tempfile::tempdir().unwrap();
    let (old, seeds) = world(0, change);
    let patch = directory.path().join("changes.rdfp");
    run(&open_dir(directory.path()), &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&open_dir(directory.path()).store);
    let (new, _) = world(1, change);
    let known_before = open_dir(directory.path()).frontier.census().await.unwrap().uris_known;

    for requests in [1, 9, 40, 41, 90] {
        let crawl_dir = open_dir(directory.path());
        crawl_dir.store.start_patch(RdfPatchFile::append_to(&patch, &[]).unwrap());
        let refresh = (requests == 1).then_some(RefreshSelection::All);
        let settings = EngineOptions { max_requests: Some(requests), ..settings(day::<8>, refresh) };
        assert_eq!(run(&crawl_dir, &new, &[], settings).await.stop_reason, StopReason::MaxRequests);
    }
    let crawl_dir = open_dir(directory.path());
    assert!(crawl_dir.frontier.current_round().await.unwrap().is_some(), "the round was interrupted");
    crawl_dir.store.start_patch(RdfPatchFile::append_to(&patch, &[]).unwrap());
    let last = run(&crawl_dir, &new, &[], settings(day::<9>, None)).await;

    assert_eq!(last.last.census.uris_known, known_before);
    let after = harvest(&crawl_dir.store);
    let (added, deleted) = patched(&patch);
    assert!(
        added == after.difference(&before).cloned().collect(),
        "a patch may repeat a change, but contains all of them"
    );
    assert!(deleted == before.difference(&after).cloned().collect());
    let other_directory = tempfile::tempdir().unwrap();
    let fresh = open_dir(other_directory.path());
    run(&fresh, &new, &seeds, settings(day::<8>, None)).await;
    assert!(harvest(&fresh.store) == after);
}

#[tokio::test(start_paused = true)]
async fn a_round_counts_what_a_killed_process_did() {
    let directory = tempfile::tempdir().unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_documents_per_domain: Some(3),
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let pages = Pages::default();
    let urls: Vec<String> = (0..5).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    let killed = open_dir_with(directory.path(), options.clone());
    run(&killed, &pages.web(), &urls, settings(day::<0>, None)).await;
    killed.frontier.begin_round(RefreshSelection::All, day::<8>()).await.unwrap();
    let (age, first) = killed.frontier.settled_records(0, 1).await.unwrap().pop().unwrap();
    killed.frontier.requeue(vec![(age, first.into_revisit(REVISIT_PRIORITY))], age + 1).await.unwrap();
    drop(killed);

    let crawl_dir = open_dir_with(directory.path(), options);
    let again = run(&crawl_dir, &pages.web(), &[], settings(day::<9>, None)).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!(
        (refresh.started_at_ms, refresh.queued, refresh.unchanged),
        (day::<8>(), 4, 3),
        "including the missing page of p.example"
    );
    assert_eq!(again.last.tally.dropped_by_reason["domain-limit"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_fault_is_counted_while_it_lasts() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let [broken, gone, down, lost] =
        ["http://a.example/broken", "http://b.example/gone", "http://c.example/down", "http://d.example/lost"];
    let fine = "<> <http://p.example/is> 1 .";
    pages.turtle("http://p.example/is", "");
    pages.turtle(broken, "<> <http://p.example/is> 1 , .");
    pages.turtle(lost, fine);
    pages.set(down, web_response(500, &[], ""));
    let first = run(&crawl_dir, &pages.web(), &seeds(&[broken, gone, down, lost]), settings(day::<0>, None)).await;
    assert_eq!(first.last.tally.faults_by_kind.values().sum::<u64>(), 3, "{:?}", first.last.tally.faults_by_kind);

    pages.set(lost, web_response(404, &[], ""));
    for now_ms in [day::<8>, day::<40>] {
        let again = run(&crawl_dir, &pages.web(), &[], settings(now_ms, Some(RefreshSelection::All))).await;
        assert_eq!(again.last.tally.faults_by_kind.values().sum::<u64>(), 4, "{:?}", again.last.tally.faults_by_kind);
    }
    for url in [broken, gone, down, lost] {
        pages.turtle(url, fine);
    }
    let repaired = run(&crawl_dir, &pages.web(), &[], settings(day::<99>, Some(RefreshSelection::All))).await;
    assert_eq!(repaired.last.tally.faults_by_kind.values().sum::<u64>(), 0, "{:?}", repaired.last.tally.faults_by_kind);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_stopped_at_its_start_resumes_with_the_next_run() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let fetcher = Arc::new(InProcessFetcher::new(pages.web()));
    let crawl = assemble(&crawl_dir, &fetcher, settings(day::<8>, Some(RefreshSelection::Due))).build();
    let (operator, commands) = mpsc::channel::<CrawlCommand>(1);
    operator.send(CrawlCommand::Stop).await.unwrap();

    let (stop_reason, last) =
        crawl.run(Vec::new(), commands, watch::channel(CrawlSnapshot::default()).0).await.unwrap();

    assert_eq!((stop_reason, last.tally.refresh.queued), (StopReason::Stopped, 0));
    assert!(crawl_dir.frontier.current_round().await.unwrap().is_some());
    let next = run(&crawl_dir, &pages.web(), &[], settings(day::<9>, None)).await;
    assert_eq!((next.last.tally.refresh.queued, next.last.tally.refresh.unchanged), (1, 1));
}
