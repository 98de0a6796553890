//! Metrics of jobs and daemons, read by a real Prometheus; and the log in a real journal.

use std::collections::BTreeSet;
use std::net::TcpStream;
use std::process::Command;

use midrun_tests::ask::ask as midrun_says;
use midrun_tests::prometheus::{self, ask, get};
use midrun_tests::{Agent, Analyzer, Mpi, Process, Prometheus, Scratch, each_mpi, midrun, need, root, synthetic};
use midrun_tests::{under_midrun, wait_until};
use serde_json::Value;

const UNEVEN: &str = "--tasks 200 --mean-us 1000 --sigma-pct 80 --work sleep --technique none";

/// Where a process that was started with `--metrics` serves them: `HOST:PORT`.
fn address(process: &Process) -> String {
    let mut address = None;
    wait_until("the metrics are served", || {
        let text = process.err();
        let line = text.lines().find_map(|line| line.strip_prefix("midrun: metrics at ")).map(str::to_owned);
        address = line.filter(|line| text.contains(&format!("{line}\n")));
        address.is_some()
    });
    let url = address.unwrap_or_default();
    url.split("//").nth(1).and_then(|rest| rest.strip_suffix("/metrics")).expect("a URL").to_owned()
}

fn target(name: &str, address: &str) -> String {
    format!("  - {{job_name: {name}, static_configs: [{{targets: ['{address}']}}]}}")
}

/// Expressions of the dashboard, with everything that Grafana fills in.
fn expressions(job: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("deploy/prometheus/grafana-dashboard.json")).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let filled = |target: &Value| {
        target["expr"].as_str().expect("an expression").replace("$job_id", job).replace("$__rate_interval", "10s")
    };
    targets.map(filled).collect()
}

/// Names of metrics in a text, without the suffix of counters.
fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let names = words.filter(|word| word.starts_with("midrun_"));
    names.map(|name| name.trim_end_matches("_total").to_owned()).collect()
}

#[each_mpi]
fn prometheus_reads_a_running_job_and_the_dashboard_finds_its_figures(mpi: Mpi) {
    need!(prometheus::is_here(), "no Prometheus");
    let scratch = Scratch::new();
    let line = synthetic::endless_line(&scratch, mpi, 4, UNEVEN);
    let mut job = under_midrun(&scratch, "job", &["--metrics", "127.0.0.1:0", "--summary", "run.json"], &line);
    let address = address(&job);
    let server = Prometheus::start(&scratch, &target("run", &address));
    wait_until("Prometheus has seen iterations and what the ranks did", || {
        assert!(job.is_running(), "{}", job.err());
        server.value("midrun_iterations_total") > Some(3.0) && server.value("sum(midrun_records_total)") > Some(0.0)
    });
    assert_eq!(server.errors(), [""], "{}", server.log());
    let info = server.query("midrun_job_info");
    let labels = &info[0]["metric"];
    assert_eq!((labels["mode"].as_str(), labels["tunlet"].as_str()), (Some("tuned"), Some("auto")), "{labels}");
    assert!(
        labels["mpi"].as_str().is_some_and(|found| found.to_lowercase().contains(match mpi {
            Mpi::OpenMpi => "open mpi",
            Mpi::Mpich => "mpich",
        })),
        "{mpi:?}: {labels}"
    );
    let job_id = labels["job_id"].as_str().expect("the job").to_owned();
    assert_eq!(server.value("sum(midrun_ranks)"), Some(4.0));
    assert_eq!(server.value("midrun_agent_ranks"), Some(4.0));
    assert_eq!(server.value("midrun_agent_connected"), Some(1.0));
    assert!(server.value("midrun_window_seconds >= midrun_window_ideal_seconds").is_some(), "no faster than ideal");
    let of_streams =
        |expression: &String| ["midrun_stage_", "midrun_outputs_"].iter().any(|name| expression.contains(name));
    let mut asked = expressions(&job_id);
    asked.retain(|expression| !of_streams(expression));
    assert!(asked.len() >= 15, "{asked:?}");
    wait_until("every curve of the dashboard has figures", || {
        asked.retain(|expression| server.query(expression).is_empty());
        assert!(job.is_running(), "no figures for {asked:?}");
        asked.is_empty()
    });
    assert_eq!(server.rules().len(), 6, "the rules are read");
    assert!(server.query("ALERTS{severity=\"warning\"}").is_empty(), "nothing is wrong with this job");
    no_token_in(&scratch, &get(&address, "/metrics"));

    synthetic::end(&scratch);
    let ended = job.succeed();
    synthetic::assert_whole(&ended);
    assert!(TcpStream::connect(&address).is_err(), "the port is free after the job");
    let summary: Value =
        serde_json::from_str(&std::fs::read_to_string(scratch.path("run.json")).expect("a summary")).expect("JSON");
    let seen = server.value("max_over_time(midrun_iterations_total[1h])").expect("iterations");
    let iterations = summary["iterations"].as_u64().expect("iterations");
    assert!(seen <= iterations as f64, "{seen} seen of {iterations}");
}

