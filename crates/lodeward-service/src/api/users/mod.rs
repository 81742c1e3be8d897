//! Users, tokens and sessions.

mod accounts;
mod sessions;
mod tokens;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::problem::{Problem, ProblemCode};
use crate::state::Service;
use crate::users::{UserError, UserStore};

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().merge(sessions::router()).merge(tokens::router()).merge(accounts::router())
}

/// Changes users on a blocking thread.
async fn change_users<T: Send + 'static>(
    service: &Arc<Service>,
    change: impl FnOnce(&UserStore) -> Result<T, UserError> + Send + 'static,
) -> Result<T, Problem> {
    let service = Arc::clone(service);
    let changing = tokio::task::spawn_blocking(move || change(&service.users));
    Ok(changing.await.expect("a change of users does not panic")?)
}

impl From<UserError> for Problem {
    fn from(error: UserError) -> Self {
        let code = match &error {
            UserError::NoSuchUser(_) | UserError::NoSuchToken(_) => ProblemCode::NotFound,
            UserError::NameTaken(_)
            | UserError::FirstIsAdmin
            | UserError::LastAdmin
            | UserError::TooManyUsers(_)
            | UserError::TooManyTokens(_) => ProblemCode::Conflict,
            UserError::RoleAboveOwner(_) => ProblemCode::Forbidden,
            UserError::BadTokenName => ProblemCode::Unprocessable,
            UserError::File(_) | UserError::OldFormat(_) | UserError::Secret(_) => {
                return Self::internal(&error);
            }
        };
        Self::new(code, error.to_string())
    }
}
