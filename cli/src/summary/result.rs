//! What a run gained, in words: the time saved against the settings at start, what each measure point found, and the advice.

use std::collections::{BTreeMap, BTreeSet};

use midrun_scheduling::Technique;
use midrun_statistics::{median, robust_deviation};
use midrun_tunlets::Regime;
use midrun_tunlets::confidence::Confidence;
use midrun_vocabulary::{Count, Seconds};
use serde_json::{Value, json};

use super::{advice, has_tasks, search, start};
use crate::figures::is_of_first;

/// The lines of the result.
pub fn lines(summary: &Value) -> Vec<String> {
    let mut lines: Vec<String> = start(&summary["start"]).into_iter().collect();
    lines.extend(search(&summary["search"]));
    lines.extend(saved_by_each(summary));
    lines.extend(summary["points"]["measured"].as_array().into_iter().flatten().filter_map(measured));
    lines.extend(advice(summary));
    lines
}

/// The gain, of each of several masters by itself, and of a pipeline beside them: the groups of a program, or its phases.
pub fn saved_by_each(summary: &Value) -> Vec<String> {
    let is_empty = |key: &str| summary[key].as_array().is_none_or(Vec::is_empty);
    if is_empty("period_s") || is_empty("iteration_s") {
        return saved_by_masters(summary);
    }
    let mut of_iterations = summary.clone();
    ["period_s", "over_start", "window_end_s"].into_iter().for_each(|key| of_iterations[key] = Value::Null);
    let by_masters = saved_by_masters(&of_iterations).into_iter();
    let is_one = is_empty("instances");
    let by_masters = by_masters.map(|line| if is_one { format!("iterations: {line}") } else { line });
    saved(summary).map(|line| format!("pipeline: {line}")).into_iter().chain(by_masters).collect()
}

/// The gain, of each of several masters by itself. The summary lists the iterations of the first, and more of them than of the others.
fn saved_by_masters(summary: &Value) -> Vec<String> {
    let instances = summary["instances"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some((first, others)) = instances.split_first() else { return saved(summary).into_iter().collect() };
    let said = |instance: &Value, of: &Value| saved(of).map(|line| format!("master {}: {line}", instance["master"]));
    // What was set on another master's rank does not concern it.
    let controls = |instance: &Value| -> Value {
        let mut controls = summary["controls"].clone();
        for control in controls.as_array_mut().into_iter().flatten() {
            if let Some(changes) = control["changes"].as_array_mut() {
                changes.retain(|change| change["rank"].is_null() || change["rank"] == instance["master"]);
            }
        }
        controls
    };
    let other = |instance: &Value| {
        let decisions = summary["decisions"].as_array().into_iter().flatten();
        let own = decisions.filter(|decision| decision["master"] == instance["master"]).cloned();
        let listed = instance["iteration_s"].as_array().map_or(0, Vec::len) as u64;
        let before = instance["iterations"].as_u64().unwrap_or(listed).saturating_sub(listed);
        let alone = json!({
            "decisions": own.collect::<Vec<_>>(), "instances": [{"master": instance["master"]}],
            "iterations": instance["iterations"], "iteration": (before..before + listed).collect::<Vec<_>>(),
            "iteration_s": instance["iteration_s"], "ideal_s": instance["ideal_s"],
            "workers": vec![instance["workers"].clone(); listed as usize],
            "pop": summary["pop"], "controls": controls(instance), "start": summary["start"],
            "unequal_workers": summary["unequal_workers"],
        });
        said(instance, &alone)
    };
    let mut of_first = summary.clone();
    of_first["controls"] = controls(first);
    said(first, &of_first).into_iter().chain(others.iter().filter_map(other)).collect()
}

/// One window: its number, its time, and its work, in the same unit for all; without tasks nobody knows the work, and it counts as equal.
struct Cost {
    number: u64,
    time_s: f64,
    work: f64,
}

impl Cost {
    fn rate(&self) -> f64 {
        self.time_s / self.work
    }
}

/// Time beyond what each window is expected to take by the others with its settings, for those that took longer than these scatter: an
/// outage, or other programs on the machine, held them up. `settings` numbers those of each window.
///
/// The scatter is the median absolute deviation from the median with the same settings, which nearly half of the windows may be off by
/// anything; the slowest of so many by chance is below the limit at the level. A window that is alone with its settings is compared to none.
fn delays_s(costs: &[Cost], settings: &[usize]) -> Vec<f64> {
    let alike =
        |setting: usize| costs.iter().zip(settings).filter(move |(_, of)| **of == setting).map(|(cost, _)| cost);
    let known: BTreeSet<usize> = settings.iter().copied().collect();
    let middle = |of: Vec<&Cost>| (median(of.iter().map(|cost| cost.rate()).collect()), of.len() as f64);
    let middles: BTreeMap<usize, (f64, f64)> = known.iter().map(|of| (*of, middle(alike(*of).collect()))).collect();
    // Deviations from an estimate that is made of the same values are too small by this.
    let beyond = |cost: &Cost, (rate, count): (f64, f64)| (cost.rate() / rate).ln() * (count / (count - 1.0)).sqrt();
    let compared = |setting: &usize| middles[setting].1 > 1.0;
    let all: Vec<(usize, &Cost)> = settings.iter().copied().zip(costs).filter(|(of, _)| compared(of)).collect();
    let freedom = (all.len() - known.iter().filter(|of| compared(of)).count()) as f64;
    let scatter = robust_deviation(all.iter().map(|(of, cost)| beyond(cost, middles[of])));
    let limit = Confidence::default().in_series(1, all.len()).student(freedom) * scatter;
    let is_delayed = |setting: usize, cost: &Cost| compared(&setting) && beyond(cost, middles[&setting]) > limit;
    let delay = |(setting, cost): (&usize, &Cost)| match is_delayed(*setting, cost) {
        true => {
            cost.time_s - cost.work * middle(alike(*setting).filter(|other| !is_delayed(*setting, other)).collect()).0
        }
        false => 0.0,
    };
    settings.iter().zip(costs).map(delay).collect()
}

/// Points that do not stand at their value of the start, and that value.
type Moved<'a> = BTreeMap<&'a str, &'a str>;

/// The least and most that settings gained over those at start, as differences of logarithms.
type Bounds = (f64, f64);

/// What a decision can have gained, by what it promised and what was measured when it was made: no more than either, and no less than was
/// measured. Nothing bounds what it does not tell.
fn bounds(decision: &Value) -> Bounds {
    let gain = |key: &str| {
        let gain = (decision["unchanged_s"].as_f64()? / decision[key].as_f64()?).ln();
        gain.is_finite().then_some(gain)
    };
    let (promised, measured) = (gain("predicted_s"), gain("measured_s"));
    let most = promised.into_iter().chain(measured).map(|gain| gain.max(0.0)).reduce(f64::min);
    (measured.map_or(f64::NEG_INFINITY, |measured| measured.min(0.0)), most.unwrap_or(f64::INFINITY))
}

/// What a decision changes from and to: a number of workers may come with a technique, as in `20 with fsc(0.7)`.
fn parts(decision: &Value) -> Vec<(&str, &str, &str)> {
    let text = |key: &str| decision[key].as_str().unwrap_or_default();
    let (point, from, to) = (text("tuning_point"), text("from"), text("to"));
    match from.split_once(" with ").zip(to.split_once(" with ")).filter(|_| point == "workers") {
        Some(((from, former), (to, technique))) => vec![(point, from, to), ("technique", former, technique)],
        None => vec![(point, from, to)],
    }
}

/// The number of each window's settings, 0: those at start, which a rollback may bring back; and by number, what they can have gained.
/// `changes` are those that were applied, each with the number of the first window after it.
fn settings(costs: &[Cost], mut changes: Vec<(u64, &Value)>) -> (Vec<usize>, Vec<Bounds>) {
    changes.sort_by_key(|(from, _)| *from);
    let mut at_start: BTreeMap<&str, &str> = BTreeMap::new();
    let mut moved = Moved::new();
    let mut reached = vec![(0, moved.clone(), (0.0, 0.0))];
    for (from, decision) in changes {
        for (point, from, to) in parts(decision) {
            moved.insert(point, to);
            at_start.entry(point).or_insert(from);
        }
        moved.retain(|point, value| at_start[point] != *value);
        reached.push((from, moved.clone(), bounds(decision)));
    }
    let mut known: Vec<(&Moved<'_>, Bounds)> = Vec::new();
    let mut numbers = Vec::new();
    let mut now = (0.0, 0.0);
    for (_, moved, (least, most)) in &reached {
        let number = known.iter().position(|(other, _)| *other == moved).unwrap_or(known.len());
        if number == known.len() {
            known.push((moved, (now.0 + least, now.1 + most)));
        }
        now = known[number].1;
        numbers.push(number);
    }
    let of = |cost: &Cost| numbers[reached.partition_point(|(from, ..)| *from <= cost.number) - 1];
    (costs.iter().map(of).collect(), known.into_iter().map(|(_, bounds)| bounds).collect())
}

/// Whether a window had a value that the user had set: from the first window with it to the next change of midrun's own. `ends_s` are the ends
/// of a stream's windows, whose controls count inputs.
fn by_hand<'a>(controls: &Value, ends_s: &Value, changes: &'a [(u64, &Value)]) -> impl Fn(&Cost) -> bool + use<'a> {
    let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
    let ends_s = list(ends_s);
    let mut set = Vec::new();
    for control in list(controls) {
        let window = ends_s.iter().position(|end_s| end_s.as_f64() > control["at_s"].as_f64());
        let applied = list(&control["changes"]).iter().filter_map(|change| change["applied_iteration"].as_u64()).min();
        set.extend(
            applied.and_then(|iteration| if ends_s.is_empty() { Some(iteration) } else { window.map(|at| at as u64) }),
        );
    }
    move |cost| {
        let newest = |from: &mut dyn Iterator<Item = u64>| from.filter(|from| *from <= cost.number).max();
        newest(&mut set.iter().copied()) > newest(&mut changes.iter().map(|(from, _)| *from))
    }
}

