//! The tables of a recorded web.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use lodeward::model::Uri;

use super::{GoldClass, GoldLabel, WebError};

/// A row of the manifest.
pub(super) struct ManifestEntry {
    pub(super) uri: Uri,
    pub(super) status: u16,
    pub(super) label: GoldLabel,
    pub(super) is_hard: bool,
    pub(super) class: GoldClass,
}

/// The rows of a manifest without duplicates: if a URL occurs in two spellings, the normalised one is
/// used, as in a replay.
pub(super) fn read_rows(path: &Path) -> Result<Vec<ManifestEntry>, WebError> {
    let text = read(path)?;
    let table = TsvTable::new(path, &text)?;
    let [url, status, label, hard, class] = [
        table.column("url")?,
        table.column("status")?,
        table.column("label")?,
        table.column("hard")?,
        table.column("class")?,
    ];
    let mut rows: Vec<(ManifestEntry, bool)> = Vec::new();
    let mut indices: HashMap<Uri, usize> = HashMap::new();
    for (line, cells) in table.rows() {
        let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
        // A URL that cannot be parsed is never requested, so its row is skipped.
        let Ok(uri) = Uri::parse(cell(url)) else { continue };
        let status = cell(status).parse().map_err(|_| table.line_error(line, "the status is not a number"))?;
        let is_document = status == 200;
        let is_normal = uri.as_str() == cell(url);
        let row = ManifestEntry {
            status,
            label: if is_document { parse_label(cell(label)) } else { GoldLabel::None },
            is_hard: is_document && cell(hard) == "1",
            class: if is_document { parse_class(cell(class)) } else { GoldClass::Other },
            uri,
        };
        match indices.get(&row.uri) {
            Some(index) if is_normal || !rows[*index].1 => rows[*index] = (row, is_normal),
            Some(_) => {}
            None => {
                indices.insert(row.uri.clone(), rows.len());
                rows.push((row, is_normal));
            }
        }
    }
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// The URLs of a list, one per line.
pub(super) fn read_uri_list(path: &Path) -> Result<Vec<Uri>, WebError> {
    let text = read(path)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.filter_map(|line| Uri::parse(line).ok()).collect())
}

/// The entry pages of sites.
pub(super) fn read_entry_pages(path: &Path) -> Result<Vec<Uri>, WebError> {
    let text = read(path)?;
    let table = TsvTable::new(path, &text)?;
    let column = table.column("entry_url")?;
    Ok(table.rows().filter_map(|(_, cells)| Uri::parse(cells.get(column)?).ok()).collect())
}

fn parse_label(name: &str) -> GoldLabel {
    match name {
        "rdf" => GoldLabel::Rdf,
        "rdf-broken" => GoldLabel::RdfBroken,
        "og-only" => GoldLabel::OgOnly,
        "xhv-only" => GoldLabel::XhvOnly,
        _ => GoldLabel::None,
    }
}

fn parse_class(name: &str) -> GoldClass {
    match name {
        "R" => GoldClass::R,
        "HR" => GoldClass::Hr,
        "H" => GoldClass::H,
        "N" => GoldClass::N,
        _ => GoldClass::Other,
    }
}

/// A table with tab-separated values and a header line.
pub(crate) struct TsvTable<'a> {
    path: &'a Path,
    names: Vec<&'a str>,
    text: &'a str,
}

impl<'a> TsvTable<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Result<Self, WebError> {
        let Some(head) = text.lines().next() else {
            return Err(WebError::Table { path: path.to_owned(), message: "the table has no header line".to_owned() });
        };
        Ok(Self { path, names: head.split('\t').collect(), text })
    }

    pub(crate) fn column(&self, name: &str) -> Result<usize, WebError> {
        let column = self.names.iter().position(|other| *other == name);
        column.ok_or_else(|| WebError::Table {
            path: self.path.to_owned(),
            message: format!("the table has no column `{name}`, only {}", self.names.join(", ")),
        })
    }

    /// The rows with their line numbers.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, Vec<&'a str>)> {
        self.text.lines().enumerate().skip(1).map(|(index, line)| (index + 1, line.split('\t').collect()))
    }

    fn line_error(&self, line: usize, what: &str) -> WebError {
        WebError::Table { path: self.path.to_owned(), message: format!("line {line}: {what}") }
    }
}

/// The text of a file, decompressed if its name ends with `.gz`.
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
