//! Measures one analyzer with many agents: start-up, time until an iteration is digested and until its decision arrives, CPU time, memory,
//! and bytes on each link. Analyzer, inner agents and connections are real; leaf agents and ranks are simulated in this process.

use anyhow::{Context, Result, bail};
use clap::Parser;
use midrun_benches::processes::{Ended, cpu_s, memory_mib};
use midrun_benches::{prefix, spread};
use midrun_proto::PROTOCOL_VERSION;
use midrun_proto::v1::agent_client::AgentClient;
use midrun_proto::v1::{self, assignment, event, from_agent, to_agent};
use prost::Message;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;

/// One analyzer with many agents of many ranks each, which compute a Master/Worker iteration each period.
#[derive(Parser)]
struct Arguments {
    /// Numbers of agents.
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000")]
    agents: Vec<u32>,
    /// Ranks of each agent.
    #[arg(long, default_value_t = 64)]
    ranks: u32,
    /// Iterations before, and after, a third of the agents vanish.
    #[arg(long, default_value_t = 8)]
    iterations: u64,
    /// Inner agents, each a process, that carry the others; 0: all link to the analyzer.
    #[arg(long, value_delimiter = ',', default_value = "0")]
    inner: Vec<u32>,
    /// From one iteration's begin to the next one's, seconds.
    #[arg(long, default_value_t = 1.0)]
    period_s: f64,
}

/// Tasks of a worker in an iteration.
const TASKS: u64 = 10;
/// Connections that are being made at a time.
const CONNECTING: usize = 64;
/// Time for the inner agents to link.
const INNER_READY: Duration = Duration::from_millis(500);
/// An analyzer that has not digested an iteration after so long is given up.
const PATIENCE: Duration = Duration::from_secs(120);
const JOB: &str = "scale";

/// What the analyzer answered to all agents.
#[derive(Default)]
struct Answers {
    welcomes: AtomicU64,
    acks: AtomicU64,
    actions: Mutex<Vec<(Instant, v1::Action)>>,
}

/// What all agents have in common.
struct Shape {
    ranks: u32,
    world_size: u32,
    is_tree: bool,
}

/// A simulated agent's way to the analyzer.
struct Agent {
    say: mpsc::Sender<v1::FromAgent>,
    sequence: u64,
    reader: tokio::task::JoinHandle<()>,
}

impl Agent {
    /// Links to `url`, or to the agents that it names instead.
    async fn link(url: String, number: u32, arguments: Arc<Shape>, answers: Arc<Answers>) -> Result<Agent> {
        let Shape { ranks, world_size, is_tree } = *arguments;
        let joined = |rank| v1::RankJoined { id: id(rank), world_size, pid: rank + 2, ..Default::default() };
        let node = format!("n{number}");
        let mut hello = v1::Hello {
            protocol: PROTOCOL_VERSION,
            agent: format!("{node}-1-1"),
            node,
            version: env!("CARGO_PKG_VERSION").into(),
            ranks: (number * ranks..(number + 1) * ranks).map(joined).collect(),
            takes_parent: is_tree,
            ..Default::default()
        };
        let mut ways = VecDeque::from([url.clone()]);
        let (say, mut hear, first) = loop {
            // The parents have failed: the analyzer, once more.
            let way = ways.pop_front().unwrap_or_else(|| {
                hello.takes_parent = false;
                url.clone()
            });
            let (say, said) = mpsc::channel(16);
            let Ok(channel) = Endpoint::from_shared(way)?.connect().await else { continue };
            say.send(message(from_agent::Message::Hello(hello.clone()))).await?;
            let Ok(heard) = AgentClient::new(channel).link(ReceiverStream::new(said)).await else { continue };
            let mut hear = heard.into_inner();
            match hear.message().await.ok().flatten().and_then(|first| first.message) {
                Some(to_agent::Message::Parents(parents)) => ways = parents.urls.into(),
                Some(first) => break (say, hear, first),
                None => {}
            }
        };
        let back = say.clone();
        let reader = tokio::spawn(async move {
            let mut next = Some(first);
            while let Some(heard) = next {
                match heard {
                    to_agent::Message::Welcome(_) => _ = answers.welcomes.fetch_add(1, Ordering::Relaxed),
                    to_agent::Message::BatchAck(_) => _ = answers.acks.fetch_add(1, Ordering::Relaxed),
                    to_agent::Message::Action(action) => {
                        answers.actions.lock().expect("no panic").push((Instant::now(), action));
                    }
                    to_agent::Message::OwnerSettings(settings) => {
                        let kept = v1::OwnerSettingsKept { job: settings.job, version: settings.version };
                        let _ = back.send(message(from_agent::Message::OwnerSettingsKept(kept))).await;
                    }
                    to_agent::Message::Refusal(refusal) => eprintln!("agents: refused: {}", refusal.why),
                    _ => {}
                }
                next = hear.message().await.ok().flatten().and_then(|heard| heard.message);
            }
        });
        Ok(Agent { say, sequence: 0, reader })
    }

