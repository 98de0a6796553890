//! The analyzer over real loopback gRPC, with a scripted agent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Streaming};

use midrun_analyzer::journal::check;
use midrun_analyzer::{AnalyzerError, Config, limits, overview, serve};
use midrun_proto::PROTOCOL_VERSION;
use midrun_proto::token::ShowToken;
use midrun_proto::v1::admin_client::AdminClient;
use midrun_proto::v1::agent_client::AgentClient;
use midrun_proto::v1::{self, event, from_agent, to_agent};

/// A test that hangs says so.
const WATCHDOG: Duration = Duration::from_secs(60);

struct Analyzer {
    url: String,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), AnalyzerError>>,
    life: Life,
}

/// Where the tasks of an analyzer live, as in a process of its own: all end with it.
struct Life(Option<Runtime>);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

impl Analyzer {
    async fn start(config: Config) -> Analyzer {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.spawn(TcpListener::bind("127.0.0.1:0")).await.unwrap().unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async {
            let _ = stopped.await;
        };
        let ended = runtime.spawn(serve(config, listener, overview::nobody(), shutdown));
        Analyzer { url, stop, ended, life: Life(Some(runtime)) }
    }

    async fn admin(&self) -> AdminClient<InterceptedService<Channel, ShowToken>> {
        self.admin_with("").await
    }

    async fn admin_with(&self, token: &str) -> AdminClient<InterceptedService<Channel, ShowToken>> {
        let endpoint = tonic::transport::Endpoint::from_shared(self.url.clone()).unwrap();
        AdminClient::with_interceptor(endpoint.connect().await.unwrap(), ShowToken::new(token))
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        soon(self.ended).await.unwrap().unwrap();
    }
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(WATCHDOG, future).await.expect("the watchdog ended the wait")
}

/// An agent that says what the test tells it to.
struct FakeAgent {
    say: mpsc::Sender<v1::FromAgent>,
    hear: Streaming<v1::ToAgent>,
    sequence: u64,
}

impl FakeAgent {
    async fn link(analyzer: &Analyzer, hello: v1::Hello) -> FakeAgent {
        FakeAgent::try_link(analyzer, hello).await.unwrap()
    }

    async fn try_link(analyzer: &Analyzer, hello: v1::Hello) -> Result<FakeAgent, tonic::Status> {
        let (say, said) = mpsc::channel(64);
        // Small windows, so that an agent that does not listen is noticed soon.
        let channel = tonic::transport::Endpoint::from_shared(analyzer.url.clone())
            .unwrap()
            .initial_stream_window_size(65_535)
            .initial_connection_window_size(65_535);
        let mut client = AgentClient::with_interceptor(channel.connect().await.unwrap(), ShowToken::new(&hello.token));
        say.send(message(from_agent::Message::Hello(hello))).await.unwrap();
        let hear = soon(client.link(ReceiverStream::new(said))).await?.into_inner();
        Ok(FakeAgent { say, hear, sequence: 0 })
    }

    async fn hear(&mut self) -> Option<to_agent::Message> {
        match soon(self.hear.message()).await.ok().flatten().and_then(|heard| heard.message) {
            Some(to_agent::Message::OwnerSettings(settings)) => {
                let kept = v1::OwnerSettingsKept { job: settings.job, version: settings.version };
                let _ = self.say.send(message(from_agent::Message::OwnerSettingsKept(kept))).await;
                Box::pin(self.hear()).await
            }
            heard => heard,
        }
    }

    async fn send(&mut self, batch: v1::Batch) {
        self.sequence += 1;
        let batch = v1::Batch { sequence: self.sequence, ..batch };
        self.say.send(message(from_agent::Message::Batch(batch))).await.unwrap();
    }

    async fn report(&mut self, rank: u32, kinds: Vec<event::Kind>) {
        let events = kinds.into_iter().map(|kind| v1::Event { kind: Some(kind) }).collect();
        let report =
            v1::RankReport { id: id(rank), events, records_produced: 5, records_collected: 5, records_dropped: 0 };
        self.send(v1::Batch { reports: vec![report], ..Default::default() }).await;
    }

