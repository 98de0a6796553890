//! Patterns: plans with ranks, which say what each rank computes from a certain input on.
//!
//! The head numbers the patterns. An input keeps the pattern that was newest when the head drew it, from its first stage to its
//! last. So no rank has to decide which pattern applies.

use super::message::{HEADER_BYTES, Header, Kind};
use midrun_scheduling::plan::{Manager, Plan};

/// Stages that run together on some ranks. Without stages: a communication manager, which only forwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Its first stage.
    pub first: usize,
    /// Number of stages.
    pub stages: usize,
    /// Ranks that can process its inputs.
    pub ranks: Vec<usize>,
    /// Of a team's stage: the workers of its only rank, the lead.
    pub team: Vec<usize>,
}

/// All routes, in the order of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Its number.
    pub epoch: u32,
    /// Patterns older than this one have no inputs in flight.
    pub oldest: u32,
    /// Number of this run's first input.
    pub base: u64,
    /// Number of the first input that it applies to.
    pub first: u64,
    /// All routes.
    pub routes: Vec<Route>,
    /// Its items are handed over synchronously.
    pub synchronous: bool,
    /// Ranks that there are, with the started processes.
    pub ranks: usize,
}

impl Pattern {
    /// Encodes it as a message.
    pub fn to_message(&self) -> Vec<u8> {
        let mut words = vec![u64::from(self.oldest), self.first, u64::from(self.synchronous), self.ranks as u64];
        words.push(self.routes.len() as u64);
        for route in &self.routes {
            let (ranks, team) = (route.ranks.len() as u64, route.team.len() as u64);
            words.extend([route.first as u64, route.stages as u64, ranks, team]);
            words.extend(route.ranks.iter().chain(&route.team).map(|rank| *rank as u64));
        }
        let total = (HEADER_BYTES + 8 * words.len()) as u64;
        let header = Header { epoch: self.epoch, input: self.base, total, ..Header::new(Kind::Pattern) };
        let mut message = Vec::new();
        header.patch(&mut message);
        message.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        message
    }

    /// Decodes a message; `None` if it is malformed or names stages or ranks that do not exist.
    pub fn from_message(header: &Header, message: &[u8], stages: usize) -> Option<Pattern> {
        let mut words = message
            .get(HEADER_BYTES..)?
            .chunks_exact(8)
            .map(|bytes| u64::from_le_bytes(std::array::from_fn(|b| bytes[b])) as usize);
        let (oldest, first_input, synchronous) = (words.next()? as u32, words.next()? as u64, words.next()? != 0);
        let ranks = words.next()?;
        let mut routes = Vec::new();
        for _ in 0..words.next()? {
            let (first, count, replicas, workers) = (words.next()?, words.next()?, words.next()?, words.next()?);
            let mut taken =
                |count: usize| -> Vec<usize> { words.by_ref().take(count).filter(|rank| *rank < ranks).collect() };
            let (own, team) = (taken(replicas), taken(workers));
            let whole = own.len() == replicas && team.len() == workers;
            if first + count > stages || own.is_empty() || !whole || (workers > 0 && replicas > 1) {
                return None;
            }
            routes.push(Route { first, stages: count, ranks: own, team });
        }
        Some(Pattern {
            epoch: header.epoch,
            oldest,
            base: header.input,
            first: first_input,
            routes,
            synchronous,
            ranks,
        })
    }

    /// Returns whether `rank` has a route.
    pub fn uses(&self, rank: usize) -> bool {
        self.routes.iter().any(|route| route.ranks.contains(&rank) || route.team.contains(&rank))
    }
}

/// Places plans on ranks. Stages stay on their ranks where possible, and stages with state always do. Started processes, whose messages
/// take the way through the head, come last.
#[derive(Debug)]
pub struct Placer {
    /// Ranks that compute.
    ranks: Vec<usize>,
    /// Ranks of the communicator; from here on they are started processes.
    size: usize,
    stateful: Vec<bool>,
    /// Stages that a team computes.
    teams: Vec<bool>,
    /// Last ranks of each stage.
    last: Vec<Vec<usize>>,
}

impl Placer {
    /// For a communicator of `size` ranks. The head computes only if it is alone.
    pub fn new(size: usize, stateful: Vec<bool>, teams: Vec<bool>) -> Placer {
        let ranks = if size == 1 { vec![0] } else { (1..size).collect() };
        let last = vec![Vec::new(); stateful.len()];
        Placer { ranks, size, stateful, teams, last }
    }

    /// Number of ranks that compute.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// A started process is one more rank that computes; its number follows those there are.
    pub fn grow(&mut self, rank: usize) {
        self.ranks.push(rank);
    }

    /// For each stage, whether it keeps state.
    pub fn stateful(&self) -> &[bool] {
        &self.stateful
    }

    /// Stores the ranks of all stages after a change.
    pub fn remember(&mut self, routes: &[Route]) {
        for route in routes {
            for stage in route.first..route.first + route.stages {
                self.last[stage] = route.ranks.iter().chain(&route.team).copied().collect();
            }
        }
    }

