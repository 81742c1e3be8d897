//! Stores small values by name, one JSON file each.

use std::fs;
use std::io;
use std::marker::PhantomData;
use std::path::PathBuf;

use lodeward_app::atomic_file;
use lodeward_app::json_file;
use lodeward_app::json_file::FileError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemCode};

/// The maximum length of a name.
const MAX_NAME_BYTES: usize = 40;

/// A name of letters, digits, `-` and `_`, which is valid as a file name and as the end of an
/// IRI.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, pattern = "^[A-Za-z0-9_-]{1,40}$", examples("buildings"))]
pub(crate) struct ItemName(String);

impl ItemName {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ItemName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_allowed) {
            return Ok(Self(name));
        }
        Err(format!("invalid name: use 1 to {MAX_NAME_BYTES} letters, digits, `-` and `_`"))
    }
}

/// Why a value cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonStoreError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The maximum number of values is reached.
    #[error("limit of {0} entries reached")]
    Full(usize),
}

impl From<JsonStoreError> for Problem {
    fn from(error: JsonStoreError) -> Self {
        match error {
            JsonStoreError::Full(_) => Self::new(ProblemCode::Conflict, error.to_string()).hint("delete some entries"),
            JsonStoreError::File(error) => Self::internal(&error),
        }
    }
}

/// Values in a directory, each in a JSON file that is replaced atomically.
pub(crate) struct JsonStore<T> {
    dir: PathBuf,
    max: usize,
    kind: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> JsonStore<T> {
    /// A store in this directory, which is created when the first value is stored.
    pub(crate) fn new(dir: PathBuf, max: usize) -> Self {
        Self { dir, max, kind: PhantomData }
    }

    fn path(&self, name: &ItemName) -> PathBuf {
        self.dir.join(format!("{}.json", name.as_str()))
    }

    /// All names, sorted.
    pub(crate) fn names(&self) -> Result<Vec<ItemName>, JsonStoreError> {
        let failed = FileError::for_path(&self.dir);
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error).into()),
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(&failed)?.file_name();
            let stem = file.to_str().and_then(|file| file.strip_suffix(".json"));
            names.extend(stem.and_then(|stem| ItemName::try_from(stem.to_owned()).ok()));
        }
        names.sort();
        Ok(names)
    }

    /// Reads the value with this name; `None` if it does not exist.
    pub(crate) fn get(&self, name: &ItemName) -> Result<Option<T>, JsonStoreError> {
        Ok(json_file::read(&self.path(name))?)
    }

    /// Reads the values with these names. Damaged files are logged and skipped.
    pub(crate) fn read_valid(&self, names: impl IntoIterator<Item = ItemName>) -> Vec<(ItemName, T)> {
        let read = |name: ItemName| match self.get(&name) {
            // `None`: the value was removed meanwhile.
            Ok(value) => value.map(|value| (name, value)),
            Err(error) => {
                let path = self.path(&name);
                tracing::error!(path = %path.display(), error = &error as &dyn std::error::Error, "file skipped");
                None
            }
        };
        names.into_iter().filter_map(read).collect()
    }

    /// Fails if there is no value with this name, and the maximum number of values is reached.
    pub(crate) fn check_capacity(&self, name: &ItemName) -> Result<(), JsonStoreError> {
        if !self.path(name).exists() && self.names()?.len() >= self.max {
            return Err(JsonStoreError::Full(self.max));
        }
        Ok(())
    }

    /// Stores a value durably.
    pub(crate) fn put(&self, name: &ItemName, value: &T) -> Result<(), JsonStoreError> {
        self.check_capacity(name)?;
        fs::create_dir_all(&self.dir).map_err(FileError::for_path(&self.dir))?;
        json_file::write(&self.path(name), value)?;
        // The directory may be new.
        let parent = atomic_file::parent_dir(&self.dir);
        Ok(atomic_file::sync_dir(parent).map_err(FileError::for_path(parent))?)
    }

    /// Removes the value with this name.
    pub(crate) fn remove(&self, name: &ItemName) -> Result<(), JsonStoreError> {
        let path = self.path(name);
        let removed = fs::remove_file(&path).and_then(|()| atomic_file::sync_dir(&self.dir));
        Ok(removed.map_err(FileError::for_path(&path))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ItemName {
        ItemName::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_name_is_not_a_path() {
        for invalid in ["", "..", "a/b", "a.json", "ä", &"x".repeat(41)] {
            assert!(ItemName::try_from(invalid.to_owned()).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_value_is_stored_replaced_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store: JsonStore<String> = JsonStore::new(dir.path().join("service/rules"), 2);
        assert_eq!(store.names().unwrap(), []);

        store.put(&name("b"), &"first".to_owned()).unwrap();
        store.put(&name("a"), &"other".to_owned()).unwrap();
        store.put(&name("b"), &"second".to_owned()).unwrap();

        assert!(matches!(store.put(&name("c"), &"third".to_owned()), Err(JsonStoreError::Full(2))));
        assert_eq!(store.names().unwrap(), [name("a"), name("b")]);
        assert_eq!(store.get(&name("b")).unwrap().as_deref(), Some("second"));
        store.remove(&name("b")).unwrap();
        assert_eq!(store.get(&name("b")).unwrap(), None);
    }

    #[test]
    fn a_damaged_file_does_not_affect_others() {
        let dir = tempfile::tempdir().unwrap();
        let store: JsonStore<String> = JsonStore::new(dir.path().join("rules"), 9);
        store.put(&name("a"), &"valid".to_owned()).unwrap();
        fs::write(dir.path().join("rules/b.json"), "{").unwrap();

        assert!(store.get(&name("b")).is_err());
        assert_eq!(store.read_valid(store.names().unwrap()), [(name("a"), "valid".to_owned())]);
    }
}
