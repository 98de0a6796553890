//! What a seed chooses before a simulation begins: who takes part, in which order they start, and what the owners ask for.

use midrun_proto::v1::OpenJobRequest;

use crate::clock::HostClock;
use crate::job::{BY_HAND, Job, Kind, SEARCHED};
use crate::owner::Ask;
use crate::random::Random;

/// Nanoseconds of a second.
pub const S: u64 = 1_000_000_000;
/// Faults begin to end now.
pub const HEAL_NS: u64 = 25 * S;
/// The token that the analyzer asks for, in some seeds.
const SITE: &str = "the token of the site";
/// The token of the jobs.
const SECRET: &str = "the token of the job";

/// See the module.
pub struct Plan {
    /// The analyzer's token.
    pub site: String,
    /// The token of agents and jobs.
    pub secret: String,
    /// Hosts with agents.
    pub nodes: usize,
    /// So many agents link to the analyzer itself, and carry the further ones; 0: all link.
    pub direct_agents: u32,
    /// Clocks: of each node, then of the analyzer.
    pub clocks: Vec<HostClock>,
    /// The journal outlives the analyzer, and agents may die; else the journal may be lost or full, and agents live on.
    pub journal_lasts: bool,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// When each host starts: nodes, analyzer, owners.
    pub starts_ns: Vec<u64>,
    /// What the owner of each job asks for, and when, the last first.
    pub asks: Vec<Vec<(u64, Ask)>>,
}

impl Plan {
    /// The plan of a seed.
    pub fn new(random: &mut Random) -> Plan {
        let nodes = random.between(1, 3) as usize;
        let count = random.between(1, 2) as usize;
        let site = if random.chance(0.5) { SITE.to_owned() } else { String::new() };
        let secret = if random.chance(0.7) { SECRET.to_owned() } else { String::new() };
        let clocks = (0..=nodes).map(|_| HostClock::new(random.between(1, 1000) * 1000 * S)).collect::<Vec<_>>();
        let journal_lasts = random.chance(0.5);
        let is_known = count == 1 && random.chance(0.7);
        let jobs =
            (0..count).map(|number| job(random, number, &secret, is_known, &clocks[..nodes])).collect::<Vec<_>>();
        let late = |random: &mut Random| if random.chance(0.4) { random.below(8 * S) } else { random.below(S / 2) };
        let starts_ns = (0..nodes + 1 + count).map(|_| late(random)).collect();
        let asks = jobs.iter().map(|job| asks(random, job)).collect();
        // Drawn beside the others, which mean the same as before there were trees. Only the agents of one job make one.
        let mut beside = random.clone().split();
        let direct_agents = u32::from(is_known && nodes > 1 && beside.chance(0.7));
        Plan { site, secret, nodes, direct_agents, clocks, journal_lasts, jobs, starts_ns, asks }
    }
}

fn job(random: &mut Random, number: usize, secret: &str, is_known: bool, nodes: &[HostClock]) -> Job {
    let kind = *random.pick(&[Kind::MasterWorker, Kind::Search, Kind::Synchronized]);
    let mut request = OpenJobRequest {
        job: format!("job{number}"),
        token: secret.into(),
        dry_run: random.chance(0.2),
        ..OpenJobRequest::default()
    };
    match kind {
        Kind::MasterWorker => {
            if random.chance(0.3) {
                request.technique = "gss".into();
            }
            if random.chance(0.3) {
                request.max_workers = 2;
            }
        }
        Kind::Search | Kind::Synchronized => {
            let how = if kind == Kind::Synchronized { " synchronized" } else { "" };
            request.tunlet = "search".into();
            request.search = SEARCHED.map(|name| format!("{name}=2..100 step 2{how}")).join("; ");
            request.search_budget = 5_000;
        }
    }
    let ranks = random.between(3, 5) as usize;
    let one = random.below(nodes.len() as u64) as usize;
    // Ranks of several hosts share a register, too, where it stands in MPI's memory.
    let on_one = kind == Kind::Synchronized && random.chance(0.5);
    let node = |rank: usize| if on_one { one } else { (one + rank) % nodes.len() };
    let places: Vec<(usize, HostClock)> = (0..ranks).map(|rank| (node(rank), nodes[node(rank)].clone())).collect();
    let start_ns = random.below(6 * S);
    Job::new(request, kind, is_known, &places, start_ns, random.split())
}

fn asks(random: &mut Random, job: &Job) -> Vec<(u64, Ask)> {
    let mut asks = vec![(0, Ask::Status)];
    let mut at_ns = 3 * S;
    while at_ns < HEAL_NS {
        at_ns += random.between(S, 10 * S);
        let ask = match random.below(6) {
            0 | 1 => Ask::Freeze,
            2 if job.kind != Kind::Synchronized => Ask::Pause,
            2 | 3 => Ask::Resume,
            _ => set(random, job.kind),
        };
        asks.push((at_ns, ask));
    }
    asks.reverse();
    asks
}

/// A value that no tunlet would set.
fn set(random: &mut Random, kind: Kind) -> Ask {
    let synchronized = kind == Kind::Synchronized;
    let odd = (2 * random.below(50) + 1) as f64;
    match kind {
        Kind::Search | Kind::Synchronized if random.chance(0.6) => {
            Ask::Set { point: SEARCHED[random.below(2) as usize], value: odd, synchronized }
        }
        Kind::MasterWorker if random.chance(0.6) => {
            Ask::Set { point: midrun_vocabulary::names::MIN_CHUNK, value: 3.0, synchronized: false }
        }
        _ => Ask::Set { point: BY_HAND, value: odd, synchronized },
    }
}
