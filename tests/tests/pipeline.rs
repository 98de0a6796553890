//! The pipeline framework on real ranks: nothing lost, doubled, wrong or out of order, whatever changes on the way.

use midrun_tests::mpi::command;
use midrun_tests::process::Ended;
use midrun_tests::{Mpi, Process, Scratch, each_mpi};

/// The outputs' words on a good run; `pipe_synthetic` ends with 0 only then.
const GOOD: &str = "lost 0, doubled 0, wrong 0, out of order 0";

/// `pipe_synthetic` on `ranks` ranks with options.
fn run(mpi: Mpi, ranks: u32, options: &str) -> Ended {
    let scratch = Scratch::new();
    let mut words = mpi.line(ranks, &mpi.example("pipe_synthetic"));
    words.extend(options.split_whitespace().map(str::to_owned));
    Process::start(&scratch, "pipe", command(&words)).wait()
}

/// The same, and every output as it should be.
fn good(mpi: Mpi, ranks: u32, options: &str) -> Ended {
    let ended = run(mpi, ranks, options);
    assert_eq!(ended.code, 0, "{mpi:?} {ranks} {options}\n{}\n{}", ended.out, ended.err);
    assert!(ended.out.lines().all(|line| line.contains(GOOD)), "{mpi:?} {ranks} {options}\n{}", ended.out);
    ended
}

#[each_mpi]
fn the_ends_of_what_is_possible_work(mpi: Mpi) {
    good(mpi, 4, "--inputs 0");
    good(mpi, 4, "--inputs 1");
    good(mpi, 2, "--inputs 20 --stages 1");
    good(mpi, 1, "--inputs 20 --stages 1,1,1");
    good(mpi, 3, "--inputs 20 --stages 1,1,1,1,1 --bytes 100000");
    good(mpi, 9, "--inputs 20 --stages 1,1 --runs 3");
    good(mpi, 4, "--inputs 50 --stages 1,1,1 --in-flight 1");
}

#[each_mpi]
fn replicas_give_outputs_in_order_though_inputs_take_their_time(mpi: Mpi) {
    good(mpi, 8, "--inputs 300 --stages 1,4,3 --sigma-pct 80 --pattern 0,1x4,2x2");
    good(mpi, 8, "--inputs 300 --stages 1,4,3 --sigma-pct 80 --pattern 0-2x7");
    good(mpi, 8, "--inputs 300 --stages 1,4,3 --sigma-pct 80 --pattern 0,1x4,2x2 --unordered");
}

#[each_mpi]
fn a_communication_manager_hands_out_on_its_own_rank_and_on_a_shared_one(mpi: Mpi) {
    good(mpi, 9, "--inputs 200 --stages 1,4,3 --sigma-pct 80 --pattern 0,1x4m,2x2");
    good(mpi, 9, "--inputs 200 --stages 1,4,3 --sigma-pct 80 --pattern 0,1x4s,2x3s");
}

#[each_mpi]
fn replicas_come_and_go_and_stages_are_grouped_and_taken_apart_while_data_flows(mpi: Mpi) {
    let changes = "--change 50:0,1x4,2x2 --change 90:0-1x5,2 --change 91:0-2x7 --change 130:0,1,2 \
        --change 170:0,1-2x3 --change 210:0x3m,1x2s,2 --change 250:0x2,1x2,2x2";
    let ended = good(mpi, 8, &format!("--inputs 300 --stages 1,4,3 --sigma-pct 80 --bytes 30000 {changes}"));
    assert!(ended.out.contains("changes 7"), "{}", ended.out);
    good(mpi, 8, &format!("--inputs 300 --stages 1,4,3 --sigma-pct 80 --unordered --runs 2 {changes}"));
}

#[each_mpi]
fn a_pattern_can_change_with_every_input(mpi: Mpi) {
    let changes: String =
        (0..200).map(|at| format!("--change {at}:{} ", ["0,1,2", "0x2,1x3,2x2", "0-2x6"][at % 3])).collect();
    good(mpi, 8, &format!("--inputs 250 --stages 0.3,1,0.5 --sigma-pct 80 {changes}"));
}

#[each_mpi]
fn a_stage_with_state_gets_the_inputs_in_order_and_stays_where_it_is(mpi: Mpi) {
    let changes =
        "--change 40:0,1x4,2,3 --change 80:0-1x5,2,3 --change 120:0,1-2,3 --change 160:0,1,2,3 --change 200:0-3";
    good(mpi, 8, &format!("--inputs 250 --stages 1,4,2,1 --sigma-pct 80 --stateful 2 --runs 2 {changes}"));
    let refused = run(mpi, 6, "--inputs 10 --stages 1,1,1 --stateful 1 --pattern 0,1x2,2");
    assert_eq!(refused.code, 64, "{}", refused.err);
    assert!(refused.err.contains("stage 1 keeps state and cannot have replicas"), "{}", refused.err);
}

#[each_mpi]
fn a_stage_may_emit_several_outputs_or_none(mpi: Mpi) {
    let ended = good(mpi, 8, "--inputs 200 --stages 1,1,1 --sigma-pct 80 --many 1 --pattern 0,1x3,2x3");
    assert!(!ended.out.contains("outputs 200,"), "some inputs give none, others three: {}", ended.out);
    good(mpi, 8, "--inputs 200 --stages 1,1,1 --many 0 --stateful 2 --change 50:0x3,1x3,2");
}

