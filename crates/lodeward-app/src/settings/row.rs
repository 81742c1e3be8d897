//! A row of the table of settings, and the macro that declares the table.

use std::fmt::Write as _;
use std::ops::Bound;

use toml::Value;

use super::Config;
use super::rules::TextRule;
use super::value::{SettingKind, SettingType, texts};

/// Everything about one setting: its type and default, and what may set it.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent column of the table")]
pub struct SettingRow {
    /// The section: `crawl`, `crawl.hops`.
    pub section: &'static str,
    /// The key in the section: `max_depth`.
    pub key: &'static str,
    /// What the setting does, in the first sentence; then the reason for its default.
    pub doc: String,
    /// What its value is.
    pub kind: SettingKind,
    /// Whether it may have no value.
    pub is_optional: bool,
    /// The range of its number.
    pub range: ValueRange,
    /// The rule that each of its texts must satisfy.
    pub(super) rule: Option<TextRule>,
    /// The texts that it accepts; empty for all.
    pub allowed: &'static [&'static str],
    /// The flag that sets it.
    pub flag: Option<SettingFlag>,
    /// Whether it belongs to a crawl, and is stored with it.
    pub owner: SettingOwner,
    /// Whether templates and users of the service may set it, besides the operator.
    pub is_for_users: bool,
    /// Whether a running service reads it only at its start.
    pub needs_restart: bool,
    /// Whether its value is hidden from users of the service, because it names files or hosts of the
    /// operator.
    pub is_private: bool,
    /// A value for the example file, if there is no default.
    pub example: Option<&'static str>,
    get: fn(&Config) -> Option<Value>,
    set: fn(&mut Config, &Value) -> Result<(), String>,
    magnitude: fn(&Config) -> Option<f64>,
}

/// What a setting belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingOwner {
    /// A crawl: what is crawled, how, and what is stored of it.
    Crawl,
    /// The process: machine, service, secrets.
    Process,
}

/// The range of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The lower bound.
    pub min: Bound<f64>,
    /// The upper bound.
    pub max: Bound<f64>,
}

/// The flag of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingFlag {
    /// The flag with its dashes: `--max-depth`.
    pub name: &'static str,
    /// The name of its value in the help; empty for a switch.
    pub value_name: &'static str,
    /// Where the help lists it.
    pub heading: FlagHeading,
    /// The help, if it is not the first sentence of the doc.
    help: Option<&'static str>,
    /// The commands that have it.
    pub commands: &'static [FlagCommand],
}

/// A command with flags for settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagCommand {
    /// `lodeward crawl`.
    Crawl,
    /// `lodeward rank`.
    Rank,
    /// `lodeward seeds`.
    Seeds,
}

/// The part of the help that lists a flag, in the order of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlagHeading {
    /// The common flags, which `-h` lists; with the position of the flag.
    Common(usize),
    /// Limits.
    Limits,
    /// What is crawled.
    Scope,
    /// Load on servers.
    Politeness,
    /// HTTP.
    Fetching,
    /// Ranking of entities.
    Focus,
    /// What is written.
    Output,
    /// Rarely used flags.
    Advanced,
    /// Seeds that are not URIs.
    Seeds,
}

impl FlagHeading {
    /// The heading in the help; `None` for the common flags.
    #[must_use]
    pub fn title(self) -> Option<&'static str> {
        match self {
            Self::Common(_) => None,
            Self::Limits => Some("Limits"),
            Self::Scope => Some("Scope"),
            Self::Politeness => Some("Politeness"),
            Self::Fetching => Some("Fetching"),
            Self::Focus => Some("Topic-focused crawls"),
            Self::Output => Some("Output and logs"),
            Self::Advanced => Some("Advanced"),
            Self::Seeds => Some("Seeds that are not URIs (see docs/seeds.md)"),
        }
    }
}

