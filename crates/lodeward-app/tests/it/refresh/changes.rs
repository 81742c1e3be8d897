//! What a refresh does with documents that changed, moved, were deleted or cannot be read.

use std::collections::BTreeSet;

use lodeward::engine::EngineOptions;
use lodeward::frontier::RefreshSelection;
use lodeward::model::{ChangeKind, Outcome};
use lodeward::store::segments::RdfPatchFile;
use toyweb::world::WorldParameters;
use toyweb::{DeliveryFault, WebResponse};

use super::{BOB, Pages, day, harvest, invalidations, open_dir, patched, run, seeds, settings, uri_record, world};
use crate::in_process::web_response;

#[tokio::test(start_paused = true)]
async fn a_refresh_of_an_unchanged_world_costs_conditional_requests_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (web, seeds)) = (open_dir(directory.path()), world(0, |_| {}));
    let first = run(&crawl_dir, &web, &seeds, settings(day::<0>, None)).await;
    let (before, end) = (harvest(&crawl_dir.store), crawl_dir.store.log().read(None).unwrap().distance().unwrap());

    let again = run(&crawl_dir, &web, &seeds, settings(day::<8>, Some(RefreshSelection::All))).await;

    let (tally, refresh) = (&again.last.tally, &again.last.tally.refresh);
    let statuses = again.statuses();
    assert_eq!(statuses[&304] as u64, refresh.not_modified);
    // A few pages of this world have no validators.
    assert_eq!(statuses.get(&200).map_or(0, |count| *count as u64), refresh.same_bytes);
    assert_eq!(refresh.not_modified + refresh.same_bytes, first.last.tally.documents);
    assert!(refresh.not_modified > 10 * refresh.same_bytes, "{refresh:?}");
    assert_eq!((refresh.changed, refresh.deleted, refresh.added), (0, 0, 0));
    assert_eq!((tally.documents, tally.quads, tally.bytes), {
        let tally = &first.last.tally;
        (tally.documents, tally.quads, tally.bytes)
    });
    assert_eq!(harvest(&crawl_dir.store), before);
    assert_eq!(crawl_dir.store.log().read(None).unwrap().distance().unwrap(), end, "nothing was written");
}

