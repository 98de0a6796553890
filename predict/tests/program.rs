//! Programs on machines: what can be worked out by hand, what must always hold, and bad values.

use midrun_models::pipeline::production::Buffers;
use midrun_models::pipeline::{self, Group, Network, Pattern, Protocol, Stage};
use midrun_models::simulate::{MessageTimes, SimInput, iteration};
use midrun_predict::program::{Machine, Options, Outcome, Precision, Program, ProgramError, estimate, simulate};
use midrun_scheduling::{Technique, TechniqueParameters};

/// start_up 1 ms, 1 us per byte, eager up to 1000 bytes; between the nodes 10 ms and 10 us.
const LINKS: &str = "inside = { start_up = '1ms', per_byte = '1us', eager = '1000' }
    between = { start_up = '10ms', per_byte = '10us', eager = '1000' }";

fn machine(nodes: &str) -> Machine {
    Machine::from_toml(&format!("node = [{nodes}]\n{LINKS}")).unwrap()
}

/// Every process alone on its core of one node.
fn one_node() -> Machine {
    machine("{ cores = 64 }")
}

/// Elements written one a line: `name kind key = value; key = value`, run in this order.
fn program(processes: usize, elements: &[&str]) -> Program {
    let mut text = format!("processes = {processes}\nrun = [");
    let of = |line: &&str| line.split(' ').next().unwrap().to_owned();
    let inner = |name: &str| elements.iter().any(|line| line.contains("do = [") && line.contains(&format!("'{name}'")));
    let names: Vec<String> = elements.iter().map(of).filter(|name| !inner(name)).map(|n| format!("'{n}'")).collect();
    text += &(names.join(", ") + "]\n");
    for line in elements {
        let [name, kind, keys] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        text += &format!("[element.{name}]\nkind = '{kind}'\n{}\n", keys.replace("; ", "\n"));
    }
    Program::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(program: &Program, machine: &Machine) -> Outcome {
    let outcome = simulate(program, machine, &Options::default()).unwrap();
    for process in &outcome.processes {
        let (sum_s, end_s) = (process.times.sum_s(), process.end_s);
        assert!((sum_s - end_s).abs() <= 1e-9 * end_s, "{sum_s} of {end_s}");
    }
    outcome
}

fn total(processes: usize, elements: &[&str], machine: &Machine) -> f64 {
    run(&program(processes, elements), machine).total_s
}

fn fault(processes: usize, elements: &[&str]) -> String {
    simulate(&program(processes, elements), &one_node(), &Options::default()).unwrap_err().to_string()
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-9), "{a} instead of {b}");
}

#[test]
fn an_eager_message_leaves_its_sender_after_the_overhead() {
    let outcome = run(
        &program(2, &["go send when = 'rank == 0'; to = 1; bytes = 100", "take receive when = 'rank == 1'; from = 0"]),
        &one_node(),
    );
    let [sender, receiver] = outcome.processes[..] else { panic!() };
    close(sender.end_s, 1e-3);
    close(receiver.end_s, 1.1e-3);
    close(receiver.times.communication_s, 1.1e-3);
    close(outcome.elements[1].times.sum_s(), 1.1e-3);
}

#[test]
fn a_synchronous_ping_pong_is_what_it_is_by_hand() {
    // Announced (1), answered (1), sent (1 + bytes): 3 start-ups and the bytes for each message; 100 round trips.
    let ping_pong = |mode: &str, bytes: u32| {
        total(
            2,
            &[
                "trips loop count = 100; do = ['ping', 'pong', 'take', 'back']",
                &format!("ping send when = 'rank == 0'; to = 1; bytes = {bytes}; mode = '{mode}'"),
                "pong receive when = 'rank == 1'; from = 0",
                &format!("take send when = 'rank == 1'; to = 0; bytes = {bytes}; mode = '{mode}'"),
                "back receive when = 'rank == 0'; from = 1",
            ],
            &one_node(),
        )
    };
    close(ping_pong("synchronous", 100), 200.0 * 3.1e-3);
    close(ping_pong("standard", 100), 200.0 * 1.1e-3);
    close(ping_pong("standard", 1000), 200.0 * 2e-3);
    close(ping_pong("standard", 2000), 200.0 * 5e-3);
}