    async fn leave(&mut self) {
        let left = |rank| v1::RankLeft { id: id(rank), finalized: true, time_ns: 9, unattended: false };
        self.send(v1::Batch { left: (0..2).map(left).collect(), ..Default::default() }).await;
    }
}

fn message(message: from_agent::Message) -> v1::FromAgent {
    v1::FromAgent { message: Some(message) }
}

fn id(rank: u32) -> Option<v1::RankId> {
    Some(v1::RankId { job: "run-1".into(), rank })
}

fn hello(token: &str) -> v1::Hello {
    let joined = |rank| v1::RankJoined { id: id(rank), world_size: 2, mpi: "MPICH 4.0.2".into(), ..Default::default() };
    v1::Hello {
        protocol: PROTOCOL_VERSION,
        node: "n1".into(),
        agent: "n1-1-1".into(),
        version: "0.1.0".into(),
        token: token.into(),
        ranks: (0..2).map(joined).collect(),
        ..Default::default()
    }
}

fn iteration(n: u64) -> [event::Kind; 3] {
    let ms = 1_000_000;
    let (iteration, tasks) = (n, 10);
    [
        event::Kind::IterationBegun(v1::IterationBegun {
            iteration,
            time_ns: n * 1000 * ms,
            tasks,
            workers: 1,
            technique: 5,
            factor: 0.5,
            ..Default::default()
        }),
        event::Kind::Work(v1::Work {
            iteration,
            tasks,
            chunks: 2,
            busy_s: 0.5,
            sum_sq_s2: 0.026,
            ..Default::default()
        }),
        event::Kind::IterationEnded(v1::IterationEnded {
            iteration,
            time_ns: (n * 1000 + 625) * ms,
            tasks,
            chunks: 2,
            ..Default::default()
        }),
    ]
}

fn open(job: &str, token: &str) -> v1::OpenJobRequest {
    v1::OpenJobRequest { job: job.into(), token: token.into(), ..Default::default() }
}

fn close(token: &str) -> v1::CloseJobRequest {
    v1::CloseJobRequest { job: "run-1".into(), token: token.into() }
}

#[tokio::test]
async fn a_job_is_opened_measured_watched_and_closed() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal.jsonl");
    let analyzer = Analyzer::start(Config { journal: Some(journal.clone()), ..Config::default() }).await;
    let mut admin = analyzer.admin().await;
    admin.open_job(open("run-1", "")).await.unwrap();
    let watch = v1::WatchRequest { job: "run-1".into(), ..Default::default() };
    let mut notices = admin.watch(watch.clone()).await.unwrap().into_inner();

    let mut agent = FakeAgent::link(&analyzer, hello("")).await;
    let Some(to_agent::Message::Welcome(welcome)) = agent.hear().await else { panic!("no welcome") };
    assert_eq!(welcome.last_sequence, 0);
    for n in 0..2 {
        let [begun, work, ended] = iteration(n);
        agent.report(0, vec![begun, ended]).await;
        agent.report(1, vec![work]).await;
    }
    for sequence in 1..=4 {
        assert_eq!(agent.hear().await, Some(to_agent::Message::BatchAck(v1::BatchAck { sequence })));
    }
    let request = v1::SummaryRequest { job: "run-1".into(), ..Default::default() };
    let so_far = admin.get_summary(request).await.unwrap().into_inner().json;
    assert!(so_far.contains("\"iterations\":2"), "{so_far}");

    let mut closer = admin.clone();
    let closing = tokio::spawn(async move { closer.close_job(close("")).await });
    agent.leave().await;
    let json = soon(closing).await.unwrap().unwrap().into_inner().json;
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(summary["iteration_s"], serde_json::json!([0.625, 0.625]));
    assert_eq!(summary["ideal_s"], serde_json::json!([0.5, 0.5]));
    assert_eq!(summary["mpi"], "MPICH 4.0.2");
    assert_eq!(summary["nodes"], serde_json::json!(["n1"]));
    assert_eq!(summary["records"]["collected"], 10);
    for key in ["job", "workers", "imbalance", "technique", "decisions", "actions", "lost_ranks", "wall_s"] {
        assert!(!summary[key].is_null(), "{key} is missing");
    }

    let mut texts = Vec::new();
    while let Some(notice) = soon(notices.message()).await.unwrap() {
        serde_json::from_str::<serde_json::Value>(&notice.json).unwrap();
        texts.push(notice.text);
    }
    assert_eq!(texts.first().map(String::as_str), Some("job run-1 is open"));
    assert!(texts.last().unwrap().starts_with("job run-1 ended: 2 iterations on 2 ranks"), "{texts:?}");
    let mut late = admin.watch(watch).await.unwrap().into_inner();
    assert_eq!(soon(late.message()).await.unwrap().unwrap().text, "job run-1 is open");

    let jobs = admin.list_jobs(v1::ListJobsRequest::default()).await.unwrap().into_inner().jobs;
    assert_eq!(jobs, [v1::JobLine { job: "run-1".into(), ranks: 2, iterations: 2, ended: true }]);
    analyzer.stop().await;
    let journal = std::fs::read_to_string(journal).unwrap();
    assert!(journal.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    assert!(journal.contains("\"event\":\"window\"") && journal.contains("\"event\":\"job-ended\""), "{journal}");
}