impl SettingRow {
    /// A row without a range, a rule or a flag.
    pub(super) fn new<T: SettingType>(
        (section, owner): (&'static str, SettingOwner),
        (key, doc): (&'static str, &'static str),
        get: fn(&Config) -> Option<Value>,
        set: fn(&mut Config, &Value) -> Result<(), String>,
        magnitude: fn(&Config) -> Option<f64>,
    ) -> Self {
        Self {
            section,
            key,
            doc: paragraph(doc),
            kind: T::KIND,
            is_optional: T::IS_OPTIONAL,
            range: ValueRange { min: Bound::Unbounded, max: Bound::Unbounded },
            rule: None,
            allowed: &[],
            flag: None,
            owner: if T::KIND == SettingKind::Secret { SettingOwner::Process } else { owner },
            is_for_users: false,
            needs_restart: false,
            is_private: T::KIND == SettingKind::Secret,
            example: None,
            get,
            set,
            magnitude,
        }
    }

    pub(super) fn above(mut self, bound: f64) -> Self {
        self.range.min = Bound::Excluded(bound);
        self
    }

    pub(super) fn at_least(mut self, bound: f64) -> Self {
        self.range.min = Bound::Included(bound);
        self
    }

    pub(super) fn below(mut self, bound: f64) -> Self {
        self.range.max = Bound::Excluded(bound);
        self
    }

    pub(super) fn at_most(mut self, bound: f64) -> Self {
        self.range.max = Bound::Included(bound);
        self
    }

    pub(super) fn rule(mut self, rule: TextRule) -> Self {
        self.rule = Some(rule);
        self
    }

    pub(super) fn one_of(mut self, allowed: &'static [&'static str]) -> Self {
        self.allowed = allowed;
        self
    }

    /// The setting has a flag of `lodeward crawl`.
    pub(super) fn flag(mut self, name: &'static str, value_name: &'static str, heading: FlagHeading) -> Self {
        let commands = &[FlagCommand::Crawl];
        self.flag = Some(SettingFlag { name, value_name, heading, help: None, commands });
        self
    }

    pub(super) fn commands(self, commands: &'static [FlagCommand]) -> Self {
        self.with_flag(|flag| flag.commands = commands)
    }

    pub(super) fn help(self, help: &'static str) -> Self {
        self.with_flag(|flag| flag.help = Some(help))
    }

    fn with_flag(mut self, change: impl FnOnce(&mut SettingFlag)) -> Self {
        change(self.flag.as_mut().expect("the row has a flag"));
        self
    }

    pub(super) fn for_users(mut self) -> Self {
        self.is_for_users = true;
        self
    }

    pub(super) fn of_process(mut self) -> Self {
        self.owner = SettingOwner::Process;
        self
    }

    pub(super) fn needs_restart(mut self) -> Self {
        self.needs_restart = true;
        self
    }

    pub(super) fn private(mut self) -> Self {
        self.is_private = true;
        self
    }

    pub(super) fn example(mut self, example: &'static str) -> Self {
        self.example = Some(example);
        self
    }

    /// Section and key: `crawl.max_depth`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }

    /// The value in some settings; `None` if it has none. A secret is masked.
    #[must_use]
    pub fn value(&self, config: &Config) -> Option<Value> {
        (self.get)(config)
    }

    /// Sets the value. Fails if the value has another type.
    pub(super) fn set(&self, config: &mut Config, value: &Value) -> Result<(), String> {
        (self.set)(config, value)
    }

    /// The value as text: without quotes, and with commas in a list.
    #[must_use]
    pub fn value_text(&self, config: &Config) -> Option<String> {
        self.value(config).map(|value| value_text(&value))
    }

    /// What a text of the setting must be, if not any text.
    #[must_use]
    pub fn format(&self) -> Option<&'static str> {
        self.rule.map(|rule| rule.format)
    }

    /// What the doc says in its first sentence, without the full stop.
    #[must_use]
    pub fn summary(&self) -> &str {
        self.doc.split(". ").next().unwrap_or_default().trim_end_matches('.')
    }

    /// The help of the flag, with the default.
    #[must_use]
    pub fn flag_help(&self) -> String {
        let written = self.flag.and_then(|flag| flag.help).unwrap_or_else(|| self.summary());
        let mut help = written.to_owned();
        let has_default = !matches!(self.kind, SettingKind::Boolean | SettingKind::List) && !help.contains("[default");
        if let Some(default) = self.value_text(&Config::default()).filter(|_| has_default) {
            let _ = write!(help, " [default: {default}]");
        }
        help
    }

    /// Every reason why the value is invalid.
    pub(super) fn problems(&self, config: &Config) -> Vec<String> {
        let mut problems = Vec::new();
        if (self.magnitude)(config).is_some_and(|number| !self.range.contains(number)) {
            problems.push(self.range.requirement(self.kind));
        }
        let value = self.value(config);
        for text in value.iter().flat_map(texts) {
            problems.extend(self.rule.and_then(|rule| (rule.problem)(text)));
            if !self.allowed.is_empty() && !self.allowed.contains(&text) {
                problems.push(format!("`{text}`: not one of {}", self.allowed.join(", ")));
            }
        }
        problems
    }
}

