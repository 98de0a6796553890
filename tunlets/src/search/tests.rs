//! A search on programs of known times: what it sets where, what it measures, where it ends.

use super::*;
use crate::confidence::Confidence;
use crate::testing::{stream, window};

fn options(points: &str) -> SearchOptions {
    SearchOptions { points: points.into(), ..SearchOptions::default() }
}

fn tuning_point(rank: u32, name: &str, range: (f64, f64), value: f64) -> TuningPoint {
    TuningPoint { rank, name: name.into(), whole: true, range, value, declared: value, text: None, held: false }
}

/// A program whose iteration takes `time_s` by its tuning points' values; every proposal is applied in the next iteration.
struct Program {
    tuning_points: Vec<TuningPoint>,
    iteration: u64,
    decisions: u64,
    /// (ranks, values) of each proposal.
    proposals: Vec<(Vec<u32>, Proposal)>,
    verdicts: Vec<Verdict>,
}

impl Program {
    fn new(tuning_points: Vec<TuningPoint>) -> Program {
        Program { tuning_points, iteration: 0, decisions: 0, proposals: Vec::new(), verdicts: Vec::new() }
    }

    fn run(&mut self, tunlet: &mut SearchTunlet, iterations: u64, time_s: impl Fn(&[TuningPoint]) -> f64) {
        for _ in 0..iterations {
            let window = window(self.iteration, 4, time_s(&self.tuning_points));
            let judgements = tunlet.observe(Observation::Iteration(&window));
            self.verdicts.extend(judgements.into_iter().map(|judgement| judgement.verdict));
            self.iteration += 1;
            let Some(proposal) = tunlet.propose(&self.tuning_points) else { continue };
            let ranks = proposal.ranks.clone();
            for (name, value) in &proposal.assignments {
                for tuning_point in self
                    .tuning_points
                    .iter_mut()
                    .filter(|tuning_point| tuning_point.name == *name && ranks.contains(&tuning_point.rank))
                {
                    tuning_point.value = value.number().unwrap();
                    assert!(
                        (tuning_point.range.0..=tuning_point.range.1).contains(&tuning_point.value),
                        "{tuning_point:?}"
                    );
                }
            }
            tunlet.on_settled(self.decisions, Settled::Applied { iteration: self.iteration });
            self.decisions += 1;
            self.proposals.push((ranks, proposal));
        }
    }
}

#[test]
fn a_value_to_which_nothing_could_go_back_is_no_start() {
    // As an argument by reference that is read as a number.
    let points = [(1, 1_472_175_628.0), (2, 8.0)].map(|(rank, value)| tuning_point(rank, "block", (8.0, 64.0), value));
    let mut program = Program::new(points.to_vec());
    let mut tunlet = SearchTunlet::new(&options("block=8..64 step 8"), Confidence::default()).unwrap();
    program.run(&mut tunlet, 5, |_| 1.0);
    assert!(program.proposals.is_empty());
    let why = tunlet.report().search.unwrap().trouble.unwrap();
    assert!(why.contains("block: it is 1472175628 now, and its range is 8..64"), "{why}");
    program.tuning_points[0].value = 16.0;
    program.run(&mut tunlet, 40, |points| points[0].value);
    assert!(!program.proposals.is_empty() && tunlet.report().search.unwrap().trouble.is_none());
}

/// What it says of its points.
fn said(tunlet: &SearchTunlet) -> Vec<String> {
    tunlet.refusals().into_iter().map(|refusal| refusal.why).collect()
}

#[test]
fn a_range_of_real_numbers_without_a_step_is_said_to_be_searched_at_whole_ones() {
    let begun = |text: &str| {
        let mut tunlet = SearchTunlet::new(&options(text), Confidence::default()).unwrap();
        Program::new(vec![TuningPoint { whole: false, ..tuning_point(0, "x", (0.0, 1.0), 0.0) }]).run(
            &mut tunlet,
            2,
            |_| 1.0,
        );
        said(&tunlet)
    };
    assert_eq!(
        begun("x=0..1"),
        ["x takes numbers from 0 to 1, and the search says no step: the 2 whole ones are tried"]
    );
    assert_eq!(begun("x=0..1 step 0.1"), [""; 0]);
    assert_eq!(begun("x=0,1"), [""; 0]);
}

