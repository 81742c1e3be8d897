//! The flags of settings, built from the table of settings.

use std::marker::PhantomData;
use std::ops::Bound;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use lodeward_app::settings::{
    Config, FlagCommand, FlagHeading, FlagOverride, ROWS, SettingFlag, SettingKind, SettingRow, Value,
};

/// A command with flags for settings.
pub(crate) trait CommandWithFlags {
    const COMMAND: FlagCommand;
}

/// `lodeward crawl`.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrawlFlags;

/// `lodeward rank`.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankFlags;

/// `lodeward seeds`.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeedsFlags;

impl CommandWithFlags for CrawlFlags {
    const COMMAND: FlagCommand = FlagCommand::Crawl;
}

impl CommandWithFlags for RankFlags {
    const COMMAND: FlagCommand = FlagCommand::Rank;
}

impl CommandWithFlags for SeedsFlags {
    const COMMAND: FlagCommand = FlagCommand::Seeds;
}

/// The settings that the flags of a command set.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingFlags<C> {
    pub(crate) overrides: Vec<FlagOverride>,
    command: PhantomData<C>,
}

impl<C: CommandWithFlags> Args for SettingFlags<C> {
    fn augment_args(command: Command) -> Command {
        flags(C::COMMAND).into_iter().fold(command, |command, (row, flag)| command.arg(argument(row, flag, C::COMMAND)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: CommandWithFlags> FromArgMatches for SettingFlags<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let set = |(row, flag)| Some(FlagOverride { row, value: value(row, flag, matches)? });
        Ok(Self { overrides: flags(C::COMMAND).into_iter().filter_map(set).collect(), command: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flags of a command, in the order of its help.
fn flags(command: FlagCommand) -> Vec<(&'static SettingRow, SettingFlag)> {
    let all = ROWS.iter().filter_map(|row| Some((row, row.flag?)));
    let mut flags: Vec<_> = all.filter(|(_, flag)| flag.commands.contains(&command)).collect();
    flags.sort_by_key(|(_, flag)| flag.heading);
    flags
}

fn id(flag: SettingFlag) -> &'static str {
    flag.name.trim_start_matches('-')
}

fn argument(row: &SettingRow, flag: SettingFlag, command: FlagCommand) -> Arg {
    let argument = Arg::new(id(flag)).long(id(flag)).help(row.flag_help());
    let argument = match row.kind {
        SettingKind::Boolean => argument.action(ArgAction::SetTrue),
        SettingKind::Integer(max) => {
            let range = clap::value_parser!(i64).range(whole_range(row, max));
            argument.value_name(flag.value_name).value_parser(range)
        }
        SettingKind::Choice(values) => {
            let values = values.iter().map(|value| PossibleValue::new(value.name).help(value.doc));
            argument.value_name(flag.value_name).value_parser(PossibleValuesParser::new(values))
        }
        SettingKind::List => argument.value_name(flag.value_name).action(ArgAction::Append),
        _ => argument.value_name(flag.value_name),
    };
    match (flag.heading, command) {
        (FlagHeading::Common(position), FlagCommand::Crawl) => argument.display_order(position),
        (heading, FlagCommand::Crawl) | (heading @ FlagHeading::Seeds, _) => {
            argument.help_heading(heading.title()).hide_short_help(true)
        }
        _ => argument,
    }
}

/// The whole numbers that the type of a setting allows. Its range also applies, and is checked
/// with all other settings.
fn whole_range(row: &SettingRow, max: i64) -> std::ops::RangeInclusive<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "the bounds of a range are small whole numbers")]
    let whole = |bound: Bound<f64>| match bound {
        Bound::Included(bound) => Some(bound as i64),
        _ => None,
    };
    whole(row.range.min).unwrap_or(0)..=whole(row.range.max).unwrap_or(max)
}

/// The value that a flag sets, if it was given.
fn value(row: &SettingRow, flag: SettingFlag, matches: &ArgMatches) -> Option<Value> {
    match row.kind {
        SettingKind::Boolean => {
            let default = row.value(&Config::default()).and_then(|value| value.as_bool());
            matches.get_flag(id(flag)).then(|| Value::from(default != Some(true)))
        }
        SettingKind::Integer(_) => matches.get_one::<i64>(id(flag)).map(|number| Value::from(*number)),
        SettingKind::List => {
            let values = matches.get_many::<String>(id(flag))?;
            Some(Value::Array(values.map(|text| Value::from(text.as_str())).collect()))
        }
        _ => matches.get_one::<String>(id(flag)).map(|text| Value::from(text.as_str())),
    }
}