#[test]
fn a_large_send_waits_for_its_receiver_and_a_buffered_one_does_not() {
    let late = |mode: &str| {
        let send = format!("go send when = 'rank == 0'; to = 1; bytes = 2000; mode = '{mode}'");
        let work = "work compute when = 'rank == 1'; seconds = 1";
        run(&program(2, &[&send, work, "take receive when = 'rank == 1'; from = 0"]), &one_node())
    };
    // At 1 s the receiver answers (1 ms), then 2 ms of bytes go out, and 1 ms later they are there.
    close(late("standard").processes[0].end_s, 1.003);
    close(late("standard").total_s, 1.004);
    close(late("standard").processes[0].times.waiting_s, 1.003 - 0.003);
    close(late("buffered").processes[0].end_s, 1e-3);
    close(late("buffered").total_s, 1.004);
}

#[test]
fn messages_of_one_process_keep_their_order_and_anyone_takes_the_first() {
    // The large one is announced first, the small one overtakes it nowhere.
    let outcome = run(
        &program(
            2,
            &[
                "large send when = 'rank == 0'; to = 1; bytes = 5000; mode = 'buffered'",
                "small send when = 'rank == 0'; to = 1; bytes = 0",
                "first receive when = 'rank == 1'; from = 0",
                "second receive when = 'rank == 1'",
            ],
        ),
        &one_node(),
    );
    let of = |name: &str| outcome.elements.iter().find(|of| of.name == name).unwrap().times.sum_s();
    close(of("first"), 8e-3);
    close(of("second"), 0.0);
    // Rank 2 is first, whatever the numbers.
    let first = total(
        3,
        &[
            "work compute when = 'rank > 0'; seconds = '3 - rank'",
            "go send when = 'rank > 0'; to = 0; bytes = 0",
            "take receive when = 'rank == 0'",
        ],
        &one_node(),
    );
    close(first, 2.001);
}

#[test]
fn messages_share_the_way_out_of_a_node() {
    let nodes = machine("{ count = 2, cores = 2 }");
    let both = |bytes: &str| {
        total(
            4,
            &[&format!("over send-receive to = '(rank + 2) % 4'; from = '(rank + 2) % 4'; bytes = {bytes}")],
            &nodes,
        )
    };
    // Both processes of each node send 500 bytes (5 ms alone) through the one way: both take 10 ms.
    close(both("500"), 0.010 + 0.010);
    close(both("'if(rank % 2 == 0, 500, 0)'"), 0.010 + 0.005);
    // Inside a node each process has its own way.
    close(
        total(4, &["over send-receive to = '(rank + 2) % 4'; from = '(rank + 2) % 4'; bytes = 500"], &one_node()),
        1.5e-3,
    );
}

/// One collective communication in a row of nodes with one process each; 1 ms per message and 1 us per byte, all eager.
fn collective(kind: &str, algorithm: &str, processes: usize, keys: &str) -> f64 {
    let text = format!(
        "node = [{{ count = {processes}, cores = 1 }}]\ninside = {{ start_up = '0s', per_byte = '0s' }}\n\
         between = {{ start_up = '1ms', overhead = '0s', per_byte = '1us' }}\n[algorithm]\n{kind} = '{algorithm}'"
    );
    total(processes, &[&format!("all {kind} {keys}")], &Machine::from_toml(&text).unwrap())
}

