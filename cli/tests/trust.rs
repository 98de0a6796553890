//! The real binary over TLS: a site's certificates, what is wrong with them, and what others can see of a job.

mod stage;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use stage::{Stage, Standing, first_line, stderr};

/// A site's certificates in directory `name` of the stage.
fn certificates(stage: &Stage, name: &str) {
    let made = stage.run(&["certificates", name, "127.0.0.1", "localhost"]);
    assert!(made.status.success(), "{}", stderr(&made));
}

fn flags(files: &[String; 3]) -> [&str; 6] {
    ["--tls-ca", &files[0], "--tls-cert", &files[1], "--tls-key", &files[2]]
}

/// Authority, certificate and key of one side.
fn files(site: &str, side: &str) -> [String; 3] {
    [format!("{site}/ca.pem"), format!("{site}/{side}.pem"), format!("{site}/{side}.key")]
}

/// A standing analyzer with the certificates of a site.
fn standing(stage: &Stage, listen: &str, site: &str) -> Standing {
    fs::write(stage.path("token"), "sesame\n").unwrap();
    fs::set_permissions(stage.path("token"), fs::Permissions::from_mode(0o600)).unwrap();
    let files = files(site, "analyzer");
    let words = [&["analyzer", "--listen", listen, "--token-file", "token"][..], &flags(&files)].concat();
    Standing::start(&mut stage.midrun(&words))
}

