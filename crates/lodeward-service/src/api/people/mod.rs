//! Users, tokens and sessions.

mod sessions;
mod tokens;
mod users;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::people::{People, PeopleError};
use crate::problem::{Code, Problem};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().merge(sessions::router()).merge(tokens::router()).merge(users::router())
}

/// Changes something about people, where it may block.
async fn change<T: Send + 'static>(
    service: &Arc<Service>,
    change: impl FnOnce(&People) -> Result<T, PeopleError> + Send + 'static,
) -> Result<T, Problem> {
    let service = Arc::clone(service);
    let changing = tokio::task::spawn_blocking(move || change(&service.people));
    Ok(changing.await.expect("a change of people does not panic")?)
}

impl From<PeopleError> for Problem {
    fn from(error: PeopleError) -> Self {
        let code = match &error {
            PeopleError::NoSuchUser(_) | PeopleError::NoSuchToken(_) => Code::NotFound,
            PeopleError::NameTaken(_)
            | PeopleError::FirstIsAdmin
            | PeopleError::LastAdmin
            | PeopleError::TooManyUsers(_)
            | PeopleError::TooManyTokens(_) => Code::Conflict,
            PeopleError::AboveOwner(_) => Code::Forbidden,
            PeopleError::BadTokenName => Code::Invalid,
            PeopleError::Io { .. } | PeopleError::Format { .. } | PeopleError::Secret(_) => {
                return Self::internal(&error);
            }
        };
        Self::new(code, error.to_string())
    }
}
