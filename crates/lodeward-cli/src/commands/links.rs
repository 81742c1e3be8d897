//! `lodeward links`: finds, lists, marks and exports proposed links between entities.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use lodeward_app::display_text::single_line;
use lodeward_app::review::MarkKind;
use lodeward_app::search::links::{
    self, LinkChoice, LinkJob, LinkMarks, LinkPage, LinkQuery, ProposedPredicate, ReviewedLink,
};
use lodeward_rdf::write::QuadWriter;
use oxrdf::{GraphName, Quad};
use serde_json::{Value, json};

use super::candidates::{author, pluralize, print_history};
use super::cluster::selection;
use super::export::output_format;
use super::read::{self, CatchUpChoice, CommandEnd, ReadCommand, ReadContext, ReadRequest};
use super::search::explain;
use crate::args::{
    EntityLinksArgs, LinkExportArgs, LinkMarkArgs, LinkUndoArgs, LinksCommand, LinksListArgs, VerbosityArgs,
};
use crate::clock;
use crate::interrupt::Interrupt;
use crate::output_target;
use crate::progress::print_stderr;
use crate::service_guard::require_unserved;
use crate::settings::SettingsInput;

pub(crate) fn run(arguments: EntityLinksArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let marked = match arguments.command {
        None => return run_list(arguments.list, verbosity),
        Some(LinksCommand::Export(export)) => return run_export(export, verbosity),
        Some(LinksCommand::History(history)) => {
            let marks = links::open_marks(&existing(&history.data.data)?)?;
            return print_history(&marks, history.by.as_ref(), history.limit, history.json);
        }
        Some(LinksCommand::Keep(marking)) => set_marks(&marking, Some(MarkKind::Keep))?,
        Some(LinksCommand::Drop(marking)) => set_marks(&marking, Some(MarkKind::Drop))?,
        Some(LinksCommand::Unmark(marking)) => set_marks(&marking, None)?,
        Some(LinksCommand::Undo(arguments)) => undo(&arguments)?,
    };
    if !verbosity.quiet {
        print_stderr(&format!("{marked}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn run_list(arguments: LinksListArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    let settings = SettingsInput::read(&arguments.data.source)?;
    let data = arguments.data.data.clone();
    let request = ReadRequest::new(settings, verbosity, ReadCommand::Links(Box::new(arguments)));
    read::run(&request, &data, None, &Interrupt::listen()?)
}

pub(super) fn perform(arguments: &LinksListArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let kind = if arguments.related { ProposedPredicate::Related } else { ProposedPredicate::SameAs };
    let mut code = 0;
    if arguments.find {
        let (index, harvest) = context.search_index()?;
        code = harvest.code();
        let selection = selection(&arguments.selection, &arguments.data.data, context)?;
        let job = LinkJob { kind, selection, min_score: arguments.min_score };
        let cancel = context.cancel;
        let is_stopped = || cancel.is_cancelled();
        links::find(&index, context.access.data(), &job, clock::now_ms(), &is_stopped).map_err(explain)?;
    }
    let query = LinkQuery {
        mark: arguments.mark.map(Into::into).unwrap_or_default(),
        kind: Some(kind),
        min_score: arguments.min_score,
        entity: arguments.entity.clone(),
        offset: arguments.offset,
        limit: if arguments.limit == 0 { usize::MAX } else { arguments.limit },
    };
    let page = links::list(context.access.data(), &query).map_err(explain)?;
    if arguments.json {
        let found: Vec<Value> = page.links.iter().map(to_json).collect();
        context.print_json(&json!({ "total": page.total, "links": found }))?;
    } else {
        context.print(&text(&page, arguments.why))?;
    }
    Ok(CommandEnd { code, summary: None })
}

fn to_json(reviewed: &ReviewedLink) -> Value {
    let mut object = json!(reviewed.link);
    object["number"] = json!(reviewed.number);
    object["mark"] = json!(reviewed.mark.as_ref().map(|mark| mark.mark));
    object
}

fn text(page: &LinkPage, with_reasons: bool) -> String {
    let mut text = String::new();
    if page.run.is_none() {
        text.push_str("links were not searched yet: run `lodeward links --find`\n");
    } else if page.links.is_empty() {
        text.push_str("no links\n");
    }
    for ReviewedLink { number, link, mark } in &page.links {
        let number = number.map_or_else(|| "  -".to_owned(), |number| format!("{number:>3}"));
        let mark = mark.as_ref().map_or_else(String::new, |mark| format!("  {}", mark.mark.name()));
        let (from, to) = (single_line(&link.source_label), single_line(&link.target_label));
        let _ = writeln!(text, "{number}. {from} = {to}  {:.2}{mark}", link.score);
        let (source, target) = (single_line(&link.source), single_line(&link.target));
        let _ = writeln!(text, "     <{source}> {} <{target}>", link.predicate.name());
        for figure in link.why.iter().filter(|_| with_reasons) {
            let _ = writeln!(text, "     {:<25} {:>6.2}  adds {:.2}", figure.feature, figure.value, figure.share);
        }
    }
    if page.links.len() < page.total {
        let _ = writeln!(text, "{} of {} links: --limit 0 lists all", page.links.len(), page.total);
    }
    text
}

fn set_marks(marking: &LinkMarkArgs, mark: Option<MarkKind>) -> anyhow::Result<String> {
    let data = existing(&marking.data.data)?;
    require_unserved(&data)?;
    let choice = LinkChoice { numbers: marking.numbers.clone(), min_score: marking.min_score, ..LinkChoice::default() };
    let marks = links::mark(&data, &choice, mark, &author(marking.by.as_ref())).map_err(explain)?;
    Ok(format!("{} changed; {}", pluralize(marks.changed, "mark", "marks"), totals(marks)))
}

fn undo(arguments: &LinkUndoArgs) -> anyhow::Result<String> {
    let data = existing(&arguments.data.data)?;
    require_unserved(&data)?;
    let marks = links::undo(&data, &author(arguments.by.as_ref())).map_err(explain)?;
    let stay = match marks.superseded {
        0 => String::new(),
        count => format!(" ({} stay, changed by another user since)", pluralize(count, "mark", "marks")),
    };
    Ok(format!("{} undone{stay}; {}", pluralize(marks.changed, "change", "changes"), totals(marks)))
}

fn totals(LinkMarks { kept, dropped, .. }: LinkMarks) -> String {
    format!("{kept} kept, {dropped} dropped")
}

fn existing(data: &Path) -> anyhow::Result<std::path::PathBuf> {
    std::fs::canonicalize(data).with_context(|| format!("cannot use the data directory {}", data.display()))
}

fn run_export(arguments: LinkExportArgs, verbosity: &VerbosityArgs) -> anyhow::Result<ExitCode> {
    output_format(arguments.format, &arguments.output)?;
    output_target::require_writable(Some(&arguments.output))?;
    let settings = SettingsInput::read(&arguments.data.source)?;
    let (data, output) = (arguments.data.data.clone(), arguments.output.clone());
    let request = ReadRequest::new(settings, verbosity, ReadCommand::LinkExport(Box::new(arguments)));
    read::run(&request, &data, Some(&output), &Interrupt::listen()?)
}

pub(super) fn perform_export(arguments: &LinkExportArgs, context: &mut ReadContext<'_>) -> anyhow::Result<CommandEnd> {
    let data = context.access.data();
    let summary = if arguments.to_archive {
        let config = context.settings.load()?;
        let opened = context.access.archive(&config, CatchUpChoice::Skip, &mut *context.output)?;
        let exported = links::export_to_archive(&config, data, &opened.archive).map_err(explain)?;
        format!("exported {} links to the graph <{}>\n", exported.links, exported.graph)
    } else {
        let kept = links::kept_links(data).map_err(explain)?;
        let count = kept.len();
        let mut writer = QuadWriter::new(output_format(arguments.format, &arguments.output)?, &mut *context.output)?;
        for link in kept {
            let quad = Quad::new(link.subject, link.predicate, link.object, GraphName::DefaultGraph);
            writer.write(quad.as_ref())?;
        }
        writer.finish()?;
        format!("wrote {count} links\n")
    };
    Ok(CommandEnd { code: 0, summary: (!context.quiet).then_some(summary) })
}
