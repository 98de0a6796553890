//! The work of a batch does not grow with the number of ranks: counted by what is walked over, not by time.

use super::controls::set;
use super::*;
use crate::events::MpiCounted;

const RANKS: u32 = 500;

/// One agent with many ranks, all of which have a point, an action in flight, MPI counters and work without an iteration.
fn begin() -> (Story, Vec<Action>) {
    let mut story = Story::new(Config::default());
    let rank = |rank| joined("j", rank, RANKS);
    let protocol = midrun_proto::PROTOCOL_VERSION;
    let agent = AgentId("n1-77".into());
    let (node, version, token) = ("n1".into(), String::new(), String::new());
    let hello =
        Hello { protocol, node, agent, version, token, ranks: (0..RANKS).map(rank).collect(), ..Hello::default() };
    story.step(Input::AgentConnected { link: LINK, hello });
    story.report("j", 0, vec![begun(0)]);
    (0..RANKS).for_each(|rank| story.report("j", rank, vec![algorithm(), unattributed(5), counted(5)]));
    let control = set("algorithm", "1", None);
    let question = Question::Control { job: job("j"), token: String::new(), control };
    story.step(Input::Asked { ask: AskId(1), question });
    let actions = story.actions();
    assert_eq!(actions.len(), RANKS as usize);
    (story, actions)
}

fn unattributed(middle_ns: u64) -> Event {
    let Event::Worked(work) = worked(0, 1) else { panic!("work") };
    Event::Worked(Work { iteration: None, middle_ns, ..work })
}

fn counted(time_ns: u64) -> Event {
    Event::MpiCounted(MpiCounted { time_ns, begun_ns: 1, ..MpiCounted::default() })
}

#[test]
fn batches_of_single_ranks_walk_over_no_others() {
    let (mut story, actions) = begin();
    limits::WALKED.set(0);
    for action in &actions[..100] {
        let answer = settled(action, ActionStatus::Applied, 0);
        story.report("j", action.rank, vec![answer, unattributed(9), counted(9)]);
    }
    story.leave("j", 499, true);
    assert_eq!(limits::WALKED.get(), 0);
    let status = story.status();
    assert_eq!(status["in_flight"], RANKS - 101);
    assert!(limits::WALKED.get() >= RANKS as usize, "what walks over the ranks is counted");
}

#[test]
fn agents_that_are_lost_and_come_back_walk_over_no_ranks() {
    let mut story = Story::new(Config::default());
    let agent = |number: u32, round: u64| {
        let name = format!("n{number}");
        let hello = Hello {
            protocol: midrun_proto::PROTOCOL_VERSION,
            agent: AgentId(name.as_str().into()),
            node: name,
            ranks: (10 * number..10 * (number + 1)).map(|rank| joined("j", rank, RANKS)).collect(),
            ..Hello::default()
        };
        (LinkId(1_000 * round + u64::from(number)), hello)
    };
    let agents = RANKS / 10;
    for (link, hello) in (0..agents).map(|number| agent(number, 1)) {
        story.step(Input::AgentConnected { link, hello });
    }
    limits::WALKED.set(0);
    for (link, _) in (agents / 2..agents).map(|number| agent(number, 1)) {
        story.step(Input::AgentDisconnected { link, goodbye: false });
    }
    let lost = story.events().iter().filter(|event| event["event"] == "agent-lost").count();
    for (link, hello) in (agents / 2..agents).map(|number| agent(number, 2)) {
        story.step(Input::AgentConnected { link, hello });
    }
    let back = story.events().iter().filter(|event| event["event"] == "agent-back").count();
    assert_eq!((lost, back, limits::WALKED.get()), (25, 25, 0));
}
