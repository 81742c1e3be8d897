//! Renders the OpenAPI document as an HTML page without scripts and external resources.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The methods, in the order in which the page lists them.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Renders an OpenAPI document as an HTML page.
pub(super) fn render(document: &Value) -> String {
    let operations = operations_by_tag(document);
    let mut page = ReferencePage(String::new());
    let (title, version) = (text(&document["info"]["title"]), text(&document["info"]["version"]));
    page.push_markup(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} API</title>\n\
         <link rel=\"stylesheet\" href=\"docs/style.css\">\n</head>\n<body>\n<header>\n<h1>{} {}</h1>\n",
        escape(title),
        escape(title),
        escape(version)
    ));
    page.push_element("p class=\"lead\"", text(&document["info"]["description"]));
    page.push_markup("<p>For programs: <a href=\"openapi.json\">openapi.json</a></p>\n</header>\n<nav aria-label=\"Contents\">\n<ul>\n");
    for tag in operations.keys() {
        page.push_markup(&format!("<li><a href=\"#{0}\">{0}</a></li>\n", escape(tag)));
    }
    page.push_markup("<li><a href=\"#schemas\">schemas</a></li>\n</ul>\n</nav>\n<main>\n");
    for (tag, operations) in &operations {
        page.push_markup(&format!("<section id=\"{0}\">\n<h2>{0}</h2>\n", escape(tag)));
        page.push_element("p", tag_description(document, tag));
        for operation in operations {
            page.push_operation(operation);
        }
        page.push_markup("</section>\n");
    }
    page.push_markup("<section id=\"schemas\">\n<h2>schemas</h2>\n");
    for (name, schema) in members(&document["components"]["schemas"]) {
        page.push_schema(name, schema);
    }
    page.push_markup("</section>\n</main>\n</body>\n</html>\n");
    page.0
}

/// An operation of the OpenAPI document.
struct ReferenceOperation<'a> {
    method: &'static str,
    path: &'a str,
    spec: &'a Value,
}

/// All operations, grouped by their first tag.
fn operations_by_tag(document: &Value) -> BTreeMap<&str, Vec<ReferenceOperation<'_>>> {
    let mut operations: BTreeMap<&str, Vec<ReferenceOperation<'_>>> = BTreeMap::new();
    for (path, item) in members(&document["paths"]) {
        for method in METHODS {
            if let Some(spec) = item.get(method) {
                let tag = spec["tags"][0].as_str().unwrap_or("others");
                operations.entry(tag).or_default().push(ReferenceOperation { method, path, spec });
            }
        }
    }
    operations
}

fn tag_description<'a>(document: &'a Value, tag: &str) -> &'a str {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.into_iter().find(|known| known["name"] == tag).map(|known| text(&known["description"])).unwrap_or_default()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(character),
        }
    }
    safe
}

struct ReferencePage(String);

