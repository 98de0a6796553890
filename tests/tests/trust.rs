//! Who may speak: real jobs at an analyzer with a site's certificates, under each MPI.

use midrun_tests::ask::{ask, status};
use midrun_tests::mpi::command;
use midrun_tests::synthetic::{self, assert_whole, wait_for_iterations};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Scratch, Summary, each_mpi, midrun, under_midrun, wait_until};

/// Tasks of 50 ms for each of four workers: the tunlet has reason to change the technique.
const JOB: &str = "--tasks 100 --mean-us 2000 --sigma-pct 60 --technique none";

/// A site's certificates in directory `name`; configuration keys of an analyzer that has them.
fn certificates(scratch: &Scratch, name: &str) -> [(&'static str, String); 3] {
    let directory = scratch.path(name).display().to_string();
    let (code, text) = ask(scratch, &["certificates", &directory, "127.0.0.1"]);
    assert_eq!(code, 0, "{text}");
    [("TLS_CA", "ca.pem"), ("TLS_CERT", "analyzer.pem"), ("TLS_KEY", "analyzer.key")]
        .map(|(key, file)| (key, format!("{directory}/{file}")))
}

fn analyzer(scratch: &Scratch, name: &str, address: &str, site: &[(&str, String)]) -> Analyzer {
    let keys: Vec<(&str, &str)> = site.iter().map(|(key, file)| (*key, file.as_str())).collect();
    Analyzer::with(scratch, name, address, &keys)
}

fn iterations(scratch: &Scratch) -> u64 {
    status(scratch, &[]).and_then(|now| now["iterations"].as_u64()).unwrap_or(0)
}

#[each_mpi]
fn a_stranger_at_the_port_of_a_dead_analyzer_steers_no_job(mpi: Mpi) {
    let scratch = Scratch::new();
    let (ours, others) = (certificates(&scratch, "site"), certificates(&scratch, "other"));
    let first = analyzer(&scratch, "first", "127.0.0.1:0", &ours);
    let address = first.url.strip_prefix("http://").expect("a URL").to_owned();
    let url = format!("https://{address}");
    let file = |name: &str| scratch.path("site").join(name).display().to_string();
    let (ca, certificate, key) = (file("ca.pem"), file("client.pem"), file("client.key"));
    let flags = ["--summary", "s.json", "--analyzer", &url, "--dry-run"];
    let flags = [&flags[..], &["--tls-ca", &ca, "--tls-cert", &certificate, "--tls-key", &key]].concat();
    let mut job = under_midrun(&scratch, "job", &flags, &synthetic::endless_line(&scratch, mpi, 5, JOB));
    wait_until("the analyzer measures", || iterations(&scratch) >= 2);
    first.process.signal(libc::SIGKILL);
    first.process.wait();

    // It would tune: it has not been told that this is a dry run, and nobody tells it anything.
    let stranger = analyzer(&scratch, "stranger", &address, &others);
    wait_for_iterations(&mut job, 20);
    let log = stranger.process.err();
    assert!(!log.contains("linked") && !log.contains("opened"), "{mpi:?}: {log}");
    stranger.process.signal(libc::SIGKILL);
    stranger.process.wait();

    let _second = analyzer(&scratch, "second", &address, &ours);
    wait_until("its own analyzer has the job again", || iterations(&scratch) >= 2);
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
    let summary = Summary::read(&scratch.path("s.json"));
    assert_eq!(summary.count("/actions/sent"), 0, "{mpi:?}: {}", summary.0);
}

#[each_mpi]
fn the_link_of_every_job_is_encrypted(mpi: Mpi) {
    let scratch = Scratch::new();
    let job = under_midrun(&scratch, "job", &["--summary", "s.json"], &synthetic::endless_line(&scratch, mpi, 3, JOB));
    wait_until("the job runs", || iterations(&scratch) >= 2);
    let files = std::fs::read_dir(scratch.path("run/midrun")).expect("the runtime directory").flatten();
    let file = files.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "job"));
    let text = std::fs::read_to_string(file.expect("the job's file")).expect("its text");
    let running: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let (url, token) = (running["url"].as_str().expect("a URL"), running["token"].as_str().expect("a token"));
    let address = url.strip_prefix("https://").expect("TLS");
    // The token alone opens nothing: by plain text, or from a directory without the job's file.
    let elsewhere = Scratch::new();
    for (url, part) in [(format!("http://{address}"), ""), (url.to_owned(), "by certificates only")] {
        let mut stranger = std::process::Command::new(midrun());
        stranger.args(["freeze", "--analyzer", &url]).env("MIDRUN_TOKEN", token);
        let output = stranger.env("XDG_RUNTIME_DIR", elsewhere.directory()).output().expect("midrun");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(part), "{mpi:?}: {said}");
    }
    assert_ne!(status(&scratch, &[]).expect("the job runs")["mode"], "frozen");
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
    assert!(Summary::read(&scratch.path("s.json")).count("/iterations") >= 2);
}

#[each_mpi]
fn a_standing_agent_serves_its_ranks_with_a_sites_certificates(mpi: Mpi) {
    let scratch = Scratch::new();
    let site = certificates(&scratch, "site");
    let analyzer = analyzer(&scratch, "analyzer", "127.0.0.1:0", &site);
    let url = analyzer.url.replace("http://", "https://");
    let keys = [("CA", "ca.pem"), ("CERT", "client.pem"), ("KEY", "client.key")]
        .map(|(key, file)| (format!("MIDRUN_CFG_AGENT__TLS_{key}"), scratch.path("site").join(file)));
    // env hands the configuration to the agent, and to the command that asks.
    let with_keys = |program: &std::path::Path| {
        let mut command = std::process::Command::new("env");
        command.args(keys.iter().map(|(key, file)| format!("{key}={}", file.display()))).arg(program);
        command
    };
    let agent = Agent::run(&scratch, with_keys(&midrun()), &url);
    let mut line = command(&synthetic::endless_line(&scratch, mpi, 3, JOB));
    line.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "standing");
    let job = Process::start(&scratch, "job", line);
    wait_until("the site's analyzer measures", || {
        let mut ask = with_keys(&midrun());
        let output = ask.args(["status", "standing", "--json", "--analyzer", &url]).output().expect("midrun");
        let status: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        status["iterations"].as_u64() >= Some(2)
    });
    synthetic::end(&scratch);
    assert_whole(&job.succeed());
}
