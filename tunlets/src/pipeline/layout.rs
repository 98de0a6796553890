//! Layout of groups on ranks: the exact pattern if ranks are alike, else a search that starts from it.

use super::estimate::Known;
use crate::options::Objective;
use midrun_models::pipeline::Pattern;
use midrun_models::pipeline::exact::{self, Grouping};
use midrun_scheduling::plan::{Group, Plan};

/// Among more ranks none are exchanged: all pairs are tried, and a decision must not take seconds.
const EXCHANGED: usize = 48;

/// A plan and its forecast.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The plan; with ranks where they are not alike.
    pub plan: Plan,
    /// Time per input of each group, seconds.
    pub tr_s: Vec<f64>,
    /// Ranks it takes.
    pub ranks: u32,
    /// Time per input that the head, the communication manager of started processes, needs for their messages, seconds.
    pub manager_s: f64,
}

impl Layout {
    /// Time between two outputs, seconds.
    pub fn period_s(&self) -> f64 {
        self.tr_s.iter().copied().fold(0.0, f64::max)
    }

    /// The same where source and sink take `head_s` seconds of the head's time.
    pub fn paced_s(&self, head_s: f64) -> f64 {
        self.period_s().max(head_s + self.manager_s)
    }
}

/// Time per input of a group on the ranks at `places`, seconds: César 2006, ch. IV, `1 / sum_k (1/Tr^k)`.
fn group_s(known: &Known, group: &Group, places: &[u32]) -> f64 {
    let pipeline = &known.pipeline;
    let single = midrun_models::pipeline::Group { first: group.first, stages: group.stages, replicas: 1 };
    let compute_s = pipeline.compute_s(group.first, group.stages);
    let messages_s = pipeline.production_s(&single) - compute_s;
    if let Some(team) = pipeline.team(group.first).filter(|_| group.stages == 1 && places.len() > 1) {
        let ranks = places.len() as f64;
        let rate: f64 = places.iter().map(|place| 1.0 / known.slowness_of(*place)).sum();
        let extra_s = places.first().map_or(0.0, |lead| known.extra_of(*lead));
        return team.time_s(places.len() as u32) * ranks / rate + messages_s + extra_s;
    }
    let each_s = |place: &u32| compute_s * known.slowness_of(*place) + messages_s + known.extra_of(*place);
    1.0 / places.iter().map(|place| 1.0 / each_s(place)).sum::<f64>()
}

/// Forecast of a plan on the ranks where its stages are.
pub fn forecast(known: &Known, plan: &Plan, places: &[Vec<u32>]) -> Layout {
    let tr_s = plan.0.iter().zip(places).map(|(group, places)| group_s(known, group, places)).collect();
    let managed = |(group, places): (&Group, &Vec<u32>)| {
        let started = places.iter().filter(|place| **place > known.members).count() as f64;
        known.pipeline.relayed_s(group.first, group.stages) * started / places.len().max(1) as f64
    };
    let manager_s = plan.0.iter().zip(places).map(managed).sum();
    Layout { plan: plan.clone(), tr_s, ranks: plan.ranks() as u32, manager_s }
}

/// The best plan for at most `ranks` ranks. Nothing is gained below a period of `least_s` seconds (source and sink).
pub fn best(known: &Known, ranks: u32, grouping: Grouping, objective: Objective, least_s: f64) -> Option<Layout> {
    let requested = match objective {
        Objective::Efficiency => exact::Objective::Efficiency,
        Objective::Budget(most) => exact::Objective::Budget(most),
        Objective::Deadline(most_s) => exact::Objective::Deadline(most_s),
        Objective::Time | Objective::Fixed => exact::Objective::Time,
    };
    let pattern = |requested| exact::optimum(&known.pipeline, ranks, grouping, requested);
    let wanted = pattern(requested)?;
    let mut best = alike(known, &wanted);
    if best.period_s() < least_s {
        best = alike(known, &pattern(exact::Objective::Deadline(least_s))?);
    }
    if !known.is_unequal() {
        return Some(best);
    }
    let most = if let Objective::Budget(most) = objective { ranks.min(most) } else { ranks };
    let groupings = [wanted, Pattern::unreplicated(known.pipeline.stages.len())];
    let fits = groupings.iter().filter(|pattern| pattern.0.len() <= most as usize);
    let found = fits.filter_map(|pattern| uneven(known, &Plan::from(pattern), most, objective, least_s));
    found.min_by(|a, b| cost(known, a, objective, least_s).total_cmp(&cost(known, b, objective, least_s)))
}

/// Ranks that are alike. Which groups the started processes come to, the framework decides: they are thought of where they cost the most.
fn alike(known: &Known, pattern: &Pattern) -> Layout {
    let pipeline = &known.pipeline;
    let tr_s = pattern.0.iter().map(|group| pipeline.production_s(group)).collect();
    let ranks = pipeline.ranks(pattern);
    let each = |g: &midrun_models::pipeline::Group| {
        (pipeline.relayed_s(g.first, g.stages) / f64::from(g.replicas), g.replicas)
    };
    let mut groups: Vec<(f64, u32)> = pattern.0.iter().map(each).collect();
    groups.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut manager_s, mut started) = (0.0, ranks.saturating_sub(known.members));
    for (each_s, replicas) in groups {
        manager_s += each_s * f64::from(replicas.min(started));
        started -= replicas.min(started);
    }
    Layout { plan: pattern.into(), tr_s, ranks, manager_s }
}

