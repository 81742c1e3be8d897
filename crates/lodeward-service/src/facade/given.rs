//! The parameters of the methods (D3.6, table 3).

use axum::extract::{FromRequest, Request};
use http::header::CONTENT_TYPE;
use lodeward::model::Uri;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::{IntoParams, ToSchema};

use crate::api::extract::{Whatever, read_form};
use crate::problem::{Code, Problem};

/// The media type of forms.
const FORM: &str = "application/x-www-form-urlencoded";

/// How many crawls or candidates an answer has at most.
pub(super) const LIMIT_MAX: u32 = 1_000;

/// How far from its seeds a crawl may go: farther is everything.
const DEPTH_MAX: u8 = 10;

/// How long the name of a user may be.
const USER_BYTES_MAX: usize = 200;

/// Parameters, wherever they are: in the query, in the form that was posted, or some
/// here and some there.
pub(super) struct Given<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let is_form = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(is_form);
        let Whatever(body) = Whatever::from_request(request, state).await?;
        if !body.is_empty() && !is_form {
            return Err(Problem::new(Code::UnsupportedMediaType, "a body is read as a form, and this is none")
                .hint(format!("say Content-Type: {FORM}, or put the parameters into the query")));
        }
        let mut pairs = query.into_bytes();
        if !pairs.is_empty() && !body.is_empty() {
            pairs.push(b'&');
        }
        pairs.extend_from_slice(&body);
        read_form(&pairs).map(Self).map_err(|wrong| Problem::new(Code::BadRequest, wrong.to_string()))
    }
}

fn is_form(content_type: &str) -> bool {
    content_type.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case(FORM))
}

/// What `crawl` takes.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GivenCrawl {
    /// URIs of the entities to begin at, separated by `;`.
    #[param(example = "http://dbpedia.org/resource/Berlin;http://dbpedia.org/resource/Potsdam")]
    seeds: String,
    /// Who wants it: any name, as the client knows its users. Without one, whoever is
    /// signed in.
    #[param(nullable = false, max_length = 200)]
    #[schema(nullable = false, max_length = 200)]
    pub(super) user: Option<String>,
    /// How many links from a seed the crawl goes at most. Without it, as far as the
    /// seeds suggest.
    #[param(nullable = false, minimum = 1, maximum = 10)]
    #[schema(nullable = false, minimum = 1, maximum = 10)]
    depth: Option<u8>,
}

impl GivenCrawl {
    /// The seeds, one by one.
    pub(super) fn seeds(&self) -> Vec<String> {
        separated(&self.seeds)
    }

    /// The depth, if one was given.
    pub(super) fn depth(&self) -> Result<Option<u8>, Problem> {
        match self.depth {
            Some(depth) if !(1..=DEPTH_MAX).contains(&depth) => {
                let detail = format!("a crawl goes 1 to {DEPTH_MAX} links far, not {depth}");
                Err(Problem::new(Code::Invalid, detail).hint("leave out `depth` to have one chosen"))
            }
            depth => Ok(depth),
        }
    }
}

/// What the methods take that are about one crawl.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// The number of the crawl.
    pub(super) crawl_id: u32,
}

/// What `filterCrawlCandidates` takes.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GivenFilter {
    /// The number of the crawl.
    pub(super) crawl_id: u32,
    /// Of whom this is true is filtered out.
    #[param(example = "hop >= 2 and not described", max_length = 4_000)]
    #[schema(max_length = 4_000)]
    pub(super) crawl_filter: String,
}

/// What `loadCrawl` takes.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GivenCandidates {
    /// The number of the crawl.
    pub(super) crawl_id: u32,
    /// How many candidates are passed over. Not published.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// How many follow. Not published; without it, all that are listed.
    #[param(nullable = false, minimum = 1)]
    #[schema(nullable = false, minimum = 1)]
    pub(super) limit: Option<u32>,
}

/// What methods take that published no parameters.
#[derive(Default, Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GivenPage {
    /// How many crawls are passed over. Not published.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// How many follow, 1,000 at most. Not published.
    #[param(nullable = false, minimum = 1, maximum = 1_000)]
    #[schema(nullable = false, minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
}