    /// Sends the reports; returns their bytes.
    async fn send(&mut self, number: u32, reports: Vec<v1::RankReport>) -> Result<usize> {
        self.sequence += 1;
        let batch = v1::Batch { node: format!("n{number}"), sequence: self.sequence, reports, ..Default::default() };
        let bytes = batch.encoded_len();
        self.say.send(message(from_agent::Message::Batch(batch))).await.context("the analyzer closed a link")?;
        Ok(bytes)
    }
}

fn message(message: from_agent::Message) -> v1::FromAgent {
    v1::FromAgent { message: Some(message) }
}

fn id(rank: u32) -> Option<v1::RankId> {
    Some(v1::RankId { job: JOB.into(), rank })
}

fn report(rank: u32, kinds: Vec<event::Kind>) -> v1::RankReport {
    let events = kinds.into_iter().map(|kind| v1::Event { kind: Some(kind) }).collect();
    v1::RankReport { id: id(rank), events, ..Default::default() }
}

/// The processes of midrun.
struct Tree {
    analyzer: Ended,
    url: String,
    inner: Vec<Ended>,
    sockets: tempfile::TempDir,
}

impl Tree {
    async fn start(inner: u32) -> Result<Tree> {
        let (analyzer, url) = start_analyzer(inner)?;
        let mut tree = Tree { analyzer, url, inner: Vec::new(), sockets: tempfile::tempdir()? };
        for number in 0..inner {
            let mut command = Command::new(prefix().join("bin/midrun"));
            command.args(["agent", "--options-follow", "--analyzer", &tree.url, "--socket"]);
            command
                .arg(tree.sockets.path().join(number.to_string()))
                .env("MIDRUN_CFG_AGENT__NODE", format!("i{number}"));
            command.stdin(Stdio::null()).stderr(Stdio::null());
            tree.inner.push(Ended(command.spawn()?));
        }
        if inner > 0 {
            tokio::time::sleep(INNER_READY + Duration::from_millis(20) * inner).await;
        }
        Ok(tree)
    }

    /// CPU time of analyzer, inner agents and simulator so far, seconds.
    fn cpu_s(&self) -> [f64; 3] {
        let of = |pid: u32| cpu_s(pid).unwrap_or(f64::NAN);
        [of(self.analyzer.0.id()), self.inner.iter().map(|inner| of(inner.0.id())).sum(), of(std::process::id())]
    }

    /// Connections of the analyzer, and bytes that came in on them so far.
    fn received(&self) -> (f64, f64) {
        let port = self.url.rsplit(':').next().unwrap_or_default();
        let found = Command::new("ss").args(["-tinH", "sport", "=", &format!(":{port}")]).output();
        let text = found.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let received = text.split_whitespace().filter_map(|word| word.strip_prefix("bytes_received:")?.parse().ok());
        received.fold((0.0, 0.0), |(links, sum), bytes: f64| (links + 1.0, sum + bytes))
    }
}

