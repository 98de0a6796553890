//! A standing analyzer that is measured, with certificates or without.

use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::processes::Ended;
use crate::{AS_ROOT, prefix};

/// `midrun` with these words, in jobs that remember nothing.
pub fn midrun(words: &[&str]) -> Command {
    let mut command = Command::new(prefix().join("bin/midrun"));
    command.args(words).env("MIDRUN_CFG_RUN__NO_MEMORY", "true");
    command.envs(AS_ROOT);
    command
}

/// A standing analyzer with its keys and log in `place`, its URL, and the flags with which a command reaches it.
///
/// # Errors
/// No certificates can be made, or the analyzer does not start.
pub fn analyzer(place: &Path, is_tls: bool) -> Result<(Ended, String, Vec<String>)> {
    let keys = place.join("keys");
    let file = |name: &str| keys.join(name).display().to_string();
    let flags = |side: &str| -> Vec<String> {
        let (certificate, key) = (file(&format!("{side}.pem")), file(&format!("{side}.key")));
        ["--tls-ca", &file("ca.pem"), "--tls-cert", &certificate, "--tls-key", &key].map(str::to_owned).into()
    };
    if is_tls && !keys.exists() {
        let made = midrun(&["certificates", &keys.display().to_string(), "127.0.0.1"]).output()?;
        ensure!(made.status.success(), "no certificates: {}", String::from_utf8_lossy(&made.stderr));
    }
    let log = place.join(format!("analyzer.{is_tls}"));
    let mut command = midrun(&["analyzer", "--listen", "127.0.0.1:0"]);
    if is_tls {
        command.args(flags("analyzer"));
    }
    let child = Ended(command.stderr(std::fs::File::create(&log)?).spawn()?);
    let begin = Instant::now();
    let address = loop {
        let text = std::fs::read_to_string(&log)?;
        let found = text.lines().find_map(|line| line.strip_prefix("midrun: analyzer listens on "));
        if let Some(address) = found {
            break address.to_owned();
        }
        ensure!(begin.elapsed() < Duration::from_secs(30), "no analyzer: {text}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let scheme = if is_tls { "https" } else { "http" };
    Ok((child, format!("{scheme}://{address}"), if is_tls { flags("client") } else { Vec::new() }))
}
