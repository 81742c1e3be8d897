//! `lodeward templates`: lists and prints seed templates.

use std::fmt::Write as _;
use std::process::ExitCode;

use lodeward_app::seeds::template::{ListedTemplate, Placeholder, Template};

use crate::args::{TemplatesArgs, TemplatesCommand};
use crate::progress::{print_json, print_stdout};
use crate::seed_input;

pub(crate) fn run(arguments: &TemplatesArgs) -> anyhow::Result<ExitCode> {
    let templates = seed_input::template_dirs(arguments.template_dir.as_deref(), &arguments.data)?;
    if let Some(TemplatesCommand::Show { name }) = &arguments.command {
        print_stdout(&templates.find(name).map_err(seed_input::explain_template)?.text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let all = templates.list().map_err(seed_input::explain_template)?;
    if arguments.json {
        let all: Vec<_> = all.iter().map(to_json).collect();
        print_json(&all)?;
    } else {
        print_stdout(&render_list(&all))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(ListedTemplate { template, path, .. }: &ListedTemplate) -> serde_json::Value {
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

/// Templates as text.
fn render_list(all: &[ListedTemplate]) -> String {
    let mut text = String::new();
    for ListedTemplate { template, path, .. } in all {
        let from = path.as_ref().map_or(String::new(), |path| format!(" ({})", path.display()));
        let _ = writeln!(text, "{}: {}{from}", template.name, template.title);
        for Placeholder { name, description, required, default, .. } in &template.placeholders {
            let need = match default {
                Some(default) => format!(" [default: {default}]"),
                None if *required => " (required)".to_owned(),
                None => String::new(),
            };
            let _ = writeln!(text, "  --value {:<12} {description}{need}", format!("{name}=…"));
        }
        text.push('\n');
    }
    text + "`lodeward templates show NAME` prints a template, to copy and edit\n"
}
