//! A service in this process, and a generated web for its crawls.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lodeward_app::settings::{FILE_NAME, SettingSources};
use lodeward_service::users::{Password, TokenSpec, UserName};
use lodeward_service::{ReservedListener, Role, Service, ServiceOptions, ServiceServer};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use toyweb::serve::RunningServer;
use toyweb::world::{World, WorldParameters};

/// A service in this process, which runs until it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) service: Arc<Service>,
    pub(crate) client: reqwest::Client,
    pub(crate) world: Arc<World>,
    pub(crate) dir: tempfile::TempDir,
    /// By role; empty without authentication.
    tokens: Vec<String>,
    web: Option<RunningServer>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
}

/// Options of a test server.
#[derive(Default)]
pub(crate) struct TestOptions {
    /// Whether authentication is disabled.
    pub(crate) no_auth: bool,
    /// Further contents of `lodeward.toml`.
    pub(crate) settings: String,
    /// The web of the crawls; default: the world.
    pub(crate) web: Option<Arc<dyn toyweb::Web>>,
    /// Delay between requests to a domain.
    pub(crate) delay_ms: u64,
    /// Whether crawls send requests directly, not to the generated web.
    pub(crate) is_direct: bool,
    /// The clock; default: the system clock.
    pub(crate) now: Option<fn() -> u64>,
}

/// All roles.
pub(crate) const ROLES: [Role; 3] = [Role::Reader, Role::Operator, Role::Admin];

/// The password of the user with the name of this role.
pub(crate) fn password_of(role: Role) -> String {
    format!("password of {}", role.name())
}

/// Adds a user for every role except the admin, which exists, and creates tokens.
async fn add_users(service: Arc<Service>) -> Vec<String> {
    let adding = move || {
        let users = service.users();
        let token = |role: Role| {
            let user: UserName = role.name().parse().unwrap();
            let password = Password::try_from(password_of(role)).unwrap();
            match role {
                Role::Admin => users.update(&user, None, None, Some(&password)).unwrap(),
                _ => users.add(&user, role, &password).unwrap(),
            };
            users
                .issue_token(TokenSpec { user, name: "for tests".to_owned(), role, days: None, parent: None })
                .unwrap()
                .1
        };
        ROLES.map(|role| token(role).reveal().to_owned()).to_vec()
    };
    tokio::task::spawn_blocking(adding).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the default clock of the tests")]
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

impl TestServer {
    /// A service without authentication.
    pub(crate) async fn without_auth() -> Self {
        Self::start(TestOptions { no_auth: true, ..TestOptions::default() }).await
    }

    /// A service with authentication. It has a user for every role, with the name of the role.
    pub(crate) async fn with_auth() -> Self {
        Self::start(TestOptions::default()).await
    }

    pub(crate) async fn start(options: TestOptions) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), options).await
    }

    /// A service whose crawls use this web.
    pub(crate) async fn with_web(web: Option<Arc<dyn toyweb::Web>>, options: TestOptions) -> Self {
        Self::start(TestOptions { web, ..options }).await
    }

    /// A service with the data directory `data` in this directory, which may exist.
    pub(crate) async fn start_in(dir: tempfile::TempDir, options: TestOptions) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let world = Arc::new(World::new(WorldParameters::preset("tiny").unwrap()).unwrap());
        let web = options.web.unwrap_or_else(|| Arc::clone(&world) as _);
        let server = toyweb::serve::WebServer::bind(web, toyweb::serve::ServeOptions::default());
        let server = server.await.unwrap();
        let certificates = dir.path().join("ca.pem");
        std::fs::write(&certificates, server.authority().pem()).unwrap();
        let fetch = if options.is_direct {
            "contact = \"tests@a.example\"".to_owned()
        } else {
            let (proxy, certificates) = (server.addresses[0], certificates.display());
            format!("proxy = \"http://{proxy}\"\nca_certificates = [\"{certificates}\"]")
        };
        let settings =
            format!("[politeness]\ndelay = \"{}ms\"\n[fetch]\n{fetch}\n{}", options.delay_ms, options.settings);
        let web = Some(server.spawn());
        let sources = SettingSources { file: Some((FILE_NAME.into(), settings)), ..SettingSources::default() };
        let data_dir = dir.path().join("data");
        let now = options.now.unwrap_or(now_ms);
        let service_options = ServiceOptions { data_dir, sources, now, no_auth: options.no_auth };
        let service = tokio::task::spawn_blocking(|| Service::open(service_options).unwrap()).await.unwrap();
        let tokens = if options.no_auth { Vec::new() } else { add_users(Arc::clone(&service)).await };
        let listener = ReservedListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let server = ServiceServer::listen(&service, listener).unwrap();
        let address = server.address;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(async move { server.run(async { drop(stopped.await) }).await.unwrap() });
        let client = reqwest::Client::builder().timeout(Duration::from_mins(1)).no_proxy().build().unwrap();
        let (stop, serving) = (Some(stop), Some(serving));
        Self { address, service, client, world, dir, tokens, web, stop, serving }
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A token of the user with this role.
    pub(crate) fn token(&self, role: Role) -> &str {
        &self.tokens[role as usize]
    }

    /// A request by the user with this role.
    pub(crate) fn request(&self, role: Role, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.anonymous(method, path).bearer_auth(self.token(role))
    }

    /// A request without credentials.
    pub(crate) fn anonymous(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method.parse().unwrap(), self.url(path))
    }

    /// GET, expecting JSON.
    pub(crate) async fn get(&self, path: &str) -> (u16, serde_json::Value) {
        let response = self.client.get(self.url(path)).send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
    }

    /// POST of JSON, expecting JSON.
    pub(crate) async fn post(&self, path: &str, body: &serde_json::Value) -> (u16, serde_json::Value) {
        let request = self.client.post(self.url(path)).header("content-type", "application/json");
        let response = request.body(body.to_string()).send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
    }

    /// Shuts it down.
    pub(crate) async fn close(self) {
        self.stop().await;
    }

    /// Shuts it down, and returns its directory.
    pub(crate) async fn stop(mut self) -> tempfile::TempDir {
        drop(self.stop.take());
        self.serving.take().unwrap().await.unwrap();
        self.service.close().await;
        self.web.take().unwrap().stop().await;
        self.dir
    }
}
