//! Followers that hang, fail, cannot be reached, and come back.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use tempfile::TempDir;

use super::super::contract::{check, uri, written};
use super::super::segments::SegmentStore;
use super::super::{Store, segments};
use super::feed::Rest;
use super::state::State;
use super::*;

fn make() -> (TempDir, SegmentStore) {
    let folder = tempfile::tempdir().unwrap();
    let database = fjall::Database::builder(folder.path().join("index")).open().unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let options = segments::Options::default();
    let store = SegmentStore::open(folder.path().join("segments"), documents, database, options).unwrap();
    (folder, store)
}

async fn put(store: &SegmentStore, number: usize, quads: usize) {
    store.put(written(store, &uri(number), "first", quads)).await.unwrap();
    store.commit().await.unwrap();
}

/// What a follower has, and what it is about to do.
#[derive(Default)]
struct Desk {
    documents: BTreeMap<String, u64>,
    position: Option<Position>,
    /// What it answers to the next calls of `apply`, before it takes something.
    answers: Vec<FollowError>,
    described: Vec<usize>,
    finished: u64,
    /// Holds `apply` up.
    hangs: bool,
    /// How often `apply` was called.
    called: u64,
}

#[derive(Clone, Default)]
struct Double(Arc<(Mutex<Desk>, Condvar)>);

impl Double {
    fn change(&self, change: impl FnOnce(&mut Desk)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }

    fn see<T>(&self, see: impl FnOnce(&Desk) -> T) -> T {
        see(&self.0.0.lock().unwrap())
    }

    /// Blocks until somebody has handed something over, or is about to.
    fn wait_for_call(&self) {
        let mut desk = self.0.0.lock().unwrap();
        while desk.called == 0 {
            desk = self.0.1.wait(desk).unwrap();
        }
    }

    fn documents(&self) -> usize {
        self.see(|desk| desk.documents.len())
    }
}

impl Follower for Double {
    fn name(&self) -> &'static str {
        "http://a.example/sparql"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowError> {
        Ok(self.see(|desk| desk.position))
    }

    fn apply(&mut self, changes: &[Change], upto: Position) -> Result<(), FollowError> {
        let mut desk = self.0.0.lock().unwrap();
        desk.called += 1;
        self.0.1.notify_all();
        while desk.hangs {
            desk = self.0.1.wait(desk).unwrap();
        }
        if let Some(answer) = desk.answers.pop() {
            return Err(answer);
        }
        for change in changes {
            desk.documents.insert(change.document.to_string(), change.quads);
        }
        desk.position = Some(upto);
        Ok(())
    }

    fn is_described(&mut self) -> Result<bool, FollowError> {
        Ok(self.see(|desk| !desk.described.is_empty()))
    }

    fn describe(&mut self, _: &NamedNode, quads: &[Quad]) -> Result<(), FollowError> {
        self.change(|desk| desk.described.push(quads.len()));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), FollowError> {
        self.change(|desk| desk.finished += 1);
        Ok(())
    }
}

/// Writes down how long it would have waited.
struct Told(mpsc::Sender<u64>);

impl Rest for Told {
    fn rest(&mut self, time: Duration, _: &State) {
        self.0.send(time.as_secs()).unwrap();
    }
}

fn busy(after_s: Option<u64>) -> FollowError {
    FollowError::Retry { after: after_s.map(Duration::from_secs), why: "status 503".to_owned() }
}

async fn ended(followers: &Followers) {
    let mut changes = followers.changes();
    while !followers.have_ended() {
        changes.changed().await.unwrap();
    }
}

const LATER: Duration = Duration::from_hours(1);

fn slow() -> Pace {
    Pace { group_time: LATER, ..Pace::default() }
}

