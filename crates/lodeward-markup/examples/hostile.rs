//! Measures whether the time for a page is proportional to its size, whatever it contains.
//!
//! Reads hostile pages of 1, 2, 5 and 10 MB. The last column is the time per byte at the largest
//! size divided by that at the smallest: about 1 is linear, 10 is quadratic. `hostile [NAME…]`
//! reads only the named pages. Every page is read in a separate process, which is killed after a
//! time limit.
#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a measurement that prints its results")]

mod shared;

use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use lodeward_markup::rdfa::HostLanguage;
use lodeward_markup::{PageOptions, PageReader, links};
use shared::{Count, cpu_seconds};

const MEGABYTE: usize = 1_000_000;
const SIZES: [usize; 4] = [1, 2, 5, 10];
/// Maximum number of polls of the process that reads a page; then it is killed.
const MAX_POLLS: usize = 200;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Most pages start with this, so that a tree is built. Pages named `quick-…` are read without a
/// tree, those named `xml-…` as XHTML.
const START: &str = "<!DOCTYPE html><html><body><p itemscope property=a>x</p>";

/// Makes a page of about this many bytes.
type Make = fn(usize) -> String;

const PAGES: [(&str, Make); 38] = [
    ("nested-div", |bytes| repeated("<div>", bytes)),
    ("nested-unknown", |bytes| repeated("<x>", bytes)),
    ("attributes-of-one-tag", |bytes| format!("<div {}>", numbered(bytes, |n| format!("a{n}=1 ")))),
    ("attributes-of-many-tags", |bytes| repeated("<i a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8>x</i>", bytes)),
    ("duplicate-attributes", |bytes| format!("<div {}>", repeated("a=1 ", bytes))),
    ("itemref-circle", itemref_circle),
    ("itemref-one-subtree", itemref_one_subtree),
    ("itemprop-nested-text", |bytes| format!("<div itemscope>{}", repeated("<span itemprop=a>xyz", bytes))),
    ("itemscope-nested", |bytes| repeated("<span itemscope itemprop=a>", bytes)),
    ("prefixes-of-one-element", |bytes| {
        format!("<p prefix='{}' property=p1:x>x</p>", numbered(bytes, |n| format!("p{n}: http://p/{n} ")))
    }),
    ("prefixes-nested", |bytes| numbered(bytes, |n| format!("<span prefix='p{n}: http://p/{n}' property=p{n}:x>"))),
    ("prefix-and-its-users", prefixes_and_users),
    ("property-nested-text", |bytes| repeated("<span property=http://p/a>xyz", bytes)),
    ("property-xml-literals", |bytes| repeated("<span property=http://p/a datatype=rdf:XMLLiteral>x", bytes)),
    ("typeof-nested", |bytes| repeated("<span typeof=http://p/T rel=http://p/r>", bytes)),
    ("misnested-formatting", |bytes| repeated("<b><a><font>x</b>", bytes)),
    ("formatting-of-many-kinds", |bytes| numbered(bytes, |n| format!("<i a={n}>"))),
    ("misnested-paragraphs", |bytes| repeated("<b><p>", bytes)),
    ("nested-tables", |bytes| repeated("<table><tr><td>", bytes)),
    ("foster-parents", |bytes| format!("<table>{}", repeated("<i>x", bytes))),
    ("unclosed-comments", |bytes| repeated("<!--", bytes)),
    ("unclosed-scripts", |bytes| repeated("<script><!--<script>", bytes)),
    ("entities", |bytes| repeated("&amp;&#x41;&notit;&", bytes)),
    ("json-ld-nested", |bytes| json_ld(&repeated("{\"a\":", bytes))),
    ("json-ld-arrays", |bytes| json_ld(&repeated("[", bytes))),
    ("json-ld-scripts", |bytes| repeated(&json_ld("{\"@context\":\"https://schema.org\",\"name\":\"x\"}"), bytes)),
    ("bodies-with-attributes", |bytes| numbered(bytes, |n| format!("<body xmlns:a{n}=b>"))),
    ("quick-text", |bytes| repeated("<p>some text &amp; more <b>bold</b> ", bytes)),
    ("quick-nested-div", |bytes| repeated("<div>", bytes)),
    ("quick-subjects", |bytes| numbered(bytes / 2, |n| format!("<p{n} about=x>")) + &repeated("</zz>", bytes / 2)),
    ("quick-anchors-without-text", |bytes| {
        numbered(bytes / 2, |n| format!("<a href={n}></a>")) + &repeated(" <i></i>", bytes / 2)
    }),
    ("quick-anchors-unclosed", |bytes| numbered(bytes, |n| format!("<a href={n}><b>x "))),
    ("quick-svg", |bytes| format!("<svg>{}", repeated("<g><title>x", bytes))),
    ("quick-open-graph", |bytes| numbered(bytes, |n| format!("<meta property=og:a{n} content=b>"))),
    ("xml-nested", |bytes| format!("<x>{}", repeated("<a property='dc:title'>x", bytes))),
    ("xml-unclosed-tags", |bytes| format!("<x><a b=\"{}", repeated("<a\" b=\"", bytes))),
    ("xml-entities", |bytes| {
        format!("<!DOCTYPE x [<!ENTITY a 'xxxxxxxxxx'><!ENTITY b '&a;&a;&a;']><x>{}", repeated("&b;", bytes))
    }),
    ("xml-namespaces", |bytes| numbered(bytes, |n| format!("<p{n}:a xmlns:p{n}='http://p/{n}'>"))),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, size] = &arguments[..]
        && flag == "--one"
    {
        return read_one(name, size.parse().expect("a number of megabytes"));
    }
    println!("| page | 1 MB | 2 MB | 5 MB | 10 MB | statements, faults | last / first per byte |");
    println!("|---|---|---|---|---|---|---|");
    for (name, _) in PAGES {
        if arguments.is_empty() || arguments.iter().any(|it| it == name) {
            measure(name);
        }
    }
}

