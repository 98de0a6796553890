//! Stories of tunlets in files: windows in, proposals out.

use super::*;
use crate::testing::window;
use crate::{Observation, Proposal, Settled, TuningPoint, Tunlet, Value, Verdict, Window};

fn tuning_point(name: &str, value: f64, range: (f64, f64)) -> TuningPoint {
    TuningPoint { rank: 0, name: name.into(), whole: false, range, value, declared: value, text: None, held: false }
}

/// A program with one tuning point x, whose iterations take a time that depends on it.
struct Plant {
    tunlet: Scripted,
    x: f64,
    time_s: fn(f64) -> f64,
    iteration: u64,
    decision: u64,
    proposals: Vec<(Proposal, Option<Verdict>)>,
}

impl Plant {
    fn new(file: &str, time_s: fn(f64) -> f64) -> Plant {
        let tunlet = Scripted::read(file).unwrap_or_else(|mistake| panic!("{mistake}"));
        Plant { tunlet, x: 1.0, time_s, iteration: 0, decision: 0, proposals: Vec::new() }
    }

    fn iterate(&mut self, count: u64) {
        for _ in 0..count {
            let seen = window(self.iteration, 4, (self.time_s)(self.x));
            self.see(&seen);
        }
    }

    fn see(&mut self, seen: &Window) {
        for judgement in self.tunlet.observe(Observation::Iteration(seen)) {
            self.proposals[judgement.decision as usize].1 = Some(judgement.verdict);
        }
        self.iteration += 1;
        if let Some(proposal) = self.tunlet.propose(&[tuning_point("x", self.x, (0.0, 10.0))]) {
            let Some((_, Value::Number(x))) = proposal.assignments.first() else { panic!("{proposal:?}") };
            self.x = *x;
            self.tunlet.on_settled(self.decision, Settled::Applied { iteration: self.iteration });
            self.decision += 1;
            self.proposals.push((proposal, None));
        }
    }

    fn refusals(&self) -> Vec<String> {
        self.tunlet.refusals().into_iter().map(|refusal| refusal.why).collect()
    }
}

fn script(text: &str) -> String {
    format!("name = 't'\nscript = '''\n{text}\n'''\n[tuning_points]\nx = {{ name = 'x' }}\n")
}

#[test]
fn a_rule_is_followed_watched_and_kept_where_it_helps() {
    let file = "name = 'half'\n[tuning_points]\nx = { name = 'x', range = [0.5, 1.0] }\n[[rule]]\nwhen = 'imbalance > 0.1'\n\
                set = { x = 'tuning_points.x / 4' }\nwhy = 'it is uneven'\n";
    let mut plant = Plant::new(file, |x| 0.2 + 0.1 * x);
    plant.iterate(8);
    let (proposal, verdict) = &plant.proposals[0];
    assert_eq!(proposal.assignments, [("x".to_owned(), Value::Number(0.5))], "cut to its range");
    assert_eq!((proposal.why.as_str(), &*proposal.tunlet, *verdict), ("it is uneven", "half", Some(Verdict::Kept)));
    assert!(proposal.predicted_s.is_nan(), "nothing was predicted");
    assert_eq!(plant.proposals.len(), 1, "what is in force is not asked for again: {:?}", plant.proposals);
    assert!(plant.refusals().is_empty(), "{:?}", plant.refusals());
}

#[test]
fn what_made_things_worse_is_taken_back_and_not_tried_again_soon() {
    let mut plant =
        Plant::new(&script("#{ set: #{ x: 5 }, predict_s: 0.1, why: `more than ${tuning_points.x}` }"), |x| {
            0.2 + 0.1 * x
        });
    plant.iterate(10);
    let verdicts: Vec<_> = plant.proposals.iter().map(|(proposal, verdict)| (proposal.to.as_str(), *verdict)).collect();
    assert_eq!(verdicts[..2], [("5", Some(Verdict::RolledBack)), ("1", Some(Verdict::Kept))]);
    assert_eq!(plant.proposals[0].0.why, "more than 1.0");
    assert_eq!(plant.proposals[0].0.predicted_s, 0.1);
    plant.iterate(30);
    let (back, again) = (&plant.proposals[1].0, &plant.proposals[2].0);
    assert_eq!(again.to, "5", "after a while it is tried again");
    assert!(again.iteration > 2 * back.iteration, "when the run is twice as old: {again:?}");
}

