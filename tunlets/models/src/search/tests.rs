//! Searches of functions that are known: what they find, that they end, that they stay inside.

use super::*;
use crate::random::Random;
use proptest::prelude::*;

fn plan(method: Method, budget: usize, seed: u64) -> Plan {
    Plan { method, budget, seed }
}

/// Runs a search to its end; times scatter by at most the share `noise`. Returns it and everything that was asked for.
fn run(mut search: Search, time_s: impl Fn(&[f64]) -> f64, noise: f64, seed: u64) -> (Search, Vec<Ask>) {
    let mut random = Random::new(seed);
    let mut asked = Vec::new();
    while let Some(ask) = search.ask() {
        assert_eq!(search.ask(), Some(ask.clone()), "the same until it is told");
        search.tell(time_s(&ask.values) * (1.0 + noise * (2.0 * random.uniform() - 1.0)));
        asked.push(ask);
        assert!(asked.len() <= search.budget(), "{} of {}", asked.len(), search.budget());
    }
    assert!(search.is_over());
    (search, asked)
}

/// Least at `(a - 5)² + (b - 40)²`, from 1 on.
fn bowl(values: &[f64]) -> f64 {
    1.0 + (values[0] - 5.0).powi(2) / 25.0 + ((values[1] - 40.0) / 40.0).powi(2)
}

#[test]
fn few_combinations_are_all_tried_and_the_best_one_is_found_exactly() {
    let space = Space::parse(["a=1..10", "kind=0..1 categorical"], []).unwrap();
    let time_s = |v: &[f64]| 1.0 + (v[0] - 7.0).abs() / 10.0 + v[1];
    let search = Search::new(space, vec![1.0, 1.0], &[], plan(Method::Auto, 90, 1));
    assert_eq!(search.method(), Method::Exhaustive);
    let (search, asked) = run(search, time_s, 0.0, 1);
    assert_eq!(search.best().unwrap(), Best { values: vec![7.0, 0.0], start: false, time_s: 1.0 });
    // 3 at start, 20 once each, then those within 2 % again, and 3 + 3 at the end.
    assert_eq!(asked.len(), 3 + 20 + 6);
    assert!(asked[asked.len() - 6..asked.len() - 3].iter().all(|ask| ask.start));
}

#[test]
fn a_simplex_finds_the_bottom_of_a_bowl_and_measures_no_combination_twice_in_vain() {
    let space = Space::parse(["a=0..100", "b=0..400"], []).unwrap();
    let search = Search::new(space, vec![90.0, 350.0], &[], plan(Method::Auto, 200, 1));
    assert_eq!(search.method(), Method::Simplex);
    let (search, _) = run(search, bowl, 0.0, 1);
    assert_eq!(search.best().unwrap().values, [5.0, 40.0]);
    let most = search.ranking().iter().map(|(_, _, count)| *count).max();
    assert!(most <= Some(3 + 3), "{most:?}");
}

#[test]
fn names_are_searched_by_evolution() {
    let space = Space::parse(["kind=0..7 categorical", "block=8..512 step 8"], []).unwrap();
    let time_s = |v: &[f64]| if v[0] == 3.0 { 1.0 + (v[1] / 64.0).ln().abs() } else { 4.0 };
    let search = Search::new(space, vec![0.0, 8.0], &[], plan(Method::Auto, 300, 1));
    assert_eq!(search.method(), Method::Evolution);
    let (search, _) = run(search, time_s, 0.0, 1);
    let best = search.best().unwrap();
    assert!(best.values[0] == 3.0 && best.time_s < 1.3, "{best:?}");
}

#[test]
fn what_is_clearly_worse_is_measured_once() {
    let space = Space::parse(["a=1,2,3"], []).unwrap();
    let time_s = |v: &[f64]| if v[0] == 2.0 { 1.0 } else { 2.0 };
    let (search, _) = run(Search::new(space, vec![9.0], &[], plan(Method::Exhaustive, 60, 4)), time_s, 0.0, 1);
    assert_eq!(search.ranking()[1..], [(vec![1.0], 2.0, 1), (vec![3.0], 2.0, 1)]);
}

#[test]
fn where_the_values_at_start_are_best_they_stand() {
    let space = Space::parse(["a=1..12"], []).unwrap();
    let time_s = |v: &[f64]| if v[0] == 20.0 { 1.0 } else { 1.5 };
    for (_, method) in Method::NAMES {
        let (search, _) = run(Search::new(space.clone(), vec![20.0], &[], plan(method, 60, 1)), time_s, 0.01, 2);
        assert!(search.best().is_some_and(|best| best.start && best.values == [20.0]), "{method:?}");
    }
}

