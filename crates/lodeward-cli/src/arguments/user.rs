//! `lodeward user`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use lodeward_service::Role;
use lodeward_service::people::Name;

use super::EXIT_CODES;

const USER_EXAMPLES: &str = "\
Examples:
  lodeward user add alice --role operator
  pass show lodeward/alice | lodeward user password alice --password-stdin
  lodeward user token alice --for 'nightly export' --role reader --days 90
  lodeward user disable alice";

/// Say who may use the service
///
/// All of this may be done while the service runs, and holds at once. Passwords are
/// asked for, or read from standard input: an argument could be read by others.
#[derive(Args, Debug)]
#[command(after_help = format!("{USER_EXAMPLES}\n\n{EXIT_CODES}"))]
pub(crate) struct User {
    #[command(subcommand)]
    pub(crate) command: UserCommand,
    /// The folder that the service serves
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
        /// What they are called: letters, digits, `.`, `_` and `-`
        name: Name,
        /// What they may do
        #[arg(long)]
        role: RoleName,
        #[command(flatten)]
        password: PasswordFrom,
    },
    /// Give a user another password; they have to sign in again
    Password {
        /// Whom
        name: Name,
        #[command(flatten)]
        password: PasswordFrom,
    },
    /// Change what a user may do
    Role {
        /// Who
        name: Name,
        /// What they may do
        role: RoleName,
    },
    /// Keep a user out, with all their tokens
    Disable {
        /// Whom
        name: Name,
    },
    /// Let a user in again
    Enable {
        /// Whom
        name: Name,
    },
    /// Take a user away, with their tokens; their crawls stay
    Remove {
        /// Whom
        name: Name,
    },
    /// Make a token for a program, and print it: it cannot be shown again
    Token {
        /// Whose it is
        name: Name,
        /// What it is for
        #[arg(long = "for", value_name = "WHAT", default_value = "command line")]
        purpose: String,
        /// What it is good for [default: what its owner may do]
        #[arg(long)]
        role: Option<RoleName>,
        /// After how many days it ends [default: never]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: Option<u32>,
    },
    /// List the tokens of a user
    Tokens {
        /// Whose
        name: Name,
    },
    /// End a token
    Revoke {
        /// Its number, as `tokens` lists it
        #[arg(value_name = "NUMBER")]
        id: u64,
    },
}

/// Where a password comes from.
#[derive(Args, Debug)]
pub(crate) struct PasswordFrom {
    /// Read the password from the first line of standard input
    #[arg(long = "password-stdin")]
    pub(crate) stdin: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum RoleName {
    /// Looks at everything but other users, and asks queries
    Reader,
    /// Begins crawls, and changes their own
    Operator,
    /// Does everything
    Admin,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Reader => Self::Reader,
            RoleName::Operator => Self::Operator,
            RoleName::Admin => Self::Admin,
        }
    }
}
