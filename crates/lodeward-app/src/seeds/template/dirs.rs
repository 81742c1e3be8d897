//! Finds templates in directories and among the built-in ones.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{MAX_TEMPLATE_BYTES, Template};

/// The built-in templates.
const BUILT_IN_TEMPLATES: &[&str] = &[
    include_str!("shipped/architect.toml"),
    include_str!("shipped/geography.toml"),
    include_str!("shipped/history.toml"),
    include_str!("shipped/infrastructure.toml"),
    include_str!("shipped/style.toml"),
];

/// An error when a template is read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// There is no template with this name.
    #[error("unknown template `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// The names of all templates.
        known: Vec<String>,
    },
    /// A file or directory cannot be read.
    #[error("cannot read {path}")]
    Io {
        /// The path of the file or directory.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A file is not a valid template.
    #[error("{location}: {what}")]
    Format {
        /// The file and the line.
        location: String,
        /// What is wrong with the template.
        what: String,
    },
}

/// A template with its text and its file.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedTemplate {
    /// The parsed template.
    pub template: Template,
    /// The TOML text of the template.
    pub text: String,
    /// The file of the template; `None` if the template is built in.
    pub path: Option<PathBuf>,
}

/// Directories of templates, searched in order before the built-in templates. A template hides
/// later ones with the same name.
#[derive(Clone, Debug, Default)]
pub struct TemplateDirs {
    directories: Vec<PathBuf>,
}

impl TemplateDirs {
    /// Searches these directories in this order. A missing directory is treated as empty.
    #[must_use]
    pub fn new(directories: Vec<PathBuf>) -> Self {
        Self { directories }
    }

    /// The template with this name, or in the file with this path.
    pub fn find(&self, name: &str) -> Result<ListedTemplate, TemplateError> {
        let has_extension = Path::new(name).extension().is_some_and(|extension| extension == "toml");
        let is_path = has_extension || name.contains(['/', std::path::MAIN_SEPARATOR]);
        if is_path {
            return read(Path::new(name));
        }
        let mut known = self.list()?;
        if let Some(index) = known.iter().position(|listed| listed.template.name == name) {
            return Ok(known.swap_remove(index));
        }
        let known = known.into_iter().map(|listed| listed.template.name).collect();
        Err(TemplateError::Unknown { name: name.to_owned(), known })
    }

    /// All templates, sorted by name.
    pub fn list(&self) -> Result<Vec<ListedTemplate>, TemplateError> {
        let mut all: BTreeMap<String, ListedTemplate> = BTreeMap::new();
        for path in self.files()? {
            let listed = read(&path)?;
            all.entry(listed.template.name.clone()).or_insert(listed);
        }
        for text in BUILT_IN_TEMPLATES {
            let template = Template::parse(text).expect("built-in templates are valid");
            let listed = ListedTemplate { template, text: (*text).to_owned(), path: None };
            all.entry(listed.template.name.clone()).or_insert(listed);
        }
        Ok(all.into_values().collect())
    }

    fn files(&self) -> Result<Vec<PathBuf>, TemplateError> {
        let mut files = Vec::new();
        for directory in &self.directories {
            let failed = |source| TemplateError::Io { path: directory.clone(), source };
            let entries = match fs::read_dir(directory) {
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

fn read(path: &Path) -> Result<ListedTemplate, TemplateError> {
    use io::Read as _;

    let failed = |source| TemplateError::Io { path: path.to_owned(), source };
    let mut text = String::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MAX_TEMPLATE_BYTES as u64 + 1).read_to_string(&mut text).map_err(failed)?;
    let template = Template::read(&path.display().to_string(), &text)?;
    Ok(ListedTemplate { template, text, path: Some(path.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::super::PlaceholderValues;
    use super::*;
    use crate::settings::{self, SettingSources};

    fn names(templates: &TemplateDirs) -> Vec<String> {
        templates.list().unwrap().into_iter().map(|listed| listed.template.name).collect()
    }

    const OWN: &str = "name = \"style\"\ntitle = \"Mine\"\n[[seeds]]\niri = \"http://a.example/\"\n";

    #[test]
    fn built_in_templates_can_be_filled_and_their_settings_are_valid() {
        let templates = TemplateDirs::default();
        assert_eq!(names(&templates), ["architect", "geography", "history", "infrastructure", "style"]);
        for ListedTemplate { template, .. } in templates.list().unwrap() {
            let values: PlaceholderValues = template
                .placeholders
                .iter()
                .map(|placeholder| (placeholder.name.clone(), vec![value(placeholder)]))
                .collect();

            let filled = template.fill(&values).unwrap();
            let settings = Some((template.name.clone(), template.settings.clone()));
            settings::resolve(&SettingSources { template: settings, ..SettingSources::default() }).unwrap();

            assert!(filled.seeds.len() >= 4 && filled.left_out.is_empty(), "{filled:?}");
            assert!(!template.title.is_empty() && !template.description.is_empty());
            assert!(template.placeholders.iter().all(|placeholder| !placeholder.description.is_empty()));
        }
    }

    fn value(placeholder: &super::super::Placeholder) -> String {
        placeholder.default.clone().unwrap_or_else(|| "Cologne".to_owned())
    }

    #[test]
    fn templates_of_the_user_hide_built_in_ones() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("mine.toml"), OWN).unwrap();
        fs::write(directory.path().join("notes.txt"), "not a template").unwrap();
        let templates = TemplateDirs::new(vec![directory.path().join("nowhere"), directory.path().to_owned()]);

        assert_eq!(names(&templates).len(), BUILT_IN_TEMPLATES.len());
        assert_eq!(templates.find("style").unwrap().template.title, "Mine");
        assert_eq!(templates.find("history").unwrap().path, None);
    }

    #[test]
    fn a_template_is_found_by_its_path() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.toml");
        fs::write(&path, OWN).unwrap();

        let found = TemplateDirs::default().find(path.to_str().unwrap()).unwrap();

        assert_eq!((found.template.name.as_str(), found.path), ("style", Some(path)));
    }

    #[test]
    fn unknown_broken_and_missing_templates_are_reported() {
        let directory = tempfile::tempdir().unwrap();
        let broken = directory.path().join("broken.toml");
        fs::write(&broken, "name = \"x\"\ntitle = 3\n").unwrap();
        let templates = TemplateDirs::new(vec![directory.path().to_owned()]);

        let unknown = TemplateDirs::default().find("geology").unwrap_err();
        let format = templates.find("history").unwrap_err().to_string();
        let missing = templates.find("./nowhere.toml").unwrap_err().to_string();

        assert!(matches!(&unknown, TemplateError::Unknown { known, .. } if known.contains(&"geography".to_owned())));
        assert!(format.contains("broken.toml:2: "), "{format}");
        assert_eq!(missing, "cannot read ./nowhere.toml");
    }
}
