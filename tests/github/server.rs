//! Requests over HTTP/1.1 and their answers: as much of it as one client needs.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    /// By names in lower case; of several of one name, all, joined by commas.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Reads one; `None` at the end of the connection.
    pub(super) fn read(stream: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|size| *size > 0)?;
        let mut words = line.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = BTreeMap::<String, String>::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            let known = headers.entry(name.to_ascii_lowercase()).or_default();
            if !known.is_empty() {
                known.push_str(", ");
            }
            known.push_str(value.trim());
        }
        let length = headers
            .get("content-length")
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Some(Self {
            method,
            path: path.to_owned(),
            query: pairs
                .map(|(name, value)| (name.to_owned(), decoded(value)))
                .collect(),
            headers,
            body,
        })
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits: String = bytes.by_ref().take(2).map(char::from).collect();
            out.push(u8::from_str_radix(&digits, 16).unwrap());
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).unwrap()
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        let kind = (
            "content-type".to_owned(),
            "application/json; charset=utf-8".to_owned(),
        );
        Self {
            status,
            headers: vec![kind],
            body: body.to_string().into_bytes(),
        }
    }

    pub(super) fn refusal(status: u16, message: &str) -> Self {
        Self::json(
            status,
            &json!({"message": message, "documentation_url": "https://docs.github.com/rest"}),
        )
    }

    pub(super) fn with(mut self, name: &str, value: impl Display) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub(super) fn write(&self, stream: &mut TcpStream) {
        let mut head = format!(
            "HTTP/1.1 {} x\r\ncontent-length: {}\r\n",
            self.status,
            self.body.len()
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&self.body);
    }
}