#[test]
fn a_script_climbs_with_a_state_of_its_own() {
    let climb = "let step = state.step ?? 1.0;\nif last != () && last.verdict != \"kept\" && state.seen != last.measured {\n  \
                 step = -step; state.step = step; state.seen = last.measured;\n}\n#{ set: #{ x: tuning_points.x + step }, why: \"climb\" }";
    let mut plant = Plant::new(&script(climb), |x| 0.5 + 0.1 * (x - 4.0).abs());
    plant.iterate(60);
    assert_eq!(plant.refusals(), [""; 0]);
    assert!(plant.proposals.iter().any(|(proposal, _)| proposal.to == "4"), "{:?}", plant.proposals);
    assert!((3.0..=5.0).contains(&plant.x), "{}", plant.x);
}

#[test]
fn an_objective_that_is_to_be_large_is_judged_as_such() {
    let file = "name = 'rate'\nscript = '#{ set: #{ x: 2 }, predict: objective * 1.5, why: \"\" }'\n[objective]\nmaximise = 'tasks / iteration_s'\n\
                [tuning_points]\nx = { name = 'x' }\n";
    let mut plant = Plant::new(file, |x| 0.4 / x);
    plant.iterate(6);
    assert_eq!(plant.proposals[0].1, Some(Verdict::Kept));
    assert!(plant.proposals[0].0.predicted_s.is_nan(), "the objective is no time");
    let mut worse = Plant::new(file, |x| 0.4 * x);
    worse.iterate(6);
    assert_eq!(worse.proposals[0].1, Some(Verdict::RolledBack));
}

#[test]
fn limits_of_the_file_hold() {
    let file = |limits: &str| {
        script("#{ set: #{ x: tuning_points.x + 1 }, predict_s: iteration_s * 0.95, why: \"\" }")
            + "[limits]\n"
            + limits
    };
    let mut most = Plant::new(&file("max_changes = 2"), |x| 1.0 - 0.05 * x);
    most.iterate(40);
    assert_eq!(most.proposals.len(), 2);
    let mut gain = Plant::new(&file("min_gain = 0.1"), |x| 1.0 - 0.05 * x);
    gain.iterate(20);
    assert_eq!(gain.proposals.len(), 0);
    assert!(gain.refusals()[0].contains("min_gain"), "{:?}", gain.refusals());
    let mut slow = Plant::new(&file("cool_down_iterations = 10"), |x| 1.0 - 0.05 * x);
    slow.iterate(12);
    assert_eq!(slow.proposals.len(), 1);
}

#[test]
fn what_no_one_offers_or_measures_is_refused_by_name_and_reported_as_never_possible() {
    let file = "name = 'far'\npoints = '''\nmeasure chunk function compute sum\ntune deep variable DEEP i32 1..9\n'''\n\
                script = '''\nif iteration < 3 { if points.chunk.sum > 1 { return #{ set: #{ deep: 3 } } } }\n#{ set: #{ deep: 3 } }\n'''\n";
    let mut plant = Plant::new(file, |x| x);
    plant.tunlet.observe(Observation::PointRefused { rank: 2, line: 1, why: "there is no function compute" });
    plant.iterate(6);
    let refusals = plant.refusals();
    assert_eq!(refusals[0], "rank 2 cannot do \"measure chunk function compute sum\": there is no function compute");
    assert_eq!(refusals[1], "no rank measures chunk: there is no function compute (line 1 of the script)");
    assert_eq!(refusals[2], "no rank offers a tuning point deep");
    assert_eq!(refusals[3], "it is switched off after 5 failures in succession");
    let never = plant.tunlet.report().unavailable;
    assert_eq!(never.len(), 2, "{never:?}");
    plant.iterate(5);
    assert_eq!(plant.refusals().len(), 4, "a tunlet that is switched off is not asked");
}

