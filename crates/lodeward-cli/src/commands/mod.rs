//! One file for each command.

use std::process::ExitCode;

use crate::arguments::{Arguments, Command};

mod backup;
mod candidates;
mod changes;
mod config;
mod crawl;
mod crawls;
mod drop;
mod endpoint;
mod eval;
mod explain;
mod export;
mod extract;
mod health;
mod import;
mod model;
mod query;
mod rank;
mod rebuild;
mod seeds;
mod serve;
mod status;
mod templates;
mod user;

/// Does what was asked.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let loudness = &arguments.loudness;
    match arguments.command {
        Command::Crawl(crawl) => crawl::run(*crawl, loudness),
        Command::Seeds(seeds) => seeds::run(&seeds, loudness),
        Command::Templates(templates) => templates::run(&templates),
        Command::Extract(extract) => extract::run(&extract),
        Command::Explain(explain) => explain::run(&explain),
        Command::Status(status) => status::run(&status),
        Command::Changes(changes) => changes::run(&changes),
        Command::Rank(rank) => rank::run(rank, loudness),
        Command::Candidates(candidates) => candidates::run(*candidates, loudness),
        Command::Model(model) => model::run(model),
        Command::Query(query) => query::run(*query, loudness),
        Command::Export(export) => export::run(&export, loudness),
        Command::Import(import) => import::run(import, loudness),
        Command::Endpoint(endpoint) => endpoint::run(&endpoint, loudness),
        Command::Serve(serve) => serve::run(&serve, loudness),
        Command::User(user) => user::run(user),
        Command::Health(health) => health::run(&health, loudness),
        Command::Backup(backup) => backup::run(&backup, loudness),
        Command::Restore(restore) => backup::restore(&restore, loudness),
        Command::Rebuild(rebuild) => rebuild::run(&rebuild, loudness),
        Command::Drop(drop) => drop::run(&drop, loudness),
        Command::Eval(eval) => eval::run(eval, loudness),
        Command::Config(config) => config::run(&config),
    }
}