#[each_mpi]
fn a_stage_that_fails_is_named_and_stops_the_stream_on_every_rank(mpi: Mpi) {
    for options in ["--pattern 0,1x4,2", "--pattern 0-2x6", "--stateful 2 --pattern 0,1x3,2", "--unordered"] {
        let ended = run(mpi, 7, &format!("--inputs 400 --stages 1,4,1 --fail 1:33 {options}"));
        assert_ne!(ended.code, 0);
        assert!(ended.err.contains("stage 1 (s1) returned 7 for input 33"), "{}", ended.err);
        assert!(ended.out.contains("doubled 0, wrong 0, out of order 0"), "{}", ended.out);
    }
}

#[each_mpi]
fn a_stream_after_one_that_failed_is_as_good_as_new(mpi: Mpi) {
    let options = "--inputs 200 --stages 1,4,1 --sigma-pct 80 --fail 1:33 --runs 2 --stateful 2 --pattern 0,1x4,2";
    let ended = run(mpi, 7, options);
    assert_ne!(ended.code, 0);
    let lines: Vec<&str> = ended.out.lines().filter(|line| line.starts_with("inputs")).collect();
    assert!(lines.len() == 2 && !lines[0].contains(GOOD), "{}", ended.out);
    assert!(lines[1].contains("outputs 200,") && lines[1].contains(GOOD), "{}", ended.out);
}

#[each_mpi]
fn patterns_that_cannot_be_are_refused_in_one_sentence(mpi: Mpi) {
    for (pattern, part) in [
        ("0,1x9,2", "takes 11 ranks where 3 compute"),
        ("0,2,1", "\"2\" is out of order"),
        ("0,1", "stage 2 is in no group"),
        ("some", "\"some\" is no group"),
    ] {
        let ended = run(mpi, 4, &format!("--inputs 10 --stages 1,1,1 --pattern {pattern}"));
        assert_eq!(ended.code, 64, "{}", ended.err);
        let sentences = ended.err.lines().filter(|line| line.starts_with("midrun: ")).count();
        assert!(ended.err.contains(part) && sentences == 1, "{}", ended.err);
    }
}

#[each_mpi]
fn messages_larger_than_a_piece_arrive_whole(mpi: Mpi) {
    good(mpi, 6, "--inputs 12 --stages 1,1,1 --bytes 20000000 --pattern 0,1x2,2 --change 6:0-1,2x2");
    good(mpi, 3, "--inputs 1 --stages 1,1 --bytes 1073741824 --pattern 0-1");
}

/// A team of stage 1 beside replicas of stage 2, and two teams in a row, whose ranks change sides.
#[each_mpi]
fn teams_compute_every_task_once_while_ranks_come_and_go(mpi: Mpi) {
    let changes =
        "--change 20:0,1x4,2x2 --change 50:0-1,2x5 --change 51:0,1x6,2 --change 80:0-2 --change 100:0,1x2,2x3";
    let ended = good(
        mpi,
        9,
        &format!("--inputs 150 --stages 1,6,2 --sigma-pct 80 --team 1:10 --bytes 5000 --runs 2 {changes}"),
    );
    assert!(ended.out.contains("changes 5"), "{}", ended.out);
    let swaps: String = (0..60)
        .map(|at| {
            format!("--change {at}:{} ", ["0x5@1+2+3+4+5,1@6", "0@6,1x5@5+4+3+2+1", "0x3@4+1+2,1x3@3+5+6"][at % 3])
        })
        .collect();
    good(mpi, 7, &format!("--inputs 80 --stages 4,4 --sigma-pct 80 --team 0:7 --team 1:7 {swaps}"));
    good(mpi, 1, "--inputs 20 --stages 1,2,1 --team 1:5");
    good(mpi, 4, "--inputs 40 --stages 1,1,1 --many 0 --team 2:1 --pattern 0,1,2");
}

#[each_mpi]
fn a_task_that_fails_is_named_by_its_stage_and_the_next_stream_is_as_good_as_new(mpi: Mpi) {
    let ended = run(mpi, 7, "--inputs 60 --stages 1,4,1 --team 1:9 --fail 1:33 --runs 2 --pattern 0,1x4,2");
    assert_ne!(ended.code, 0);
    assert!(ended.err.contains("stage 1 (s1) returned 7 for input 33"), "{}", ended.err);
    let lines: Vec<&str> = ended.out.lines().filter(|line| line.starts_with("inputs")).collect();
    assert!(lines.len() == 2 && lines[1].contains("outputs 60,") && lines[1].contains(GOOD), "{}", ended.out);
}

#[each_mpi]
fn a_team_that_cannot_be_is_refused_in_one_sentence(mpi: Mpi) {
    for (options, part) in [
        ("--pattern 0,1x9,2", "takes 11 ranks where 3 compute"),
        ("--pattern 0-1x2,2", "stage 1 is a team's: on several ranks it stands alone in its group"),
        ("--pattern 0,1x2m,2", "needs no manager"),
    ] {
        let ended = run(mpi, 4, &format!("--inputs 10 --stages 1,1,1 --team 1:4 {options}"));
        assert!(ended.code == 64 && ended.err.contains(part), "{}", ended.err);
    }
    assert_eq!(run(mpi, 4, "--inputs 10 --stages 1,1,1 --team 1:4 --stateful 1").code, 64, "a team keeps no state");
}
