//! Stories of the core: a start that an earlier run gave, and what a run learns.

use super::*;
use crate::events::{PatternTaken, StageWorked, StreamBegun, StreamWindowEnded};
use midrun_tunlets::StageWork;

/// Iterations of the story take 0.9 s for 1.6 s of task time on workers 1 and 2, by dpf(0.5) with a share of 0.5.
fn remembered(technique: &str, iteration_s: f64) -> TuningOptions {
    let cost_ln = (iteration_s / 1.6).ln();
    let start = format!(
        "technique={technique};factor=0.5;mean_s=0;sigma_s=0;min_chunk=1;recall=0;ranks=3;workers=1-2;time_s=1700000000;\
         iteration_s={iteration_s};cost_ln={cost_ln};deviation=0.01;iterations=20;deviation_of_runs=0.01"
    );
    TuningOptions { start, ..TuningOptions::default() }
}

fn begin(options: TuningOptions) -> Story {
    let mut story = Story::new(Config::default());
    story.ask(Question::OpenJob { job: job("j"), token: String::new(), options, dry_run: false });
    story.hello(LINK, "n1-77", "j");
    story.report("j", 0, vec![technique_tuning_point()]);
    story.out.clear();
    story
}

fn start_texts(story: &mut Story) -> Vec<String> {
    story.texts().into_iter().filter(|text| text.contains("remembered")).collect()
}

#[test]
fn a_remembered_start_is_judged_before_anything_else_is_decided() {
    let mut story = begin(remembered("dpf", 0.9));
    story.iteration("j", 0);
    let texts = start_texts(&mut story);
    let said = "iteration 0: start remembered from the run of 2023-11-14 22:13 UTC: dpf(0.5), 2 workers, 0.900 s per iteration";
    assert_eq!(texts, [said]);
    assert_eq!(story.summary("j")["start"]["verdict"], "open");
    assert_eq!(story.summary("j")["decisions"], json!([]), "the tunlet waits");
    story.iteration("j", 1);
    let texts = start_texts(&mut story);
    assert_eq!(texts.len(), 1);
    assert!(
        texts[0].starts_with("iteration 1: the remembered start is kept: measured 0.900 s (expected 0.900 s +- 2."),
        "{texts:?}"
    );
    let summary = story.summary("j");
    assert_eq!(
        (&summary["start"]["verdict"], &summary["start"]["remembered_unix_s"]),
        (&json!("kept"), &json!(1_700_000_000))
    );
    assert_eq!(summary["decisions"].as_array().map(Vec::len), Some(1), "now it may decide");
}

#[test]
fn a_start_that_measures_worse_than_remembered_is_named_and_decided_anew_at_once() {
    let mut story = begin(remembered("dpf", 0.6));
    story.iteration("j", 0);
    assert_eq!(start_texts(&mut story).len(), 1, "the first iteration may take longer");
    story.iteration("j", 1);
    let texts = start_texts(&mut story);
    assert_eq!(texts.len(), 1);
    assert!(
        texts[0].starts_with("iteration 1: the remembered start measured 0.900 s, expected were 0.600 s +- "),
        "{texts:?}"
    );
    assert!(texts[0].ends_with(": decided anew"));
    let summary = story.summary("j");
    assert_eq!(
        (&summary["start"]["verdict"], summary["decisions"].as_array().map(Vec::len)),
        (&json!("worse"), Some(1))
    );
}

#[test]
fn a_start_that_the_program_does_not_take_hinders_nothing() {
    let mut story = begin(remembered("daf", 0.9));
    story.iteration("j", 0);
    let texts = start_texts(&mut story);
    assert_eq!(texts.len(), 1);
    assert!(texts[0].ends_with("is not used: the program chose its own technique"), "{texts:?}");
    let summary = story.summary("j");
    assert_eq!(
        (&summary["start"]["verdict"], summary["decisions"].as_array().map(Vec::len)),
        (&json!("not-used"), Some(1))
    );
}