/// Reads one page, and prints the seconds, the statements and the faults.
fn read_one(name: &str, size: usize) {
    let (_, make) = PAGES.iter().find(|(it, _)| *it == name).expect("a known page");
    let is_separate = name.starts_with("quick-") || name.starts_with("xml-");
    let start = if is_separate { "" } else { START };
    let page = format!("{start}{}", make(size * MEGABYTE));
    let host = if name.starts_with("xml-") { HostLanguage::Xhtml } else { HostLanguage::Html };
    let mut count = Count::default();
    let start = cpu_seconds();
    let reader = PageReader::new(PageOptions { links: Some(links::LinkOptions::default()), ..PageOptions::default() });
    reader.read(&page, "http://example.org/page", host, &mut count);
    println!("{} {} {}", cpu_seconds() - start, count.quads, count.faults);
}

fn measure(name: &str) {
    let mut row = format!("| {name} |");
    let mut per_megabyte = Vec::new();
    let mut counts = String::new();
    let mut is_too_long = false;
    for size in SIZES {
        let output = if is_too_long { None } else { run_in_process(name, size) };
        let Some(output) = output else {
            is_too_long = true;
            row.push_str(" too long |");
            continue;
        };
        let mut words = output.split_whitespace();
        let seconds: f64 = words.next().and_then(|it| it.parse().ok()).unwrap_or(f64::NAN);
        let _ = write!(row, " {:.0} ms |", seconds * 1000.0);
        per_megabyte.push(seconds / size as f64);
        counts = words.collect::<Vec<_>>().join(", ");
    }
    let ratio = per_megabyte.last().zip(per_megabyte.first()).map_or(f64::NAN, |(last, first)| last / first);
    println!("{row} {counts} | {ratio:.2} |");
}

/// The output of a process that reads a page; `None` if it takes too long.
fn run_in_process(name: &str, size: usize) -> Option<String> {
    let this = std::env::current_exe().expect("our own path");
    let mut command = Command::new(this);
    let mut child = command.args(["--one", name, &size.to_string()]).stdout(Stdio::piped()).spawn().expect("a process");
    for _ in 0..MAX_POLLS {
        if child.try_wait().expect("our own process").is_some() {
            let output = child.wait_with_output().expect("our own process");
            return Some(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    child.kill().and_then(|()| child.wait()).expect("our own process");
    None
}

fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

fn numbered(bytes: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 100);
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&piece(number));
    }
    text
}

fn itemref_circle(bytes: usize) -> String {
    let items = numbered(bytes, |n| format!("<p itemscope itemprop=a id=i{n} itemref='i{} i0'></p>", n + 1));
    format!("<p itemscope itemref=i0></p>{items}")
}

fn itemref_one_subtree(bytes: usize) -> String {
    let items = repeated("<p itemscope itemref=s></p>", bytes / 2);
    format!("{items}<div id=s>{}</div>", repeated("<b itemprop=a>x</b>", bytes / 2))
}

fn prefixes_and_users(bytes: usize) -> String {
    let prefixes = numbered(bytes / 2, |n| format!("p{n}: http://p/{n} "));
    let users = numbered(bytes / 2, |n| format!("<i property=p{n}:x prefix='q: http://q/'>x</i>"));
    format!("<div prefix='{prefixes}'>{users}</div>")
}

fn json_ld(text: &str) -> String {
    format!("<script type=application/ld+json>{text}</script>")
}