#[test]
fn a_script_that_never_ends_throws_or_grows_is_refused_by_name() {
    for (text, why) in [
        ("loop { }", "more than 30000 operations"),
        ("fn f(x) { f(x + 1) } f(1); ()", "Stack overflow"),
        ("let s = \"x\"; loop { s += s; }", "too large"),
        ("let a = [1]; loop { a.push(a); }", "too large"),
        ("let m = #{}; let i = 0; loop { m[`k${i}`] = i; i += 1; }", "30000 operations"),
        ("let a = [1, 1]; loop { a[0] = a; a[1] = a; }", "too large"),
        ("let m = #{}; loop { m.a = m; m.b = m; }", "too large"),
        ("let m = #{}; loop { m[\"a\"] = m; m[\"b\"] = m; }", "too large"),
        ("let a = [1]; loop { a = [a, a]; }", "too large"),
        ("let a = [1]; loop { a += a; }", "too large"),
        ("let s = \"x\"; loop { s = `${s}${s}`; }", "too large"),
        ("loop { state.a = state; state.b = state; }", "too large"),
        ("let a = []; a.pad(1000, 1); for i in 0..5 { state[`k${i}`] = a; } ()", "`state` is too large"),
        ("throw \"no idea\"", "no idea"),
        ("1 / 0", "Division by zero"),
        ("7", "a map #{set: …} or () is expected"),
        ("#{ set: #{ x: \"a\" } }", "x is to be a: a number is expected"),
        ("#{ set: #{ x: 0.0 / 0.0 } }", "a number is expected"),
        ("#{ sett: 1 }", "unknown key `sett`"),
        ("#{ set: #{} }", "no `set"),
        ("let l = \"y\"; let s = #{}; s[l] = 1; #{ set: s }", "`y`, which nothing declares"),
        ("#{ set: #{ x: 1 }, predict_s: -3 }", "predict_s is -3"),
        ("balance_factor(true, 0.5, 0)", "the number of workers = 0"),
        ("for i in 0..1000000 { batch_shares(0.8, 1000, 8, 3); }", "more than 30000 operations"),
        ("n_opt(#{ start_up_s: 1 })", "lacks `compute_s`"),
        ("work.busy_s[9]", "out of bounds"),
        ("\"x\".pad(1000000, \"y\"); ()", "too large"),
        ("let a = []; a.pad(1000000, 0); ()", "too large"),
    ] {
        let mut plant = Plant::new(&script(text), |_| 1.0);
        plant.iterate(2);
        let refusals = plant.refusals();
        assert!(refusals.first().is_some_and(|first| first.contains(why)), "{text}: {refusals:?}");
    }
}

#[test]
fn a_failing_objective_with_an_open_change_takes_the_change_back() {
    let file = "name = 't'\nscript = '#{ set: #{ x: 2 } }'\n[objective]\nminimise = 'if iteration < 3 { iteration_s } else { 0 }'\n\
                [tuning_points]\nx = { name = 'x' }\n";
    let mut plant = Plant::new(file, |_| 1.0);
    plant.iterate(12);
    assert_eq!(plant.x, 1.0, "{:?}", plant.proposals);
    assert_eq!(plant.proposals[0].1, Some(Verdict::RolledBack));
}

#[test]
fn points_of_ranks_are_summed_and_listed() {
    let file = "name = 't'\npoints = 'measure chunk function compute sum'\nscript = '''\nlet p = points.chunk;\n\
                if p.count != 6 || p.sum != 3.0 || p.mean != 0.5 || p.min != 0.25 || p.max != 1.0 { throw `${p.count} ${p.sum}`; }\n\
                if p.ranks.sum != [1.0, 2.0] || p.ranks.rank[1] != 2 || !has(points, \"chunk\") { throw \"ranks\"; }\n\
                #{ set: #{ x: 3 }, why: `${largest(points.chunk.ranks.max)}` }\n'''\n[tuning_points]\nx = { name = 'x' }\n";
    let mut plant = Plant::new(file, |_| 1.0);
    let point = |rank, count, sum, maximum| crate::PointWindow {
        rank,
        label: "chunk".into(),
        count,
        timed: count,
        sum,
        squares: 0.0,
        minimum: 0.25,
        maximum,
        value: None,
    };
    let seen = Window { points: vec![point(1, 2, 1.0, 0.5), point(2, 4, 2.0, 1.0)], ..window(0, 4, 1.0) };
    plant.see(&Window { iteration: 1, ..seen.clone() });
    plant.see(&seen);
    assert_eq!(
        plant.proposals.first().map(|(proposal, _)| proposal.why.as_str()),
        Some("1.0"),
        "{:?}",
        plant.refusals()
    );
    assert_eq!(plant.tunlet.report().unavailable, [""; 0]);
}

