//! The API that DURAARK D3.6 §4 has published: `/CrawlAPI/{method}`.
//!
//! Ten methods, named and parametrised as they were, so that clients of 2015 work.
//! Each is a GET, as published, and a POST, which caches and prefetching browsers
//! leave alone. They say nothing that the resources below `/api/v1` do not say, and
//! do nothing that those cannot do.

mod begin;
mod candidates;
mod end;
mod given;
mod lists;

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::path::Parameter;
use utoipa::openapi::{PathItem, RefOr, Required};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::begin::Begun;
use self::candidates::{FilteredOut, Ranked};
use self::end::{Deleted, Exported};
use self::given::{Given, GivenCandidates, GivenCrawl, GivenFilter, GivenPage, GivenSeeds, GivenUser, Wanted};
use self::lists::Crawls;
use crate::problem::Problem;
use crate::role::Caller;
use crate::service::Service;

/// Declares the methods: their name, parameters, answer, role, and the problems that
/// are theirs. Each becomes two operations of the OpenAPI document.
macro_rules! methods {
    ($(
        $(#[doc = $doc:tt])+
        $name:ident $path:tt $Parameters:ident -> $Answer:ident,
        $role:tt, [$($status:tt)*], $does:path;
    )+) => {
        $(mod $name {
            use super::*;

            $(#[doc = $doc])+
            #[utoipa::path(
                get, path = $path, tag = "CrawlAPI",
                params($Parameters),
                security(("token" = [$role]), ("password" = [$role]), ("session" = [$role])),
                responses(
                    (status = 200, body = $Answer, description = "As published"),
                    $((status = $status, description = "A problem"),)*
                ),
            )]
            pub(super) async fn get(
                State(service): State<Arc<Service>>,
                caller: Caller,
                Given(given): Given<$Parameters>,
            ) -> Result<Response, Problem> {
                Ok($does(&service, &caller, given).await?.into_response())
            }

            $(#[doc = $doc])+
            #[utoipa::path(
                post, path = $path, tag = "CrawlAPI",
                request_body(content = $Parameters, content_type = "application/x-www-form-urlencoded"),
                security(("token" = [$role]), ("password" = [$role]), ("session" = [$role])),
                responses(
                    (status = 200, body = $Answer, description = "As published"),
                    $((status = $status, description = "A problem"),)*
                ),
            )]
            pub(super) async fn post(
                State(service): State<Arc<Service>>,
                caller: Caller,
                Given(given): Given<$Parameters>,
            ) -> Result<Response, Problem> {
                Ok($does(&service, &caller, given).await?.into_response())
            }
        })+

        /// The ten methods.
        pub(crate) fn router() -> OpenApiRouter<Arc<Service>> {
            let mut router = OpenApiRouter::new()$(.routes(routes!($name::get, $name::post)))+;
            for item in router.get_openapi_mut().paths.paths.values_mut() {
                leave_out_forms(item);
            }
            router
        }
    };
}

/// A form with nothing in it need not be sent.
fn leave_out_forms(item: &mut PathItem) {
    let is_needed =
        |parameter: &RefOr<Parameter>| matches!(parameter, RefOr::T(parameter) if parameter.required == Required::True);
    let parameters = item.get.as_ref().and_then(|get| get.parameters.as_ref());
    let form = item.post.as_mut().and_then(|post| post.request_body.as_mut());
    if let Some(RefOr::T(form)) = form
        && !parameters.is_some_and(|parameters| parameters.iter().any(is_needed))
    {
        form.required = Some(Required::False);
    }
}

methods! {
    /// Begins a focused crawl.
    ///
    /// Answers the number by which the other methods know it. The crawl belongs to
    /// whoever is signed in; `user` is kept with it, and finds it again.
    crawl "/CrawlAPI/crawl"
        GivenCrawl -> Begun, "operator", [409 422], begin::crawl;
    /// Filters candidates out.
    ///
    /// Those of whom the filter is true are dropped: no method lists them any more.
    /// The filter's language is that of the candidates of `/api/v1`.
    filter_crawl_candidates "/CrawlAPI/filterCrawlCandidates"
        GivenFilter -> FilteredOut, "operator", [404 409 422], candidates::filter;
    /// Puts what a crawl has found into the archive.
    ///
    /// As the graph of the crawl, which is replaced if it is there already.
    export_to_sda "/CrawlAPI/exportToSDA"
        Wanted -> Exported, "operator", [404 409 422], end::export;
    /// Deletes a crawl, and everything that is kept of it.
    delete_crawl "/CrawlAPI/deleteCrawl"
        Wanted -> Deleted, "operator", [404 409 422], end::delete;
    /// The candidates of a crawl, the best first.
    ///
    /// Those that were filtered out are left out.
    load_crawl "/CrawlAPI/loadCrawl"
        GivenCandidates -> Ranked, "reader", [404 409 422], candidates::load;
    /// The crawls that run, the newest first.
    ///
    /// Among them those that wait for their turn, those that are paused, and those that
    /// are about to stop.
    load_all_crawls "/CrawlAPI/loadAllCrawls"
        GivenPage -> Crawls, "reader", [422], lists::running;
    /// All crawls, the newest first.
    load_all_registered_crawls "/CrawlAPI/loadAllRegisteredCrawls"
        GivenPage -> Crawls, "reader", [422], lists::all;
    /// The crawls that have ended, the newest first.
    ///
    /// Among them those that were stopped, and those that failed.
    load_finished_crawls "/CrawlAPI/loadFinishedCrawls"
        GivenPage -> Crawls, "reader", [422], lists::finished;
    /// The crawls of a user, the newest first.
    ///
    /// Those that were begun for them, and those that belong to them.
    load_crawls_by_user "/CrawlAPI/loadCrawlsByUser"
        GivenUser -> Crawls, "reader", [422], lists::by_user;
    /// The crawls that have one of these seeds, the newest first.
    load_crawls_by_seed "/CrawlAPI/loadCrawlsBySeed"
        GivenSeeds -> Crawls, "reader", [422], lists::by_seed;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_method_is_a_get_and_a_post() {
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
