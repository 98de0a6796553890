//! Several instances of a framework in one job: each has a master of its own, and a tunlet of its own here, which sees the windows and
//! the tuning points of that master only. An instance is named by the rank of its master.

use crate::choice::Choice;
use crate::tuning_point::names;
use crate::{Explanation, Judgement, Observation, Proposal, Refusal, Report, Settled, TuningPoint, Tunlet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The rank of a master; `None` in programs that have none.
type Master = Option<u32>;

/// See the module.
#[derive(Clone)]
pub struct Instances<T> {
    make: Arc<dyn Fn() -> T + Send + Sync>,
    /// Never empty: the first is there before its master is known.
    tunlets: BTreeMap<Master, T>,
    /// Instances with a window of which they have not been asked, or whose proposal did not go out.
    fresh: BTreeSet<Master>,
    /// The instance whose proposal went out last.
    asked: Master,
    choice: Choice<Master>,
}

impl<T> std::fmt::Debug for Instances<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Instances({:?})", self.tunlets.keys())
    }
}

impl<T: Tunlet> Instances<T> {
    /// Makes a tunlet for each instance.
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Instances<T> {
        let tunlets = [(None, make())].into();
        Instances { make: Arc::new(make), tunlets, fresh: BTreeSet::new(), asked: None, choice: Choice::new() }
    }

    /// The tunlet of a master. The first master gets the one that there was without.
    fn of(&mut self, master: Master) -> &mut T {
        if master.is_some()
            && let Some(first) = self.tunlets.remove(&None)
        {
            self.tunlets.insert(master, first);
        }
        self.tunlets.entry(master).or_insert_with(|| (self.make)())
    }

    fn any(&self) -> &T {
        self.tunlets.values().next().expect("there is one from the start")
    }

    fn are_several(&self) -> bool {
        self.tunlets.len() > 1
    }
}