#[test]
fn what_an_earlier_search_found_comes_right_after_the_start() {
    let space = Space::parse(["a=0..100", "b=0..400"], []).unwrap();
    let known = [vec![5.0, 40.0], vec![6.0, 41.0], vec![7.5, 40.0]];
    let search = Search::new(space, vec![90.0, 350.0], &known, plan(Method::Auto, 60, 1));
    let (search, asked) = run(search, bowl, 0.0, 1);
    assert_eq!(asked[3].values, [6.0, 41.0]);
    assert!(asked[4..8].iter().any(|ask| ask.values == [5.0, 40.0]));
    assert_eq!(search.best().unwrap().values, [5.0, 40.0]);
}

#[test]
fn a_constraint_is_never_broken_and_a_dot_is_written_as_a_line() {
    let space = Space::parse(["mw.a=1..64", "b=1..64"], ["mw_a * b <= 256", "mw_a >= 4"]).unwrap();
    let time_s = |v: &[f64]| 100.0 - (v[0] * v[1]).sqrt();
    for (_, method) in Method::NAMES {
        let (search, asked) =
            run(Search::new(space.clone(), vec![64.0, 1.0], &[], plan(method, 80, 3)), time_s, 0.0, 1);
        let inside = |ask: &Ask| ask.start || (ask.values[0] * ask.values[1] <= 256.0 && ask.values[0] >= 4.0);
        assert!(asked.iter().all(inside), "{method:?}");
        assert!(search.best().unwrap().time_s < 92.0, "{method:?} {:?}", search.best());
    }
}

#[test]
fn times_that_cannot_be_only_count() {
    let space = Space::parse(["a=1..50"], []).unwrap();
    for bad in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        for (_, method) in Method::NAMES {
            let (search, _) = run(Search::new(space.clone(), vec![9.0], &[], plan(method, 40, 1)), |_| bad, 0.0, 1);
            assert_eq!(search.best(), None);
        }
    }
}

#[test]
fn a_space_is_read_and_nonsense_is_refused_with_what_would_be_right() {
    let values = |text: &str| Dimension::parse(text).unwrap().values;
    assert_eq!(values("a=8..24 step 8"), [8.0, 16.0, 24.0]);
    assert_eq!(values("a = 1 .. 3"), [1.0, 2.0, 3.0]);
    assert_eq!(values("a=0.1..0.35 step 0.1"), [0.1, 0.2, 0.3]);
    assert_eq!(values("a=64, 8,8,16"), [8.0, 16.0, 64.0]);
    let words =
        |text: &str| Dimension::parse(text).map(|read| (read.values.len(), read.categorical, read.synchronized));
    assert_eq!(words("a=0..3 categorical"), Ok((4, true, false)));
    assert_eq!(words("a=0,1,2 synchronized"), Ok((3, false, true)));
    assert_eq!(words("a=8..32 step 8 together"), Ok((4, false, true)));
    assert_eq!(words("a=0..3 synchronized categorical"), words("a=0..3 categorical together"));
    assert_eq!(words("a=0..3 categorical together"), Ok((4, true, true)));
    for (text, part) in [
        ("a", "expected is NAME=LEAST..MOST"),
        ("=1..2", "expected is"),
        ("a b=1..2", "expected is"),
        ("a=1..x", "expected is"),
        ("a=1,,2", "expected is"),
        ("a=1,2 synchronised", "at the end categorical or synchronized, or both"),
        ("together=1,2 together 3", "expected is"),
        ("a=0.1..0.9", "say the step, such as 0.1..0.9 step 0.08"),
        ("a=9..1", "a least value, a greater one"),
        ("a=1..9 step 0", "a step above 0"),
        ("a=0..1e9", "allowed are 100000"),
    ] {
        let error = Space::parse([text], []).unwrap_err().to_string();
        assert!(error.starts_with(text) && error.contains(part), "{error}");
    }
    let error =
        |points: &[&str], constraint: &str| Space::parse(points.iter().copied(), [constraint]).unwrap_err().to_string();
    assert_eq!(error(&["a=1..2", "a=1..3"], "1"), "a is named twice");
    assert_eq!(error(&["a=1..2"], "a * c < 3"), "a * c < 3: c is none of a");
    assert_eq!(
        error(&["a=1..2"], "a <"),
        "a <: column 4: it ends too early: a number, a name, a function, `(`, `-` or `not` was expected"
    );
    assert_eq!(error(&["a=1..2"], "a < uniform(1, 2)"), "a < uniform(1, 2): a condition cannot draw numbers");
    assert_eq!(error(&["a=1..2"], "a > 2"), "the constraints leave no combination of values");
    assert_eq!(Space::parse([], []).unwrap_err().to_string(), "0 tuning points, allowed are 1 to 16");
}