#[test]
fn texts_are_set_and_several_ranks_at_once_are_not() {
    let file = "name = 't'\nscript = '''\nif iteration == 1 { #{ set: #{ a: \"fast\" } } } else { #{ set: #{ a: \"slow\", b: 2 } } }\n'''\n\
                [tuning_points]\na = { name = 'a' }\nb = { name = 'b', rank = 3 }\n";
    let mut tunlet = Scripted::read(file).unwrap();
    let text = TuningPoint { text: Some("none".into()), ..tuning_point("a", 0.0, (0.0, 16.0)) };
    let tuning_points =
        [text, TuningPoint { rank: 3, ..tuning_point("b", 1.0, (0.0, 9.0)) }, tuning_point("b", 1.0, (0.0, 9.0))];
    tunlet.observe(Observation::Iteration(&window(0, 4, 1.0)));
    assert_eq!(tunlet.propose(&tuning_points), None, "one window is too little to compare with");
    tunlet.observe(Observation::Iteration(&window(1, 4, 1.0)));
    let proposal = tunlet.propose(&tuning_points).unwrap();
    assert_eq!((proposal.assignments[0].1.clone(), proposal.from.as_str()), (Value::Text("fast".into()), "none"));
    tunlet.on_settled(0, Settled::NotApplied { why: None });
    tunlet.observe(Observation::Iteration(&window(2, 4, 1.0)));
    assert_eq!(tunlet.propose(&tuning_points), None);
    assert!(tunlet.refusals()[0].why.contains("different ranks"), "{:?}", tunlet.refusals());
}

#[test]
fn one_change_may_turn_a_tuning_point_of_all_ranks() {
    let file = "name = 't'\nscript = '#{ set: #{ a: 2 } }'\n[tuning_points]\na = { name = 'a', rank = 'all' }\n";
    let mut tunlet = Scripted::read(file).unwrap();
    let tuning_points = [2, 0, 1].map(|rank| TuningPoint { rank, ..tuning_point("a", 1.0, (0.0, 9.0)) });
    for iteration in 0..2 {
        tunlet.observe(Observation::Iteration(&window(iteration, 4, 1.0)));
    }
    let proposal = tunlet.propose(&tuning_points).unwrap();
    assert_eq!(proposal.ranks, [0, 1, 2]);
    tunlet.on_settled(0, Settled::Applied { iteration: 2 });
    for iteration in 3..6 {
        tunlet.observe(Observation::Iteration(&window(iteration, 4, 2.0)));
    }
    let back = tunlet.propose(&tuning_points).unwrap();
    assert_eq!((back.to.as_str(), back.ranks), ("1", vec![0, 1, 2]));
}

#[test]
fn ranks_that_have_to_stay_alike_take_a_change_and_its_way_back_over_together() {
    let file = |more: &str| {
        format!(
            "name = 't'\nscript = '#{{ set: #{{ a: 2 }} }}'\n[tuning_points]\na = {{ name = 'a', rank = 'all'{more} }}\n"
        )
    };
    for (more, synchronized) in [("", false), (", together = false", false), (", together = true", true)] {
        let mut tunlet = Scripted::read(&file(more)).unwrap();
        let tuning_points = [2, 0, 1].map(|rank| TuningPoint { rank, ..tuning_point("a", 1.0, (0.0, 9.0)) });
        for iteration in 0..2 {
            tunlet.observe(Observation::Iteration(&window(iteration, 4, 1.0)));
        }
        let proposal = tunlet.propose(&tuning_points).unwrap();
        assert_eq!((proposal.synchronized, proposal.ranks), (synchronized, vec![0, 1, 2]));
        tunlet.on_settled(0, Settled::Applied { iteration: 2 });
        for iteration in 3..6 {
            tunlet.observe(Observation::Iteration(&window(iteration, 4, 2.0)));
        }
        let back = tunlet.propose(&tuning_points).unwrap();
        assert_eq!((back.to.as_str(), back.synchronized, back.ranks), ("1", synchronized, vec![0, 1, 2]));
        assert_eq!(tunlet.explain().turns[0].what.contains("in one and the same iteration"), synchronized);
    }
}

#[test]
fn the_budget_bounds_what_is_held_at_a_time() {
    let many = "let a = []; for i in 0..1024 { a.push(i); } let b = a; let c = b; state.a = a; ()";
    let mut plant = Plant::new(&script(many), |_| 1.0);
    plant.iterate(2);
    assert_eq!(plant.refusals(), [""; 0]);
    let many = script("let a = []; for i in 0..1025 { a.push(i); } ()");
    let mut plant = Plant::new(&many, |_| 1.0);
    plant.iterate(2);
    assert!(plant.refusals()[0].contains("too large"), "{:?}", plant.refusals());
}

mod bounds;
mod examples;
mod mistakes;
mod windows;
