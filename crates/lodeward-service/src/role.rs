//! Roles: what a user may do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemCode};

/// What a user may do. A higher role includes the permissions of all lower roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// May read everything except other users, and run queries.
    Reader,
    /// May also start crawls, and change or delete own crawls.
    Operator,
    /// May do everything.
    Admin,
}

impl Role {
    /// The name of the role, which is also a scope in the OpenAPI document.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

/// The authenticated client of a request. The gateway attaches it to every request it accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) name: String,
    pub(crate) role: Role,
}

impl Caller {
    /// Whether the caller may change a resource that belongs to this user.
    pub(crate) fn may_change(&self, owner: Option<&str>) -> bool {
        self.role == Role::Admin || (self.role == Role::Operator && owner == Some(&self.name))
    }

    /// Rejects a caller that may not change a resource of `owner`; `what` names the resource.
    pub(crate) fn require_owner(&self, what: &str, owner: Option<&str>) -> Result<(), Problem> {
        if self.may_change(owner) {
            return Ok(());
        }
        let problem = Problem::new(ProblemCode::Forbidden, format!("the {what} belongs to another user"));
        Err(problem.hint("operators may change their own resources; an admin may change all"))
    }
}
