//! The source's search: bring the slowest stages to the pace of the fastest that the ranks allow. No grouping.

use super::exact::{SAME, replicas_for};
use super::{Pattern, Pipeline};

/// The source's pattern for `ranks` ranks; `None` when there are fewer ranks than stages.
///
/// César 2006, ch. IV: take the fastest stage not tried yet as the target; replicate the slowest stages, slowest first, to
/// its pace; if the ranks run out, forget that and try the next fastest.
pub fn source(pipeline: &Pipeline, ranks: u32) -> Option<Pattern> {
    let stages = pipeline.stages.len();
    let unreplicated = Pattern::unreplicated(stages);
    if (ranks as usize) < stages {
        return None;
    }
    let single_s: Vec<f64> = unreplicated.0.iter().map(|group| pipeline.production_s(group)).collect();
    let mut by_pace: Vec<usize> = (0..stages).collect();
    by_pace.sort_by(|a, b| single_s[*a].total_cmp(&single_s[*b]));
    let found = by_pace.iter().find_map(|target| to_pace(pipeline, &by_pace, &single_s, single_s[*target], ranks));
    Some(found.unwrap_or(unreplicated))
}

fn to_pace(pipeline: &Pipeline, by_pace: &[usize], single_s: &[f64], target_s: f64, ranks: u32) -> Option<Pattern> {
    let mut pattern = Pattern::unreplicated(by_pace.len());
    for &stage in by_pace.iter().rev().filter(|stage| single_s[**stage] > target_s * SAME) {
        pattern.0[stage].replicas =
            replicas_for(pipeline, stage, 1, pipeline.stages[stage].compute_s, target_s * SAME, ranks)?;
        if pipeline.ranks(&pattern) > ranks {
            return None;
        }
    }
    Some(pattern)
}
