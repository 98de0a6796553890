//! Stories of several tunlets on one job.

use super::*;
use crate::scripted::Scripted;
use crate::testing::window;

fn outside(name: &str, more: &str) -> Box<dyn Tunlet> {
    let file = format!("name = '{name}'\n{more}");
    Box::new(Scripted::read(&file).unwrap_or_else(|mistake| panic!("{mistake}")))
}

/// Sets a tuning point to a value as soon as it may.
fn setter(name: &str, tuning_point: &str, value: f64, predict_s: f64) -> Box<dyn Tunlet> {
    let script = format!("script = '#{{ set: #{{ k: {value:?} }}, predict_s: {predict_s:?}, why: \"so\" }}'");
    outside(name, &format!("{script}\n[tuning_points]\nk = {{ name = '{tuning_point}' }}\n"))
}

fn tuning_point(name: &str, value: f64) -> TuningPoint {
    let (name, range, declared) = (name.to_owned(), (0.0, 100.0), value);
    TuningPoint { rank: 0, name, whole: false, range, value, declared, text: None, held: false }
}

struct Job {
    coordinator: Coordinator,
    tuning_points: Vec<TuningPoint>,
    iteration: u64,
    /// (tunlet, iteration)
    applied: Vec<(String, u64)>,
    time_s: f64,
}

impl Job {
    fn new(acting: Vec<Box<dyn Tunlet>>, shadows: Vec<Box<dyn Tunlet>>) -> Job {
        let coordinator = Coordinator::new(acting, shadows).unwrap_or_else(|clash| panic!("{clash}"));
        let tuning_points = ["a", "b"].map(|name| tuning_point(name, 1.0)).to_vec();
        Job { coordinator, tuning_points, iteration: 0, applied: Vec::new(), time_s: 1.0 }
    }

    fn iterate(&mut self, count: u64) -> Vec<Judgement> {
        let mut judged = Vec::new();
        for _ in 0..count {
            let window = window(self.iteration, 4, self.time_s);
            judged.extend(self.coordinator.observe(Observation::Iteration(&window)));
            self.iteration += 1;
            let Some(proposal) = self.coordinator.propose(&self.tuning_points) else { continue };
            for (name, value) in &proposal.assignments {
                let tuning_point = self
                    .tuning_points
                    .iter_mut()
                    .find(|tuning_point| tuning_point.name == *name)
                    .expect("a tuning point");
                tuning_point.value = value.number().expect("a number");
            }
            self.coordinator.on_settled(self.applied.len() as u64, Settled::Applied { iteration: self.iteration });
            self.applied.push((proposal.tunlet.into_owned(), self.iteration));
        }
        judged
    }
}

/// The same without a prediction.
fn unsure(name: &str, tuning_point: &str, value: f64) -> Box<dyn Tunlet> {
    let script = format!("script = '#{{ set: #{{ k: {value:?} }}, why: \"so\" }}'");
    outside(name, &format!("{script}\n[tuning_points]\nk = {{ name = '{tuning_point}' }}\n"))
}

#[test]
fn one_change_at_a_time_the_one_worth_most_first() {
    let mut job = Job::new(vec![setter("second", "a", 2.0, 0.9), setter("first", "b", 3.0, 0.6)], vec![]);
    let judged = job.iterate(24);
    let names: Vec<&str> = job.applied.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    assert!(job.applied[1].1 > job.applied[0].1 + 2, "the second waits for the first's verdict: {:?}", job.applied);
    assert_eq!(judged.len(), 2);
    assert_eq!(job.coordinator.name(), "second+first");
}

#[test]
fn the_way_back_comes_before_what_is_worth_more() {
    let mut job = Job::new(vec![setter("first", "a", 2.0, 0.9), setter("second", "b", 3.0, 0.95)], vec![]);
    job.iterate(2);
    job.time_s = 2.0;
    job.iterate(5);
    let names: Vec<&str> = job.applied.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first", "first"], "{:?}", job.applied);
    assert_eq!(job.tuning_points[0].value, 1.0);
}

#[test]
fn a_change_of_unknown_worth_comes_after_one_that_gains_and_before_its_next() {
    let script = "script = '#{ set: #{ k: iteration + 2.0 }, predict_s: iteration_s / 2.0, why: \"so\" }'";
    let restless = outside("restless", &format!("{script}\n[tuning_points]\nk = {{ name = 'b' }}\n"));
    let mut job = Job::new(vec![unsure("unsure", "a", 2.0), restless], vec![]);
    job.iterate(2);
    job.time_s = 0.5;
    job.iterate(30);
    let names: Vec<&str> = job.applied.iter().map(|(name, _)| name.as_str()).take(3).collect();
    assert_eq!(names, ["restless", "unsure", "restless"], "{:?}", job.applied);
}