#[test]
fn collectives_take_the_rounds_of_their_algorithms() {
    for (processes, rounds) in [(2, 1.0), (3, 2.0), (8, 3.0), (9, 4.0), (1000, 10.0)] {
        close(collective("barrier", "dissemination", processes, "when = 1"), rounds * 1e-3);
    }
    close(collective("barrier", "linear", 5, "when = 1"), 2e-3);
    // p - 1 messages share the root's way; each takes 1 ms and p - 1 times 100 us.
    close(collective("broadcast", "linear", 8, "bytes = 100"), 1e-3 + 700e-6);
    close(collective("broadcast", "chain", 5, "bytes = 100; root = 2"), 4.0 * 1.1e-3);
    // Recursive doubling: log2 p rounds of all bytes; Rabenseifner: 2 log2 p rounds of (p - 1)/p of them each way; a ring: 2 (p - 1).
    for (algorithm, rounds, bytes) in
        [("recursive-doubling", 3.0, 2400.0), ("rabenseifner", 6.0, 1400.0), ("ring", 14.0, 1400.0)]
    {
        close(collective("allreduce", algorithm, 8, "bytes = 800"), rounds * 1e-3 + bytes * 1e-6);
    }
    // With a time to combine 800 bytes: all of them in each round, or 7/8 of them in all.
    close(collective("allreduce", "recursive-doubling", 8, "bytes = 0; combine_s = 0.8"), 3e-3 + 2.4);
    close(collective("allreduce", "rabenseifner", 8, "bytes = 0; combine_s = 0.8"), 6e-3 + 0.7);
    close(collective("allreduce", "ring", 8, "bytes = 0; combine_s = 0.8"), 14e-3 + 0.7);
    close(collective("reduce", "rabenseifner", 8, "bytes = 800; root = 5"), 6e-3 + 1400e-6);
    // Three processes: rank 0 folds into rank 1 while rank 2 sends there, too (100 us each share the way); rank 1 then sends to both.
    close(collective("allreduce", "recursive-doubling", 3, "bytes = 100"), 2.0 * 1.2e-3);
    // Rank 1 has all 100 bytes of rank 0 and 50 of rank 2 after 1.15 ms; 50 bytes to rank 2, 50 back, 100 to rank 0.
    close(collective("reduce", "rabenseifner", 3, "bytes = 100; root = 0"), 1.15e-3 + 2.0 * 1.05e-3 + 1.1e-3);
    // Everybody's 100 bytes to everybody.
    for (algorithm, processes, rounds) in [
        ("recursive-doubling", 8, 3.0),
        ("bruck", 7, 3.0),
        ("ring", 5, 4.0),
        ("neighbor", 8, 4.0),
        ("neighbor", 7, 6.0),
    ] {
        let bytes_s = (processes - 1) as f64 * 100e-6;
        close(collective("allgather", algorithm, processes, "bytes = 100"), rounds * 1e-3 + bytes_s);
    }
    close(collective("alltoall", "pairwise", 6, "bytes = 100"), 5.0 * 1.1e-3);
    close(collective("alltoall", "linear", 6, "bytes = 100"), 1e-3 + 500e-6);
    // Bruck: of 6 distances 0 to 5, three have the digit 1, two the digit 2, two the digit 4.
    close(collective("alltoall", "bruck", 6, "bytes = 100"), 3e-3 + 700e-6);
    for kind in ["barrier when = 1", "broadcast bytes = 9", "alltoall bytes = 9", "allreduce bytes = 9"] {
        close(total(1, &[&format!("alone {kind}")], &one_node()), 0.0);
    }
}

#[test]
fn every_algorithm_of_every_collective_ends_with_every_number_of_processes() {
    let algorithms = [
        ("barrier", "linear binomial recursive-doubling dissemination"),
        ("broadcast", "linear chain binary binomial knomial scatter-allgather scatter-ring"),
        ("reduce", "linear chain binary binomial rabenseifner"),
        ("allreduce", "recursive-doubling ring rabenseifner reduce-broadcast"),
        ("gather", "linear binomial"),
        ("scatter", "linear binomial"),
        ("allgather", "recursive-doubling bruck ring neighbor"),
        ("alltoall", "linear bruck pairwise"),
    ];
    for (kind, names) in algorithms {
        for name in names.split(' ') {
            for processes in (1..20).chain([33, 64]) {
                for (mpi, bytes) in [("open-mpi", 10), ("mpich", 5000)] {
                    let text = format!(
                        "mpi = '{mpi}'\nnode = [{{ count = 7, cores = 3 }}]\n{LINKS}\n[algorithm]\n{kind} = '{name}'"
                    );
                    let root = if ["broadcast", "reduce", "gather", "scatter"].contains(&kind) {
                        format!("root = {}; ", processes - 1)
                    } else {
                        String::new()
                    };
                    let keys = if kind == "barrier" { "when = 1".to_owned() } else { format!("{root}bytes = {bytes}") };
                    // Twice: nothing of the first is left over for the second.
                    let lines = [&*format!("first {kind} {keys}"), &format!("second {kind} {keys}")];
                    let outcome = run(&program(processes, &lines), &Machine::from_toml(&text).unwrap());
                    assert_eq!(outcome.unreceived, 0, "{kind} {name} {processes}");
                    assert!(processes == 1 || outcome.total_s > 0.0);
                }
            }
        }
    }
}

#[test]
fn an_algorithm_that_does_something_else_is_refused_with_those_that_do() {
    let text = format!("node = [{{ cores = 2 }}]\n{LINKS}\n[algorithm]\nbarrier = 'ring'");
    let error = Machine::from_toml(&text).unwrap_err().to_string();
    assert!(error.starts_with("line 5, column 11: barrier = \"ring\"") && error.contains("dissemination"), "{error}");
    let error = Machine::from_toml(&text.replace("'ring'", "'rings'")).unwrap_err().to_string();
    assert!(error.contains("rings") && error.contains("knomial"), "{error}");
}