/// A doc comment as one line, without the escapes of rustdoc.
pub(super) fn paragraph(doc: &str) -> String {
    let words: Vec<&str> = doc.split_whitespace().collect();
    words.join(" ").replace("\\[", "[").replace("\\]", "]")
}

/// A value as text: without quotes, and with commas in a list.
#[must_use]
pub fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(value_text).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

impl ValueRange {
    fn contains(&self, number: f64) -> bool {
        let Self { min, max } = *self;
        let is_unbounded = (min, max) == (Bound::Unbounded, Bound::Unbounded);
        is_unbounded || number.is_finite() && std::ops::RangeBounds::contains(&(min, max), &number)
    }

    /// What a number in the range satisfies: `must be above 0`.
    fn requirement(&self, kind: SettingKind) -> String {
        use Bound::{Excluded, Included, Unbounded};
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are whole numbers")]
        let text = |number: f64| match kind {
            SettingKind::Size if number > 0.0 => super::units::format_size(number as u64),
            _ => number.to_string(),
        };
        match (self.min, self.max) {
            (Unbounded, Unbounded) => "must be a number".to_owned(),
            (Included(min), Included(max)) => format!("must be between {} and {}", text(min), text(max)),
            (Included(min), Unbounded) => format!("must not be below {}", text(min)),
            (Included(min), Excluded(max)) => format!("must be at least {} and below {}", text(min), text(max)),
            (Excluded(min), Unbounded) => format!("must be above {}", text(min)),
            (Excluded(min), Included(max)) => format!("must be above {} and at most {}", text(min), text(max)),
            (Excluded(min), Excluded(max)) => format!("must be above {} and below {}", text(min), text(max)),
            (Unbounded, Included(max)) => format!("must be at most {}", text(max)),
            (Unbounded, Excluded(max)) => format!("must be below {}", text(max)),
        }
    }
}

/// Declares the table: a struct for each section with the defaults, and a [`SettingRow`] for each
/// key.
///
/// The head of a section has its name, its struct, its field in [`Config`] and its owner. A row has
/// the doc, the key, its type, its default, and then the methods of [`SettingRow`] that apply. The
/// fields after `+` are not keys: subsections, and options that are not settings.
macro_rules! table {
    ($(
        $(#[doc = $section_doc:literal])*
        [$path:literal] $Section:ident: $($field:ident).+, $Owner:ident {
            $(
                $(#[doc = $doc:literal])*
                $key:ident: $Type:ty = $default:expr $(, $part:ident($($argument:expr),*))*;
            )+
            $(+ { $($(#[doc = $sub_doc:literal])* $sub:ident: $Sub:ty,)+ })?
        }
    )+) => {
        /// The name of each section, and what it is about.
        pub const SECTIONS: &[(&str, &str)] = &[$(($path, concat!($($section_doc, "\n"),*)),)+];

        $(
            $(#[doc = $section_doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $Section {
                $($(#[doc = $doc])* pub $key: $Type,)+
                $($($(#[doc = $sub_doc])* pub $sub: $Sub,)+)?
            }

            impl Default for $Section {
                fn default() -> Self {
                    Self { $($key: $default,)+ $($($sub: <$Sub>::default(),)+)? }
                }
            }

            impl $Section {
                fn of(config: &Config) -> &Self {
                    &config.$($field).+
                }

                fn of_mut(config: &mut Config) -> &mut Self {
                    &mut config.$($field).+
                }
            }
        )+

        /// All settings, in the order of declaration.
        pub static ROWS: LazyLock<Vec<SettingRow>> = LazyLock::new(|| vec![$($(
            SettingRow::new::<$Type>(
                ($path, SettingOwner::$Owner),
                (stringify!($key), concat!($($doc, "\n"),*)),
                |config| $Section::of(config).$key.to_value(),
                |config, value| {
                    $Section::of_mut(config).$key = <$Type>::from_value(value)?;
                    Ok(())
                },
                |config| $Section::of(config).$key.magnitude(),
            )
            $(.$part($($argument),*))*,
        )+)+]);
    };
}

pub(super) use table;