/// The secrets of the running job are in its job file; none of them may be in `text`.
fn no_token_in(scratch: &Scratch, text: &str) {
    let mut secrets = 0;
    let mut directories = vec![scratch.path("run")];
    while let Some(directory) = directories.pop() {
        for path in std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let Ok(content) = std::fs::read_to_string(&path) else { continue };
            for word in content.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| word.len() >= 32) {
                secrets += 1;
                assert!(!text.contains(word), "{} is shown", path.display());
            }
        }
    }
    assert!(secrets > 0, "the job file has a token");
    assert!(!text.to_lowercase().contains("token"), "{text}");
}

#[each_mpi]
fn an_agent_and_an_analyzer_that_stand_serve_theirs_and_the_docs_name_each(mpi: Mpi) {
    let scratch = Scratch::new();
    let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &[("METRICS", "127.0.0.1:0")]);
    let mut command = Command::new(midrun());
    command.env("MIDRUN_CFG_AGENT__METRICS", "127.0.0.1:0");
    let agent = Agent::run(&scratch, command, &analyzer.url);
    let (of_analyzer, of_agent) = (address(&analyzer.process), address(&agent.process));
    assert!(get(&of_analyzer, "/metrics").contains("midrun_analyzer_jobs 0.0\n"));
    let line = synthetic::endless_line(&scratch, mpi, 4, UNEVEN);
    let mut job = midrun_tests::mpi::command(&line);
    job.env("MIDRUN_SOCKET", &agent.socket).env("MIDRUN_JOB", "mine");
    let job = Process::start(&scratch, "job", job);
    let mut shown = String::new();
    wait_until("both have figures of the job", || {
        shown = get(&of_analyzer, "/metrics") + &get(&of_agent, "/metrics");
        shown.contains("midrun_job_info{job_id=\"mine\"")
            && shown.contains("\nmidrun_agent_ranks 4.0\n")
            && shown.contains("midrun_busy_ratio")
    });
    synthetic::end(&scratch);
    synthetic::assert_whole(&job.succeed());
    wait_until("the job is over", || get(&of_analyzer, "/metrics").contains("midrun_analyzer_jobs 0.0\n"));
    let documented = names(&std::fs::read_to_string(root().join("docs/metrics.md")).expect("the page"));
    let missing: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !documented.contains(*name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "docs/metrics.md names all");
    let unknown: Vec<String> = names(&expressions("mine").join(" ")).difference(&documented).cloned().collect();
    assert_eq!(unknown, Vec::<String>::new(), "the dashboard asks for documented ones");
}

