//! The programs on the simulated hosts: agents, the analyzer, owners, strangers.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use midrun_agent::{Attached, Host};
use midrun_analyzer::{AnalyzerError, Config as AnalyzerConfig, Surroundings, Thinker};
use midrun_proto::token::ShowToken;
use midrun_proto::v1::agent_client::AgentClient;
use midrun_proto::v1::{FromAgent, Hello, OwnerSettings, RankId, RankJoined, ToAgent, from_agent, to_agent};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;
use turmoil::Sim;

use crate::disk::SimDisk;
use crate::job::BY_HAND;
use crate::network::{ANALYZER, Listener, URL, of_agent, port_of};
use crate::owner::{self, Ask, Reply, Requests};
use crate::plan::Plan;
use crate::rank;
use crate::shown::Shown;

/// Connections that strangers open at a time.
const STRANGERS: usize = 40;

/// Where ranks attach on each node; `None` where no agent runs.
pub type Agents = Rc<RefCell<Vec<Option<Sender<Attached>>>>>;

thread_local! {
    /// Nodes whose agent is of an older version, when it starts.
    static OLD: RefCell<BTreeSet<usize>> = const { RefCell::new(BTreeSet::new()) };
}

/// See [`crate::faults::Fault::Old`].
pub fn set_old(node: usize, is_old: bool) {
    OLD.with_borrow_mut(|old| if is_old { old.insert(node) } else { old.remove(&node) });
}

