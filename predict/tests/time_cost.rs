//! Time cost of computation structures: what the source says must hold, and what goes wrong.

mod structures;

use midrun_predict::time_cost::{Cost, CostError, Structure, evaluate, sweep};
use structures::{OPERATIONS, forked, op, with_nodes};

const PRODUCER_CONSUMER: &str = include_str!("../../examples/models/producer_consumer.toml");

/// The cost over some runs.
fn cost(text: &str, runs: u32) -> Cost {
    let structure = Structure::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    evaluate(&structure, runs, 1).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The cost of a structure in which nothing is drawn.
fn seconds(text: &str) -> f64 {
    let cost = cost(text, 3);
    assert!(cost.minimum_s == cost.maximum_s && cost.interval_s.is_none_or(|(low_s, high_s)| low_s == high_s));
    cost.mean_s
}

fn fault(text: &str) -> CostError {
    evaluate(&Structure::from_toml(text).unwrap(), 20, 1).unwrap_err()
}

fn waited(cost: &Cost, node: &str) -> f64 {
    cost.waiting_s.iter().find(|(name, _)| name == node).unwrap().1
}

#[test]
fn operations_in_a_row_add_up_and_speed_divides() {
    let nodes = op("a", 2.0, "b") + &op("b", 3.0, "end");
    assert_eq!(seconds(&with_nodes("a", 1.0, &nodes)), 5.0);
    assert_eq!(seconds(&with_nodes("a", 4.0, &nodes)), 5.0, "one signal cannot use more than one processor");
    assert_eq!(seconds(&with_nodes("a", 0.5, &nodes)), 10.0);
    assert_eq!(seconds(&with_nodes("a", 1.0, &nodes).replace("speed = 1", "speed = 2")), 2.5);
}

#[test]
fn one_processor_shared_equally_doubles_the_times_of_two_branches() {
    let branches = op("left", 2.0, "meet") + &op("right", 3.0, "meet");
    let text = |processors| forked(processors, "[{ to = 'left' }, { to = 'right' }]", &branches);
    assert_eq!(seconds(&text(2.0)), 3.0, "the maximum over the branches");
    assert_eq!(seconds(&text(1.0)), 6.0);
    assert_eq!(seconds(&text(8.0)), 3.0, "more power than branches is of no use");
}

#[test]
fn the_join_gives_the_power_of_all_branches_back() {
    let branches = op("left", 2.0, "meet") + &op("right", 2.0, "meet") + &op("after", 1.0, "end");
    let text = forked(1.0, "[{ to = 'left' }, { to = 'right' }]", &branches)
        .replace("to = 'end'\n[node.end]", "to = 'after'\n[node.end]");
    assert_eq!(seconds(&text), 5.0);
}

#[test]
fn power_in_proportion_to_the_work_lets_all_branches_end_together() {
    // Branch one: 1 s, three times by a flow count; branch two: 6 s with probability 0.5, else 12 s.
    let branches = op("left", 1.0, "again")
        + "[node.again]\nkind = 'decision'\nbranches = [{ to = 'left', flow = 2 }, { to = 'meet', flow = 1 }]\n"
        + "[node.which]\nkind = 'decision'\n"
        + "branches = [{ to = 'short', probability = 0.5 }, { to = 'long', probability = 0.5 }]\n"
        + &op("short", 6.0, "meet")
        + &op("long", 12.0, "meet");
    let text = forked(1.0, "[{ to = 'left', weight = 1 }, { to = 'which', weight = 1 }]", &branches);
    let proportional = cost(&text.replace("'equal'", "'proportional'"), 400);
    // Shares 3/12 and 9/12: the left branch takes 12 s, the right one 8 or 16 s.
    assert!((proportional.minimum_s - 12.0).abs() < 1e-9 && (proportional.maximum_s - 16.0).abs() < 1e-9);
    assert!((proportional.mean_s - 14.0).abs() < 0.4, "{}", proportional.mean_s);
    assert_eq!(cost(&text, 100).maximum_s, 24.0);
    let user = text.replace("'equal'", "'user'").replace("'which', weight = 1", "'which', weight = 3");
    assert!((cost(&user, 100).maximum_s - 16.0).abs() < 1e-9);
}

#[test]
fn waiting_on_a_lock_is_added_and_reported() {
    let branch = |name: &str| {
        format!("[node.{name}]\nkind = 'lock'\nwrite = ['l']\nto = '{name}-op'\n")
            + &op(&format!("{name}-op"), 2.0, &format!("{name}-un"))
            + &format!("[node.{name}-un]\nkind = 'unlock'\nlocks = ['l']\nto = 'meet'\n")
    };
    let text = forked(2.0, "[{ to = 'a' }, { to = 'b' }]", &(branch("a") + &branch("b")));
    let both = cost(&text, 50);
    assert_eq!((both.minimum_s, both.maximum_s), (4.0, 4.0));
    assert_eq!(waited(&both, "a") + waited(&both, "b"), 2.0);
    let readers = cost(&text.replace("write =", "read ="), 50);
    assert_eq!((readers.maximum_s, waited(&readers, "a")), (2.0, 0.0));
    let apart = forked(2.0, "[{ to = 'a' }, { to = 'b' }]", &(branch("a") + &branch("b").replace("'l'", "'m'")));
    assert_eq!(seconds(&apart), 2.0, "another lock");
}

/// Branches that arrive at the lock after these times, each with its own time after the lock.
fn queue(arrivals: &[(f64, f64)]) -> String {
    let mut nodes = String::new();
    let mut list = Vec::new();
    for (i, (before, after)) in arrivals.iter().enumerate() {
        nodes += &op(&format!("go{i}"), *before, &format!("take{i}"));
        nodes += &format!("[node.take{i}]\nkind = 'lock'\nwrite = ['l']\nto = 'use{i}'\n");
        nodes += &op(&format!("use{i}"), 10.0, &format!("drop{i}"));
        nodes += &format!("[node.drop{i}]\nkind = 'unlock'\nlocks = ['l']\nto = 'after{i}'\n");
        nodes += &op(&format!("after{i}"), *after, "meet");
        list.push(format!("{{ to = 'go{i}' }}"));
    }
    forked(arrivals.len() as f64, &format!("[{}]", list.join(", ")), &nodes)
}

#[test]
fn those_who_wait_are_served_in_the_order_of_their_arrival() {
    let cost = cost(&queue(&[(3.0, 0.0), (1.0, 0.0), (2.0, 0.0)]), 20);
    assert_eq!((cost.minimum_s, cost.maximum_s), (31.0, 31.0));
    let waits = ["take1", "take2", "take0"].map(|node| waited(&cost, node));
    assert_eq!(waits, [0.0, 9.0, 18.0]);
}

#[test]
fn those_who_come_at_the_same_time_are_served_in_random_order() {
    let cost = cost(&queue(&[(1.0, 0.0), (1.0, 5.0)]), 1000);
    // Whoever has 5 s to do afterwards comes first (ends at 21) or second (ends at 26).
    assert_eq!((cost.minimum_s, cost.maximum_s), (21.0, 26.0));
    let first = cost.histogram[0].runs;
    assert!((440..560).contains(&first), "{first} of 1000");
    assert_eq!(first + cost.histogram[19].runs, 1000);
}

#[test]
fn decisions_follow_their_probabilities_and_counts_are_kept_exactly() {
    let drawn = with_nodes(
        "which",
        1.0,
        &("[node.which]\nkind = 'decision'\n".to_owned()
            + "branches = [{ to = 'a', probability = 0.25 }, { to = 'b', probability = 0.75 }]\n"
            + &op("a", 4.0, "end")
            + &op("b", 0.0, "end")),
    );
    // 4 s with probability 1/4: a mean of 1 s, a variance of 3 s2, and so 1.96 sqrt(3 / 4000) s as half the interval.
    let many = cost(&drawn, 4000);
    let (low_s, high_s) = many.interval_s.unwrap();
    assert!((many.mean_s - 1.0).abs() < 0.1 && low_s < 1.0 && 1.0 < high_s, "{low_s} {high_s}");
    assert!((0.5 * (high_s - low_s) / (1.96 * (3.0_f64 / 4000.0).sqrt()) - 1.0).abs() < 0.05, "{low_s} {high_s}");
    assert_eq!(cost(&drawn, 1).interval_s.unwrap().1, f64::INFINITY);
    // A loop of n passages, `some` of which are long: always the same sum, in any order.
    let nodes = "[node.loop]\nkind = 'decision'\nbranches = [{ to = 'which', flow = 'n' }, { to = 'end', flow = 1 }]\n"
        .to_owned()
        + "[node.which]\nkind = 'decision'\nbranches = [{ to = 'long', flow = 'some' }, { to = 'short', flow = 'n - 3' }]\n"
        + &op("long", 5.0, "loop")
        + &op("short", 1.0, "loop");
    let text = with_nodes("loop", 1.0, &nodes).replace("[machine]", "[parameters]\nn = 10\nsome = 3\n[machine]");
    let counted = cost(&text, 50);
    assert_eq!((counted.minimum_s, counted.maximum_s, counted.variance_s2), (22.0, 22.0, 0.0));
    assert_eq!(counted.histogram.len(), 1);
}

#[test]
fn a_binomial_count_gives_the_mean_and_variance_of_the_binomial_distribution() {
    let nodes = "[node.loop]\nkind = 'decision'\nbranches = [{ to = 'a', flow = 'n' }, { to = 'end', flow = 1 }]\n"
        .to_owned()
        + &op("a", 2.0, "loop");
    let text = with_nodes("loop", 1.0, &nodes)
        .replace("[machine]", "[parameters]\nn = { binomial = 100, p = 0.6 }\n[machine]");
    let cost = cost(&text, 10_000);
    assert!((cost.mean_s - 120.0).abs() < 0.5, "{}", cost.mean_s);
    assert!((cost.variance_s2 - 96.0).abs() < 5.0, "{}", cost.variance_s2);
    assert_eq!(cost.histogram.iter().map(|bin| bin.runs).sum::<u32>(), 10_000);
    assert!(cost.histogram.windows(2).all(|pair| pair[0].to_s == pair[1].from_s));
}

/// The source's example with other parameters.
fn producer_consumer(n: u32, full: &str, empty: u32, processors: u32) -> Cost {
    let text = PRODUCER_CONSUMER
        .replace("n = 50\n", &format!("n = {n}\n"))
        .replace("full = { binomial = 100, p = 0.6 }", &format!("full = {full}"))
        .replace("empty = 0", &format!("empty = {empty}"))
        .replace("processors = 2", &format!("processors = {processors}"));
    cost(&text, 200)
}

#[test]
fn the_producer_and_the_consumer_take_twice_as_long_on_one_processor() {
    let (one, two) = (producer_consumer(8, "0", 0, 1), producer_consumer(8, "0", 0, 2));
    assert!((one.mean_s / two.mean_s - 2.0).abs() < 1e-9, "{} {}", one.mean_s, two.mean_s);
    assert!((waited(&one, "consumer-locks") / waited(&two, "consumer-locks") - 2.0).abs() < 1e-9);
    // The producer's own 8 (5 + 1 + 3) us, twice as long, at the least; everything in a row at the most.
    assert!(one.minimum_s >= 2.0 * 72e-6 - 1e-12 && one.maximum_s <= 2.0 * (72e-6 + 56e-6), "{one:?}");
}

#[test]
fn being_full_and_being_empty_cost_time_and_waiting() {
    let plain = producer_consumer(30, "0", 0, 2);
    let busy = producer_consumer(30, "40", 50, 2);
    // Each further look takes 1 us, and both need the counter for it.
    assert!(busy.mean_s > plain.mean_s + 40e-6, "{} {}", plain.mean_s, busy.mean_s);
    let waits = |cost: &Cost| waited(cost, "producer-locks") + waited(cost, "consumer-locks");
    assert!(waits(&busy) > waits(&plain), "{} {}", waits(&plain), waits(&busy));
    assert!(busy.variance_s2 > 0.0, "which look finds the buffer full is drawn");
    let empty = producer_consumer(20, "0", 45, 2);
    assert!(empty.minimum_s >= 20.0 * 7e-6 + 45e-6 - 1e-12, "the consumer's own time: {}", empty.minimum_s);
}

#[test]
fn the_producer_as_it_is_in_the_file_takes_as_long_as_its_flow_counts_say() {
    let as_is = cost(PRODUCER_CONSUMER, 2000);
    // The producer is the slower one: 50 (5 + 1 + 3) us and, 60 times on average, another look; waiting comes on top.
    let alone_s = 50.0 * 9e-6 + 60e-6;
    assert!(as_is.mean_s > alone_s && as_is.mean_s < alone_s + 50.0 * 7e-6, "{} {alone_s}", as_is.mean_s);
    let again = cost(PRODUCER_CONSUMER, 2000);
    assert_eq!(as_is, again, "the same seed gives the same answer");
}

#[test]
fn a_sweep_goes_through_all_combinations_with_the_same_seed() {
    let text = PRODUCER_CONSUMER.to_owned()
        + "[sweep]\nprocessors = [1, 2, 4]\npolicy = ['equal', 'proportional']\n[sweep.parameters]\nn = [10, 20]\n";
    let structure = Structure::from_toml(&text).unwrap();
    let settings = sweep(&structure, 50, 1).unwrap();
    assert_eq!(settings.len(), 12);
    let of = |processors: f64, n: u32| {
        let fits = |s: &&midrun_predict::time_cost::SweepPoint| s.processors == processors && s.parameters["n"] == n;
        settings.iter().find(fits).unwrap().cost.mean_s
    };
    assert!((of(1.0, 10) / of(2.0, 10) - 2.0).abs() < 1e-9 && (of(2.0, 10) - of(4.0, 10)).abs() < 1e-18);
    assert!(of(2.0, 20) > of(2.0, 10));
    let unknown = Structure::from_toml(&text.replace("\nn = [10", "\nm = [10")).unwrap_err();
    assert!(unknown.to_string().contains("no parameter `m`"), "{unknown}");
}

#[test]
fn two_signals_that_wait_for_each_other_are_a_deadlock_with_its_nodes() {
    let branch = |name: &str, first: &str, second: &str| {
        format!("[node.{name}]\nkind = 'lock'\nwrite = ['{first}']\nto = '{name}-op'\n")
            + &op(&format!("{name}-op"), 1.0, &format!("{name}-2"))
            + &format!("[node.{name}-2]\nkind = 'lock'\nwrite = ['{second}']\nto = '{name}-un'\n")
            + &format!("[node.{name}-un]\nkind = 'unlock'\nlocks = ['l', 'm']\nto = 'meet'\n")
    };
    let text = forked(2.0, "[{ to = 'a' }, { to = 'b' }]", &(branch("a", "l", "m") + &branch("b", "m", "l")));
    let CostError::Deadlock { time_s, mut waiting } = fault(&text) else { panic!("a deadlock") };
    waiting.sort();
    assert_eq!((time_s, waiting), (1.0, vec!["a-2".to_owned(), "b-2".to_owned()]));
    let ordered = forked(2.0, "[{ to = 'a' }, { to = 'b' }]", &(branch("a", "l", "m") + &branch("b", "l", "m")));
    assert_eq!(seconds(&ordered), 2.0);
}

#[test]
fn misused_locks_and_counts_that_do_not_fit_are_named() {
    let lock = "[node.take]\nkind = 'lock'\nwrite = ['l']\nto = 'next'\n";
    let twice = with_nodes("take", 1.0, &lock.replace("'next'", "'take2'"))
        + "[node.take2]\nkind = 'lock'\nread = ['l']\nto = 'end'\n";
    let other = twice.replace("write = ['l']", "write = ['l', 'm']").replace("read = ['l']", "read = ['m']");
    let kept = with_nodes("take", 1.0, &lock.replace("'next'", "'end'"));
    let stray = with_nodes("un", 1.0, "[node.un]\nkind = 'unlock'\nlocks = ['m']\nto = 'end'\n");
    let flow = |first: &str, last: &str| {
        let text = format!("branches = [{{ to = 'a', flow = {first} }}, {{ to = 'end', flow = {last} }}]\n");
        with_nodes("loop", 1.0, &("[node.loop]\nkind = 'decision'\n".to_owned() + &text + &op("a", 1.0, "loop")))
    };
    let endless = with_nodes(
        "a",
        1.0,
        &(op("a", 0.0, "which")
            + "[node.which]\nkind = 'decision'\nbranches = [{ to = 'a', probability = 1 }, { to = 'end', probability = 0 }]\n"),
    );
    for (text, parts) in [
        (twice, &["take2", "holds this lock already", "`l`"][..]),
        (other, &["take2", "holds this lock already", "`m`"]),
        (kept, &["`end`", "while holding `l`"]),
        (stray, &["`un`", "does not hold", "`m`"]),
        (flow("3", "0"), &["`loop`", "more often"]),
        (flow("3", "2"), &["`loop`", "passages", "left over"]),
        (flow("'n - 8'", "1").replace("[machine]", "[parameters]\nn = 5\n[machine]"), &["`loop`", "`n - 8` is -3"]),
        (endless, &["still running", "10000000"]),
    ] {
        let error = fault(&text).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}: {parts:?}\n{text}");
    }
    let text = forked(1.0, "[{ to = 'a' }, { to = 'b' }]", OPERATIONS);
    assert!(Structure::from_toml(&text).is_ok());
}

