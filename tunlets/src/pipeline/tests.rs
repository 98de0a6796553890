//! The tunlet against streams whose times are known.

use super::*;
use crate::confidence::Confidence;
use crate::testing::{pattern_tuning_point, stream, stream_on};
use crate::trial::JUDGED;
use crate::{StageWindow, StageWork, TeamWork};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A stream under the tunlet: what it asks for is taken over between two windows.
struct Plant {
    tunlet: Pipeline,
    plan: String,
    slowness: Vec<f64>,
    compute_s: Vec<f64>,
    stateful: Option<usize>,
    /// This plan takes so many times longer than the model thinks.
    cursed: Option<(String, f64)>,
    /// Processes that have joined, and that there can be; those that were asked for join within this many windows, if at all.
    spare: Option<(u32, u32)>,
    asked: Option<(u32, u64)>,
    join_after: Option<u64>,
    number: u64,
    decisions: Vec<Proposal>,
    judged: Vec<Judgement>,
    periods: Vec<f64>,
}

const FIVE: [f64; 5] = [0.1, 0.4, 0.3, 0.2, 0.1];

fn plant(objective: Objective, ranks: usize, compute_s: &[f64]) -> Plant {
    let each: Vec<String> = (0..compute_s.len()).map(|stage| stage.to_string()).collect();
    Plant {
        tunlet: Pipeline::new(objective, Confidence::default(), Grouping::Single, 0),
        plan: each.join(","),
        slowness: vec![1.0; ranks],
        compute_s: compute_s.to_vec(),
        stateful: None,
        cursed: None,
        spare: None,
        asked: None,
        join_after: Some(3),
        number: 0,
        decisions: Vec::new(),
        judged: Vec::new(),
        periods: Vec::new(),
    }
}

impl Plant {
    fn run(&mut self, windows: u32) -> &mut Plant {
        for _ in 0..windows {
            let mut window = stream_on(self.number, &self.plan, &self.slowness, &self.compute_s);
            if let Some(stage) = self.stateful {
                window.stages[stage].stateful = true;
            }
            if let Some((_, factor)) = self.cursed.as_ref().filter(|(plan, _)| *plan == self.plan) {
                window.seconds *= factor;
            }
            self.number += 1;
            self.periods.push(window.period_s());
            self.judged.extend(self.tunlet.observe(Observation::Stream(&window)));
            self.join();
            let mut tuning_points = vec![pattern_tuning_point(&self.plan)];
            tuning_points.extend(self.spare.map(|(came, most)| {
                let value = f64::from(self.asked.map_or(came, |(asked, _)| asked));
                let (name, range) = (names::PIPE_SPAWNED.to_owned(), (f64::from(came), f64::from(most)));
                TuningPoint { rank: 0, name, whole: true, range, value, declared: 0.0, text: None, held: false }
            }));
            let Some(proposal) = self.tunlet.propose(&tuning_points) else { continue };
            match proposal.assignments[0].1.clone() {
                Value::Text(plan) => self.plan = plan,
                Value::Number(asked) => self.asked = Some((asked as u32, self.number)),
            }
            self.tunlet.on_settled(self.decisions.len() as u64, Settled::Applied { iteration: self.number });
            self.decisions.push(proposal);
        }
        self
    }

    /// Started processes join, or are given up.
    fn join(&mut self) {
        let Some((asked, since)) = self.asked.filter(|(_, since)| self.number > since + self.join_after.unwrap_or(3))
        else {
            return;
        };
        let came = self.spare.map_or(0, |(came, _)| came);
        self.spare = self.spare.map(|(_, most)| if self.join_after.is_some() { (asked, most) } else { (came, came) });
        if self.join_after.is_some() {
            self.slowness.resize(self.slowness.len() + (asked - came) as usize, 1.0);
        }
        self.asked = self.asked.filter(|(_, at)| *at != since);
    }

    fn tuned(&self) -> Vec<(&str, &str)> {
        self.decisions.iter().map(|decision| (decision.tuning_point.as_str(), decision.to.as_str())).collect()
    }

    fn verdicts(&self) -> Vec<Verdict> {
        self.judged.iter().map(|judgement| judgement.verdict).collect()
    }
}

