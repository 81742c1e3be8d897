//! The commands, one module each.

use std::process::ExitCode;

use crate::args::{ArchiveCommand, Cli, Command};

mod backup;
mod candidates;
mod changes;
mod cluster;
mod config;
mod confirm;
mod crawl;
mod crawl_outputs;
mod crawl_settings;
mod crawls;
mod delete;
mod domains;
mod find_crawl;
mod generated;
mod drop;
mod explain;
mod export;
mod extract;
mod health;
mod import;
mod ineffective_flags;
mod links;
mod log;
mod model;
mod query;
mod rank;
mod read;
mod rebuild;
mod remove;
mod repair;
mod search;
mod seeds;
mod serve;
mod similar;
mod sparql_only;
mod status;
mod templates;
mod user;

/// Runs the command.
pub(crate) fn run(arguments: Cli) -> anyhow::Result<ExitCode> {
    let verbosity = &arguments.verbosity;
    match arguments.command {
        Command::Crawl(crawl) => crawl::run(*crawl, verbosity),
        Command::Seeds(seeds) => seeds::run(&seeds, verbosity),
        Command::Templates(templates) => templates::run(&templates),
        Command::Extract(extract) => extract::run(&extract),
        Command::Explain(explain) => explain::run(explain, verbosity),
        Command::Status(status) => status::run(status, verbosity),
        Command::Log(log) => log::run(log, verbosity),
        Command::Crawls(crawls) => crawls::run(&crawls),
        Command::Delete(delete) => delete::run(&delete, verbosity),
        Command::Remove(remove) => remove::run(&remove, verbosity),
        Command::Changes(changes) => changes::run(changes, verbosity),
        Command::Rank(rank) => rank::run(&rank, verbosity),
        Command::Candidates(candidates) => candidates::run(*candidates, verbosity),
        Command::Model(model) => model::run(model),
        Command::Query(query) => query::run(*query, verbosity),
        Command::Export(export) => export::run(*export, verbosity),
        Command::Search(search) => search::run(*search, verbosity),
        Command::Similar(similar) => similar::run(*similar, verbosity),
        Command::Cluster(cluster) => cluster::run(*cluster, verbosity),
        Command::Links(links) => links::run(*links, verbosity),
        Command::Import(import) => import::run(import, verbosity),
        Command::Serve(serve) => serve::run(&serve, verbosity),
        Command::User(user) => user::run(user),
        Command::Health(health) => health::run(&health, verbosity),
        Command::Backup(backup) => backup::run(&backup, verbosity),
        Command::Restore(restore) => backup::restore(&restore, verbosity),
        Command::Repair(repair) => repair::run(&repair, verbosity),
        Command::Archive(ArchiveCommand::Rebuild(rebuild)) => rebuild::run(&rebuild, verbosity),
        Command::Archive(ArchiveCommand::Drop(drop)) => drop::run(&drop, verbosity),
        Command::Config(config) => config::run(&config),
        Command::Completions(completions) => generated::print_completions(&completions),
        Command::Man(man) => generated::write_manual(&man, verbosity),
    }
}
