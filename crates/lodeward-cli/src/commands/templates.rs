//! `lodeward templates`: seed lists with placeholders.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward::seed::template::{Placeholder, Shelved, Template};

use crate::arguments::{Templates, TemplatesCommand};
use crate::progress::{answer, answer_json};
use crate::seeds;

pub(crate) fn run(arguments: &Templates) -> anyhow::Result<ExitCode> {
    let shelf = seeds::shelf(arguments.folder.as_deref(), &arguments.data)?;
    if let Some(TemplatesCommand::Show { name }) = &arguments.command {
        answer(&shelf.find(name).map_err(seeds::explained)?.text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = shelf.list().map_err(seeds::explained)?;
    if arguments.json {
        let all: Vec<_> = all.iter().map(json).collect();
        answer_json(&all)?;
    } else {
        answer(&listed(&all))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn json(Shelved { template, path, .. }: &Shelved) -> serde_json::Value {
    let placeholder = |placeholder: &Placeholder| {
        let Placeholder { name, description, required, default, .. } = placeholder;
        serde_json::json!({ "name": name, "description": description, "required": required, "default": default })
    };
    let Template { name, title, description, placeholders, .. } = template;
    serde_json::json!({
        "name": name,
        "title": title,
        "description": description,
        "placeholders": placeholders.iter().map(placeholder).collect::<Vec<_>>(),
        "seeds": template.seeds().collect::<Vec<_>>(),
        "path": path,
    })
}

/// Templates for people.
fn listed(all: &[Shelved]) -> String {
    let mut text = String::new();
    for Shelved { template, path, .. } in all {
        let from = path.as_ref().map_or(String::new(), |path| format!(" ({})", path.display()));
        let _ = writeln!(text, "{}: {}{from}", template.name, template.title);
        for Placeholder { name, description, required, default, .. } in &template.placeholders {
            let need = match default {
                Some(default) => format!(" [default: {default}]"),
                None if *required => " (required)".to_owned(),
                None => String::new(),
            };
            let _ = writeln!(text, "  --set {:<12} {description}{need}", format!("{name}=…"));
        }
        text.push('\n');
    }
    text + "lodeward templates show NAME prints one, to be copied and edited\n"
}