/// The updates until `done` holds for what they add up to.
async fn followed(
    updates: &mut Streaming<v1::StatusUpdate>,
    status: &mut serde_json::Value,
    done: impl Fn(&serde_json::Value) -> bool,
) -> usize {
    let mut count = 0;
    while !done(status) {
        let update = soon(updates.message()).await.unwrap().expect("the job goes on");
        midrun_analyzer::status::merge(status, serde_json::from_str(&update.json).unwrap(), 100);
        count += 1;
    }
    count
}

#[tokio::test]
async fn who_follows_a_job_is_shown_what_changes_until_it_ends() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut admin = analyzer.admin().await;
    admin.open_job(open("run-1", "secret")).await.unwrap();
    let follow = |token: &str| v1::FollowRequest { job: "run-1".into(), token: token.into() };
    assert_eq!(admin.follow(follow("wrong")).await.unwrap_err().code(), Code::PermissionDenied);
    let unknown = v1::FollowRequest { job: "run-2".into(), token: String::new() };
    assert_eq!(admin.follow(unknown).await.unwrap_err().code(), Code::NotFound);
    let mut updates = admin.follow(follow("secret")).await.unwrap().into_inner();
    let mut status = serde_json::Value::Null;
    followed(&mut updates, &mut status, |status| status["job"] == "run-1").await;

    let mut agent = FakeAgent::link(&analyzer, hello("secret")).await;
    let [begun, work, ended] = iteration(0);
    agent.report(0, vec![begun, ended]).await;
    agent.report(1, vec![work]).await;
    followed(&mut updates, &mut status, |status| status["windows_seen"] == 1).await;
    assert_eq!(status["windows"][0]["time_s"], 0.625);
    assert_eq!(status["windows"][0]["ideal_s"], 0.5);
    let workers: Vec<_> = status["workers"].as_array().unwrap().iter().map(|line| &line["state"]).collect();
    assert_eq!(workers, ["master", "working"]);
    assert_eq!((&status["workers"][1]["busy"], &status["workers"][1]["done"]), (&0.8.into(), &10.into()));
    assert_eq!((&status["regime"], &status["technique"]), (&"compute-bound".into(), &"dpf(0.5)".into()));

    let [begun, work, ended] = iteration(1);
    agent.report(0, vec![begun, ended]).await;
    agent.report(1, vec![work]).await;
    let mut closer = admin.clone();
    let closing = tokio::spawn(async move { closer.close_job(close("secret")).await });
    agent.leave().await;
    followed(&mut updates, &mut status, |status| status["ended"] == true).await;
    let numbers: Vec<_> = status["windows"].as_array().unwrap().iter().map(|line| &line["number"]).collect();
    assert_eq!(numbers, [0, 1], "each window came once");
    assert_eq!(soon(updates.message()).await.unwrap(), None, "nothing comes after the end");
    soon(closing).await.unwrap().unwrap();
    // Who comes late sees how it ended.
    let mut late = admin.follow(follow("secret")).await.unwrap().into_inner();
    let mut status = serde_json::Value::Null;
    assert_eq!(followed(&mut late, &mut status, |status| status["ended"] == true).await, 1);
    assert_eq!(status["windows"].as_array().unwrap().len(), 2);
    analyzer.stop().await;
}