#[test]
fn a_block_size_is_set_on_every_rank_measured_and_left_at_its_best() {
    let mut tunlet = SearchTunlet::new(&options("block=8..64 step 8"), Confidence::default()).unwrap();
    let mut program = Program::new((0..3).map(|rank| tuning_point(rank, "block", (1.0, 48.0), 48.0)).collect());
    // Iterations under way while the ranks take over are a mixture: nothing must be learnt from them.
    program.run(&mut tunlet, 60, |tuning_points| 1.0 + (tuning_points[0].value - 24.0).abs() / 10.0);
    assert!(program.proposals.iter().all(|(ranks, _)| *ranks == [0, 1, 2]));
    assert!(program.tuning_points.iter().all(|tuning_point| tuning_point.value == 24.0), "{:?}", program.tuning_points);
    let report = tunlet.report().search.unwrap();
    assert_eq!((report.ended, report.best, report.best_s), (true, Some(vec![24.0]), Some(1.0)));
    assert_eq!((report.start_s, report.best_is_sure, report.trouble), (Some(3.4), true, None));
    assert!(report.tried.iter().all(|tried| tried.values[0] <= 48.0), "56 and 64 are out of range");
    assert_eq!(said(&tunlet), ["block takes whole numbers from 1 to 48: of its 8 values 6 are tried"]);
    assert_eq!(program.verdicts.last(), Some(&Verdict::Kept));
    assert_eq!(program.verdicts.len(), program.proposals.len(), "each decision is judged");
    let (_, first) = &program.proposals[0];
    assert_eq!((&*first.tunlet, first.tuning_point.as_str(), first.from.as_str()), ("search", "block", "48"));
    assert_eq!(first.why, "measurement 2 of at most 60");
    assert!(!first.at_once && first.predicted_s.is_finite() && first.uncertainty > 0.0);
    assert!(program.proposals.iter().all(|(_, proposal)| proposal.trial == proposal.why.starts_with("measurement ")));
}

/// An iteration of the flow or of the chemistry, each with a block size of its own.
fn in_turns(iteration: u64, tuning_points: &[TuningPoint]) -> f64 {
    let value = |name: &str| tuning_points.iter().find(|point| point.name == name).unwrap().value;
    match iteration % 2 {
        0 => 0.015 + 0.0006 * (value("flow") - 16.0).abs(),
        _ => 0.030 + 0.0008 * (value("chemistry") - 48.0).abs(),
    }
}

#[test]
fn kinds_of_iterations_that_take_turns_are_measured_together() {
    for ranks in [1, 3] {
        let mut tunlet =
            SearchTunlet::new(&options("flow=4..64 step 4; chemistry=4..64 step 4"), Confidence::default()).unwrap();
        let points = |rank| ["flow", "chemistry"].map(|name| tuning_point(rank, name, (4.0, 64.0), 4.0));
        let mut now: Vec<TuningPoint> = (0..ranks).flat_map(points).collect();
        let mut random = midrun_models::random::Random::new(1);
        let (mut sent, mut said) = (Vec::<Proposal>::new(), Vec::<String>::new());
        for iteration in 0..200 {
            // What was proposed after an iteration is in force in the next but one.
            if let Some(proposal) = sent.pop_if(|proposal| proposal.iteration + 2 == iteration) {
                for point in now.iter_mut().filter(|point| proposal.ranks.contains(&point.rank)) {
                    let own = proposal.assignments.iter().find(|(name, _)| *name == point.name);
                    point.value = own.map_or(point.value, |(_, value)| value.number().unwrap());
                }
                tunlet.on_settled(said.len() as u64, Settled::Applied { iteration });
            }
            let time_s = (0.01 * random.normal()).exp() * in_turns(iteration, &now);
            tunlet.observe(Observation::Iteration(&window(iteration, 4, time_s)));
            sent.extend(tunlet.propose(&now).filter(|_| sent.is_empty()));
            said.extend(sent.last().map(|proposal| proposal.why.clone()));
        }
        let report = tunlet.report().search.unwrap();
        assert_eq!((report.ended, report.turn), (true, 2));
        let (start_s, best_s) = (report.start_s.unwrap(), report.best_s.unwrap());
        assert!((start_s - 0.0437).abs() < 0.001 && best_s < 0.027, "{start_s} {best_s}");
        assert!(said.iter().any(|why| why.contains(", each of 2 iterations, which take turns")), "{said:?}");
    }
}

#[test]
fn where_the_start_is_best_the_search_ends_there() {
    let mut tunlet = SearchTunlet::new(&options("a=1..5"), Confidence::default()).unwrap();
    let mut program = Program::new(vec![tuning_point(0, "a", (0.0, 9.0), 9.0)]);
    program.run(&mut tunlet, 60, |tuning_points| if tuning_points[0].value == 9.0 { 1.0 } else { 2.0 });
    assert_eq!(program.tuning_points[0].value, 9.0);
    let (_, last) = program.proposals.last().unwrap();
    assert_eq!(last.to, "9");
    assert_eq!(program.verdicts.last(), Some(&Verdict::Kept));
    let judged = program.proposals.iter().map(|(_, proposal)| proposal.to == "9").zip(&program.verdicts);
    assert!(
        judged.into_iter().all(|(is_start, verdict)| is_start || *verdict == Verdict::Tried),
        "{:?}",
        program.verdicts
    );
    assert!(["1", "2", "3", "4", "5"].iter().all(|value| program.proposals.iter().any(|(_, p)| p.to == *value)));
}

