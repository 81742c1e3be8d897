//! `S_R`: the terms, media types and file extensions that speak of RDF.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use foldhash::fast::FixedState;

use super::class::Class;
use super::terms::Terms;
use crate::select::StrategyError;

/// What link analysis looks for (link analysis §III.C.2), which is data: built
/// in, and extended by whoever runs a crawl.
#[derive(Clone, Debug)]
pub struct Lists {
    pub(super) terms: Terms,
    media_types: HashSet<Box<str>, FixedState>,
    extensions: HashMap<Box<str>, Class, FixedState>,
}

const TERMS: &str = "terms.txt";
const MEDIA_TYPES: &str = "media-types.txt";
const EXTENSIONS: &str = "extensions.txt";

impl Lists {
    /// The lists that are built in.
    #[must_use]
    pub fn built_in() -> Self {
        let mut lists =
            Self { terms: Terms::default(), media_types: HashSet::default(), extensions: HashMap::default() };
        let files = [
            (TERMS, include_str!("lists/terms.txt")),
            (MEDIA_TYPES, include_str!("lists/media-types.txt")),
            (EXTENSIONS, include_str!("lists/extensions.txt")),
        ];
        for (name, text) in files {
            lists.extend(name, text).expect("the built-in lists are in order");
        }
        lists
    }

    /// The built-in lists, extended by those of a folder: `terms.txt`,
    /// `media-types.txt` and `extensions.txt`, of which some may be missing.
    pub fn with_folder(folder: &Path) -> Result<Self, StrategyError> {
        let mut lists = Self::built_in();
        let mut found = false;
        for name in [TERMS, MEDIA_TYPES, EXTENSIONS] {
            let path = folder.join(name);
            let text = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(source) => return Err(StrategyError::File { path, source }),
            };
            found = true;
            let say = |problem| StrategyError::Setting(format!("{}, {problem}", path.display()));
            lists.extend(name, &text).map_err(say)?;
        }
        if found {
            return Ok(lists);
        }
        let folder = folder.display();
        let message = format!("select.lists: {folder} has none of {TERMS}, {MEDIA_TYPES} and {EXTENSIONS}");
        Err(StrategyError::Setting(message))
    }

    /// Takes the lines of a list. A later line about the same counts.
    fn extend(&mut self, name: &str, text: &str) -> Result<(), String> {
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim().to_lowercase();
            if line.is_empty() {
                continue;
            }
            let taken = match name {
                TERMS => self.add_term(&line),
                MEDIA_TYPES => self.add_media_type(&line),
                _ => self.add_extension(&line),
            };
            taken.map_err(|problem| format!("line {}: `{line}` {problem}", number + 1))?;
        }
        Ok(())
    }

    fn add_term(&mut self, line: &str) -> Result<(), &'static str> {
        if self.terms.add(line) { Ok(()) } else { Err("has neither letters nor digits, so it cannot be found") }
    }

    fn add_media_type(&mut self, line: &str) -> Result<(), &'static str> {
        let is_name = |part: &str| !part.is_empty() && part.chars().all(is_of_media_type);
        match line.split_once('/') {
            Some((kind, name)) if is_name(kind) && is_name(name) => {
                self.media_types.insert(line.into());
                Ok(())
            }
            _ => Err("is not a media type without parameters, as `text/turtle` is"),
        }
    }

    fn add_extension(&mut self, line: &str) -> Result<(), &'static str> {
        let mut words = line.split_whitespace();
        let extension = words.next().unwrap_or_default().trim_start_matches('.');
        let class = match words.next() {
            None | Some("r") => Class::R,
            Some("h") => Class::H,
            Some("n") => Class::N,
            Some(_) => return Err("names no class: R for RDF, H for pages, N for what is neither"),
        };
        if words.next().is_some() || extension.is_empty() || !extension.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err("is not an extension and a class, as `ttl R` is");
        }
        self.extensions.insert(extension.into(), class);
        Ok(())
    }

    /// The class that an extension speaks for, given in lower case; `None` if
    /// nobody knows it.
    #[must_use]
    pub fn class_of_extension(&self, extension: &str) -> Option<Class> {
        self.extensions.get(extension).copied()
    }

    /// Whether some text has a media type of RDF in it.
    #[must_use]
    pub fn has_media_type(&self, text: &str) -> bool {
        // A media type has a slash in its middle, which text seldom has.
        memchr::memchr_iter(b'/', text.as_bytes()).any(|slash| {
            let before = text[..slash].rfind(|c| !is_of_media_type(c)).map_or(0, |at| at + 1);
            let after = text[slash + 1..].find(|c| !is_of_media_type(c)).map_or(text.len(), |at| slash + 1 + at);
            // At the end of a sentence there is a full stop behind it.
            let found = text.get(before..after).unwrap_or_default().trim_end_matches('.');
            found.len() > 2 && self.media_types.contains(found.to_ascii_lowercase().as_str())
        })
    }
}

