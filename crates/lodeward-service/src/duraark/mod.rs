//! The API published in DURAARK D3.6 §4: `/CrawlAPI/{method}`.
//!
//! Ten methods with the published names and parameters, so that clients written in 2015 still work.
//! Each is available by GET, as published, and by POST, which caches and prefetching browsers do
//! not repeat. The resources below `/api/v1` cover all of them. `service.duraark_api = false`
//! disables these methods.

mod start;
mod candidates;
mod export_delete;
mod params;
mod crawl_lists;

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::path::Parameter;
use utoipa::openapi::{PathItem, RefOr, Required};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::candidates::{DuraarkCandidates, DuraarkFiltered};
use self::crawl_lists::DuraarkCrawls;
use self::export_delete::{DuraarkDeleted, DuraarkExported};
use self::params::{
    CandidateParams, CrawlParams, DuraarkParams, FilterParams, OneCrawlParams, PageParams, SeedParams, UserParams,
};
use self::start::DuraarkCrawlStarted;
use crate::problem::Problem;
use crate::role::{Caller, Role};
use crate::route_rules::RouteRules;
use crate::state::Service;

/// The rules of methods that change data, even by GET. The audit log contains the crawl, because
/// it is not in the path.
fn changes() -> RouteRules {
    RouteRules::changes(Role::Operator).lenient().audits("crawl_id")
}

/// The rules of methods that only read.
fn reads() -> RouteRules {
    RouteRules::reads(Role::Reader).lenient().audits("crawl_id")
}

/// Declares the methods: name, parameters, response, rules, and the statuses of their
/// problems. Each becomes two operations of the OpenAPI document.
macro_rules! methods {
    ($(
        $(#[doc = $doc:tt])+
        $name:ident $path:tt $Parameters:ident -> $Response:ident,
        $rules:ident, [$($status:tt)*], $handler:path;
    )+) => {
        $(mod $name {
            use super::*;

            $(#[doc = $doc])+
            #[utoipa::path(
                get, path = $path, tag = "CrawlAPI",
                params($Parameters),
                responses(
                    (status = 200, body = $Response, description = "As published"),
                    $((status = $status, description = "A problem"),)*
                ),
            )]
            pub(super) async fn get(
                State(service): State<Arc<Service>>,
                caller: Caller,
                DuraarkParams(params): DuraarkParams<$Parameters>,
            ) -> Result<Response, Problem> {
                Ok($handler(&service, &caller, params).await?.into_response())
            }

            $(#[doc = $doc])+
            #[utoipa::path(
                post, path = $path, tag = "CrawlAPI",
                request_body(content = $Parameters, content_type = "application/x-www-form-urlencoded"),
                responses(
                    (status = 200, body = $Response, description = "As published"),
                    $((status = $status, description = "A problem"),)*
                ),
            )]
            pub(super) async fn post(
                State(service): State<Arc<Service>>,
                caller: Caller,
                DuraarkParams(params): DuraarkParams<$Parameters>,
            ) -> Result<Response, Problem> {
                Ok($handler(&service, &caller, params).await?.into_response())
            }
        })+

        /// The ten methods.
        pub(crate) fn router() -> OpenApiRouter<Arc<Service>> {
            let mut router = OpenApiRouter::new()$(.routes($rules().on(routes!($name::get, $name::post))))+;
            for item in router.get_openapi_mut().paths.paths.values_mut() {
                make_empty_forms_optional(item);
            }
            router
        }
    };
}

/// Makes the request body of a method optional if all of its fields are optional.
fn make_empty_forms_optional(item: &mut PathItem) {
    let is_required =
        |parameter: &RefOr<Parameter>| matches!(parameter, RefOr::T(parameter) if parameter.required == Required::True);
    let parameters = item.get.as_ref().and_then(|get| get.parameters.as_ref());
    let form = item.post.as_mut().and_then(|post| post.request_body.as_mut());
    if let Some(RefOr::T(form)) = form
        && !parameters.is_some_and(|parameters| parameters.iter().any(is_required))
    {
        form.required = Some(Required::False);
    }
}

methods! {
    /// Start a focused crawl.
    ///
    /// Returns the ID that the other methods take. The crawl belongs to the authenticated
    /// user; `user` is stored with it, and `loadCrawlsByUser` finds it by that name.
    crawl "/CrawlAPI/crawl"
        CrawlParams -> DuraarkCrawlStarted, changes, [409 422], start::start_crawl;
    /// Filter candidates out.
    ///
    /// Candidates that match the filter are marked `drop` and no longer listed. The filter
    /// language is that of `/api/v1`.
    filter_crawl_candidates "/CrawlAPI/filterCrawlCandidates"
        FilterParams -> DuraarkFiltered, changes, [404 409 422], candidates::filter;
    /// Export a crawl to the archive.
    ///
    /// The export is the named graph of the crawl; an existing one is replaced.
    export_to_sda "/CrawlAPI/exportToSDA"
        OneCrawlParams -> DuraarkExported, changes, [404 409 422], export_delete::export;
    /// Delete a crawl and all its data.
    delete_crawl "/CrawlAPI/deleteCrawl"
        OneCrawlParams -> DuraarkDeleted, changes, [404 409 422], export_delete::delete;
    /// Candidates of a crawl, the best first.
    ///
    /// Candidates that were filtered out are not included.
    load_crawl "/CrawlAPI/loadCrawl"
        CandidateParams -> DuraarkCandidates, reads, [404 409 422], candidates::load;
    /// Running crawls, the newest first.
    ///
    /// Includes queued, paused, pausing and stopping crawls.
    load_all_crawls "/CrawlAPI/loadAllCrawls"
        PageParams -> DuraarkCrawls, reads, [422], crawl_lists::running;
    /// All crawls, the newest first.
    load_all_registered_crawls "/CrawlAPI/loadAllRegisteredCrawls"
        PageParams -> DuraarkCrawls, reads, [422], crawl_lists::all;
    /// Crawls that have ended, the newest first.
    ///
    /// Includes stopped and failed crawls.
    load_finished_crawls "/CrawlAPI/loadFinishedCrawls"
        PageParams -> DuraarkCrawls, reads, [422], crawl_lists::finished;
    /// Crawls of a user, the newest first.
    ///
    /// Crawls created for that user, and crawls that belong to that user.
    load_crawls_by_user "/CrawlAPI/loadCrawlsByUser"
        UserParams -> DuraarkCrawls, reads, [422], crawl_lists::by_user;
    /// Crawls with one of these seeds, the newest first.
    load_crawls_by_seed "/CrawlAPI/loadCrawlsBySeed"
        SeedParams -> DuraarkCrawls, reads, [422], crawl_lists::by_seed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_method_is_available_by_get_and_post() {
        let (_, document) = router().split_for_parts();

        let published = [
            "crawl",
            "deleteCrawl",
            "exportToSDA",
            "filterCrawlCandidates",
            "loadAllCrawls",
            "loadAllRegisteredCrawls",
            "loadCrawl",
            "loadCrawlsBySeed",
            "loadCrawlsByUser",
            "loadFinishedCrawls",
        ];
        let paths: Vec<&str> = document.paths.paths.keys().map(String::as_str).collect();
        assert_eq!(paths, published.map(|method| format!("/CrawlAPI/{method}")));
        assert!(document.paths.paths.values().all(|item| item.get.is_some() && item.post.is_some()));
    }
}
