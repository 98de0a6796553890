//! Damaged messages of an analyzer: no rank gets nonsense, and nothing ends the agent. For a mutation loop and for a target of `tests/fuzz`.

use crate::agent::Agent;
use crate::config::Config;
use crate::host::Host;
use crate::link::LinkEvent;
use midrun_proto::v1::{FromAgent, ToAgent, Welcome, to_agent};
use midrun_ring::{Command, Identity, Segment};
use prost::Message;
use tokio::sync::mpsc::{Receiver, channel};

fn welcome() -> Welcome {
    Welcome { analyzer: "a".into(), last_sequence: 3, analyzer_ns: 77_000 }
}

/// An agent of one rank, its rank's memory, and what it sends.
fn agent() -> (Agent, Segment, Receiver<FromAgent>) {
    let identity = Identity { world_size: 1, job: "j".into(), ..Identity::default() };
    let (theirs, rank) = crate::rank::attached(&identity);
    let host = Host { now: midrun_vocabulary::Clock::new(|| 1_000_000), runs: |_, _| true };
    let (again, _) = channel(8);
    let mut agent = Agent::new(&Config::default(), host, None, again);
    agent.join(1, rank);
    let (stream, sent) = channel(64);
    agent.on_link(LinkEvent::Opening { stream, takes_parent: false });
    (agent, theirs, sent)
}

/// A message of an analyzer, behind a sound greeting, so that there is a clock and a link; how many commands reach the rank.
pub fn to_agent(bytes: &[u8]) -> usize {
    let Ok(ToAgent { message: Some(message) }) = ToAgent::decode(bytes) else { return 0 };
    let (mut agent, theirs, _sent) = agent();
    agent.on_link(LinkEvent::Welcomed(welcome()));
    agent.on_link(match message {
        to_agent::Message::Welcome(welcome) => LinkEvent::Welcomed(welcome),
        message => LinkEvent::Received(message),
    });
    agent.on_tick();
    let mut commands = theirs.command_consumer();
    let mut reached = 0;
    while let Some(command) = Command::read(|| commands.pop()) {
        let command = command.expect("what is delivered can be read");
        reached += 1;
        for value in &command.assignments[..command.count as usize] {
            let bound = [1.0, 4096.0].get(value.tuning_point as usize);
            assert!(bound.is_none_or(|most| (0.0..=*most).contains(&value.value)), "{command:?}");
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_proto::v1::assignment::Value;
    use midrun_proto::v1::{
        Action, Assignment, BatchAck, OpenJobRequest, OwnerSettings, Phase, RankJoined, TimeReply, When,
    };

    /// What analyzers say.
    fn messages() -> Vec<to_agent::Message> {
        let rank = midrun_proto::v1::RankId { job: "j".into(), rank: 0 };
        let assign = |tuning_point: &str, value| Assignment { tuning_point: tuning_point.into(), value: Some(value) };
        let action = Action {
            id: 7,
            rank: Some(rank.clone()),
            time_to_live_ms: 2_000,
            when: When::Iteration.into(),
            at: 9,
            ..Action::default()
        };
        let number = assign("mw.factor", Value::Number(0.5));
        let text = assign("pipe.pattern", Value::Text("0,1x2".into()));
        let of = |phase: Phase, assignments: &[&Assignment]| {
            let assignments = assignments.iter().copied().cloned().collect();
            to_agent::Message::Action(Action { phase: phase.into(), assignments, ..action.clone() })
        };
        let options = Some(OpenJobRequest { search: "block=8..64 step 8".into(), ..OpenJobRequest::default() });
        let unattended = vec![RankJoined { id: Some(rank), pid: u32::MAX, world_size: 3, ..RankJoined::default() }];
        vec![
            to_agent::Message::Welcome(welcome()),
            of(Phase::Unspecified, &[&number, &text]),
            of(Phase::Prepare, &[&number]),
            of(Phase::PreCommit, &[]),
            to_agent::Message::BatchAck(BatchAck { sequence: 4 }),
            to_agent::Message::TimeReply(TimeReply { agent_ns: 5, analyzer_ns: 80_000 }),
            to_agent::Message::OwnerSettings(Box::new(OwnerSettings {
                job: "j".into(),
                version: 3,
                options,
                ..OwnerSettings::default()
            })),
            to_agent::Message::RanksUnattended(midrun_proto::v1::RanksUnattended { ranks: unattended }),
        ]
    }

    #[tokio::test]
    async fn damaged_messages_of_an_analyzer_reach_no_rank_as_nonsense_and_end_no_agent() {
        let encoded: Vec<Vec<u8>> =
            messages().into_iter().map(|message| ToAgent { message: Some(message) }.encode_to_vec()).collect();
        let files: Vec<&[u8]> = encoded.iter().map(Vec::as_slice).collect();
        assert_eq!(files.iter().map(|file| to_agent(file)).sum::<usize>(), 3, "the actions arrive");
        midrun_mutations::damaged("to_agent", &files, |bytes| {
            to_agent(bytes);
        });
    }
}
