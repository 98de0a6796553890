//! Which calls of a thread are timed, where timing each would take more than its share of the time.
//!
//! A timed call costs `c`, measured here and now; the budget allows a share `B` of the time. With `n_f` calls of function `f`, a
//! part `p_f` of them timed, in a time `T`:
//!
//! ```text
//! sum over f of  n_f p_f c  <=  B T
//! ```
//!
//! Each timed call stands for the calls of its function since the last timed one. The number of these is drawn anew each time,
//! evenly from 1 to `2 / p_f - 1`, so that no pattern of the program falls into step with it: the estimates are unbiased. Their
//! variance, the sum of `n_f (1 / p_f - 1) E[x_f^2]` for calls that take `x_f`, is smallest within the budget where
//!
//! ```text
//! p_f = min(1, l sqrt(E[x_f^2]))          with the l that spends the budget
//! ```
//!
//! (Neyman 1934). So calls that wait for others stay timed for longer than calls that return at once. What a function's calls took so
//! far need not be what they take next, so half of the budget goes by this rule, and half evenly to all functions: that at most
//! doubles the variance, and a function with few calls stays timed whatever these took.

use midrun_ring::counters::{CALLS, Page};

/// Longest time between two plans, nanoseconds. A plan for `n` functions takes some `10 n` ns.
const PLAN_NS: u64 = 10_000_000;
/// Before the cost of timing is known, the first plan comes after so many timed calls.
const FIRST: u64 = 1000;
/// Most calls for which one stands on average. At 10^8 calls per second, which no MPI reaches, one of them is timed each 10 ms.
const MOST: f64 = 1e6;

/// What is known of the calls of one function.
#[derive(Clone, Copy, Debug)]
struct Function {
    /// Calls made at the last timed one, and at the last plan.
    timed_at: u64,
    planned_at: u64,
    /// This call is timed whatever is drawn.
    bound: u64,
    /// Calls for which a timed one stands on average.
    step: u32,
    /// Sum of the squares of their times in ns^2, and their number; older ones count half at each plan.
    squares: f64,
    calls: f64,
}

/// The sampling of one thread's calls.
#[derive(Debug)]
pub struct Sampling {
    functions: Vec<Function>,
    /// Timed calls until the next plan, at most.
    left: u64,
    planned_ns: u64,
    random: u64,
    /// Room for a plan: number, calls and root mean square time of functions.
    open: Vec<(u32, f64, f64)>,
}

impl Sampling {
    /// Times each call until the first plan. The page may be continued from another thread.
    pub fn new(page: &Page, now_ns: u64) -> Sampling {
        let function = |number| {
            let made = page.made(number);
            page.set_due(number, 0);
            Function { timed_at: made, planned_at: made, bound: u64::MAX, step: 1, squares: 0.0, calls: 0.0 }
        };
        let functions = (0..CALLS as u32).map(function).collect();
        Sampling { functions, left: FIRST, planned_ns: now_ns, random: now_ns | 1, open: Vec::with_capacity(CALLS) }
    }

    /// A call of function `number` is timed: returns the number of calls that it stands for.
    pub fn weight(&mut self, page: &Page, number: u32) -> u64 {
        let (function, made) = (self.of(number), page.made(number));
        let weight = made.saturating_sub(function.timed_at).max(1);
        function.timed_at = made;
        weight
    }

    /// It took `time_ns`, and stands for `weight` calls. Returns whether it is time for a [`Sampling::plan`].
    pub fn on_timed(&mut self, page: &Page, number: u32, time_ns: u64, weight: u64, end_ns: u64) -> bool {
        let function = self.of(number);
        let ns = time_ns.max(1) as f64;
        function.squares += weight as f64 * ns * ns;
        function.calls += weight as f64;
        if function.step > 1 {
            self.draw(page, number);
        }
        self.left = self.left.saturating_sub(1);
        self.left == 0 || end_ns.saturating_sub(self.planned_ns) >= PLAN_NS
    }

    /// The `calls`-th call of the function from now on is timed, if none before it.
    pub fn within(&mut self, page: &Page, number: u32, calls: u64) {
        let bound = page.made(number) + calls;
        self.of(number).bound = bound;
        page.set_due(number, page.due(number).min(bound));
    }