#[tokio::test]
async fn who_follows_a_job_is_shown_its_end_though_the_analyzer_ends_with_it() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut admin = analyzer.admin().await;
    admin.open_job(open("run-1", "secret")).await.unwrap();
    let follow = v1::FollowRequest { job: "run-1".into(), token: "secret".into() };
    let mut updates = admin.follow(follow).await.unwrap().into_inner();
    let mut status = serde_json::Value::Null;
    followed(&mut updates, &mut status, |status| status["job"] == "run-1").await;
    analyzer.stop.send(()).unwrap();
    followed(&mut updates, &mut status, |status| status["ended"] == true).await;
    assert_eq!(soon(updates.message()).await.unwrap(), None, "nothing comes after the end");
    drop((updates, admin));
    soon(analyzer.ended).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_agent_that_links_again_learns_what_was_taken_and_its_old_link_ends() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut first = FakeAgent::link(&analyzer, hello("")).await;
    first.hear().await.unwrap();
    first.report(0, Vec::new()).await;
    first.hear().await.unwrap();
    let mut second = FakeAgent::link(&analyzer, hello("")).await;
    let Some(to_agent::Message::Welcome(welcome)) = second.hear().await else { panic!("no welcome") };
    assert_eq!(welcome.last_sequence, 1);
    assert_eq!(first.hear().await, None);
    second.say.send(message(from_agent::Message::Goodbye(v1::Goodbye {}))).await.unwrap();
    assert_eq!(second.hear().await, None, "after a Goodbye the stream ends");
    analyzer.stop().await;
}

#[tokio::test]
async fn a_time_probe_is_answered_with_both_times() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut agent = FakeAgent::link(&analyzer, hello("")).await;
    agent.hear().await.unwrap();
    let probe = from_agent::Message::TimeProbe(v1::TimeProbe { agent_ns: 42 });
    agent.say.send(message(probe)).await.unwrap();
    let Some(to_agent::Message::TimeReply(reply)) = agent.hear().await else { panic!("no reply") };
    assert_eq!(reply.agent_ns, 42);
    assert!(reply.analyzer_ns > 0);
    analyzer.stop().await;
}

#[tokio::test]
async fn a_wrong_token_or_protocol_is_refused_with_a_sentence() {
    let analyzer = Analyzer::start(Config { token: "sesame".into(), ..Config::default() }).await;
    for wrong in ["simsim", ""] {
        let Err(refused) = FakeAgent::try_link(&analyzer, hello(wrong)).await else { panic!("not refused") };
        assert_eq!(refused.code(), Code::PermissionDenied);
        assert!(refused.message().contains("give the agent the right MIDRUN_TOKEN"), "{}", refused.message());
    }
    let old = v1::Hello { protocol: 0, ..hello("sesame") };
    let mut old = FakeAgent::link(&analyzer, old).await;
    let Some(to_agent::Message::Refusal(refusal)) = old.hear().await else { panic!("not refused") };
    assert!(refusal.why.contains("protocol 0"));
    assert_eq!(old.hear().await, None, "the stream ends after a refusal");

    let denied = analyzer.admin_with("simsim").await.open_job(open("run-1", "simsim")).await.unwrap_err();
    assert_eq!(
        (denied.code(), denied.message()),
        (Code::PermissionDenied, "the token is not the one of this analyzer")
    );
    let mut admin = analyzer.admin_with("sesame").await;
    admin.open_job(open("run-1", "sesame")).await.unwrap();
    assert_eq!(admin.close_job(close("")).await.unwrap_err().code(), Code::PermissionDenied);
    analyzer.stop().await;
}

