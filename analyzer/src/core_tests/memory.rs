//! Stories of the core: a start that an earlier run gave, and what a run learns.

use super::*;

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
    let texts = start_texts(&mut story);
    assert_eq!(texts.len(), 2);
    assert!(
        texts[1].starts_with("iteration 0: the remembered start measured 0.900 s, expected were 0.600 s +- "),
        "{texts:?}"
    );
    assert!(texts[1].ends_with(": decided anew"));
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