fn refused(output: &Output, code: i32, parts: &[&str]) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert_eq!(text.trim_end().lines().count(), 1, "one sentence: {text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

#[test]
fn a_sites_certificates_let_its_clients_in_and_nobody_else() {
    let stage = Stage::new();
    certificates(&stage, "site");
    certificates(&stage, "other");
    let analyzer = standing(&stage, "0.0.0.0:0", "site");
    let url = format!("https://127.0.0.1:{}", analyzer.port());
    let ask = |files: &[String; 3]| {
        stage.run(&[&["status", "--analyzer", &url, "--token-file", "token"][..], &flags(files)].concat())
    };
    refused(&ask(&files("site", "client")), 1, &["no job that this token may see runs"]);
    let [_, certificate, key] = files("other", "client");
    refused(
        &ask(&["site/ca.pem".into(), certificate, key]),
        1,
        &["refuses the certificate of this side", "--tls-cert"],
    );
    refused(
        &ask(&files("other", "client")),
        1,
        &["no certificate of the authority that this side believes", "--tls-ca"],
    );
    refused(&stage.run(&["status", "--analyzer", &url]), 64, &["--tls-ca, --tls-cert and --tls-key"]);

    let run = |client: &[String; 3], code: &str| {
        let line = ["--summary", "s.json", "--", "mpirun", "-n", "2", "sh", "-c", code];
        stage.run(&[&["run", "--analyzer", &url, "--token-file", "token"][..], &flags(client), &line].concat())
    };
    let done = run(&files("site", "client"), "exit 3");
    assert_eq!(done.status.code(), Some(3), "{}", stderr(&done));
    assert!(stage.path("s.json").exists() && !stderr(&done).contains("untuned"), "{}", stderr(&done));
    let [ca, _, _] = files("site", "client");
    let [_, certificate, key] = files("other", "client");
    for (client, why) in [(files("other", "client"), "(--tls-ca)"), ([ca, certificate, key], "(--tls-cert)")] {
        let done = run(&client, "exit 4");
        assert_eq!(done.status.code(), Some(4), "the job ran: {}", stderr(&done));
        let said = stderr(&done);
        assert_eq!(said.matches(&format!("{why}, so the job runs untuned")).count(), 1, "{said}");
    }
    stage.assert_nothing_left();
}

#[test]
fn certificates_that_cannot_be_used_are_refused_before_anything_starts() {
    let stage = Stage::new();
    certificates(&stage, "site");
    let mode = |name: &str| fs::metadata(stage.path(name)).unwrap().permissions().mode() & 0o777;
    for key in ["site/client.key", "site/analyzer.key"] {
        assert_eq!(mode(key), 0o600, "{key}");
    }
    let key = fs::read(stage.path("site/client.key")).unwrap();
    refused(&stage.run(&["certificates", "site", "node1"]), 64, &["site/ca.pem", "exists"]);
    assert_eq!(fs::read(stage.path("site/client.key")).unwrap(), key, "they are kept");
    refused(&stage.run(&["certificates", "elsewhere"]), 64, &["HOST"]);

    fs::copy(stage.path("site/client.key"), stage.path("open.key")).unwrap();
    fs::set_permissions(stage.path("open.key"), fs::Permissions::from_mode(0o640)).unwrap();
    let agent = |files: [&str; 3]| {
        let files = files.map(str::to_owned);
        let words = ["agent", "--socket", "a.sock", "--analyzer", "https://node1:7741"];
        stage.run(&[&words[..], &flags(&files)].concat())
    };
    let (ca, pem, key) = ("site/ca.pem", "site/client.pem", "site/client.key");
    refused(&agent([ca, pem, "open.key"]), 64, &["open.key is open to others (mode 640)", "chmod 600"]);
    refused(&agent([ca, pem, "site/analyzer.key"]), 64, &["site/analyzer.key is not the key of the certificate"]);
    refused(&agent([ca, pem, "none"]), 64, &["cannot read none"]);
    refused(&agent([key, pem, key]), 64, &["site/client.key holds no certificate"]);
    refused(&agent([ca, key, key]), 64, &["site/client.key holds no certificate"]);
    let words = ["agent", "--socket", "a.sock", "--analyzer", "https://node1:7741"];
    refused(&stage.run(&[&words[..], &["--tls-ca", ca]].concat()), 64, &["tls_cert is missing"]);
    refused(&stage.run(&words), 64, &["by certificates only"]);
    let plain = ["agent", "--socket", "a.sock", "--analyzer", "http://node1:7741"];
    refused(&stage.run(&plain), 64, &["plain text to another host", "https://"]);
    fs::write(stage.path("token"), "sesame\n").unwrap();
    fs::set_permissions(stage.path("token"), fs::Permissions::from_mode(0o600)).unwrap();
    let open = stage.run(&["analyzer", "--listen", "0.0.0.0:0", "--token-file", "token"]);
    refused(&open, 64, &["0.0.0.0:0 is open to other hosts", "plain text", "--tls-cert", "midrun certificates"]);
    assert!(!stage.path("a.sock").exists());
}

/// Passes everything on to the port of an analyzer on this host, and keeps it; the own port.
fn tapped(port: &str) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (own, there) = (listener.local_addr().unwrap().port(), format!("127.0.0.1:{port}"));
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = kept.clone();
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let far = TcpStream::connect(&there).unwrap();
            let both = [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)];
            for (mut from, mut to) in both {
                let keep = keep.clone();
                std::thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(count @ 1..) = from.read(&mut bytes) {
                        keep.lock().unwrap().extend_from_slice(&bytes[..count]);
                        if to.write_all(&bytes[..count]).is_err() {
                            break;
                        }
                    }
                    let _ = to.shutdown(std::net::Shutdown::Write);
                });
            }
        }
    });
    (own, kept)
}

/// Bytes that a job sent and got, and its token and name. Its own files say what these are.
fn on_the_wire(stage: &Stage, mut run: Command, kept: &Mutex<Vec<u8>>) -> (Vec<u8>, [String; 2]) {
    let (mut run, _) = first_line(&mut run);
    let directory = fs::read_dir(stage.path("run/midrun")).unwrap().flatten().map(|entry| entry.path());
    let file = directory.into_iter().find(|path| path.extension().is_some_and(|end| end == "job")).unwrap();
    let file: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let text = |key: &str| file[key].as_str().unwrap().to_owned();
    fs::write(stage.path("end"), "").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    fs::remove_file(stage.path("end")).unwrap();
    let bytes = std::mem::take(&mut *kept.lock().unwrap());
    (bytes, [text("token"), text("job")])
}