fn is_of_media_type(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::media_type::{Syntax, is_barren_extension};

    #[test]
    fn whatever_the_crawler_reads_is_on_the_lists() {
        let lists = Lists::built_in();

        for syntax in Syntax::all().filter(|syntax| syntax.is_rdf()) {
            assert!(lists.has_media_type(syntax.media_type()), "{}", syntax.media_type());
        }
        for (extension, class) in &lists.extensions {
            let is_rdf = Syntax::of_extension(extension).is_some_and(Syntax::is_rdf);
            assert_eq!(*class == Class::R, is_rdf, "{extension}");
            assert!(!is_barren_extension(extension) || *class == Class::N, "{extension}");
        }
    }

    #[test]
    fn media_types_are_found_as_a_whole() {
        let lists = Lists::built_in();
        let check = |text: &str, expected| assert_eq!(lists.has_media_type(text), expected, "{text}");

        check("application/rdf+xml", true);
        check("Application/RDF+XML; charset=utf-8", true);
        check("as text/turtle.", true);
        check("(text/n3)", true);
        check("both/and text/n3", true);
        check("text/n3x", false);
        check("context/n3", false);
        check("text/html", false);
        check("ä/ö", false);
        check("/", false);
        check("", false);
    }

    #[test]
    fn a_folder_extends_the_lists() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(TERMS), "# ours\nCIDOC crm # a model\n\n").unwrap();
        std::fs::write(folder.path().join(MEDIA_TYPES), "application/x-quads\n").unwrap();
        std::fs::write(folder.path().join(EXTENSIONS), ".hdt\nxml R\nview H\nttl N\n").unwrap();

        let lists = Lists::with_folder(folder.path()).unwrap();

        assert!(lists.terms.are_in("The CIDOC-CRM of things"));
        assert!(lists.terms.are_in("as RDF"));
        assert!(lists.has_media_type("application/x-quads"));
        let classes = ["hdt", "xml", "view", "ttl", "rdf", "exotic"].map(|name| lists.class_of_extension(name));
        let (r, h, n) = (Some(Class::R), Some(Class::H), Some(Class::N));
        assert_eq!(classes, [r, r, h, n, r, None]);
    }

    #[test]
    fn what_is_wrong_with_a_list_is_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str, text: &str, expected: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
            let error = Lists::with_folder(folder.path()).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
            std::fs::remove_file(folder.path().join(name)).unwrap();
        };

        let nothing = "has none of terms.txt, media-types.txt and extensions.txt";
        check("other.txt", "", nothing);
        check(TERMS, "rdf\n+++\n", "terms.txt, line 2: `+++` has neither letters nor digits, so it cannot be found");
        let expected = "media-types.txt, line 1: `turtle` is not a media type without parameters, as `text/turtle` is";
        check(MEDIA_TYPES, "turtle", expected);
        let expected = "extensions.txt, line 1: `ttl x` names no class: R for RDF, H for pages, N for what is neither";
        check(EXTENSIONS, "ttl X", expected);
        let expected = "extensions.txt, line 3: `tar.gz` is not an extension and a class, as `ttl R` is";
        check(EXTENSIONS, "\n\ntar.gz", expected);
        assert!(Lists::with_folder(&folder.path().join("nowhere")).unwrap_err().to_string().ends_with(nothing));
    }
}
