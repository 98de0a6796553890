//! What scripts see beyond the numbers of an iteration: costs of messages, efficiencies, and the stages of pipelines.

use super::{script, tuning_point};
use crate::link::Cost;
use crate::scripted::Scripted;
use crate::testing::{stream, window};
use crate::{
    Efficiency, LinkCost, Network, Observation, Proposal, Settled, StreamWindow, TuningPoint, Tunlet, Value, Verdict,
    Window,
};

/// The reason of the first proposal of a script on three windows, or else its first refusal.
fn says(text: &str, seen: &Window) -> String {
    let mut tunlet = Scripted::read(&script(text)).unwrap_or_else(|mistake| panic!("{mistake}"));
    for iteration in 0..3 {
        tunlet.observe(Observation::Iteration(&Window { iteration, ..seen.clone() }));
        if let Some(proposal) = tunlet.propose(&[tuning_point("x", 1.0, (0.0, 10.0))]) {
            return proposal.why;
        }
    }
    tunlet.refusals().first().map(|refusal| refusal.why.clone()).unwrap_or_default()
}

#[test]
fn the_cost_of_messages_is_there_by_the_place_of_the_workers() {
    let cost = Cost { start_up_s: 0.25, per_byte_s: 0.5, ..Cost::default() };
    let near = LinkCost { cost, eager_bytes: 4096, ..LinkCost::default() };
    let network = Network { near: Some(near), far: None, task_bytes: 8, result_bytes: 16 };
    let seen = Window { network: Some(network), ..window(0, 4, 1.0) };
    let text = "#{ set: #{ x: 2 }, why: `${messages.near.start_up_s} ${messages.near.per_byte_s} ${messages.near.eager_bytes} \
                ${messages.task_bytes} ${messages.result_bytes} ${has(messages, \"far\")}` }";
    assert_eq!(says(text, &seen), "0.25 0.5 4096.0 8.0 16.0 false");
    let far = "#{ set: #{ x: messages.far.start_up_s } }";
    assert_eq!(says(far, &seen), "messages to workers of other hosts were not measured (line 1 of the script)");
    let unmeasured = says("#{ set: #{ x: messages.task_bytes } }", &window(0, 4, 1.0));
    assert_eq!(unmeasured, "sizes of tasks are not known (line 1 of the script)");
}

#[test]
fn the_efficiencies_are_there_once_the_ranks_times_are() {
    let efficiency = Efficiency::of(&[0.5, 1.0], 2.0);
    let text =
        "#{ set: #{ x: 2 }, why: `${efficiency.parallel} ${efficiency.load_balance} ${efficiency.communication}` }";
    assert_eq!(says(text, &Window { efficiency, ..window(0, 4, 1.0) }), "0.375 0.75 0.5");
    let unknown = says(text, &window(0, 4, 1.0));
    assert_eq!(unknown, "the ranks' times of no iteration are known yet (line 1 of the script)");
}

#[test]
fn a_name_that_none_of_them_has_is_a_mistake_of_the_file() {
    for (text, part) in [
        (
            "if efficiency.balance < 0.5 { }",
            "nothing declares `balance` of `efficiency`: there are parallel, load_balance, communication",
        ),
        (
            "if messages.middle == 0 { }",
            "nothing declares `middle` of `messages`: there are near, far, task_bytes, result_bytes",
        ),
        ("if stages.tr[0] > 1.0 { }", "nothing declares `tr` of `stages`"),
    ] {
        let mistake = Scripted::read(&script(text)).expect_err(text).to_string();
        assert!(mistake.contains(part), "{mistake}");
    }
}

/// A pipeline whose pattern a file sets: (number of the window, proposal) and its verdict.
fn pipeline(file: &str, compute_s: impl Fn(&str) -> Vec<f64>, windows: u64) -> Vec<(Proposal, Option<Verdict>)> {
    let mut tunlet = Scripted::read(file).unwrap_or_else(|mistake| panic!("{mistake}"));
    let (mut plan, mut proposals) = ("0,1,2".to_owned(), Vec::<(Proposal, Option<Verdict>)>::new());
    let mut unsettled = 0;
    for number in 0..windows {
        let settled = unsettled == 0;
        unsettled = u64::saturating_sub(unsettled, 1);
        let seen = StreamWindow { settled, ..stream(number, &plan, 8, &compute_s(&plan)) };
        for judgement in tunlet.observe(Observation::Stream(&seen)) {
            proposals[judgement.decision as usize].1 = Some(judgement.verdict);
        }
        let pattern = TuningPoint {
            rank: 0,
            name: crate::tuning_point::names::PATTERN.into(),
            whole: false,
            range: (0.0, 1000.0),
            value: 0.0,
            declared: 0.0,
            text: Some(plan.clone()),
            held: false,
        };
        if let Some(proposal) = tunlet.propose(&[pattern]) {
            let Some((_, Value::Text(text))) = proposal.assignments.first() else { panic!("{proposal:?}") };
            (plan, unsettled) = (text.clone(), 2);
            // By the number of the input, which windows do not count.
            tunlet.on_settled(proposals.len() as u64, Settled::Applied { iteration: 10_000 });
            proposals.push((proposal, None));
        }
    }
    let refusals = tunlet.refusals();
    assert!(refusals.iter().all(|refusal| refusal.why.contains("not better by min_gain")), "{refusals:?}");
    proposals
}

const STAGES: &str = include_str!("../../../../examples/tunlets/slowest_stage.toml");

#[test]
fn the_example_gives_the_slow_stage_of_a_pipeline_replicas_and_keeps_what_helps() {
    let proposals = pipeline(STAGES, |_| vec![0.1, 0.4, 0.1], 20);
    let (proposal, verdict) = &proposals[0];
    assert_eq!((proposal.from.as_str(), proposal.to.as_str()), ("0,1,2", "0,1x4,2"));
    assert!((proposal.predicted_s - 0.1).abs() < 1e-9 && (proposal.unchanged_s - 0.4).abs() < 1e-9, "{proposal:?}");
    assert_eq!((*verdict, proposals.len()), (Some(Verdict::Kept), 1), "{proposals:#?}");
}

#[test]
fn a_pattern_that_measures_worse_is_rolled_back() {
    // Replicas share what they compute with: four of them take ten times as long each.
    let slow = |plan: &str| if plan == "0,1,2" { vec![0.1, 0.4, 0.1] } else { vec![0.1, 4.0, 0.1] };
    let proposals = pipeline(STAGES, slow, 20);
    assert_eq!(proposals[0].1, Some(Verdict::RolledBack));
    assert_eq!(proposals[1].0.to, "0,1,2", "the former pattern again");
}
