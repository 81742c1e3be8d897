//! Templates on disk, with their owners.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lodeward_app::atomic_file::{self, FileAccess};
use lodeward_app::seeds::template::{self, ListedTemplate, Template, TemplateDirs, TemplateError};

use crate::jobs::JobError;
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::state::Service;

/// The maximum number of templates: all of them are read to find one.
const MAX_TEMPLATES: usize = 1_000;

/// The extension of the file with the owner of a template.
const OWNER_EXTENSION: &str = "owner";

/// The templates of a data directory.
pub(super) struct TemplateStore<'a> {
    dir: PathBuf,
    service: &'a Service,
}

impl<'a> TemplateStore<'a> {
    /// The templates of this data directory.
    pub(super) fn new(service: &'a Service) -> Self {
        Self { dir: service.data.join("templates"), service }
    }

    /// All templates, by name.
    pub(super) fn list(&self) -> Result<Vec<ListedTemplate>, Problem> {
        TemplateDirs::new(vec![self.dir.clone()]).list().map_err(template_problem)
    }

    /// A template by its name. Paths are rejected, so that clients cannot access other files.
    pub(super) fn find(&self, name: &str) -> Result<ListedTemplate, Problem> {
        if !template::is_name(name) {
            return Err(Problem::new(ProblemCode::NotFound, format!("no such template: `{name}`")));
        }
        TemplateDirs::new(vec![self.dir.clone()]).find(name).map_err(template_problem)
    }

    /// Creates or replaces a template. Returns whether it is new.
    pub(super) fn put(&self, caller: &Caller, name: &str, text: String) -> Result<(bool, ListedTemplate), Problem> {
        let template = parse(name, &text)?;
        self.service.jobs.check_settings(None, &template.settings)?;
        // Changes are serialized, so that the limit and the owner can be checked.
        let _lock = self.service.templates.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let all = self.list()?;
        let count = all.len();
        let known = all.into_iter().find(|listed| listed.template.name == name);
        match &known {
            Some(known) if known.path.is_some() => require_template_owner(caller, known)?,
            Some(_) if caller.role != Role::Admin => {
                let detail = format!("the template `{name}` is shipped with the program: only admins may hide it");
                return Err(Problem::new(ProblemCode::Forbidden, detail).hint("choose another name"));
            }
            None if count >= MAX_TEMPLATES => {
                let problem = Problem::new(ProblemCode::Conflict, format!("template limit reached ({count})"));
                return Err(problem.hint("delete unused templates"));
            }
            _ => {}
        }
        // A template of a user is replaced in its file. A shipped template has no file: the new
        // file hides it.
        let former = known.and_then(|known| known.path);
        let is_new = former.is_none();
        let path = former.unwrap_or_else(|| self.dir.join(format!("{name}.toml")));
        // The owner is written first, so that an interruption leaves no template without an owner.
        let written = if is_new { self.write(&path.with_extension(OWNER_EXTENSION), &caller.name) } else { Ok(()) };
        written.and_then(|()| self.write(&path, &text)).map_err(|error| Problem::internal(&error))?;
        Ok((is_new, ListedTemplate { template, text, path: Some(path) }))
    }

    /// Removes a template.
    pub(super) fn remove(&self, caller: &Caller, name: &str) -> Result<(), Problem> {
        let _lock = self.service.templates.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let found = self.find(name)?;
        let Some(path) = &found.path else {
            let problem =
                Problem::new(ProblemCode::Conflict, format!("the template `{name}` is shipped with the program"));
            return Err(problem.hint("an admin can hide the template with another one of the same name"));
        };
        require_template_owner(caller, &found)?;
        // The owner is removed last, so that after an interruption the owner can repeat the
        // removal.
        let removed =
            fs::remove_file(path).and_then(|()| match fs::remove_file(path.with_extension(OWNER_EXTENSION)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => atomic_file::sync_dir(&self.dir),
            });
        removed.map_err(|error| Problem::internal(&error))
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        atomic_file::replace(path, FileAccess::Owner, text.as_bytes())
    }
}

/// Parses a template, which must have this name.
fn parse(name: &str, text: &str) -> Result<Template, Problem> {
    if !template::is_name(name) {
        let problem = Problem::new(ProblemCode::Unprocessable, format!("invalid template name: `{name}`"));
        return Err(problem.hint("use 1 to 64 letters, digits, `-` and `_`"));
    }
    let template = Template::read("template", text)
        .map_err(|error| Problem::new(ProblemCode::Unprocessable, error.to_string()))?;
    if template.name != name {
        let detail = format!("the name in the template, `{}`, differs from that in the path, `{name}`", template.name);
        return Err(Problem::new(ProblemCode::Unprocessable, detail));
    }
    Ok(template)
}

fn require_template_owner(caller: &Caller, listed: &ListedTemplate) -> Result<(), Problem> {
    caller.require_owner(&format!("template `{}`", listed.template.name), owner(listed)?.as_deref())
}

/// The owner of a template; `None` if the template is shipped or its file was created by hand.
pub(super) fn owner(listed: &ListedTemplate) -> Result<Option<String>, Problem> {
    let Some(path) = &listed.path else { return Ok(None) };
    match fs::read_to_string(path.with_extension(OWNER_EXTENSION)) {
        Ok(owner) => Ok(Some(owner)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::internal(&error)),
    }
}

fn template_problem(error: TemplateError) -> Problem {
    let hint = match &error {
        TemplateError::Unknown { known, .. } => format!("known templates: {}", known.join(", ")),
        _ => return JobError::from(error).into(),
    };
    Problem::new(ProblemCode::NotFound, error.to_string()).hint(hint)
}