#[test]
fn what_the_pattern_at_start_would_have_taken_goes_with_what_the_stages_take() {
    // A stage takes a third from the third window on: that is no gain of any pattern.
    let mut changing = plant(Objective::Time, 3, &[0.1, 0.3, 0.1]);
    changing.run(2);
    changing.compute_s[1] = 0.1;
    changing.run(8);
    assert_eq!(changing.tunlet.report().over_start, None, "{:?}", changing.decisions);
    // With two ranks more the slow one gets three; then all stages take twice as long.
    let mut plant = plant(Objective::Time, 5, &[0.1, 0.3, 0.1]);
    plant.run(6);
    plant.compute_s.iter_mut().for_each(|s| *s *= 2.0);
    plant.run(30);
    assert_eq!(plant.decisions.len(), 1, "{:?}", plant.decisions);
    let of = plant.tunlet.report().over_start.unwrap();
    let ratio = of.start_period_s / of.period_s;
    assert!((ratio - 3.0).abs() < 0.05 && of.at_start >= 1, "{of:?}");
    assert!(of.start_period_s > 0.5, "of the inputs with the other pattern: {of:?}");
}

#[test]
fn the_slow_stages_get_replicas_and_then_nothing_moves_any_more() {
    let mut plant = plant(Objective::Time, 13, &FIVE);
    plant.run(20);
    assert_eq!(plant.plan, "0,1x4,2x3,3x2,4");
    assert_eq!((plant.decisions.len(), plant.verdicts()), (1, vec![Verdict::Kept]));
    let first = &plant.decisions[0];
    assert!((first.predicted_s - 0.1).abs() < 1e-3 && (first.unchanged_s - 0.4).abs() < 1e-9, "{first:?}");
    assert!(first.why.starts_with("stage 1 takes 0.400 s per input and holds up the others"), "{}", first.why);
    let next = plant.tunlet.report().next_allocation.unwrap();
    assert_eq!(next.regime, "all stages keep the same pace");
}

#[test]
fn few_ranks_are_made_room_for_by_grouping() {
    let mut plant = plant(Objective::Time, 8, &FIVE);
    plant.run(20);
    let best = midrun_models::pipeline::exact::optimum(
        &plant.tunlet.known.as_ref().unwrap().pipeline,
        8,
        Grouping::Single,
        midrun_models::pipeline::exact::Objective::Time,
    );
    assert_eq!(Some(plant.plan.clone()), best.map(|best| best.to_string()));
    assert!(plant.periods.last().unwrap() < &0.21, "{:?}", plant.periods);
}

#[test]
fn stages_that_drift_make_no_rank_slow() {
    for seed in 0..5 {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut plant = plant(Objective::Time, 8, &[0.002, 0.004, 0.014, 0.002]);
        for k in 0..150 {
            let moved_s = 0.010 * f64::from(k) / 150.0;
            plant.compute_s = vec![0.002, 0.004 + moved_s, 0.014 - moved_s, 0.002];
            plant.compute_s.iter_mut().for_each(|s| *s *= 1.0 + 0.02 * (random.random::<f64>() - 0.5));
            plant.run(1);
        }
        let plans: Vec<&str> = plant.decisions.iter().map(|decision| decision.to.as_str()).collect();
        assert!(plans.len() > 1 && plans.iter().all(|plan| !plan.contains('@')), "{seed}: {plans:?}");
    }
}

#[test]
fn a_stage_whose_time_changes_is_found_again() {
    let mut plant = plant(Objective::Time, 13, &FIVE);
    plant.run(10);
    plant.compute_s = vec![0.1, 0.1, 0.1, 0.6, 0.1];
    plant.run(10);
    assert_eq!(plant.plan, "0,1,2,3x6,4");
    assert!(plant.verdicts().iter().all(|verdict| *verdict == Verdict::Kept), "{:?}", plant.judged);
}

#[test]
fn a_pattern_that_is_worse_than_promised_is_taken_back_and_not_tried_again_soon() {
    let mut plant = plant(Objective::Time, 13, &FIVE);
    plant.cursed = Some(("0,1x4,2x3,3x2,4".into(), 5.0));
    plant.run(12);
    assert_eq!(plant.verdicts(), [Verdict::RolledBack, Verdict::Kept]);
    assert_eq!((plant.plan.as_str(), plant.decisions.len()), ("0,1,2,3,4", 2), "{:?}", plant.decisions);
    assert!(plant.decisions[1].why.contains("it measured"), "{}", plant.decisions[1].why);
}

