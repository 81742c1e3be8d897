//! The OpenAPI document as a page: no scripts, nothing from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Methods in the order in which they are listed.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The page of a document.
pub(super) fn of(document: &Value) -> String {
    let operations = by_tag(document);
    let mut page = Page(String::new());
    let (title, version) = (text(&document["info"]["title"]), text(&document["info"]["version"]));
    page.put(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} API</title>\n\
         <link rel=\"stylesheet\" href=\"/api/v1/docs/style.css\">\n</head>\n<body>\n<header>\n<h1>{} {}</h1>\n",
        escaped(title),
        escaped(title),
        escaped(version)
    ));
    page.element("p class=\"lead\"", text(&document["info"]["description"]));
    page.put("<p>The same for programs: <a href=\"/api/v1/openapi.json\">openapi.json</a></p>\n</header>\n<nav aria-label=\"Contents\">\n<ul>\n");
    for tag in operations.keys() {
        page.put(&format!("<li><a href=\"#{0}\">{0}</a></li>\n", escaped(tag)));
    }
    page.put("<li><a href=\"#schemas\">schemas</a></li>\n</ul>\n</nav>\n<main>\n");
    for (tag, operations) in &operations {
        page.put(&format!("<section id=\"{0}\">\n<h2>{0}</h2>\n", escaped(tag)));
        page.element("p", description_of(document, tag));
        for operation in operations {
            page.operation(operation);
        }
        page.put("</section>\n");
    }
    page.put("<section id=\"schemas\">\n<h2>schemas</h2>\n");
    for (name, schema) in members(&document["components"]["schemas"]) {
        page.schema(name, schema);
    }
    page.put("</section>\n</main>\n</body>\n</html>\n");
    page.0
}

/// Something that can be done.
struct Operation<'a> {
    method: &'static str,
    path: &'a str,
    about: &'a Value,
}

/// All operations by their first tag.
fn by_tag(document: &Value) -> BTreeMap<&str, Vec<Operation<'_>>> {
    let mut operations: BTreeMap<&str, Vec<Operation<'_>>> = BTreeMap::new();
    for (path, item) in members(&document["paths"]) {
        for method in METHODS {
            if let Some(about) = item.get(method) {
                let tag = about["tags"][0].as_str().unwrap_or("others");
                operations.entry(tag).or_default().push(Operation { method, path, about });
            }
        }
    }
    operations
}

fn description_of<'a>(document: &'a Value, tag: &str) -> &'a str {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.into_iter().find(|known| known["name"] == tag).map(|known| text(&known["description"])).unwrap_or_default()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn escaped(text: &str) -> String {
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

struct Page(String);

impl Page {
    /// Markup as it is.
    fn put(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// An element with this text; none if there is no text. Backquotes are code.
    fn element(&mut self, tag: &str, content: &str) {
        if content.is_empty() {
            return;
        }
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = writeln!(self.0, "<{tag}>{}</{name}>", prose(content));
    }

    fn operation(&mut self, operation: &Operation<'_>) {
        let Operation { method, path, about } = operation;
        let (summary, role) = (escaped(text(&about["summary"])), role(&about["security"]));
        let _ = writeln!(
            self.0,
            "<details>\n<summary><span class=\"method {method}\">{}</span> <code>{}</code> {summary} <span \
             class=\"role\">{role}</span></summary>",
            method.to_uppercase(),
            escaped(path),
        );
        self.element("p", text(&about["description"]));
        let parameters = about["parameters"].as_array().into_iter().flatten();
        let rows = parameters.map(|parameter| {
            let name = format!("{} ({})", text(&parameter["name"]), text(&parameter["in"]));
            [name, kind(&parameter["schema"]), text(&parameter["description"]).to_owned()]
        });
        self.table("Parameters", rows.collect());
        self.table("Body", contents(&about["requestBody"]));
        let mut answers = Vec::new();
        for (status, answer) in members(&about["responses"]) {
            let sorts = contents(answer).into_iter().map(|[media, kind, _]| format!("{media} {kind}"));
            let sorts: Vec<_> = sorts.map(|sort| sort.trim().to_owned()).collect();
            answers.push([status.clone(), sorts.join(", "), text(&answer["description"]).to_owned()]);
        }
        self.table("Answers", answers);
        self.put("</details>\n");
    }

    fn schema(&mut self, name: &str, schema: &Value) {
        let id = escaped(name);
        let _ = writeln!(self.0, "<details id=\"schema-{id}\">\n<summary><code>{id}</code></summary>");
        self.element("p", text(&schema["description"]));
        let rows = members(&schema["properties"])
            .map(|(name, property)| [name.clone(), kind(property), text(&property["description"]).to_owned()]);
        self.table("Fields", rows.collect());
        if schema.get("properties").is_none() {
            self.element("p", &kind(schema));
        }
        self.put("</details>\n");
    }

    fn table(&mut self, caption: &str, rows: Vec<[String; 3]>) {
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(self.0, "<table>\n<caption>{}</caption>", escaped(caption));
        for [name, kind, about] in rows {
            let (name, kind) = (escaped(&name), escaped(&kind));
            let _ = writeln!(
                self.0,
                "<tr><th scope=\"row\"><code>{name}</code></th><td><code>{kind}</code></td><td>{}</td></tr>",
                prose(&about)
            );
        }
        self.put("</table>\n");
    }
}

/// What is in backquotes as code.
fn prose(text: &str) -> String {
    let mut markup = String::new();
    for (number, part) in text.split('`').enumerate() {
        let part = escaped(part);
        if number % 2 == 1 { write!(markup, "<code>{part}</code>") } else { write!(markup, "{part}") }.ok();
    }
    markup
}

/// Who may do it.
fn role(security: &Value) -> &str {
    security[0].as_object().and_then(|ways| ways.values().next()).map_or("anybody", |scopes| text(&scopes[0]))
}

/// Media types, and what is in them.
fn contents(holder: &Value) -> Vec<[String; 3]> {
    members(&holder["content"])
        .map(|(media_type, content)| [media_type.clone(), kind(&content["schema"]), String::new()])
        .collect()
}

/// What a schema allows, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    for (key, word) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(parts) = schema[key].as_array() {
            return parts.iter().map(kind).filter(|kind| !kind.is_empty()).collect::<Vec<_>>().join(word);
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
        (name, _) if name.starts_with("array") => format!("list of {}", kind(&schema["items"])),
        ("string", Some(format)) => format!("string ({format})"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whatever_stands_in_the_document_cannot_break_the_page() {
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

        let page = of(&document);

        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("<code>&lt;b&gt;</code>"));
    }

    #[test]
    fn kinds_are_told_in_a_few_words() {
        let check = |schema: Value, expected: &str| assert_eq!(kind(&schema), expected);

        check(json!({ "$ref": "#/components/schemas/Crawl" }), "Crawl");
        check(json!({ "type": "array", "items": { "type": "integer" } }), "list of integer");
        check(json!({ "type": ["string", "null"], "format": "date-time" }), "string or null");
        check(json!({ "enum": ["kept", "all"] }), "\"kept\" | \"all\"");
        check(json!({ "oneOf": [{ "type": "null" }, { "type": "string" }] }), "null or string");
    }
}
