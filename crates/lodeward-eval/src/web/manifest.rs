//! The tables beside a recording.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lodeward::model::Uri;

use super::{Class, Label, WebError};

/// A row of the manifest.
pub(super) struct Row {
    pub(super) uri: Uri,
    pub(super) status: u16,
    pub(super) label: Label,
    pub(super) is_hard: bool,
    pub(super) class: Class,
}

/// The rows of a manifest, each address once: of two spellings of one address
/// the normal one counts, as in a replay.
pub(super) fn rows(path: &Path) -> Result<Vec<Row>, WebError> {
    let text = read(path)?;
    let table = Table::new(path, &text)?;
    let [url, status, label, hard, class] = [
        table.column("url")?,
        table.column("status")?,
        table.column("label")?,
        table.column("hard")?,
        table.column("class")?,
    ];
    let mut rows: Vec<(Row, bool)> = Vec::new();
    let mut places: HashMap<Uri, usize> = HashMap::new();
    for (line, cells) in table.rows() {
        let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
        // What we cannot ask for we cannot be asked about.
        let Ok(uri) = Uri::parse(cell(url)) else { continue };
        let status = cell(status).parse().map_err(|_| table.wrong(line, "its status is not a number"))?;
        let is_document = status == 200;
        let is_normal = uri.as_str() == cell(url);
        let row = Row {
            status,
            label: if is_document { label_named(cell(label)) } else { Label::None },
            is_hard: is_document && cell(hard) == "1",
            class: if is_document { class_named(cell(class)) } else { Class::Other },
            uri,
        };
        match places.get(&row.uri) {
            Some(place) if is_normal || !rows[*place].1 => rows[*place] = (row, is_normal),
            Some(_) => {}
            None => {
                places.insert(row.uri.clone(), rows.len());
                rows.push((row, is_normal));
            }
        }
    }
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// The addresses of a list, one per line.
pub(super) fn list(path: &Path) -> Result<Vec<Uri>, WebError> {
    let text = read(path)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.filter_map(|line| Uri::parse(line).ok()).collect())
}

/// The entry pages of sites.
pub(super) fn entries(path: &Path) -> Result<Vec<Uri>, WebError> {
    let text = read(path)?;
    let table = Table::new(path, &text)?;
    let column = table.column("entry_url")?;
    Ok(table.rows().filter_map(|(_, cells)| Uri::parse(cells.get(column)?).ok()).collect())
}

fn label_named(name: &str) -> Label {
    match name {
        "rdf" => Label::Rdf,
        "rdf-broken" => Label::RdfBroken,
        "og-only" => Label::OgOnly,
        "xhv-only" => Label::XhvOnly,
        _ => Label::None,
    }
}

fn class_named(name: &str) -> Class {
    match name {
        "R" => Class::R,
        "HR" => Class::Hr,
        "H" => Class::H,
        "N" => Class::N,
        _ => Class::Other,
    }
}

/// Values separated by tabs, below a line of names.
pub(crate) struct Table<'a> {
    path: &'a Path,
    names: Vec<&'a str>,
    text: &'a str,
}

impl<'a> Table<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Result<Self, WebError> {
        let Some(head) = text.lines().next() else {
            return Err(WebError::Table { path: path.to_owned(), what: "it is empty".to_owned() });
        };
        Ok(Self { path, names: head.split('\t').collect(), text })
    }

    pub(crate) fn column(&self, name: &str) -> Result<usize, WebError> {
        let column = self.names.iter().position(|other| *other == name);
        column.ok_or_else(|| WebError::Table {
            path: self.path.to_owned(),
            what: format!("it has no column `{name}`, only {}", self.names.join(", ")),
        })
    }

    /// Lines below the names, with their numbers counted from 1.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, Vec<&'a str>)> {
        self.text.lines().enumerate().skip(1).map(|(index, line)| (index + 1, line.split('\t').collect()))
    }

    fn wrong(&self, line: usize, what: &str) -> WebError {
        WebError::Table { path: self.path.to_owned(), what: format!("line {line}: {what}") }
    }
}

/// The text of a file, unpacked if its name ends in `.gz`.
pub(crate) fn read(path: &Path) -> Result<String, WebError> {
    let read = || -> io::Result<String> {
        let mut text = String::new();
        let mut file = File::open(path)?;
        if path.extension().is_some_and(|extension| extension == "gz") {
            MultiGzDecoder::new(file).read_to_string(&mut text)?;
        } else {
            file.read_to_string(&mut text)?;
        }
        Ok(text)
    };
    read().map_err(|source| WebError::File { path: path.to_owned(), source })
}
