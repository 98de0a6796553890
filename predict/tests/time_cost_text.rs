//! The text of computation structures: mistakes with their place, printing and reading, any text at all.

mod structures;

use midrun_predict::time_cost::{Structure, evaluate};
use proptest::prelude::*;
use structures::{OPERATIONS, forked, op, with_nodes};

const PRODUCER_CONSUMER: &str = include_str!("../../examples/models/producer_consumer.toml");

fn refused(text: &str, parts: &[&str]) {
    let error = Structure::from_toml(text).map(drop).expect_err(text).to_string();
    assert!(parts.iter().all(|part| error.contains(part)), "{error}: {parts:?}\n{text}");
    assert!(!error.contains('\n'));
}

#[test]
fn a_mistake_is_one_sentence_with_its_place() {
    let good = with_nodes("a", 1.0, &op("a", 1.0, "end"));
    assert!(Structure::from_toml(&good).is_ok());
    for (from, to, parts) in [
        ("cost_s = 1.0", "cost_s = nan", &["line 7", "the time is NaN", "finite and 0 or more"][..]),
        ("cost_s = 1.0", "cost_s = -1", &["line 7", "the time is -1"]),
        ("cost_s = 1.0", "cost_s = 1\nvariance_s2 = -1", &["line 7", "standard deviation is NaN"]),
        ("cost_s = 1.0", "cots_s = 1.0", &["line 9, column 1", "cots_s", "cost_s"]),
        ("cost_s = 1.0\n", "", &["line 7", "operation", "needs `cost_s`"]),
        ("to = 'end'", "to = 'ned'", &["line 10, column 6", "no node `ned`"]),
        ("to = 'end'", "to = 'end'\nlocks = ['l']", &["line 7", "has no `locks`"]),
        ("'operation'", "'operator'", &["line 8, column 8", "operator", "operation"]),
        ("start = 'a'", "start = 'b'", &["line 1, column 9", "no node `b`"]),
        ("processors = 1.0", "processors = 0", &["processors is 0", "above 0"]),
        ("processors = 1.0", "processors = nan", &["processors is NaN"]),
        ("speed = 1", "speed = -2", &["speed is -2"]),
        ("'equal'", "'fair'", &["line 6, column 10", "fair", "proportional"]),
        ("[machine]", "[parameters]\nn = -1\n[machine]", &["line 4, column 5", "`n`", "binomial"]),
        ("[machine]", "[parameters]\nn = { binomial = 9, p = 1.5 }\n[machine]", &["`n`", "p is 1.5"]),
        ("[machine]", "[parameters]\nn = { uniform = [5, 2] }\n[machine]", &["`n`", "5 to 2"]),
        ("[machine]", "[parameters]\n'n-1' = 3\n[machine]", &["line 4", "letters, digits"]),
        ("[node.end]", "[node.off]\nkind = 'or'\nto = 'end'\n[node.end]", &["line 11", "`off`", "cannot be reached"]),
    ] {
        assert!(good.contains(from), "{from}");
        refused(&good.replace(from, to), parts);
    }
    refused("", &["missing field `start`"]);
}

#[test]
fn forks_joins_and_decisions_must_fit() {
    let fork = |branches: &str| forked(1.0, branches, OPERATIONS);
    let both = fork("[{ to = 'a' }, { to = 'b' }]");
    assert!(Structure::from_toml(&both).is_ok());
    refused(&both.replacen("to = 'meet'", "to = 'end'", 1), &["end `end`", "inside fork `split`"]);
    refused(&both.replacen("to = 'meet'", "to = 'b'", 1), &["`b`", "different branches of fork `split`"]);
    refused(&both.replacen("to = 'meet'", "to = 'a'", 1), &["branch of fork `split` to `a`", "never reaches a join"]);
    refused(&both.replace("start = 'split'", "start = 'a'"), &["join `meet`", "outside of any fork"]);
    refused(&both.replace("'equal'", "'user'"), &["`split`", "policy user", "weight"]);
    refused(&fork("[{ to = 'a', weight = 1 }, { to = 'b' }]"), &["`split`", "weight above 0"]);
    refused(&fork("[{ to = 'a', weight = 1 }, { to = 'b', weight = nan }]"), &["`split`", "weight above 0"]);
    refused(&fork("[]"), &["a fork needs branches"]);
    refused(&fork("[{ to = 'a', flow = 1 }, { to = 'b' }]"), &["line 9", "perhaps `weight`"]);
    let decision =
        |branches: &str| with_nodes("d", 1.0, &format!("[node.d]\nkind = 'decision'\nbranches = {branches}\n"));
    refused(&decision("[{ to = 'end', probability = 0.9 }]"), &["line 7", "`d`", "0.9 instead of 1"]);
    refused(&decision("[{ to = 'end', probability = nan }]"), &["`d`", "between 0 and 1"]);
    refused(&decision("[{ to = 'end' }]"), &["line 9, column 13", "either `probability` or `flow`"]);
    refused(&decision("[{ to = 'end', flow = 'n' }]"), &["`d`", "no parameter `n`"]);
    refused(&decision("[{ to = 'end', flow = -1 }]"), &["line 9, column 34", "`-1`", "whole number"]);
    refused(&decision("[{ to = 'end', flow = 1.5 }]"), &["`1.5`", "whole number"]);
    refused(&decision("[]"), &["a decision has branches"]);
    let lock = |locks: &str| with_nodes("t", 1.0, &format!("[node.t]\nkind = 'lock'\n{locks}to = 'end'\n"));
    refused(&lock("write = ['x']\n"), &["line 9, column 10", "`x`", "list of locks"]);
    refused(&lock("write = ['l']\nread = ['l']\n"), &["`t`", "a lock twice"]);
    refused(&lock(""), &["`t`", "at least one lock"]);
}