/// What is to be made small: the period in seconds, or `ranks T²`; of equals the one with fewer ranks.
pub fn cost(known: &Known, layout: &Layout, objective: Objective, least_s: f64) -> f64 {
    cost_of(known, layout.ranks, layout.paced_s(least_s), objective)
}

/// The same of a period, seconds, on so many ranks.
pub fn cost_of(known: &Known, ranks: u32, period_s: f64, objective: Objective) -> f64 {
    let few = 1.0 + 1e-9 * f64::from(ranks);
    match objective {
        Objective::Efficiency => f64::from(ranks) * period_s * period_s / total_s(known),
        Objective::Deadline(most_s) if period_s <= most_s => most_s * 1e-3 * few,
        _ => period_s * few,
    }
}

fn total_s(known: &Known) -> f64 {
    known.pipeline.stages.iter().map(|stage| stage.compute_s).sum::<f64>().max(f64::MIN_POSITIVE)
}

/// Ranks that differ: each group gets one, the heaviest the fastest, state where it is; then the slowest group gets the next, as long as that
/// helps; then ranks change places as long as that helps. (The best of all mappings is NP-hard to find.)
fn uneven(known: &Known, plan: &Plan, most: u32, objective: Objective, least_s: f64) -> Option<Layout> {
    let home = |group: &Group| group.range().find_map(|stage| known.homes[stage]);
    let homes: Vec<u32> = plan.0.iter().filter_map(home).collect();
    let mut free: Vec<u32> = (1..=known.slowness.len() as u32).filter(|rank| !homes.contains(rank)).collect();
    let mean_s = total_s(known) / known.pipeline.stages.len() as f64;
    let slow = |rank: &u32| known.slowness_of(*rank) + known.extra_of(*rank) / mean_s;
    free.sort_by(|a, b| slow(a).total_cmp(&slow(b)));
    free.truncate((most as usize).saturating_sub(homes.len()));
    let mut free = free.into_iter();
    let heavy = |g: &usize| known.pipeline.compute_s(plan.0[*g].first, plan.0[*g].stages);
    let mut order: Vec<usize> = (0..plan.0.len()).collect();
    order.sort_by(|a, b| heavy(b).total_cmp(&heavy(a)));
    let mut places = vec![Vec::new(); plan.0.len()];
    for g in order {
        places[g].push(match home(&plan.0[g]) {
            Some(home) => home,
            None => free.next()?,
        });
    }
    let layout = |places: &[Vec<u32>]| {
        let group = |(group, places): (&Group, &Vec<u32>)| Group {
            replicas: places.len(),
            at: places.iter().map(|place| *place as usize).collect(),
            ..Group::any(group.first, group.stages, 1)
        };
        forecast(known, &Plan(plan.0.iter().zip(places).map(group).collect()), places)
    };
    let worth = |places: &[Vec<u32>]| cost(known, &layout(places), objective, least_s);
    let mut best = places.clone();
    for rank in free {
        let now = layout(&places);
        let may_grow = |g: &usize| known.pipeline.may_grow(plan.0[*g].first, plan.0[*g].stages);
        let Some(slowest) = (0..plan.0.len()).filter(may_grow).max_by(|a, b| now.tr_s[*a].total_cmp(&now.tr_s[*b]))
        else {
            break;
        };
        places[slowest].push(rank);
        if worth(&places) < worth(&best) {
            best.clone_from(&places);
        }
    }
    while best.iter().map(Vec::len).sum::<usize>() <= EXCHANGED
        && let Some(better) = swapped(&best, &homes, &worth)
    {
        best = better;
    }
    Some(layout(&best))
}