#[test]
fn points_of_different_ranks_are_searched_together() {
    let mut tunlet = SearchTunlet::new(&options("a=1..3; b=1..3"), Confidence::default()).unwrap();
    let mut program = Program::new(vec![
        tuning_point(0, "a", (0.0, 9.0), 1.0),
        tuning_point(1, "b", (0.0, 9.0), 1.0),
        tuning_point(2, "b", (0.0, 9.0), 1.0),
    ]);
    program.run(&mut tunlet, 120, |tuning_points| {
        3.0 + (tuning_points[0].value - 3.0).abs() + (tuning_points[1].value - 2.0).abs()
    });
    let values: Vec<f64> = program.tuning_points.iter().map(|tuning_point| tuning_point.value).collect();
    assert_eq!(values, [3.0, 2.0, 2.0]);
}

/// A program whose ranks take values over together, four iterations after they are asked, or refuse them.
struct InStep {
    tuning_points: Vec<TuningPoint>,
    iteration: u64,
    /// These decisions.
    refuses: std::ops::Range<u64>,
    decisions: Vec<Proposal>,
}

impl InStep {
    fn run(&mut self, tunlet: &mut SearchTunlet, iterations: u64, time_s: impl Fn(f64) -> f64) {
        let mut pending: Option<u64> = None;
        for _ in 0..iterations {
            let at = pending.filter(|at| self.iteration >= *at);
            if let (Some(at), Some(proposal)) = (at, self.decisions.last()) {
                let value = proposal.assignments[0].1.number().unwrap();
                self.tuning_points.iter_mut().for_each(|tuning_point| tuning_point.value = value);
                // The last rank's answer comes while the iteration still runs.
                tunlet.on_settled(self.decisions.len() as u64 - 1, Settled::Applied { iteration: at });
                pending = None;
            }
            // What is left of the iteration before is in the first one with the new value.
            let share = if at.is_some() { 0.01 } else { 1.0 };
            let window = window(self.iteration, 4, share * time_s(self.tuning_points[0].value));
            tunlet.observe(Observation::Iteration(&window));
            self.iteration += 1;
            let proposal = if pending.is_none() { tunlet.propose(&self.tuning_points) } else { None };
            let Some(proposal) = proposal else { continue };
            assert!(proposal.synchronized, "{proposal:?}");
            assert_eq!(proposal.ranks, [0, 1, 2]);
            self.decisions.push(proposal);
            let decision = self.decisions.len() as u64 - 1;
            if self.refuses.contains(&decision) {
                let why = Some("rank 1 reached no safe point in time".to_owned());
                tunlet.on_settled(decision, Settled::NotApplied { why });
            } else {
                pending = Some(self.iteration + 4);
            }
        }
    }
}

fn in_step(refuses: std::ops::Range<u64>) -> (SearchTunlet, InStep) {
    let tunlet = SearchTunlet::new(&options("algorithm=0,1,2 categorical together"), Confidence::default()).unwrap();
    let tuning_points = (0..3).map(|rank| tuning_point(rank, "algorithm", (0.0, 2.0), 0.0)).collect();
    (tunlet, InStep { tuning_points, iteration: 0, refuses, decisions: Vec::new() })
}

#[test]
fn together_all_ranks_change_in_one_iteration_and_only_those_after_it_are_measured() {
    let (mut tunlet, mut program) = in_step(0..0);
    program.run(&mut tunlet, 200, |algorithm| [3.0, 1.0, 2.0][algorithm as usize]);
    let report = tunlet.report().search.unwrap();
    assert_eq!((report.ended, report.best.clone(), report.best_s), (true, Some(vec![1.0]), Some(1.0)));
    assert!(
        report.tried.iter().all(|tried| tried.time_s == [3.0, 1.0, 2.0][tried.values[0] as usize]),
        "{:?}",
        report.tried
    );
    assert!(program.tuning_points.iter().all(|tuning_point| tuning_point.value == 1.0));
}

