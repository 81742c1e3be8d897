//! The API that DURAARK has published.

use lodeward_service::Role;
use serde_json::Value;

use crate::cathedral::{self, SEED};
use crate::house::{House, Plan, password_of};
use crate::wait;

/// Calls a method as published.
async fn call(house: &House, method: &str, parameters: &[(&str, &str)]) -> (u16, Value) {
    let query = serde_urlencoded::to_string(parameters).unwrap();
    house.get(&format!("/CrawlAPI/{method}?{query}")).await
}

/// Calls a method with a form.
async fn post(house: &House, method: &str, form: &str) -> (u16, Value) {
    let request = house.client.post(house.url(&format!("/CrawlAPI/{method}")));
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(form.to_owned());
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap())
}

/// Begins a crawl, and waits for its end.
async fn crawled(house: &House, parameters: &[(&str, &str)]) -> String {
    let (status, begun) = call(house, "crawl", parameters).await;
    assert_eq!(status, 200, "{begun}");
    let id = begun["crawl_id"].as_u64().unwrap();
    wait::crawl_in_state(house, id, "finished").await;
    id.to_string()
}

fn ids(crawls: &Value) -> Vec<String> {
    crawls.as_array().unwrap().iter().map(|crawl| crawl["crawl_id"].to_string()).collect()
}

