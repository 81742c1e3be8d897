//! Seed lists with placeholders.
//!
//! A template realises a crawl intent that many share, as “the geography of a
//! building” (DURAARK D3.6 §1.4.3, §6.2): predefined seeds, combined with
//! whatever building or place somebody has before them. It is a TOML file; some
//! are [shipped](shelf::Shelf), and users have their own.
//!
//! ```toml
//! name = "geography"
//! title = "The surroundings of a building"
//!
//! [[placeholders]]
//! name = "place"
//! description = "The town it is in"
//!
//! [[seeds]]
//! iri = "http://dbpedia.org/resource/{place}"
//!
//! [[seeds]]
//! text = "Geography of {place}"
//!
//! [settings.focus]
//! depth = 2
//! ```
//!
//! A seed is an `iri`, into which values are put as names are written in IRIs, or
//! a `text`, which is looked up among labels. Several values for a placeholder
//! make several seeds; a seed whose placeholder has no value and need not have one
//! is left out. Settings are laid between those of the user's file and those of
//! the user's flags.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Table};

pub use escape::Escape;
pub use fill::{Filled, Values};
pub use settings::check as check_settings;
pub use shelf::{Shelf, Shelved, TemplateError};

mod escape;
mod fill;
mod pattern;
mod settings;
mod shelf;

use pattern::Pattern;
pub use pattern::is_name;

/// A file that is larger is no template.
const BYTES_MAX: usize = 1 << 20;

/// A seed list with placeholders.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// What it is called by.
    pub name: String,
    /// What it is about, in a few words.
    pub title: String,
    /// What it is about, in some more.
    pub description: String,
    /// What is to be put in.
    pub placeholders: Vec<Placeholder>,
    seeds: Vec<SeedPattern>,
    /// Settings that suit it, section by section.
    pub settings: Table,
}

/// Something that is to be put in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// What it is called by.
    pub name: String,
    /// What is to be put in, for people.
    #[serde(default)]
    pub description: String,
    /// What values are.
    #[serde(default)]
    pub kind: Kind,
    /// Whether there must be a value.
    #[serde(default)]
    pub required: bool,
    /// The value if there is no other.
    pub default: Option<String>,
}

/// What the values of a placeholder are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Names. An IRI may be given for one, too, and stands for the whole seed, or
    /// for the name in it.
    #[default]
    Text,
    /// IRIs, or beginnings of them, put in as they are.
    Iri,
    /// Names that are looked up among labels.
    Label,
}

/// A seed with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeedPattern {
    pattern: Pattern,
    reading: Reading,
}

/// What a seed is when values have been put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Iri(Escape),
    Text,
}

/// As it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    placeholders: Vec<Spanned<Placeholder>>,
    seeds: Vec<Spanned<WrittenSeed>>,
    #[serde(default)]
    settings: Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSeed {
    iri: Option<String>,
    text: Option<String>,
    #[serde(default)]
    escape: Escape,
}

/// Something wrong with a template, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Flaw {
    line: usize,
    what: String,
}