#[test]
fn a_search_that_gives_up_says_why_and_tries_to_go_back_to_the_best_so_far() {
    // One value is measured, then nothing is taken over any more.
    let time_s = |algorithm: f64| [1.0, 2.0, 3.0][algorithm as usize];
    let (mut tunlet, mut program) = in_step(1..u64::MAX);
    program.run(&mut tunlet, 400, time_s);
    let report = tunlet.report().search.unwrap();
    let why = "its values were not taken over: rank 1 reached no safe point in time";
    assert_eq!((report.ended, report.trouble.as_deref(), report.best), (false, Some(why), Some(vec![0.0])));
    // Four attempts to go on, then four back.
    assert_eq!(program.decisions.len(), 9);
    assert!(program.decisions[5..].iter().all(|proposal| proposal.to == "0"), "{:?}", program.decisions);

    let (mut tunlet, mut program) = in_step(1..5);
    program.run(&mut tunlet, 400, time_s);
    assert_eq!((program.decisions.len(), program.tuning_points[0].value), (6, 0.0), "the way back comes through");
    assert!(tunlet.report().search.unwrap().trouble.is_some());

    let (mut tunlet, mut program) = in_step(1..4);
    program.run(&mut tunlet, 400, time_s);
    let report = tunlet.report().search.unwrap();
    assert_eq!(
        (report.ended, report.trouble, program.tuning_points[0].value),
        (true, None, 0.0),
        "three failures are no reason"
    );
}

#[test]
fn a_combination_of_which_only_a_part_is_set_is_not_measured() {
    let mut tunlet = SearchTunlet::new(&options("a=1..2; b=1..2"), Confidence::default()).unwrap();
    let mut program = Program::new(vec![tuning_point(0, "a", (0.0, 9.0), 1.0), tuning_point(1, "b", (0.0, 9.0), 1.0)]);
    program.run(
        &mut tunlet,
        60,
        |tuning_points| if tuning_points[0].value == tuning_points[1].value { 3.0 } else { 1.0 },
    );
    let report = tunlet.report().search.unwrap();
    let right = |tried: &TriedLine| tried.time_s == if tried.values[0] == tried.values[1] { 3.0 } else { 1.0 };
    assert!(report.tried.len() >= 2 && report.tried.iter().all(right), "{report:?}");
}

#[test]
fn a_hand_out_is_judged_by_what_its_tasks_took_and_everything_else_by_their_number() {
    let time_s = |points: &str, tasks: f64| {
        let mut tunlet = SearchTunlet::new(&options(points), Confidence::default()).unwrap();
        tunlet.time_s(&window(0, 4, 0.2));
        let mut other = window(1, 4, 0.4);
        other.per_worker.iter_mut().for_each(|worker| worker.busy_s *= 2.0);
        other.tasks = (other.tasks as f64 * tasks) as u64;
        tunlet.time_s(&other).unwrap()
    };
    assert!((time_s("mw.factor=0.1..0.9 step 0.1", 1.0) - 0.2).abs() < 1e-9, "twice the work in twice the time");
    assert!((time_s("block=1..9", 1.0) - 0.4).abs() < 1e-9, "the same tasks took twice as long");
    assert!((time_s("block=1..9", 2.0) - 0.2).abs() < 1e-9);
    let mut tunlet = SearchTunlet::new(&options("mw.factor=0.1..0.9 step 0.1"), Confidence::default()).unwrap();
    assert_eq!(tunlet.time_s(&Window { coverage: 0.5, ..window(0, 4, 0.2) }), None);
    assert_eq!(tunlet.time_s(&Window { setting_changed: true, ..window(0, 4, 0.2) }), None);
}

#[test]
fn a_streams_period_is_searched_and_windows_with_two_patterns_do_not_count() {
    let mut tunlet = SearchTunlet::new(&options("block=1..4"), Confidence::default()).unwrap();
    let mut tuning_points = vec![tuning_point(3, "block", (1.0, 4.0), 1.0)];
    for number in 0..60 {
        let mut window = stream(number, "0,1", 3, &[0.1, 0.1 + (tuning_points[0].value - 3.0).abs()]);
        if number % 3 == 0 {
            (window.settled, window.seconds) = (false, 1e-3);
        }
        tunlet.observe(Observation::Stream(&window));
        if let Some(proposal) = tunlet.propose(&tuning_points) {
            tuning_points[0].value = proposal.assignments[0].1.number().unwrap();
            tunlet.on_settled(number, Settled::Applied { iteration: 1_000_000 });
            // The safe point of a stream is an input, not a window.
        }
    }
    assert_eq!(tuning_points[0].value, 3.0);
}