#[test]
fn a_scrape_from_elsewhere_needs_a_certificate() {
    need!(prometheus::is_here(), "no Prometheus");
    let scratch = Scratch::new();
    let keys = ["site", "other"].map(|name| {
        let directory = scratch.path(name).display().to_string();
        let (code, text) = midrun_says(&scratch, &["certificates", &directory, "127.0.0.1"]);
        assert_eq!(code, 0, "{text}");
        directory
    });
    let file = |name: &str| format!("{}/{name}", keys[0]);
    let (ca, cert, key) = (file("ca.pem"), file("analyzer.pem"), file("analyzer.key"));
    let keys_of_analyzer = [("METRICS", "0.0.0.0:0"), ("TLS_CA", ca.as_str()), ("TLS_CERT", &cert), ("TLS_KEY", &key)];
    let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &keys_of_analyzer);
    assert!(analyzer.process.err().contains("midrun: metrics at https://0.0.0.0:"), "{}", analyzer.process.err());
    let port = address(&analyzer.process).rsplit(':').next().expect("a port").to_owned();
    let scrape = |name: &str, keys: &str, show: &str| {
        let show = if show.is_empty() {
            String::new()
        } else {
            format!(", cert_file: {show}/client.pem, key_file: {show}/client.key")
        };
        format!(
            "  - {{job_name: {name}, scheme: https, tls_config: {{ca_file: {keys}/ca.pem{show}}}, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}"
        )
    };
    let scrapes = [
        scrape("ours", &keys[0], &keys[0]),
        scrape("anonymous", &keys[0], ""),
        scrape("stranger", &keys[0], &keys[1]),
        target("plain", &format!("127.0.0.1:{port}")),
    ];
    let server = Prometheus::start(&scratch, &scrapes.join("\n"));
    wait_until("Prometheus has tried each", || server.query("up").len() == 4);
    wait_until("the site's own certificate is served", || server.value("up{job=\"ours\"}") == Some(1.0));
    for refused in ["anonymous", "stranger", "plain"] {
        assert_eq!(server.value(&format!("up{{job=\"{refused}\"}}")), Some(0.0), "{refused}");
    }
    assert_eq!(server.value("midrun_analyzer_jobs"), Some(0.0));
}

#[test]
fn an_address_that_cannot_be_is_one_sentence_before_anything_starts() {
    let scratch = Scratch::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("its address").to_string();
    let started = scratch.path("started").display().to_string();
    let socket = scratch.path("a.sock").display().to_string();
    for words in [
        vec!["analyzer", "--listen", "127.0.0.1:0"],
        vec!["agent", "--analyzer", "http://127.0.0.1:1", "--socket", &socket],
        vec!["run"],
    ] {
        for (address, parts) in [
            (taken.as_str(), &["cannot serve metrics at", "in use"][..]),
            ("0.0.0.0:0", &["--metrics 0.0.0.0:0 is open to other hosts", "127.0.0.1"]),
            ("nonsense", &["--metrics nonsense: allowed is an address and a port"]),
            ("no.such.host.invalid:1", &["cannot find the address"]),
        ] {
            let mut command = Command::new(midrun());
            command.args(&words).args(["--metrics", address]);
            if words[0] == "run" {
                command.args(["--", "touch", &started]);
            }
            let ended = Process::start(&scratch, "refused", command).wait();
            let lines: Vec<&str> = ended.err.lines().filter(|line| !line.contains("analyzer listens on")).collect();
            assert_eq!((ended.code, lines.len()), (64, 1), "{words:?} {address}: {}", ended.err);
            assert!(parts.iter().all(|part| lines[0].contains(part)), "{words:?} {address}: {}", ended.err);
        }
    }
    assert!(!scratch.path("started").exists(), "the command was not started");
}

#[test]
fn nothing_but_reading_is_answered_and_who_says_nothing_keeps_nobody_out() {
    let scratch = Scratch::new();
    let analyzer = Analyzer::with(&scratch, "analyzer", "127.0.0.1:0", &[("METRICS", "127.0.0.1:0")]);
    let address = address(&analyzer.process);
    for (request, status, part) in [
        ("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", 200, "application/openmetrics-text; version=1.0.0"),
        ("HEAD /metrics HTTP/1.0\r\n\r\n", 200, "openmetrics"),
        ("GET / HTTP/1.0\r\n\r\n", 404, "text/plain"),
        ("GET /metrics/../../etc/passwd HTTP/1.0\r\n\r\n", 404, "text/plain"),
        ("POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", 405, "GET, HEAD"),
        ("nonsense\r\n\r\n", 400, ""),
    ] {
        let (got, head, _) = ask(&address, request).expect("an answer");
        assert!(got == status && head.contains(part), "{request}: {head}");
    }
    let silent: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(&address).expect("a connection")).collect();
    assert!(get(&address, "/metrics").contains("midrun_build_info"), "the silent ones are closed in time");
    drop(silent);
    analyzer.end();
}

