//! `lodeward drop`: a crawl's graphs, out of the archive.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::process::ExitCode;

use lodeward::open;
use lodeward::registry::Registry;
use lodeward_archive::Collection;

use super::crawls;
use crate::archive::Keeper;
use crate::arguments::{Drop, Loudness};
use crate::failure::Usage;
use crate::interrupt::Interrupt;
use crate::progress::say;
use crate::settings;

pub(crate) fn run(arguments: &Drop, loudness: &Loudness) -> anyhow::Result<ExitCode> {
    let data = &arguments.data.data;
    let config = settings::of(&arguments.data)?;
    let interrupt = Interrupt::default();
    let keeper = Keeper { config: &config, data, interrupt: &interrupt, quiet: loudness.quiet };
    let archive = keeper.open()?;
    let registry = Registry::open(data)?;
    let record = crawls::named(&registry, data, &arguments.crawl)?;
    let question = format!("take the graphs of the crawl `{}` out of {}?", record.name, data.display());
    if !arguments.yes && !is_confirmed(&question)? {
        say("nothing was dropped\n");
        return Ok(ExitCode::SUCCESS);
    }
    open::remove_export(&config, &registry, &archive, record.id)?;
    let graphs = archive.drop_collection(Collection(record.id))?;
    archive.sync()?;
    archive.reclaim()?;
    if !loudness.quiet {
        say(&format!("dropped {graphs} graphs of the crawl `{}`\n", record.name));
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks whoever sits there. Where nobody does, --yes is needed.
fn is_confirmed(question: &str) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        let message = format!("this needs a yes: {question}");
        return Err(Usage { message, hint: Some("say --yes".to_owned()) }.into());
    }
    say(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
