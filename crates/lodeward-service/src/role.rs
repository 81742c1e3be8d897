//! What somebody may do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Code, Problem};

/// What somebody may do. Whoever may do more may do all that others may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// May look at everything but other users, and ask queries.
    Reader,
    /// May begin crawls, and change or delete their own.
    Operator,
    /// May do everything.
    Admin,
}

impl Role {
    /// Its name: a scope in the OpenAPI document.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

/// Who asks. The door puts it beside every request that it lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) name: String,
    pub(crate) role: Role,
}

impl Caller {
    /// Whether they may change what this user has made.
    pub(crate) fn may_change(&self, owner: Option<&str>) -> bool {
        self.role == Role::Admin || (self.role == Role::Operator && owner == Some(&self.name))
    }

    /// Refuses them what is somebody else's: `what` it is, and its name.
    pub(crate) fn must_own(&self, what: &str, owner: Option<&str>) -> Result<(), Problem> {
        if self.may_change(owner) {
            return Ok(());
        }
        let problem = Problem::new(Code::Forbidden, format!("the {what} belongs to somebody else"));
        Err(problem.hint("operators change what is theirs; an admin can change all"))
    }
}
