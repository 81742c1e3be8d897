//! How a request is authenticated.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Authentication method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AuthMethod {
    /// None: authentication is disabled (`--no-auth`).
    Disabled,
    /// A token.
    Token,
    /// User name and password (Basic).
    Password,
    /// A session cookie.
    Session,
}
