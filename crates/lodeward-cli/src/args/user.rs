//! `lodeward user`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use lodeward_app::settings::units::parse_duration;
use lodeward_service::Role;
use lodeward_service::users::UserName;

use super::EXIT_CODES;

const USER_EXAMPLES: &str = "\
Examples:
  lodeward user add alice --role operator
  pass show lodeward/alice | lodeward user password alice --password-stdin
  lodeward user token alice --description 'nightly export' --role reader --expires 90d
  lodeward user disable alice";

/// Manage the users of the service
///
/// Changes take effect at once, also while the service runs. Passwords are read from
/// the terminal or from standard input: arguments are visible to other users.
#[derive(Args, Debug)]
#[command(after_help = format!("{USER_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct UserArgs {
    #[command(subcommand)]
    pub(crate) command: UserCommand,
    /// Data directory of the service
    #[arg(long, value_name = "DIR", default_value = "./lodeward-data", global = true)]
    pub(crate) data: PathBuf,
}

#[derive(Subcommand, Debug)]
pub(crate) enum UserCommand {
    /// List the users
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Add a user
    Add {
        /// Name: letters, digits, `.`, `_` and `-`
        name: UserName,
        /// Role of the user
        #[arg(long)]
        role: RoleArg,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// Change the password of a user, and end their sessions
    Password {
        /// Name of the user
        name: UserName,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// Change the role of a user
    Role {
        /// Name of the user
        name: UserName,
        /// New role
        role: RoleArg,
    },
    /// Disable a user and all their tokens
    Disable {
        /// Name of the user
        name: UserName,
    },
    /// Enable a user
    Enable {
        /// Name of the user
        name: UserName,
    },
    /// Delete a user and their tokens; their crawls stay
    Remove {
        /// Name of the user
        name: UserName,
    },
    /// Create a token for a program, and print it; it cannot be printed again
    Token {
        /// Owner of the token
        name: UserName,
        /// Description of its use
        #[arg(long, value_name = "TEXT", default_value = "command line")]
        description: String,
        /// Role of the token [default: the role of its owner]
        #[arg(long)]
        role: Option<RoleArg>,
        /// Time after which it expires, in whole days, such as 90d [default: never]
        #[arg(long, value_name = "TIME", value_parser = parse_days)]
        expires: Option<u32>,
    },
    /// List the tokens of a user
    Tokens {
        /// Name of the user
        name: UserName,
    },
    /// Revoke a token
    Revoke {
        /// Number of the token, as `tokens` lists it
        #[arg(value_name = "NUMBER")]
        id: u64,
    },
}

/// Tokens expire after whole days, ten years at most.
fn parse_days(text: &str) -> Result<u32, String> {
    const DAY: Duration = Duration::from_hours(24);
    const MAX_DAYS: u64 = 3650;
    let lifetime = parse_duration(text).map_err(|error| error.to_string())?;
    let (days, rest) = (lifetime.as_secs() / DAY.as_secs(), lifetime.as_secs() % DAY.as_secs());
    if rest != 0 || !(1..=MAX_DAYS).contains(&days) {
        return Err(format!("not a whole number of days from 1d to {MAX_DAYS}d"));
    }
    Ok(u32::try_from(days).expect("`days` is at most MAX_DAYS"))
}

/// The source of a password.
#[derive(Args, Debug)]
pub(crate) struct PasswordArgs {
    /// Read the password from the first line of standard input
    #[arg(long = "password-stdin")]
    pub(crate) stdin: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum RoleArg {
    /// Reads everything except other users, and runs queries
    Reader,
    /// Starts crawls, and changes their own
    Operator,
    /// Has all permissions
    Admin,
}

impl From<RoleArg> for Role {
    fn from(name: RoleArg) -> Self {
        match name {
            RoleArg::Reader => Self::Reader,
            RoleArg::Operator => Self::Operator,
            RoleArg::Admin => Self::Admin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse_days;

    #[test]
    fn a_token_expires_after_whole_days() {
        assert_eq!(parse_days("90d"), Ok(90));
        assert_eq!(parse_days("48h"), Ok(2));
        for wrong in ["90", "0", "36h", "3651d", "soon"] {
            assert!(parse_days(wrong).is_err(), "{wrong}");
        }
    }
}