#[tokio::test]
async fn a_follower_that_hangs_holds_up_nobody() {
    let (_folder, store) = make();
    let double = Double::default();
    double.change(|desk| desk.hangs = true);
    let mut followers = Followers::of(store.log());
    followers.add(Box::new(double.clone()), Pace { group_documents: 1, ..Pace::default() }, None);

    for number in 0..200 {
        put(&store, number, 3).await;
    }
    store.sync().await.unwrap();

    check(&store, &(0..200).map(|number| (number, "first", 3)).collect::<Vec<_>>());
    assert_eq!(double.documents(), 0);
    followers.finish(LATER);
    double.change(|desk| desk.hangs = false);
    ended(&followers).await;
    assert_eq!(double.documents(), 200);
    assert_eq!(followers.lags()[0].standing, Standing::Done);
}

#[tokio::test]
async fn whoever_is_abandoned_can_be_waited_for_until_they_hand_over_nothing_more() {
    let (_folder, store) = make();
    let double = Double::default();
    double.change(|desk| desk.hangs = true);
    let mut followers = Followers::of(store.log());
    followers.add(Box::new(double.clone()), Pace { group_documents: 1, ..Pace::default() }, None);
    put(&store, 1, 3).await;
    double.wait_for_call();

    let mut ends = std::pin::pin!(followers.ends().wait());
    drop(followers);
    let looked = tokio::time::timeout(Duration::ZERO, ends.as_mut()).await;
    assert!(looked.is_err(), "it may still hand something over");
    double.change(|desk| desk.hangs = false);
    ends.await;
    let documents = double.documents();

    put(&store, 2, 3).await;
    assert_eq!(double.documents(), documents, "nobody is there any more");
}

#[tokio::test]
async fn how_far_behind_somebody_is_can_be_seen() {
    let (_folder, store) = make();
    for number in 0..5 {
        put(&store, number, 3).await;
    }
    let double = Double::default();
    double.change(|desk| desk.hangs = true);
    let mut followers = Followers::of(store.log());
    let mut changes = followers.changes();
    followers.add(Box::new(double.clone()), slow(), None);
    changes.changed().await.unwrap();
    put(&store, 5, 3).await;

    let lag = &followers.lags()[0];

    assert_eq!((lag.documents, lag.standing), (6, Standing::Following));
    assert!(lag.bytes > 6 * 50, "{lag:?}");
    double.change(|desk| desk.hangs = false);
    assert!(followers.catch_up());
    let lag = &followers.lags()[0];
    assert_eq!((lag.documents, lag.bytes), (0, 0));
    assert_eq!(double.documents(), 6);
}

#[tokio::test]
async fn few_documents_wait_for_others_but_not_for_ever() {
    let (_folder, store) = make();
    let double = Double::default();
    let mut followers = Followers::of(store.log());
    followers.add(Box::new(double.clone()), Pace { group_documents: 10, ..slow() }, None);

    for number in 0..9 {
        put(&store, number, 1).await;
    }
    // Nothing can be said of what has not happened yet, except when it must.
    put(&store, 9, 1).await;
    assert!(followers.catch_up());

    assert_eq!(double.documents(), 10);
}

#[tokio::test]
async fn somebody_who_cannot_be_reached_is_asked_less_and_less_often() {
    let (_folder, store) = make();
    put(&store, 1, 3).await;
    let double = Double::default();
    double.change(|desk| desk.answers = vec![busy(None), busy(Some(60)), busy(None), busy(None)]);
    let (told, waits) = mpsc::channel();
    let mut followers = Followers::of(store.log());

    followers.add_with(Box::new(double.clone()), slow(), None, Box::new(Told(told)));
    assert!(followers.catch_up());

    assert_eq!(waits.try_iter().collect::<Vec<_>>(), [1, 2, 60, 8]);
    assert_eq!(double.documents(), 1);
    assert_eq!(followers.lags()[0].standing, Standing::Following);
    assert_eq!(followers.lags()[0].why, None);
}

