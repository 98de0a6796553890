//! What the ranks of `examples/allreduce_choice.c` say of the algorithms that they changed to.

use std::collections::BTreeMap;

/// (algorithm, from iteration) of each rank that changed, in its own words.
pub fn changes_of(out: &str) -> BTreeMap<u32, Vec<(usize, u64)>> {
    let mut all: BTreeMap<u32, Vec<(usize, u64)>> = BTreeMap::new();
    for line in out.lines() {
        let Some((rank, rest)) = line.strip_prefix("rank ").and_then(|line| line.split_once(": algorithm ")) else {
            continue;
        };
        let (algorithm, iteration) = rest.split_once(" from iteration ").expect("a change");
        let change = (algorithm.parse().expect("a number"), iteration.parse().expect("a number"));
        all.entry(rank.parse().expect("a rank")).or_default().push(change);
    }
    all
}

/// The changes that every one of so many ranks made in the same iterations, of a job that ended well.
pub fn the_same_on_all(out: &str, ranks: u32) -> Vec<(usize, u64)> {
    assert_eq!(out.lines().filter(|line| line.ends_with(": 0 wrong")).count(), ranks as usize, "{out}");
    let all = changes_of(out);
    let Some(first) = all.get(&0) else {
        assert!(all.is_empty(), "ranks differ: {all:?}");
        return Vec::new();
    };
    assert_eq!(all.len(), ranks as usize, "ranks differ: {all:?}");
    assert!(all.values().all(|changes| changes == first), "ranks differ: {all:?}");
    first.clone()
}