#[test]
fn promtool_finds_no_fault_with_the_rules_and_their_tests_hold() {
    need!(prometheus::is_here(), "no Prometheus");
    let directory = root().join("deploy/prometheus");
    for words in [
        &["check", "rules", "alerts.yml"][..],
        &["test", "rules", "alerts_test.yml"],
        &["check", "config", "prometheus.yml"],
    ] {
        let done = Command::new("promtool").args(words).current_dir(&directory).output().expect("promtool");
        let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{words:?}: {text}");
    }
    let read = |name| std::fs::read_to_string(directory.join(name)).expect("a file");
    let documented = names(&std::fs::read_to_string(root().join("docs/metrics.md")).expect("the page"));
    for name in ["alerts.yml", "alerts_test.yml", "grafana-dashboard.json"] {
        let unknown: Vec<String> = names(&read(name)).difference(&documented).cloned().collect();
        assert_eq!(unknown, Vec::<String>::new(), "{name}");
    }
}

/// Starts journald in a name space of its own, and a daemon whose stderr is a stream to it; prints the journal as JSON.
const IN_JOURNAL: &str = r#"
set -e
mount -t tmpfs none /run
mkdir -p /run/systemd/journal /run/log/journal /run/midrun
/lib/systemd/systemd-journald & journald=$!
for i in $(seq 200); do [ -S /run/systemd/journal/stdout ] && break; sleep 0.05; done
systemd-cat -t midrun --level-prefix=true sh -c '
  export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)
  NOTIFY_SOCKET=/run/nobody timeout --signal=TERM 2 "$1" analyzer --listen 127.0.0.1:0' sh "$1" || true
journalctl --sync
journalctl -D /run/log/journal -t midrun -o json --no-pager
kill $journald; wait $journald || true
"#;

#[test]
fn the_journal_has_the_priority_of_each_line_and_the_whole_sentence() {
    let here = ["/lib/systemd/systemd-journald", "/usr/bin/journalctl", "/usr/bin/systemd-cat"];
    need!(here.iter().all(|path| std::path::Path::new(path).exists()), "no journald");
    let root_only = Command::new("unshare").args(["-m", "true"]).status();
    need!(root_only.is_ok_and(|status| status.success()), "no mount name space");
    let scratch = Scratch::new();
    let mut command = Command::new("unshare");
    command.args(["-m", "--propagation", "private", "bash", "-c", IN_JOURNAL, "bash"]).arg(midrun());
    command.env_remove("MIDRUN_LOG");
    let ended = Process::start(&scratch, "journal", command).succeed();
    let entries: Vec<Value> = ended.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let priority = |part: &str| {
        let with = entries.iter().find(|entry| entry["MESSAGE"].as_str().is_some_and(|text| text.contains(part)));
        let with = with.unwrap_or_else(|| panic!("{part:?} is not in {}\n{}", ended.out, ended.err));
        let text = with["MESSAGE"].as_str().unwrap_or("").to_owned();
        (with["PRIORITY"].as_str().unwrap_or("").to_owned(), text)
    };
    let (info, listens) = priority("the analyzer listens");
    assert_eq!(info, "6", "{listens}");
    assert!(listens.starts_with("midrun_analyzer") && listens.contains("tls=false"), "no time, no level: {listens}");
    let (warning, unready) = priority("the service manager is not told");
    assert_eq!(warning, "4", "{unready}");
    assert!(unready.contains("No such file"), "the reason is in the line: {unready}");
}