/// Whether the other end has closed the connection, which has nothing more to read.
async fn is_closed(stream: &mut tokio::net::TcpStream) -> bool {
    use tokio::io::AsyncReadExt;
    let mut bytes = [0; 256];
    loop {
        match tokio::time::timeout(Duration::from_millis(20), stream.read(&mut bytes)).await {
            Ok(Ok(0) | Err(_)) => return true,
            Ok(Ok(_)) => {}
            Err(_) => return false,
        }
    }
}

#[tokio::test]
async fn strangers_who_hold_connections_open_keep_nobody_out_and_are_closed() {
    let analyzer = Analyzer::start(Config { token: "sesame".into(), ..Config::default() }).await;
    let mut linked = FakeAgent::link(&analyzer, hello("sesame")).await;
    assert!(matches!(linked.hear().await, Some(to_agent::Message::Welcome(_))));
    let address = analyzer.url.strip_prefix("http://").unwrap().to_owned();
    let mut strangers = Vec::new();
    for _ in 0..3 * limits::STRANGERS {
        strangers.push(tokio::net::TcpStream::connect(&address).await.unwrap());
    }
    // Who shows the token gets in past all of them, and who is in stays.
    let other = v1::Hello { agent: "n2-1-1".into(), ..hello("sesame") };
    let mut other = FakeAgent::link(&analyzer, other).await;
    assert!(matches!(other.hear().await, Some(to_agent::Message::Welcome(_))));
    linked.report(0, Vec::new()).await;
    assert!(matches!(linked.hear().await, Some(to_agent::Message::BatchAck(_))));
    let closed = async {
        for stranger in &mut strangers {
            while !is_closed(stranger).await {}
        }
    };
    soon(closed).await;
    linked.report(0, Vec::new()).await;
    assert!(matches!(linked.hear().await, Some(to_agent::Message::BatchAck(_))), "it is no stranger");
    analyzer.stop().await;
}

#[tokio::test]
async fn nothing_but_headers_of_a_few_kib_is_read_before_the_token() {
    let analyzer = Analyzer::start(Config { token: "sesame".into(), ..Config::default() }).await;
    // The message alone would be taken: its files make 3 MiB.
    let file = v1::TunletFile { name: "x".repeat(3 << 20), text: String::new() };
    let long = v1::OpenJobRequest { files: vec![file], ..open("run-1", "sesame") };
    let denied = analyzer.admin().await.open_job(long.clone()).await.unwrap_err();
    assert_eq!(denied.message(), "the token is not the one of this analyzer");
    let taken = analyzer.admin_with("sesame").await.open_job(long).await.unwrap_err();
    assert!(taken.message().contains("at most 65536 bytes are allowed"), "{}", taken.message());
    let headers = analyzer.admin_with(&"x".repeat(64 << 10)).await.open_job(open("run-1", "")).await;
    assert!(headers.is_err());
    analyzer.admin_with("sesame").await.open_job(open("run-1", "")).await.unwrap();
    analyzer.stop().await;
}

