//! `midrun certificates`: makes the certificates of a site that has no authority of its own.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use midrun_proto::keys;

use crate::usage::{Usage, print};

/// The arguments of `midrun certificates`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Directory for ca.pem, analyzer.pem, analyzer.key, client.pem and client.key
    #[arg(value_name = "DIRECTORY")]
    directory: PathBuf,
    /// Names and addresses of the analyzer's host, as URLs have them
    #[arg(required = true, value_name = "HOST")]
    hosts: Vec<String>,
}

/// Writes the files; keys have mode 0600. A file that is there already is left alone.
///
/// # Errors
/// A file is there already or cannot be written, or a host has a name that no certificate can have.
pub fn main(args: &Args) -> anyhow::Result<ExitCode> {
    let hosts = args.hosts.join(", ");
    let made = keys::make(&args.hosts, "").map_err(|error| Usage(format!("no certificate for {hosts}: {error}")))?;
    let directory = &args.directory;
    fs::create_dir_all(directory).map_err(|error| Usage(format!("cannot create {}: {error}", directory.display())))?;
    for (name, mode, text) in [
        ("ca.pem", 0o644, &made.client.authority),
        ("analyzer.pem", 0o644, &made.analyzer.certificate),
        ("analyzer.key", 0o600, &made.analyzer.key),
        ("client.pem", 0o644, &made.client.certificate),
        ("client.key", 0o600, &made.client.key),
    ] {
        write(&directory.join(name), mode, text)?;
    }
    let directory = directory.display();
    print(&format!(
        "made for {hosts}, in {directory}\n\
         analyzer:          --tls-ca ca.pem --tls-cert analyzer.pem --tls-key analyzer.key\n\
         agents and people: --tls-ca ca.pem --tls-cert client.pem --tls-key client.key\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, mode: u32, text: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().create_new(true).write(true).mode(mode).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Usage(format!("cannot write {}: {error}", path.display())).into())
}
