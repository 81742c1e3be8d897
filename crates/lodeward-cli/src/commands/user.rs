//! `lodeward user`: who may use the service.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::process::ExitCode;

use lodeward::provenance::moment;
use lodeward_service::Role;
use lodeward_service::people::{Name, Password, People, PeopleError, Roster, Wanted};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::arguments::{PasswordFrom, User, UserCommand};
use crate::clock;
use crate::failure::{Hinted, Usage};
use crate::progress::{answer, answer_json, say};

pub(crate) fn run(arguments: User) -> anyhow::Result<ExitCode> {
    if !arguments.data.is_dir() {
        let message = format!("there is no folder {}", arguments.data.display());
        let hint = Some("--data names the folder that the service serves".to_owned());
        return Err(Usage { message, hint }.into());
    }
    let people = People::open(&arguments.data, clock::now_ms).map_err(explained)?;
    act(&people, arguments.command)?;
    Ok(ExitCode::SUCCESS)
}

fn act(people: &People, command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::List { json } => list(&people.roster(), json)?,
        UserCommand::Add { name, role, password } => {
            people.add(&name, role.into(), &asked(&name, &password)?).map_err(explained)?;
            say(&format!("`{name}` can sign in\n"));
        }
        UserCommand::Password { name, password } => {
            require(people, &name)?;
            people.amend(&name, None, None, Some(&asked(&name, &password)?)).map_err(explained)?;
            say(&format!("`{name}` has a new password; their sessions have ended\n"));
        }
        UserCommand::Role { name, role } => {
            people.amend(&name, Some(role.into()), None, None).map_err(explained)?;
        }
        UserCommand::Disable { name } => {
            people.amend(&name, None, Some(true), None).map_err(explained)?;
        }
        UserCommand::Enable { name } => {
            people.amend(&name, None, Some(false), None).map_err(explained)?;
        }
        UserCommand::Remove { name } => people.remove(&name).map_err(explained)?,
        UserCommand::Token { name, purpose, role, days } => {
            let role = role.map(Role::from);
            give_token(people, name, purpose, role, days)?;
        }
        UserCommand::Tokens { name } => {
            require(people, &name)?;
            list_tokens(&people.roster(), &name)?;
        }
        UserCommand::Revoke { id } => people.revoke(id).map_err(explained)?,
    }
    Ok(())
}

/// What whoever called us can change, they are told so.
pub(super) fn explained(error: PeopleError) -> anyhow::Error {
    match error {
        PeopleError::Format { .. } => {
            let hint = "restore the file from a backup; without one, move it away: the next start makes a new `admin`, and \
                        all users and their tokens are gone";
            Hinted { error: error.into(), hint: hint.to_owned() }.into()
        }
        PeopleError::Io { .. } | PeopleError::Secret(_) => error.into(),
        _ => Usage { message: error.to_string(), hint: None }.into(),
    }
}

fn require(people: &People, name: &Name) -> anyhow::Result<Role> {
    let roster = people.roster();
    let user = roster.user(name).ok_or_else(|| explained(PeopleError::NoSuchUser(name.clone())))?;
    Ok(user.role)
}

fn list(roster: &Roster, json: bool) -> anyhow::Result<()> {
    if json {
        let user = |(name, user): (&Name, &lodeward_service::people::User)| {
            let created_at = moment(user.created_at_ms);
            serde_json::json!({
                "name": name, "role": user.role, "disabled": user.disabled, "created_at": created_at,
            })
        };
        return answer_json(&roster.users().map(user).collect::<Vec<_>>());
    }
    let mut text = String::new();
    for (name, user) in roster.users() {
        let disabled = if user.disabled { "  disabled" } else { "" };
        let _ = writeln!(text, "{:<20} {:<8}{disabled}", name.as_str(), user.role.name());
    }
    answer(&text)
}

fn list_tokens(roster: &Roster, name: &Name) -> anyhow::Result<()> {
    let mut text = String::new();
    for token in roster.tokens_of(name) {
        let told = |at: Option<u64>, never: &str| at.map_or_else(|| never.to_owned(), moment);
        let (used, end) = (told(token.used_at_ms, "never used"), told(token.expires_at_ms, "no end"));
        // Its name may hold anything, and a terminal obeys some of it.
        let purpose = token.name.escape_debug();
        let _ = writeln!(text, "{:<6} {:<8} {used}  {end}  {purpose}", token.id, token.role.name());
    }
    answer(&text)
}

fn give_token(people: &People, user: Name, name: String, role: Option<Role>, days: Option<u32>) -> anyhow::Result<()> {
    let role = role.unwrap_or(require(people, &user)?);
    let (token, secret) = people.give_token(Wanted { user, name, role, days, by: None }).map_err(explained)?;
    answer(&format!("{}\n", secret.reveal()))?;
    say(&format!("this is token {}; it cannot be shown again\n", token.id));
    Ok(())
}

/// A new password, asked for twice where somebody sits.
fn asked(name: &Name, from: &PasswordFrom) -> anyhow::Result<Password> {
    let text = if from.stdin {
        line()?
    } else if io::stdin().is_terminal() {
        let first = hidden(&format!("new password of {name}: "))?;
        if hidden("once more: ")? != first {
            return Err(Usage { message: "these are two passwords".to_owned(), hint: None }.into());
        }
        first
    } else {
        let message = "there is nobody to ask for a password".to_owned();
        return Err(Usage { message, hint: Some("say --password-stdin".to_owned()) }.into());
    };
    Password::try_from(text).map_err(|error| Usage { message: error.to_string(), hint: None }.into())
}

fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a line that is not shown.
fn hidden(question: &str) -> io::Result<String> {
    say(question);
    let _dark = Dark::new()?;
    let line = line();
    say("\n");
    line
}

/// A terminal that does not show what is typed, until this goes.
struct Dark(Termios);

impl Dark {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &modes)?;
        Ok(Self(before))
    }
}

impl Drop for Dark {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