#[test]
fn the_example_reads_back_as_it_is_printed() {
    let structure = Structure::from_toml(PRODUCER_CONSUMER).unwrap();
    assert_eq!(Structure::from_toml(&structure.to_toml()).unwrap(), structure);
}

/// Something that a signal passes from node `from` on; what follows is `to`.
#[derive(Clone, Debug)]
enum Block {
    Operation(f64, Option<f64>),
    Row(Vec<Block>),
    Either(Vec<Block>),
    Loop(u32, Box<Block>),
    Fork(Vec<Block>, bool),
    Locked(bool),
}

fn any_block() -> impl Strategy<Value = Block> {
    let leaf = prop_oneof![
        (0.001..10.0_f64, proptest::option::of(0.0..4.0_f64))
            .prop_map(|(cost, variance)| Block::Operation(cost, variance)),
        proptest::bool::ANY.prop_map(Block::Locked),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let some = proptest::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            some.clone().prop_map(Block::Row),
            some.clone().prop_map(Block::Either),
            (some, proptest::bool::ANY).prop_map(|(blocks, weights)| Block::Fork(blocks, weights)),
            (1_u32..4, inner).prop_map(|(count, block)| Block::Loop(count, Box::new(block))),
        ]
    })
}

/// Writes a block's nodes and gives the name of the first.
fn write(block: &Block, to: &str, text: &mut String, number: &mut u32) -> String {
    *number += 1;
    let name = format!("n{number:04}");
    let node = match block {
        Block::Operation(cost, None) => op(&name, *cost, to),
        Block::Operation(cost, Some(v)) => op(&name, *cost, to) + &format!("variance_s2 = {v:?}\n"),
        Block::Row(blocks) => {
            let first = blocks.iter().rev().fold(to.to_owned(), |to, block| write(block, &to, text, number));
            format!("[node.{name}]\nkind = 'or'\nto = '{first}'\n")
        }
        Block::Either(blocks) => {
            let p = 1.0 / blocks.len() as f64;
            let each = |block| format!("{{ to = '{}', probability = {p:?} }}", write(block, to, text, number));
            let ways: Vec<String> = blocks.iter().map(each).collect();
            format!("[node.{name}]\nkind = 'decision'\nbranches = [{}]\n", ways.join(", "))
        }
        Block::Loop(count, inner) => {
            // The body leads to an or before the decision; counts hold for one run, so that there are no loops in loops.
            let body = write(inner, &name, text, number);
            let ways = format!("{{ to = '{body}', flow = {count} }}, {{ to = '{to}', flow = 'one' }}");
            format!("[node.{name}]\nkind = 'decision'\nbranches = [{ways}]\n")
        }
        Block::Fork(blocks, weights) => {
            let join = format!("{name}-join");
            *text += &format!("[node.{join}]\nkind = 'join'\nto = '{to}'\n");
            let weight = if *weights { ", weight = 2.5" } else { "" };
            let each = |block| format!("{{ to = '{}'{weight} }}", write(block, &join, text, number));
            let ways: Vec<String> = blocks.iter().map(each).collect();
            format!("[node.{name}]\nkind = 'fork'\nbranches = [{}]\n", ways.join(", "))
        }
        Block::Locked(shared) => {
            let mode = if *shared { "read" } else { "write" };
            *text += &(op(&format!("{name}-b"), 1.0, &format!("{name}-c"))
                + &format!("[node.{name}-c]\nkind = 'unlock'\nlocks = ['l']\nto = '{to}'\n"));
            format!("[node.{name}]\nkind = 'lock'\n{mode} = ['l']\nto = '{name}-b'\n")
        }
    };
    *text += &node;
    name
}