    /// The rank that holds the state of these stages; `None` if they have no state or never ran.
    fn home(&self, mut stages: std::ops::Range<usize>) -> Result<Option<usize>, String> {
        let first = stages.clone().find(|stage| self.stateful[*stage]);
        let home = first.and_then(|stage| self.last[stage].first().copied());
        let away = |stage: &usize| self.stateful[*stage] && self.last[*stage].first().copied() != home;
        match (first, stages.find(away)) {
            (Some(one), Some(two)) => Err(format!("stages {one} and {two} keep their states on different ranks")),
            _ => Ok(home),
        }
    }

    /// Chooses ranks for every group of a plan.
    ///
    /// # Errors
    /// The reason why it cannot be placed, as part of a sentence.
    pub fn place(&self, plan: &Plan) -> Result<Vec<Route>, String> {
        plan.keeps_state(&self.stateful)?;
        for group in plan.0.iter().filter(|group| group.replicas > 1) {
            let team = group.range().find(|stage| self.teams[*stage]);
            let has_manager = group.manager != Manager::Sender;
            if let Some(stage) = team.filter(|_| group.stages > 1 || has_manager) {
                return Err(format!(
                    "stage {stage} is a team's: on several ranks it stands alone in its group, and needs no manager"
                ));
            }
        }
        if plan.ranks() > self.ranks() {
            return Err(format!("it takes {} ranks where {} compute", plan.ranks(), self.ranks()));
        }
        let mut free = vec![false; self.ranks.last().map_or(0, |last| last + 1)];
        self.ranks.iter().for_each(|rank| free[*rank] = true);
        let mut take = |rank: usize| free.get_mut(rank).is_some_and(|free| std::mem::replace(free, false));
        // First, stages with state keep their rank and groups get the ranks that the plan names. Then groups keep the ranks they
        // had, but for started processes. Last, groups that need more get free ranks.
        let mut placed = Vec::new();
        for group in &plan.0 {
            let home = self.home(group.range())?;
            match home.filter(|home| !group.at.is_empty() && !group.at.contains(home)) {
                Some(home) => return Err(format!("stage {} keeps its state on rank {home}", group.first)),
                None if group.at.is_empty() => placed.push(home.into_iter().collect::<Vec<_>>()),
                None => placed.push(group.at.clone()),
            }
        }
        if let Some(rank) = placed.iter().flatten().find(|rank| !take(**rank)) {
            return Err(format!("rank {rank} does not compute, or is taken twice"));
        }
        for (group, own) in plan.0.iter().zip(&mut placed) {
            for rank in group.range().flat_map(|stage| &self.last[stage]) {
                if own.len() < group.ranks() && *rank < self.size && take(*rank) {
                    own.push(*rank);
                }
            }
        }
        let mut routes = Vec::new();
        let mut spare = self.ranks.iter().copied().filter(|rank| free[*rank]);
        for (group, mut own) in plan.0.iter().zip(placed) {
            own.extend(spare.by_ref().take(group.ranks() - own.len().min(group.ranks())));
            let manager = match group.manager {
                Manager::Sender => None,
                Manager::OwnRank => Some(own.remove(0)),
                Manager::SharedRank => own.first().copied(),
            };
            let (first, stages) = (group.first, group.stages);
            routes.extend(manager.map(|rank| Route { first, stages: 0, ranks: vec![rank], team: Vec::new() }));
            let is_team = stages == 1 && self.teams[first];
            let team = if is_team { own.split_off(1) } else { Vec::new() };
            routes.push(Route { first, stages, ranks: own, team });
        }
        Ok(routes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(routes: &[Route]) -> Vec<Vec<usize>> {
        routes.iter().map(|route| route.ranks.clone()).collect()
    }

    #[test]
    fn stages_stay_on_their_ranks() {
        let mut placer = Placer::new(8, vec![false; 3], vec![false; 3]);
        let mut change = |text: &str| {
            let routes = placer.place(&Plan::parse(text, &[false; 3]).unwrap())?;
            placer.remember(&routes);
            Ok::<_, String>(ranks(&routes))
        };
        assert_eq!(change("0,1,2").unwrap(), [vec![1], vec![2], vec![3]]);
        assert_eq!(change("0,1x3,2").unwrap(), [vec![1], vec![2, 4, 5], vec![3]]);
        assert_eq!(change("0,1x3m,2").unwrap(), [vec![1], vec![2], vec![4, 5, 6], vec![3]]);
        assert_eq!(change("0,1x2s,2").unwrap(), [vec![1], vec![4], vec![4, 5], vec![3]]);
        assert_eq!(change("0-1x2,2x2").unwrap(), [vec![1, 4], vec![3, 2]]);
        assert_eq!(change("0x8,1,2").unwrap_err(), "it takes 10 ranks where 7 compute");
        assert_eq!(change("0,1x2@7+1,2@2").unwrap(), [vec![4], vec![7, 1], vec![2]]);
        assert_eq!(change("0,1@3,2@3").unwrap_err(), "rank 3 does not compute, or is taken twice");
        assert_eq!(change("0@0,1,2").unwrap_err(), "rank 0 does not compute, or is taken twice");
        assert_eq!(change("0@8,1,2").unwrap_err(), "rank 8 does not compute, or is taken twice");
    }

    #[test]
    fn state_stays_on_its_rank() {
        let state = [false, true, false, true];
        let mut placer = Placer::new(9, state.to_vec(), vec![false; 4]);
        let plan = |text| Plan::parse(text, &state).unwrap();
        let routes = placer.place(&plan("0,1,2,3")).unwrap();
        placer.remember(&routes);
        let routes = placer.place(&plan("0-1,2x3,3")).unwrap();
        assert_eq!(ranks(&routes), [vec![2], vec![3, 1, 5], vec![4]], "stage 1 stays on rank 2, stage 0 comes");
        placer.remember(&routes);
        assert_eq!(placer.place(&plan("0,1@5,2,3")).unwrap_err(), "stage 1 keeps its state on rank 2");
        let sentence = placer.place(&plan("0,1-3")).unwrap_err();
        assert_eq!(sentence, "stages 1 and 3 keep their states on different ranks");
        assert_eq!(Placer::new(1, vec![true; 2], vec![false; 2]).place(&Plan::even(2, 1)).unwrap()[0].ranks, [0]);
    }

    #[test]
    fn started_processes_compute_where_no_rank_is_left_and_give_way_to_ranks() {
        let mut placer = Placer::new(5, vec![false; 3], vec![false; 3]);
        let change = |placer: &mut Placer, text: &str| {
            let routes = placer.place(&Plan::parse(text, &[false; 3]).unwrap())?;
            placer.remember(&routes);
            Ok::<_, String>(ranks(&routes))
        };
        assert_eq!(change(&mut placer, "0,1x2,2").unwrap(), [vec![1], vec![2, 3], vec![4]]);
        assert_eq!(change(&mut placer, "0,1x4,2").unwrap_err(), "it takes 6 ranks where 4 compute");
        placer.grow(5);
        placer.grow(6);
        assert_eq!(change(&mut placer, "0,1x4,2").unwrap(), [vec![1], vec![2, 3, 5, 6], vec![4]]);
        assert_eq!(change(&mut placer, "0-1x4,2").unwrap(), [vec![1, 2, 3, 5], vec![4]]);
        assert_eq!(change(&mut placer, "0-1,2x3").unwrap(), [vec![1], vec![4, 2, 3]], "parked ranks come first");
    }

    fn route(first: usize, stages: usize, ranks: &[usize], team: &[usize]) -> Route {
        Route { first, stages, ranks: ranks.to_vec(), team: team.to_vec() }
    }

    #[test]
    fn the_ranks_of_a_team_are_its_lead_and_its_workers_and_the_lead_stays() {
        let teams = [false, true, false];
        let mut placer = Placer::new(9, vec![false; 3], teams.to_vec());
        let mut change = |text: &str| {
            let routes = placer.place(&Plan::parse(text, &[false; 3]).unwrap())?;
            placer.remember(&routes);
            Ok::<_, String>(routes)
        };
        assert_eq!(
            change("0,1x3,2x2").unwrap(),
            [route(0, 1, &[1], &[]), route(1, 1, &[2], &[3, 4]), route(2, 1, &[5, 6], &[])]
        );
        assert_eq!(
            change("0,1x4,2").unwrap()[1],
            route(1, 1, &[2], &[3, 4, 6]),
            "a rank moves from stage 2 to the team"
        );
        assert_eq!(change("0-1,2x2").unwrap()[0], route(0, 2, &[1], &[]), "one rank computes all tasks by itself");
        for (text, part) in [
            ("0-1x2,2", "stage 1 is a team's: on several ranks it stands alone in its group"),
            ("0,1x2m,2", "needs no manager"),
            ("0,1x9,2", "it takes 11 ranks where 8 compute"),
        ] {
            assert!(change(text).unwrap_err().contains(part), "{text}");
        }
    }

    #[test]
    fn a_pattern_is_decoded_as_it_was_encoded_and_a_malformed_one_is_refused() {
        let routes = vec![route(0, 0, &[1], &[]), route(0, 2, &[2, 3], &[]), route(1, 1, &[1], &[3, 2])];
        let pattern = Pattern { epoch: 4, oldest: 2, base: 77, first: 80, routes, synchronous: true, ranks: 4 };
        let message = pattern.to_message();
        let header = Header::read(&message).unwrap();
        assert_eq!(Pattern::from_message(&header, &message, 2), Some(pattern.clone()));
        assert_eq!(Pattern::from_message(&header, &message, 1), None);
        let few = Pattern { ranks: 3, ..pattern.clone() }.to_message();
        assert_eq!(Pattern::from_message(&header, &few, 2), None);
        assert_eq!(Pattern::from_message(&header, &message[..message.len() - 8], 2), None);
        assert!(pattern.uses(3) && !pattern.uses(0));
    }
}
