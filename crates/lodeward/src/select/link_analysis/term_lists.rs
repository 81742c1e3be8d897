//! `S_R`: terms, media types and file extensions that indicate RDF.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use foldhash::fast::FixedState;

use super::class::LinkClass;
use super::terms::TermMatcher;
use crate::select::StrategyError;

/// The lists of link analysis (§III.C.2): bundled, and extended by the user.
#[derive(Clone, Debug)]
pub(crate) struct RdfTermLists {
    pub(super) terms: TermMatcher,
    media_types: HashSet<Box<str>, FixedState>,
    extensions: HashMap<Box<str>, LinkClass, FixedState>,
}

const TERMS: &str = "terms.txt";
const MEDIA_TYPES: &str = "media-types.txt";
const EXTENSIONS: &str = "extensions.txt";

impl RdfTermLists {
    /// The bundled lists.
    #[must_use]
    pub(crate) fn built_in() -> Self {
        let mut lists =
            Self { terms: TermMatcher::default(), media_types: HashSet::default(), extensions: HashMap::default() };
        let files = [
            (TERMS, include_str!("lists/terms.txt")),
            (MEDIA_TYPES, include_str!("lists/media-types.txt")),
            (EXTENSIONS, include_str!("lists/extensions.txt")),
        ];
        for (name, text) in files {
            lists.extend(name, text).expect("the bundled lists are valid");
        }
        lists
    }

    /// The bundled lists, extended by those of a directory: `terms.txt`, `media-types.txt` and
    /// `extensions.txt`, some of which may be missing.
    pub(crate) fn with_dir(dir: &Path) -> Result<Self, StrategyError> {
        let mut lists = Self::built_in();
        let mut found = false;
        for name in [TERMS, MEDIA_TYPES, EXTENSIONS] {
            let path = dir.join(name);
            let text = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(source) => return Err(StrategyError::File { path, source }),
            };
            found = true;
            let failed = |problem| StrategyError::Setting(format!("{}, {problem}", path.display()));
            lists.extend(name, &text).map_err(failed)?;
        }
        if found {
            return Ok(lists);
        }
        let dir = dir.display();
        let message = format!(
            "no term lists in {dir} (strategy.link-analysis.term_lists_dir): it has none of {TERMS}, {MEDIA_TYPES} and \
             {EXTENSIONS}"
        );
        Err(StrategyError::Setting(message))
    }

    /// Adds the lines of a list. Later lines override earlier ones.
    fn extend(&mut self, name: &str, text: &str) -> Result<(), String> {
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim().to_lowercase();
            if line.is_empty() {
                continue;
            }
            let added = match name {
                TERMS => self.add_term(&line),
                MEDIA_TYPES => self.add_media_type(&line),
                _ => self.add_extension(&line),
            };
            added.map_err(|problem| format!("line {}: `{line}` {problem}", number + 1))?;
        }
        Ok(())
    }

    fn add_term(&mut self, line: &str) -> Result<(), &'static str> {
        if self.terms.add(line) { Ok(()) } else { Err("has neither letters nor digits") }
    }

    fn add_media_type(&mut self, line: &str) -> Result<(), &'static str> {
        let is_name = |part: &str| !part.is_empty() && part.chars().all(is_media_type_char);
        match line.split_once('/') {
            Some((kind, name)) if is_name(kind) && is_name(name) => {
                self.media_types.insert(line.into());
                Ok(())
            }
            _ => Err("is not a media type without parameters, such as `text/turtle`"),
        }
    }

    fn add_extension(&mut self, line: &str) -> Result<(), &'static str> {
        let mut words = line.split_whitespace();
        let extension = words.next().unwrap_or_default().trim_start_matches('.');
        let class = match words.next() {
            None | Some("r") => LinkClass::R,
            Some("h") => LinkClass::H,
            Some("n") => LinkClass::N,
            Some(_) => return Err("has an unknown class; hint: use R for RDF, H for pages, N for neither"),
        };
        if words.next().is_some() || extension.is_empty() || !extension.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err("is not an extension with a class, such as `ttl R`");
        }
        self.extensions.insert(extension.into(), class);
        Ok(())
    }

    /// The class of an extension, given in lower case; `None` if it is unknown.
    #[must_use]
    pub(crate) fn extension_class(&self, extension: &str) -> Option<LinkClass> {
        self.extensions.get(extension).copied()
    }

    /// Whether a text contains an RDF media type.
    #[must_use]
    pub(crate) fn contains_media_type(&self, text: &str) -> bool {
        // A media type contains a slash, which is rare in texts.
        memchr::memchr_iter(b'/', text.as_bytes()).any(|slash| {
            let before = text[..slash].trim_end_matches(is_media_type_char).len();
            let after = text[slash + 1..].find(|c| !is_media_type_char(c)).map_or(text.len(), |at| slash + 1 + at);
            // If the media type ends a sentence, a full stop follows.
            let found = text[before..after].trim_end_matches('.');
            found.len() > 2 && self.media_types.contains(found.to_ascii_lowercase().as_str())
        })
    }
}