#[tokio::test]
async fn bad_calls_are_answered_with_what_would_be_right() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut admin = analyzer.admin().await;
    let bad = admin.open_job(open("a job", "")).await.unwrap_err();
    assert_eq!(bad.code(), Code::InvalidArgument);
    assert!(bad.message().contains("allowed are"), "{}", bad.message());
    let bad = v1::OpenJobRequest { technique: "dfp".into(), ..open("run-1", "") };
    let bad = admin.open_job(bad).await.unwrap_err();
    assert!(bad.message().contains("dfp") && bad.message().contains("dpf"), "{}", bad.message());
    assert_eq!(admin.close_job(close("")).await.unwrap_err().code(), Code::NotFound);
    analyzer.stop().await;
}

#[tokio::test]
async fn a_tunlets_file_is_compiled_again_and_its_mistakes_are_refused_with_their_place() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut admin = analyzer.admin().await;
    let with = |name: &str, text: String| v1::OpenJobRequest {
        tunlet: "own.toml".into(),
        files: vec![v1::TunletFile { name: name.into(), text }],
        ..open("run-1", "")
    };
    for (request, part) in [
        (with("own.toml", "name = 'own'\nscript = 'x'".into()), "line 2, column 11: nothing is called `x`"),
        (with("other.toml", String::new()), "own.toml is a file, and its text is not here"),
        (with("own.toml", "x".repeat(70_000)), "at most 65536 bytes"),
        (v1::OpenJobRequest { files: vec![Default::default(); 9], ..open("run-1", "") }, "at most 8"),
    ] {
        let bad = admin.open_job(request).await.unwrap_err();
        assert_eq!(bad.code(), Code::InvalidArgument);
        assert!(bad.message().contains(part), "{}", bad.message());
    }
    admin.open_job(with("own.toml", "name = 'own'\nscript = '()'".into())).await.unwrap();
    analyzer.stop().await;
}

#[tokio::test]
async fn a_link_that_begins_with_a_batch_is_ended_and_the_analyzer_lives_on() {
    let analyzer = Analyzer::start(Config::default()).await;
    let (say, said) = mpsc::channel(4);
    say.send(message(from_agent::Message::Batch(v1::Batch::default()))).await.unwrap();
    let mut client = AgentClient::connect(analyzer.url.clone()).await.unwrap();
    let mut hear = client.link(ReceiverStream::new(said)).await.unwrap().into_inner();
    assert_eq!(soon(hear.message()).await.unwrap_err().code(), Code::InvalidArgument);
    let mut agent = FakeAgent::link(&analyzer, hello("")).await;
    assert!(matches!(agent.hear().await, Some(to_agent::Message::Welcome(_))));
    analyzer.stop().await;
}

#[tokio::test]
async fn an_agent_that_does_not_listen_is_disconnected_and_the_others_are_served() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut admin = analyzer.admin().await;
    admin.open_job(open("run-1", "")).await.unwrap();
    let watch = v1::WatchRequest { job: "run-1".into(), ..Default::default() };
    let mut notices = admin.watch(watch).await.unwrap().into_inner();
    let deaf = FakeAgent::link(&analyzer, hello("")).await;
    let pump = tokio::spawn(async move {
        // It never takes an answer, so that its link's queue must overflow in the end.
        for sequence in 1.. {
            let reports = vec![v1::RankReport { id: id(0), ..Default::default() }];
            let batch = v1::Batch { sequence, reports, ..Default::default() };
            if deaf.say.send(message(from_agent::Message::Batch(batch))).await.is_err() {
                break;
            }
        }
        deaf.hear
    });
    loop {
        let notice = soon(notices.message()).await.unwrap().unwrap();
        if notice.text == "the agent on n1 is not connected any more" {
            break;
        }
    }
    let mut agent = FakeAgent::link(&analyzer, v1::Hello { agent: "n2-1-1".into(), ..hello("") }).await;
    assert!(matches!(agent.hear().await, Some(to_agent::Message::Welcome(_))));
    pump.abort();
    analyzer.stop().await;
}