/// The measure: 11 messages of 400 KB from one host take what its way out takes for all of them.
#[test]
fn many_messages_from_one_host_take_what_its_link_takes() {
    let elements = [
        "gives loop when = 'rank == 0'; count = 'processes - 1'; index = 'k'; do = ['give']",
        "give send to = 'k + 1'; bytes = 4e5; mode = 'buffered'",
        "take receive when = 'rank > 0'; from = 0",
    ];
    let text = "node = [{ count = 64, cores = 1 }]\ninside = { start_up = '0s', per_byte = '0s' }\n\
                between = { start_up = '50us', overhead = '0s', per_byte = '8ns' }";
    let machine = Machine::from_toml(text).unwrap();
    for processes in [12, 64] {
        let outcome = run(&program(processes, &elements), &machine);
        let all_s = (processes - 1) as f64 * 3.2e-3 + 50e-6;
        close(outcome.total_s, all_s);
        // They share the way evenly: all end at the same time.
        assert!(outcome.processes[1..].iter().all(|of| (of.end_s / all_s - 1.0).abs() < 1e-9));
    }
}

#[test]
fn drawn_costs_give_a_mean_with_its_interval() {
    // The later of two exponential times of mean 1 takes 1.5 on average, with a variance of 1.25.
    let elements = ["work compute seconds = 'exponential(1)'", "meet barrier when = 1"];
    let machine = Machine::from_toml("node = [{ cores = 2 }]\ninside = { start_up = '0s', per_byte = '0s' }").unwrap();
    let of = |seed, share, runs| {
        let options = Options { seed, ..Options::default() };
        estimate(&program(2, &elements), &machine, &options, &Precision { share, runs }).unwrap()
    };
    let answer = of(1, 0.02, 100_000);
    let (low_s, high_s) = answer.interval_s.unwrap();
    let half_s = 0.5 * (high_s - low_s);
    assert!(half_s <= 0.02 * answer.outcome.total_s && answer.runs > 1000, "{answer:?}");
    // Half the interval is 1.96 standard errors.
    let expected_s = 1.96 * (1.25 / f64::from(answer.runs)).sqrt();
    assert!((half_s / expected_s - 1.0).abs() < 0.1, "{half_s} instead of {expected_s}");
    // 95 of 100 intervals hold the true mean; with 40 runs each the intervals are those of Student.
    let held = (0..200).filter(|k| {
        let (low_s, high_s) = of(1000 * (k + 1), 0.0, 40).interval_s.unwrap();
        (low_s..high_s).contains(&1.5)
    });
    let held = held.count();
    assert!((180..=199).contains(&held), "{held} of 200");
    for process in &answer.outcome.processes {
        close(process.times.sum_s(), process.end_s);
    }
}

#[test]
fn what_is_not_drawn_is_run_once() {
    let machine = one_node();
    let of = |elements: &[&str]| {
        estimate(&program(3, elements), &machine, &Options::default(), &Precision::default()).unwrap()
    };
    let fixed = of(&["work compute seconds = 'rank'", "farm master-worker tasks = 10; task_s = 'task * 0.1'"]);
    assert_eq!((fixed.runs, fixed.interval_s), (1, None));
    for drawn in [
        "farm master-worker tasks = 10; task_s = 'normal(1, 0.1)'",
        "flow pipeline inputs = 5; stages = [{ compute_s = 'uniform(1, 2)' }]",
        "work compute seconds = 1; when = 'uniform(0, 1) < 0.5'",
    ] {
        assert!(of(&[drawn]).runs >= 10, "{drawn}");
    }
    // The runs share the events that are allowed.
    let options = Options { events: 20, ..Options::default() };
    let few =
        estimate(&program(1, &["work compute seconds = 'uniform(1, 2)'"]), &machine, &options, &Precision::default());
    assert!(few.unwrap().runs < 10);
}

#[test]
fn nobody_leaves_a_barrier_before_the_last_has_come() {
    for processes in [2, 3, 7, 16] {
        let elements = ["work compute seconds = 'if(rank == 1, 5, 0)'", "meet barrier when = 1"];
        let outcome = run(&program(processes, &elements), &one_node());
        assert!(outcome.processes.iter().all(|of| of.end_s > 5.0 && of.end_s < 5.1), "{:?}", outcome.processes);
    }
}