#[test]
fn where_nothing_is_drawn_one_run_is_exact_and_says_so() {
    let exact = |text: &str| {
        let cost = cost(text, 50);
        assert_eq!(cost.interval_s.is_none(), cost.runs == 1);
        cost.runs == 1
    };
    let fixed = with_nodes("a", 1.0, &op("a", 4.0, "end"));
    assert!(exact(&fixed) && exact(&forked(2.0, "[{ to = 'a' }, { to = 'b' }]", OPERATIONS)));
    assert!(!exact(&fixed.replacen("cost_s = 4", "variance_s2 = 1.0\ncost_s = 4", 1)));
    // A loop goes on until its one way out is left; two ways of a decision come in random order.
    let flow = |ways: &str, nodes: &str| {
        with_nodes("loop", 1.0, &format!("[node.loop]\nkind = 'decision'\nbranches = [{ways}]\n{nodes}"))
    };
    let (a, b) = (op("a", 1.0, "loop"), op("b", 2.0, "loop"));
    assert!(exact(&flow("{ to = 'a', flow = 7 }, { to = 'end', flow = 1 }", &a)));
    assert!(!exact(&flow("{ to = 'a', flow = 7 }, { to = 'b', flow = 3 }, { to = 'end', flow = 1 }", &(a + &b))));
    assert!(!exact(PRODUCER_CONSUMER));
}