#[tokio::test(start_paused = true)]
async fn a_refresh_of_a_changed_world_yields_exactly_the_changed_quads() {
    let change = |parameters: &mut WorldParameters| {
        (parameters.changes.changed_share, parameters.changes.deleted_share) = (0.2, 0.1);
        // Some pages can only be compared by content.
        (parameters.changes.etag_share, parameters.changes.last_modified_share) = (0.4, 0.4);
    };
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (web, seeds)) = (open_dir(directory.path()), world(0, change));
    run(&crawl_dir, &web, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);
    let patch = directory.path().join("changes.rdfp");
    crawl_dir.store.start_patch(RdfPatchFile::append_to(&patch, &[]).unwrap());

    let (web, _) = world(1, change);
    let again = run(&crawl_dir, &web, &seeds, settings(day::<8>, Some(RefreshSelection::All))).await;
    let after = harvest(&crawl_dir.store);

    let (added, deleted) = patched(&patch);
    assert!(added == after.difference(&before).cloned().collect());
    assert!(deleted == before.difference(&after).cloned().collect());
    let patch_summary = crawl_dir.store.finish_patch().unwrap();
    assert_eq!(
        (patch_summary.added, patch_summary.deleted),
        (added.len() as u64, deleted.len() as u64),
        "each change once"
    );
    let refresh = &again.last.tally.refresh;
    assert!(refresh.changed > 5 && refresh.deleted > 3, "{refresh:?}");
    assert!(refresh.not_modified > 20 && refresh.same_bytes > 5, "{refresh:?}");
    // A new crawl finds the same.
    let other_directory = tempfile::tempdir().unwrap();
    let fresh = open_dir(other_directory.path());
    run(&fresh, &web, &seeds, settings(day::<8>, None)).await;
    assert!(harvest(&fresh.store) == after);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_document_leaves_the_harvest_and_may_be_restored() {
    let change = |parameters: &mut WorldParameters| {
        (parameters.changes.changed_share, parameters.changes.deleted_share) = (0.0, 0.2);
    };
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (old, seeds)) = (open_dir(directory.path()), world(0, change));
    run(&crawl_dir, &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);

    let (new, _) = world(1, change);
    let after_deletion = run(&crawl_dir, &new, &seeds, settings(day::<8>, Some(RefreshSelection::Due))).await;
    let remaining = harvest(&crawl_dir.store);
    let invalidated = invalidations(&crawl_dir.archive);
    let deleted = after_deletion.last.tally.deleted;
    let after_restoration = run(&crawl_dir, &old, &seeds, settings(day::<99>, Some(RefreshSelection::Due))).await;

    assert!(deleted > 10, "{:?}", after_deletion.last.tally.refresh);
    assert_eq!(after_deletion.last.tally.refresh.deleted, deleted);
    assert!(remaining.is_subset(&before) && remaining.len() < before.len());
    let graph = |line: &String| line.rsplit(' ').nth(1).unwrap().to_owned();
    let lost: BTreeSet<String> = before
        .iter()
        .map(graph)
        .collect::<BTreeSet<_>>()
        .difference(&remaining.iter().map(graph).collect())
        .cloned()
        .collect();
    assert_eq!(invalidated, lost, "the provenance of each document records its deletion");
    assert_eq!(after_restoration.last.tally.refresh.restored, deleted);
    assert_eq!(after_restoration.last.tally.deleted, 0);
    assert!(harvest(&crawl_dir.store) == before);
    assert_eq!(invalidations(&crawl_dir.archive), BTreeSet::new());
    let uri = lost.first().unwrap().trim_matches(['<', '>']).to_owned();
    let history = uri_record(&crawl_dir, &uri).await.history();
    let changes: Vec<ChangeKind> = history.events.iter().map(|event| event.change).collect();
    assert_eq!(changes, [ChangeKind::Added, ChangeKind::Deleted, ChangeKind::Restored]);
}

#[tokio::test(start_paused = true)]
async fn statements_of_deleted_documents_stay_with_keep_deleted() {
    let change = |parameters: &mut WorldParameters| parameters.changes.deleted_share = 0.2;
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (old, seeds)) = (open_dir(directory.path()), world(0, change));
    run(&crawl_dir, &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);

    let (new, _) = world(1, |parameters| {
        change(parameters);
        parameters.changes.changed_share = 0.0;
    });
    let keeping = EngineOptions { keep_deleted: true, ..settings(day::<8>, Some(RefreshSelection::All)) };
    let after_deletion = run(&crawl_dir, &new, &seeds, keeping).await;

    assert!(after_deletion.last.tally.deleted > 10);
    assert!(harvest(&crawl_dir.store) == before);
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_document_stays_and_is_reported_as_stale() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);

    pages.set(BOB, web_response(500, &[], ""));
    let first = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::Due))).await;
    pages.set("http://a.example/robots.txt", web_response(200, &[], "User-agent: *\nDisallow: /"));
    let second = run(&crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::Due))).await;

    assert_eq!((first.last.tally.refresh.failed, second.last.tally.refresh.failed), (1, 1));
    assert_eq!(second.last.tally.documents, 1);
    assert!(!before.is_empty() && harvest(&crawl_dir.store) == before);
    let record = uri_record(&crawl_dir, BOB).await;
    assert!(matches!(record.outcome, Some(Outcome::Document(_))));
    let failing = record.history().failing.unwrap();
    assert_eq!((failing.failures, failing.fault.kind.name()), (2, "disallowed"));
    assert!((day::<8>()..day::<9>()).contains(&failing.since_ms));
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    pages.set("http://a.example/robots.txt", web_response(404, &[], ""));
    let third = run(&crawl_dir, &pages.web(), &[], settings(day::<30>, Some(RefreshSelection::Due))).await;
    assert_eq!(third.last.tally.refresh.unchanged, 1);
    assert_eq!(uri_record(&crawl_dir, BOB).await.history().failing, None);
}

