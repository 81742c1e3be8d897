//! The parameters of the methods (D3.6, table 3).

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use http::header::CONTENT_TYPE;
use lodeward::model::Uri;
use lodeward_rdf::media_type::essence;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::{IntoParams, ToSchema};

use crate::api::extract::{RawBody, read_form};
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

/// The media type of forms.
const FORM_MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// The maximum number of crawls in a response.
pub(super) const MAX_LIMIT: u32 = 1_000;

/// The maximum depth of a crawl.
const MAX_DEPTH: u8 = 10;

/// The maximum length of the name of a user, in bytes.
const MAX_USER_BYTES: usize = 200;

/// Extracts the parameters of a method from the query string, from a form, or from both, if the
/// API is enabled.
pub(super) struct DuraarkParams<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<Service>> for DuraarkParams<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, Problem> {
        if !service.settings.current().config.service.duraark_api {
            let problem = Problem::new(ProblemCode::NotFound, "the DURAARK API is disabled");
            return Err(problem.hint("use /api/v1, or set `service.duraark_api`"));
        }
        read_params(request).await.map(Self)
    }
}

async fn read_params<T: DeserializeOwned>(request: Request) -> Result<T, Problem> {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let is_form = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(is_form);
    let RawBody(body) = RawBody::from_request(request, &()).await?;
    if !body.is_empty() && !is_form {
        return Err(Problem::new(ProblemCode::UnsupportedMediaType, "the body must be a form")
            .hint(format!("set `Content-Type: {FORM_MEDIA_TYPE}`, or use the query string")));
    }
    let mut pairs = query.into_bytes();
    if !pairs.is_empty() && !body.is_empty() {
        pairs.push(b'&');
    }
    pairs.extend_from_slice(&body);
    read_form(&pairs)
}

fn is_form(content_type: &str) -> bool {
    essence(content_type).eq_ignore_ascii_case(FORM_MEDIA_TYPE)
}

/// Parameters of `crawl`.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CrawlParams {
    /// URIs of the seeds, separated by `;`.
    #[param(example = "http://dbpedia.org/resource/Berlin;http://dbpedia.org/resource/Potsdam")]
    seeds: String,
    /// User of the client for whom the crawl is created: any name. Default: the authenticated
    /// user.
    #[param(nullable = false, max_length = 200)]
    #[schema(nullable = false, max_length = 200)]
    pub(super) user: Option<String>,
    /// Maximum number of links from a seed. Default: depends on the seeds.
    #[param(nullable = false, minimum = 1, maximum = 10)]
    #[schema(nullable = false, minimum = 1, maximum = 10)]
    depth: Option<u8>,
}

impl CrawlParams {
    /// The seeds.
    pub(super) fn seeds(&self) -> Vec<String> {
        split_seeds(&self.seeds)
    }

    /// The depth; `None` if the request does not set it.
    pub(super) fn depth(&self) -> Result<Option<u8>, Problem> {
        match self.depth {
            Some(depth) if !(1..=MAX_DEPTH).contains(&depth) => {
                let detail = format!("`depth` must be 1 to {MAX_DEPTH}, not {depth}");
                Err(Problem::new(ProblemCode::Unprocessable, detail).hint("omit `depth` to let the service choose it"))
            }
            depth => Ok(depth),
        }
    }
}

/// Parameters of methods about one crawl.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OneCrawlParams {
    /// ID of the crawl.
    pub(super) crawl_id: u32,
}

/// Parameters of `filterCrawlCandidates`.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct FilterParams {
    /// ID of the crawl.
    pub(super) crawl_id: u32,
    /// Filter; matching candidates are filtered out.
    #[param(example = "hop >= 2 and not described", max_length = 4_000)]
    #[schema(max_length = 4_000)]
    pub(super) crawl_filter: String,
}

/// Parameters of `loadCrawl`.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CandidateParams {
    /// ID of the crawl.
    pub(super) crawl_id: u32,
    /// Number of candidates to skip. An addition to the published API.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// Maximum number of candidates; default: all. An addition to the published API.
    #[param(nullable = false, minimum = 1)]
    #[schema(nullable = false, minimum = 1)]
    pub(super) limit: Option<u32>,
}

/// Parameters of methods without published parameters.
#[derive(Default, Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PageParams {
    /// Number of crawls to skip. An addition to the published API.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// Maximum number of crawls, at most 1,000. An addition to the published API.
    #[param(nullable = false, minimum = 1, maximum = 1_000)]
    #[schema(nullable = false, minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
}

