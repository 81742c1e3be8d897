//! Templates on disk, and to whom they belong.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lodeward::durable::{self, Readers};
use lodeward::seed::template::{self, Shelf, Shelved, Template, TemplateError};

use crate::fleet::Refused;
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};
use crate::service::Service;

/// How many templates there may be: all of them are read when one is looked for.
const TEMPLATES_MAX: usize = 1_000;

/// The extension of the file beside a template that names its owner.
const OWNER: &str = "owner";

/// The templates of a data directory.
pub(super) struct Templates<'a> {
    folder: PathBuf,
    service: &'a Service,
}

impl<'a> Templates<'a> {
    /// Those of a service.
    pub(super) fn of(service: &'a Service) -> Self {
        Self { folder: service.data.join("templates"), service }
    }

    /// All of them, by name.
    pub(super) fn list(&self) -> Result<Vec<Shelved>, Problem> {
        Shelf::new(vec![self.folder.clone()]).list().map_err(refused)
    }

    /// One of them. Whoever asks over the network names no files.
    pub(super) fn find(&self, name: &str) -> Result<Shelved, Problem> {
        if !template::is_name(name) {
            return Err(Problem::new(Code::NotFound, format!("there is no template `{name}`")));
        }
        Shelf::new(vec![self.folder.clone()]).find(name).map_err(refused)
    }

    /// Puts one there. Tells whether there was no other of its name that could be
    /// replaced.
    pub(super) fn put(&self, caller: &Caller, name: &str, text: String) -> Result<(bool, Shelved), Problem> {
        let template = read(name, &text)?;
        self.service.fleet.check_settings(None, &template.settings)?;
        // One at a time: they are counted, and whose they are is looked up.
        let _turn = self.service.templates.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let all = self.list()?;
        let count = all.len();
        let known = all.into_iter().find(|shelved| shelved.template.name == name);
        match &known {
            Some(known) if known.path.is_some() => must_be_theirs(caller, known)?,
            Some(_) if caller.role != Role::Admin => {
                let detail = format!("the template `{name}` comes with the program, and only admins may hide it");
                return Err(Problem::new(Code::Forbidden, detail).hint("choose another name"));
            }
            None if count >= TEMPLATES_MAX => {
                let problem = Problem::new(Code::Conflict, format!("there are {count} templates already"));
                return Err(problem.hint("delete some that nobody needs"));
            }
            _ => {}
        }
        // A user's own stays in its file; one that is shipped is hidden.
        let former = known.and_then(|known| known.path);
        let is_new = former.is_none();
        let path = former.unwrap_or_else(|| self.folder.join(format!("{name}.toml")));
        // The owner first: cut short, there is no template of theirs yet.
        let kept = if is_new { self.write(&path.with_extension(OWNER), &caller.name) } else { Ok(()) };
        kept.and_then(|()| self.write(&path, &text)).map_err(|error| Problem::internal(&error))?;
        Ok((is_new, Shelved { template, text, path: Some(path) }))
    }

    /// Removes one.
    pub(super) fn remove(&self, caller: &Caller, name: &str) -> Result<(), Problem> {
        let _turn = self.service.templates.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let found = self.find(name)?;
        let Some(path) = &found.path else {
            let problem = Problem::new(Code::Conflict, format!("the template `{name}` comes with the program"));
            return Err(problem.hint("one of the same name that an admin puts here hides it"));
        };
        must_be_theirs(caller, &found)?;
        // The owner last: cut short, they can remove it again.
        let removed = fs::remove_file(path).and_then(|()| match fs::remove_file(path.with_extension(OWNER)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => durable::sync_folder(&self.folder),
        });
        removed.map_err(|error| Problem::internal(&error))
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        durable::replace(path, Readers::Owner, text.as_bytes())
    }
}

/// Reads a template that is to have this name.
fn read(name: &str, text: &str) -> Result<Template, Problem> {
    if !template::is_name(name) {
        let problem = Problem::new(Code::Invalid, format!("`{name}` cannot be the name of a template"));
        return Err(problem.hint("a name is 1 to 64 letters, digits, - and _"));
    }
    let template = Template::read("template", text).map_err(|error| Problem::new(Code::Invalid, error.to_string()))?;
    if template.name != name {
        let what = format!("the template says that it is called `{}`, and the path `{name}`", template.name);
        return Err(Problem::new(Code::Invalid, what));
    }
    Ok(template)
}

fn must_be_theirs(caller: &Caller, shelved: &Shelved) -> Result<(), Problem> {
    caller.must_own(&format!("template `{}`", shelved.template.name), owner(shelved)?.as_deref())
}

/// To whom a template belongs: nobody, if it was put there by hand.
pub(super) fn owner(shelved: &Shelved) -> Result<Option<String>, Problem> {
    let Some(path) = &shelved.path else { return Ok(None) };
    match fs::read_to_string(path.with_extension(OWNER)) {
        Ok(owner) => Ok(Some(owner)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::internal(&error)),
    }
}

fn refused(error: TemplateError) -> Problem {
    let hint = match &error {
        TemplateError::Unknown { known, .. } => format!("there are {}", known.join(", ")),
        _ => return Refused::from(error).into(),
    };
    Problem::new(Code::NotFound, error.to_string()).hint(hint)
}