#[test]
fn it_waits_for_its_points_and_gives_up_where_nothing_is_left_or_taken_over() {
    let mut tunlet = SearchTunlet::new(&options("a=1..3; b=1..3"), Confidence::default()).unwrap();
    tunlet.observe(Observation::Iteration(&window(0, 4, 0.2)));
    assert_eq!(tunlet.propose(&[tuning_point(0, "a", (0.0, 9.0), 1.0)]), None);
    assert_eq!(tunlet.report().search.unwrap().measured, 0);
    let both = [tuning_point(0, "a", (0.0, 9.0), 1.0), tuning_point(0, "b", (7.0, 9.0), 7.0)];
    assert_eq!(tunlet.propose(&both), None);
    let trouble = "b takes whole numbers from 7 to 9, which leaves nothing to search";
    assert_eq!(tunlet.report().search.unwrap().trouble.as_deref(), Some(trouble));

    let mut tunlet = SearchTunlet::new(&options("a=1..3"), Confidence::default()).unwrap();
    let (mut refused, mut number) = (0, 0);
    while refused < 4 && number < 100 {
        tunlet.observe(Observation::Iteration(&window(number, 4, 0.2)));
        if tunlet.propose(&both).is_some() {
            tunlet.on_settled(refused, Settled::NotApplied { why: None });
            refused += 1;
        }
        number += 1;
    }
    assert_eq!(tunlet.propose(&both), None);
    assert_eq!(tunlet.report().search.unwrap().trouble.as_deref(), Some("its values were not taken over"));
}

#[test]
fn a_change_that_failed_for_a_rank_that_was_late_is_proposed_again_as_soon_as_that_rank_offers_the_point() {
    let (mut tunlet, program) = in_step(0..0);
    let all = program.tuning_points;
    let mut iteration = 0;
    let mut ask = |tunlet: &mut SearchTunlet, ranks: usize| {
        tunlet.observe(Observation::Iteration(&window(iteration, 4, 0.002)));
        iteration += 1;
        tunlet.propose(&all[..ranks])
    };
    let first = (0..20).find_map(|_| ask(&mut tunlet, 2)).expect("a first value to try");
    assert_eq!(first.ranks, [0, 1]);
    let why = Some("only 2 of 3 ranks are known yet".to_owned());
    tunlet.on_settled(0, Settled::NotApplied { why });
    assert!((0..100).all(|_| ask(&mut tunlet, 2).is_none()), "it waits, for nothing is new");
    assert_eq!(ask(&mut tunlet, 3).expect("the first value again").ranks, [0, 1, 2]);
}

#[test]
fn options_that_make_no_sense_are_refused_with_what_would() {
    let error = |options: SearchOptions| SearchTunlet::new(&options, Confidence::default()).err().unwrap();
    assert_eq!(error(options(" ; ")), "tuning points and their values, such as 'block=8..256 step 8'");
    assert!(error(options("a=1..2; b")).starts_with("b: expected is"));
    assert!(
        error(SearchOptions { constraint: "a < 2; c > 1".into(), ..options("a=1..2") }).starts_with("c > 1: c is none")
    );
    assert_eq!(
        error(options("a=1..2 together; mw.factor=0.1,0.2 together")),
        "mw.factor without synchronized: its framework keeps the ranks in step by itself"
    );
    let budget = SearchOptions { budget: 3, ..options("a=1..2") };
    assert_eq!(error(budget), "a budget from 12 to 100000 instead of 3");
    let known = SearchOptions { known: "2@0.5; x; 1,5; 1@y; 1".into(), ..options("a=1..2") };
    let known = options::read(&known, Confidence::default()).unwrap().known;
    let read: Vec<(&[f64], Option<f64>)> = known.iter().map(|known| (&known.values[..], known.time_s)).collect();
    assert_eq!(read, [(&[2.0][..], Some(0.5)), (&[1.0, 5.0], None), (&[1.0], None)]);
    let old = options::read(&options("mw.policy=1,2"), Confidence::default()).unwrap();
    assert_eq!(old.space.dimensions[0].name, "mw.technique");
}

/// What a rank measured of its progress: calls, or values with their sum.
fn progress(rank: u32, count: u64, sum: Option<f64>) -> crate::PointWindow {
    crate::PointWindow {
        rank,
        label: PROGRESS.into(),
        count,
        timed: count,
        sum: sum.unwrap_or(0.25),
        value: sum.map(|_| 1.0),
        ..crate::PointWindow::default()
    }
}

/// An iteration of a program without tasks.
fn of_progress(iteration: u64, points: Vec<crate::PointWindow>, time_s: f64) -> Window {
    Window { points, tasks: 0, per_worker: Vec::new(), ..window(iteration, 4, time_s) }
}