#[test]
fn processes_share_cores_or_queue_for_them() {
    let work = &["work compute seconds = 'rank + 1'"];
    let ends = |scheduling: &str, threads: &str| {
        let node = machine(&format!("{{ cores = 1, speed = 2, scheduling = '{scheduling}' }}"));
        let of = program(2, &[&format!("work compute seconds = 'rank + 1'; threads = {threads}")]);
        run(&of, &node).processes.iter().map(|of| of.end_s).collect::<Vec<_>>()
    };
    assert_eq!(ends("shared", "1"), [1.0, 1.5]);
    assert_eq!(ends("queue", "1"), [0.5, 1.5]);
    close(total(2, work, &machine("{ cores = 2 }")), 2.0);
    close(total(1, &["work compute seconds = 6; threads = 3"], &machine("{ cores = 4 }")), 2.0);
    close(total(1, &["work compute seconds = 6; threads = 6"], &machine("{ cores = 4 }")), 1.5);
    let counted = &["work compute operations = 1e9"];
    close(total(1, counted, &machine("{ cores = 1, speed = 3, operations_per_s = 5e8 }")), 2.0);
}

#[test]
fn loops_branches_and_placement_do_what_they_say() {
    let elements = [
        "outer loop count = 3; index = 'i'; do = ['inner']",
        "inner loop count = 'i + 1'; index = 'k'; do = ['pick']",
        "pick branch when = 'k == 0'; do = ['one']; else = ['ten']",
        "one compute seconds = 1",
        "ten compute seconds = 'node + 10 * k'",
    ];
    // Node 0: k = 0, 0, 1, 0, 1, 2.
    let outcome = run(&program(2, &elements), &machine("{ count = 2, cores = 1 }"));
    close(outcome.processes[0].end_s, 3.0 + 10.0 + 10.0 + 20.0);
    close(outcome.processes[1].end_s, 3.0 + 11.0 + 11.0 + 21.0);
    let pick = outcome.elements.iter().find(|of| of.name == "pick").unwrap();
    assert_eq!((pick.count, outcome.processes[1].node), (12, 1));
    let nodes = |placement: &str| {
        let text = format!("placement = '{placement}'\nnode = [{{ cores = 2 }}, {{ cores = 9, slots = 1 }}]\n{LINKS}");
        let of = run(&program(7, &["work compute seconds = 1"]), &Machine::from_toml(&text).unwrap());
        of.processes.iter().map(|of| of.node).collect::<Vec<_>>()
    };
    assert_eq!(nodes("block"), [0, 0, 1, 0, 0, 1, 0]);
    assert_eq!(nodes("cyclic"), [0, 1, 0, 0, 1, 0, 0]);
}

#[test]
fn everyone_waiting_is_a_deadlock_that_says_who_waits_for_whom() {
    let ring = ["go send to = '(rank + 1) % 3'; bytes = 2000", "take receive from = '(rank + 2) % 3'"];
    let error = fault(3, &ring);
    assert!(error.starts_with("deadlock after 0.001 s: process 0 waits in `go` for process 1 to take its"), "{error}");
    assert_eq!(error.matches("waits in").count(), 3);
    let error = fault(2, &["take receive from = '1 - rank'"]);
    assert!(error.contains("process 0 waits in `take` for a message of process 1, process 1 waits"), "{error}");
    let error =
        fault(3, &["farm master-worker when = 'rank < 2'; tasks = 1; task_s = 1", "any receive when = 'rank == 2'"]);
    assert!(
        error.contains("process 0 waits in `farm` for the 1 others") && error.contains("`any` for anyone's"),
        "{error}"
    );
    let error = fault(100, &["take receive from = 0"]);
    assert!(error.ends_with("and 94 more"), "{error}");
}