/// The best exchange of two ranks, if one helps.
fn swapped(places: &[Vec<u32>], homes: &[u32], worth: &impl Fn(&[Vec<u32>]) -> f64) -> Option<Vec<Vec<u32>>> {
    let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
    let now = worth(places);
    for a in 0..places.len() {
        for b in a + 1..places.len() {
            for (i, j) in (0..places[a].len()).flat_map(|i| (0..places[b].len()).map(move |j| (i, j))) {
                if homes.contains(&places[a][i]) || homes.contains(&places[b][j]) {
                    continue;
                }
                let mut other = places.to_vec();
                (other[a][i], other[b][j]) = (places[b][j], places[a][i]);
                let value = worth(&other);
                if value < now * (1.0 - 1e-9) && best.as_ref().is_none_or(|(least, _)| value < *least) {
                    best = Some((value, other));
                }
            }
        }
    }
    best.map(|(_, places)| places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_models::pipeline::{Network, Pipeline, Protocol, Stage};

    fn known(compute_s: &[f64], slowness: &[f64]) -> Known {
        let stage = |compute_s: &f64| Stage { compute_s: *compute_s, message_bytes: 1e3, stateful: false };
        let network = Network { start_up_s: 0.0, per_byte_s: 0.0, protocol: Protocol::Sync };
        let pipeline = Pipeline::new(compute_s.iter().map(stage).collect(), network);
        let extra_s = vec![0.0; slowness.len()];
        Known {
            pipeline,
            slowness: slowness.to_vec(),
            extra_s,
            homes: vec![None; compute_s.len()],
            spread: 0.0,
            members: u32::MAX,
        }
    }

    #[test]
    fn equal_ranks_get_the_exact_pattern() {
        let known = known(&[0.1, 0.4, 0.3, 0.2, 0.1], &[1.0; 11]);
        let best = best(&known, 11, Grouping::None, Objective::Time, 0.0).unwrap();
        assert_eq!(best.plan.to_string(), "0,1x4,2x3,3x2,4");
        assert!((best.period_s() - 0.1).abs() < 1e-9, "{best:?}");
    }

    #[test]
    fn where_source_and_sink_are_slower_no_more_ranks_are_taken_than_their_pace_needs() {
        let known = known(&[0.1, 0.4, 0.3, 0.2, 0.1], &[1.0; 11]);
        let best = best(&known, 11, Grouping::None, Objective::Time, 0.21).unwrap();
        assert_eq!(best.plan.to_string(), "0,1x2,2x2,3,4");
    }

    #[test]
    fn the_slow_ranks_get_the_light_stages() {
        let known = known(&[0.1, 0.4], &[4.0, 1.0, 1.0, 1.0]);
        let best = best(&known, 4, Grouping::None, Objective::Time, 0.0).unwrap();
        // Three fast ranks carry the heavy stage at 133 ms, the slow one would make 400 of the light one's 100: a fast one
        // for that leaves 400/(1 + 1 + 1/4) = 178 ms.
        assert!((best.period_s() - 0.4 / 2.25).abs() < 1e-9, "{best:?}");
        let places = |g: usize| best.plan.0[g].at.clone();
        assert!(places(0).len() == 1 && places(0) != [1] && places(1).contains(&1), "{best:?}");
    }

    #[test]
    fn a_rank_that_is_far_away_gets_what_it_loses_least_with() {
        let mut known = known(&[0.1, 0.1, 0.1], &[1.0; 4]);
        known.extra_s[1] = 0.3;
        let best = best(&known, 4, Grouping::None, Objective::Time, 0.0).unwrap();
        assert!(best.plan.0.iter().all(|group| group.at != [2]), "alone it would set the pace: {best:?}");
        assert!((best.period_s() - 0.1).abs() < 1e-9, "{best:?}");
    }

    #[test]
    fn a_thousand_ranks_that_differ_are_mapped_and_none_is_taken_twice() {
        let slowness: Vec<f64> = (0..1000).map(|rank| 1.0 + f64::from(rank % 7)).collect();
        let known = known(&[0.1, 0.4, 0.3, 0.2, 0.1], &slowness);
        let best = best(&known, 1000, Grouping::Single, Objective::Time, 0.0).unwrap();
        let mut ranks: Vec<usize> = best.plan.0.iter().flat_map(|group| group.at.clone()).collect();
        let taken = ranks.len();
        ranks.sort_unstable();
        ranks.dedup();
        assert!(ranks.len() == taken && taken <= 1000);
        let speed: f64 = slowness.iter().map(|slow| 1.0 / slow).sum();
        assert!(best.period_s() < 1.05 * 1.1 / speed, "{} of {}", best.period_s(), 1.1 / speed);
    }

    #[test]
    fn the_head_needs_time_for_what_started_processes_get_from_others_and_send_to_them() {
        let mut known = known(&[0.1, 0.4, 0.1], &[1.0; 6]);
        known.pipeline.network.start_up_s = 0.01;
        let places = [vec![1], vec![2, 3, 4, 5], vec![6]];
        let plan = Plan::parse("0,1x4,2", &[false; 3]).unwrap();
        assert_eq!(forecast(&known, &plan, &places).manager_s, 0.0);
        known.members = 3;
        // Stage 1: two of its four, each input in and out at twice 10 ms. Stage 2: its input only, for the head is the sink.
        let layout = forecast(&known, &plan, &places);
        assert!((layout.manager_s - (0.5 * 0.04 + 0.02)).abs() < 1e-9, "{layout:?}");
        assert_eq!((layout.paced_s(0.0), layout.paced_s(0.5)), (layout.period_s(), 0.5 + layout.manager_s));
        let best = best(&known, 6, Grouping::None, Objective::Time, 0.0).unwrap();
        assert!(best.plan == plan && best.manager_s >= layout.manager_s, "{best:?}");
    }

    #[test]
    fn a_slow_rank_that_is_not_needed_is_left_alone() {
        let known = known(&[0.1, 0.1], &[9.0, 1.0, 1.0]);
        let best = best(&known, 3, Grouping::None, Objective::Efficiency, 0.0).unwrap();
        assert!(best.plan.0.iter().all(|group| !group.at.contains(&1)), "{best:?}");
        assert_eq!(best.ranks, 2);
    }
}
