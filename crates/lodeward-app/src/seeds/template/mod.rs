//! Templates: seed lists with placeholders.
//!
//! A template describes a common crawl intent, such as “the geography of a building” (DURAARK D3.6
//! §1.4.3, §6.2), by predefined seeds that are combined with the user's building or place. It is a
//! TOML file. Some templates are built in; users can add their own ([`TemplateDirs`]).
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
//! [settings.ranking]
//! max_hops = 2
//! ```
//!
//! A seed is an `iri`, into which values are inserted with escaping, or a `text`, which is looked
//! up among labels. If a placeholder has several values, each produces a seed. A seed is omitted if
//! one of its optional placeholders has no value. Settings of a template override `lodeward.toml`
//! and are overridden by flags.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Table};

pub use dirs::{ListedTemplate, TemplateDirs, TemplateError};
pub use escape::NameEscape;
pub use fill::{FilledTemplate, PlaceholderValues};
pub use settings::check as check_settings;

mod escape;
mod fill;
mod pattern;
mod settings;
mod dirs;

use pattern::TextPattern;
pub use pattern::is_name;

/// Maximum size of a template in bytes.
const MAX_TEMPLATE_BYTES: usize = 1 << 20;

/// A seed list with placeholders.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// The name.
    pub name: String,
    /// What the template is about, in a few words.
    pub title: String,
    /// What the template is about, in a sentence.
    pub description: String,
    /// The placeholders.
    pub placeholders: Vec<Placeholder>,
    seeds: Vec<SeedPattern>,
    /// Settings, by section.
    pub settings: Table,
}

/// A placeholder in the seeds of a template.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// The name.
    pub name: String,
    /// The description for users.
    #[serde(default)]
    pub description: String,
    /// The kind of its values.
    #[serde(default)]
    pub kind: PlaceholderKind,
    /// Whether a value is required.
    #[serde(default)]
    pub required: bool,
    /// The value that is used if none is given.
    pub default: Option<String>,
}

/// The kind of the values of a placeholder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlaceholderKind {
    /// Names. An IRI is also accepted: it replaces the whole seed, or its last part is used as the
    /// name.
    #[default]
    Text,
    /// IRIs, or beginnings of IRIs, inserted unchanged.
    Iri,
    /// Names that are looked up among labels.
    Label,
}

/// A seed with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeedPattern {
    pattern: TextPattern,
    kind: SeedPatternKind,
}

/// How a seed with inserted values is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeedPatternKind {
    Iri(NameEscape),
    Text,
}

/// The TOML form of a template.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateToml {
    name: String,
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    placeholders: Vec<Spanned<Placeholder>>,
    seeds: Vec<Spanned<SeedToml>>,
    #[serde(default)]
    settings: Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedToml {
    iri: Option<String>,
    text: Option<String>,
    #[serde(default)]
    escape: NameEscape,
}

/// An error in a template, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TemplateFlaw {
    line: usize,
    what: String,
}