/// Time of a block without waiting, on as many processors as it can use: at least and at most.
fn bounds(block: &Block) -> (f64, f64) {
    let all = |blocks: &[Block]| blocks.iter().map(bounds).collect::<Vec<_>>();
    match block {
        Block::Operation(cost, None) => (*cost, *cost),
        Block::Operation(_, Some(_)) => (0.0, f64::INFINITY),
        Block::Locked(_) => (1.0, f64::INFINITY),
        Block::Row(blocks) => all(blocks).iter().fold((0.0, 0.0), |sum, b| (sum.0 + b.0, sum.1 + b.1)),
        Block::Either(blocks) => {
            all(blocks).iter().fold((f64::INFINITY, 0.0), |sum, b| (sum.0.min(b.0), sum.1.max(b.1)))
        }
        Block::Fork(blocks, _) => all(blocks).iter().fold((0.0, 0.0), |sum, b| (sum.0.max(b.0), sum.1.max(b.1))),
        Block::Loop(count, inner) => {
            let (low, high) = bounds(inner);
            (f64::from(*count) * low, f64::from(*count) * high)
        }
    }
}

/// The same without loops inside loops or decisions, which would need other counts than one run's; without locks if asked.
fn fitting(block: Block, inside: bool, locks: bool) -> Block {
    let all = |blocks: Vec<Block>, inside| blocks.into_iter().map(|block| fitting(block, inside, locks)).collect();
    match block {
        Block::Locked(_) if !locks => Block::Operation(1.0, None),
        Block::Operation(..) | Block::Locked(_) => block,
        Block::Row(blocks) => Block::Row(all(blocks, inside)),
        Block::Fork(blocks, weights) => Block::Fork(all(blocks, inside), weights),
        Block::Either(blocks) => Block::Either(all(blocks, true)),
        Block::Loop(_, inner) if inside => fitting(*inner, true, locks),
        Block::Loop(count, inner) => Block::Loop(count, Box::new(fitting(*inner, true, locks))),
    }
}

fn text_of(block: &Block, processors: f64) -> String {
    let (mut nodes, mut number) = (String::new(), 0);
    let first = write(block, "end", &mut nodes, &mut number);
    with_nodes(&first, processors, &nodes).replace("[machine]", "[parameters]\none = 1\n[machine]")
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_the_same(block in any_block()) {
        let structure = Structure::from_toml(&text_of(&block, 3.0)).unwrap();
        let again = Structure::from_toml(&structure.to_toml()).unwrap();
        prop_assert_eq!(again.to_toml(), structure.to_toml());
    }

    #[test]
    fn a_run_lies_between_the_bounds_of_its_blocks(block in any_block(), seed in 0_u64..1000) {
        let block = fitting(block, false, true);
        // Equal shares halve at each fork: enough processors for any depth.
        let structure = Structure::from_toml(&text_of(&block, 1e6)).unwrap();
        let cost = evaluate(&structure, 3, seed).unwrap();
        let (low, high) = bounds(&block);
        prop_assert!(cost.minimum_s >= low * (1.0 - 1e-9) && cost.maximum_s <= high * (1.0 + 1e-9), "{low} {high} {cost:?}");
        prop_assert_eq!(evaluate(&structure, 3, seed).unwrap(), cost);
    }

    #[test]
    fn without_locks_half_the_power_takes_twice_as_long(block in any_block()) {
        let block = fitting(block, false, false);
        let mean = |processors| evaluate(&Structure::from_toml(&text_of(&block, processors)).unwrap(), 1, 5).unwrap().mean_s;
        let (half, quarter) = (mean(0.5), mean(0.25));
        prop_assert!((quarter - 2.0 * half).abs() <= 1e-9 * half && mean(1.0) <= half);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        let _ = Structure::from_toml(&text);
    }

    #[test]
    fn no_change_of_a_good_text_makes_the_reader_or_a_run_panic(
        at in 0_usize..PRODUCER_CONSUMER.len(), with in "[-a-z0-9.=\\[\\]{}'\"\n ]{0,3}", cut in 0_usize..8,
    ) {
        let mut text: Vec<char> = PRODUCER_CONSUMER.chars().collect();
        let at = at.min(text.len());
        text.splice(at..(at + cut).min(text.len()), with.chars());
        if let Ok(structure) = Structure::from_toml(&text.into_iter().collect::<String>()) {
            let _ = evaluate(&structure, 1, 1);
        }
    }
}