fn entities(candidates: &Value) -> Vec<&str> {
    candidates.as_array().unwrap().iter().map(|candidate| candidate["entity"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_begun_looked_at_and_deleted() {
    let house = cathedral::house().await;

    let id = crawled(&house, &[("seeds", SEED), ("user", "jane"), ("depth", "2")]).await;

    let (_, crawls) = call(&house, "loadAllRegisteredCrawls", &[]).await;
    let crawl = &crawls[0];
    assert_eq!((&crawl["user"], &crawl["owner"]), (&"jane".into(), &"local".into()));
    for (user, total) in [("jane", 1), ("local", 1), ("joan", 0)] {
        assert_eq!(house.get(&format!("/api/v1/crawls?user={user}")).await.1["total"], total, "{user}");
    }
    assert_eq!((&crawl["state"], &crawl["depth"]), (&"finished".into(), &2.into()));
    assert_eq!((&crawl["seeds"], &crawl["strategy"]), (&vec![SEED].into(), &"focus".into()));
    assert!(crawl["documents"].as_u64().unwrap() > 3, "{crawl}");
    assert_eq!(call(&house, "loadAllCrawls", &[]).await, (200, Value::Array(Vec::new())));
    let (_, deleted) = call(&house, "deleteCrawl", &[("crawl_id", &id)]).await;
    assert_eq!(deleted["crawl_id"].to_string(), id);
    assert_eq!(call(&house, "loadAllRegisteredCrawls", &[]).await, (200, Value::Array(Vec::new())));
    assert_eq!(call(&house, "deleteCrawl", &[("crawl_id", &id)]).await.0, 404);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_are_ranked_and_those_who_are_filtered_out_stay_out() {
    let house = cathedral::house().await;
    let id = crawled(&house, &[("seeds", SEED), ("depth", "2")]).await;
    let (_, before) = call(&house, "loadCrawl", &[("crawl_id", &id)]).await;
    let before = entities(&before);
    assert!(
        before.contains(&"http://e.example/Beer") && before.contains(&"http://e.example/Ulm_Minster"),
        "{before:?}"
    );

    let filter = "entity ~ \"Beer$\"";
    let (status, filtered) =
        call(&house, "filterCrawlCandidates", &[("crawl_id", &id), ("crawl_filter", filter)]).await;

    assert_eq!((status, &filtered["filtered"], &filtered["left"]), (200, &1.into(), &(before.len() - 1).into()));
    let (_, after) = call(&house, "loadCrawl", &[("crawl_id", &id)]).await;
    let left: Vec<&str> = before.iter().copied().filter(|entity| !entity.ends_with("/Beer")).collect();
    assert_eq!(entities(&after), left);
    let page = [("crawl_id", id.as_str()), ("offset", "1"), ("limit", "2")];
    assert_eq!(entities(&call(&house, "loadCrawl", &page).await.1), left[1..3]);
    // What is said of properties is looked up in the harvest.
    let filter = "has <http://e.example/p/style>";
    let (_, filtered) = call(&house, "filterCrawlCandidates", &[("crawl_id", &id), ("crawl_filter", filter)]).await;
    assert_eq!(filtered["filtered"], 1, "{filtered}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crawls_are_found_by_user_and_by_seed() {
    let house = cathedral::house().await;
    let other = "http://e.example/Beer";
    let first = crawled(&house, &[("seeds", SEED), ("user", "jane"), ("depth", "1")]).await;
    let both = format!("{other};{SEED}");
    let second = crawled(&house, &[("seeds", &both), ("user", "joe"), ("depth", "1")]).await;

    let found = async |method: &str, name: &str, value: &str| {
        let (status, crawls) = call(&house, method, &[(name, value)]).await;
        assert_eq!(status, 200, "{crawls}");
        ids(&crawls)
    };

    assert_eq!(found("loadCrawlsByUser", "user", "jane").await, [first.as_str()]);
    assert_eq!(found("loadCrawlsByUser", "user", "joe").await, [second.as_str()]);
    assert_eq!(found("loadCrawlsByUser", "user", "local").await, [second.as_str(), &first]);
    assert_eq!(found("loadCrawlsByUser", "user", "nobody").await, [""; 0]);
    assert_eq!(found("loadCrawlsBySeed", "seeds", SEED).await, [second.as_str(), &first]);
    assert_eq!(found("loadCrawlsBySeed", "seeds", other).await, [second.as_str()]);
    assert_eq!(found("loadCrawlsBySeed", "seeds", "http://e.example/").await, [""; 0]);
    let (_, page) = call(&house, "loadFinishedCrawls", &[("offset", "1"), ("limit", "1")]).await;
    assert_eq!(ids(&page), [first]);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_do_as_well_as_queries() {
    let house = cathedral::house().await;

    let (status, begun) = post(&house, "crawl", &format!("seeds={SEED}&user=jane&depth=1")).await;
    let (_, crawls) = post(&house, "loadCrawlsByUser", "user=jane").await;

    assert_eq!(status, 200, "{begun}");
    assert_eq!(ids(&crawls), [begun["crawl_id"].to_string()]);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_is_told_as_a_problem() {
    let house = cathedral::house().await;
    let id = crawled(&house, &[("seeds", SEED), ("depth", "1")]).await;
    let id = id.as_str();

    for (method, parameters, status, code) in [
        ("crawl", &[][..], 400, "bad-request"),
        ("crawl", &[("seeds", " ; ")][..], 422, "invalid"),
        ("crawl", &[("seeds", "ftp://e.example/")], 422, "invalid"),
        ("crawl", &[("seeds", "http://127.0.0.1/")], 403, "against-policy"),
        ("crawl", &[("seeds", SEED), ("depth", "0")], 422, "invalid"),
        ("crawl", &[("seeds", SEED), ("depth", "999")], 400, "bad-request"),
        ("crawl", &[("seeds", SEED), ("user", "a\nb")], 422, "invalid"),
        ("loadCrawl", &[("crawl_id", "77")], 404, "not-found"),
        ("loadCrawl", &[("crawl_id", "-1")], 400, "bad-request"),
        ("exportToSDA", &[("crawl_id", "77")], 404, "not-found"),
        ("filterCrawlCandidates", &[("crawl_id", id), ("crawl_filter", " ")], 422, "invalid"),
        ("filterCrawlCandidates", &[("crawl_id", id), ("crawl_filter", "scor > 3")], 422, "invalid"),
        ("loadCrawlsBySeed", &[("seeds", "")], 422, "invalid"),
        ("loadAllCrawls", &[("limit", "1001")], 422, "invalid"),
    ] {
        let (found, problem) = call(&house, method, parameters).await;
        assert_eq!((found, problem["code"].as_str()), (status, Some(code)), "{method} {parameters:?}: {problem}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_that_are_not_ranked_yet_are_no_empty_list() {
    let house = cathedral::house().await;
    let id = crawled(&house, &[("seeds", SEED), ("depth", "1")]).await;
    std::fs::remove_file(house.service.data().join("crawls").join(&id).join("ranking.jsonl")).unwrap();

    let (status, problem) = call(&house, "loadCrawl", &[("crawl_id", &id)]).await;

    assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{problem}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_belongs_to_whoever_signed_in_whomever_they_name() {
    let house = House::beside(Some(cathedral::web()), Plan::default()).await;
    let ask = async |role: Role, path: &str| {
        let request = house.ask("GET", &format!("/CrawlAPI/{path}"));
        let answer = request.basic_auth(role.name(), Some(password_of(role))).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };

    let (status, told) = ask(Role::Admin, &format!("crawl?seeds={SEED}&user=operator")).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(ask(Role::Reader, &format!("crawl?seeds={SEED}")).await.0, 403);

    assert_eq!(ask(Role::Operator, "deleteCrawl?crawl_id=1").await.0, 403);
    assert_eq!(ask(Role::Operator, "exportToSDA?crawl_id=1").await.0, 403);
    assert_eq!(ask(Role::Operator, "filterCrawlCandidates?crawl_id=1&crawl_filter=hop%3D1").await.0, 403);
    let (_, theirs) = ask(Role::Reader, "loadCrawlsByUser?user=operator").await;
    assert!(theirs.contains(r#""owner":"admin""#), "{theirs}");
    assert_eq!(ask(Role::Admin, "deleteCrawl?crawl_id=1").await.0, 200);
    house.close().await;
}