#[test]
fn only_values_that_a_tuning_point_takes_are_left() {
    let space = Space::parse(["a=1..64"], []).unwrap();
    assert_eq!(space.clone().within(0, (60.0, 100.0), true).unwrap().size(), 5);
    assert!(space.within(0, (65.0, 100.0), true).is_none());
    let halves = Space::parse(["a=0.5..2.5 step 0.5"], []).unwrap();
    assert_eq!(halves.within(0, (0.0, 9.0), true).unwrap().dimensions[0].values, [1.0, 2.0]);
}

prop_compose! {
    /// A method, a space of one to three dimensions, a function of it that is sound, a start and a seed.
    fn task()(
        method in 0..Method::NAMES.len(),
        counts in prop::collection::vec(1usize..40, 1..4),
        names in prop::collection::vec(any::<bool>(), 3),
        middle in prop::collection::vec(0.0..1.0_f64, 3),
        start in prop::collection::vec(-50.0..50.0_f64, 3),
        budget in 0usize..150,
        seed in any::<u64>(),
    ) -> (Search, Vec<f64>, u64) {
        let text = |k: usize| format!("x{k}=1..{}{}", counts[k], if names[k] { " categorical" } else { "" });
        let texts: Vec<String> = (0..counts.len()).map(text).collect();
        let space = Space::parse(texts.iter().map(String::as_str), []).unwrap();
        let (_, method) = Method::NAMES[method];
        let search = Search::new(space, start[..counts.len()].to_vec(), &[], plan(method, budget, seed));
        (search, middle, seed)
    }
}

fn hills(values: &[f64], middle: &[f64]) -> f64 {
    let term = |(x, m): (&f64, &f64)| (x / 40.0 - m).powi(2) + 0.2 * (x * 3.0 + m).sin().abs();
    0.5 + values.iter().zip(middle).map(term).sum::<f64>()
}

proptest! {
    #[test]
    fn a_search_ends_within_its_budget_never_leaves_the_space_and_ends_no_worse_than_it_began(
        (search, middle, seed) in task(),
        noise in 0.0..0.05_f64,
    ) {
        let space = search.space().clone();
        let first = search.clone();
        let (search, asked) = run(search, |v| hills(v, &middle), noise, seed);
        for ask in &asked {
            prop_assert!(ask.start || space.exactly(&ask.values).is_some(), "{:?}", ask);
        }
        // The duel at the end compares medians of times within the noise.
        let (best, start) = (search.best().unwrap(), &asked[0]);
        prop_assert!(start.start);
        let ratio = (1.0 + noise) / (1.0 - noise);
        prop_assert!(hills(&best.values, &middle) <= hills(&start.values, &middle) * ratio * (1.0 + 1e-12));
        let again = run(first, |v| hills(v, &middle), noise, seed);
        prop_assert_eq!(again.1, asked, "the same seed, the same questions");
    }

    #[test]
    fn an_exhaustive_search_loses_no_more_than_its_rounds_of_noise(
        count in 2usize..40,
        middle in 0.0..1.0_f64,
        noise in 0.0..0.03_f64,
        seed in any::<u64>(),
    ) {
        let text = format!("x=1..{count}");
        let space = Space::parse([text.as_str()], []).unwrap();
        let least = (1..=count).map(|x| hills(&[x as f64], &[middle])).fold(f64::INFINITY, f64::min);
        let search = Search::new(space, vec![1.0], &[], plan(Method::Exhaustive, 10_000, seed));
        let (search, _) = run(search, |v| hills(v, &[middle]), noise, seed);
        // Who is dropped has a median above one that stays: each round, and the duel, costs one factor at most.
        let rounds = (count as f64).log2().ceil() + 1.0;
        let bound = ((1.0 + noise) / (1.0 - noise)).powf(rounds + 1.0);
        prop_assert!(hills(&search.best().unwrap().values, &[middle]) <= least * bound * (1.0 + 1e-12));
    }
}