fn start_analyzer(inner: u32) -> Result<(Ended, String)> {
    let midrun = prefix().join("bin/midrun");
    let mut command = Command::new(&midrun);
    command.args(["analyzer", "--listen", "127.0.0.1:0"]).stdin(Stdio::null()).stderr(Stdio::piped());
    // The inner agents come first; without any, everybody links directly.
    let direct = if inner > 0 { inner } else { 1_000_000 };
    command.env("MIDRUN_CFG_ANALYZER__DIRECT_AGENTS", direct.to_string());
    let mut child = command.spawn().with_context(|| format!("{} does not start", midrun.display()))?;
    let mut lines = BufReader::new(child.stderr.take().context("no stderr")?).lines();
    let daemon = Ended(child);
    while let Some(Ok(line)) = lines.next() {
        if let Some(address) = line.strip_prefix("midrun: analyzer listens on ") {
            let url = format!("http://{}", address.trim());
            // Its pipe must not fill.
            std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
            return Ok((daemon, url));
        }
    }
    bail!("the analyzer ended before it listened");
}

/// What the master has in force.
struct Setting {
    technique: u32,
    factor: f64,
}

/// The tuning points of a master, as the library declares them.
fn tuning_points(workers: u32) -> Vec<event::Kind> {
    let points = [
        ("mw.technique", v1::TuningPointType::I64, 0.0, 11.0, 0.0),
        ("mw.factor", v1::TuningPointType::F64, 0.0, 1.0, 0.5),
        ("mw.task_mean_s", v1::TuningPointType::F64, 0.0, 1e9, 0.0),
        ("mw.task_sigma_s", v1::TuningPointType::F64, 0.0, 1e9, 0.0),
        ("mw.min_chunk", v1::TuningPointType::I64, 1.0, 1e9, 1.0),
        ("mw.workers", v1::TuningPointType::I64, 1.0, f64::from(workers), f64::from(workers)),
        ("mw.recall", v1::TuningPointType::I64, 0.0, 1.0, 0.0),
    ];
    let declared =
        |(number, (name, kind, minimum, maximum, value)): (usize, (&str, v1::TuningPointType, f64, f64, f64))| {
            event::Kind::TuningPointDeclared(v1::TuningPointDeclared {
                tuning_point: number as u32,
                name: name.into(),
                r#type: kind.into(),
                minimum,
                maximum,
                value,
                declared: None,
            })
        };
    points.into_iter().enumerate().map(declared).collect()
}

/// A job over all agents.
struct Job<'a> {
    arguments: &'a Arguments,
    tree: &'a Tree,
    agents: Vec<Agent>,
    answers: Arc<Answers>,
    sent: u64,
    iteration: u64,
    setting: Setting,
    begin: Instant,
}

/// Figures of some iterations.
#[derive(Default)]
struct Figures {
    digested_s: Vec<f64>,
    decided_s: Vec<f64>,
    bytes_per_leaf: f64,
    bytes_per_link: f64,
    cpu_s: [f64; 3],
    wall_s: f64,
}