/// The number of each window's work: from each of these iterations on the tasks are other ones.
fn works(costs: &[Cost], other_work: &Value) -> Vec<usize> {
    let from: Vec<u64> = other_work.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    costs.iter().map(|cost| from.partition_point(|from| *from <= cost.number)).collect()
}

/// The number of each window's work, where the last windows before a change to settings of another kind all took longer than others with those
/// before it: the change was made for them. One alone, or what a change back follows, is an outage (`delays`).
fn works_before_changes(costs: &[Cost], works: &[usize], settings: &[usize], delays: &[f64]) -> Vec<usize> {
    let is_next = |at: usize| costs[at].number + 1 == costs[at + 1].number;
    let mut begins = vec![0; works.len()];
    for change in (1..settings.len()).filter(|at| !settings[..*at].contains(&settings[*at])) {
        let is_longer = |at: &usize| delays[*at] > 0.0 && settings[*at] == settings[change - 1] && is_next(*at);
        let longer = (0..change).rev().take_while(is_longer).count();
        if longer > 1 {
            begins[change - longer] = 1;
        }
    }
    let mut added = 0;
    let number = |(work, begins): (&usize, usize)| {
        added += begins;
        work + added
    };
    works.iter().zip(begins).map(number).collect()
}

/// Takes from the first iteration what a program does once, as far as the decision after it foresaw the same settings to take less; returns it,
/// seconds.
fn without_start(costs: &mut [Cost], changes: &[(u64, &Value)]) -> f64 {
    let of_first = changes.iter().map(|(_, decision)| *decision).find(|decision| decision["iteration"] == 0);
    let unchanged_s = of_first.and_then(|decision| decision["unchanged_s"].as_f64());
    let first = costs.iter_mut().find(|cost| cost.number == 0);
    let (Some(unchanged_s), Some(first)) = (unchanged_s, first) else { return 0.0 };
    let longer_s = (first.time_s - unchanged_s).max(0.0);
    // Shares are told to a tenth of a percent.
    if longer_s < 1e-3 * first.time_s {
        return 0.0;
    }
    first.time_s -= longer_s;
    longer_s
}