#[test]
fn tunlets_that_cannot_work_together_are_refused_with_both_names() {
    let text =
        |acting, shadows| Coordinator::new(acting, shadows).err().map(|clash| clash.to_string()).unwrap_or_default();
    let both = text(vec![setter("first", "a", 2.0, 1.0), setter("second", "a", 3.0, 1.0)], vec![]);
    assert!(both.contains("first and second may both turn a"), "{both}");
    let points = |name, line: &str| outside(name, &format!("points = '{line}'\nscript = '()'"));
    let label =
        text(vec![points("first", "measure x function f sum")], vec![points("second", "measure x function g sum")]);
    assert!(label.contains("both call something `x`"), "{label}");
    let iterations =
        text(vec![points("first", "iteration function f"), points("second", "iteration mpi MPI_Barrier")], vec![]);
    assert!(iterations.contains("where an iteration begins"), "{iterations}");
    assert!(text(vec![], vec![setter("first", "a", 2.0, 1.0)]).contains("nobody acts"));
}

#[test]
fn points_of_all_go_to_the_ranks_once_and_refusals_come_back_to_who_asked() {
    let points = |name, lines: &str| outside(name, &format!("points = '''\n{lines}\n'''\nscript = '()'"));
    let first = points("first", "measure x function f sum");
    let second = points("second", "measure y function g sum\nmeasure x function f sum");
    let mut coordinator = Coordinator::new(vec![first], vec![second]).unwrap_or_else(|clash| panic!("{clash}"));
    assert_eq!(coordinator.points(), "measure x function f sum\nmeasure y function g sum\n");
    coordinator.observe(Observation::PointRefused { rank: 1, line: 1, why: "no f" });
    let who: Vec<String> = coordinator.refusals().into_iter().map(|refusal| refusal.tunlet).collect();
    assert_eq!(who, ["first", "second"]);
    coordinator.observe(Observation::PointRefused { rank: 1, line: 2, why: "no g" });
    assert_eq!(coordinator.refusals().len(), 3);
}

#[test]
fn a_refused_line_of_the_users_points_is_told_to_all() {
    let options = crate::SearchOptions { points: "a=1..9".into(), progress_line: 2, ..Default::default() };
    let search = crate::search::SearchTunlet::new(&options, crate::confidence::Confidence::default()).unwrap();
    let mut coordinator = Coordinator::new(vec![Box::new(search)], vec![setter("shadow", "a", 2.0, 1.0)]).unwrap();
    assert_eq!(coordinator.points(), "");
    coordinator.observe(Observation::PointRefused { rank: 0, line: 2, why: "there is no f" });
    coordinator.observe(Observation::Iteration(&window(0, 4, 1.0)));
    coordinator.propose(&[]);
    let refusals = coordinator.refusals();
    assert!(
        refusals.iter().any(|refusal| refusal.why.ends_with("line 2 of the points was refused: there is no f")),
        "{refusals:?}"
    );
}

#[test]
fn an_advising_tunlet_is_scored_where_its_setting_is_in_force_and_changes_nothing() {
    let acting = || vec![setter("acting", "a", 2.0, 0.9)];
    let shadows = vec![setter("agrees", "a", 2.0, 0.8), setter("differs", "a", 5.0, 0.5)];
    let mut job = Job::new(acting(), shadows);
    job.iterate(12);
    assert_eq!(job.applied.len(), 1, "{:?}", job.applied);
    let scores = job.coordinator.report().shadows;
    assert_eq!((scores[0].proposals, scores[0].tested, scores[0].agreed, scores[0].acting), (1, 1, 1, 1));
    assert!(scores[0].median_error.is_some_and(|error| (error - 0.25).abs() < 1e-12), "{scores:?}");
    assert_eq!((scores[1].proposals, scores[1].tested, scores[1].agreed, scores[1].median_error), (1, 0, 0, None));
}

/// Fails where it is asked for its report.
#[derive(Clone)]
struct WithoutReport;

impl Tunlet for WithoutReport {
    fn name(&self) -> &str {
        "broken"
    }

    fn observe(&mut self, _: Observation<'_>) -> Vec<Judgement> {
        Vec::new()
    }

    fn propose(&mut self, _: &[TuningPoint]) -> Option<Proposal> {
        None
    }

    fn on_settled(&mut self, _: u64, _: Settled) {}

    fn report(&self) -> Report {
        panic!("on purpose")
    }
}

#[test]
fn a_tunlet_that_fails_at_its_report_costs_the_others_nothing() {
    let absent = outside("absent", "script = '()'\n[tuning_points]\nk = { name = 'never_offered' }\n");
    let mut job = Job::new(vec![Box::new(WithoutReport), absent], Vec::new());
    job.iterate(3);
    let report = job.coordinator.report();
    let [failed, never] = &report.unavailable[..] else { panic!("{report:?}") };
    assert!(failed.starts_with("broken: its report failed") && never.contains("never_offered"), "{report:?}");
}
