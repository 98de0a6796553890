//! Iterations that are passes of a loop, where no function is one.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Body, Call, Code};
use super::mpi_names::{as_in_c, is_message, reaches_others};

/// A pass of a loop that is an iteration: no function is.
pub struct Pass<'c> {
    /// The function around the loop.
    pub caller: &'c str,
    /// The loop; several, where any of them may be it.
    pub loops: BTreeSet<usize>,
    /// The function in it that communicates, too, and is a part of the iteration.
    pub part: Option<&'c str>,
    /// What else in it communicates: functions of the program, and MPI's.
    pub beside: BTreeSet<&'c str>,
    /// MPI functions in it that reach other ranks, and how many calls of each the code has.
    calls: BTreeMap<&'c str, usize>,
}

/// Whether a call reaches other ranks, by itself or by what it leads to.
fn talks(call: &Call, talking: &BTreeSet<&str>) -> bool {
    reaches_others(&call.to) || talking.contains(&*call.to)
}

impl<'c> Pass<'c> {
    /// Of the loops in which other ranks are reached, in the function nearest to `entry` that has some; `None` where several are as near.
    pub fn nearest(code: &'c Code, entry: &'c str, talking: &BTreeSet<&str>) -> Option<Pass<'c>> {
        let of = |caller: &&'c str| {
            let body = code.bodies.get(*caller)?;
            let those = body.calls.iter().filter(|call| talks(call, talking));
            let loops: BTreeSet<usize> = those.filter_map(Call::around).collect();
            (!loops.is_empty()).then(|| Pass::new(body, caller, loops, None, talking))
        };
        let mut all = code.levels(entry).into_iter().map(|level| level.iter().filter_map(of).collect::<Vec<_>>());
        let mut found = all.find(|found| !found.is_empty())?;
        found.pop().filter(|_| found.is_empty())
    }

    /// Of the loop of `caller` that calls `function`, where it also communicates otherwise.
    pub fn beside(code: &'c Code, function: &'c str, caller: &'c str, talking: &BTreeSet<&str>) -> Option<Pass<'c>> {
        let body = code.bodies.get(caller)?;
        let own = body.calls.iter().filter(|call| call.to == function).filter_map(Call::around).collect();
        Some(Pass::new(body, caller, own, Some(function), talking)).filter(|pass| !pass.beside.is_empty())
    }

    fn new(
        body: &'c Body,
        caller: &'c str,
        loops: BTreeSet<usize>,
        part: Option<&'c str>,
        talking: &BTreeSet<&str>,
    ) -> Pass<'c> {
        let (mut beside, mut calls) = (BTreeSet::new(), BTreeMap::new());
        let within = |call: &&Call| call.around().is_some_and(|around| loops.contains(&around));
        for call in body.calls.iter().filter(within) {
            if reaches_others(&call.to) {
                *calls.entry(&*call.to).or_default() += 1;
            }
            if Some(&*call.to) != part && talks(call, talking) {
                beside.insert(&*call.to);
            }
        }
        Pass { caller, loops, part, beside, calls }
    }

    /// The MPI functions of which so many calls may end an iteration: of those that only the loop itself calls, collectives, or else messages.
    pub fn ends(&self, code: &Code) -> Vec<(String, usize)> {
        if self.loops.len() > 1 {
            return Vec::new(); // each has a number of its own
        }
        let elsewhere: BTreeSet<&str> =
            self.beside.iter().copied().chain(self.part).flat_map(|name| code.reached(name)).collect();
        let alone = || self.calls.iter().filter(|(name, _)| !elsewhere.contains(**name));
        let named = |(name, count): (&&str, &usize)| Some((as_in_c(name)?, *count));
        let collectives: Vec<_> = alone().filter(|(name, _)| !is_message(name)).filter_map(named).collect();
        if collectives.is_empty() { alone().filter_map(named).collect() } else { collectives }
    }
}