#[tokio::test]
async fn shutdown_sums_up_open_jobs_and_ends_all_streams() {
    let analyzer = Analyzer::start(Config::default()).await;
    let mut admin = analyzer.admin().await;
    admin.open_job(open("run-1", "")).await.unwrap();
    let watch = v1::WatchRequest { job: "run-1".into(), ..Default::default() };
    let mut notices = admin.watch(watch).await.unwrap().into_inner();
    let mut agent = FakeAgent::link(&analyzer, hello("")).await;
    agent.hear().await.unwrap();
    let waiting = tokio::spawn({
        let mut admin = admin.clone();
        async move { admin.close_job(close("")).await }
    });
    // The job is closing while its ranks are still there.
    tokio::time::sleep(Duration::from_millis(100)).await;
    analyzer.stop().await;
    assert!(soon(waiting).await.unwrap().unwrap().into_inner().json.contains("\"job\":\"run-1\""));
    assert_eq!(agent.hear().await, None);
    let mut last = String::new();
    while let Ok(Some(notice)) = soon(notices.message()).await {
        last = notice.text;
    }
    assert!(last.starts_with("job run-1 ended"), "{last}");
}

#[tokio::test]
async fn a_bad_configuration_is_refused_before_anything_is_served() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = Config { action_ttl_ms: 1, ..Config::default() };
    let error = serve(config, listener, overview::nobody(), std::future::pending()).await.unwrap_err();
    assert_eq!(error.to_string(), "action_ttl_ms = 1: allowed is 10 to 3600000");
}

/// Whether an analyzer that starts after one that `ends` knows that a job was frozen, though its agent does not.
async fn knows_what_was_set<F: Future<Output = ()>>(ends: impl FnOnce(Analyzer, PathBuf) -> F) {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal.jsonl");
    let config = Config { journal: Some(journal.clone()), ..Config::default() };
    let before = Analyzer::start(config.clone()).await;
    let mut agent = FakeAgent::link(&before, hello("")).await;
    agent.hear().await.unwrap();
    let freeze = v1::ControlRequest {
        job: "run-1".into(),
        control: Some(v1::control_request::Control::Freeze(v1::Freeze {})),
        ..Default::default()
    };
    let mut admin = before.admin().await;
    // The agent hears of it and says so, on which the answer waits.
    let (answer, _) =
        tokio::join!(admin.control(freeze), tokio::time::timeout(Duration::from_millis(300), agent.hear()));
    assert!(answer.unwrap().into_inner().done);
    ends(before, journal).await;

    let next = Analyzer::start(config).await;
    let mut forgetful = FakeAgent::link(&next, v1::Hello { agent: "n1-2-2".into(), ..hello("") }).await;
    forgetful.hear().await.unwrap();
    let status = v1::StatusRequest { job: "run-1".into(), ..Default::default() };
    let json = next.admin().await.get_status(status).await.unwrap().into_inner().json;
    assert!(json.contains("\"mode\":\"frozen\""), "{json}");
    next.stop().await;
}

/// Ends without the end of a job in its journal, which is another analyzer's then.
async fn kill(Analyzer { stop, life, .. }: Analyzer, journal: &Path) {
    drop(life);
    let is_free = async {
        while check(journal).is_err() {
            tokio::task::yield_now().await;
        }
    };
    soon(is_free).await;
    drop(stop); // before, it would have stopped the analyzer in order
}

#[tokio::test]
async fn an_analyzer_that_starts_again_with_its_journal_knows_what_was_set_by_hand() {
    knows_what_was_set(|before, journal| async move { kill(before, &journal).await }).await;
}

#[tokio::test]
async fn so_does_one_whose_inputs_were_given_up() {
    knows_what_was_set(|before, journal| async move {
        kill(before, &journal).await;
        std::fs::File::create(journal.with_extension("jsonl.inputs")).unwrap();
    })
    .await;
}

#[tokio::test]
async fn so_does_one_after_an_analyzer_that_was_stopped() {
    knows_what_was_set(|before, _| before.stop()).await;
}