impl Job<'_> {
    fn now_ns(&self) -> u64 {
        self.begin.elapsed().as_nanos() as u64 + 1_000_000_000
    }

    async fn send(&mut self, agent: usize, reports: Vec<v1::RankReport>) -> Result<usize> {
        self.sent += 1;
        self.agents[agent].send(agent as u32, reports).await
    }

    /// One iteration; returns the time of its last record, and the bytes of all agents.
    async fn iterate(&mut self) -> Result<(Instant, usize)> {
        let (ranks, period_s) = (self.arguments.ranks, self.arguments.period_s);
        let workers = self.agents.len() as u32 * ranks - 1;
        let (iteration, tasks) = (self.iteration, u64::from(workers) * TASKS);
        let begun = v1::IterationBegun {
            iteration,
            time_ns: self.now_ns(),
            tasks,
            workers,
            technique: self.setting.technique,
            factor: self.setting.factor,
            ..Default::default()
        };
        let mut first = vec![event::Kind::IterationBegun(begun)];
        if iteration == 0 {
            first.extend(tuning_points(workers));
        }
        let mut bytes = self.send(0, vec![report(0, first)]).await?;
        tokio::time::sleep(Duration::from_secs_f64(0.8 * period_s)).await;
        let mut busy_ns = 0.0;
        // The last is the master's own agent.
        for agent in (0..self.agents.len()).rev() {
            let numbers = agent as u32 * ranks..(agent as u32 + 1) * ranks;
            let mut reports = Vec::with_capacity(ranks as usize);
            for rank in numbers.filter(|rank| *rank > 0) {
                // Workers differ much, so that the static split is surely worth a change.
                let busy_s = 0.8
                    * period_s
                    * (0.1 + 0.9 * f64::from(rank.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24));
                busy_ns += busy_s * 1e9;
                let each_s = busy_s / TASKS as f64;
                let work = v1::Work {
                    iteration,
                    tasks: TASKS,
                    chunks: 1,
                    busy_s,
                    sum_sq_s2: TASKS as f64 * each_s * each_s * 1.2,
                    tasks_timed: true,
                    last_end_ns: self.now_ns(),
                    ..Default::default()
                };
                reports.push(report(rank, vec![event::Kind::Work(work)]));
            }
            if agent == 0 {
                let ended = v1::IterationEnded {
                    iteration,
                    time_ns: self.now_ns(),
                    tasks,
                    chunks: u64::from(workers),
                    task_time_ns: busy_ns as u64,
                    ..Default::default()
                };
                reports.push(report(0, vec![event::Kind::IterationEnded(ended)]));
            }
            bytes += self.send(agent, reports).await?;
        }
        let last = Instant::now();
        self.iteration += 1;
        Ok((last, bytes))
    }

    /// Waits until all batches are acknowledged; returns how long after `since`.
    async fn digested(&self, since: Instant) -> Result<f64> {
        while self.answers.acks.load(Ordering::Relaxed) < self.sent {
            if since.elapsed() > PATIENCE {
                bail!("{} of {} batches are acknowledged", self.answers.acks.load(Ordering::Relaxed), self.sent);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(since.elapsed().as_secs_f64())
    }

    /// The master applies what has come, at its next safe point.
    async fn apply(&mut self) -> Result<Vec<Instant>> {
        let actions = std::mem::take(&mut *self.answers.actions.lock().expect("no panic"));
        let mut came = Vec::new();
        for (at, action) in actions {
            came.push(at);
            for assignment in &action.assignments {
                let Some(assignment::Value::Number(value)) = assignment.value else { continue };
                match assignment.tuning_point.as_str() {
                    "mw.technique" => self.setting.technique = value as u32,
                    "mw.factor" => self.setting.factor = value,
                    _ => {}
                }
            }
            let result = v1::ActionResult {
                action: action.id,
                status: v1::ActionStatus::Applied.into(),
                iteration: self.iteration,
                time_ns: self.now_ns(),
                register: 0,
            };
            self.send(0, vec![report(0, vec![event::Kind::ActionResult(result)])]).await?;
        }
        Ok(came)
    }

    async fn iterations(&mut self) -> Result<Figures> {
        let (mut figures, begin, cpu_s) = (Figures::default(), Instant::now(), self.tree.cpu_s());
        let (_, received) = self.tree.received();
        let mut before = begin;
        for _ in 0..self.arguments.iterations {
            let next = Instant::now() + Duration::from_secs_f64(self.arguments.period_s);
            let (last, bytes) = self.iterate().await?;
            figures.digested_s.push(self.digested(last).await?);
            tokio::time::sleep_until(next.into()).await;
            figures.bytes_per_leaf += bytes as f64 / self.agents.len() as f64 / self.arguments.iterations as f64;
            let came = self.apply().await?;
            // What came while this iteration was computed was decided after the one before.
            let decided =
                |at: Instant| at.saturating_duration_since(if at < last { before } else { last }).as_secs_f64();
            figures.decided_s.extend(came.into_iter().map(decided));
            before = last;
        }
        figures.wall_s = begin.elapsed().as_secs_f64();
        let now_s = self.tree.cpu_s();
        figures.cpu_s = [0, 1, 2].map(|of| now_s[of] - cpu_s[of]);
        let (links, now) = self.tree.received();
        figures.bytes_per_link = (now - received) / links / figures.wall_s;
        Ok(figures)
    }
}

async fn measure(arguments: &Arguments, agents: u32, inner: u32) -> Result<()> {
    let tree = Tree::start(inner).await?;
    let answers = Arc::new(Answers::default());
    let shape = Shape { ranks: arguments.ranks, world_size: agents * arguments.ranks, is_tree: inner > 0 };
    let shape = Arc::new(shape);
    let begin = Instant::now();
    let gate = Arc::new(tokio::sync::Semaphore::new(CONNECTING));
    let mut linking = Vec::new();
    for number in 0..agents {
        let (url, shape, answers, gate) = (tree.url.clone(), shape.clone(), answers.clone(), gate.clone());
        linking.push(tokio::spawn(async move {
            let _permit = gate.acquire_owned().await?;
            Agent::link(url, number, shape, answers).await
        }));
    }
    let mut linked = Vec::new();
    for link in linking {
        linked.push(link.await??);
    }
    while answers.welcomes.load(Ordering::Relaxed) < u64::from(agents) {
        if begin.elapsed() > PATIENCE {
            bail!("{} of {agents} agents are welcome", answers.welcomes.load(Ordering::Relaxed));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let ready_s = begin.elapsed().as_secs_f64();
    let ready = format!("{ready_s:.2} (CPU {})", tree.cpu_s().map(|cpu_s| format!("{cpu_s:.1}")).join(" + "));
    let setting = Setting { technique: 0, factor: 0.5 };
    let mut job = Job { arguments, tree: &tree, agents: linked, answers, sent: 0, iteration: 0, setting, begin };
    let figures = job.iterations().await?;
    print(&job, &ready, &figures);
    for agent in job.agents.drain((agents - agents / 3) as usize..) {
        agent.reader.abort();
    }
    let figures = job.iterations().await?;
    print(&job, "a third vanished", &figures);
    Ok(())
}

/// Largest resident memory of a process so far, MiB.
fn most_mib(process: &Ended) -> f64 {
    memory_mib(process.0.id(), "VmHWM").unwrap_or(f64::NAN)
}

fn print(job: &Job<'_>, ready: &str, figures: &Figures) {
    let milliseconds = |values: &[f64]| match spread(values.iter().map(|s| s * 1e3).collect()) {
        Some(found) => format!("{:.1} [{:.1} … {:.1}]", found.median, found.p10, found.p90),
        None => "none".into(),
    };
    let (agents, inner) = (job.agents.len(), job.tree.inner.len());
    let [analyzer, inners, simulator] = figures.cpu_s.map(|cpu_s| 100.0 * cpu_s / figures.wall_s);
    let inner_mib = job.tree.inner.iter().map(most_mib).fold(0.0, f64::max);
    println!(
        "| {agents} | {inner} | {} | {ready} | {} | {} ({}) | {analyzer:.1} | {:.0} | {:.1} | {simulator:.0} | {:.0} | {inner_mib:.0} | {:.0} | {:.0} |",
        agents * job.arguments.ranks as usize,
        milliseconds(&figures.digested_s),
        milliseconds(&figures.decided_s),
        figures.decided_s.len(),
        1e3 * figures.cpu_s[0] / job.arguments.iterations as f64,
        if inner > 0 { inners / inner as f64 } else { 0.0 },
        most_mib(&job.tree.analyzer),
        figures.bytes_per_leaf / job.arguments.period_s,
        figures.bytes_per_link,
    );
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    println!(
        "{} ranks of each agent, an iteration each {} s; median [10 % … 90 %]. CPU in % of a core, of an inner agent the mean.\n",
        arguments.ranks, arguments.period_s
    );
    println!(
        "| agents | inner | ranks | ready after, s (CPU of analyzer + inner agents + simulator, s) | digested after, ms | action after, ms | analyzer | CPU of an iteration, ms | an inner agent | simulator | analyzer, MiB | inner agent, MiB | bytes/s of an agent | of an analyzer's link |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for agents in &arguments.agents {
        for inner in &arguments.inner {
            measure(&arguments, *agents, *inner)
                .await
                .with_context(|| format!("with {agents} agents, {inner} inner ones"))?;
        }
    }
    Ok(())
}
