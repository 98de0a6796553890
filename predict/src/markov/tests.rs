//! Chains whose steady state is known, and both methods against each other.

use proptest::prelude::*;

use super::*;

fn with(method: Method) -> Options {
    Options { method: Some(method), ..Options::default() }
}

/// A chain of `states` states; a transition is (from, to, rate per second).
fn chain_of(states: usize, transitions: &[(usize, usize, f64)]) -> Chain {
    let (mut rows, mut targets, mut kind_of) = (vec![0], Vec::new(), Vec::new());
    for state in 0..states {
        for (index, (_, to, _)) in transitions.iter().enumerate().filter(|(_, (from, ..))| *from == state) {
            targets.push(*to as u32);
            kind_of.push(index as u32);
        }
        rows.push(targets.len());
    }
    let chain = Chain::from_rows(&rows, &targets, &kind_of, transitions.iter().map(|(_, _, rate)| *rate).collect());
    assert_eq!(chain.one_that_does_not_return(), None);
    chain
}

/// M/M/1 with `places` places: pi_k is proportional to (arrival/service)^k.
fn queue(places: usize, arrival: f64, service: f64) -> Chain {
    let up = (0..places).map(|k| (k, k + 1, arrival));
    let down = (0..places).map(|k| (k + 1, k, service));
    chain_of(places + 1, &up.chain(down).collect::<Vec<_>>())
}

#[test]
fn a_queue_has_its_geometric_distribution_by_both_methods() {
    for (arrival, service) in [(0.5, 1.0), (3.0, 2.0), (1e-3, 1e3)] {
        let chain = queue(12, arrival, service);
        let ratio: f64 = arrival / service;
        let sum: f64 = (0..=12).map(|k| ratio.powi(k)).sum();
        for method in [Method::Direct, Method::Iterative] {
            let steady = chain.steady_state(&with(method)).unwrap();
            assert_eq!(steady.method, method);
            for (k, probability) in steady.probabilities.iter().enumerate() {
                let exact = ratio.powi(k as i32) / sum;
                assert!((probability - exact).abs() < 1e-7 * exact + 1e-10, "{method:?} {k}: {probability} {exact}");
            }
        }
    }
}

#[test]
fn a_ring_met_backwards_converges_although_plain_sweeps_go_round_in_a_circle() {
    let ring = [(0, 2, 1.0), (2, 1, 2.0), (1, 0, 4.0)];
    let steady = chain_of(3, &ring).steady_state(&with(Method::Iterative)).unwrap();
    for (got, exact) in steady.probabilities.iter().zip([4.0 / 7.0, 1.0 / 7.0, 2.0 / 7.0]) {
        assert!((got - exact).abs() < 1e-9);
    }
}

#[test]
fn a_chain_that_cannot_be_solved_says_why() {
    let few = Options { max_sweeps: 8, ..with(Method::Iterative) };
    assert!(matches!(queue(200, 1.0, 0.9).steady_state(&few), Err(Error::NotConverged { sweeps: 8, .. })));
}

proptest! {
    #[test]
    fn both_methods_agree_on_any_strongly_connected_chain(
        states in 2_usize..25,
        more in prop::collection::vec((0_usize..25, 0_usize..25, -1.5..1.5), 0..60),
        ring in prop::collection::vec(-1.5..1.5, 25),
    ) {
        // A ring makes it strongly connected; rates from 0.03 to 30.
        let mut transitions: Vec<_> = (0..states).map(|k| (k, (k + 1) % states, 10_f64.powf(ring[k]))).collect();
        transitions.extend(more.iter().map(|(a, b, rate)| (a % states, b % states, 10_f64.powf(*rate))));
        let chain = chain_of(states, &transitions);
        let direct = chain.steady_state(&with(Method::Direct)).unwrap();
        let iterative = chain.steady_state(&with(Method::Iterative)).unwrap();
        prop_assert!((direct.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        prop_assert!(direct.probabilities.iter().all(|p| *p > 0.0));
        for (a, b) in direct.probabilities.iter().zip(&iterative.probabilities) {
            prop_assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    }
}