#[test]
fn values_that_make_no_sense_are_named_with_element_and_process() {
    for (element, parts) in [
        ("a compute seconds = 'rank - 1'", &["element `a`, process 0: seconds is -1", "0 or more"][..]),
        ("a compute seconds = 'sqrt(0 - rank)'", &["process 1: seconds is NaN"]),
        ("a compute seconds = '1 / rank'", &["process 0: seconds is inf"]),
        ("a send to = 2; bytes = 1", &["`a`, process 0: to is 2", "-1 to 1"]),
        ("a send to = '0.5'; bytes = 1", &["to is 0.5", "a whole number"]),
        ("a receive from = '-2'", &["from is -2"]),
        ("a broadcast root = '-1'; bytes = 1", &["root is -1", "0 to 1"]),
        ("a loop count = '-1'; do = ['b']", &["count is -1"]),
        ("a master-worker tasks = 1; task_s = 1; workers = 2", &["workers is 2", "1 to 1"]),
        (
            "a pipeline inputs = 1; stages = [{ compute_s = 1 }, { compute_s = 1 }]",
            &["takes 3 processes", "there are 2"],
        ),
        ("a compute operations = 1", &["node 0 has no operations_per_s"]),
    ] {
        let error = fault(2, &[element, "b compute seconds = 0"]);
        assert!(parts.iter().all(|part| error.contains(part)), "{element}: {error}");
    }
    let slow = machine("{ cores = 1, speed = 1e-300 }");
    let beyond = simulate(&program(1, &["a compute seconds = 1e12"]), &slow, &Options::default()).unwrap_err();
    assert!(beyond.to_string().contains("longer than any number"), "{beyond}");
    let endless = program(1, &["a loop count = 1e12; do = ['b']", "b compute seconds = 1; when = 0"]);
    let options = Options { events: 1000, ..Options::default() };
    let error = simulate(&endless, &one_node(), &options).unwrap_err();
    assert!(matches!(error, ProgramError::Limit { .. }) && error.to_string().contains("1000 events"), "{error}");
}

#[test]
fn a_master_worker_element_is_the_simulation_of_the_frameworks_hand_out() {
    for technique in Technique::ALL {
        let name = technique.name();
        let line = format!("farm master-worker tasks = 5000; task_s = 2e-3; technique = '{name}'; handout_s = 2e-5");
        let outcome = run(&program(26, &[&line]), &one_node());
        let times = MessageTimes { latency_s: 1e-3, send_s: 0.0, back_s: 0.0, eager_tasks: u64::MAX };
        let input = SimInput {
            tasks: 5000,
            workers: 25,
            mean_s: 2e-3,
            overhead_s: 2e-5,
            message_times: vec![times; 25],
            ..SimInput::default()
        };
        let expected = iteration(&input, &TechniqueParameters::new(technique), 0);
        close(outcome.processes[0].end_s, expected.iteration_s);
        let busy: f64 = outcome.processes.iter().map(|of| of.times.compute_s).sum();
        close(busy, expected.log.iter().map(|chunk| chunk.busy_s).sum());
    }
}

/// The end of rank 0, with the links between nodes.
#[track_caller]
fn master_ends(nodes: &str, processes: usize, elements: &[&str], expected_s: f64) {
    close(run(&program(processes, elements), &machine(nodes)).processes[0].end_s, expected_s);
}

#[test]
fn a_master_workers_messages_share_the_links_of_their_nodes() {
    let apart = "{ count = 3, cores = 1 }";
    // Two messages of 10 ms share the master's way out: both are out after 20 ms, there after 30 ms. The first task takes 1 s,
    // its empty result 10 ms.
    let tasks = "farm master-worker tasks = 2; technique = 'none'; overhead_s = 0; task_s = 'if(task == 0, 1, 0.5)'";
    master_ends(apart, 3, &[&format!("{tasks}; task_bytes = 1000")], 0.03 + 1.0 + 0.01);
    master_ends(apart, 2, &[&format!("{tasks}; task_bytes = 500")], 0.02 + 1.5 + 0.01);
    // Results that set out together share the master's way in, and that out of a node which both workers are on.
    let results = "farm master-worker tasks = 2; technique = 'none'; overhead_s = 0; task_s = 1; result_bytes = 1000";
    master_ends(apart, 3, &[results], 0.01 + 1.0 + 0.03);
    master_ends("{ cores = 1 }, { cores = 2 }", 3, &[results], 0.01 + 1.0 + 0.03);
    // A message inside the node takes nothing of the way between nodes: the worker elsewhere has its bytes after 10 ms.
    let mixed = "farm master-worker tasks = 2; technique = 'none'; overhead_s = 0; task_s = 'task'; task_bytes = 1000";
    master_ends("{ count = 2, cores = 2 }", 3, &[mixed], 0.02 + 1.0 + 0.01);
}