    /// Chooses anew which calls are timed: they may take the share `budget` of the time, each costs `cost_ns`. `must_see` says of
    /// which functions each call is timed.
    pub fn plan(&mut self, page: &Page, now_ns: u64, cost_ns: f64, budget: f64, must_see: impl Fn(u32) -> bool) {
        let lasted_ns = now_ns.saturating_sub(self.planned_ns).max(1) as f64;
        // All of the time: each call.
        let mut allowed = if budget < 1.0 { budget * lasted_ns / cost_ns } else { f64::INFINITY };
        let mut open = std::mem::take(&mut self.open);
        for number in 0..CALLS as u32 {
            let function = self.of(number);
            let made = page.made(number);
            let calls = made.saturating_sub(function.planned_at) as f64;
            function.planned_at = made;
            if calls > 0.0 && must_see(number) {
                allowed -= calls;
            } else if calls > 0.0 && function.calls > 0.0 {
                open.push((number, calls, (function.squares / function.calls).sqrt()));
            } else {
                self.set_step(page, number, 1);
            }
        }
        allowed = allowed.max(0.0) / 2.0;
        let even = allowed / open.len().max(1) as f64;
        // From the function of the longest calls down: each call is timed as long as its share of what is left allows it.
        open.sort_unstable_by(|a, b| b.2.total_cmp(&a.2));
        let mut sum: f64 = open.iter().map(|(_, calls, rms_ns)| calls * rms_ns).sum();
        for (number, calls, rms_ns) in open.drain(..) {
            let mut share = (allowed * (rms_ns / sum.max(calls * rms_ns))).min(1.0);
            if share >= 1.0 {
                allowed = (allowed - calls).max(0.0);
                sum -= calls * rms_ns;
            }
            share = (share + even / calls).min(1.0);
            self.set_step(page, number, (1.0 / share).min(MOST).ceil() as u32);
        }
        for function in &mut self.functions {
            function.squares /= 2.0;
            function.calls /= 2.0;
        }
        self.open = open;
        self.planned_ns = now_ns;
        self.left = ((budget * PLAN_NS as f64 / cost_ns) as u64).max(1);
    }

    fn of(&mut self, number: u32) -> &mut Function {
        &mut self.functions[number as usize % CALLS]
    }

    fn set_step(&mut self, page: &Page, number: u32, step: u32) {
        let before = std::mem::replace(&mut self.of(number).step, step);
        if step != before {
            self.draw(page, number);
        }
    }

    /// Draws the function's next call to be timed.
    fn draw(&mut self, page: &Page, number: u32) {
        let random = draw(&mut self.random);
        let (function, made) = (self.of(number), page.made(number));
        let gap = 1 + ((u128::from(random) * u128::from(2 * u64::from(function.step) - 1)) >> 64) as u64;
        let bound = if function.bound > made { function.bound } else { u64::MAX };
        page.set_due(number, bound.min(made + gap));
    }
}

