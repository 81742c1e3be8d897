//! Commands that tell about a web without serving it.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use http::Method;
use http::header::ACCEPT;
use toyweb::record::Recorded;
use toyweb::score::{Promises, score_world};
use toyweb::truth;
use toyweb::world::World;
use toyweb::{Body, Conduct, Elsewhere, Request, Response, Web};

use super::serving::write_file;
use super::{GetArguments, OutputArguments, RecordArguments, ScoreArguments, TruthArguments, TruthFormat, choose};

/// Prints where a crawl is to start.
pub(super) fn seeds(world: &World, output: &OutputArguments) -> anyhow::Result<()> {
    write_output(output, |out| world.seeds().iter().try_for_each(|seed| writeln!(out, "{seed}")))
}

/// Prints what there is to be found.
pub(super) fn truth(arguments: &TruthArguments) -> anyhow::Result<()> {
    let world = arguments.world.build()?;
    let mode = arguments.mode.mode;
    write_output(&arguments.output, |mut out| match arguments.format {
        TruthFormat::Ndjson => truth::write_ndjson(&world, mode, &mut out),
        TruthFormat::Nquads => truth::write_n_quads(&world, mode, &mut out),
    })
}

/// Writes a web down, and tells how much there was of it.
pub(super) fn record(arguments: &RecordArguments) -> anyhow::Result<()> {
    let directory = &arguments.directory;
    let recorded = match arguments.entities.build()? {
        Some(entities) => toyweb::record::record_entities(&entities, directory),
        None => toyweb::record::record(&arguments.world.build()?, directory),
    };
    let recorded = recorded.with_context(|| format!("cannot record into {}", directory.display()))?;
    let Recorded { documents, rdf, hard, hard_rdf, redirects, bytes } = recorded;
    write_output(&OutputArguments { output: None }, |out| {
        writeln!(out, "{documents} documents ({rdf} with RDF), {redirects} redirects, {bytes} bytes")?;
        writeln!(out, "{hard} documents are hard to tell, {hard_rdf} of them hold RDF")
    })
}

/// Prints how well a crawl did.
pub(super) fn score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    let world = arguments.world.build()?;
    let addresses = arguments.addresses.as_deref().map(read_addresses).transpose()?.unwrap_or_default();
    let promises = Promises { floor_s: f64::from(arguments.delay_ms) / 1000.0, addresses };
    let report = score_world(&world, arguments.mode.mode, &arguments.log, arguments.quads.as_deref(), &promises)?;
    if let Some(path) = &arguments.json {
        write_file(path, |file| writeln!(file, "{}", report.to_json()))?;
    }
    write_output(&OutputArguments { output: None }, |out| write!(out, "{report}"))
}

fn read_addresses(path: &Path) -> anyhow::Result<HashMap<String, String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let pair = |line: &str| line.split_once('\t').map(|(host, address)| (host.to_owned(), address.to_owned()));
    Ok(text.lines().filter_map(pair).collect())
}

pub(super) fn write_output(
    output: &OutputArguments,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    if let Some(path) = &output.output {
        return write_file(path, write);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Prints one answer.
pub(super) fn get(arguments: &GetArguments) -> anyhow::Result<()> {
    let web: Box<dyn Web> = if !arguments.warc.is_empty() {
        Box::new(choose::open_replay(&arguments.warc, Elsewhere::BadGateway)?)
    } else if let Some(entities) = arguments.entities.build()? {
        Box::new(entities)
    } else {
        Box::new(arguments.world.build()?)
    };
    show(web.as_ref(), &arguments.url, &arguments.accept, arguments.head)
}

/// Prints what a web answers.
pub(super) fn show(web: &dyn Web, url: &str, accept: &str, head: bool) -> anyhow::Result<()> {
    let mut url = url::Url::parse(url).with_context(|| format!("`{url}` is not an absolute URL (hint: http://…)"))?;
    url.set_fragment(None);
    let mut headers = http::HeaderMap::new();
    headers.insert(ACCEPT, accept.parse().context("`--accept` is not a legal field value")?);
    let method = if head { Method::HEAD } else { Method::GET };
    let response = web.respond(&Request { method, url, headers, body: bytes::Bytes::new() });
    print(&response, !head).context("cannot print the answer")
}

fn print(response: &Response, with_body: bool) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", response.status)?;
    for (name, value) in &response.headers {
        writeln!(out, "{name}: {}", String::from_utf8_lossy(value.as_bytes()))?;
    }
    if response.conduct != Conduct::Plain {
        writeln!(out, "(conduct: {:?})", response.conduct)?;
    }
    let (block, note) = match &response.body {
        Body::Whole(body) => (body, None),
        Body::Endless(block) => (block, Some("for ever".to_owned())),
        Body::Repeated(block, times) => (block, Some(format!("{times} times"))),
    };
    if let Some(note) = note {
        writeln!(out, "(the following {} bytes, {note})", block.len())?;
    }
    writeln!(out)?;
    if with_body {
        out.write_all(block)?;
    }
    out.flush()
}