#[test]
fn a_master_workers_large_messages_are_announced_and_answered_between_two_tasks() {
    let apart = "{ count = 2, cores = 1 }";
    // Announced, answered, 20 ms of bytes, and their way.
    let one = "farm master-worker tasks = 1; overhead_s = 0; task_s = 1; task_bytes = 2000";
    master_ends(apart, 2, &[one], 0.03 + 0.02 + 1.0 + 0.01);
    let one = "farm master-worker tasks = 1; overhead_s = 0; task_s = 1; result_bytes = 2000";
    master_ends(apart, 2, &[one], 0.01 + 1.0 + 0.03 + 0.02);
    // Of 20 tasks 13 are sent while many are left, one ahead. Every other one of them is announced while the worker computes,
    // and answered when it is done: 40 ms more. The rest waits for a result, and costs 60 ms each.
    let many = "farm master-worker tasks = 20; technique = 'ss'; overhead_s = 0; task_s = 1; task_bytes = 2000";
    master_ends(apart, 2, &[many], 20.0 + 0.05 + 6.0 * 0.04 + 7.0 * 0.06 + 0.01);
}

#[test]
fn a_master_workers_messages_share_links_with_what_is_still_under_way() {
    // A message of 10 ms to rank 2 sets out at 10 ms, with that of the task: both are out at 30 ms, there at 40 ms.
    let elements = [
        "go send when = 'rank == 0'; to = 2; bytes = 1000; mode = 'buffered'",
        "farm master-worker tasks = 1; workers = 1; overhead_s = 0; task_s = 1; task_bytes = 1000",
        "take receive when = 'rank == 2'; from = 0",
    ];
    master_ends("{ count = 3, cores = 1 }", 3, &elements, 0.04 + 1.0 + 0.01);
    master_ends("{ count = 3, cores = 1 }", 3, &elements[1..2], 0.02 + 1.0 + 0.01);
    // One of a second, which nobody awaits, does not hold the iteration up.
    let text = "node = [{ count = 3, cores = 1 }]\ninside = { start_up = '0s', per_byte = '0s' }
        between = { start_up = '10ms', overhead = '0s', per_byte = '10us' }";
    let elements = [
        "go send when = 'rank == 0'; to = 2; bytes = 100000; mode = 'buffered'",
        "farm master-worker tasks = 1; workers = 1; overhead_s = 0; task_s = 0.1",
        "take receive when = 'rank == 2'; from = 0",
    ];
    let outcome = run(&program(3, &elements), &Machine::from_toml(text).unwrap());
    close(outcome.processes[0].end_s, 0.01 + 0.1 + 0.01);
    close(outcome.processes[2].end_s, 1.0 + 0.01);
}

#[test]
fn tasks_that_differ_are_computed_once_each_on_nodes_of_their_speed() {
    let line = "farm master-worker tasks = 1000; task_s = 'task * 1e-4'; technique = 'dpf'";
    let outcome = run(&program(5, &[line]), &machine("{ cores = 3 }, { cores = 2, speed = 0.5 }"));
    let of = |node| outcome.processes.iter().filter(|of| of.node == node).map(|of| of.times.compute_s).sum::<f64>();
    close(of(0) + 0.5 * of(1), 999.0 * 500.0 * 1e-4);
    let two = run(&program(5, &["farm master-worker tasks = 1000; task_s = 'task * 1e-4'; workers = 2"]), &one_node());
    let idle = two.processes.iter().filter(|of| of.times.compute_s == 0.0).count();
    assert_eq!(idle, 3, "the master and two parked workers");
}

/// The source's example (César 2006, ch. IV), whose periods `pipeline` computes.
#[test]
fn a_pipeline_element_keeps_the_period_of_the_pipeline_model() {
    let compute_s = [0.1, 0.4, 0.3, 0.2, 0.1];
    for replicas in [[1_u32, 1, 1, 1, 1], [1, 2, 2, 1, 1], [1, 4, 3, 2, 1]] {
        let period = |inputs: u32| {
            let stage =
                |k: usize| format!("{{ compute_s = {}, bytes = 10, replicas = {} }}", compute_s[k], replicas[k]);
            let stages: Vec<String> = (0..5).map(stage).collect();
            let line = format!("flow pipeline inputs = {inputs}; stages = [{}]", stages.join(", "));
            total(14, &[&line], &one_node())
        };
        let stage = |compute_s: &f64| Stage { compute_s: *compute_s, message_bytes: 10.0, stateful: false };
        let network = Network { start_up_s: 1e-3, per_byte_s: 1e-6, protocol: Protocol::Async };
        let model = pipeline::Pipeline::new(compute_s.iter().map(stage).collect(), network);
        let group = |(first, replicas)| Group { first, stages: 1, replicas };
        let pattern = Pattern((0..).zip(replicas).map(group).collect());
        let expected = model.evaluate(&pattern, Buffers::Full).period_s;
        // Between two lengths of stream, so that its filling and emptying do not count.
        let measured = (period(480) - period(240)) / 240.0;
        assert!((measured / expected - 1.0).abs() < 0.01, "{replicas:?}: {measured} instead of {expected}");
    }
}