#[test]
fn the_summary_has_what_the_next_run_can_start_with() {
    let mut story = begin(TuningOptions::default());
    story.iteration("j", 0);
    assert_eq!(story.summary("j").get("learnt"), None, "one iteration says nothing");
    story.iteration("j", 1);
    story.iteration("j", 2);
    let summary = story.summary("j");
    let learnt = &summary["learnt"];
    assert_eq!((&learnt["setting"], &learnt["workers"]), (&json!("dpf(0.5)"), &json!(2)), "{learnt}");
    let start = learnt["start"].as_str().unwrap();
    assert!(
        start.starts_with("technique=dpf;") && start.contains(";ranks=3;workers=1-2;task_s=0.016,0.016;"),
        "{start}"
    );
    assert_eq!(summary.get("start"), None, "this run had a start of its own");
}

/// A job that begins with chunks of 15 tasks, which took 0.9 s for 1.6 s of task time, and whose program offers `points`.
fn begin_own(points: Vec<Event>) -> Story {
    let start = remembered("dpf", 0.9).start;
    let (_, measured) = start.split_once(";time_s").unwrap();
    let start = format!("values=0:chunk.tasks=15;ranks=3;time_s{measured}");
    let mut story = Story::new(Config::default());
    let options = TuningOptions { start, ..TuningOptions::default() };
    story.ask(Question::OpenJob { job: job("j"), token: String::new(), options, dry_run: false });
    story.hello(LINK, "n1-77", "j");
    story.report("j", 0, points);
    story
}

fn chunks(maximum: f64) -> Event {
    whole_tuning_point(names::CHUNK_TASKS, maximum, 60.0)
}

#[test]
fn remembered_values_of_a_program_are_set_when_it_begins_to_iterate_and_then_judged() {
    let mut story = begin_own(vec![chunks(100.0)]);
    assert_eq!(story.actions(), [], "the program may still give its variables values of its own");
    story.report("j", 0, vec![begun(0)]);
    let [action] = &story.actions()[..] else { panic!("one action") };
    assert_eq!((action.rank, action.at_once), (0, false));
    assert_eq!(action.assignments, [(names::CHUNK_TASKS.to_owned(), 15.0.into())]);
    story.report("j", 1, vec![worked(0, 100)]);
    story.report("j", 0, vec![ended(0)]);
    assert_eq!(start_texts(&mut story), Vec::<String>::new(), "nothing is said before something was set");
    story.report("j", 0, vec![begun(1), settled(action, ActionStatus::Applied, 1)]);
    story.report("j", 1, vec![worked(1, 100)]);
    story.report("j", 0, vec![ended(1)]);
    let said =
        "iteration 1: start remembered from the run of 2023-11-14 22:13 UTC: chunk.tasks = 15, 0.900 s per iteration";
    assert_eq!(start_texts(&mut story), [said]);
    story.iteration("j", 2);
    let texts = start_texts(&mut story);
    assert!(texts[0].starts_with("iteration 2: the remembered start is kept: measured 0.900 s"), "{texts:?}");
    let summary = story.summary("j");
    assert_eq!(
        (&summary["start"]["verdict"], &summary["learnt"]["start"]),
        (&json!("kept"), &json!("values=0:chunk.tasks=15;ranks=3"))
    );
    assert_eq!(summary["learnt"]["iterations"], 2, "iteration 0 went by the program's own");
}

#[test]
fn remembered_values_that_the_program_does_not_offer_or_take_are_not_used() {
    for points in [vec![chunks(10.0)], vec![whole_tuning_point("chunk", 100.0, 60.0)], vec![technique_tuning_point()]] {
        let mut story = begin_own(points);
        story.iteration("j", 0);
        assert!(story.actions().iter().all(|action| action.assignments[0].0 != names::CHUNK_TASKS));
        let start = &story.summary("j")["start"];
        assert_eq!(
            (&start["verdict"], &start["reason"]),
            (&json!("not-used"), &json!("the program does not offer these values any more"))
        );
    }
    let mut story = begin_own(vec![chunks(100.0)]);
    story.report("j", 0, vec![begun(0)]);
    let action = story.actions().remove(0);
    story.report("j", 0, vec![settled(&action, ActionStatus::RefusedRange, 0)]);
    let texts = start_texts(&mut story);
    assert!(texts.len() == 1 && texts[0].ends_with("is not used: the program did not take its values"), "{texts:?}");
}

