//! A proxy that connects, counts, and looks at nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A proxy, running to the end of the test's process.
pub(super) struct Proxy {
    pub(super) url: String,
    connections: Arc<AtomicUsize>,
}

impl Proxy {
    /// How many connections went through.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

pub(super) fn start() -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let counted = Arc::clone(&counted);
            std::thread::spawn(move || pass(&stream, &counted));
        }
    });
    Proxy { url, connections }
}

/// Answers a CONNECT, and passes on what follows both ways.
fn pass(client: &TcpStream, counted: &AtomicUsize) -> Option<()> {
    let mut lines = BufReader::new(client.try_clone().ok()?);
    let mut first = String::new();
    lines.read_line(&mut first).ok()?;
    let there = first
        .strip_prefix("CONNECT ")?
        .split(' ')
        .next()?
        .to_owned();
    let mut line = String::new();
    while lines.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    let server = TcpStream::connect(there).ok()?;
    counted.fetch_add(1, Ordering::SeqCst);
    let mut back = client.try_clone().ok()?;
    back.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
    let mut from_server = server.try_clone().ok()?;
    std::thread::spawn(move || std::io::copy(&mut from_server, &mut back));
    let mut to_server = server;
    std::io::copy(&mut lines, &mut to_server).ok()?;
    Some(())
}