#[test]
fn where_the_program_measures_its_progress_times_are_per_unit_of_what_all_ranks_made() {
    let mut tunlet = SearchTunlet::new(&options("block=1..4"), Confidence::default()).unwrap();
    assert_eq!(tunlet.time_s(&of_progress(0, Vec::new(), 1.0)), Some(1.0), "nobody measures progress yet");
    // 30 cells of two ranks, then half as many in the same time; calls count by their number.
    let both = vec![progress(0, 2, Some(10.0)), progress(1, 4, Some(20.0))];
    assert_eq!(tunlet.time_s(&of_progress(1, both, 1.5)), Some(0.05));
    assert_eq!(tunlet.time_s(&of_progress(2, vec![progress(0, 2, Some(15.0))], 1.5)), Some(0.1));
    assert_eq!(tunlet.time_s(&of_progress(3, vec![progress(0, 60, None)], 1.5)), Some(0.025));
    assert_eq!(tunlet.time_s(&of_progress(4, Vec::new(), 1.0)), None, "it was not reported in time");
    assert!(tunlet.report().search.unwrap().per_progress);
}

/// A stencil on four ranks that exchanges halos every `depth` sweeps.
fn stencil_s(depth: f64) -> f64 {
    0.004 + depth * (0.002 + 0.00005 * (depth - 1.0))
}

#[test]
fn values_with_which_an_iteration_does_more_are_measured_to_its_end() {
    let options = SearchOptions { progress_line: 3, ..options("depth=1..40") };
    let mut tunlet = SearchTunlet::new(&options, Confidence::default()).unwrap();
    let mut tuning_points = vec![tuning_point(0, "depth", (1.0, 40.0), 1.0)];
    let per_unit_s = |depth: f64| stencil_s(depth) / (4.0 * depth);
    for iteration in 0..80 {
        assert_eq!(tunlet.longest(), None, "nobody knows how much the running iteration does");
        let depth = tuning_points[0].value;
        let points = (0..4).map(|rank| progress(rank, depth as u64, None)).collect();
        tunlet.observe(Observation::Iteration(&of_progress(iteration, points, stencil_s(depth))));
        let Some(proposal) = tunlet.propose(&tuning_points) else { continue };
        assert!(proposal.per_progress && !proposal.at_once, "{proposal:?}");
        tuning_points[0].value = proposal.assignments[0].1.number().unwrap();
        tunlet.on_settled(iteration, Settled::Applied { iteration: iteration + 1 });
    }
    let report = tunlet.report().search.unwrap();
    let is_true = |tried: &TriedLine| (tried.time_s / per_unit_s(tried.values[0]) - 1.0).abs() < 1e-9;
    assert!(report.tried.len() > 3 && report.tried.iter().all(is_true), "{report:?}");
    assert!(report.ended && report.per_progress, "{report:?}");
    // Depth 9 is the best.
    assert!(per_unit_s(tuning_points[0].value) < 1.02 * per_unit_s(9.0), "{report:?}");
}

#[test]
fn times_from_before_the_first_progress_do_not_count() {
    let mut tunlet = SearchTunlet::new(&options("depth=1..40"), Confidence::default()).unwrap();
    let tuning_points = [tuning_point(0, "depth", (1.0, 40.0), 1.0)];
    let mut see = |number, points| {
        tunlet.observe(Observation::Iteration(&of_progress(number, points, 1.0)));
        tunlet.propose(&tuning_points);
        tunlet.report().search.unwrap()
    };
    (0..2).for_each(|number| drop(see(number, Vec::new())));
    assert_eq!(see(2, vec![progress(0, 4, None)]).start_s, None, "its values may not have been in force");
    let report = see(3, vec![progress(0, 4, None)]);
    assert_eq!((report.start_s, report.measured), (Some(0.25), 1));
}

#[test]
fn without_the_progress_that_was_asked_for_it_does_not_run() {
    let options = SearchOptions { progress_line: 3, ..options("depth=1..40") };
    let tuning_points = [tuning_point(0, "depth", (1.0, 40.0), 1.0)];
    let see = |tunlet: &mut SearchTunlet, number, points| {
        tunlet.observe(Observation::Iteration(&of_progress(number, points, 1.0)));
        let proposal = tunlet.propose(&tuning_points);
        (proposal, tunlet.refusals(), tunlet.report().search.unwrap())
    };
    let mut tunlet = SearchTunlet::new(&options, Confidence::default()).unwrap();
    assert_eq!(tunlet.report().search.unwrap().trouble, None, "nothing was to be measured yet");
    let (proposal, refusals, report) = see(&mut tunlet, 0, Vec::new());
    assert_eq!((proposal, refusals, report.measured), (None, Vec::new(), 0), "it may come yet");
    let none = "no rank measured any progress, which the points name to compare times by";
    assert_eq!(report.trouble.as_deref(), Some(none));

    tunlet.observe(Observation::PointRefused { rank: 2, line: 2, why: "there is no halo" });
    tunlet.observe(Observation::PointRefused { rank: 2, line: 3, why: "there is no swep" });
    let (proposal, refusals, report) = see(&mut tunlet, 1, Vec::new());
    let why =
        "it does not run without the measure point progress, and line 3 of the points was refused: there is no swep";
    assert_eq!((proposal, report.measured, report.trouble.as_deref()), (None, 0, Some(why)));
    assert_eq!((refusals.len(), refusals[0].why.as_str()), (1, why));
    assert!((2..40).all(|number| see(&mut tunlet, number, Vec::new()).0.is_none()));

    // Another program of the same job has the function.
    let (_, refusals, report) = see(&mut tunlet, 40, vec![progress(0, 4, None)]);
    assert_eq!((refusals, report.trouble), (Vec::new(), None));
    assert!((41..60).any(|number| see(&mut tunlet, number, vec![progress(0, 4, None)]).0.is_some()));
}

