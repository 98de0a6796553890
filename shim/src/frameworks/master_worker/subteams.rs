//! Which workers form sub-teams: those of one host, at most so many in each. The first of a sub-team is its sub-master: the master sends
//! it chunks for all of them, and gets their results from it.

use super::config::Config;
use super::team::Team;
use crate::frameworks::endpoint::Endpoint;
use crate::{scheduling, stderr};

/// A sub-team of fewer workers saves the master no messages: each result would be one all the same.
const FEWEST: usize = 3;
/// Size of the sub-teams from the start; 0 or absent: none.
const VARIABLE: &str = "MIDRUN_MW_TEAM_SIZE";

/// One sub-team in an iteration, as the master sees it.
#[derive(Debug)]
pub struct Subteam {
    /// Ranks of its workers, the sub-master first.
    pub ranks: Vec<usize>,
    /// Positions among the active workers of those that compute.
    pub computing: Vec<usize>,
    /// Chunks that it has and whose results are not back.
    pub out: usize,
    /// Chunks cut for it, and the tasks of the last one.
    pub cut: usize,
    pub last: u64,
    /// Chunks for which its workers wait.
    pub wanted: usize,
    /// It knows that no more follow.
    pub is_told: bool,
}

/// The sub-teams of an iteration.
#[derive(Debug)]
pub struct Subteams {
    pub teams: Vec<Subteam>,
    /// By position among the active workers: its sub-team.
    of: Vec<Option<usize>>,
}

/// Divides the ranks of each host as evenly as can be into sub-teams of at most `most`; `host` names the host of a rank that can be in
/// one. Hosts whose sub-teams would have fewer than [`FEWEST`] have none, and one sub-team of all ranks is none.
fn divide(ranks: &[usize], host: impl Fn(usize) -> Option<usize>, most: usize) -> Vec<Vec<usize>> {
    let mut hosts: Vec<usize> = ranks.iter().filter_map(|rank| host(*rank)).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let mut all = Vec::new();
    for there in hosts {
        let here: Vec<usize> = ranks.iter().copied().filter(|rank| host(*rank) == Some(there)).collect();
        let teams = here.len().div_ceil(most.max(1));
        if here.len() < FEWEST * teams {
            continue;
        }
        all.extend((0..teams).map(|k| here[k * here.len() / teams..(k + 1) * here.len() / teams].to_vec()));
    }
    if all.first().is_some_and(|team: &Vec<usize>| team.len() == ranks.len()) { Vec::new() } else { all }
}

/// The host of each rank that can be in a sub-team: no started process, and not the master.
fn host_of(config: &Config, endpoint: &Endpoint) -> impl Fn(usize) -> Option<usize> {
    let (master, size) = (config.master, endpoint.comm.size);
    move |rank| endpoint.host(rank).filter(|_| rank < size && rank != master)
}

/// Returns whether the user asks for sub-teams from the start.
pub fn are_asked_for() -> bool {
    std::env::var(VARIABLE).is_ok_and(|size| size != "0")
}

/// Offers the size of the sub-teams as a tuning point where there can be some, with the value that the user asks for.
pub fn offer(config: &Config, endpoint: &Endpoint) {
    let ranks: Vec<usize> = (0..endpoint.comm.size).filter(|rank| *rank != config.master).collect();
    let host = host_of(config, endpoint);
    if endpoint.comm.tolerates {
        if are_asked_for() {
            stderr::warn(format_args!(
                "{VARIABLE} has no effect: with MIDRUN_MW_TOLERATE there are no sub-teams, which would be lost with their sub-master"
            ));
        }
        return;
    }
    let largest = (FEWEST..=ranks.len()).rev().find(|size| !divide(&ranks, &host, *size).is_empty());
    let asked = std::env::var(VARIABLE).ok();
    let size = asked.as_ref().map(|text| text.parse::<u32>());
    match (&size, asked, largest) {
        (Some(Err(_)), Some(text), _) => {
            stderr::warn(format_args!(
                "{VARIABLE}={text} is no number of workers: make it 0 for no sub-teams, or {FEWEST} or more"
            ));
        }
        (Some(Ok(1..)), Some(text), None) => {
            let two = 2 * FEWEST;
            stderr::warn(format_args!(
                "{VARIABLE}={text} has no effect: no host has {two} workers, nor {FEWEST} beside those of others"
            ));
        }
        _ => {}
    }
    let Some(largest) = largest else { return };
    if let Some(Ok(size)) = size {
        scheduling::set_team_size(size.min(largest as u32));
    }
    // Of any size, sub-masters compute nothing: no decision that is made while the program runs takes that into account.
    if !config.any_size() {
        scheduling::declare_team_size(largest as u32);
    }
}

impl Subteams {
    /// Of the active workers; `None` where there are none.
    pub fn of(config: &Config, endpoint: &Endpoint, team: &Team, size: Option<u32>) -> Option<Subteams> {
        if endpoint.comm.tolerates {
            return None;
        }
        let divided = divide(team.active(), host_of(config, endpoint), size? as usize);
        let mut of = vec![None; team.active().len()];
        let mut teams = Vec::new();
        for ranks in divided {
            let positions: Vec<usize> = ranks.iter().filter_map(|rank| team.position(*rank)).collect();
            positions.iter().for_each(|position| of[*position] = Some(teams.len()));
            // Inputs of any size cannot be divided into tasks, between which a sub-master would look for messages.
            let computing = positions[usize::from(config.any_size())..].to_vec();
            let (out, cut, last, wanted, is_told) = (0, 0, 0, 0, false);
            teams.push(Subteam { ranks, computing, out, cut, last, wanted, is_told });
        }
        (!teams.is_empty()).then_some(Subteams { teams, of })
    }

    /// The sub-team of the worker at this position.
    pub fn team_of(&self, worker: usize) -> Option<usize> {
        self.of[worker]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_of_a_host_are_divided_evenly_and_small_hosts_have_none() {
        let ranks: Vec<usize> = (1..12).collect();
        let hosts = |rank: usize| Some(if rank < 9 { 0 } else { 9 });
        assert_eq!(divide(&ranks, hosts, 99), [(1..9).collect::<Vec<_>>(), vec![9, 10, 11]]);
        assert_eq!(divide(&ranks, hosts, 5), [vec![1, 2, 3, 4], vec![5, 6, 7, 8], vec![9, 10, 11]]);
        assert_eq!(divide(&ranks, hosts, 3), [[9, 10, 11]], "8 ranks are no three times three");
        assert_eq!(
            divide(&ranks[..9], hosts, 4),
            [vec![1, 2, 3, 4], vec![5, 6, 7, 8]],
            "one rank stays with the master"
        );
        assert!(divide(&ranks, hosts, 2).is_empty());
        assert!(divide(&ranks[..8], hosts, 8).is_empty(), "a team of all is none");
        assert!(divide(&ranks, |_| None, 5).is_empty() && divide(&[], hosts, 5).is_empty());
    }
}
