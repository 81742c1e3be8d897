//! Tests of followers that block, fail, are unreachable, and recover.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use oxrdf::Literal;
use oxrdf::vocab::rdf;
use tempfile::TempDir;

use super::super::contract::{check, sample_draft, uri};
use super::super::segments::SegmentStore;
use super::super::{Store, segments};
use super::feed::Sleeper;
use super::state::FeedState;
use super::*;

fn make() -> (TempDir, SegmentStore) {
    let dir = tempfile::tempdir().unwrap();
    let database = fjall::Database::builder(dir.path().join("index")).open().unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let options = segments::SegmentOptions::default();
    let store = SegmentStore::open(dir.path().join("segments"), documents, database, options).unwrap();
    (dir, store)
}

async fn put(store: &SegmentStore, number: usize, quads: usize) {
    store.put(sample_draft(store, &uri(number), "first", quads)).await.unwrap();
    store.commit().await.unwrap();
}

/// State of a fake follower.
#[derive(Default)]
struct FakeState {
    documents: BTreeMap<String, u64>,
    position: Option<Position>,
    /// Results of the next calls of `apply`, in reverse order.
    results: Vec<FollowerError>,
    described: Vec<usize>,
    finished: u64,
    /// Whether `apply` blocks.
    is_blocked: bool,
    /// Number of calls of `apply`.
    calls: u64,
}

#[derive(Clone, Default)]
struct FakeFollower(Arc<(Mutex<FakeState>, Condvar)>);

impl FakeFollower {
    fn change(&self, change: impl FnOnce(&mut FakeState)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }

    fn see<T>(&self, see: impl FnOnce(&FakeState) -> T) -> T {
        see(&self.0.0.lock().unwrap())
    }

    /// Blocks until `apply` is called.
    fn wait_for_call(&self) {
        let mut state = self.0.0.lock().unwrap();
        while state.calls == 0 {
            state = self.0.1.wait(state).unwrap();
        }
    }

    fn documents(&self) -> usize {
        self.see(|state| state.documents.len())
    }
}

impl Follower for FakeFollower {
    fn name(&self) -> &'static str {
        "http://a.example/sparql"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowerError> {
        Ok(self.see(|state| state.position))
    }

    fn apply(&mut self, changes: &[DocumentChange], upto: Position) -> Result<(), FollowerError> {
        let mut state = self.0.0.lock().unwrap();
        state.calls += 1;
        self.0.1.notify_all();
        while state.is_blocked {
            state = self.0.1.wait(state).unwrap();
        }
        if let Some(result) = state.results.pop() {
            return Err(result);
        }
        for change in changes {
            state.documents.insert(change.document.to_string(), change.quads);
        }
        state.position = Some(upto);
        Ok(())
    }

    fn is_description_current(&mut self) -> Result<bool, FollowerError> {
        Ok(self.see(|state| !state.described.is_empty()))
    }

    fn put_description(&mut self, _: &NamedNode, quads: &[Quad]) -> Result<(), FollowerError> {
        self.change(|state| state.described.push(quads.len()));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), FollowerError> {
        self.change(|state| state.finished += 1);
        Ok(())
    }
}

/// Records the delays instead of sleeping.
struct RecordingSleeper(mpsc::Sender<u64>);

impl Sleeper for RecordingSleeper {
    fn sleep(&mut self, time: Duration, _: &FeedState) {
        self.0.send(time.as_secs()).unwrap();
    }
}

fn busy(after_s: Option<u64>) -> FollowerError {
    FollowerError::Retry { after: after_s.map(Duration::from_secs), why: "status 503".to_owned() }
}

async fn ended(followers: &Followers) {
    let mut changes = followers.changes();
    while !followers.all_ended() {
        changes.changed().await.unwrap();
    }
}

const LATER: Duration = Duration::from_hours(1);

fn slow() -> FeedOptions {
    FeedOptions { group_time: LATER, ..FeedOptions::default() }
}