#[tokio::test]
async fn in_the_end_nobody_waits_longer_than_they_have_patience_for() {
    let (_folder, store) = make();
    put(&store, 1, 3).await;
    put(&store, 2, 3).await;
    let double = Double::default();
    double.change(|desk| desk.answers = (0..100).map(|_| busy(None)).collect());
    let (told, waits) = mpsc::channel();
    let mut followers = Followers::of(store.log());
    double.change(|desk| desk.hangs = true);
    followers.add_with(Box::new(double.clone()), slow(), None, Box::new(Told(told)));

    followers.finish(Duration::from_secs(10));
    double.change(|desk| desk.hangs = false);
    ended(&followers).await;

    assert_eq!(waits.try_iter().collect::<Vec<_>>(), [1, 2, 4, 3]);
    let lag = &followers.lags()[0];
    assert_eq!((lag.standing, lag.documents), (Standing::Waiting, 2));
    assert_eq!(
        lag.warning().unwrap(),
        "2 documents wait for http://a.example/sparql (status 503); they are taken by the next run"
    );
    // And the next run does.
    double.change(|desk| desk.answers.clear());
    let mut followers = Followers::of(store.log());
    followers.add(Box::new(double.clone()), slow(), None);
    followers.finish(Duration::ZERO);
    ended(&followers).await;
    assert_eq!((double.documents(), followers.lags()[0].standing), (2, Standing::Done));
}

#[tokio::test]
async fn a_follower_that_fails_is_left_behind_and_the_others_are_not() {
    let (_folder, store) = make();
    let (broken, sound) = (Double::default(), Double::default());
    let what = "the archive cannot be written".to_owned();
    let source = Some(Box::new(std::io::Error::other("no space left")) as _);
    broken.change(|desk| desk.answers.push(FollowError::Fatal { what, source }));
    let mut followers = Followers::of(store.log());
    followers.add(Box::new(broken.clone()), slow(), None);
    followers.add(Box::new(sound.clone()), slow(), None);

    put(&store, 1, 3).await;
    assert!(!followers.catch_up());
    put(&store, 2, 3).await;
    followers.finish(LATER);
    ended(&followers).await;

    let lags = followers.lags();
    assert_eq!((lags[0].standing, lags[1].standing), (Standing::Failed, Standing::Done));
    assert_eq!(lags[0].why.as_deref(), Some("the archive cannot be written: no space left"));
    assert_eq!((broken.documents(), sound.documents()), (0, 2));
    check(&store, &[(1, "first", 3), (2, "first", 3)]);
}

#[tokio::test]
async fn nobody_waits_for_a_follower_that_was_abandoned() {
    let (_folder, store) = make();
    put(&store, 1, 3).await;
    let double = Double::default();
    double.change(|desk| desk.answers = (0..100).map(|_| busy(None)).collect());
    let mut followers = Followers::of(store.log());
    followers.add(Box::new(double.clone()), slow(), None);

    followers.finish(LATER);
    followers.abandon();
    ended(&followers).await;

    assert_eq!(double.documents(), 0);
    assert_eq!(followers.lags()[0].documents, 1);
}

#[tokio::test]
async fn a_crawl_is_described_when_something_has_changed() {
    let (_folder, store) = make();
    put(&store, 1, 3).await;
    let double = Double::default();
    let describe: Describe = Arc::new(|log| {
        let names = crate::provenance::Names::new("urn:lodeward:", 1);
        Ok((names.description_graph(), survey(log)?.quads(&names, &crate::provenance::survey::About::default())))
    });
    let run = || async {
        let mut followers = Followers::of(store.log());
        followers.add(Box::new(double.clone()), slow(), Some(Arc::clone(&describe)));
        followers.finish(LATER);
        ended(&followers).await;
    };

    run().await;
    run().await;

    double.see(|desk| {
        assert_eq!((desk.described.len(), desk.finished), (1, 2));
        assert!(desk.described[0] > 6);
    });
}
