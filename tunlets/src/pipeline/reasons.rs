//! Times of each stage in a window, and the reasons given in the log.

use super::estimate::Known;
use super::layout::Layout;
use super::{Grouping, Now};
use crate::stream::StreamWindow;
use crate::trial::MODEL;
use midrun_models::pipeline::production::Buffers;
use midrun_models::pipeline::{Manager, exact};
use midrun_scheduling::plan::{self, Plan};
use midrun_vocabulary::Seconds;

/// One stage in one window, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTimes {
    /// Compute time per input, seconds; `None` where none was computed.
    pub compute_s: Option<f64>,
    /// Time per input of its group by itself, seconds: `1 / sum_k (1/Tr^k)` over the ranks that computed it.
    pub tr_s: Option<f64>,
    /// Time between two inputs, seconds.
    pub rtr_s: Option<f64>,
    /// Ranks that computed it.
    pub replicas: u32,
}

/// Times of each stage in a window.
pub fn stage_times(window: &StreamWindow) -> Vec<StageTimes> {
    let plan = Plan::parse(&window.plan, &vec![false; window.stages.len()]);
    let together = |stage: usize| {
        let group = plan.as_ref().ok().and_then(|plan| plan.0.iter().find(|group| group.range().contains(&stage)));
        group.map_or(stage..stage + 1, |group| group.range())
    };
    let of = |(number, stage): (usize, &crate::StageWindow)| {
        let inputs = stage.sum(|work| work.inputs as f64);
        let elapsed_s = stage.sum(|work| work.team.elapsed_s);
        let rate: f64 = stage.by_rank.iter().map(|work| rate_of(window, together(number), work.place)).sum();
        StageTimes {
            compute_s: stage.compute_s(),
            // A team's ranks share each input.
            tr_s: match stage.team && elapsed_s > 0.0 && inputs > 0.0 {
                true => Some(elapsed_s / inputs),
                false => (rate > 0.0).then(|| 1.0 / rate),
            },
            rtr_s: (inputs > 0.0).then(|| window.seconds / inputs),
            replicas: stage.by_rank.iter().filter(|work| work.is_seen()).count() as u32,
        }
    };
    window.stages.iter().enumerate().map(of).collect()
}

/// Inputs per second that a rank could do of stages that run together, as it was busy with them.
fn rate_of(window: &StreamWindow, mut stages: std::ops::Range<usize>, place: u32) -> f64 {
    let work = |stage: usize| window.stages.get(stage)?.by_rank.iter().find(|work| work.place == place);
    let inputs = work(stages.start).map_or(0, |work| work.inputs) as f64;
    let busy_s: f64 = stages.clone().filter_map(work).map(|work| work.busy_s + work.own_s).sum();
    let computed = stages.all(|stage| work(stage).is_some_and(|work| work.inputs > 0));
    if computed && busy_s > 0.0 { inputs / busy_s } else { 0.0 }
}

/// The ranks of each group of a plan; `None` while fewer were seen than it has.
pub fn places(window: &StreamWindow, plan: &Plan) -> Option<Vec<Vec<u32>>> {
    let of = |group: &midrun_scheduling::plan::Group| {
        let stage = window.stages.get(group.first)?;
        let places: Vec<u32> = stage.by_rank.iter().filter(|work| work.is_seen()).map(|work| work.place).collect();
        (places.len() == group.replicas).then_some(places)
    };
    plan.0.iter().map(of).collect()
}

/// A group of stages as people name it.
fn called(now: &Now, layout: &Layout, group: usize) -> String {
    let of = &layout.plan.0[group];
    let name = match now.names.get(of.first).map(String::as_str) {
        Some(name) if !name.is_empty() && of.stages == 1 => format!(" ({name})"),
        _ => String::new(),
    };
    let stages = match of.stages {
        1 => format!("stage {}{name}", of.first),
        _ => format!("stages {} to {}", of.first, of.range().end - 1),
    };
    if of.replicas > 1 { format!("{stages} on {} ranks", of.replicas) } else { stages }
}

fn slowest(layout: &Layout) -> usize {
    (0..layout.tr_s.len()).max_by(|a, b| layout.tr_s[*a].total_cmp(&layout.tr_s[*b])).unwrap_or(0)
}

/// Why `next` is better than what there is.
pub fn why(now: &Now, present: &Layout, next: &Layout) -> String {
    let (slow, next_slow) = (slowest(present), slowest(next));
    let held = present.tr_s.iter().enumerate().filter(|(g, _)| *g != slow).map(|(_, tr_s)| *tr_s).fold(0.0, f64::max);
    let others = if present.tr_s.len() > 1 {
        format!(" and holds up the others, which need {} at most", Seconds(held))
    } else {
        String::new()
    };
    let manager = match next.manager_s > 0.0 {
        true => format!(
            "; the head passes the messages of started ranks on, for {} per input at most",
            Seconds(next.manager_s)
        ),
        false => String::new(),
    };
    format!(
        "{} takes {} per input{others}; so laid out {} takes {}, and {} of {} ranks work instead of {}{manager}",
        called(now, present, slow),
        Seconds(present.tr_s[slow]),
        called(now, next, next_slow),
        Seconds(next.tr_s[next_slow]),
        next.ranks,
        now.ranks,
        present.ranks,
    )
}

/// Why the stage before the replicas of a layout hands inputs out to them, and no communication manager, as the source has it: such a manager
/// takes a rank, and time for each input. `None` where no stage of it is replicated.
pub fn managers(known: &Known, next: &Layout, grouping: Grouping) -> Option<String> {
    let replicated = |group: &&plan::Group| group.replicas > 1 && known.pipeline.team(group.first).is_none();
    let dearest_s =
        next.plan.0.iter().filter(replicated).map(|group| known.pipeline.managing_s(group.first)).reduce(f64::max)?;
    let managed = midrun_models::pipeline::Pipeline { manager: Manager::OwnRank, ..known.pipeline.clone() };
    let best = exact::optimum(&managed, next.ranks, grouping, exact::Objective::Time)?;
    let period_s = managed.evaluate(&best, Buffers::Full).period_s;
    Some(format!(
        "; no communication manager hands out, which would need {} per input and a rank: {best} would then be the best, with {}",
        Seconds(dearest_s),
        Seconds(period_s)
    ))
}

/// Why ranks are to be started for `next`.
pub fn why_started(now: &Now, present: &Layout, next: &Layout) -> String {
    let (slow, next_slow) = (slowest(present), slowest(next));
    format!(
        "{} takes {} per input, and no other pattern of the {} ranks that are there is better; with {} more {} takes {}, and the head, their \
         communication manager, is busy for {} of each input instead of {}",
        called(now, present, slow),
        Seconds(present.tr_s[slow]),
        now.ranks,
        next.ranks - now.ranks,
        called(now, next, next_slow),
        Seconds(next.tr_s[next_slow]),
        Seconds(now.head_s + next.manager_s),
        Seconds(now.head_s + present.manager_s),
    )
}

/// The regime of the stream. Groups within the model's error of the slowest are as slow.
pub fn regime(now: &Now, present: &Layout) -> &'static str {
    let slow_s = present.period_s();
    let balanced = present.tr_s.iter().all(|tr_s| *tr_s >= (1.0 - MODEL) * slow_s);
    match () {
        () if now.head_s > slow_s => "the source or the sink sets the pace: more ranks would not help",
        () if balanced => "all stages keep the same pace",
        () => "the slowest stage sets the pace",
    }
}