#[tokio::test]
async fn a_blocked_follower_does_not_delay_the_crawl() {
    let (_dir, store) = make();
    let fake = FakeFollower::default();
    fake.change(|state| state.is_blocked = true);
    let mut followers = Followers::new(store.log());
    followers.add(Box::new(fake.clone()), FeedOptions { group_documents: 1, ..FeedOptions::default() }, None);

    for number in 0..200 {
        put(&store, number, 3).await;
    }
    store.sync().await.unwrap();

    check(&store, &(0..200).map(|number| (number, "first", 3)).collect::<Vec<_>>());
    assert_eq!(fake.documents(), 0);
    followers.finish(LATER);
    fake.change(|state| state.is_blocked = false);
    ended(&followers).await;
    assert_eq!(fake.documents(), 200);
    assert_eq!(followers.lags()[0].state, FollowerState::Done);
}

#[tokio::test]
async fn the_end_of_an_abandoned_follower_can_be_awaited() {
    let (_dir, store) = make();
    let fake = FakeFollower::default();
    fake.change(|state| state.is_blocked = true);
    let mut followers = Followers::new(store.log());
    followers.add(Box::new(fake.clone()), FeedOptions { group_documents: 1, ..FeedOptions::default() }, None);
    put(&store, 1, 3).await;
    fake.wait_for_call();

    let mut ends = std::pin::pin!(followers.ends().wait());
    drop(followers);
    let waited = tokio::time::timeout(Duration::ZERO, ends.as_mut()).await;
    assert!(waited.is_err(), "it may still apply a group");
    fake.change(|state| state.is_blocked = false);
    ends.await;
    let documents = fake.documents();

    put(&store, 2, 3).await;
    assert_eq!(fake.documents(), documents, "the feed has ended");
}

#[tokio::test]
async fn the_lag_of_a_follower_is_reported() {
    let (_dir, store) = make();
    for number in 0..5 {
        put(&store, number, 3).await;
    }
    let fake = FakeFollower::default();
    fake.change(|state| state.is_blocked = true);
    let mut followers = Followers::new(store.log());
    let mut changes = followers.changes();
    followers.add(Box::new(fake.clone()), slow(), None);
    changes.changed().await.unwrap();
    put(&store, 5, 3).await;

    let lag = &followers.lags()[0];

    assert_eq!((lag.documents, lag.state), (6, FollowerState::Following));
    assert!(lag.bytes > 6 * 50, "{lag:?}");
    fake.change(|state| state.is_blocked = false);
    assert!(followers.catch_up());
    let lag = &followers.lags()[0];
    assert_eq!((lag.documents, lag.bytes), (0, 0));
    assert_eq!(fake.documents(), 6);
}

#[tokio::test]
async fn a_group_waits_for_enough_documents() {
    let (_dir, store) = make();
    let fake = FakeFollower::default();
    let mut followers = Followers::new(store.log());
    followers.add(Box::new(fake.clone()), FeedOptions { group_documents: 10, ..slow() }, None);

    for number in 0..9 {
        put(&store, number, 1).await;
    }
    // The tenth document completes the group.
    put(&store, 9, 1).await;
    assert!(followers.catch_up());

    assert_eq!(fake.documents(), 10);
}

#[tokio::test]
async fn an_unreachable_follower_is_retried_with_increasing_delays() {
    let (_dir, store) = make();
    put(&store, 1, 3).await;
    let fake = FakeFollower::default();
    fake.change(|state| state.results = vec![busy(None), busy(Some(60)), busy(None), busy(None)]);
    let (sender, waits) = mpsc::channel();
    let mut followers = Followers::new(store.log());

    followers.add_with_sleeper(Box::new(fake.clone()), slow(), None, Box::new(RecordingSleeper(sender)));
    assert!(followers.catch_up());

    assert_eq!(waits.try_iter().collect::<Vec<_>>(), [1, 2, 60, 8]);
    assert_eq!(fake.documents(), 1);
    assert_eq!(followers.lags()[0].state, FollowerState::Following);
    assert_eq!(followers.lags()[0].error, None);
}

