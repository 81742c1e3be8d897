//! `lodeward cluster`: clusters the entities of the archive, and prints the clusters.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward_app::display_text::single_line;
use lodeward_app::search::clusters::{self, Cluster, ClusterJob, ClusterRun, ClusterSummary};
use lodeward_app::search::{EntitySearchError, EntitySelection};
use serde_json::json;

use super::read::{self, CommandEnd, ReadCommand, ReadContext, ReadRequest};
use super::search::explain;
use crate::args::{ClusterArgs, EntitySelectionArgs, VerbosityArgs};
use crate::clock;
use crate::errors::UsageError;
use crate::interrupt::Interrupt;
use crate::settings::SettingsInput;

pub(crate) fn run(arguments: ClusterArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    if arguments.k_min > arguments.k_max {
        let message = format!("--k-min {} is larger than --k-max {}", arguments.k_min, arguments.k_max);
        return Err(UsageError { message, hint: None }.into());
    }
    let settings = SettingsInput::read(&arguments.data.source)?;
    let data = arguments.data.data.clone();
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Cluster(Box::new(arguments)));
    read::run(&request, &data, None, &Interrupt::listen()?)
}

pub(super) fn perform(arguments: &ClusterArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    if let Some(id) = arguments.show {
        let found = clusters::get(context.access.data(), id).map_err(explain)?;
        show(&found, arguments, context)?;
        return Ok(CommandEnd::default());
    }
    let mut code = 0;
    if !arguments.list {
        let (index, harvest) = context.search_index()?;
        code = harvest.code();
        let (data, cancel) = (context.access.data(), context.cancel);
        let is_stopped = || cancel.is_cancelled();
        if arguments.extend {
            let extended = clusters::extend(&index, data, clock::now_ms(), &is_stopped).map_err(explain)?;
            extended.ok_or_else(|| explain(EntitySearchError::NoClusters))?;
        } else {
            let job = ClusterJob {
                algorithm: arguments.algorithm.into(),
                selection: selection(&arguments.selection, &arguments.data.data, context)?,
                k_min: arguments.k_min.into(),
                k_max: arguments.k_max.into(),
            };
            clusters::cluster(&index, data, &job, clock::now_ms(), &is_stopped).map_err(explain)?;
        }
    }
    let listed = clusters::list(context.access.data()).map_err(explain)?;
    let (run, found) = listed.ok_or_else(|| explain(EntitySearchError::NoClusters))?;
    print_list(&run, &found, arguments, context)?;
    Ok(CommandEnd { code, summary: None })
}

/// The entities that flags select.
pub(super) fn selection(
    arguments: &EntitySelectionArgs,
    data: &std::path::Path,
    context: &ReadContext<'_>,
) -> anyhow::Result<EntitySelection> {
    let EntitySelectionArgs { crawl, types, domain } = arguments;
    let crawl = context.crawl_number(data, crawl.as_ref())?;
    Ok(EntitySelection { crawl, types: types.clone(), domains: domain.clone() })
}

fn print_list(
    run: &ClusterRun,
    found: &[ClusterSummary],
    arguments: &ClusterArgs,
    context: &mut ReadContext<'_>,
) -> anyhow::Result<()> {
    let limit = if arguments.limit == 0 { found.len() } else { arguments.limit };
    if arguments.json {
        let listed: Vec<&ClusterSummary> = found.iter().take(limit).collect();
        return context.print_json(&json!({ "run": run, "clusters": listed }));
    }
    let mut text = format!("{} entities in {} clusters", run.entities, run.clusters);
    if run.added < run.entities {
        let _ = write!(text, ", {} of them new", run.added);
    }
    text.push_str("\n    id    size  cluster\n");
    for cluster in found.iter().take(limit) {
        let _ = writeln!(text, "{:>6}  {:>6}  {}", cluster.id, cluster.size, single_line(&cluster.label));
    }
    if found.len() > limit {
        let _ = writeln!(text, "{} more: --limit 0 lists all", found.len() - limit);
    }
    context.print(&text)
}

fn show(cluster: &Cluster, arguments: &ClusterArgs, context: &mut ReadContext<'_>) -> anyhow::Result<()> {
    let limit = if arguments.limit == 0 { cluster.members.len() } else { arguments.limit };
    if arguments.json {
        let members: Vec<_> = cluster.members.iter().take(limit).collect();
        let Cluster { id, label, types, size, .. } = cluster;
        let found = json!({ "id": id, "label": label, "types": types, "size": size, "members": members });
        return context.print_json(&found);
    }
    let mut text = format!("cluster {}: {}, {} entities\n", cluster.id, single_line(&cluster.label), cluster.size);
    for member in cluster.members.iter().take(limit) {
        let _ = writeln!(text, "  {}  <{}>", member.label, single_line(&member.iri));
    }
    if cluster.members.len() > limit {
        let _ = writeln!(text, "  {} more: --limit 0 lists all", cluster.members.len() - limit);
    }
    context.print(&text)
}