#[test]
fn objectives_are_kept() {
    for (objective, plan) in [
        (Objective::Fixed, "0,1,2,3,4"),
        (Objective::Deadline(0.21), "0,1x2,2x2,3,4"),
        (Objective::Budget(7), "0,1x2,2x2,3,4"),
    ] {
        let mut plant = plant(objective, 13, &FIVE);
        plant.run(12);
        assert_eq!(plant.plan, plan, "{objective:?}: {:?}", plant.decisions);
    }
    let mut plant = plant(Objective::Efficiency, 64, &[0.1, 0.1, 0.1]);
    plant.run(12);
    let ranks = Plan::parse(&plant.plan, &[false; 3]).unwrap().ranks();
    // ranks T²: more ranks halve T for twice as many, so all are worth it.
    assert_eq!(ranks, 63, "{}", plant.plan);
}

#[test]
fn a_stage_that_seems_slower_than_outputs_came_is_no_reason_for_a_change() {
    for objective in [Objective::Time, Objective::Efficiency, Objective::Deadline(0.101)] {
        let mut plant = plant(objective, 13, &FIVE);
        plant.run(8);
        let plan = plant.plan.clone();
        let mut window = stream_on(plant.number, &plan, &plant.slowness, &plant.compute_s);
        // A rank that had no core for a while.
        for work in &mut window.stages[4].by_rank {
            (work.busy_s, work.sum_sq_s2) = (10.0 * work.busy_s, 100.0 * work.sum_sq_s2);
        }
        plant.tunlet.observe(Observation::Stream(&window));
        assert_eq!(plant.tunlet.propose(&[pattern_tuning_point(&plan)]), None, "{objective:?}");
    }
}

#[test]
fn idle_replicas_are_taken_away_where_ranks_count() {
    for (objective, plan) in [
        (Objective::Time, "0,1x4,2x5,3x2,4"),
        (Objective::Deadline(0.101), "0,1x4,2x3,3x2,4"),
        (Objective::Efficiency, "0,1x4,2x3,3x2,4"),
    ] {
        let mut plant = plant(objective, 13, &FIVE);
        plant.plan = "0,1x4,2x5,3x2,4".into();
        plant.run(12);
        assert_eq!(plant.plan, plan, "{objective:?}: {:?}", plant.decisions);
    }
}

#[test]
fn what_the_source_limits_needs_no_replicas() {
    let mut plant = plant(Objective::Time, 13, &FIVE);
    for _ in 0..10 {
        let mut window = stream(plant.number, "0,1,2,3,4", 13, &FIVE);
        (window.head_s, window.seconds) = (5.0, 5.0);
        plant.number += 1;
        plant.tunlet.observe(Observation::Stream(&window));
        let tuning_point = pattern_tuning_point("0,1,2,3,4");
        assert_eq!(
            plant.tunlet.propose(&[tuning_point]).map(|proposal| proposal.to).filter(|to| to.contains('x')),
            None
        );
    }
    let regime = plant.tunlet.report().next_allocation.unwrap().regime;
    assert!(regime.contains("more ranks would not help"), "{regime}");
}

#[test]
fn state_is_neither_replicated_nor_moved() {
    let mut plant = plant(Objective::Time, 13, &FIVE);
    plant.stateful = Some(1);
    plant.run(12);
    let plan = Plan::parse(&plant.plan, &[false, true, false, false, false]);
    assert!(plan.is_ok(), "{}: {plan:?}", plant.plan);
    assert!((plant.periods.last().unwrap() - 0.4).abs() < 0.01);
}

