//! Where templates are.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{BYTES_MAX, Template};

/// Templates that come with the program.
const SHIPPED: &[&str] = &[
    include_str!("shipped/architect.toml"),
    include_str!("shipped/geography.toml"),
    include_str!("shipped/history.toml"),
    include_str!("shipped/infrastructure.toml"),
    include_str!("shipped/style.toml"),
];

/// A template cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// There is none of this name.
    #[error("there is no template `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {path}")]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file is no template.
    #[error("{place}: {what}")]
    Format {
        /// The file and the line.
        place: String,
        /// What is wrong.
        what: String,
    },
}

/// A template, and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Shelved {
    /// The template.
    pub template: Template,
    /// As it is written.
    pub text: String,
    /// Its file; `None` for one that comes with the program.
    pub path: Option<PathBuf>,
}

/// Folders of templates, and those that come with the program. Who comes first
/// hides others of the same name.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    folders: Vec<PathBuf>,
}

impl Shelf {
    /// Looks into these folders, in this order. One that does not exist has no
    /// templates.
    #[must_use]
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders }
    }

    /// The template of this name, or in this file.
    pub fn find(&self, name: &str) -> Result<Shelved, TemplateError> {
        let has_extension = Path::new(name).extension().is_some_and(|extension| extension == "toml");
        let is_path = has_extension || name.contains(['/', std::path::MAIN_SEPARATOR]);
        if is_path {
            return read(Path::new(name));
        }
        let mut known = self.list()?;
        if let Some(place) = known.iter().position(|shelved| shelved.template.name == name) {
            return Ok(known.swap_remove(place));
        }
        let known = known.into_iter().map(|shelved| shelved.template.name).collect();
        Err(TemplateError::Unknown { name: name.to_owned(), known })
    }

    /// All templates, by name.
    pub fn list(&self) -> Result<Vec<Shelved>, TemplateError> {
        let mut all: BTreeMap<String, Shelved> = BTreeMap::new();
        for path in self.files()? {
            let shelved = read(&path)?;
            all.entry(shelved.template.name.clone()).or_insert(shelved);
        }
        for text in SHIPPED {
            let template = Template::parse(text).expect("what is shipped was tested");
            let shelved = Shelved { template, text: (*text).to_owned(), path: None };
            all.entry(shelved.template.name.clone()).or_insert(shelved);
        }
        Ok(all.into_values().collect())
    }

    fn files(&self) -> Result<Vec<PathBuf>, TemplateError> {
        let mut files = Vec::new();
        for folder in &self.folders {
            let failed = |source| TemplateError::Io { path: folder.clone(), source };
            let entries = match fs::read_dir(folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>().map_err(failed)?;
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
            paths.sort();
            files.extend(paths);
        }
        Ok(files)
    }
}

fn read(path: &Path) -> Result<Shelved, TemplateError> {
    use io::Read as _;

    let failed = |source| TemplateError::Io { path: path.to_owned(), source };
    let mut text = String::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(BYTES_MAX as u64 + 1).read_to_string(&mut text).map_err(failed)?;
    let template = Template::read(&path.display().to_string(), &text)?;
    Ok(Shelved { template, text, path: Some(path.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::super::Values;
    use super::*;
    use crate::config::{self, Sources};

    fn names(shelf: &Shelf) -> Vec<String> {
        shelf.list().unwrap().into_iter().map(|shelved| shelved.template.name).collect()
    }

    const OWN: &str = "name = \"style\"\ntitle = \"Mine\"\n[[seeds]]\niri = \"http://a.example/\"\n";

    #[test]
    fn what_is_shipped_can_be_filled_and_its_settings_hold() {
        let shelf = Shelf::default();
        assert_eq!(names(&shelf), ["architect", "geography", "history", "infrastructure", "style"]);
        for Shelved { template, .. } in shelf.list().unwrap() {
            let values: Values = template
                .placeholders
                .iter()
                .map(|placeholder| (placeholder.name.clone(), vec![value(placeholder)]))
                .collect();

            let filled = template.fill(&values).unwrap();
            let settings = Some((template.name.clone(), template.settings.clone()));
            config::resolve(&Sources { template: settings, ..Sources::default() }).unwrap();

            assert!(filled.wishes.len() >= 4 && filled.left_out.is_empty(), "{filled:?}");
            assert!(!template.title.is_empty() && !template.description.is_empty());
            assert!(template.placeholders.iter().all(|placeholder| !placeholder.description.is_empty()));
        }
    }

    fn value(placeholder: &super::super::Placeholder) -> String {
        placeholder.default.clone().unwrap_or_else(|| "Cologne".to_owned())
    }

    #[test]
    fn ones_own_templates_hide_those_that_are_shipped() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.toml"), OWN).unwrap();
        fs::write(folder.path().join("notes.txt"), "no template").unwrap();
        let shelf = Shelf::new(vec![folder.path().join("nowhere"), folder.path().to_owned()]);

        assert_eq!(names(&shelf).len(), SHIPPED.len());
        assert_eq!(shelf.find("style").unwrap().template.title, "Mine");
        assert_eq!(shelf.find("history").unwrap().path, None);
    }

    #[test]
    fn a_template_is_found_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.toml");
        fs::write(&path, OWN).unwrap();

        let found = Shelf::default().find(path.to_str().unwrap()).unwrap();

        assert_eq!((found.template.name.as_str(), found.path), ("style", Some(path)));
    }

    #[test]
    fn what_cannot_be_had_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("broken.toml");
        fs::write(&broken, "name = \"x\"\ntitle = 3\n").unwrap();
        let shelf = Shelf::new(vec![folder.path().to_owned()]);

        let unknown = Shelf::default().find("geology").unwrap_err();
        let format = shelf.find("history").unwrap_err().to_string();
        let missing = shelf.find("./nowhere.toml").unwrap_err().to_string();

        assert!(matches!(&unknown, TemplateError::Unknown { known, .. } if known.contains(&"geography".to_owned())));
        assert!(format.contains("broken.toml:2: "), "{format}");
        assert_eq!(missing, "cannot read ./nowhere.toml");
    }
}