#[test]
fn every_stage_computes_every_input_and_the_window_bounds_the_stream() {
    let line = "flow pipeline inputs = 50; stages = [{ compute_s = '0.01 + input * 1e-4' }, { compute_s = 'normal(0.05, 0.001)', replicas = 3 }]";
    let outcome = run(&program(5, &[line]), &one_node());
    close(outcome.processes[1].times.compute_s, 50.0 * 0.01 + 49.0 * 25.0 * 1e-4);
    let replicas: f64 = outcome.processes[2..].iter().map(|of| of.times.compute_s).sum();
    assert!((replicas - 2.5).abs() < 0.05, "{replicas}");
    // One at a time: each input goes through all alone.
    let alone = total(
        3,
        &["flow pipeline inputs = 10; in_flight = 1; stages = [{ compute_s = 0.1 }, { compute_s = 0.2 }]"],
        &one_node(),
    );
    // Drawn, to stage 0, to stage 1, back: three messages of 1 ms.
    assert!((alone - 10.0 * 0.303).abs() < 1e-2, "{alone}");
}

#[test]
fn the_same_seed_gives_the_same_answer_and_the_timeline_has_all_of_the_time() {
    let elements = [
        "work compute seconds = 'exponential(1)'",
        "meet barrier when = 1",
        "farm master-worker tasks = 200; task_s = 'max(0, normal(0.01, 0.005))'",
        "flow pipeline inputs = 30; stages = [{ compute_s = 'uniform(0.01, 0.03)', replicas = 2 }, { compute_s = 0.01 }]",
    ];
    let of = |seed, spans| {
        let options = Options { seed, spans, ..Options::default() };
        simulate(&program(4, &elements), &one_node(), &options).unwrap()
    };
    let outcome = of(7, 1_000_000);
    assert_eq!(outcome, of(7, 1_000_000));
    assert!(outcome.total_s != of(8, 0).total_s && !outcome.cut);
    for (rank, process) in outcome.processes.iter().enumerate() {
        let mut own: Vec<_> = outcome.spans.iter().filter(|span| span.process == rank).collect();
        own.sort_by(|a, b| a.from_s.total_cmp(&b.from_s));
        let sum_s: f64 = own.iter().map(|span| span.to_s - span.from_s).sum();
        close(sum_s, process.end_s);
        assert!(own.windows(2).all(|two| two[0].to_s <= two[1].from_s + 1e-9), "pieces of process {rank} overlap");
    }
    let short = of(7, 5);
    assert!(short.cut && short.spans.len() == 5 && short.total_s == outcome.total_s);
}

#[test]
fn messages_that_nobody_takes_are_counted() {
    let outcome = run(&program(2, &["go send when = 'rank == 0'; to = 1; bytes = 1"]), &one_node());
    assert_eq!(outcome.unreceived, 1);
}

/// The source's case, measured there at 3.13 s: 1.5 MB are sent synchronously, and the whole pipe goes at the pace of tc + mo + lambda v.
#[test]
fn large_items_keep_their_sender_from_computing() {
    let of = |inputs: u32, bytes: u32| {
        let stage = |compute_s: f64| format!("{{ compute_s = {compute_s}, bytes = {bytes} }}");
        let stages = [1.0, 1.5, 1.0, 3.0, 1.0].map(stage).join(", ");
        let fast = "node = [{ cores = 8 }]\ninside = { start_up = '2.131ms', per_byte = '93ns', eager = '64KB' }";
        let line = format!("flow pipeline inputs = {inputs}; stages = [{stages}]");
        run(&program(6, &[&line]), &Machine::from_toml(fast).unwrap()).total_s
    };
    let period_s = |bytes| (of(60, bytes) - of(30, bytes)) / 30.0;
    assert!((period_s(1_572_864) - 3.149).abs() < 0.002, "{}", period_s(1_572_864));
    assert!((period_s(512) - 3.002).abs() < 0.001, "{}", period_s(512));
}
