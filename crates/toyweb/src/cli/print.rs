//! The commands that print or write a web without serving it.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use http::Method;
use http::header::ACCEPT;
use toyweb::record::RecordSummary;
use toyweb::score::{CrawlerPromises, score_world};
use toyweb::truth;
use toyweb::world::World;
use toyweb::{DeliveryFault, UnknownHosts, Web, WebBody, WebRequest, WebResponse};

use super::serving::write_file;
use super::{GetArguments, OutputArguments, RecordArguments, ScoreArguments, TruthArguments, TruthFormat, web_args};

/// Prints the seed URLs.
pub(super) fn seeds(world: &World, output: &OutputArguments) -> anyhow::Result<()> {
    write_output(output, |out| world.seeds().iter().try_for_each(|seed| writeln!(out, "{seed}")))
}

/// Prints the ground truth.
pub(super) fn truth(arguments: &TruthArguments) -> anyhow::Result<()> {
    let world = arguments.world.build()?;
    let mode = arguments.mode.mode;
    write_output(&arguments.output, |mut out| match arguments.format {
        TruthFormat::Ndjson => truth::write_ndjson(&world, mode, &mut out),
        TruthFormat::Nquads => truth::write_n_quads(&world, mode, &mut out),
    })
}

/// Records a web and prints how much was written.
pub(super) fn record(arguments: &RecordArguments) -> anyhow::Result<()> {
    let directory = &arguments.directory;
    let summary = match arguments.entities.build()? {
        Some(entities) => toyweb::record::record_entities(&entities, directory),
        None => toyweb::record::record(&arguments.world.build()?, directory),
    };
    let summary = summary.with_context(|| format!("cannot record into `{}`", directory.display()))?;
    let RecordSummary { documents, rdf, hard, hard_rdf, redirects, bytes } = summary;
    write_output(&OutputArguments { output: None }, |out| {
        writeln!(out, "{documents} documents ({rdf} with RDF), {redirects} redirects, {bytes} bytes")?;
        writeln!(out, "{hard} hard URIs, {hard_rdf} of them with RDF")
    })
}

/// Prints the score of a crawl.
pub(super) fn score(arguments: &ScoreArguments) -> anyhow::Result<()> {
    let world = arguments.world.build()?;
    let addresses = arguments.addresses.as_deref().map(read_addresses).transpose()?.unwrap_or_default();
    let promises = CrawlerPromises { min_delay_s: arguments.delay.as_secs_f64(), addresses };
    let report = score_world(&world, arguments.mode.mode, &arguments.log, arguments.quads.as_deref(), &promises)?;
    if let Some(path) = &arguments.json {
        write_file(path, |file| writeln!(file, "{}", report.to_json()))?;
    }
    write_output(&OutputArguments { output: None }, |out| write!(out, "{report}"))
}

fn read_addresses(path: &Path) -> anyhow::Result<HashMap<String, String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
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
        // A reader such as `head` has closed the pipe: not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// Prints one response.
pub(super) fn get(arguments: &GetArguments) -> anyhow::Result<()> {
    let web: Box<dyn Web> = if !arguments.warc.is_empty() {
        Box::new(web_args::open_replay(&arguments.warc, UnknownHosts::BadGateway)?)
    } else if let Some(entities) = arguments.entities.build()? {
        Box::new(entities)
    } else {
        Box::new(arguments.world.build()?)
    };
    fetch_and_print(web.as_ref(), &arguments.url, &arguments.accept, arguments.head)
}

/// Sends one request to `web` and prints the response.
pub(super) fn fetch_and_print(web: &dyn Web, url: &str, accept: &str, head: bool) -> anyhow::Result<()> {
    let mut url =
        url::Url::parse(url).with_context(|| format!("invalid URL `{url}` (hint: use an absolute URL, http://…)"))?;
    url.set_fragment(None);
    let mut headers = http::HeaderMap::new();
    headers.insert(ACCEPT, accept.parse().context("invalid value for --accept")?);
    let method = if head { Method::HEAD } else { Method::GET };
    let response = web.respond(&WebRequest { method, url, headers, body: bytes::Bytes::new() });
    print_response(&response, !head).context("cannot print the response")
}

fn print_response(response: &WebResponse, with_body: bool) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", response.status)?;
    for (name, value) in &response.headers {
        writeln!(out, "{name}: {}", String::from_utf8_lossy(value.as_bytes()))?;
    }
    if response.delivery != DeliveryFault::Plain {
        writeln!(out, "(delivery: {:?})", response.delivery)?;
    }
    let (block, note) = match &response.body {
        WebBody::Whole(body) => (body, None),
        WebBody::Endless(block) => (block, Some("endlessly".to_owned())),
        WebBody::Repeated(block, times) => (block, Some(format!("{times} times"))),
    };
    if let Some(note) = note {
        writeln!(out, "(the following {} bytes, repeated {note})", block.len())?;
    }
    writeln!(out)?;
    if with_body {
        out.write_all(block)?;
    }
    out.flush()
}