/// What `loadCrawlsByUser` takes.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GivenUser {
    /// Whose crawls: as given to `crawl`, or the name by which somebody signs in.
    pub(super) user: String,
    /// How many crawls are passed over. Not published.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// How many follow, 1,000 at most. Not published.
    #[param(nullable = false, minimum = 1, maximum = 1_000)]
    #[schema(nullable = false, minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
}

/// What `loadCrawlsBySeed` takes.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GivenSeeds {
    /// URIs of entities, separated by `;`: crawls that began at any of them.
    seeds: String,
    /// How many crawls are passed over. Not published.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// How many follow, 1,000 at most. Not published.
    #[param(nullable = false, minimum = 1, maximum = 1_000)]
    #[schema(nullable = false, minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
}

impl GivenSeeds {
    /// The seeds, one by one.
    pub(super) fn seeds(&self) -> Result<Vec<Uri>, Problem> {
        let mut seeds = Vec::new();
        for text in separated(&self.seeds) {
            let wrong = |error| Problem::new(Code::Invalid, format!("a seed is no URI of the web: {error}"));
            seeds.push(Uri::parse(&text).map_err(wrong)?);
        }
        if seeds.is_empty() {
            return Err(Problem::new(Code::Invalid, "`seeds` names no seed"));
        }
        Ok(seeds)
    }
}

/// A name of a user that can be kept.
pub(super) fn name_of_user(user: &str) -> Result<String, Problem> {
    let user = user.trim();
    if user.is_empty() || user.len() > USER_BYTES_MAX || user.chars().any(char::is_control) {
        let detail = format!("the name of a user has 1 to {USER_BYTES_MAX} bytes, and no control characters");
        return Err(Problem::new(Code::Invalid, detail));
    }
    Ok(user.to_owned())
}

fn separated(seeds: &str) -> Vec<String> {
    seeds.split(';').map(str::trim).filter(|seed| !seed.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    async fn given(request: http::request::Builder, body: &'static str) -> Result<(Vec<String>, Option<u8>), Code> {
        let request = request.body(Body::from(body)).unwrap();
        let given: Result<Given<GivenCrawl>, Problem> = Given::from_request(request, &()).await;
        given.map(|Given(given)| (given.seeds(), given.depth)).map_err(|problem| problem.code())
    }

    fn get(query: &str) -> http::request::Builder {
        Request::get(format!("/CrawlAPI/crawl?{query}"))
    }

    fn form(query: &str) -> http::request::Builder {
        Request::post(format!("/CrawlAPI/crawl?{query}")).header(CONTENT_TYPE, "application/x-www-form-urlencoded; a=b")
    }

    #[tokio::test]
    async fn parameters_are_taken_from_the_query_and_from_the_form() {
        let seeds = ["http://a.example/", "http://b.example/"].map(str::to_owned).to_vec();
        let expected = Ok((seeds, Some(2)));

        assert_eq!(given(get("seeds=http://a.example/;%20http://b.example/;&depth=2"), "").await, expected);
        assert_eq!(given(form(""), "depth=2&seeds=http%3A%2F%2Fa.example%2F%3Bhttp://b.example/").await, expected);
        assert_eq!(given(form("depth=2"), "seeds=http://a.example/;http://b.example/").await, expected);
    }

    #[tokio::test]
    async fn what_is_no_parameter_is_refused() {
        for (request, body) in [
            (get("seeds=a&depth=many"), ""),
            (get("depth=2"), ""),
            (get("seeds=a&colour=red"), ""),
            (get("seeds=a&seeds=b"), ""),
            (form("depth=2"), "seeds=a&depth=3"),
        ] {
            assert_eq!(given(request, body).await, Err(Code::BadRequest));
        }
        let json = Request::post("/CrawlAPI/crawl").header(CONTENT_TYPE, "application/json");
        assert_eq!(given(json, "{}").await, Err(Code::UnsupportedMediaType));
    }
}
