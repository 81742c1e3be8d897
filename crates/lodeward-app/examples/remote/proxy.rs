//! A proxy that injects faults. It handles one request per connection.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InjectedFault {
    Overloaded,
    TooManyRequests,
    DroppedBefore,
    DroppedAfter,
    HalfResponse,
}

const FAULTS: [(InjectedFault, &str); 5] = [
    (InjectedFault::Overloaded, "503"),
    (InjectedFault::TooManyRequests, "429"),
    (InjectedFault::DroppedBefore, "dropped before"),
    (InjectedFault::DroppedAfter, "dropped after"),
    (InjectedFault::HalfResponse, "half a response"),
];

struct ProxyState {
    upstream: String,
    percent: u64,
    rng: Mutex<SmallRng>,
    counts: Mutex<BTreeMap<Option<InjectedFault>, u64>>,
}

/// A proxy that listens until the process ends.
pub(crate) struct Proxy {
    address: SocketAddr,
    shared: Arc<ProxyState>,
}

impl Proxy {
    /// Starts a proxy for the server of this URL.
    pub(crate) fn start(url: &str, percent: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let upstream = authority(url).to_owned();
        let rng = Mutex::new(SmallRng::seed_from_u64(7));
        let shared = Arc::new(ProxyState { upstream, percent, rng, counts: Mutex::default() });
        let state = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&state);
                // Errors are ignored: they only close the connection of the client, which is
                // intended.
                std::thread::spawn(move || drop(shared.relay(&stream)));
            }
        });
        Self { address, shared }
    }

    /// The URL of the server through this proxy.
    pub(crate) fn url(&self, url: &str) -> String {
        url.replacen(authority(url), &self.address.to_string(), 1)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.shared.counts.lock().expect("the lock is not poisoned").values().sum()
    }

    /// The number of faults of each kind.
    pub(crate) fn faults(&self) -> String {
        let counts = self.shared.counts.lock().expect("the lock is not poisoned");
        let counts_text =
            FAULTS.iter().map(|(fault, name)| format!("{} {name}", counts.get(&Some(*fault)).unwrap_or(&0)));
        counts_text.collect::<Vec<_>>().join(", ")
    }
}

fn authority(url: &str) -> &str {
    url.split('/').nth(2).expect("http://authority/path")
}

impl ProxyState {
    fn relay(&self, client: &TcpStream) -> io::Result<()> {
        let request = receive(client)?;
        let fault = {
            let mut rng = self.rng.lock().expect("the lock is not poisoned");
            let is_faulty = rng.random_range(0..100) < self.percent;
            is_faulty.then(|| FAULTS[rng.random_range(0..FAULTS.len())].0)
        };
        *self.counts.lock().expect("the lock is not poisoned").entry(fault).or_default() += 1;
        let rejection = |status: &str| {
            format!("HTTP/1.1 {status}\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        };
        match fault {
            Some(InjectedFault::Overloaded) => {
                return { client }.write_all(rejection("503 Service Unavailable").as_bytes());
            }
            Some(InjectedFault::TooManyRequests) => {
                return { client }.write_all(rejection("429 Too Many Requests").as_bytes());
            }
            Some(InjectedFault::DroppedBefore) => return client.shutdown(Shutdown::Both),
            _ => {}
        }
        let mut server = TcpStream::connect(&self.upstream)?;
        server.write_all(&request)?;
        let mut response = Vec::new();
        server.read_to_end(&mut response)?;
        match fault {
            Some(InjectedFault::DroppedAfter) => {}
            Some(InjectedFault::HalfResponse) => { client }.write_all(&response[..response.len() / 2])?,
            _ => { client }.write_all(&response)?,
        }
        client.shutdown(Shutdown::Both)
    }
}

/// Reads a complete request and adds `Connection: close`.
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