#[test]
fn a_program_that_takes_no_technique_teaches_none() {
    let mut story = Story::new(Config::default());
    story.hello(LINK, "n1-77", "j");
    (0..3).for_each(|number| story.iteration("j", number));
    assert_eq!(story.summary("j").get("learnt"), None);
}

/// A window of a pipeline of two stages, 10 and 20 ms, that goes by `0,1` and takes so many milliseconds per output.
fn outputs(story: &mut Story, number: u64, period_ms: f64) {
    let work = |stage, place, busy_s: f64| {
        let sum_sq_s2 = busy_s * busy_s / 8.0;
        Event::StageWorked(StageWorked {
            stage,
            work: StageWork { place, inputs: 8, busy_s, sum_sq_s2, ..StageWork::default() },
        })
    };
    let window = StreamWindowEnded {
        number,
        seconds: 16.0 * period_ms * 1e-3,
        outputs: 16,
        epochs: (0, 0),
        on_way: 3,
        head_s: 0.0,
    };
    let first = [
        Event::StreamBegun(StreamBegun { time_ns: 5, stages: 2, ranks: 2, pipeline: 1 }),
        Event::PatternTaken(PatternTaken { epoch: 0, first_input: 0, plan: "0,1".into() }),
    ];
    let work = [work(0, 1, 0.08), work(1, 2, 0.16), Event::StreamWindowEnded(window)];
    let first = first.into_iter().filter(|_| number == 0);
    story.report("j", 0, first.chain(work).collect());
}

fn remembered_pattern(pattern: &str, period_s: f64) -> TuningOptions {
    let cost_ln = (period_s / 0.03).ln();
    let start = format!(
        "pattern={pattern};stages=2;ranks=3;time_s=1700000000;iteration_s={period_s};cost_ln={cost_ln};deviation=0.01;iterations=20;\
         deviation_of_runs=0.01"
    );
    TuningOptions { start, ..TuningOptions::default() }
}

#[test]
fn a_remembered_pattern_is_judged_by_windows_of_the_stream() {
    let mut story = begin(remembered_pattern("0,1", 0.01));
    outputs(&mut story, 0, 10.0);
    let said = "window 0: start remembered from the run of 2023-11-14 22:13 UTC: pattern 0,1, 10.0 ms per output";
    assert_eq!(start_texts(&mut story), [said]);
    outputs(&mut story, 1, 10.0);
    let texts = start_texts(&mut story);
    assert!(texts[0].starts_with("window 1: the remembered start is kept: measured 10.0 ms (expected"), "{texts:?}");
    let start = &story.summary("j")["start"];
    assert_eq!((&start["per"], &start["verdict"]), (&json!("output"), &json!("kept")));
    outputs(&mut story, 2, 10.1);
    let learnt = &story.summary("j")["learnt"];
    assert_eq!((&learnt["start"], &learnt["workers"]), (&json!("pattern=0,1;stages=2;ranks=3"), &json!(2)), "{learnt}");
    assert_eq!(learnt.get("task_mean_s"), None, "there are no tasks");
}

#[test]
fn a_remembered_pattern_that_disappoints_or_is_not_taken_is_said_once() {
    for (options, part) in [
        (remembered_pattern("0,1", 0.006), "the remembered start measured 10.0 ms, expected were 6.00 ms"),
        (remembered_pattern("0-1", 0.01), "is not used: the pipeline goes by another pattern"),
    ] {
        let mut story = begin(options);
        outputs(&mut story, 0, 10.0);
        outputs(&mut story, 1, 10.0);
        let texts = start_texts(&mut story);
        assert_eq!(texts.iter().filter(|text| text.contains(part)).count(), 1, "{texts:?}");
    }
}

#[test]
fn a_pipeline_beside_iterations_is_not_remembered() {
    let mut story = begin(TuningOptions::default());
    (0..3).for_each(|number| outputs(&mut story, number, 10.0 + 0.1 * number as f64));
    (0..3).for_each(|number| story.iteration("j", number));
    assert_eq!(story.summary("j").get("learnt"), None);
}