fn is_media_type_char(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::rdf_likelihood::is_non_rdf_extension;
    use lodeward_rdf::RdfFormat;

    #[test]
    fn media_type_in_curly_quotes_is_found() {
        assert!(RdfTermLists::built_in().contains_media_type("as \u{201c}text/turtle\u{201d}"));
    }

    #[test]
    fn all_formats_of_the_crawler_are_in_the_lists() {
        let lists = RdfTermLists::built_in();

        for syntax in RdfFormat::all().filter(|syntax| syntax.is_rdf()) {
            assert!(lists.contains_media_type(syntax.media_type()), "{}", syntax.media_type());
        }
        for (extension, class) in &lists.extensions {
            let is_rdf = RdfFormat::from_extension(extension).is_some_and(RdfFormat::is_rdf);
            assert_eq!(*class == LinkClass::R, is_rdf, "{extension}");
            assert!(!is_non_rdf_extension(extension) || *class == LinkClass::N, "{extension}");
        }
    }

    #[test]
    fn media_types_are_found_as_a_whole() {
        let lists = RdfTermLists::built_in();
        let check = |text: &str, expected| assert_eq!(lists.contains_media_type(text), expected, "{text}");

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
    fn a_directory_extends_the_lists() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(TERMS), "# comment\nCIDOC crm # a model\n\n").unwrap();
        std::fs::write(dir.path().join(MEDIA_TYPES), "application/x-quads\n").unwrap();
        std::fs::write(dir.path().join(EXTENSIONS), ".hdt\nxml R\nview H\nttl N\n").unwrap();

        let lists = RdfTermLists::with_dir(dir.path()).unwrap();

        assert!(lists.terms.matches("The CIDOC-CRM of things"));
        assert!(lists.terms.matches("as RDF"));
        assert!(lists.contains_media_type("application/x-quads"));
        let classes = ["hdt", "xml", "view", "ttl", "rdf", "exotic"].map(|name| lists.extension_class(name));
        let (r, h, n) = (Some(LinkClass::R), Some(LinkClass::H), Some(LinkClass::N));
        assert_eq!(classes, [r, r, h, n, r, None]);
    }

    #[test]
    fn an_error_in_a_list_is_reported_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let check = |name: &str, text: &str, expected: &str| {
            std::fs::write(dir.path().join(name), text).unwrap();
            let error = RdfTermLists::with_dir(dir.path()).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
            std::fs::remove_file(dir.path().join(name)).unwrap();
        };

        let nothing = "has none of terms.txt, media-types.txt and extensions.txt";
        check("other.txt", "", nothing);
        check(TERMS, "rdf\n+++\n", "terms.txt, line 2: `+++` has neither letters nor digits");
        let expected =
            "media-types.txt, line 1: `turtle` is not a media type without parameters, such as `text/turtle`";
        check(MEDIA_TYPES, "turtle", expected);
        let expected =
            "extensions.txt, line 1: `ttl x` has an unknown class; hint: use R for RDF, H for pages, N for neither";
        check(EXTENSIONS, "ttl X", expected);
        let expected = "extensions.txt, line 3: `tar.gz` is not an extension with a class, such as `ttl R`";
        check(EXTENSIONS, "\n\ntar.gz", expected);
        assert!(RdfTermLists::with_dir(&dir.path().join("nowhere")).unwrap_err().to_string().ends_with(nothing));
    }
}
