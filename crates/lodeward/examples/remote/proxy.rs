//! A bad way to a server: one request a connection, and a fault now and then.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Busy,
    TooMany,
    DroppedBefore,
    DroppedAfter,
    HalfAnswer,
}

const FAULTS: [(Fault, &str); 5] = [
    (Fault::Busy, "503"),
    (Fault::TooMany, "429"),
    (Fault::DroppedBefore, "dropped before"),
    (Fault::DroppedAfter, "dropped after"),
    (Fault::HalfAnswer, "half an answer"),
];

struct Shared {
    upstream: String,
    percent: u64,
    chance: Mutex<SmallRng>,
    counts: Mutex<BTreeMap<Option<Fault>, u64>>,
}

/// Listens until the process ends.
pub(crate) struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Proxy {
    /// In front of the server of this address.
    pub(crate) fn start(url: &str, percent: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let upstream = authority(url).to_owned();
        let chance = Mutex::new(SmallRng::seed_from_u64(7));
        let shared = Arc::new(Shared { upstream, percent, chance, counts: Mutex::default() });
        let theirs = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&theirs);
                // Whatever breaks here, breaks for the client, which is the point.
                std::thread::spawn(move || drop(shared.relay(&stream)));
            }
        });
        Self { address, shared }
    }

    /// An address of the server, by way of this proxy.
    pub(crate) fn url(&self, url: &str) -> String {
        url.replacen(authority(url), &self.address.to_string(), 1)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.shared.counts.lock().expect("nobody panics").values().sum()
    }

    /// How many faults of each sort.
    pub(crate) fn faults(&self) -> String {
        let counts = self.shared.counts.lock().expect("nobody panics");
        let told = FAULTS.iter().map(|(fault, name)| format!("{} {name}", counts.get(&Some(*fault)).unwrap_or(&0)));
        told.collect::<Vec<_>>().join(", ")
    }
}

fn authority(url: &str) -> &str {
    url.split('/').nth(2).expect("http://authority/path")
}

impl Shared {
    fn relay(&self, client: &TcpStream) -> io::Result<()> {
        let request = receive(client)?;
        let fault = {
            let mut chance = self.chance.lock().expect("nobody panics");
            let is_bad = chance.random_range(0..100) < self.percent;
            is_bad.then(|| FAULTS[chance.random_range(0..FAULTS.len())].0)
        };
        *self.counts.lock().expect("nobody panics").entry(fault).or_default() += 1;
        let refusal = |status: &str| {
            format!("HTTP/1.1 {status}\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        };
        match fault {
            Some(Fault::Busy) => return { client }.write_all(refusal("503 Service Unavailable").as_bytes()),
            Some(Fault::TooMany) => return { client }.write_all(refusal("429 Too Many Requests").as_bytes()),
            Some(Fault::DroppedBefore) => return client.shutdown(Shutdown::Both),
            _ => {}
        }
        let mut server = TcpStream::connect(&self.upstream)?;
        server.write_all(&request)?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer)?;
        match fault {
            Some(Fault::DroppedAfter) => {}
            Some(Fault::HalfAnswer) => { client }.write_all(&answer[..answer.len() / 2])?,
            _ => { client }.write_all(&answer)?,
        }
        client.shutdown(Shutdown::Both)
    }
}

/// A whole request, which asks the server to close when it has answered.
fn receive(client: &TcpStream) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::new(client);
    let mut head = String::new();
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line == "\r\n" {
            break;
        }
        let field = line.to_ascii_lowercase();
        length = field.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap_or(0));
        is_chunked |= field.starts_with("transfer-encoding:") && field.contains("chunked");
        head.push_str(&line);
    }
    head.push_str("connection: close\r\n\r\n");
    let mut request = head.into_bytes();
    if is_chunked {
        loop {
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line)?;
            let size = str::from_utf8(&line).ok().and_then(|text| u64::from_str_radix(text.trim(), 16).ok());
            let size = size.ok_or(io::ErrorKind::InvalidData)?;
            request.extend_from_slice(&line);
            reader.by_ref().take(size + 2).read_to_end(&mut request)?;
            if size == 0 {
                return Ok(request);
            }
        }
    }
    reader.take(length).read_to_end(&mut request)?;
    Ok(request)
}