#[test]
fn slow_ranks_are_found_once_they_share_a_stage_and_then_get_the_light_ones() {
    let mut plant = plant(Objective::Time, 9, &[0.1, 0.4]);
    plant.slowness = vec![1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    plant.run(20);
    let best_s = 0.5 / 8.25;
    let last_s = *plant.periods.last().unwrap();
    assert!(last_s < 1.15 * best_s, "{last_s} of {best_s} with {}: {:?}", plant.plan, plant.decisions);
}

#[test]
fn a_program_that_changes_its_pattern_itself_is_not_fought() {
    let mut plant = plant(Objective::Time, 13, &FIVE);
    plant.run(2);
    assert_eq!(plant.decisions.len(), 1);
    plant.plan = "0,1x2,2,3,4".into();
    plant.run(3);
    assert!(plant.judged.is_empty() || plant.verdicts() == [Verdict::NotApplied], "{:?}", plant.judged);
}

#[test]
fn a_pattern_that_is_refused_is_not_asked_for_in_every_window() {
    let mut tunlet = Pipeline::new(Objective::Time, Confidence::default(), Grouping::Single, 0);
    let mut asked = 0;
    for k in 0..20 {
        tunlet.observe(Observation::Stream(&stream(k, "0,1", 9, &[0.1, 0.4])));
        if tunlet.propose(&[pattern_tuning_point("0,1")]).is_some() {
            asked += 1;
            tunlet.on_settled(k, Settled::NotApplied { why: None });
        }
    }
    assert_eq!(asked, JUDGED, "the first may have come too late");
}

#[test]
fn state_stays_where_it_is_though_ranks_differ() {
    let mut plant = plant(Objective::Time, 9, &[0.1, 0.4, 0.05]);
    (plant.stateful, plant.slowness) = (Some(2), vec![1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 4.0, 1.0, 1.0]);
    plant.run(20);
    let plan = Plan::parse(&plant.plan, &[false, false, true]).unwrap();
    let last = plan.0.last().unwrap();
    assert!(last.at.is_empty() || last.at == [3], "{}", plant.plan);
    assert!(plant.decisions.iter().any(|decision| decision.to.contains('@')), "{:?}", plant.decisions);
}

#[test]
fn without_a_tuning_point_for_it_nothing_is_asked_for() {
    let mut tunlet = Pipeline::new(Objective::Time, Confidence::default(), Grouping::Single, 0);
    tunlet.observe(Observation::Stream(&stream(0, "0,1", 9, &[0.1, 0.4])));
    assert_eq!(tunlet.propose(&[]), None);
}

/// A window of 10 outputs, where stages 0 and 2 take 10 ms, and stage 1 is a team's: 12 tasks of 10 ms, and 5 ms of the lead alone.
fn with_team(number: u64, team: u32, ranks: u32) -> StreamWindow {
    let outputs = 10.0;
    let rounds = (12.0 / f64::from(team)).ceil();
    let period_s = 0.005 + 0.01 * rounds;
    let single = |place: u32| StageWindow {
        by_rank: vec![StageWork {
            place,
            inputs: 10,
            busy_s: 0.01 * outputs,
            sum_sq_s2: 1e-4 * outputs,
            ..StageWork::default()
        }],
        ..StageWindow::default()
    };
    let of_team = |rank: u32| {
        let lead = rank == 0;
        // The ranks share 120 tasks, the first some more.
        let tasks = u64::from(120 / team + u32::from(rank < 120 % team));
        let task_s = 0.01 * tasks as f64;
        let (serial_s, elapsed_s) = if lead { (0.005 * outputs, period_s * outputs) } else { (0.0, 0.0) };
        let busy_s = if lead { serial_s + task_s } else { 0.0 };
        let work = TeamWork { tasks, task_s, task_sq_s2: 1e-4 * tasks as f64, serial_s, elapsed_s };
        let (inputs, sum_sq_s2) = if lead { (10, busy_s * busy_s / outputs) } else { (0, 0.0) };
        StageWork { place: 2 + rank, inputs, busy_s, sum_sq_s2, team: work, ..StageWork::default() }
    };
    let stage = StageWindow { team: true, by_rank: (0..team).map(of_team).collect(), ..StageWindow::default() };
    let plan = if team > 1 { format!("0,1x{team},2") } else { "0,1,2".to_owned() };
    StreamWindow {
        number,
        plan,
        settled: true,
        outputs: 10,
        seconds: period_s * outputs,
        ranks,
        stages: vec![single(1), stage, single(2 + team)],
        ..StreamWindow::default()
    }
}

#[test]
fn a_team_gets_ranks_as_long_as_they_save_it_a_round_of_tasks() {
    for (ranks, best) in [(6, 4), (7, 4), (8, 6), (20, 12)] {
        let mut tunlet = Pipeline::new(Objective::Time, Confidence::default(), Grouping::None, 0);
        let (mut team, mut judged) = (1, Vec::new());
        for number in 0..40 {
            let window = with_team(number, team, ranks);
            assert_eq!(window.nonsense(), None);
            judged.extend(tunlet.observe(Observation::Stream(&window)));
            if let Some(proposal) = tunlet.propose(&[pattern_tuning_point(&window.plan)]) {
                team = proposal.to.strip_prefix("0,1x").and_then(|rest| rest.split(',').next()?.parse().ok()).unwrap();
                tunlet.on_settled(number, Settled::Applied { iteration: number });
            }
        }
        assert_eq!(team, best, "{ranks} ranks");
        assert!(judged.iter().all(|judgement| judgement.verdict == Verdict::Kept), "{judged:?}");
        let times = stage_times(&with_team(0, team, ranks));
        assert_eq!(times[1].replicas, team, "its workers are seen, though they have no inputs");
        let least_s = 0.005 + 0.01 * (12.0 / f64::from(team)).ceil();
        assert!((times[1].tr_s.unwrap() - least_s).abs() < 1e-9, "{times:?}");
    }
}

#[test]
fn ranks_are_started_where_those_there_do_not_suffice_and_no_more_than_pay() {
    let mut plant = plant(Objective::Time, 4, &[0.1, 0.4, 0.1]);
    plant.spare = Some((0, 4));
    plant.run(30);
    assert_eq!(plant.tuned(), [("pattern", "0,1x2,2"), ("started ranks", "2"), ("pattern", "0,1x4,2")]);
    assert_eq!(plant.verdicts(), [Verdict::Kept; 3], "{:?}", plant.judged);
    assert!((plant.periods.last().unwrap() - 0.1).abs() < 1e-9);
    let why = &plant.decisions[1].why;
    assert!(why.contains("with 2 more") && why.contains("communication manager"), "{why}");
    assert!(plant.decisions[2].why.contains("no communication manager hands out"), "{}", plant.decisions[2].why);
}

#[test]
fn ranks_that_do_not_come_are_given_up_and_those_there_keep_their_pattern() {
    let mut plant = plant(Objective::Time, 4, &[0.1, 0.4, 0.1]);
    (plant.spare, plant.join_after) = (Some((0, 2)), None);
    plant.run(30);
    assert_eq!(plant.tuned(), [("pattern", "0,1x2,2"), ("started ranks", "2")]);
    assert_eq!(plant.verdicts(), [Verdict::Kept, Verdict::NotApplied]);
}

#[test]
fn no_rank_is_started_beyond_what_the_user_allows_or_what_pays() {
    for (objective, compute_s, most) in [
        (Objective::Fixed, [0.1, 0.4, 0.1], 0),
        (Objective::Deadline(0.25), [0.1, 0.4, 0.1], 0),
        (Objective::Time, [0.3, 0.4, 0.3], 0),
        (Objective::Time, [0.1, 0.4, 0.1], 4),
    ] {
        let mut plant = plant(objective, 4, &compute_s);
        plant.tunlet = Pipeline::new(objective, Confidence::default(), Grouping::None, most);
        plant.spare = Some((0, 1));
        plant.run(12);
        assert!(plant.tuned().iter().all(|(what, _)| *what == "pattern"), "{objective:?}: {:?}", plant.tuned());
    }
}

/// Stages of 0.05, 0.8 and 0.05 s on 4 ranks, as `0,1x2,2`, where an input's messages cost 0.1 s, and source and sink `head_s`: a period of
/// 0.45 s. 5 ranks would have 0.33 s, but for their manager: 4 times 0.1 s for each input that goes to the fifth, a third of all.
fn with_dear_messages(head_s: f64) -> (Option<Proposal>, Vec<Refusal>) {
    let mut tunlet = Pipeline::new(Objective::Time, Confidence::default(), Grouping::None, 0);
    let spare = |name: &str| {
        let (name, range) = (name.to_owned(), (0.0, 1.0));
        TuningPoint { rank: 0, name, whole: true, range, value: 0.0, declared: 0.0, text: None, held: false }
    };
    let mut proposal = None;
    for number in 0..10 {
        let mut window = stream(number, "0,1x2,2", 4, &[0.05, 0.8, 0.05]);
        (window.seconds, window.head_s) = (4.5, 10.0 * head_s);
        for work in window.stages.iter_mut().flat_map(|stage| &mut stage.by_rank) {
            work.own_s = 0.1 * work.inputs as f64;
        }
        tunlet.observe(Observation::Stream(&window));
        proposal = proposal.or(tunlet.propose(&[pattern_tuning_point("0,1x2,2"), spare(names::PIPE_SPAWNED)]));
    }
    (proposal, tunlet.refusals())
}

#[test]
fn a_communication_manager_that_would_set_the_pace_is_not_taken_and_the_reason_is_given_once() {
    let (proposal, refusals) = with_dear_messages(0.0);
    assert!(
        proposal.as_ref().is_some_and(|proposal| proposal.to == "1") && refusals.is_empty(),
        "{proposal:?} {refusals:?}"
    );
    let (proposal, refusals) = with_dear_messages(0.3);
    assert_eq!(proposal, None);
    assert!(refusals.len() == 1 && refusals[0].why.contains("their communication manager"), "{refusals:?}");
}
