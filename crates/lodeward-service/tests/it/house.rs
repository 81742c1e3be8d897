//! A service, and a small world that its crawls can visit.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lodeward::config::{FILE_NAME, Sources};
use lodeward_service::people::{Name, Password, Wanted};
use lodeward_service::{Options, Reserved, Role, Server, Service};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use toyweb::serve::Running;
use toyweb::world::{Parameters, World};

/// A service that runs in this process, for as long as this lives.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) service: Arc<Service>,
    pub(crate) client: reqwest::Client,
    pub(crate) world: Arc<World>,
    pub(crate) folder: tempfile::TempDir,
    /// By role. Nobody needs one where everybody is let in.
    tokens: Vec<String>,
    web: Option<Running>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
}

/// How a house is built.
#[derive(Default)]
pub(crate) struct Plan {
    /// Whether everybody is let in.
    pub(crate) no_auth: bool,
    /// What else stands in `lodeward.toml`.
    pub(crate) settings: String,
    /// The web that crawls visit, if it is not the world.
    pub(crate) web: Option<Arc<dyn toyweb::Web>>,
    /// How long crawls let domains rest.
    pub(crate) delay_ms: u64,
    /// Whether crawls go out by themselves, past the web in its box.
    pub(crate) is_direct: bool,
    /// Tells the time, if not the clock on the wall does.
    pub(crate) now: Option<fn() -> u64>,
}

/// Every role.
pub(crate) const ROLES: [Role; 3] = [Role::Reader, Role::Operator, Role::Admin];

/// The password of the user who is called as this role is.
pub(crate) fn password_of(role: Role) -> String {
    format!("password of {}", role.name())
}

/// Adds a user for every role, and gives them tokens. There is an admin already.
async fn settle(service: Arc<Service>) -> Vec<String> {
    let settling = move || {
        let people = service.people();
        let token = |role: Role| {
            let user: Name = role.name().parse().unwrap();
            let password = Password::try_from(password_of(role)).unwrap();
            match role {
                Role::Admin => people.amend(&user, None, None, Some(&password)).unwrap(),
                _ => people.add(&user, role, &password).unwrap(),
            };
            people.give_token(Wanted { user, name: "for tests".to_owned(), role, days: None, by: None }).unwrap().1
        };
        ROLES.map(|role| token(role).reveal().to_owned()).to_vec()
    };
    tokio::task::spawn_blocking(settling).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "this is where the time of day enters")]
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

impl House {
    /// A service that lets everybody in.
    pub(crate) async fn open() -> Self {
        Self::build(Plan { no_auth: true, ..Plan::default() }).await
    }

    /// A service that asks who asks. It has a user for every role, who is called as
    /// their role is.
    pub(crate) async fn guarded() -> Self {
        Self::build(Plan::default()).await
    }

    pub(crate) async fn build(plan: Plan) -> Self {
        Self::move_in(tempfile::tempdir().unwrap(), plan).await
    }

    /// A house beside another web than the world.
    pub(crate) async fn beside(web: Option<Arc<dyn toyweb::Web>>, plan: Plan) -> Self {
        Self::build(Plan { web, ..plan }).await
    }

    /// A service of the folder `data` in this one, whatever is in there.
    pub(crate) async fn move_in(folder: tempfile::TempDir, plan: Plan) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let world = Arc::new(World::new(Parameters::preset("tiny").unwrap()).unwrap());
        let web = plan.web.unwrap_or_else(|| Arc::clone(&world) as _);
        let server = toyweb::serve::Server::bind(web, toyweb::serve::Options::default());
        let server = server.await.unwrap();
        let certificates = folder.path().join("ca.pem");
        std::fs::write(&certificates, server.authority().pem()).unwrap();
        let way = if plan.is_direct {
            "contact = \"tests@a.example\"".to_owned()
        } else {
            let (proxy, certificates) = (server.addresses[0], certificates.display());
            format!("proxy = \"http://{proxy}\"\nca_certs = [\"{certificates}\"]")
        };
        let settings = format!("[politeness]\ndelay_ms = {}\n[fetch]\n{way}\n{}", plan.delay_ms, plan.settings);
        let web = Some(server.spawn());
        let sources = Sources { file: Some((FILE_NAME.into(), settings)), ..Sources::default() };
        let data = folder.path().join("data");
        let options = Options { data, sources, now: plan.now.unwrap_or(now_ms), no_auth: plan.no_auth };
        let service = tokio::task::spawn_blocking(|| Service::open(options).unwrap()).await.unwrap();
        let tokens = if plan.no_auth { Vec::new() } else { settle(Arc::clone(&service)).await };
        let place = Reserved::at(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let server = Server::listen(Arc::clone(&service), place).unwrap();
        let address = server.address;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(async move { server.run(async { drop(stopped.await) }).await.unwrap() });
        let client = reqwest::Client::builder().timeout(Duration::from_mins(1)).no_proxy().build().unwrap();
        let (stop, serving) = (Some(stop), Some(serving));
        Self { address, service, client, world, folder, tokens, web, stop, serving }
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A token of the user with this role.
    pub(crate) fn token(&self, role: Role) -> &str {
        &self.tokens[role as usize]
    }

    /// A request by the user with this role.
    pub(crate) fn request(&self, role: Role, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.ask(method, path).bearer_auth(self.token(role))
    }

    /// A request by nobody.
    pub(crate) fn ask(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method.parse().unwrap(), self.url(path))
    }

    /// GET, expecting JSON.
    pub(crate) async fn get(&self, path: &str) -> (u16, serde_json::Value) {
        let answer = self.client.get(self.url(path)).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
    }

    /// POST of JSON, expecting JSON.
    pub(crate) async fn post(&self, path: &str, body: &serde_json::Value) -> (u16, serde_json::Value) {
        let request = self.client.post(self.url(path)).header("content-type", "application/json");
        let answer = request.body(body.to_string()).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default())
    }

    /// Ends it in order.
    pub(crate) async fn close(self) {
        self.leave().await;
    }

    /// Ends it in order, and leaves its folder to somebody else.
    pub(crate) async fn leave(mut self) -> tempfile::TempDir {
        drop(self.stop.take());
        self.serving.take().unwrap().await.unwrap();
        self.service.close().await;
        self.web.take().unwrap().stop().await;
        self.folder
    }
}