impl ReferencePage {
    /// Appends markup to the page, without escaping it.
    fn push_markup(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Adds an element with this text, unless the text is empty. Text in backquotes becomes code.
    fn push_element(&mut self, tag: &str, content: &str) {
        if content.is_empty() {
            return;
        }
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = writeln!(self.0, "<{tag}>{}</{name}>", inline_code(content));
    }

    fn push_operation(&mut self, operation: &ReferenceOperation<'_>) {
        let ReferenceOperation { method, path, spec } = operation;
        let (summary, role) = (escape(text(&spec["summary"])), required_role(&spec["security"]));
        let _ = writeln!(
            self.0,
            "<details>\n<summary><span class=\"method {method}\">{}</span> <code>{}</code> {summary} <span \
             class=\"role\">{role}</span></summary>",
            method.to_uppercase(),
            escape(path),
        );
        self.push_element("p", text(&spec["description"]));
        let parameters = spec["parameters"].as_array().into_iter().flatten();
        let rows = parameters.map(|parameter| {
            let name = format!("{} ({})", text(&parameter["name"]), text(&parameter["in"]));
            [name, schema_type(&parameter["schema"]), text(&parameter["description"]).to_owned()]
        });
        self.push_table("Parameters", rows.collect());
        self.push_table("Body", content_rows(&spec["requestBody"]));
        let mut responses = Vec::new();
        for (status, response) in members(&spec["responses"]) {
            let types = content_rows(response).into_iter().map(|[media, kind, _]| format!("{media} {kind}"));
            let types: Vec<_> = types.map(|name| name.trim().to_owned()).collect();
            responses.push([status.clone(), types.join(", "), text(&response["description"]).to_owned()]);
        }
        self.push_table("Responses", responses);
        self.push_markup("</details>\n");
    }

    fn push_schema(&mut self, name: &str, schema: &Value) {
        let id = escape(name);
        let _ = writeln!(self.0, "<details id=\"schema-{id}\">\n<summary><code>{id}</code></summary>");
        self.push_element("p", text(&schema["description"]));
        let rows = members(&schema["properties"])
            .map(|(name, property)| [name.clone(), schema_type(property), text(&property["description"]).to_owned()]);
        self.push_table("Fields", rows.collect());
        if schema.get("properties").is_none() {
            self.push_element("p", &schema_type(schema));
        }
        self.push_markup("</details>\n");
    }

    fn push_table(&mut self, caption: &str, rows: Vec<[String; 3]>) {
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(self.0, "<table>\n<caption>{}</caption>", escape(caption));
        for [name, kind, description] in rows {
            let (name, kind) = (escape(&name), escape(&kind));
            let _ = writeln!(
                self.0,
                "<tr><th scope=\"row\"><code>{name}</code></th><td><code>{kind}</code></td><td>{}</td></tr>",
                inline_code(&description)
            );
        }
        self.push_markup("</table>\n");
    }
}

/// Escapes a text for HTML, and converts text in backquotes into code elements.
fn inline_code(text: &str) -> String {
    let mut markup = String::new();
    for (number, part) in text.split('`').enumerate() {
        let part = escape(part);
        if number % 2 == 1 { write!(markup, "<code>{part}</code>") } else { write!(markup, "{part}") }.ok();
    }
    markup
}

/// The role that an operation requires.
fn required_role(security: &Value) -> &str {
    security[0].as_object().and_then(|schemes| schemes.values().next()).map_or("public", |scopes| text(&scopes[0]))
}

/// The media types of a body or a response, with their schemas.
fn content_rows(holder: &Value) -> Vec<[String; 3]> {
    members(&holder["content"])
        .map(|(media_type, content)| [media_type.clone(), schema_type(&content["schema"]), String::new()])
        .collect()
}

/// The type of a schema as text.
fn schema_type(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    for (key, word) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(parts) = schema[key].as_array() {
            return parts.iter().map(schema_type).filter(|kind| !kind.is_empty()).collect::<Vec<_>>().join(word);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ");
    }
    let name = match &schema["type"] {
        Value::Array(names) => names.iter().map(text).collect::<Vec<_>>().join(" or "),
        name => text(name).to_owned(),
    };
    match (name.as_str(), schema["format"].as_str()) {
        (name, _) if name.starts_with("array") => format!("array of {}", schema_type(&schema["items"])),
        ("string", Some(format)) => format!("string ({format})"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn markup_in_the_document_is_escaped() {
        let evil = "<script>alert('1')</script>\" `<b>`";
        let document = json!({
            "info": { "title": evil, "version": evil, "description": evil },
            "tags": [{ "name": evil, "description": evil }],
            "paths": { evil: { "get": {
                "tags": [evil], "summary": evil, "description": evil, "security": [{}],
                "parameters": [{ "name": evil, "in": "query", "schema": { "type": evil }, "description": evil }],
                "responses": { evil: { "description": evil, "content": { evil: { "schema": { "enum": [evil] } } } } },
            } } },
            "components": { "schemas": { evil: { "description": evil, "properties": { evil: { "$ref": evil } } } } },
        });

        let page = render(&document);

        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("<code>&lt;b&gt;</code>"));
    }

    #[test]
    fn types_are_rendered_as_text() {
        let check = |schema: Value, expected: &str| assert_eq!(schema_type(&schema), expected);

        check(json!({ "$ref": "#/components/schemas/Crawl" }), "Crawl");
        check(json!({ "type": "array", "items": { "type": "integer" } }), "array of integer");
        check(json!({ "type": ["string", "null"], "format": "date-time" }), "string or null");
        check(json!({ "enum": ["kept", "all"] }), "\"kept\" | \"all\"");
        check(json!({ "oneOf": [{ "type": "null" }, { "type": "string" }] }), "null or string");
    }
}
