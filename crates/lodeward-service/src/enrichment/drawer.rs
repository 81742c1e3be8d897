//! Small things that are kept by name, a file for each.

use std::fs;
use std::io;
use std::marker::PhantomData;
use std::path::PathBuf;

use lodeward::durable::{self, FileError, json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Code, Problem};

/// The longest name.
const NAME_BYTES_MAX: usize = 40;

/// What something is called by: letters, digits, `-` and `_`, so that it can be the
/// name of a file and the end of an IRI.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,40}$", examples("buildings"))]
pub(crate) struct Name(String);

impl Name {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.bytes().all(is_name) {
            return Ok(Self(name));
        }
        Err(format!("a name has 1 to {NAME_BYTES_MAX} letters, digits, `-` and `_`"))
    }
}

/// Something cannot be kept, or looked at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DrawerError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// There are as many as there may be.
    #[error("there are {0} already, and may be no more")]
    Full(usize),
}

impl From<DrawerError> for Problem {
    fn from(error: DrawerError) -> Self {
        match error {
            DrawerError::Full(_) => Self::new(Code::Conflict, error.to_string()).hint("delete some"),
            DrawerError::File(error) => Self::internal(&error),
        }
    }
}

/// A folder of JSON files, each of which is whole or not there at all.
pub(crate) struct Drawer<T> {
    folder: PathBuf,
    max: usize,
    kind: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> Drawer<T> {
    /// What is kept in this folder, which need not exist.
    pub(super) fn new(folder: PathBuf, max: usize) -> Self {
        Self { folder, max, kind: PhantomData }
    }

    fn path(&self, name: &Name) -> PathBuf {
        self.folder.join(format!("{}.json", name.as_str()))
    }

    /// All names, in order.
    pub(crate) fn names(&self) -> Result<Vec<Name>, DrawerError> {
        let failed = FileError::at(&self.folder);
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error).into()),
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(&failed)?.file_name();
            let stem = file.to_str().and_then(|file| file.strip_suffix(".json"));
            names.extend(stem.and_then(|stem| Name::try_from(stem.to_owned()).ok()));
        }
        names.sort();
        Ok(names)
    }

    /// What is kept under this name.
    pub(crate) fn get(&self, name: &Name) -> Result<Option<T>, DrawerError> {
        Ok(json::read(&self.path(name))?)
    }

    /// What is kept under these names. What is damaged is no reason not to use the rest.
    pub(crate) fn readable(&self, names: impl IntoIterator<Item = Name>) -> Vec<(Name, T)> {
        let read = |name: Name| match self.get(&name) {
            // One that has just gone is none.
            Ok(value) => value.map(|value| (name, value)),
            Err(error) => {
                let path = self.path(&name);
                tracing::error!(path = %path.display(), error = &error as &dyn std::error::Error, "passed over");
                None
            }
        };
        names.into_iter().filter_map(read).collect()
    }

    /// Says if there is no room for something of this name.
    pub(super) fn check_room(&self, name: &Name) -> Result<(), DrawerError> {
        if !self.path(name).exists() && self.names()?.len() >= self.max {
            return Err(DrawerError::Full(self.max));
        }
        Ok(())
    }

    /// Keeps something, so that it survives a power cut.
    pub(crate) fn put(&self, name: &Name, value: &T) -> Result<(), DrawerError> {
        self.check_room(name)?;
        fs::create_dir_all(&self.folder).map_err(FileError::at(&self.folder))?;
        json::write(&self.path(name), value)?;
        // The folder may be new.
        let around = durable::folder_of(&self.folder);
        Ok(durable::sync_folder(around).map_err(FileError::at(around))?)
    }

    /// Forgets what is kept under this name.
    pub(crate) fn remove(&self, name: &Name) -> Result<(), DrawerError> {
        let path = self.path(name);
        let removed = fs::remove_file(&path).and_then(|()| durable::sync_folder(&self.folder));
        Ok(removed.map_err(FileError::at(&path))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_name_is_no_path() {
        for wrong in ["", "..", "a/b", "a.json", "ä", &"x".repeat(41)] {
            assert!(Name::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_kept_is_found_replaced_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let drawer: Drawer<String> = Drawer::new(folder.path().join("service/rules"), 2);
        assert_eq!(drawer.names().unwrap(), []);

        drawer.put(&name("b"), &"first".to_owned()).unwrap();
        drawer.put(&name("a"), &"other".to_owned()).unwrap();
        drawer.put(&name("b"), &"second".to_owned()).unwrap();

        assert!(matches!(drawer.put(&name("c"), &"third".to_owned()), Err(DrawerError::Full(2))));
        assert_eq!(drawer.names().unwrap(), [name("a"), name("b")]);
        assert_eq!(drawer.get(&name("b")).unwrap().as_deref(), Some("second"));
        drawer.remove(&name("b")).unwrap();
        assert_eq!(drawer.get(&name("b")).unwrap(), None);
    }

    #[test]
    fn what_is_damaged_hides_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let drawer: Drawer<String> = Drawer::new(folder.path().join("rules"), 9);
        drawer.put(&name("a"), &"sound".to_owned()).unwrap();
        fs::write(folder.path().join("rules/b.json"), "{").unwrap();

        assert!(drawer.get(&name("b")).is_err());
        assert_eq!(drawer.readable(drawer.names().unwrap()), [(name("a"), "sound".to_owned())]);
    }
}