impl Template {
    /// Reads a template.
    fn parse(text: &str) -> Result<Self, TemplateFlaw> {
        let flaw = |at: usize, what: String| TemplateFlaw { line: 1 + text[..at].matches('\n').count(), what };
        if text.len() > MAX_TEMPLATE_BYTES {
            return Err(flaw(0, format!("template is larger than {MAX_TEMPLATE_BYTES} bytes")));
        }
        let written: TemplateToml = toml::from_str(text)
            .map_err(|error| flaw(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
        if !is_name(&written.name) {
            return Err(flaw(0, format!("invalid template name `{}`: {NAME_RULE}", written.name)));
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
            return Err(flaw(0, format!("placeholder {{{}}} is not used by any seed", unused.name)));
        }
        settings::check(&written.settings).map_err(|what| flaw(0, what))?;
        let TemplateToml { name, title, description, settings, .. } = written;
        Ok(Self { name, title, description, placeholders, seeds, settings })
    }

    /// Reads a template. Errors name its `source`, such as a file name, and the line.
    pub fn read(source: &str, text: &str) -> Result<Self, TemplateError> {
        Self::parse(text)
            .map_err(|flaw| TemplateError::Format { location: format!("{source}:{}", flaw.line), what: flaw.what })
    }

    /// The seeds, with placeholders.
    pub fn seeds(&self) -> impl Iterator<Item = String> {
        self.seeds.iter().map(|seed| seed.pattern.to_string())
    }

    fn placeholder(&self, name: &str) -> Option<&Placeholder> {
        self.placeholders.iter().find(|placeholder| placeholder.name == name)
    }
}

/// The rule of [`is_name`], for messages.
const NAME_RULE: &str = "use 1 to 64 letters, digits, - and _";

fn check_placeholder(placeholder: &Placeholder, others: &[Placeholder]) -> Result<(), String> {
    let Placeholder { name, required, default, .. } = placeholder;
    if !is_name(name) {
        return Err(format!("invalid placeholder name `{name}`: {NAME_RULE}"));
    }
    if others.iter().any(|other| other.name == *name) {
        return Err(format!("duplicate placeholder {{{name}}}"));
    }
    if *required && default.is_some() {
        return Err(format!("placeholder {{{name}}} cannot be required and have a default"));
    }
    Ok(())
}

impl SeedPattern {
    fn read(written: SeedToml, placeholders: &[Placeholder]) -> Result<Self, String> {
        let (text, kind) = match (written.iri, written.text) {
            (Some(iri), None) => (iri, SeedPatternKind::Iri(written.escape)),
            (None, Some(text)) => (text, SeedPatternKind::Text),
            _ => return Err("a seed has either an `iri` or a `text`".to_owned()),
        };
        let pattern = TextPattern::parse(&text)?;
        let kinds: BTreeMap<&str, PlaceholderKind> =
            placeholders.iter().map(|placeholder| (placeholder.name.as_str(), placeholder.kind)).collect();
        for name in pattern.placeholders() {
            let Some(value_kind) = kinds.get(name) else {
                return Err(format!("undefined placeholder {{{name}}}"));
            };
            let is_label = *value_kind == PlaceholderKind::Label;
            if is_label && kind != SeedPatternKind::Text && pattern.sole_placeholder().is_none() {
                return Err(format!(
                    "placeholder {{{name}}} has kind label, so its value is a whole IRI: write iri = \"{{{name}}}\""
                ));
            }
        }
        let is_fixed = pattern.placeholders().next().is_none();
        if is_fixed && kind != SeedPatternKind::Text {
            let iri = pattern.fill(&BTreeMap::new());
            lodeward::model::Uri::parse(&iri).map_err(|error| format!("`{iri}`: {error}"))?;
        }
        Ok(Self { pattern, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_in_a_template_has_its_line_and_cause() {
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
        check("[[seeds]]\niri = \"http://a.example/{place}\"\n", 3, "undefined placeholder {place}");
        check("[[seeds]]\ntext = \"{pla ce}\"\n", 3, "is not a placeholder");
        check(&format!("{seed}[[placeholders]]\nname = \"p\"\n"), 1, "placeholder {p} is not used by any seed");
        check(&format!("{seed}[[placeholders]]\nname = \"p q\"\n"), 5, "invalid placeholder name `p q`");
        check(
            &format!("{seed}[[placeholders]]\nname = \"p\"\n[[placeholders]]\nname = \"p\"\n"),
            7,
            "duplicate placeholder {p}",
        );
        check(
            &format!("{seed}[[placeholders]]\nname = \"p\"\nrequired = true\ndefault = \"x\"\n"),
            5,
            "cannot be required and have a default",
        );
        check(&format!("{seed}[[placeholders]]\nname = \"p\"\nkind = \"iris\"\n"), 7, "unknown variant `iris`");
        check(
            "[[placeholders]]\nname = \"p\"\nkind = \"label\"\n[[seeds]]\niri = \"http://a.example/{p}\"\n",
            6,
            "so its value is a whole IRI",
        );
        check(&format!("{seed}[settings.fetch]\nproxy = \"http://a.example/\"\n"), 1, "`fetch` cannot be set");
        let rejected = [
            "ranking.reference_graph",
            "ranking.descriptions_endpoint",
            "ranking.limits",
            "discover.max_requests_per_service",
            "crawl.rng_seed",
        ];
        for name in rejected {
            let (section, key) = name.split_once('.').unwrap();
            let cannot = format!("{name} cannot be set here, only ");
            check(&format!("{seed}[settings.{section}]\n{key} = \"file:/etc/passwd\"\n"), 1, &cannot);
        }
        check(&format!("{seed}[settings]\ncrawl = 3\n"), 1, "`crawl` is not a section");
        check("x = [\n", 3, "");
    }

    #[test]
    fn the_name_and_the_size_of_a_template_are_checked() {
        let flaw = |text: &str| Template::parse(text).unwrap_err().what;

        assert!(flaw("name = \"a/b\"\ntitle = \"\"\nseeds = []\n").contains("invalid template name `a/b`"));
        assert!(flaw(&"#".repeat(MAX_TEMPLATE_BYTES + 1)).contains("template is larger than"));
    }
}