/// Parameters of `loadCrawlsByUser`.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct UserParams {
    /// Name of the owner, or the `user` for whom the crawl was created.
    pub(super) user: String,
    /// Number of crawls to skip. An addition to the published API.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// Maximum number of crawls, at most 1,000. An addition to the published API.
    #[param(nullable = false, minimum = 1, maximum = 1_000)]
    #[schema(nullable = false, minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
}

/// Parameters of `loadCrawlsBySeed`.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SeedParams {
    /// URIs of seeds, separated by `;`. Crawls with at least one of these seeds are listed.
    seeds: String,
    /// Number of crawls to skip. An addition to the published API.
    #[param(nullable = false)]
    #[schema(nullable = false)]
    pub(super) offset: Option<u32>,
    /// Maximum number of crawls, at most 1,000. An addition to the published API.
    #[param(nullable = false, minimum = 1, maximum = 1_000)]
    #[schema(nullable = false, minimum = 1, maximum = 1_000)]
    pub(super) limit: Option<u32>,
}

impl SeedParams {
    /// The seeds.
    pub(super) fn seeds(&self) -> Result<Vec<Uri>, Problem> {
        let mut seeds = Vec::new();
        for text in split_seeds(&self.seeds) {
            let invalid = |error| Problem::new(ProblemCode::Unprocessable, format!("invalid seed: {error}"));
            seeds.push(Uri::parse(&text).map_err(invalid)?);
        }
        if seeds.is_empty() {
            return Err(Problem::new(ProblemCode::Unprocessable, "`seeds` is empty"));
        }
        Ok(seeds)
    }
}

/// Validates the name of a user.
pub(super) fn parse_user_name(user: &str) -> Result<String, Problem> {
    let user = user.trim();
    if user.is_empty() || user.len() > MAX_USER_BYTES || user.chars().any(char::is_control) {
        let detail = format!("`user` must have 1 to {MAX_USER_BYTES} bytes, and no control characters");
        return Err(Problem::new(ProblemCode::Unprocessable, detail));
    }
    Ok(user.to_owned())
}

fn split_seeds(seeds: &str) -> Vec<String> {
    seeds.split(';').map(str::trim).filter(|seed| !seed.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    async fn parse(
        request: http::request::Builder,
        body: &'static str,
    ) -> Result<(Vec<String>, Option<u8>), ProblemCode> {
        let request = request.body(Body::from(body)).unwrap();
        let params: Result<CrawlParams, Problem> = read_params(request).await;
        params.map(|params| (params.seeds(), params.depth)).map_err(|problem| problem.code())
    }

    fn get(query: &str) -> http::request::Builder {
        Request::get(format!("/CrawlAPI/crawl?{query}"))
    }

    fn form(query: &str) -> http::request::Builder {
        Request::post(format!("/CrawlAPI/crawl?{query}")).header(CONTENT_TYPE, "application/x-www-form-urlencoded; a=b")
    }

    #[tokio::test]
    async fn parameters_are_read_from_the_query_and_from_the_form() {
        let seeds = ["http://a.example/", "http://b.example/"].map(str::to_owned).to_vec();
        let expected = Ok((seeds, Some(2)));

        assert_eq!(parse(get("seeds=http://a.example/;%20http://b.example/;&depth=2"), "").await, expected);
        assert_eq!(parse(form(""), "depth=2&seeds=http%3A%2F%2Fa.example%2F%3Bhttp://b.example/").await, expected);
        assert_eq!(parse(form("depth=2"), "seeds=http://a.example/;http://b.example/").await, expected);
    }

    #[tokio::test]
    async fn invalid_parameters_are_rejected() {
        for (request, body) in [
            (get("seeds=a&depth=many"), ""),
            (get("depth=2"), ""),
            (get("seeds=a&colour=red"), ""),
            (get("seeds=a&seeds=b"), ""),
            (form("depth=2"), "seeds=a&depth=3"),
        ] {
            assert_eq!(parse(request, body).await, Err(ProblemCode::BadRequest));
        }
        let json = Request::post("/CrawlAPI/crawl").header(CONTENT_TYPE, "application/json");
        assert_eq!(parse(json, "{}").await, Err(ProblemCode::UnsupportedMediaType));
    }
}
