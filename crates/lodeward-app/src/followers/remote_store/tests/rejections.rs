//! Tests of rejected documents, which are stored and reported.

use super::server::{Fault, FaultyServer};
use super::*;

#[test]
fn a_rejected_document_is_stored_and_the_others_are_delivered() {
    for status in [400, 422, 500] {
        let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        server.set(|plan| plan.poison = Some(("poison", status)));
        let mut changes: Vec<_> = (0..20).map(|number| sample(number, "first")).collect();
        changes[7] = sample(7, "poison");
        changes[8] = sample(8, "poison");
        let options = options(server.update(), None);
        let mut follower = open(&options, &dir);

        drive(&mut follower, &changes, 20).unwrap();

        assert_eq!(follower.rejected_count(), 2);
        assert_same(server.dataset(), expected(&[&changes[..7], &changes[9..]].concat()));
        drop(follower);

        // The next run sends them again; one of them has a new version.
        server.set(|plan| plan.poison = None);
        let mut follower = open(&options, &dir);
        assert_eq!(follower.rejected_count(), 2);
        follower.apply(&[sample(8, "second")], position(2)).unwrap();
        assert_eq!(follower.rejected_count(), 0);
        changes[8] = sample(8, "second");
        assert_same(server.dataset(), expected(&changes));
    }
}

#[test]
fn a_rejected_document_is_stored_as_n_quads_with_the_reason() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.poison = Some(("poison", 400)));

    drive(&mut open(&options(server.update(), None), &dir), &[sample(1, "good"), sample(2, "poison")], 2).unwrap();

    let mut paths = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let rejected = paths.find(|path| path.extension().is_some_and(|end| end == "refused")).unwrap();
    let files: Vec<_> = std::fs::read_dir(rejected).unwrap().map(|entry| entry.unwrap().path()).collect();
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert_eq!(files.len(), 1);
    assert!(text.starts_with("# document <http://a.example/document/2> quads="), "{text}");
    assert!(text.contains("# refused: 400 Bad Request: something is wrong: see here"), "{text}");
    assert!(NQuadsParser::new().for_slice(text.as_bytes()).all(|quad| quad.is_ok()));
}

#[test]
fn batches_shrink_to_the_limit_of_the_server() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.bytes_max = Some(5_000));
    let many: Vec<_> = (0..300)
        .map(|number| format!("<http://a.example/s{number}> <http://a.example/p> _:n{number} <> .\n"))
        .collect();
    let mut changes: Vec<_> = (0..20).map(|number| sample(number, "first")).collect();
    changes.push(change(20, &many.concat()));
    let options = RemoteStoreOptions { max_batch_bytes: 1 << 20, ..options(server.update(), None) };
    let mut follower = open(&options, &dir);

    drive(&mut follower, &changes, 50).unwrap();

    assert_eq!(follower.rejected_count(), 0);
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_component_too_large_for_the_server_is_rejected_completely() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.bytes_max = Some(5_000));
    let star: Vec<_> = (0..300).map(|number| format!("_:n <http://a.example/p> \"{number}\" <> .\n")).collect();
    let mut follower = open(&options(server.update(), None), &dir);

    drive(&mut follower, &[sample(1, "first"), change(2, &star.concat()), sample(3, "first")], 3).unwrap();

    assert_eq!(follower.rejected_count(), 1);
    assert_same(server.dataset(), expected(&[sample(1, "first"), sample(3, "first")]));
}

#[test]
fn failed_authentication_ends_the_follower_without_loss() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.authorization = Some("Basic YWxpOm9wZW4gc2VzYW1l"));
    let wrong = options(server.update(), None);
    let changes = [sample(1, "first")];

    let error = drive(&mut open(&wrong, &dir), &changes, 1).unwrap_err();

    assert!(matches!(error, FollowerError::Fatal { .. }));
    let text = error.to_string();
    let message = "401 Unauthorized: something is wrong: see here; hint: check the credentials in [remote_store]";
    assert!(text.contains(message), "{text}");
    let right = RemoteStoreOptions {
        username: Some("ali".to_owned()),
        password: Some("open sesame".to_owned().into()),
        ..wrong
    };
    assert!(!format!("{right:?}").contains("sesame"));
    drive(&mut open(&right, &dir), &changes, 1).unwrap();
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_server_that_rejects_everything_ends_the_follower() {
    let check = |fault: Fault, expected: &str| {
        let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        server.set(|plan| plan.faults = std::iter::repeat_n(fault, 50).collect());

        let mut follower = open(&options(server.update(), None), &dir);
        let error = drive(&mut follower, &[sample(1, "first"), sample(2, "first")], 2).unwrap_err();

        assert!(matches!(error, FollowerError::Fatal { .. }) && error.to_string().contains(expected), "{error}");
        assert_eq!((follower.rejected_count(), follower.position().unwrap()), (0, None));
    };

    check(Fault::Status(400), "even an empty update");
    check(Fault::Status(403), "permission to write");
    check(Fault::Status(404), "check that the URLs");
    check(Fault::Status(405), "check `remote_store.update_url`");
    check(Fault::Status(301), "redirected");
}

#[test]
fn a_document_with_several_graphs_is_rejected_without_updates() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let several =
        change(1, "_:n <http://a.example/p> \"1\" <> .\n_:n <http://a.example/p> \"2\" <http://a.example/g> .\n");
    let mut follower = open(&options(None, server.store()), &dir);

    drive(&mut follower, &[several, sample(2, "first")], 2).unwrap();

    assert_eq!(follower.rejected_count(), 1);
    assert_same(server.dataset(), expected(&[sample(2, "first")]));
}

#[test]
fn another_server_starts_at_the_beginning() {
    let (first, second, dir) = (FaultyServer::start(), FaultyServer::start(), tempfile::tempdir().unwrap());
    drive(&mut open(&options(first.update(), None), &dir), &[sample(1, "first")], 1).unwrap();

    assert_eq!(open(&options(first.update(), None), &dir).position().unwrap(), Some(position(1)));
    assert_eq!(open(&options(second.update(), None), &dir).position().unwrap(), None);
}

#[test]
fn an_invalid_position_file_counts_as_none() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let options = options(server.update(), None);
    drive(&mut open(&options, &dir), &[sample(1, "first")], 1).unwrap();
    let mut files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|end| end == "position")).unwrap();

    std::fs::write(file, "invalid").unwrap();

    assert_eq!(open(&options, &dir).position().unwrap(), None);
}
