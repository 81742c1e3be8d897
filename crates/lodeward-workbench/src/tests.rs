//! Tests of the embedded build: it belongs to the sources, and is as small as it must be.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::*;

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a directory, except installed packages.
fn source_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.file_name().unwrap().to_str().unwrap() {
            "node_modules" | "tests" => {}
            _ if path.is_dir() => source_files(&path, found),
            _ => found.push(path),
        }
    }
}

/// The digest that `ui/embed.mjs` writes: name, length and content of each file.
fn sources_digest() -> String {
    let ui = crate_dir().join("ui");
    let mut files = Vec::new();
    source_files(&ui, &mut files);
    let name = |path: &PathBuf| path.strip_prefix(&ui).unwrap().to_str().unwrap().to_owned();
    let mut files: Vec<(String, PathBuf)> = files.into_iter().map(|path| (name(&path), path)).collect();
    files.sort();
    let mut digest = Sha256::new();
    for (name, path) in files {
        let content = fs::read(path).unwrap();
        digest.update(format!("{name}\0{}\0", content.len()));
        digest.update(content);
    }
    digest.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

fn has_extension(file: &WorkbenchFile, extension: &str) -> bool {
    Path::new(file.name).extension().is_some_and(|own| own == extension)
}

/// The compressed size of the files that the page loads first.
fn first_load_size(extension: &str) -> usize {
    let page = std::str::from_utf8(page().content).unwrap();
    let first = assets().iter().filter(|file| has_extension(file, extension) && page.contains(file.name));
    first.map(|file| file.gzip().len()).sum()
}

#[test]
fn the_build_belongs_to_the_sources() {
    let recorded = fs::read_to_string(crate_dir().join("dist/sources.sha256")).unwrap();

    assert_eq!(sources_digest(), recorded.trim(), "dist/ is out of date: run `make ui` and commit the result");
}

#[test]
fn the_page_refers_to_embedded_assets_by_relative_urls() {
    let page = std::str::from_utf8(page().content).unwrap();
    let urls: Vec<&str> = page.split(['"', '\'']).filter(|text| text.contains("assets/")).collect();

    assert!(urls.len() >= 2, "{page}");
    for url in urls {
        let name = url.strip_prefix("./assets/").expect("URLs are relative, for any path prefix");
        assert!(asset(name).is_some(), "{name} is not embedded");
    }
    assert!(!page.contains("style=") && !page.contains("<style") && !page.contains("</script>\n<script>"));
    assert!(asset("nothing.js").is_none());
}

#[test]
fn compressed_files_have_the_same_content() {
    for file in assets().iter().chain([page()]) {
        let mut content = Vec::new();
        flate2::read::GzDecoder::new(file.gzip()).read_to_end(&mut content).unwrap();
        assert!(content == file.content, "{}", file.name);
        assert!(file.etag.starts_with('"') && file.etag.ends_with('"'), "{}", file.etag);
    }
}

/// The budgets of the design: what the first load costs, and all of it.
#[test]
fn the_build_is_within_its_budgets() {
    let first_js = first_load_size("js");
    let first_css = first_load_size("css");
    let all_js: usize = assets().iter().filter(|file| has_extension(file, "js")).map(|file| file.gzip().len()).sum();
    let plain: usize = assets().iter().map(|file| file.content.len()).sum();
    // The query editor is loaded with its screen.
    let is_query = |name: &str| name.starts_with("Sparql-") || name.starts_with("editor-");
    let query: usize = assets().iter().filter(|file| is_query(file.name)).map(|file| file.gzip().len()).sum();

    assert!((1..=145_000).contains(&query), "SPARQL: {query} bytes of compressed files");
    assert!(first_js <= 60_000, "first load: {first_js} bytes of compressed scripts");
    assert!(first_css <= 10_000, "first load: {first_css} bytes of compressed style sheets");
    assert!(all_js <= 320_000, "{all_js} bytes of compressed scripts");
    assert!(plain <= 1_200_000, "{plain} bytes");
}