impl Template {
    /// Reads a template.
    fn parse(text: &str) -> Result<Self, Flaw> {
        let flaw = |at: usize, what: String| Flaw { line: 1 + text[..at].matches('\n').count(), what };
        if text.len() > BYTES_MAX {
            return Err(flaw(0, "too long for a template".to_owned()));
        }
        let written: Written = toml::from_str(text)
            .map_err(|error| flaw(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
        if !is_name(&written.name) {
            return Err(flaw(
                0,
                format!("`{}` cannot be the name of a template: letters, digits, - and _", written.name),
            ));
        }
        let mut placeholders: Vec<Placeholder> = Vec::new();
        for placeholder in written.placeholders {
            let at = placeholder.span().start;
            let placeholder = placeholder.into_inner();
            check_placeholder(&placeholder, &placeholders).map_err(|what| flaw(at, what))?;
            placeholders.push(placeholder);
        }
        let mut seeds = Vec::new();
        for seed in written.seeds {
            let at = seed.span().start;
            seeds.push(SeedPattern::read(seed.into_inner(), &placeholders).map_err(|what| flaw(at, what))?);
        }
        let used = |name: &str| seeds.iter().any(|seed| seed.pattern.placeholders().any(|known| known == name));
        if let Some(unused) = placeholders.iter().find(|placeholder| !used(&placeholder.name)) {
            return Err(flaw(0, format!("no seed has the placeholder {{{}}}", unused.name)));
        }
        settings::check(&written.settings).map_err(|what| flaw(0, what))?;
        let Written { name, title, description, settings, .. } = written;
        Ok(Self { name, title, description, placeholders, seeds, settings })
    }

    /// Reads a template that somebody has sent. What is wrong with it is told with its
    /// line, in what they call `place`.
    pub fn read(place: &str, text: &str) -> Result<Self, TemplateError> {
        Self::parse(text)
            .map_err(|flaw| TemplateError::Format { place: format!("{place}:{}", flaw.line), what: flaw.what })
    }

    /// The seeds as they are written.
    pub fn seeds(&self) -> impl Iterator<Item = String> {
        self.seeds.iter().map(|seed| seed.pattern.to_string())
    }

    fn placeholder(&self, name: &str) -> Option<&Placeholder> {
        self.placeholders.iter().find(|placeholder| placeholder.name == name)
    }
}

fn check_placeholder(placeholder: &Placeholder, others: &[Placeholder]) -> Result<(), String> {
    let Placeholder { name, required, default, .. } = placeholder;
    if !is_name(name) {
        return Err(format!("`{name}` cannot be the name of a placeholder: letters, digits, - and _"));
    }
    if others.iter().any(|other| other.name == *name) {
        return Err(format!("there are two placeholders {{{name}}}"));
    }
    if *required && default.is_some() {
        return Err(format!("{{{name}}} is required and has a default: one of both"));
    }
    Ok(())
}

impl SeedPattern {
    fn read(written: WrittenSeed, placeholders: &[Placeholder]) -> Result<Self, String> {
        let (text, reading) = match (written.iri, written.text) {
            (Some(iri), None) => (iri, Reading::Iri(written.escape)),
            (None, Some(text)) => (text, Reading::Text),
            _ => return Err("a seed is either an `iri` or a `text`".to_owned()),
        };
        let pattern = Pattern::parse(&text)?;
        let kinds: BTreeMap<&str, Kind> =
            placeholders.iter().map(|placeholder| (placeholder.name.as_str(), placeholder.kind)).collect();
        for name in pattern.placeholders() {
            let Some(kind) = kinds.get(name) else {
                return Err(format!("{{{name}}} is not among the placeholders"));
            };
            if *kind == Kind::Label && reading != Reading::Text && pattern.alone().is_none() {
                return Err(format!("{{{name}}} is a label, which gives a whole IRI: write iri = \"{{{name}}}\""));
            }
        }
        let is_fixed = pattern.placeholders().next().is_none();
        if is_fixed && reading != Reading::Text {
            let iri = pattern.filled(&BTreeMap::new());
            crate::model::Uri::parse(&iri).map_err(|error| format!("`{iri}`: {error}"))?;
        }
        Ok(Self { pattern, reading })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_with_a_flaw_says_where_and_what() {
        let check = |body: &str, line: usize, what: &str| {
            let flaw = Template::parse(&format!("name = \"x\"\ntitle = \"X\"\n{body}")).unwrap_err();
            assert!(flaw.what.contains(what) && flaw.line == line, "{flaw:?}");
        };
        let seed = "[[seeds]]\niri = \"http://a.example/\"\n";

        check("", 1, "missing field `seeds`");
        check("sedes = 1\n", 3, "unknown field `sedes`");
        check("[[seeds]]\n", 3, "either an `iri` or a `text`");
        check("[[seeds]]\niri = \"a\"\ntext = \"b\"\n", 3, "either an `iri` or a `text`");
        check("[[seeds]]\niri = \"urn:x\"\n", 3, "cannot dereference scheme `urn`");
        check("[[seeds]]\niri = \"http://a.example/{place}\"\n", 3, "{place} is not among the placeholders");
        check("[[seeds]]\ntext = \"{pla ce}\"\n", 3, "is no placeholder");
        check(&format!("{seed}[[placeholders]]\nname = \"p\"\n"), 1, "no seed has the placeholder {p}");
        check(&format!("{seed}[[placeholders]]\nname = \"p q\"\n"), 5, "cannot be the name");
        check(
            &format!("{seed}[[placeholders]]\nname = \"p\"\n[[placeholders]]\nname = \"p\"\n"),
            7,
            "two placeholders {p}",
        );
        check(&format!("{seed}[[placeholders]]\nname = \"p\"\nrequired = true\ndefault = \"x\"\n"), 5, "one of both");
        check(&format!("{seed}[[placeholders]]\nname = \"p\"\nkind = \"iris\"\n"), 7, "unknown variant `iris`");
        check(
            "[[placeholders]]\nname = \"p\"\nkind = \"label\"\n[[seeds]]\niri = \"http://a.example/{p}\"\n",
            6,
            "gives a whole IRI",
        );
        check(&format!("{seed}[settings.fetch]\nproxy = \"http://a.example/\"\n"), 1, "no settings for `fetch`");
        let refused =
            ["focus.reference", "focus.endpoint", "focus.entities_max", "discover.requests_max", "crawl.seed"];
        for name in refused {
            let (section, key) = name.split_once('.').unwrap();
            let cannot = format!("{name} cannot be set here, only ");
            check(&format!("{seed}[settings.{section}]\n{key} = \"file:/etc/passwd\"\n"), 1, &cannot);
        }
        check(&format!("{seed}[settings]\ncrawl = 3\n"), 1, "`crawl` is not a section");
        check("x = [\n", 3, "");
    }

    #[test]
    fn a_template_has_a_name_and_is_no_dump() {
        let flaw = |text: &str| Template::parse(text).unwrap_err().what;

        assert!(flaw("name = \"a/b\"\ntitle = \"\"\nseeds = []\n").contains("cannot be the name of a template"));
        assert!(flaw(&"#".repeat(BYTES_MAX + 1)).contains("too long"));
    }
}
