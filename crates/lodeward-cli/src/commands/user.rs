//! `lodeward user`: manages users and tokens of the service.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::process::ExitCode;

use lodeward::time::format_iso8601;
use lodeward_app::data_dir::DataDir;
use lodeward_app::json_file::FileError;
use lodeward_service::Role;
use lodeward_service::users::{Password, TokenSpec, UserDb, UserError, UserName, UserStore};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::args::{PasswordArgs, UserArgs, UserCommand};
use crate::clock;
use crate::errors::{HintedError, UsageError};
use crate::progress::{print_json, print_stderr, print_stdout};

pub(crate) fn run(arguments: UserArgs) -> anyhow::Result<ExitCode> {
    if matches!(arguments.command, UserCommand::Add { .. }) {
        // Users can be added before the first start of the service.
        DataDir::open(&arguments.data)?;
    } else if !arguments.data.is_dir() {
        let message = format!("data directory {} does not exist", arguments.data.display());
        let hint = Some("set the data directory of the service with --data".to_owned());
        return Err(UsageError { message, hint }.into());
    }
    let users = UserStore::open(&arguments.data, clock::now_ms).map_err(explain)?;
    execute(&users, arguments.command)?;
    Ok(ExitCode::SUCCESS)
}

fn execute(users: &UserStore, command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::List { json } => list(&users.snapshot(), json)?,
        UserCommand::Add { name, role, password } => {
            users.add(&name, role.into(), &read_password(&name, &password)?).map_err(explain)?;
            print_stderr(&format!("user `{name}` added\n"));
        }
        UserCommand::Password { name, password } => {
            require_user(users, &name)?;
            users.update(&name, None, None, Some(&read_password(&name, &password)?)).map_err(explain)?;
            print_stderr(&format!("password of `{name}` changed; their sessions have ended\n"));
        }
        UserCommand::Role { name, role } => {
            users.update(&name, Some(role.into()), None, None).map_err(explain)?;
        }
        UserCommand::Disable { name } => {
            users.update(&name, None, Some(true), None).map_err(explain)?;
        }
        UserCommand::Enable { name } => {
            users.update(&name, None, Some(false), None).map_err(explain)?;
        }
        UserCommand::Remove { name } => users.remove(&name).map_err(explain)?,
        UserCommand::Token { name, description, role, expires } => {
            let role = role.map(Role::from);
            issue_token(users, name, description, role, expires)?;
        }
        UserCommand::Tokens { name } => {
            require_user(users, &name)?;
            list_tokens(&users.snapshot(), &name)?;
        }
        UserCommand::Revoke { id } => users.revoke(id).map_err(explain)?,
    }
    Ok(())
}

/// Errors that the user can fix become usage errors.
pub(super) fn explain(error: UserError) -> anyhow::Error {
    match error {
        UserError::File(FileError::Format { .. }) => {
            let hint = "restore the file from a backup; without one, move it away: the next start creates a new \
                        `admin`, and all other users and tokens are lost";
            HintedError { error: error.into(), hint: hint.to_owned() }.into()
        }
        UserError::OldFormat(_) => {
            let hint = "use the version that created the data directory, or move the file away: the next start creates a \
                        new `admin`, and all other users and tokens are lost";
            HintedError { error: error.into(), hint: hint.to_owned() }.into()
        }
        UserError::File(_) | UserError::Secret(_) => error.into(),
        _ => UsageError { message: error.to_string(), hint: None }.into(),
    }
}

fn require_user(users: &UserStore, name: &UserName) -> anyhow::Result<Role> {
    let db = users.snapshot();
    let user = db.user(name).ok_or_else(|| explain(UserError::NoSuchUser(name.clone())))?;
    Ok(user.role)
}

fn list(db: &UserDb, json: bool) -> anyhow::Result<()> {
    if json {
        let user = |(name, user): (&UserName, &lodeward_service::users::UserRecord)| {
            let created_at = format_iso8601(user.created_at_ms);
            serde_json::json!({
                "name": name, "role": user.role, "disabled": user.disabled, "created_at": created_at,
            })
        };
        return print_json(&db.users().map(user).collect::<Vec<_>>());
    }
    let mut text = String::new();
    for (name, user) in db.users() {
        let disabled = if user.disabled { "  disabled" } else { "" };
        let _ = writeln!(text, "{:<20} {:<8}{disabled}", name.as_str(), user.role.name());
    }
    print_stdout(&text)
}

fn list_tokens(db: &UserDb, name: &UserName) -> anyhow::Result<()> {
    let mut text = String::new();
    for token in db.user_tokens(name) {
        let format = |at: Option<u64>, never: &str| at.map_or_else(|| never.to_owned(), format_iso8601);
        let (used, expires) = (format(token.used_at_ms, "never used"), format(token.expires_at_ms, "no expiry"));
        // Escaped, because control characters in a description could control the terminal.
        let purpose = token.name.escape_debug();
        let _ = writeln!(text, "{:<6} {:<8} {used}  {expires}  {purpose}", token.id, token.role.name());
    }
    print_stdout(&text)
}

fn issue_token(
    users: &UserStore,
    user: UserName,
    name: String,
    role: Option<Role>,
    days: Option<u32>,
) -> anyhow::Result<()> {
    let role = role.unwrap_or(require_user(users, &user)?);
    let (token, secret) = users.issue_token(TokenSpec { user, name, role, days, parent: None }).map_err(explain)?;
    print_stdout(&format!("{}\n", secret.reveal()))?;
    print_stderr(&format!("created token {}; it cannot be shown again\n", token.id));
    Ok(())
}

/// Reads a new password; on a terminal it is prompted for twice.
fn read_password(name: &UserName, from: &PasswordArgs) -> anyhow::Result<Password> {
    let text = if from.stdin {
        read_line()?
    } else if io::stdin().is_terminal() {
        let first = read_hidden_line(&format!("new password of {name}: "))?;
        if read_hidden_line("repeat password: ")? != first {
            return Err(UsageError { message: "passwords do not match".to_owned(), hint: None }.into());
        }
        first
    } else {
        let message = "cannot prompt for a password: standard input is not a terminal".to_owned();
        return Err(UsageError { message, hint: Some("use --password-stdin".to_owned()) }.into());
    };
    Password::try_from(text).map_err(|error| UsageError { message: error.to_string(), hint: None }.into())
}

fn read_line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a line without echo.
fn read_hidden_line(question: &str) -> io::Result<String> {
    print_stderr(question);
    let _hidden = HiddenInput::new()?;
    let line = read_line();
    print_stderr("\n");
    line
}

/// Disables the echo of the terminal until it is dropped.
struct HiddenInput(Termios);

impl HiddenInput {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &modes)?;
        Ok(Self(before))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
