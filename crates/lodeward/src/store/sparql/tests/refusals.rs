//! What a server will not take is kept, and told.

use super::server::{Fault, FaultyServer};
use super::*;

#[test]
fn a_document_that_is_refused_is_kept_and_the_others_go_on() {
    for status in [400, 422, 500] {
        let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        server.set(|plan| plan.poison = Some(("poison", status)));
        let mut changes: Vec<_> = (0..20).map(|number| sample(number, "first")).collect();
        changes[7] = sample(7, "poison");
        changes[8] = sample(8, "poison");
        let options = options(server.update(), None);
        let mut follower = open(&options, &folder);

        drive(&mut follower, &changes, 20).unwrap();

        assert_eq!(follower.refused(), 2);
        assert_same(server.dataset(), expected(&[&changes[..7], &changes[9..]].concat()));
        drop(follower);

        // The next run tries them again, and one of them has a new version by then.
        server.set(|plan| plan.poison = None);
        let mut follower = open(&options, &folder);
        assert_eq!(follower.refused(), 2);
        follower.apply(&[sample(8, "second")], position(2)).unwrap();
        assert_eq!(follower.refused(), 0);
        changes[8] = sample(8, "second");
        assert_same(server.dataset(), expected(&changes));
    }
}

#[test]
fn what_is_kept_says_why_and_can_be_read_by_anything() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.poison = Some(("poison", 400)));

    drive(&mut open(&options(server.update(), None), &folder), &[sample(1, "good"), sample(2, "poison")], 2).unwrap();

    let mut kept = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let kept = kept.find(|path| path.extension().is_some_and(|end| end == "refused")).unwrap();
    let files: Vec<_> = std::fs::read_dir(kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert_eq!(files.len(), 1);
    assert!(text.starts_with("# document <http://a.example/document/2> quads="), "{text}");
    assert!(text.contains("# refused: 400 Bad Request: something is wrong: see here"), "{text}");
    assert!(NQuadsParser::new().for_slice(text.as_bytes()).all(|quad| quad.is_ok()));
}

#[test]
fn a_server_that_takes_only_little_is_sent_little() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.bytes_max = Some(5_000));
    let many: Vec<_> = (0..300)
        .map(|number| format!("<http://a.example/s{number}> <http://a.example/p> _:n{number} <> .\n"))
        .collect();
    let mut changes: Vec<_> = (0..20).map(|number| sample(number, "first")).collect();
    changes.push(change(20, &many.concat()));
    let options = Options { batch_bytes: 1 << 20, ..options(server.update(), None) };
    let mut follower = open(&options, &folder);

    drive(&mut follower, &changes, 50).unwrap();

    assert_eq!(follower.refused(), 0);
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_node_that_is_too_much_for_the_server_is_refused_without_a_trace() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.bytes_max = Some(5_000));
    let star: Vec<_> = (0..300).map(|number| format!("_:n <http://a.example/p> \"{number}\" <> .\n")).collect();
    let mut follower = open(&options(server.update(), None), &folder);

    drive(&mut follower, &[sample(1, "first"), change(2, &star.concat()), sample(3, "first")], 3).unwrap();

    assert_eq!(follower.refused(), 1);
    assert_same(server.dataset(), expected(&[sample(1, "first"), sample(3, "first")]));
}

#[test]
fn a_server_that_does_not_know_us_ends_it_and_nothing_is_lost() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.authorization = Some("Basic YWxpOm9wZW4gc2VzYW1l"));
    let wrong = options(server.update(), None);
    let changes = [sample(1, "first")];

    let error = drive(&mut open(&wrong, &folder), &changes, 1).unwrap_err();

    assert!(matches!(error, FollowError::Fatal { .. }));
    let text = error.to_string();
    assert!(text.contains("401 Unauthorized: something is wrong: see here; check user and password"), "{text}");
    let right = Options { user: Some("ali".to_owned()), password: Some("open sesame".to_owned().into()), ..wrong };
    assert!(!format!("{right:?}").contains("sesame"));
    drive(&mut open(&right, &folder), &changes, 1).unwrap();
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_server_that_takes_nothing_is_told_from_one_that_does_not_take_this() {
    let check = |fault: Fault, says: &str| {
        let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        server.set(|plan| plan.faults = std::iter::repeat_n(fault, 50).collect());

        let mut follower = open(&options(server.update(), None), &folder);
        let error = drive(&mut follower, &[sample(1, "first"), sample(2, "first")], 2).unwrap_err();

        assert!(matches!(error, FollowError::Fatal { .. }) && error.to_string().contains(says), "{error}");
        assert_eq!((follower.refused(), follower.position().unwrap()), (0, None));
    };

    check(Fault::Status(400), "even an empty update");
    check(Fault::Status(403), "does not let us write");
    check(Fault::Status(404), "check the address");
    check(Fault::Status(405), "address for updates");
    check(Fault::Status(301), "redirects");
}

#[test]
fn graphs_that_a_graph_store_cannot_take_together_are_refused() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let several =
        change(1, "_:n <http://a.example/p> \"1\" <> .\n_:n <http://a.example/p> \"2\" <http://a.example/g> .\n");
    let mut follower = open(&options(None, server.store()), &folder);

    drive(&mut follower, &[several, sample(2, "first")], 2).unwrap();

    assert_eq!(follower.refused(), 1);
    assert_same(server.dataset(), expected(&[sample(2, "first")]));
}

#[test]
fn another_server_begins_at_the_start() {
    let (first, second, folder) = (FaultyServer::start(), FaultyServer::start(), tempfile::tempdir().unwrap());
    drive(&mut open(&options(first.update(), None), &folder), &[sample(1, "first")], 1).unwrap();

    assert_eq!(open(&options(first.update(), None), &folder).position().unwrap(), Some(position(1)));
    assert_eq!(open(&options(second.update(), None), &folder).position().unwrap(), None);
}

#[test]
fn a_position_that_cannot_be_read_is_none() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let options = options(server.update(), None);
    drive(&mut open(&options, &folder), &[sample(1, "first")], 1).unwrap();
    let mut files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|end| end == "position")).unwrap();

    std::fs::write(file, "half a pos").unwrap();

    assert_eq!(open(&options, &folder).position().unwrap(), None);
}
