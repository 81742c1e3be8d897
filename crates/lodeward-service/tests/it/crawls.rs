//! The life of a crawl, over HTTP.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::house::{House, Plan};
use crate::wait::{begun, crawl_in_state, crawl_that, seeds};

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_begun_paused_resumed_and_comes_to_its_end() {
    let house = House::open().await;
    let order = json!({"name": "tiny", "seeds": seeds(&house), "strategy": "bfs", "limits": {"max_documents": 3_000}});

    let answer = house.client.post(house.url("/api/v1/crawls")).header("content-type", "application/json");
    let answer = answer.body(order.to_string()).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.headers()["location"].to_str().unwrap()), (201, "/api/v1/crawls/1"));
    let begun: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    assert_eq!(begun["crawl"]["name"], "tiny");
    assert_eq!(begun["crawl"]["seeds"], seeds(&house).len());
    assert_eq!(begun["crawl"]["settings"]["crawl"]["max_documents"], 3_000);

    crawl_that(&house, 1, |crawl| crawl["counters"]["documents"].as_u64() > Some(0)).await;
    let (status, _) = house.post("/api/v1/crawls/1/pause", &Value::Null).await;
    assert_eq!(status, 200);
    let paused = crawl_in_state(&house, 1, "paused").await;
    assert_eq!(paused["ending"], "stopped");
    let (status, again) = house.post("/api/v1/crawls/1/pause", &Value::Null).await;
    assert_eq!((status, &again["state"]), (200, &"paused".into()), "{again}");

    let (status, _) = house.post("/api/v1/crawls/1/resume", &Value::Null).await;
    assert_eq!(status, 200);
    let finished = crawl_in_state(&house, 1, "finished").await;
    let counters = &finished["counters"];
    assert_eq!(finished["ending"], "max-documents");
    assert!(counters["documents"].as_u64() >= Some(3_000), "{counters}");
    assert!(counters["documents"].as_u64() > paused["counters"]["documents"].as_u64());
    assert!(counters["requests"].as_u64() > counters["documents"].as_u64());
    assert!(counters["quads"].as_u64() > Some(0) && counters["known"].as_u64() > Some(3_000));

    for change in ["pause", "resume", "stop"] {
        let (status, problem) = house.post(&format!("/api/v1/crawls/1/{change}"), &Value::Null).await;
        assert_eq!((status, &problem["code"]), (409, &"conflict".into()));
        assert!(problem["hint"].is_string(), "{problem}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_was_stopped_can_be_deleted_and_is_gone() {
    let house = House::open().await;
    let id = begun(&house, json!({})).await;

    let (status, _) = house.post(&format!("/api/v1/crawls/{id}/stop"), &Value::Null).await;
    assert_eq!(status, 200);
    crawl_in_state(&house, id, "stopped").await;
    let address = house.url(&format!("/api/v1/crawls/{id}"));
    let deleted = house.client.delete(&address).send().await.unwrap();

    assert_eq!(deleted.status(), 204);
    assert_eq!(house.client.delete(&address).send().await.unwrap().status(), 404);
    for path in ["", "/seeds", "/events"] {
        let (status, problem) = house.get(&format!("/api/v1/crawls/{id}{path}")).await;
        assert_eq!((status, &problem["code"]), (404, &"not-found".into()), "{path}");
    }
    assert_eq!(begun_names(&house).await, Vec::<String>::new());
    assert_eq!(begun(&house, json!({})).await, id + 1);
    house.close().await;
}

async fn begun_names(house: &House) -> Vec<String> {
    let (_, page) = house.get("/api/v1/crawls").await;
    page["crawls"].as_array().unwrap().iter().map(|crawl| crawl["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_crawled_is_refused_and_everything_wrong_is_told() {
    let settings = "[service]\ndeny_domains = [\"denied.example\"]\n".to_owned();
    let house = House::build(Plan { no_auth: true, settings, ..Plan::default() }).await;
    begun(&house, json!({"name": "taken"})).await;
    let seed = &seeds(&house)[0];
    let check = async |order: Value, status: u16, code: &str, told: &[&str]| {
        let (answered, problem) = house.post("/api/v1/crawls", &order).await;
        assert_eq!((answered, problem["code"].as_str()), (status, Some(code)), "{order}: {problem}");
        for part in told {
            assert!(problem["detail"].as_str().unwrap().contains(part), "{part}: {problem}");
        }
    };

    check(json!({"seeds": ["ftp://a.example/", "not a uri", seed]}), 422, "invalid", &["ftp", "not a uri"]).await;
    check(json!({}), 422, "invalid", &["at least one seed"]).await;
    check(json!({"seeds": [seed], "name": "taken"}), 409, "conflict", &["`taken`"]).await;
    check(json!({"seeds": [seed], "name": ""}), 422, "invalid", &["name"]).await;
    check(json!({"seeds": [seed], "nmae": "x"}), 422, "invalid", &["nmae"]).await;
    check(json!({"seeds": [seed], "strategy": "best"}), 422, "invalid", &["best"]).await;
    check(json!({"seeds": [seed], "settings": {"fetch": {"proxy": "x"}}}), 422, "invalid", &["fetch"]).await;
    check(json!({"seeds": [seed], "limits": {"max_depth": -1}}), 422, "invalid", &["max_depth"]).await;
    check(json!({"seeds": ["http://127.0.0.1/"]}), 403, "against-policy", &["127.0.0.1"]).await;
    check(json!({"seeds": ["http://www.denied.example/"]}), 403, "against-policy", &["denied.example"]).await;
    check(json!({"template": "../etc"}), 422, "invalid", &["name of a template"]).await;
    check(json!({"template": "geology"}), 422, "invalid", &["geology"]).await;
    check(json!({"texts": ["Nobody Is Called So"]}), 422, "invalid", &["Nobody Is Called So"]).await;
    check(json!([]), 422, "invalid", &[]).await;
    assert_eq!(begun_names(&house).await, ["taken"]);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_come_from_templates_and_from_instance_data() {
    let house = House::open().await;
    let all = seeds(&house);
    let text = "name = \"world\"\ntitle = \"A world\"\n[[placeholders]]\nname = \"seed\"\nkind = \"iri\"\n\
                [[seeds]]\niri = \"{seed}\"\n[settings.crawl]\nmax_documents = 5\n";
    let put = house.client.put(house.url("/api/v1/templates/world")).body(text).send().await.unwrap();
    assert_eq!(put.status(), 201);
    let turtle = format!("<http://b.example/1> <http://dbpedia.org/ontology/location> <{}> .", all[0]);

    let first = begun(&house, json!({"seeds": [], "template": "world", "values": {"seed": [all[0]]}})).await;
    let instance = json!([{"name": "buildings.ttl", "content": turtle}]);
    let second = begun(&house, json!({"seeds": [], "instances": instance, "limits": {"max_documents": 5}})).await;

    let (_, crawl) = house.get(&format!("/api/v1/crawls/{first}")).await;
    assert_eq!((&crawl["template"], &crawl["settings"]["crawl"]["max_documents"]), (&"world".into(), &5.into()));
    for (id, origin) in [(first, "from the template world"), (second, "from places in buildings.ttl")] {
        let (_, page) = house.get(&format!("/api/v1/crawls/{id}/seeds")).await;
        assert_eq!((&page["total"], &page["seeds"][0]["uri"]), (&1.into(), &all[0].as_str().into()));
        let told = page["seeds"][0]["entities"][0]["origin"].as_str().unwrap();
        assert!(told.starts_with(origin), "{told}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crawls_are_listed_by_what_they_are_and_page_by_page() {
    let settings = "[service]\ncrawls_running = 1\n".to_owned();
    let house = House::build(Plan { no_auth: true, settings, ..Plan::default() }).await;
    let all = seeds(&house);
    for (name, seed) in [("a", 0), ("b", 0), ("c", all.len() - 1)] {
        begun(&house, json!({"name": name, "seeds": [all[seed]]})).await;
    }
    let (status, _) = house.post("/api/v1/crawls/3/pause", &Value::Null).await;
    assert_eq!(status, 200);
    let check = async |query: &str, total: u64, names: &[&str]| {
        let (status, page) = house.get(&format!("/api/v1/crawls?{query}")).await;
        assert_eq!(status, 200, "{query}: {page}");
        let found: Vec<&str> = page["crawls"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!((page["total"].as_u64(), found.as_slice()), (Some(total), names), "{query}");
    };

    check("", 3, &["a", "b", "c"]).await;
    check("order=newest", 3, &["c", "b", "a"]).await;
    check("state=paused", 1, &["c"]).await;
    check("state=queued,paused,pausing", 2, &["b", "c"]).await;
    check("user=nobody", 0, &[]).await;
    check("name=b", 1, &["b"]).await;
    check(&format!("seed={}", all[0]), 2, &["a", "b"]).await;
    check("seed=http://elsewhere.example/", 0, &[]).await;
    check("offset=1&limit=1", 3, &["b"]).await;
    check("offset=7", 3, &[]).await;
    let answer = house.client.get(house.url("/api/v1/crawls?limit=1&offset=1&order=newest")).send().await.unwrap();
    assert_eq!(
        answer.headers()["link"],
        "</api/v1/crawls?order=newest&offset=2&limit=1>; rel=\"next\", \
         </api/v1/crawls?order=newest&offset=0&limit=1>; rel=\"prev\""
    );
    for wrong in ["limit=0", "limit=501", "state=happy", "seed=x", "colour=red", "offset=-1"] {
        let (status, problem) = house.get(&format!("/api/v1/crawls?{wrong}")).await;
        assert_eq!((status, &problem["code"]), (400, &"bad-request".into()), "{wrong}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_change_their_own_crawls_and_admins_all() {
    let house = House::guarded().await;
    let order = json!({"seeds": [seeds(&house)[0]], "limits": {"max_documents": 5}}).to_string();
    let create = async |role: Role| {
        let request = house.request(role, "POST", "/api/v1/crawls").header("content-type", "application/json");
        request.body(order.clone()).send().await.unwrap().status().as_u16()
    };
    let change = async |role: Role, method: &str, path: &str| {
        house.request(role, method, path).send().await.unwrap().status().as_u16()
    };

    assert_eq!(create(Role::Reader).await, 403);
    assert_eq!((create(Role::Admin).await, create(Role::Operator).await), (201, 201));

    let of_the_admin = [
        ("POST", "/api/v1/crawls/1/pause"),
        ("POST", "/api/v1/crawls/1/resume"),
        ("POST", "/api/v1/crawls/1/stop"),
        ("POST", "/api/v1/crawls/1/ranking"),
        ("DELETE", "/api/v1/crawls/1/candidates/marks"),
        ("DELETE", "/api/v1/crawls/1"),
    ];
    for (method, path) in of_the_admin {
        assert_eq!(change(Role::Operator, method, path).await, 403, "{method} {path}");
    }
    assert_eq!(change(Role::Reader, "GET", "/api/v1/crawls/1").await, 200);
    assert_eq!(change(Role::Operator, "DELETE", "/api/v1/crawls/2").await, 204);
    assert_eq!(change(Role::Admin, "DELETE", "/api/v1/crawls/1").await, 204);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_has_no_more_crawls_than_the_quota_allows() {
    let settings = "[service]\ncrawls_per_user = 1\n".to_owned();
    let house = House::build(Plan { settings, ..Plan::default() }).await;
    let order = json!({"seeds": seeds(&house)}).to_string();
    let create = async |role: Role| {
        let request = house.request(role, "POST", "/api/v1/crawls").header("content-type", "application/json");
        let answer = request.body(order.clone()).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_slice::<Value>(&answer.bytes().await.unwrap()).unwrap())
    };

    assert_eq!(create(Role::Operator).await.0, 201);
    let (status, problem) = create(Role::Operator).await;

    assert_eq!((status, &problem["code"]), (429, &"quota-exceeded".into()));
    let pausing = house.request(Role::Operator, "POST", "/api/v1/crawls/1/pause").send().await.unwrap();
    assert_eq!(pausing.status(), 200);
    assert_eq!(create(Role::Operator).await.0, 429, "what is paused is not done");
    assert_eq!((create(Role::Admin).await.0, create(Role::Admin).await.0), (201, 201));
    house.close().await;
}