fn contains(bytes: &[u8], text: &str) -> bool {
    assert!(text.len() > 8, "{text}");
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn what_is_on_the_wire_is_not_readable() {
    let stage = Stage::new();
    certificates(&stage, "site");
    let script = "echo ready; while [ ! -e end ]; do sleep 0.05; done";
    let line = ["--", "mpirun", "-n", "2", "sh", "-c", script];
    let client = files("site", "client");
    let secret = standing(&stage, "127.0.0.1:0", "site");
    let (port, kept) = tapped(secret.port());
    let url = format!("https://127.0.0.1:{port}");
    let words = [&["run", "--analyzer", &url, "--token-file", "token"][..], &flags(&client), &line].concat();
    let (bytes, words) = on_the_wire(&stage, stage.midrun(&words), &kept);
    assert!(bytes.len() > 1000, "{}", bytes.len());
    assert!(words.iter().all(|word| !contains(&bytes, word)), "the token or the job's name was sent in plain text");

    // The same in plain text, which shows that this test would see them.
    let plain = Standing::start(&mut stage.midrun(&["analyzer", "--listen", "127.0.0.1:0"]));
    let (port, kept) = tapped(plain.port());
    let url = format!("http://127.0.0.1:{port}");
    let (bytes, words) = on_the_wire(&stage, stage.midrun(&[&["run", "--analyzer", &url][..], &line].concat()), &kept);
    assert!(words.iter().all(|word| contains(&bytes, word)));
}

#[test]
fn the_jobs_keys_are_on_no_command_line_and_not_in_the_programs_environment() {
    let stage = Stage::new();
    // A host file makes midrun run hand its credentials to the launcher, as for other hosts.
    fs::write(stage.path("hosts"), "h1\n").unwrap();
    stage.program(
        "bin/mpirun",
        "#!/bin/sh
[ \"$1\" = --version ] && { echo 'mpirun (Open MPI) 4.1.4'; exit 0; }
[ -n \"$MIDRUN_CREDENTIALS\" ] && echo handed on
echo \"$0 $*\" >line
while [ \"${1#-}\" != \"$1\" ]; do
  case $1 in -x|-n|--hostfile) shift 2;; *) shift;; esac
done
exec \"$@\"
",
    );
    let line =
        ["run", "--", "mpirun", "--hostfile", "hosts", "-n", "2", "sh", "-c", "env >environment; cat run/midrun/*.job"];
    let output = stage.run(&line);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(out.starts_with("handed on\n"), "{out} {}", stderr(&output));
    let file: serde_json::Value = serde_json::from_str(out.lines().nth(1).unwrap()).unwrap();
    let (credentials, url) = (file["credentials"].as_str().unwrap(), file["url"].as_str().unwrap());
    assert!(credentials.len() > 100 && url.starts_with("https://"), "{file}");
    for name in ["line", "environment"] {
        let text = fs::read_to_string(stage.path(name)).unwrap();
        let secrets = [credentials, file["token"].as_str().unwrap()];
        assert!(secrets.iter().all(|secret| !text.contains(secret)), "{name}: {text}");
    }
}

#[test]
fn an_analyzer_takes_its_interface_and_a_port_of_its_range() {
    let stage = Stage::new();
    fs::write(stage.path("hosts"), "h1\n").unwrap();
    let with_hosts = "#!/bin/sh
[ \"$1\" = --version ] && { echo 'mpirun (Open MPI) 4.1.4'; exit 0; }
while [ \"${1#-}\" != \"$1\" ]; do
  case $1 in -x|-n|--hostfile) shift 2;; *) shift;; esac
done
exec \"$@\"
";
    stage.program("bin/mpirun", with_hosts);
    let taken = TcpListener::bind("127.0.0.7:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let listen = format!("127.0.0.7:{port}-{}", port.saturating_add(20));
    let url = |flags: &[&str], line: &[&str]| {
        let line =
            [&["run"], flags, &["--", "mpirun"], line, &["-n", "2", "sh", "-c", "cat run/midrun/*.job"]].concat();
        let output = stage.run(&line);
        let file: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        let address = file["url"].as_str().unwrap().strip_prefix("https://").unwrap().to_owned();
        address.parse::<std::net::SocketAddr>().unwrap()
    };
    let far = url(&["--listen", &listen], &["--hostfile", "hosts"]);
    assert_eq!(far.ip().to_string(), "127.0.0.7");
    assert!(far.port() > port && far.port() <= port + 20, "{far}");
    assert!(url(&["--listen", &listen], &[]).ip().is_loopback(), "no other host needs it");
    for bad in ["7741", "10.0.0.1:9-8"] {
        refused(&stage.run(&["run", "--listen", bad, "--", "mpirun", "true"]), 64, &["run.listen", bad, "7000-7099"]);
    }
}