impl<T: Tunlet + Clone + 'static> Tunlet for Instances<T> {
    fn name(&self) -> &str {
        self.any().name()
    }

    fn explain(&self) -> Explanation {
        self.any().explain()
    }

    fn points(&self) -> String {
        self.any().points()
    }

    fn joins_short_iterations(&self) -> bool {
        true
    }

    fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
        match observation {
            Observation::Iteration(window) | Observation::Further(window) => {
                self.fresh.insert(window.master);
                self.of(window.master).observe(Observation::Iteration(window))
            }
            Observation::Stream(_)
            | Observation::Running { .. }
            | Observation::Resting { .. }
            | Observation::OtherIterations { .. }
            | Observation::PointRefused { .. } => Vec::new(),
        }
    }

    fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
        let several = self.are_several();
        let fresh = std::mem::take(&mut self.fresh);
        let all = self.tunlets.iter_mut().map(|(master, tunlet)| (*master, tunlet));
        let asked = self.choice.ask(all.filter(|(master, _)| fresh.contains(master)), |master, tunlet| {
            // A framework's points are its master's, though nothing may be known of another master yet.
            let own = |point: &&TuningPoint| {
                let may_be_others = !several && !names::of_framework(&point.name);
                may_be_others || master.is_none() || Some(point.rank) == master
            };
            let own: Vec<TuningPoint> = tuning_points.iter().filter(own).cloned().collect();
            let proposal = tunlet.propose(&own)?;
            self.fresh.insert(master);
            Some(proposal)
        });
        let (master, proposal) = asked?;
        self.fresh.remove(&master);
        self.asked = master;
        Some(proposal)
    }

    fn on_settled(&mut self, decision: u64, settled: Settled) {
        let asked = self.asked;
        if let Settled::NotApplied { .. } = settled {
            self.choice.on_not_applied(asked);
        }
        self.of(asked).on_settled(decision, settled);
    }

    fn refusals(&self) -> Vec<Refusal> {
        let named = |(master, tunlet): (&Master, &T)| {
            let of = master.filter(|_| self.are_several()).map(|rank| format!(" (of the tasks of master {rank})"));
            let refusals = tunlet.refusals().into_iter();
            let named = move |refusal: Refusal| match &of {
                Some(of) => Refusal { why: format!("{}{of}", refusal.why), ..refusal },
                None => refusal,
            };
            refusals.map(named).collect::<Vec<_>>()
        };
        self.tunlets.iter().flat_map(named).collect()
    }

    fn report(&self) -> Report {
        if !self.are_several() {
            return self.any().report();
        }
        // How many ranks the next job needs depends on how the program divides them among its masters.
        let unavailable = vec!["advice for the next allocation: the job has several masters".to_owned()];
        let reports: Vec<Report> = self.tunlets.values().map(Tunlet::report).collect();
        let unequal_workers = reports.iter().any(|report| report.unequal_workers);
        // The summary lists the iterations of the first.
        let (other_work, most_gained) =
            reports.into_iter().next().map(|report| (report.other_work, report.most_gained)).unwrap_or_default();
        Report { unavailable, unequal_workers, other_work, most_gained, ..Report::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::TuningOptions;
    use crate::testing::{offered, uneven};

    #[test]
    fn each_master_is_tuned_by_its_own_windows() {
        let options = TuningOptions { tunlet: "master_worker".into(), ..TuningOptions::default() };
        let mut both = crate::catalogue::create(&options).unwrap();
        let points = [offered(0), offered(5)].concat();
        let mut proposed = Vec::new();
        for iteration in 0..6 {
            // Master 0's workers are even: the static split is right. One worker of master 5 is slow.
            both.observe(Observation::Iteration(&uneven(0, iteration, 1.0)));
            both.observe(Observation::Further(&uneven(5, iteration, 3.0)));
            if let Some(proposal) = both.propose(&points) {
                proposed.push(proposal.ranks.clone());
                both.on_settled(proposed.len() as u64, Settled::NotApplied { why: None });
            }
        }
        assert!(!proposed.is_empty() && proposed.iter().all(|ranks| *ranks == [5]), "{proposed:?}");
    }

    #[test]
    fn the_master_whose_change_is_worth_more_goes_first_and_the_other_next() {
        let options = TuningOptions { tunlet: "master_worker".into(), ..TuningOptions::default() };
        let mut both = crate::catalogue::create(&options).unwrap();
        let points = [offered(0), offered(5)].concat();
        let mut proposed = Vec::new();
        for iteration in 0..8 {
            both.observe(Observation::Iteration(&uneven(0, iteration, 2.0)));
            both.observe(Observation::Further(&uneven(5, iteration, 4.0)));
            if let Some(proposal) = both.propose(&points) {
                both.on_settled(proposed.len() as u64, Settled::Applied { iteration: iteration + 1 });
                proposed.push((iteration, proposal));
            }
        }
        let [(first, of_five), (second, of_zero), ..] = &proposed[..] else { panic!("{proposed:?}") };
        assert_eq!((&*of_five.ranks, &*of_zero.ranks, *second), (&[5][..], &[0][..], first + 1));
        assert!(of_five.reason().ends_with(&of_five.rather_than), "{of_five:?}");
        assert!(of_five.rather_than.starts_with("rather than `master_worker` of rank 0"), "{of_five:?}");
    }

    /// Proposes after every window, and knows what became of it.
    #[derive(Clone, Default)]
    struct Eager(u64, Vec<u64>);

    impl Tunlet for Eager {
        fn name(&self) -> &'static str {
            "eager"
        }

        fn observe(&mut self, observation: Observation<'_>) -> Vec<Judgement> {
            self.0 += u64::from(matches!(observation, Observation::Iteration(_)));
            Vec::new()
        }

        fn propose(&mut self, tuning_points: &[TuningPoint]) -> Option<Proposal> {
            let ranks = tuning_points.iter().map(|point| point.rank).collect();
            (self.0 > 0).then(|| Proposal { ranks, iteration: self.0, ..Proposal::default() })
        }

        fn on_settled(&mut self, decision: u64, _: Settled) {
            self.1.push(decision);
        }

        fn refusals(&self) -> Vec<Refusal> {
            let settled = self.1.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
            vec![Refusal { tunlet: "eager".into(), iteration: 0, why: settled, times: 1 }]
        }
    }

    #[test]
    fn masters_whose_changes_are_not_applied_take_turns_and_hear_of_their_own_decisions() {
        let mut both = Instances::new(Eager::default);
        let points: Vec<TuningPoint> = [0, 5].map(|rank| offered(rank).remove(0)).to_vec();
        let mut asked = Vec::new();
        for number in 0..4 {
            both.observe(Observation::Iteration(&uneven(0, number, 1.0)));
            both.observe(Observation::Further(&uneven(5, number, 1.0)));
            let proposal = both.propose(&points).unwrap();
            assert_eq!(proposal.iteration, number + 1, "it saw its own windows only");
            asked.push(proposal.ranks[0]);
            both.on_settled(number, Settled::NotApplied { why: None });
        }
        assert_eq!(asked, [0, 5, 0, 5]);
        let why: Vec<String> = both.refusals().into_iter().map(|refusal| refusal.why).collect();
        assert_eq!(why, ["0 2 (of the tasks of master 0)", "1 3 (of the tasks of master 5)"]);
    }

    #[test]
    fn one_master_is_tuned_as_ever() {
        let mut one = Instances::new(Eager::default);
        one.observe(Observation::Iteration(&uneven(3, 0, 1.0)));
        let mut points: Vec<TuningPoint> = [0, 3].map(|rank| offered(rank).remove(0)).to_vec();
        points.push(TuningPoint { name: "NW".into(), ..points[0].clone() });
        let used = one.propose(&points).unwrap().ranks;
        assert_eq!(used, [3, 0], "its own technique, and what the program exposes on any rank");
        one.on_settled(9, Settled::NotApplied { why: None });
        assert_eq!(one.refusals()[0].why, "9");
    }
}