#[test]
fn a_search_that_no_iteration_asked_says_what_no_rank_offers() {
    let tunlet = SearchTunlet::new(&options("nosuch=1..4"), Confidence::default()).unwrap();
    let report = tunlet.report().search.unwrap();
    let trouble = |points: &[TuningPoint]| report.clone().beside(points).trouble;
    let depth = tuning_point(0, "depth", (1.0, 40.0), 1.0);
    assert_eq!(trouble(std::slice::from_ref(&depth)).as_deref(), Some("no rank offers nosuch; the ranks offer depth"));
    assert_eq!(trouble(&[]).as_deref(), Some("no rank offers nosuch; the ranks offer no tuning point at all"));
    assert_eq!(trouble(&[TuningPoint { name: "nosuch".into(), ..depth }]), None);
}

#[test]
fn values_are_left_inside_the_iteration_that_they_make_too_long() {
    let time_s = |kind: f64| [1.0, 1.1, 9.0][kind as usize];
    for inside in [false, true] {
        let mut tunlet = SearchTunlet::new(&options("kind=0..2 categorical"), Confidence::default()).unwrap();
        let mut tuning_points = vec![tuning_point(0, "kind", (0.0, 2.0), 0.0)];
        let (mut decisions, mut left, mut pending) = (0, 0, None::<f64>);
        for iteration in 0..40_u64 {
            if let Some(value) = pending.take() {
                tuning_points[0].value = value;
                tunlet.on_settled(decisions, Settled::Applied { iteration });
                decisions += 1;
            }
            let mut now = window(iteration, 4, time_s(tuning_points[0].value));
            if let Some((running, longest_s)) = tunlet.longest().filter(|(_, longest_s)| *longest_s < now.iteration_s) {
                assert_eq!(running, iteration);
                tunlet.observe(Observation::Running { iteration, elapsed_s: longest_s });
                let proposal = tunlet.propose(&tuning_points).expect("other values");
                assert!(proposal.at_once && proposal.why.contains("was left"), "{proposal:?}");
                assert_eq!(proposal.iteration, iteration, "it is decided in the iteration that it ends");
                assert_eq!(tunlet.longest(), None, "once");
                (left, pending) = (left + 1, proposal.assignments[0].1.number());
                if let Some(value) = pending.take_if(|_| inside) {
                    tuning_points[0].value = value;
                    tunlet.on_settled(decisions, Settled::Applied { iteration });
                    decisions += 1;
                    now.iteration_s = longest_s + 0.1;
                }
            }
            tunlet.observe(Observation::Iteration(&now));
            if pending.is_none() {
                pending = tunlet.propose(&tuning_points).and_then(|proposal| proposal.assignments[0].1.number());
            }
        }
        let report = tunlet.report().search.unwrap();
        let slow = report.tried.iter().find(|tried| tried.values == [2.0]).expect("it was tried");
        assert!(left >= 1 && slow.times == 1, "{report:?}");
        assert_eq!(slow.time_s == 9.0, !inside, "a part of an iteration is not the whole: {report:?}");
        assert_eq!((report.best_is_start, tuning_points[0].value), (true, 0.0), "{report:?}");
    }
}

/// No iteration ends: what is in force then.
fn rest(tunlet: &mut SearchTunlet, program: &mut Program) -> f64 {
    tunlet.observe(Observation::Resting { iteration: program.iteration, elapsed_s: 99.0 });
    if let Some(proposal) = tunlet.propose(&program.tuning_points) {
        assert!(proposal.at_once, "{proposal:?}");
        program.tuning_points[0].value = proposal.assignments[0].1.number().unwrap();
        tunlet.on_settled(program.decisions, Settled::Applied { iteration: program.iteration });
        program.decisions += 1;
    }
    assert_eq!(tunlet.propose(&program.tuning_points), None);
    program.tuning_points[0].value
}

