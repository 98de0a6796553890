//! A job with several masters of frameworks: each has windows, a tunlet and decisions of its own.

use super::controls::set;
use super::*;

/// The same iterations as [`begun`] and the others, of the framework whose master is `rank`; `long` times as long.
fn of_framework(event: Event, rank: u32, long: u64) -> Event {
    match event {
        Event::IterationBegun(begun) => {
            Event::IterationBegun(Begun { framework: true, time_ns: begun.time_ns * long, ..begun })
        }
        Event::IterationEnded(ended) => Event::IterationEnded(Ended { time_ns: ended.time_ns * long, ..ended }),
        Event::Worked(work) => Event::Worked(Work { master: Some(rank), ..work }),
        other => other,
    }
}

/// Rank 0 is a master of ranks 1 and 2; rank 1 is a worker of it, and a master of rank 2.
fn begin() -> Story {
    let mut story = Story::new(Config::default());
    story.core = Core::new(Config::default(), crate::catalogue::from_catalogue, 1000);
    story.hello(LINK, "n1-77", "j");
    for rank in [0, 1] {
        story.report("j", rank, vec![technique_tuning_point(), whole_tuning_point(names::WORKERS, 2.0, 2.0)]);
    }
    story
}

fn iterate(story: &mut Story, master: u32, number: u64, workers: [u32; 2], long: u64) {
    let event = |event| of_framework(event, master, long);
    story.report("j", master, vec![event(begun(number))]);
    story.report("j", workers[0], vec![event(worked(number, 60))]);
    story.report("j", workers[1], vec![event(worked(number, 40))]);
    story.report("j", master, vec![event(ended(number))]);
}

#[test]
fn work_is_that_of_the_master_it_was_for_though_one_rank_works_for_two() {
    let mut story = begin();
    for number in 0..3 {
        iterate(&mut story, 1, number, [2, 2], 2);
        iterate(&mut story, 0, number, [1, 2], 1);
    }
    let summary = story.summary("j");
    assert_eq!(summary["iteration_s"], serde_json::json!([0.9, 0.9, 0.9]), "those of the first master");
    let instances = summary["instances"].as_array().unwrap();
    let of = |key: &str| instances.iter().map(|line| line[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("master"), [0, 1]);
    assert_eq!(of("iterations"), [3, 3]);
    assert_eq!(instances[1]["iteration_s"], serde_json::json!([1.8, 1.8, 1.8]));
    assert_eq!((&summary["events_dropped"], &summary["late_tasks"]), (&0.into(), &0.into()));
    assert!(summary.get("learnt").is_none(), "two masters are not remembered");
    let status = story.status();
    assert_eq!(status["instances"][1]["master"], 1);
    assert_eq!(status["workers"][1]["state"], "working", "it is a worker, too");
}

#[test]
fn whichever_master_is_heard_of_first_the_lowest_comes_first() {
    let mut story = begin();
    story.report("j", 2, vec![of_framework(worked(0, 100), 1, 1)]);
    story.report("j", 1, [begun(0), ended(0)].map(|event| of_framework(event, 1, 1)).to_vec());
    iterate(&mut story, 0, 0, [1, 2], 2);
    let summary = story.summary("j");
    assert_eq!((&summary["iterations"], &summary["iteration_s"][0]), (&1.into(), &1.8.into()));
    assert_eq!(
        (&summary["instances"][1]["master"], &summary["instances"][1]["iteration_s"][0]),
        (&1.into(), &0.9.into())
    );
    assert_eq!(summary["events_dropped"], 0);
}

#[test]
fn own_loops_of_several_ranks_are_still_one() {
    let mut story = begin();
    story.report("j", 0, vec![begun(0), worked(0, 100), ended(0)]);
    story.report("j", 1, vec![begun(0), ended(0)]);
    let summary = story.summary("j");
    assert!(summary.get("instances").is_none(), "{summary}");
    assert_eq!((&summary["iterations"], &summary["events_dropped"]), (&1.into(), &2.into()));
}

#[test]
fn a_value_set_by_hand_is_that_of_the_ranks_that_are_named() {
    let mut story = Story::new(Config::default());
    story.hello(LINK, "n1-77", "j");
    // The scripted tunlet has nothing to turn here.
    [0, 1].into_iter().for_each(|rank| story.report("j", rank, vec![whole_tuning_point(names::WORKERS, 2.0, 2.0)]));
    iterate(&mut story, 0, 0, [1, 2], 1);
    iterate(&mut story, 1, 0, [2, 2], 100);
    story.pass(1);
    story.out.clear();
    let control = set("mw.workers", "1", Some(1));
    story.step(Input::Asked {
        ask: AskId(3),
        question: Question::Control { job: job("j"), token: String::new(), control },
    });
    let actions = story.actions();
    assert_eq!(actions.iter().map(|action| action.rank).collect::<Vec<_>>(), [1]);
    let life_ms = (actions[0].deadline_ns - actions[0].decided_ns) / MS;
    assert!(life_ms >= 3 * 90_000, "it lives as long as the iterations of the slowest master: {life_ms} ms");
}