/// An agent of an older version: it knows the tokens and a rank, and must not be taken. Its error is the promise that was broken.
async fn old_agent(number: usize, site: String, hello: Hello) -> Result<(), String> {
    loop {
        if let Ok(channel) = Endpoint::from_static(URL).connect_with_connector(of_agent(number)).await {
            let (to, stream) = tokio::sync::mpsc::channel(1);
            let _ = to.try_send(FromAgent { message: Some(from_agent::Message::Hello(hello.clone())) });
            let mut client = AgentClient::with_interceptor(channel, ShowToken::new(&site));
            if let Ok(answered) = client.link(ReceiverStream::new(stream)).await
                && let Ok(Some(ToAgent { message: Some(to_agent::Message::Welcome(_)) })) =
                    answered.into_inner().message().await
            {
                return Err("an agent of another version is welcome".into());
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// The owner of a job.
pub fn add_owner(sim: &mut Sim<'_>, plan: &Plan, number: usize, requests: &Requests) {
    let (requests, site, request) = (requests.clone(), plan.site.clone(), plan.jobs[number].request.clone());
    sim.host(format!("owner{number}"), move || {
        let (requests, site, request) = (requests.clone(), site.clone(), request.clone());
        async move { Ok(owner::run(requests, site, request).await?) }
    });
}

/// The agent of a node.
pub fn add_node(sim: &mut Sim<'_>, plan: &Plan, number: usize, agents: &Agents, shown: &Shown) {
    let job = &plan.jobs[0];
    let owner_settings = (job.is_known && number == 0).then(|| OwnerSettings {
        job: job.name.clone(),
        options: Some(midrun_proto::v1::OpenJobRequest {
            job: String::new(),
            token: String::new(),
            ..job.request.clone()
        }),
        ..OwnerSettings::default()
    });
    let config = midrun_agent::config::Config {
        analyzer: URL.into(),
        token: plan.site.clone(),
        job_token: plan.secret.clone(),
        node: format!("node{number}"),
        poll_ms: 2,
        owner_settings,
        options_follow: job.is_known,
        in_tree: plan.direct_agents > 0,
        ..midrun_agent::config::Config::default()
    };
    let (agents, shown, now) = (agents.clone(), shown.clone(), plan.clocks[number].monotonic());
    let id = Some(RankId { job: job.name.clone(), rank: 0 });
    let old = Hello {
        protocol: midrun_proto::PROTOCOL_VERSION - 1,
        node: format!("node{number}"),
        agent: format!("old{number}"),
        token: plan.secret.clone(),
        ranks: vec![RankJoined { id, world_size: job.ranks.len() as u32, ..RankJoined::default() }],
        ..Hello::default()
    };
    sim.host(format!("node{number}"), move || {
        let (config, agents, asked) = (config.clone(), agents.clone(), shown.agent());
        let old = OLD.with_borrow(|nodes| nodes.contains(&number)).then(|| old.clone());
        let host = Host { now: now.clone(), runs: rank::runs };
        async move {
            if let Some(hello) = old {
                return Ok(old_agent(number, config.token, hello).await?);
            }
            let (to, attached) = channel(64);
            agents.borrow_mut()[number] = Some(to);
            let connect = move |parent: Option<String>| async move {
                let endpoint =
                    Endpoint::from_shared(parent.unwrap_or_else(|| URL.into())).map_err(|e| e.to_string())?;
                let channel = midrun_agent::patient(endpoint).connect_with_connector(of_agent(number)).await;
                channel.map_err(|error| error.to_string())
            };
            let (open, end) = (port_of(number), std::future::pending());
            let ended = midrun_agent::serve(config, host, connect, open, attached, asked, end).await;
            Err(format!("the agent of node{number} ended: {ended:?}").into())
        }
    });
}

/// The analyzer.
pub fn add_analyzer(sim: &mut Sim<'_>, plan: &Plan, disk: &SimDisk, shown: &Shown) {
    let clock = &plan.clocks[plan.nodes];
    let disk = std::sync::Arc::new(disk.clone());
    // A thread of its own would end in another order each time.
    let thinker: Thinker = std::sync::Arc::new(|thought, _| thought());
    let surroundings = Surroundings { now_ns: clock.monotonic(), epoch_us: clock.epoch_us(), disk, thinker };
    let config = AnalyzerConfig {
        token: plan.site.clone(),
        journal: Some("journal.jsonl".into()),
        direct_agents: plan.direct_agents,
        ..AnalyzerConfig::default()
    };
    let shown = shown.clone();
    sim.host(ANALYZER.0, move || {
        let (config, surroundings, shown) = (config.clone(), surroundings.clone(), shown.clone());
        async move {
            // Somebody starts it again where it cannot open its journal.
            loop {
                let listener = turmoil::net::TcpListener::bind(("0.0.0.0", ANALYZER.1)).await?;
                let (surroundings, config, end) = (surroundings.clone(), config.clone(), std::future::pending());
                match midrun_analyzer::serve_in(surroundings, config, Listener(listener), shown.analyzer(), end).await {
                    Err(AnalyzerError::Journal { .. }) => tokio::time::sleep(Duration::from_secs(1)).await,
                    ended => return Err(format!("the analyzer ended: {ended:?}").into()),
                }
            }
        }
    });
}

/// Somebody who has the analyzer's token, and not that of a job; and connections that say nothing, or nonsense.
pub fn add_strangers(sim: &mut Sim<'_>, plan: &Plan) {
    let (site, job) = (plan.site.clone(), plan.jobs[0].name.clone());
    let is_secret = !plan.secret.is_empty();
    sim.host("stranger", move || {
        let (site, job) = (site.clone(), job.clone());
        async move {
            let mut open = Vec::new();
            let turn = Cell::new(0_u32);
            loop {
                tokio::time::sleep(Duration::from_millis(500)).await;
                turn.set(turn.get() + 1);
                while open.len() < 8 * STRANGERS {
                    let connected = turmoil::net::TcpStream::connect(ANALYZER);
                    let Ok(Ok(mut stream)) = tokio::time::timeout(Duration::from_millis(200), connected).await else {
                        break;
                    };
                    if open.len() % 2 == 1 {
                        let _ = stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await;
                    }
                    open.push(stream);
                    if open.len() % STRANGERS == 0 {
                        break;
                    }
                }
                if turn.get().is_multiple_of(16) {
                    open.clear();
                }
                if is_secret {
                    let ask = Ask::Set { point: BY_HAND, value: 666.0, synchronized: false };
                    let request = owner::once(&ask, &site, &job, "no token of any job");
                    let reply = tokio::time::timeout(Duration::from_secs(5), request).await;
                    if let Ok(Reply::Done(text)) = reply {
                        return Err(format!("a stranger may set values: {text}").into());
                    }
                }
            }
        }
    });
}
