//! Tests of the texts of starts.

use super::*;
use crate::{Technique, TechniqueParameters, WorkerSpeed};

fn scheduling(workers: &[u32]) -> Scheduling {
    let parameters = TechniqueParameters {
        kind: Technique::Daf,
        mean_s: 0.00213,
        sigma_s: 1e-9,
        recall: true,
        counter: true,
        team_size: 20,
        ..TechniqueParameters::FALLBACK
    };
    Scheduling { parameters, workers: workers.to_vec(), speeds: Vec::new(), cutoff: None }
}

fn start(scheduling: Scheduling) -> Start {
    Start { ranks: 9, setting: Setting::Scheduling(scheduling) }
}

fn pattern(text: &str, stages: usize) -> Start {
    Start { ranks: 9, setting: Setting::Pattern(Plan::parse(text, &vec![false; stages]).unwrap()) }
}

#[test]
fn a_start_comes_back_from_its_text() {
    let all = [&[1, 2, 3, 4, 5, 6, 7, 8][..], &[0, 3, 4, 8], &[5], &[1, 3, 5]];
    let divided = start(Scheduling { cutoff: Some(4), ..scheduling(&[1, 2]) });
    let patterns = [pattern("0,1x4,2-3x2,4", 5), pattern("0-1@2,2x3m@1+3+4+8", 3), pattern("0", 1)];
    for start in all.map(|workers| start(scheduling(workers))).into_iter().chain([divided]).chain(patterns) {
        assert_eq!(start.to_string().parse(), Ok(start.clone()), "{start}");
        assert_eq!(format!("{start};time=3").parse(), Ok(start), "unknown keys are skipped");
    }
    let older = start(scheduling(&[5])).to_string().replace("counter=1;team_size=20;", "");
    let Setting::Scheduling(older) = older.parse::<Start>().unwrap().setting else { panic!() };
    assert_eq!((older.parameters.counter, older.parameters.team_size), (false, 0), "of a version that knew none");
    assert!(start(scheduling(&[1, 2, 3, 7])).to_string().ends_with("ranks=9;workers=1-3,7"));
    let speed = |tasks, time_s| WorkerSpeed::known(tasks, 12, time_s, 0.25);
    let speeds = start(Scheduling { speeds: vec![speed(300, 0.00125), speed(80, 0.0051)], ..scheduling(&[2, 3]) });
    assert!(
        speeds.to_string().ends_with("workers=2-3;task_s=0.00125,0.0051;deviation_s=0.5,0.5;tasks=300,80;chunks=12,12"),
        "{speeds}"
    );
    assert_eq!(speeds.to_string().parse(), Ok(speeds));
}

fn values(all: &[(u32, &str, f64)]) -> Start {
    let value =
        |(rank, name, value): &(u32, &str, f64)| PointValue { rank: *rank, name: (*name).into(), value: *value };
    Start { ranks: 9, setting: Setting::Values(all.iter().map(value).collect()) }
}

#[test]
fn values_of_own_tuning_points_come_back_and_nonsense_is_refused() {
    let start = values(&[(8, "chunk.tasks", 15.0), (0, "NW", 4.0), (8, "F0.rest", 0.123_456_789)]);
    assert_eq!(start.to_string(), "values=8:chunk.tasks=15,0:NW=4,8:F0.rest=0.123456789;ranks=9");
    assert_eq!(start.to_string().parse(), Ok(start.clone()));
    assert_eq!(start.setting.name(), "chunk.tasks = 15, NW = 4, F0.rest = 0.1235");
    assert_eq!(values(&[(0, "chunk.tasks", 12345.0)]).setting.name(), "chunk.tasks = 12345");
    for bad in ["", "15", "0:chunk.tasks", "0:=15", "9:chunk.tasks=15", "0:chunk.tasks=inf", "0:chunk.tasks=15,"] {
        assert!(format!("values={bad};ranks=9").parse::<Start>().is_err(), "{bad}");
    }
}

#[test]
fn people_read_what_is_begun_with() {
    let divided = start(Scheduling { cutoff: Some(4), ..scheduling(&[1, 2]) });
    assert_eq!((divided.setting.name().ends_with(", cut-off depth 4"), divided.setting.workers()), (true, 2));
    let pattern = pattern("0,1x4m,2", 3).setting;
    assert_eq!((pattern.name().as_str(), pattern.workers()), ("pattern 0,1x4m,2", 7));
}

fn assert_refused(good: &str, changes: &[(&str, &str)]) {
    assert!(good.parse::<Start>().is_ok());
    for (from, to) in changes {
        let bad = good.replace(from, to);
        assert_ne!(bad, good);
        assert!(bad.parse::<Start>().is_err(), "{bad}");
    }
}

#[test]
fn nonsense_is_refused_in_one_sentence() {
    let scheduling = start(Scheduling { cutoff: Some(4), ..scheduling(&[1, 2]) });
    let good = format!("{scheduling};task_s=0.1,0.2;deviation_s=0,0.5;tasks=3,4;chunks=5,6");
    let changes = [
        ("technique=daf", "technique=fastest"),
        ("factor=0.5", "factor=2"),
        ("factor=0.5", "factor=nan"),
        ("min_chunk=1", "min_chunk=0"),
        ("recall=1", "recall=yes"),
        ("counter=1", "counter=2.5"),
        ("team_size=20", "team_size=-3"),
        ("cutoff=4", "cutoff=deep"),
        ("ranks=9", "ranks=1"),
        ("ranks=9", "ranks=4000000000"),
        ("workers=1-2", "workers=1-9"),
        ("workers=1-2", "workers=2,1"),
        ("workers=1-2", "workers=2-1"),
        ("workers=1-2", "workers="),
        ("workers=1-2", "others=1"),
        ("task_s=0.1,0.2", "task_s=0.1"),
        ("task_s=0.1,0.2", "task_s=0.1,0"),
        ("deviation_s=0,0.5", "deviation_s=0,-0.5"),
        ("tasks=3,4", "tasks=3,x"),
        ("chunks=5,6", "chunks=5,6,7"),
    ];
    assert_refused(&good, &changes);
    let changes = [
        ("0,1x4,2@8", "0,1x4,2@9"),
        ("0,1x4,2@8", "0,1x4,2@0"),
        ("0,1x4,2@8", "0,1x4"),
        ("0,1x4,2@8", "0,1x4,fast"),
        ("0,1x4,2@8", "0,1x7,2"),
        ("stages=3", "stages=0"),
        ("stages=3", "stages=2"),
        ("stages=3", "stages=4000000000"),
        ("stages=3", "stage=3"),
        ("ranks=9", "ranks=6"),
        ("ranks=9", "ranks=0"),
    ];
    assert_refused(&pattern("0,1x4,2@8", 3).to_string(), &changes);
}
