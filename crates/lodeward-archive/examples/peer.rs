//! What `benches/archive.sh` measures: one step at a time on an archive, told
//! in seconds of wall clock and of CPU. Its peer is `benches/archive_peer.py`.

use std::fs::File;
use std::io::BufReader;
use std::time::Instant;

use lodeward_archive::{Archive, Collection, Options};
use oxrdf::{GraphName, GraphNameRef, NamedNode, Quad};
use oxttl::NQuadsParser;

#[expect(clippy::disallowed_methods, reason = "measuring is what this is for")]
fn now() -> Instant {
    Instant::now()
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["load", path, file] => load(path, file)?,
        ["put", path, file, group] => put(path, file, group.parse()?)?,
        ["drop", path, graph] => drop_graph(path, graph)?,
        ["query", path, sparql] => query(path, sparql)?,
        _ => {
            return Err("usage: peer load PATH FILE | put PATH FILE GROUP | drop PATH GRAPH | query PATH SPARQL".into());
        }
    }
    Ok(())
}

fn load(path: &str, file: &str) -> Outcome {
    let archive = Archive::open(path, &Options::default())?;
    let mut loader = archive.bulk_loader()?;
    let text = std::fs::read(file)?;
    for quad in NQuadsParser::new().for_slice(&text) {
        loader.add(quad?.as_ref())?;
    }
    let done = loader.finish()?;
    eprintln!("{done:?}");
    Ok(())
}

/// Puts documents, `group` to a transaction.
fn put(path: &str, file: &str, group: usize) -> Outcome {
    let archive = Archive::open(path, &Options::default())?;
    let mut documents: Vec<(NamedNode, Vec<Quad>)> = Vec::new();
    for line in NQuadsParser::new().for_reader(BufReader::new(File::open(file)?)) {
        let quad = line?;
        let GraphName::NamedNode(graph) = quad.graph_name.clone() else { continue };
        match documents.last_mut() {
            Some((document, quads)) if *document == graph => quads.push(quad),
            _ => documents.push((graph, vec![quad])),
        }
    }
    let begin = now();
    let cpu = cpu();
    for group in documents.chunks(group) {
        let mut transaction = archive.begin();
        for (document, quads) in group {
            transaction.put_document(Collection(1), document.as_ref(), quads.iter().map(Quad::as_ref))?;
        }
        transaction.commit()?;
    }
    archive.sync()?;
    eprintln!("put {} documents: {:?}, cpu {:.2}", documents.len(), begin.elapsed(), self::cpu() - cpu);
    Ok(())
}

fn drop_graph(path: &str, graph: &str) -> Outcome {
    let archive = Archive::open(path, &Options::default())?;
    let begin = now();
    let start = cpu();
    let mut transaction = archive.begin();
    transaction.drop_graph(GraphNameRef::NamedNode(NamedNode::new(graph)?.as_ref()))?;
    eprintln!("{:?}", transaction.commit()?);
    eprintln!("dropped: {:?}, cpu {:.2}", begin.elapsed(), cpu() - start);
    archive.reclaim()?;
    eprintln!("reclaimed: {:?}, cpu {:.2}", begin.elapsed(), cpu() - start);
    Ok(())
}

fn query(path: &str, sparql: &str) -> Outcome {
    let archive = Archive::open(path, &Options::default())?;
    for _ in 0..3 {
        let begin = now();
        let query = spargebra::SparqlParser::new().parse_query(sparql)?;
        let evaluator = spareval::QueryEvaluator::new();
        let results = evaluator.prepare(&query).execute(archive.snapshot().reader())?;
        let mut rows = 0;
        if let spareval::QueryResults::Solutions(solutions) = results {
            for solution in solutions {
                let solution = solution?;
                rows += 1;
                if rows == 1 {
                    eprintln!("{solution:?}");
                }
            }
        }
        eprintln!("{rows} rows: {:?}", begin.elapsed());
    }
    Ok(())
}

/// Seconds of CPU that this process has used.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