/// The gain of so many changes of a stream's pattern, of the same inputs: as the model expects these of the pattern at start. `None` where others than the
/// model chose patterns, too.
fn over_start(summary: &Value, changes: u64) -> Option<String> {
    let of = &summary["over_start"];
    let s = |key: &str| of[key].as_f64().map(Seconds);
    if summary["controls"].as_array().is_some_and(|controls| !controls.is_empty()) {
        return None;
    }
    Some(format!(
        "after midrun's {} an output came every {}; of the same inputs with the settings at start the model expects one every {} (measured in {}, and in {} at start)",
        Count(changes, "change"),
        s("period_s")?,
        s("start_period_s")?,
        Count(of["windows"].as_u64()?, "window"),
        of["at_start"].as_u64()?,
    ))
}

/// The gain of the changes that were applied: what the windows with other settings took, against the time that their work
/// would have taken at the rate of the windows with the settings at start and the same tasks. What something else delayed windows by does not count,
/// and is named. That those with the settings at start were of another time, and other work, no summary can rule out: it tells no more than what the
/// decisions promised and measured when they were made, and what lies beyond counts as uncertain.
pub fn saved(summary: &Value) -> Option<String> {
    // A search tries worse values on purpose; its own line compares medians.
    if !summary["search"].is_null() {
        return None;
    }
    let (mut costs, what, unit) = costs(summary)?;
    let same = match unit {
        Work::TaskTime => " for the same work",
        Work::Tasks => " for as many tasks",
        Work::Equal => "",
    };
    let per = if what == "window" { "output" } else { "iteration" };
    // Of several masters the summary lists the iterations of the first, and a stream's windows beside them.
    let is_listed =
        |decision: &&Value| is_of_first(summary, decision) && decision["per"].as_str().is_none_or(|of| of == per);
    let applied = summary["decisions"].as_array()?.iter().filter(is_listed);
    let applied = applied.filter(|decision| !decision["applied_iteration"].is_null());
    // Until it is applied the settings at start hold. A stream counts inputs there, not windows.
    let from = |decision: &Value| match what {
        "window" => decision["iteration"].as_u64().map(|last| last + 1),
        _ => decision["applied_iteration"].as_u64(),
    };
    let changes: Vec<(u64, &Value)> =
        applied.clone().filter_map(|decision| Some((from(decision)?, decision))).collect();
    let Some((first, was)) =
        changes.iter().map(|(from, decision)| (*from, &decision["from"])).min_by_key(|(from, _)| *from)
    else {
        let since = if summary["start"].is_object() { " after the start" } else { ", so nothing was gained or lost" };
        return Some(format!("midrun changed nothing{since}"));
    };
    if let Some(line) = over_start(summary, applied.clone().count() as u64) {
        return Some(line);
    }
    let start_s = if what == "window" { 0.0 } else { without_start(&mut costs, &changes) };
    let name = was.as_str().and_then(|text| text.split(['(', ' ']).next()).unwrap_or_default();
    let (set, costs): (Vec<Cost>, Vec<Cost>) =
        costs.into_iter().partition(by_hand(&summary["controls"], &summary["window_end_s"], &changes));
    let (settings, bounds) = settings(&costs, changes);
    let works = works(&costs, &summary["other_work"]);
    // Windows with one setting and one kind of tasks.
    let both = |works: &[usize]| -> Vec<usize> {
        let kinds = works.last().map_or(0, |last| last + 1);
        settings.iter().zip(works).map(|(of, work)| of * kinds + work).collect()
    };
    // What one input takes longer than another is the stream's own.
    let delays =
        |works: &[usize]| if what == "window" { vec![0.0; costs.len()] } else { delays_s(&costs, &both(works)) };
    let works = works_before_changes(&costs, &works, &settings, &delays(&works));
    let delays = delays(&works);
    let late: BTreeSet<u64> =
        costs.iter().zip(&delays).filter(|(_, s)| **s > 0.0).map(|(cost, _)| cost.number).collect();
    // What held them up would have done so with the settings at start, too.
    let without = |(cost, delay): (Cost, &f64)| Cost { time_s: cost.time_s - delay, ..cost };
    let costs: Vec<Cost> = costs.into_iter().zip(&delays).map(without).collect();
    let counted = || costs.iter().zip(&settings).zip(&works).map(|((cost, of), work)| (cost, *of, *work));
    let mut rates: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    counted().filter(|(_, of, _)| *of == 0).for_each(|(cost, _, work)| {
        rates.entry(work).or_default().push(cost.rate());
    });
    let rates: BTreeMap<usize, f64> = rates.into_iter().map(|(work, rates)| (work, median(rates))).collect();
    let is_after = |cost: &Cost, of: usize| cost.number >= first && (of != 0 || what == "window");
    let others = counted().filter(|(cost, of, work)| is_after(cost, *of) && !rates.contains_key(work)).count();
    // In time with the settings at start.
    let expected = |(cost, of, work): (&Cost, usize, usize)| {
        let expected_s = cost.work * rates.get(&work)?;
        Some((Cost { work: expected_s, ..*cost }, of, work))
    };
    let compared: Vec<(Cost, usize, usize)> = counted().filter_map(expected).collect();
    let are_after = || compared.iter().filter(|(cost, of, _)| is_after(cost, *of));
    let after: Vec<&Cost> = are_after().map(|(cost, ..)| cost).collect();
    let of_after: BTreeSet<usize> = are_after().map(|(.., work)| *work).collect();
    let is_before = |(_, of, work): &&(Cost, usize, usize)| *of == 0 && of_after.contains(work);
    let before: Vec<&Cost> = compared.iter().filter(is_before).map(|(cost, ..)| cost).collect();
    if rates.is_empty() {
        return Some(format!(
            "what the changes gained is not known: no {what} with the settings at start was measured that tells it"
        ));
    }
    if after.is_empty() && others > 0 {
        return Some(format!(
            "what the changes gained is not known: no {what} after them has tasks like those with the settings at start"
        ));
    }
    if after.is_empty() {
        return Some(format!(
            "the run was too short to tell what the changes gained: no {what} was measured after them"
        ));
    }
    let learns = summary["unequal_workers"] == true && Technique::parse(name).is_some_and(Technique::learns_speeds);
    if learns && before.iter().all(|cost| cost.number == 0) {
        return Some(format!(
            "what the changes gained is not known: {name} goes by how fast each worker is, and stood in the first iteration only, before that was \
             measured"
        ));
    }
    let took_s: f64 = after.iter().map(|cost| cost.time_s).sum();
    let by_windows_s: f64 = after.iter().map(|cost| cost.work).sum();
    // What the model says of the end holds for the settings and tasks of the end.
    let last = settings.last().zip(works.last());
    let at_end = summary["most_gained"].as_f64().map_or(f64::INFINITY, |most| most.max(0.0));
    let bounded = |(cost, of, work): &(Cost, usize, usize)| {
        let (least, most) = bounds[*of];
        let most = if last == Some((of, work)) { most.min(at_end) } else { most };
        cost.work.min(cost.time_s * most.exp()).max(cost.time_s * least.min(most).exp())
    };
    let at_start_s: f64 = are_after().map(bounded).sum();
    let share = 100.0 * (took_s / at_start_s - 1.0);
    let changes = Count(applied.count() as u64, "change");
    if what == "window" {
        let start_s = rates_mean(counted().filter(|(_, of, _)| *of == 0).map(|(cost, ..)| cost));
        let after_s = rates_mean(counted().filter(|(cost, of, _)| is_after(cost, *of)).map(|(cost, ..)| cost));
        return Some(format!(
            "after midrun's {changes} an output came every {}, with the settings at start every {} (in {}, and in {} at start)",
            Seconds(after_s),
            Seconds(start_s),
            Count(after.len() as u64, "window"),
            before.len(),
        ));
    }
    let delayed = (!late.is_empty()).then(|| {
        let (late, longer) = (Count(late.len() as u64, what), Seconds(delays.iter().sum()));
        format!("; without {longer} by which {late} took longer than others with the same settings")
    });
    let others = (others > 0).then(|| format!("; of other tasks than any with them: {}", Count(others as u64, what)));
    let beyond = 100.0 * (took_s / by_windows_s - took_s / at_start_s).abs();
    let [in_time_before, in_time_after] = [before.clone(), after.clone()].map(|mut costs| {
        costs.retain(|cost| !late.contains(&cost.number));
        costs
    });
    let half = half_width(&in_time_before, &in_time_after);
    let half = half.map(|half| (100.0 * took_s / at_start_s * half.exp_m1()).hypot(beyond));
    let sure = half.map_or(String::new(), |half| match half {
        half if half <= 100.0 => format!(" +- {half:.1} %"),
        _ => " (+- more than 100 %)".into(),
    });
    let by_hand = (!set.is_empty()).then(|| format!("; with values set by hand: {}", Count(set.len() as u64, what)));
    let start = (start_s > 0.0).then(|| {
        format!(
            "; the first iteration counts as it was foreseen: {} less, for what a program does once",
            Seconds(start_s)
        )
    });
    let [delayed, others, by_hand, start] = [delayed, others, by_hand, start].map(Option::unwrap_or_default);
    let measured = format!("measured in {}{delayed}{others}{by_hand}{start}", Count(in_time_before.len() as u64, what));
    let shows = half.is_none_or(|half| share.abs() > half);
    // What an earlier run gave is no setting of the program's.
    let is_remembered = summary["start"]["measured_s"].is_number();
    let start = if is_remembered { "start that was remembered" } else { "settings at start" };
    let what_it_did = match took_s <= at_start_s {
        _ if !shows => "made no difference that shows".to_owned(),
        true => format!("saved about {}", Seconds(at_start_s - took_s)),
        false => "saved no time".to_owned(),
    };
    Some(format!(
        "midrun's {changes} {what_it_did}: the {} with other settings took {} instead of {}{same}, {:.1} %{sure} {} than with the {start} ({measured})",
        Count(after.len() as u64, what),
        Seconds(took_s),
        Seconds(at_start_s),
        share.abs(),
        if took_s <= at_start_s { "less" } else { "more" },
    ))
}

