//! `lodeward config`: prints all settings and the source of each.

use std::process::ExitCode;

use crate::args::ConfigArgs;
use crate::progress::print_stdout;
use crate::settings;

pub(crate) fn run(arguments: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let text = if arguments.example {
        lodeward_app::settings::example_file()
    } else {
        settings::resolve(&arguments.source, &[], None)?.to_toml()
    };
    print_stdout(&text)?;
    Ok(ExitCode::SUCCESS)
}