/// The next of a row of random numbers: xorshift64 (Marsaglia 2003). The state is not 0.
pub(super) fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_ring::counters::{Activity, Class};
    use midrun_ring::{Identity, Segment};

    /// A function's number, and the time of its call in a round that has one.
    type Calls<'a> = (u32, &'a dyn Fn(u64) -> Option<u64>);

    /// A program whose calls take the times that `ns_of(round)` gives, where it makes them, and nothing between them; returns
    /// (true, estimated) times of each function, and the share of the time that timing takes.
    fn run(rounds: u64, calls: &[Calls<'_>], cost_ns: f64) -> (Vec<(f64, f64)>, f64) {
        let (segment, _fd) = Segment::create(&Identity { world_size: 1, ..Identity::default() }, 1, 8).expect("memory");
        let page = segment.own_page(0);
        let (mut now_ns, mut timed) = (1_000_000, 0u64);
        let mut sampling = Sampling::new(&page, now_ns);
        let mut sums = vec![(0.0, 0.0); calls.len()];
        let mut counts = vec![0; calls.len()];
        for round in 0..rounds {
            for (at, (number, ns_of)) in calls.iter().enumerate() {
                let Some(ns) = ns_of(round) else { continue };
                counts[at] += 1;
                now_ns += ns;
                sums[at].0 += ns as f64;
                page.make(*number);
                if page.made(*number) < page.due(*number) {
                    continue;
                }
                timed += 1;
                let weight = sampling.weight(&page, *number);
                page.count(*number, Class::SameHost, 8, ns, weight);
                if sampling.on_timed(&page, *number, ns, weight, now_ns) {
                    sampling.plan(&page, now_ns, cost_ns, 0.01, |_| false);
                }
            }
        }
        for (at, (number, _)) in calls.iter().enumerate() {
            let tally = page.tallies(*number as usize)[Class::SameHost as usize];
            assert_eq!((tally.count, tally.bytes), (counts[at], 8 * counts[at]), "numbers of calls are exact");
            sums[at].1 = tally.time_ns as f64;
        }
        (sums, timed as f64 * cost_ns / (now_ns - 1_000_000) as f64)
    }

    #[test]
    fn calls_that_are_rare_enough_are_all_timed() {
        let (sums, _) = run(20_000, &[(4, &|_| Some(4_000)), (12, &|round| Some(3_000 + round % 7))], 30.0);
        assert!(sums.iter().all(|(truth, estimate)| truth == estimate), "{sums:?}");
    }

    #[test]
    fn the_cost_stays_within_the_budget_and_the_times_are_right() {
        let probe = |round: u64| Some(30 + round % 8); // falls into step with any fixed number of calls
        let (sums, share) = run(4_000_000, &[(21, &probe)], 35.0);
        let (truth, estimate) = sums[0];
        assert!(share < 0.012, "{share}");
        assert!((estimate / truth - 1.0).abs() < 0.01, "{truth} {estimate}");
    }

    #[test]
    fn calls_that_wait_stay_timed_beside_many_that_do_not() {
        // A barrier after each thousand probes.
        let wait = |round: u64| round.is_multiple_of(1000).then(|| 10_000 * (round / 1000 % 100));
        let (sums, share) = run(1_000_000, &[(21, &|_| Some(40)), (47, &wait)], 35.0);
        assert!(share < 0.012, "{share}");
        let [probes, barriers] = sums[..] else { panic!("two functions") };
        assert_eq!(barriers.0, barriers.1, "each barrier is timed");
        assert!((probes.1 / probes.0 - 1.0).abs() < 0.01, "{probes:?}");
    }

    #[test]
    fn a_call_that_must_be_seen_is_timed_in_time() {
        let (segment, _fd) = Segment::create(&Identity { world_size: 1, ..Identity::default() }, 1, 8).expect("memory");
        let page = segment.own_page(0);
        let mut sampling = Sampling::new(&page, 1);
        (0..1_000_000).for_each(|_| page.make(4));
        sampling.on_timed(&page, 4, 10, 1_000_000, 10_000_001);
        sampling.plan(&page, 10_000_001, 30.0, 0.01, |_| false);
        sampling.weight(&page, 4);
        assert!(page.due(4) > page.made(4), "one of 300 is timed");
        sampling.within(&page, 4, 2);
        assert!(page.due(4) <= page.made(4) + 2);
        (0..1_000_000).for_each(|_| page.make(4));
        sampling.plan(&page, 20_000_001, 30.0, 0.01, |number| number == 4);
        assert!(page.due(4) <= page.made(4) + 1, "now each is");
    }

    #[test]
    fn calls_that_nobody_timed_before_a_thread_ended_are_counted_once_it_is_outside_mpi() {
        let (segment, _fd) = Segment::create(&Identity { world_size: 1, ..Identity::default() }, 1, 8).expect("memory");
        let page = segment.own_page(0);
        let mut sampling = Sampling::new(&page, 1);
        let count = || page.tallies(4)[Class::SameHost as usize].count;
        page.make(4);
        page.count(4, Class::SameHost, 8, 10, sampling.weight(&page, 4));
        page.set_due(4, 100);
        (0..9).for_each(|_| page.make(4));
        assert_eq!(count(), 10);
        Sampling::new(&page, 2); // another thread continues the page, and times each call
        assert_eq!(count(), 10, "the last one before it does not run");
        page.make(4);
        page.enter(Activity::Waiting, 3);
        assert_eq!(count(), 10, "this one runs");
        page.leave(Activity::Waiting, 4);
        assert_eq!(count(), 11);
    }
}