/// Time per unit of work in all these windows together.
fn rates_mean<'a>(windows: impl Iterator<Item = &'a Cost>) -> f64 {
    let (time_s, work) = windows.fold((0.0, 0.0), |(time_s, work), cost| (time_s + cost.time_s, work + cost.work));
    time_s / work
}

/// Half the width of the interval of the ratio of both mean rates, as a difference of logarithms, at the usual level: Student's, of one scatter for both.
fn half_width(before: &[&Cost], after: &[&Cost]) -> Option<f64> {
    let squares = |windows: &[&Cost]| {
        let logs: Vec<f64> = windows.iter().map(|cost| cost.rate().ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
    };
    let counts = (before.len() as f64, after.len() as f64);
    let freedom = counts.0 + counts.1 - 2.0;
    let variance = (squares(before) + squares(after)) / freedom * (1.0 / counts.0 + 1.0 / counts.1);
    (freedom > 0.0).then(|| Confidence::default().student(freedom) * variance.sqrt())
}

fn costs(summary: &Value) -> Option<(Vec<Cost>, &'static str, Work)> {
    let list = |key: &str| summary[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let at = |key: &str, place: usize| list(key).get(place).and_then(Value::as_f64);
    let periods = list("period_s");
    let (key, what) = if periods.is_empty() { ("iteration_s", "iteration") } else { ("period_s", "window") };
    let unit = if what == "iteration" { Work::of(summary) } else { Work::Equal };
    let cost = |(place, time_s): (usize, &Value)| {
        let number = if what == "window" { place as f64 } else { at("iteration", place).unwrap_or(place as f64) };
        let time_s = time_s.as_f64()?;
        if what == "window" {
            let outputs = at("window_outputs", place).unwrap_or(1.0);
            let settled = list("window_settled").get(place) != Some(&Value::Bool(false));
            return settled.then_some(Cost { number: number as u64, time_s: time_s * outputs, work: outputs });
        }
        let work = match unit {
            Work::TaskTime => at("ideal_s", place)? * at("workers", place)?,
            Work::Tasks => at("tasks", place)?,
            Work::Equal => 1.0,
        };
        Some(Cost { number: number as u64, time_s, work }).filter(|cost| cost.work > 0.0)
    };
    let costs: Vec<Cost> = list(key).iter().enumerate().filter_map(cost).collect();
    (!costs.is_empty()).then_some((costs, what, unit))
}

/// The unit of an iteration's work.
#[derive(Clone, Copy)]
enum Work {
    /// The total time of its tasks: ideal time x workers.
    TaskTime,
    /// Their number: where tasks wait for cores, or workers are unequal, their time is no work.
    Tasks,
    /// Nothing tells it, and all iterations count alike: the program has no tasks, or how many there are was midrun's decision.
    Equal,
}

impl Work {
    fn of(summary: &Value) -> Work {
        match (has_tasks(summary), is_crowded(summary) || summary["unequal_workers"] == true) {
            (false, _) => Work::Equal,
            (true, false) => Work::TaskTime,
            (true, true) if divides(summary) => Work::Equal,
            (true, true) => Work::Tasks,
        }
    }
}

/// How many tasks there are was midrun's decision.
fn divides(summary: &Value) -> bool {
    summary["decisions"].as_array().is_some_and(|all| all.iter().any(|decision| decision["tunlet"] == "divide_conquer"))
}

/// The run was core-bound.
fn is_crowded(summary: &Value) -> bool {
    summary["pop"]["run_delay"].as_f64().is_some_and(Regime::is_cores)
}

/// What a measure point found.
fn measured(line: &Value) -> Option<String> {
    let number = |key: &str| line[key].as_f64();
    let count = line["count"].as_u64()?;
    let label = line["label"].as_str()?;
    let ranks = match &line["ranks"] {
        Value::Array(ranks) => ranks.len() as u64,
        ranks => ranks.as_u64().unwrap_or(0),
    };
    let ranks = Count(ranks, "rank");
    let (mean, least, most) = (number("mean")?, number("minimum")?, number("maximum")?);
    Some(if line["is_value"] == true {
        format!("{label}: {} on {ranks}, mean {mean:.4}, from {least} to {most}", Count(count, "value"))
    } else {
        let [mean, least, most] = [mean, least, most].map(Seconds);
        format!("{label}: {} on {ranks}, mean {mean}, from {least} to {most}", Count(count, "call"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(times: Value, ideal: Value, applied: Value) -> Value {
        json!({"iterations": 4, "iteration": [0, 1, 2, 3], "iteration_s": times, "ideal_s": ideal, "workers": [4, 4, 4, 4],
            "tasks": [8, 8, 8, 8], "decisions": [{"iteration": 1, "applied_iteration": applied, "from": "a", "to": "b", "verdict": "kept"}]})
    }

    #[test]
    fn a_technique_that_comes_with_a_number_of_workers_is_another_setting() {
        let change = |from: &str, to: &str| json!({"tuning_point": "workers", "from": from, "to": to});
        let all = [
            change("32 with mfsc", "20 with fsc(0.7)"),
            change("20", "32"),
            json!({"tuning_point": "technique", "from": "fsc(0.7)", "to": "mfsc"}),
        ];
        let costs: Vec<Cost> = (0..4).map(|number| Cost { number, time_s: 1.0, work: 1.0 }).collect();
        let (numbers, _) =
            settings(&costs, all.iter().enumerate().map(|(at, change)| (at as u64 + 1, change)).collect());
        assert_eq!(numbers, [0, 1, 2, 0], "as at start only with both as at start");
    }

    #[test]
    fn the_gain_is_told_for_the_same_work() {
        // The later iterations have twice the work, and take 1.5 times as long.
        let gained = saved(&run(json!([1.0, 1.0, 1.5, 1.5]), json!([0.5, 0.5, 1.0, 1.0]), json!(2))).unwrap();
        let expected = "midrun's 1 change saved about 1.000 s: the 2 iterations with other settings took 3.000 s instead of 4.000 s for the same work, 25.0 % +- 0.0 % less than with the settings at start (measured in 2 iterations)";
        assert_eq!(gained, expected);
        let lost = saved(&run(json!([1.0, 1.0, 1.1, 1.1]), json!([0.5, 0.5, 0.5, 0.5]), json!(2))).unwrap();
        assert!(
            lost.starts_with("midrun's 1 change saved no time: ") && lost.contains("10.0 % +- 0.0 % more"),
            "{lost}"
        );
        let nothing = saved(&run(json!([1.0, 1.0, 1.1, 1.1]), json!([0.5, 0.5, 0.5, 0.5]), Value::Null)).unwrap();
        assert_eq!(nothing, "midrun changed nothing, so nothing was gained or lost");
    }

    #[test]
    fn what_a_program_does_once_is_no_gain_of_a_change() {
        let mut summary = run(json!([1.5, 0.9, 0.9, 0.9]), json!([0.5, 0.5, 0.5, 0.5]), json!(1));
        summary["decisions"][0]["iteration"] = json!(0);
        let of_start = saved(&summary).unwrap();
        assert!(of_start.contains("saved about 1.800 s"), "nothing was foreseen: {of_start}");
        summary["decisions"][0]["unchanged_s"] = json!(1.0);
        let gained = saved(&summary).unwrap();
        assert!(
            gained.contains("saved about 0.300 s") && gained.contains("as it was foreseen: 0.500 s less"),
            "{gained}"
        );
    }

    #[test]
    fn the_time_of_tasks_that_slow_workers_leave_to_fast_ones_is_no_less_work() {
        // Fast workers do more after the change: the same tasks take 0.3 instead of 0.5 s by all.
        let mut summary = run(json!([1.0, 1.0, 0.5, 0.5]), json!([0.5, 0.5, 0.3, 0.3]), json!(2));
        summary["unequal_workers"] = json!(true);
        let gained = saved(&summary).unwrap();
        assert!(gained.contains("saved about 1.000 s") && gained.contains("for as many tasks, 50.0 %"), "{gained}");
    }

    #[test]
    fn what_other_tasks_take_is_no_loss_of_the_changes() {
        // From iteration 4 on the tasks are dearer and suit the settings at start badly; from 7 on those are other ones.
        let times = [1.0, 0.99, 1.01, 1.0, 3.0, 3.03, 2.97, 1.5, 1.485, 1.515];
        let run = |other_work: Value| {
            let decision = json!({"iteration": 5, "applied_iteration": 7, "from": "a", "to": "b", "verdict": "kept"});
            let run = json!({"iterations": 10, "iteration": (0..10).collect::<Vec<u64>>(), "iteration_s": times, "ideal_s": vec![0.5; 10],
                "workers": vec![4; 10], "tasks": vec![8; 10], "decisions": [decision], "other_work": other_work});
            saved(&run).unwrap()
        };
        let gained = run(json!([4]));
        assert!(
            gained.starts_with(
                "midrun's 1 change saved about 4.500 s: the 3 iterations with other settings took 4.500 s"
            ),
            "{gained}"
        );
        assert!(gained.ends_with("(measured in 3 iterations)"), "{gained}");
        let changed_again = run(json!([4, 9]));
        assert!(changed_again.contains("the 2 iterations with other settings"), "{changed_again}");
        assert!(changed_again.ends_with("; of other tasks than any with them: 1 iteration)"), "{changed_again}");
        assert!(run(json!([7])).starts_with("what the changes gained is not known: no iteration after them has"));
    }

    #[test]
    fn the_gain_is_as_sure_as_iterations_scatter() {
        // Logarithms +-0.1 around 0 and around -0.5: the pooled deviation is 0.141, its error 0.141, Student's quantile of 2 is 4.303.
        let times: Vec<f64> = [0.1, -0.1, -0.4, -0.6].map(f64::exp).to_vec();
        let gained = saved(&run(json!(times), json!([0.5, 0.5, 0.5, 0.5]), json!(2))).unwrap();
        assert!(gained.contains(" % +- 50.8 % less"), "{gained}");
        let short = json!({"iterations": 2, "iteration_s": [1.0, 0.5], "decisions": [{"iteration": 0, "applied_iteration": 1, "from": "a", "to": "b"}]});
        let unsure = saved(&short).unwrap();
        assert!(unsure.contains(", 50.0 % less"), "two iterations show no scatter: {unsure}");
    }

    #[test]
    fn of_two_iterations_at_the_start_neither_alone_is_what_it_would_have_taken() {
        let gained = saved(&run(json!([1.0, 1.2, 1.0, 1.0]), json!([0.5, 0.5, 0.5, 0.5]), json!(2))).unwrap();
        assert!(gained.starts_with("midrun's 1 change made no difference that shows: "), "{gained}");
        assert!(gained.contains("took 2.000 s instead of 2.200 s"), "{gained}");
    }

    /// Iterations of 1 s, and from 4 on of 0.5 s, with some scatter; `delayed` took so many seconds longer.
    fn with_delays(delayed: &[(usize, f64)]) -> Value {
        let mut times: Vec<f64> = (0..12).map(|k| [1.0, 0.5][usize::from(k > 3)] * [1.0, 1.01, 0.99][k % 3]).collect();
        delayed.iter().for_each(|(at, more_s)| times[*at] += more_s);
        json!({"iterations": 12, "iteration_s": times, "decisions": [{"iteration": 3, "applied_iteration": 4, "from": "a", "to": "b"}]})
    }

    #[test]
    fn what_an_outage_took_is_not_blamed_on_the_changes_wherever_in_the_run_it_was() {
        let undisturbed = saved(&with_delays(&[])).unwrap();
        assert!(
            undisturbed.contains("the 8 iterations with other settings took") && !undisturbed.contains("without"),
            "{undisturbed}"
        );
        for first in [0, 3, 4, 8, 11] {
            let gained = saved(&with_delays(&[(first, 60.0)])).unwrap();
            let expected = "the 8 iterations with other settings took";
            assert!(gained.contains(expected) && !gained.contains("no time"), "{first}: {gained}");
            let named = |s: &str| {
                gained.contains(&format!("; without {s}")) && gained.contains("by which 1 iteration took longer")
            };
            assert!(named("59.9") || named("60.0"), "{first}: {gained}");
            let share = gained.split(" % +- ").next().unwrap().rsplit(' ').next().unwrap().parse::<f64>().unwrap();
            assert!((49.0..51.0).contains(&share), "{first}: {gained}");
        }
        let often = saved(&with_delays(&[(1, 3.0), (5, 60.0), (6, 10.0), (11, 1.0)])).unwrap();
        assert!(
            often.contains("the 8 iterations with other settings took")
                && often.contains("by which 4 iterations took longer"),
            "{often}"
        );
    }

    #[test]
    fn what_became_longer_until_the_change_is_other_work_and_no_outage() {
        // From iteration 8 on the tasks suit the settings at start badly; a change at 10 mends it.
        let mut times = [1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 1.0, 1.01, 2.0, 1.98, 1.0, 0.99, 1.01, 1.0];
        let run = |times: &[f64]| {
            let decision = json!({"iteration": 9, "applied_iteration": 10, "from": "a", "to": "b", "unchanged_s": 2.0,
                "predicted_s": 1.0, "measured_s": 1.0});
            saved(&json!({"iterations": 14, "iteration_s": times, "decisions": [decision]})).unwrap()
        };
        let gained = run(&times);
        assert!(gained.contains("saved about 3.950 s") && gained.ends_with("(measured in 2 iterations)"), "{gained}");
        times[8] = 1.0;
        let outage = run(&times);
        assert!(
            outage.contains("made no difference that shows") && outage.contains("by which 1 iteration took longer"),
            "{outage}"
        );
    }

    #[test]
    fn no_more_is_told_of_the_end_than_the_model_says_of_its_tasks() {
        // Only the first iteration has the settings at start, and uneven tasks.
        let run = |most_gained: Value, other_work: Value| {
            let decision = json!({"iteration": 0, "applied_iteration": 1, "from": "a", "to": "b", "unchanged_s": 2.0,
                "predicted_s": 1.0, "measured_s": 1.0});
            saved(&json!({"iterations": 4, "iteration_s": [2.0, 1.0, 1.0, 1.0], "decisions": [decision],
                "most_gained": most_gained, "other_work": other_work}))
            .unwrap()
        };
        assert!(run(Value::Null, json!([])).contains("saved about 3.000 s"), "nothing says otherwise");
        let bounded = run(json!(0.01), json!([]));
        assert!(bounded.contains("took 3.000 s instead of 3.030 s") && !bounded.contains("saved"), "{bounded}");
        assert!(run(json!(-0.2), json!([])).contains("instead of 3.000 s"), "a loss is no bound of a gain");
        assert!(run(json!(0.01), json!([3])).contains("took 2.000 s instead of 4.000 s"), "those of the end alone");
    }

    #[test]
    fn what_a_bad_change_took_is_blamed_on_it_although_it_was_short() {
        let mut summary = with_delays(&[(4, 3.0), (5, 3.0)]);
        summary["decisions"] = json!([{"iteration": 3, "applied_iteration": 4, "from": "a", "to": "b"}, {"iteration": 5, "applied_iteration": 6, "from": "b", "to": "c"}]);
        let lost = saved(&summary).unwrap();
        assert!(
            lost.contains("the 8 iterations with other settings took 10.0") && !lost.contains("left out"),
            "{lost}"
        );
    }

    #[test]
    fn no_more_is_told_than_what_the_change_promised_and_what_was_measured_when_it_was_made() {
        // Something held the first two up, or the tasks were others: nobody can tell from the times alone.
        let run = |predicted_s: f64, measured_s: f64| {
            let decision = json!({"iteration": 1, "applied_iteration": 2, "from": "a", "to": "b", "unchanged_s": 1.0,
                "predicted_s": predicted_s, "measured_s": measured_s});
            let times = [1.0, 1.01, 0.5, 0.51, 0.5, 0.49, 0.5];
            saved(&json!({"iterations": 7, "iteration_s": times, "decisions": [decision]})).unwrap()
        };
        let kept = run(0.49, 0.5);
        assert!(kept.contains("saved about 2.485 s") && kept.contains("took 2.500 s instead of 4.985 s"), "{kept}");
        let small = run(0.9, 0.5);
        assert!(small.contains("made no difference that shows") && small.contains("instead of 2.778 s"), "{small}");
        let none = run(0.5, 1.01);
        assert!(none.contains("made no difference that shows") && none.contains("instead of 2.500 s"), "{none}");
        let unjudged = json!({"iteration": 1, "applied_iteration": 2, "from": "a", "to": "b", "measured_s": null});
        assert_eq!(bounds(&unjudged), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn settings_that_come_back_tell_what_the_start_would_have_taken() {
        // An outage fell into the only iteration before the first change, which was rolled back.
        let decision = |applied: u64, from: &str, to: &str| json!({"iteration": applied - 1, "applied_iteration": applied, "tuning_point": "x", "from": from, "to": to});
        let mut summary = json!({"iterations": 8, "iteration_s": [60.0, 1.5, 1.5, 1.0, 1.0, 1.01, 0.8, 0.8]});
        summary["decisions"] = json!([decision(1, "a", "b"), decision(3, "b", "a"), decision(6, "a", "c")]);
        let gained = saved(&summary).unwrap();
        // Those of b and c took 4.6 s, and would have taken 4 x 1 s.
        assert!(
            gained.contains("took 4.600 s instead of 4.000 s")
                && gained.contains("; without 59.000 s by which 1 iteration"),
            "{gained}"
        );
    }

    #[test]
    fn an_iteration_in_which_no_worker_was_known_tells_nothing_of_a_technique_that_goes_by_that() {
        let run = |from: &str, second: u64| {
            let decision = json!({"iteration": second - 1, "applied_iteration": second, "tuning_point": "technique", "from": from, "to": "ss"});
            json!({"iterations": 4, "iteration_s": [2.0, 1.0, 1.0, 1.0], "decisions": [decision], "unequal_workers": true})
        };
        assert!(
            saved(&run("dpf(0.5) with recall", 1))
                .unwrap()
                .starts_with("what the changes gained is not known: dpf goes by")
        );
        assert!(saved(&run("dpf(0.5)", 2)).unwrap().contains("2.000 s instead of"));
        let mut last = run("dpf(0.5)", 4);
        assert!(saved(&last).unwrap().contains("no iteration was measured after them"), "dpf stood in all of them");
        last["controls"] = json!([{"changes": [{"applied_iteration": 0}]}]);
        last["decisions"][0]["applied_iteration"] = json!(2);
        assert!(saved(&last).unwrap().contains("no iteration with the settings at start was measured that tells it"));
        assert!(saved(&run("none", 1)).unwrap().contains("3.000 s instead of 6.000 s"));
    }

    #[test]
    fn each_of_several_masters_gains_by_itself() {
        let decision = |master: u64| json!({"master": master, "iteration": 0, "applied_iteration": 1, "tuning_point": "technique", "from": "none", "to": "ss"});
        let instance = |master: u64, s: [f64; 3]| json!({"master": master, "iterations": 3, "workers": 4, "iteration_s": s, "ideal_s": [0.5, 0.5, 0.5]});
        let summary = json!({"iterations": 3, "iteration_s": [1.0, 0.6, 0.6], "ideal_s": [0.5, 0.5, 0.5], "workers": [4, 4, 4],
            "decisions": [decision(0), decision(5)],
            "instances": [instance(0, [1.0, 0.6, 0.6]), instance(5, [2.0, 0.6, 0.6]), instance(9, [2.0, 2.0, 2.0])]});
        let said = saved_by_each(&summary);
        assert!(
            said[0].starts_with("master 0: midrun's 1 change") && said[0].contains("1.200 s instead of 2.000 s"),
            "{said:?}"
        );
        assert!(
            said[1].starts_with("master 5: midrun's 1 change") && said[1].contains("1.200 s instead of 4.000 s"),
            "{said:?}"
        );
        assert_eq!(said[2], "master 9: midrun changed nothing, so nothing was gained or lost");
        // What is set on the one's rank is not the other's.
        let mut set = summary.clone();
        set["controls"] = json!([{"changes": [{"rank": 5, "applied_iteration": 2}]}]);
        let of_both = saved_by_each(&set);
        assert_eq!(of_both[0], said[0]);
        assert!(of_both[1].contains("with values set by hand: 1 iteration"), "{of_both:?}");
        // Where workers are unequal their number of tasks is the work, which is known of the first master's alone.
        (set["unequal_workers"], set["tasks"]) = (json!(true), json!([10, 10, 10]));
        assert_eq!(saved_by_each(&set).len(), 1, "{:?}", saved_by_each(&set));
    }

    #[test]
    fn a_pipeline_beside_farms_gains_by_itself() {
        let decision = |per: &str, master: Value| json!({"per": per, "master": master, "iteration": 0, "applied_iteration": 1, "tuning_point": "technique", "from": "none", "to": "ss"});
        let mut summary = json!({"iterations": 3, "iteration_s": [1.0, 0.6, 0.6], "ideal_s": [0.5, 0.5, 0.5], "workers": [4, 4, 4],
            "period_s": [0.04, 0.01, 0.01], "window_settled": [true, true, true],
            "decisions": [decision("iteration", Value::Null), decision("output", Value::Null)],
            "over_start": {"period_s": 0.01, "start_period_s": 0.04, "windows": 2, "at_start": 1}});
        let phases = saved_by_each(&summary);
        assert!(phases[0].starts_with("pipeline: after midrun's 1 change an output came every 10.0 ms"), "{phases:?}");
        assert!(
            phases[1].starts_with("iterations: midrun's 1 change") && phases[1].contains("1.200 s instead of 2.000 s"),
            "{phases:?}"
        );
        summary["instances"] =
            json!([{"master": 0}, {"master": 18, "iteration_s": [1.0], "ideal_s": [0.5], "workers": 4}]);
        summary["decisions"] = json!([decision("iteration", json!(0)), decision("output", Value::Null)]);
        let groups = saved_by_each(&summary);
        assert_eq!(groups[0], phases[0]);
        assert!(
            groups[1].starts_with("master 0: midrun's 1 change") && groups[1].contains("1.200 s instead of 2.000 s"),
            "{groups:?}"
        );
        assert!(groups[2].starts_with("master 18: midrun changed nothing"), "{groups:?}");
    }

    #[test]
    fn what_the_user_set_is_not_midruns() {
        // A pause from iteration 4 on, tuned again from 6 on; at 8 the user sets a value.
        let decision = |applied: u64| json!({"iteration": applied - 1, "applied_iteration": applied, "tuning_point": "x", "from": "a", "to": "b"});
        let control = |applied: u64| json!({"changes": [{"applied_iteration": applied}, {"applied_iteration": null}]});
        let mut summary = json!({"iterations": 9, "iteration_s": [1.5, 1.5, 1.0, 1.0, 1.6, 1.6, 1.0, 1.0, 9.0]});
        summary["decisions"] = json!([decision(2), decision(6)]);
        summary["controls"] = json!([control(4), {"changes": []}, control(8)]);
        let gained = saved(&summary).unwrap();
        let counted = "the 4 iterations with other settings took 4.000 s instead of 6.000 s";
        assert!(gained.contains(counted) && gained.ends_with("with values set by hand: 3 iterations)"), "{gained}");
        // Of a stream by the time: its first window after the control is the third.
        let stream = json!({"period_s": [1.5, 1.0, 9.0], "window_end_s": [20.0, 40.0, 60.0],
            "decisions": [{"iteration": 0, "applied_iteration": 30, "from": "a", "to": "b"}],
            "controls": [{"at_s": 41.0, "changes": [{"applied_iteration": 700}]}]});
        let gained = saved(&stream).unwrap();
        assert!(gained.contains("an output came every 1.000 s, with"), "{gained}");
    }

    #[test]
    fn until_a_change_is_applied_the_settings_at_start_hold() {
        let gained = saved(&run(json!([1.0, 1.0, 1.0, 0.5]), json!([0.5, 0.5, 0.5, 0.5]), json!(3))).unwrap();
        let expected = "midrun's 1 change saved about 0.500 s: the 1 iteration with other settings took 0.500 s instead of 1.000 s";
        assert!(gained.starts_with(expected) && gained.ends_with("(measured in 3 iterations)"), "{gained}");
    }

    #[test]
    fn the_time_that_tasks_wait_for_cores_is_no_work() {
        // As many tasks, which wait for cores four times as long afterwards.
        let mut summary = run(json!([1.0, 1.0, 0.8, 0.8]), json!([0.1, 0.1, 0.4, 0.4]), json!(2));
        summary["pop"] = json!({"run_delay": 0.9});
        let gained = saved(&summary).unwrap();
        assert!(gained.contains("instead of 2.000 s for as many tasks, 20.0 % +- 0.0 % less"), "{gained}");
    }

    #[test]
    fn a_stream_gains_in_the_time_between_two_outputs() {
        let summary = json!({"iterations": 0, "period_s": [0.4, 0.42, 0.1, 0.11, 0.1],
            "decisions": [{"iteration": 1, "applied_iteration": 30, "from": "0,1", "to": "0,1x4"}]});
        let expected = "after midrun's 1 change an output came every 0.103 s, with the settings at start every 0.410 s (in 3 windows, and in 2 at start)";
        assert_eq!(saved(&summary).as_deref(), Some(expected));
        // By their outputs; one whose outputs an earlier pattern held up tells nothing.
        let mut summary = json!({"period_s": [0.4, 0.9, 0.1, 0.5], "window_outputs": [8, 8, 30, 10],
            "window_settled": [true, false, true, true],
            "decisions": [{"iteration": 0, "applied_iteration": 30, "from": "0,1", "to": "0,1x4"}]});
        assert!(
            saved(&summary)
                .unwrap()
                .contains("every 0.200 s, with the settings at start every 0.400 s (in 2 windows, and in 1 at start)")
        );
        summary["over_start"] = json!({"windows": 2, "at_start": 1, "period_s": 0.2, "start_period_s": 0.3});
        let of_same = "after midrun's 1 change an output came every 0.200 s; of the same inputs with the settings at start the model expects one every 0.300 s (measured in 2 windows, and in 1 at start)";
        assert_eq!(saved(&summary).as_deref(), Some(of_same));
        summary["controls"] = json!([{"changes": []}]);
        assert!(saved(&summary).unwrap().contains("with the settings at start every 0.400 s"), "the user took part");
        summary["over_start"] = json!(null);
        summary["window_settled"] = json!([true, false, false, false]);
        assert!(saved(&summary).unwrap().contains("no window was measured after them"));
    }

    #[test]
    fn a_measure_point_says_what_it_found() {
        let line = json!({"label": "solve", "ranks": [0, 1], "count": 40, "mean": 0.25, "minimum": 0.1, "maximum": 0.5, "is_value": false});
        assert_eq!(
            measured(&line).as_deref(),
            Some("solve: 40 calls on 2 ranks, mean 0.250 s, from 0.100 s to 0.500 s")
        );
    }
}