#[test]
fn where_the_program_iterates_no_more_values_are_in_force_that_are_surely_good() {
    // The start is the best, or much worse than others.
    for best in [3.0, 8.0] {
        let time_s = |points: &[TuningPoint]| 1.0 + (points[0].value - best).abs();
        for seen in 2..30 {
            let mut tunlet = SearchTunlet::new(&options("a=1..9"), Confidence::default()).unwrap();
            let mut program = Program::new(vec![tuning_point(0, "a", (1.0, 9.0), 3.0)]);
            program.run(&mut tunlet, seen, time_s);
            let measured = tunlet.engine.as_ref().and_then(Search::best).map_or(3.0, |best| best.values[0]);
            let value = rest(&mut tunlet, &mut program);
            assert!(value == measured || value == 3.0, "{value}, and {measured} is the best after {seen}");
            assert!(best != 3.0 || value == 3.0, "{value} after {seen}");
            assert!(seen < 12 || time_s(&program.tuning_points) < 2.0, "{value} after {seen}");
            // It was a long one.
            program.run(&mut tunlet, 60, time_s);
            let report = tunlet.report().search.unwrap();
            assert!(report.ended && report.best == Some(vec![best]), "{report:?}");
            assert_eq!(program.tuning_points[0].value, best);
        }
    }
}

#[test]
fn what_is_applied_once_the_iteration_has_ended_after_all_is_not_taken_for_what_is_asked_for() {
    let mut tunlet = SearchTunlet::new(&options("a=1..9"), Confidence::default()).unwrap();
    let mut program = Program::new(vec![tuning_point(0, "a", (1.0, 9.0), 3.0)]);
    let time_s = |points: &[TuningPoint]| 1.0 + (points[0].value - 3.0).abs();
    while program.tuning_points[0].value == 3.0 {
        program.run(&mut tunlet, 1, time_s);
    }
    let tried = program.tuning_points[0].value;
    tunlet.observe(Observation::Resting { iteration: program.iteration, elapsed_s: 99.0 });
    let proposal = tunlet.propose(&program.tuning_points).expect("the values at start");
    assert_eq!(proposal.assignments[0].1.number(), Some(3.0));
    tunlet.observe(Observation::Iteration(&window(program.iteration, 4, 1.0)));
    tunlet.on_settled(program.decisions, Settled::Applied { iteration: program.iteration + 1 });
    tunlet.observe(Observation::Iteration(&window(program.iteration + 1, 4, 1.0)));
    let report = tunlet.report().search.unwrap();
    let of_tried: usize = report.tried.iter().filter(|line| line.values == [tried]).map(|line| line.times).sum();
    assert!(of_tried <= 1, "{report:?}");
}

#[test]
fn of_other_iterations_the_search_begins_again_with_the_values_at_start() {
    let mut tunlet = SearchTunlet::new(&options("a=1..9"), Confidence::default()).unwrap();
    let mut program = Program::new(vec![tuning_point(0, "a", (1.0, 9.0), 3.0)]);
    program.run(&mut tunlet, 40, |points| 1.0 + (points[0].value - 7.0).abs() / 10.0);
    assert_eq!(program.tuning_points[0].value, 7.0);
    tunlet.observe(Observation::OtherIterations { phase: 1 });
    // A hundred times as long, and best with another value.
    program.run(&mut tunlet, 60, |points| 100.0 + (points[0].value - 2.0).abs() * 10.0);
    let report = tunlet.report().search.unwrap();
    assert_eq!((report.start_s, report.best.as_deref()), (Some(110.0), Some(&[2.0][..])), "{report:?}");
    // What was found of the phase before is in force at once when that comes back.
    let decisions = program.decisions;
    tunlet.observe(Observation::OtherIterations { phase: 0 });
    program.run(&mut tunlet, 9, |points| 1.0 + (points[0].value - 7.0).abs() / 10.0);
    assert_eq!((program.tuning_points[0].value, program.decisions), (7.0, decisions + 1));
}

#[test]
fn a_search_of_the_share_begins_with_the_one_that_the_model_takes_for_best() {
    let mut tunlet = SearchTunlet::new(&options("mw.factor=0.1..1 step 0.1"), Confidence::default()).unwrap();
    let share = TuningPoint { whole: false, ..tuning_point(0, names::FACTOR, (0.0, 1.0), 0.1) };
    // Even tasks: the larger the batches, the fewer messages. The window's technique is dpf, which needs a share below 1.
    let mut program = Program::new(vec![share]);
    program.run(&mut tunlet, 6, |_| 0.2);
    let first = program.proposals[0].1.assignments[0].1.number().unwrap();
    let by_model = crate::master_worker::shares(&window(0, 4, 0.2), Confidence::default());
    assert_eq!((first, by_model.len()), (by_model[0], 9), "{by_model:?}");
    assert!(by_model[0] > 0.5, "{by_model:?}");
}
