//! A real Prometheus that scrapes what a test names, and plain requests over HTTP.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{Process, Scratch, root, wait_until};

/// Sends `request` to `address` (`HOST:PORT`) and reads the answer to its end: status, headers and body.
///
/// # Errors
/// Nobody answers there.
pub fn ask(address: &str, request: &str) -> std::io::Result<(u16, String, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Ok((status, head.to_owned(), body.to_owned()))
}

/// The body of `GET path`; fails the test for any status but 200.
pub fn get(address: &str, path: &str) -> String {
    let answer = ask(address, &format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n"));
    let (status, _, body) = answer.unwrap_or_else(|error| panic!("{address}{path}: {error}"));
    assert_eq!(status, 200, "{address}{path}: {body}");
    body
}

/// A Prometheus of one test.
pub struct Prometheus {
    process: Process,
    address: String,
}

impl Prometheus {
    /// Starts one that reads the rules of `deploy/prometheus` and scrapes by `scrapes` (entries of `scrape_configs`).
    pub fn start(scratch: &Scratch, scrapes: &str) -> Prometheus {
        let rules = root().join("deploy/prometheus/alerts.yml").canonicalize().expect("the rules");
        let config = format!(
            "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [{}]\nscrape_configs:\n{scrapes}\n",
            rules.display()
        );
        std::fs::write(scratch.path("prometheus.yml"), config).expect("its configuration");
        // It takes no port 0: another may take this one in between, and then the test says so.
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
        let address = free.to_string();
        let mut command = Command::new("prometheus");
        command.current_dir(scratch.directory());
        command.args(["--config.file=prometheus.yml", "--storage.tsdb.path=prometheus.data", "--log.level=warn"]);
        command.arg(format!("--web.listen-address={address}"));
        let mut process = Process::start(scratch, "prometheus", command);
        wait_until("Prometheus is ready", || {
            assert!(process.is_running(), "{}", process.err());
            ask(&address, "GET /-/ready HTTP/1.0\r\n\r\n").is_ok_and(|(status, ..)| status == 200)
        });
        Prometheus { process, address }
    }

    /// The series that an expression gives now; fails the test if Prometheus does not understand it.
    pub fn query(&self, expression: &str) -> Vec<Value> {
        let escaped: String = expression.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let body = get(&self.address, &format!("/api/v1/query?query={escaped}"));
        let answer: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(answer["status"], "success", "{expression}: {body}");
        answer["data"]["result"].as_array().cloned().unwrap_or_default()
    }

    /// The value of an expression that gives one series; `None` where it gives none.
    pub fn value(&self, expression: &str) -> Option<f64> {
        let found = self.query(expression);
        assert!(found.len() <= 1, "{expression}: {found:?}");
        found.first()?["value"][1].as_str()?.parse().ok()
    }

    /// What it has against each of its targets; empty: nothing.
    pub fn errors(&self) -> Vec<String> {
        let answer: Value = serde_json::from_str(&get(&self.address, "/api/v1/targets")).expect("JSON");
        let targets = answer["data"]["activeTargets"].as_array().cloned().unwrap_or_default();
        targets.iter().map(|target| target["lastError"].as_str().unwrap_or("").to_owned()).collect()
    }

    /// Names of the alerts whose rules were read.
    pub fn rules(&self) -> Vec<String> {
        let answer: Value = serde_json::from_str(&get(&self.address, "/api/v1/rules")).expect("JSON");
        let rules = answer["data"]["groups"][0]["rules"].as_array().cloned().unwrap_or_default();
        rules.iter().map(|rule| rule["name"].as_str().unwrap_or("").to_owned()).collect()
    }

    /// Its log.
    pub fn log(&self) -> String {
        self.process.err()
    }
}

/// Whether Debian's package is installed.
pub fn is_here() -> bool {
    Path::new("/usr/bin/prometheus").exists() && Path::new("/usr/bin/promtool").exists()
}