#[tokio::test]
async fn at_the_end_an_unreachable_follower_is_retried_no_longer_than_the_patience() {
    let (_dir, store) = make();
    put(&store, 1, 3).await;
    put(&store, 2, 3).await;
    let fake = FakeFollower::default();
    fake.change(|state| state.results = (0..100).map(|_| busy(None)).collect());
    let (sender, waits) = mpsc::channel();
    let mut followers = Followers::new(store.log());
    fake.change(|state| state.is_blocked = true);
    followers.add_with_sleeper(Box::new(fake.clone()), slow(), None, Box::new(RecordingSleeper(sender)));

    followers.finish(Duration::from_secs(10));
    fake.change(|state| state.is_blocked = false);
    ended(&followers).await;

    assert_eq!(waits.try_iter().collect::<Vec<_>>(), [1, 2, 4, 3]);
    let lag = &followers.lags()[0];
    assert_eq!((lag.state, lag.documents), (FollowerState::Waiting, 2));
    assert_eq!(
        lag.warning().unwrap(),
        "2 documents were not delivered to http://a.example/sparql (status 503); hint: they are sent by the next run"
    );
    // The next run delivers them.
    fake.change(|state| state.results.clear());
    let mut followers = Followers::new(store.log());
    followers.add(Box::new(fake.clone()), slow(), None);
    followers.finish(Duration::ZERO);
    ended(&followers).await;
    assert_eq!((fake.documents(), followers.lags()[0].state), (2, FollowerState::Done));
}

#[tokio::test]
async fn a_failed_follower_does_not_affect_the_others() {
    let (_dir, store) = make();
    let (broken, working) = (FakeFollower::default(), FakeFollower::default());
    let what = "cannot write the archive".to_owned();
    let source = Some(Box::new(std::io::Error::other("no space left")) as _);
    broken.change(|state| state.results.push(FollowerError::Fatal { what, source }));
    let mut followers = Followers::new(store.log());
    followers.add(Box::new(broken.clone()), slow(), None);
    followers.add(Box::new(working.clone()), slow(), None);

    put(&store, 1, 3).await;
    assert!(!followers.catch_up());
    put(&store, 2, 3).await;
    followers.finish(LATER);
    ended(&followers).await;

    let lags = followers.lags();
    assert_eq!((lags[0].state, lags[1].state), (FollowerState::Failed, FollowerState::Done));
    assert_eq!(lags[0].error.as_deref(), Some("cannot write the archive: no space left"));
    assert_eq!((broken.documents(), working.documents()), (0, 2));
    check(&store, &[(1, "first", 3), (2, "first", 3)]);
}

#[tokio::test]
async fn an_abandoned_follower_ends_without_waiting() {
    let (_dir, store) = make();
    put(&store, 1, 3).await;
    let fake = FakeFollower::default();
    fake.change(|state| state.results = (0..100).map(|_| busy(None)).collect());
    let mut followers = Followers::new(store.log());
    followers.add(Box::new(fake.clone()), slow(), None);

    followers.finish(LATER);
    followers.abandon();
    ended(&followers).await;

    assert_eq!(fake.documents(), 0);
    assert_eq!(followers.lags()[0].documents, 1);
}

#[tokio::test]
async fn a_crawl_is_described_after_a_change() {
    let (_dir, store) = make();
    put(&store, 1, 3).await;
    let fake = FakeFollower::default();
    let describe: CrawlDescriber = Arc::new(|log| {
        let graph = NamedNode::new_unchecked("urn:description");
        let records = log.read(None)?.distance()?.records;
        let quad = Quad::new(graph.clone(), rdf::VALUE, Literal::from(records), graph.clone());
        Ok((graph, vec![quad]))
    });
    let run = || async {
        let mut followers = Followers::new(store.log());
        followers.add(Box::new(fake.clone()), slow(), Some(Arc::clone(&describe)));
        followers.finish(LATER);
        ended(&followers).await;
    };

    run().await;
    run().await;

    fake.see(|state| {
        assert_eq!((state.described.len(), state.finished), (1, 2));
        assert_eq!(state.described[0], 1);
    });
}
