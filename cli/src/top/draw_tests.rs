//! The view on terminals of several sizes, drawn into memory.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use serde_json::{Value, json};

use super::super::source::Update;
use super::super::state::View;
use super::draw;

/// The screen as text, a line per row.
fn screen(terminal: &mut Terminal<TestBackend>, view: &View) -> String {
    terminal.draw(|frame| draw(frame, view)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
}

fn at(size: (u16, u16), view: &View) -> String {
    screen(&mut Terminal::new(TestBackend::new(size.0, size.1)).unwrap(), view)
}

fn assert_has(screen: &str, parts: &[&str]) {
    for part in parts {
        assert!(screen.contains(part), "{part:?} is missing in:\n{screen}");
    }
}

fn window(number: u64) -> Value {
    json!({"per": "iteration", "number": number, "end_s": 1.0, "time_s": 0.5 + (number % 3) as f64 / 10.0, "ideal_s": 0.45, "tasks": 100,
        "workers": 3, "technique": "daf", "master_busy_s": 0.01})
}

fn status(workers: u32) -> Value {
    let worker = |rank: u32| match rank {
        0 => json!({"rank": 0, "node": "h1", "state": "master", "busy": 0.02, "done": null}),
        1 => json!({"rank": 1, "node": "h1", "state": "parked", "busy": 0.0, "done": 0}),
        2 => json!({"rank": 2, "node": "h2", "state": "lost", "busy": null, "done": null}),
        rank => json!({"rank": rank, "node": "h2", "state": "working", "busy": 0.75, "done": 33}),
    };
    json!({
        "job": "j1", "mpi": "Open MPI 4.1.4", "wall_s": 12.4, "ended": false, "ranks": vec![json!({}); workers as usize],
        "hosts": [{"node": "h1", "linked": true}, {"node": "h2", "linked": true}], "per": "iteration", "tunlet": "auto", "mode": "frozen",
        "windows_seen": 40, "windows": (0..40).map(window).collect::<Vec<_>>(), "technique": "daf", "regime": "compute-bound",
        "pop": {"parallel_efficiency": 0.8, "load_balance": 0.9, "communication_efficiency": 0.89}, "stages": [],
        "workers": (0..workers).map(worker).collect::<Vec<_>>(),
        "tuning_points": [{"rank": 0, "name": "mw.technique", "value": 6.0, "means": "daf", "held": true,
            "turned": {"by": "user", "why": "set by hand", "iteration": 3}}],
        "decisions": [
            {"per": "iteration", "iteration": 3, "tuning_point": "technique", "from": "none", "to": "daf", "verdict": "kept",
                "predicted_s": 0.5, "uncertainty": 0.1, "measured_s": 0.52, "why": "tasks are uneven"}],
        "records": {"produced": 10, "collected": 9, "dropped": 1}, "events_dropped": 4, "actions": {"sent": 1, "applied": 1},
    })
}

fn view(status: Value) -> View {
    let mut view = View::new(vec!["j1".into()], true);
    view.on_update(Update::Began);
    view.on_update(Update::Status(status));
    view
}

const ALL: [&str; 13] = [
    "j1 · Open MPI 4.1.4 · 5 ranks on 2 hosts · 12 s",
    "iteration 39 · 0.500 s · ideal 0.450 s · ratio 1.111 · 3 workers · daf",
    "auto frozen: values stay (r resumes)",
    "compute-bound · parallel efficiency 80 % = load balance 90 % x communication 89 %",
    "ranks: 2 working, 1 parked, 1 lost",
    "time of each iteration, and ideal",
    "over ideal, at most 55.6 %",
    "0.735 s",
    "rank 0: mw.technique = daf (set by user, held)",
    "iteration 3: technique none -> daf: kept (predicted 0.500 s +",
    "because tasks are uneven",
    "records 9 of 10, 1 dropped · events dropped 4 · actions 1 sent, 1 applied",
    "q quit  f freeze  p pause  r resume  s set",
];

#[test]
fn everything_stands_on_a_terminal_of_80_x_24_and_on_a_wide_one() {
    let view = view(status(5));
    for size in [(90, 24), (140, 40), (200, 60)] {
        let screen = at(size, &view);
        assert_has(&screen, &ALL);
        assert!(screen.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "no curve:\n{screen}");
    }
    let narrow = at((80, 24), &view);
    assert_has(
        &narrow,
        &[
            "iteration 39",
            "ranks: 2 working",
            "mw.technique = daf",
            "technique none -> daf: kept",
            "0.520 s)",
            "s set",
            "1 dropped",
        ],
    );
    assert!(narrow.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn few_ranks_have_a_line_each_and_many_a_character_each_by_host() {
    let few = at((140, 40), &view(status(5)));
    assert_has(&few, &["rank 0", "% busy, master", "rank 3", " 75 % busy 33 done", " parked", " lost"]);
    let many = at((80, 24), &view(status(100)));
    assert_has(&many, &["h1           ▁·", "h2           x▆▆▆"]);
    let more = at((80, 24), &view(status(3000)));
    assert_has(&more, &["lines more: the terminal is too low for them"]);
}

#[test]
fn a_pipeline_shows_its_stages_with_replicas_and_periods() {
    let mut pipeline = status(3);
    pipeline["per"] = "output".into();
    pipeline["outputs"] = 64.into();
    pipeline["pattern"] = "0,1x2".into();
    pipeline["windows"] =
        json!([{"per": "output", "number": 3, "time_s": 0.02, "outputs": 32, "pattern": "0,1x2", "on_way": 5}]);
    pipeline["stages"] = json!([{"name": "blur", "compute_s": 0.02, "tr_s": 0.01, "rtr_s": 0.021, "replicas": 2}]);
    for size in [(80, 24), (140, 40)] {
        let screen = at(size, &view(pipeline.clone()));
        let parts = [
            "64 outputs · one every 20.0 ms · 5 on their way · pattern 0,1x2",
            "0 blur       x2",
            "Tr  10.0 ms",
            "rTr  21.0 ms",
        ];
        assert_has(&screen, &parts);
    }
}

#[test]
fn each_of_several_masters_has_a_line() {
    let mut several = status(5);
    let master =
        |rank: u32| json!({"master": rank, "iterations": 12, "workers": 2, "technique": "gss", "iteration_s": 0.25});
    several["instances"] = json!([master(0), master(3)]);
    for size in [(80, 24), (140, 40)] {
        let screen = at(size, &view(several.clone()));
        let parts = [
            "time of each iteration of master 0, and ideal",
            "master 0: 12 iterations",
            "master 3: 12 iterations, the last 0.250 s, 2 workers, gss",
        ];
        assert_has(&screen, &parts);
    }
}

#[test]
fn without_colour_no_cell_has_one() {
    let mut view = view(status(5));
    let coloured = |view: &View| {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| draw(frame, view)).unwrap();
        terminal
            .backend()
            .buffer()
            .content
            .iter()
            .filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
            .count()
    };
    assert!(coloured(&view) > 0);
    view.has_colour = false;
    assert_eq!(coloured(&view), 0);
}

#[test]
fn a_terminal_that_becomes_too_small_says_so_and_comes_back() {
    let view = view(status(5));
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    screen(&mut terminal, &view);
    terminal.backend_mut().resize(30, 8);
    let small = screen(&mut terminal, &view).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(small, "the terminal has 30 x 8 characters; midrun top needs 60 x 16");
    terminal.backend_mut().resize(60, 16);
    assert_has(&screen(&mut terminal, &view), &["iteration 39", "technique none -> daf"]);
    terminal.backend_mut().resize(140, 40);
    assert_has(&screen(&mut terminal, &view), &ALL);
}

#[test]
fn a_lost_connection_keeps_the_figures_and_says_why() {
    let mut view = view(status(5));
    view.on_update(Update::Lost("the analyzer has ended, and the job with it".into()));
    let parts = ["connection lost, trying again: the analyzer has ended", "iteration 39", "technique none -> daf"];
    assert_has(&at((80, 24), &view), &parts);
    view.on_update(Update::Status(json!({"wall_s": 99.0})));
    assert_has(&at((80, 24), &view), &["· 99 s"]);
}

#[test]
fn before_anything_is_known_it_says_what_it_waits_for() {
    let mut view = View::new(vec!["a".into(), "b".into()], true);
    assert_has(
        &at((80, 24), &view),
        &["waiting for the analyzer", "nothing is measured yet", "none yet", "Tab job 1 of 2"],
    );
    view.on_update(Update::Status(json!({"job": "a", "tunlet": "auto", "mode": "tuned"})));
    assert_has(&at((80, 24), &view), &["no rank has joined yet", "auto decides"]);
    view.typed = Some("mw.technique g".into());
    assert_has(&at((80, 24), &view), &["set POINT VALUE: mw.technique g_"]);
    (view.typed, view.message) = (None, "frozen: tunlets decide nothing more, values stay".into());
    assert_has(&at((80, 24), &view), &["frozen: tunlets decide nothing more"]);
}