#[tokio::test(start_paused = true)]
async fn a_truncated_response_never_replaces_a_complete_one() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let page = |revision: u32, delivery: DeliveryFault| {
        let lines = (0..8).map(|line| format!("<#{line}> <#revision> {revision} .\n"));
        let etag = format!("\"{revision}\"");
        let fields = [(http::header::CONTENT_TYPE, "text/turtle"), (http::header::ETAG, &*etag)];
        WebResponse { delivery, ..web_response(200, &fields, &lines.collect::<String>()) }
    };
    let etag = async || match uri_record(&crawl_dir, BOB).await.outcome {
        Some(Outcome::Document(document)) => document.fetch.validators.etag,
        other => panic!("not a document: {other:?}"),
    };

    // The first response is truncated, so its validators are not stored.
    pages.set(BOB, page(1, DeliveryFault::Truncated));
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    assert_eq!((harvest(&crawl_dir.store).len(), etag().await), (4, None));

    // A truncated response of the same length replaces it; so does a complete one.
    pages.set(BOB, page(2, DeliveryFault::Truncated));
    let second = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::All))).await;
    assert_eq!((second.last.tally.refresh.changed, etag().await), (1, None));
    pages.set(BOB, page(3, DeliveryFault::Plain));
    let third = run(&crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::All))).await;
    assert_eq!((third.last.tally.refresh.changed, etag().await.as_deref()), (1, Some("\"3\"")));
    let whole = harvest(&crawl_dir.store);
    assert_eq!(whole.len(), 8);

    // A truncated response does not replace the complete one.
    pages.set(BOB, page(4, DeliveryFault::Truncated));
    let fourth = run(&crawl_dir, &pages.web(), &[], settings(day::<30>, Some(RefreshSelection::All))).await;
    let refresh = &fourth.last.tally.refresh;
    assert_eq!((refresh.failed, refresh.changed, refresh.unchanged), (1, 0, 0));
    assert_eq!((fourth.last.tally.documents, fourth.last.tally.quads), (1, 8));
    assert!(harvest(&crawl_dir.store) == whole);
    assert_eq!(etag().await.as_deref(), Some("\"3\""));
    assert_eq!(uri_record(&crawl_dir, BOB).await.history().failing.unwrap().fault.kind.name(), "truncated");
}

#[tokio::test(start_paused = true)]
async fn a_moved_document_moves_to_the_graph_of_its_new_url() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<#me> <http://p.example/age> 41 .");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;

    pages.set(BOB, web_response(301, &[(http::header::LOCATION, "/robert")], ""));
    pages.turtle("http://a.example/robert", "<#me> <http://p.example/age> 42 .");
    let moved = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::Due))).await;

    let graph = "<http://a.example/robert>";
    let age = "\"42\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let expected = format!("<http://a.example/robert#me> <http://p.example/age> {age} {graph} .");
    assert_eq!(harvest(&crawl_dir.store), BTreeSet::from([expected]));
    assert_eq!((moved.last.tally.documents, moved.last.tally.redirects), (1, 1));
    let still = run(&crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::All))).await;
    assert_eq!((still.last.tally.refresh.unchanged, still.last.tally.refresh.changed), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_page_with_the_same_statements_is_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 . # Monday");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let end = crawl_dir.store.log().read(None).unwrap().distance().unwrap();

    pages.turtle(BOB, "# Tuesday\n<> <http://p.example/age> 41 .");
    let again = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::Due))).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!((refresh.unchanged, refresh.same_bytes, refresh.changed), (1, 0, 0));
    assert_eq!(crawl_dir.store.log().read(None).unwrap().distance().unwrap(), end, "nothing was written");
}
