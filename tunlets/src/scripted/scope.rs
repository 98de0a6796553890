//! Scope of a script: the values of a window, by name.

use std::collections::BTreeMap;

use rhai::{Array, Dynamic, Map, Scope};

use super::limits::LIST;
use super::patterns;
use super::table::Table;
use crate::{Efficiency, LinkCost, Network, PointWindow, StreamWindow, Window, WorkerWork};

/// Numbers of a window, by name; [`NUMBERS`] describes them.
fn numbers(window: &Window) -> [f64; 14] {
    let tasks: u64 = window.per_worker.iter().map(|work| work.tasks).sum();
    let count = tasks as f64;
    let mean_s = if tasks > 0 { window.task_s() / count } else { 0.0 };
    let squares: f64 = window.per_worker.iter().map(|work| work.sum_sq_s2).sum();
    // Where only chunks are timed, each square is that of a chunk's time by its tasks: one draw of sigma² for a chunk.
    let drawn = |work: &WorkerWork| if work.tasks_timed { work.tasks } else { work.chunks };
    let drawn = window.per_worker.iter().map(drawn).sum::<u64>() as f64;
    let sigma_s = if drawn > 1.0 { ((squares - count * mean_s * mean_s) / (drawn - 1.0)).max(0.0).sqrt() } else { 0.0 };
    [
        window.iteration as f64,
        window.iteration_s,
        window.tasks as f64,
        f64::from(window.workers),
        window.chunks as f64,
        window.ideal_s(),
        window.imbalance(),
        window.master_busy_s,
        window.prepare_s.unwrap_or(0.0),
        mean_s,
        sigma_s,
        if mean_s > 0.0 { sigma_s / mean_s } else { 0.0 },
        window.setting.factor,
        window.coverage,
    ]
}

/// Names of the numbers of a window, with their meanings.
pub const NUMBERS: [(&str, &str); 14] = [
    ("iteration", "number of the iteration, from 0"),
    ("iteration_s", "its wall time, seconds"),
    ("tasks", "tasks handed out in it"),
    ("workers", "workers they were handed to; ranks, where there are no tasks"),
    ("chunks", "chunks handed out"),
    ("ideal_s", "the workers' task time / workers, seconds"),
    ("imbalance", "1 - ideal_s / iteration_s"),
    ("master_busy_s", "time the master spent handing out and taking in, seconds"),
    ("prepare_s", "time since the end of the iteration before, seconds; 0 where not seen"),
    ("task_mean_s", "mean time of a task, seconds"),
    ("task_sigma_s", "standard deviation of a task's time, seconds"),
    ("task_variation", "task_sigma_s / task_mean_s"),
    ("factor", "factor of the hand-out technique in force"),
    ("coverage", "share of the tasks whose records arrived"),
];

/// Names of the tables over the ranks that worked.
pub const WORK: [&str; 4] = ["rank", "tasks", "chunks", "busy_s"];
/// What `messages` has.
pub const MESSAGES: [&str; 4] = ["near", "far", "task_bytes", "result_bytes"];
/// What `efficiency` has.
pub const EFFICIENCY: [&str; 3] = ["parallel", "load_balance", "communication"];
/// What a measure point has.
pub const POINT: [&str; 8] = ["count", "timed", "sum", "mean", "sigma", "min", "max", "value"];
/// Names that are not numbers.
pub const OTHERS: [(&str, &str); 13] = [
    ("technique", "name of the hand-out technique in force"),
    ("work", "lists over the workers: work.rank, work.tasks, work.chunks, work.busy_s"),
    (
        "points",
        "points.LABEL.count, timed, sum, mean, sigma, min, max, value over all ranks, points.LABEL.ranks.… as lists",
    ),
    (
        "messages",
        "messages.near and messages.far: #{start_up_s, per_byte_s, eager_bytes} of a message to a worker of the master's host, or of another; \
         messages.task_bytes, messages.result_bytes",
    ),
    ("efficiency", "efficiency.parallel, efficiency.load_balance, efficiency.communication, 0 to 1 (POP)"),
    (
        "stages",
        "lists over the stages of a pipeline: stages.name, compute_s, period_s, held_s, replicas, inputs, bytes; empty in others",
    ),
    ("pattern", "pattern of the pipeline in force; an empty text in other programs"),
    ("tuning_points", "tuning_points.LABEL: the value now"),
    ("least", "least.LABEL: the smallest value allowed"),
    ("most", "most.LABEL: the largest value allowed"),
    ("objective", "the objective's value in this window"),
    ("last", "() or the last change: #{set, verdict, before, measured}, of the objective"),
    ("state", "a map of the script's own, kept from window to window"),
];

/// Whether a name belongs to the scope.
pub fn is_name(name: &str) -> bool {
    NUMBERS.iter().chain(&OTHERS).any(|(known, _)| *known == name)
}

/// A value, and the smallest and largest allowed.
pub type Now = (crate::Value, (f64, f64));

/// The value of a tuning point: what it is, and what it may be.
#[derive(Clone, Debug)]
pub struct TuningPointState {
    /// Its label in the file.
    pub label: String,
    /// Its value and range, or why there is none.
    pub state: Result<Now, String>,
}

/// The names an objective may use, with a window's values.
pub fn of_window(window: &Window, labels: &[String], refused: &BTreeMap<String, String>) -> Scope<'static> {
    let mut scope = Scope::new();
    for ((name, _), value) in NUMBERS.iter().zip(numbers(window)) {
        scope.push_constant(*name, value);
    }
    patterns::push(&mut scope, None);
    scope.push_constant("messages", messages(window.network));
    scope.push_constant("efficiency", efficiency(window.efficiency));
    scope.push_constant("technique", window.setting.kind.name().to_owned());
    scope.push_constant("work", work_table(&window.per_worker));
    let point = |label: &String| {
        let measured: Vec<&PointWindow> = window.points.iter().filter(|point| point.label == *label).collect();
        let why = || match refused.get(label) {
            Some(why) => format!("no rank measures {label}: {why}"),
            None => format!("no rank measured {label} in this iteration"),
        };
        (label.clone(), if measured.is_empty() { Err(why()) } else { Ok(Dynamic::from(point(&measured))) })
    };
    scope.push_constant("points", Table::new("points", labels.iter().map(point)));
    scope
}

/// The same of a pipeline's window, whose times are those between two outputs.
pub fn of_stream(window: &StreamWindow, labels: &[String]) -> Scope<'static> {
    let mut scope = Scope::new();
    for ((name, _), value) in NUMBERS.iter().zip(patterns::numbers(window)) {
        scope.push_constant(*name, value);
    }
    patterns::push(&mut scope, Some(window));
    scope.push_constant("messages", messages(None));
    scope.push_constant("efficiency", efficiency(None));
    scope.push_constant("technique", String::new());
    scope.push_constant("work", work_table(&patterns::work(window)));
    let point = |label: &String| (label.clone(), Err(format!("{label} is not measured in pipelines")));
    scope.push_constant("points", Table::new("points", labels.iter().map(point)));
    scope
}

fn work_table(per_worker: &[WorkerWork]) -> Table {
    let columns: [fn(&WorkerWork) -> f64; 4] =
        [|w| f64::from(w.rank), |w| w.tasks as f64, |w| w.chunks as f64, |w| w.busy_s];
    let of_work = |(name, column): (&&str, fn(&WorkerWork) -> f64)| {
        ((*name).to_owned(), Ok(list(per_worker.iter().map(column)).into()))
    };
    Table::new("work", WORK.iter().zip(columns).map(of_work))
}

/// The cost of messages: that of a class of workers nobody is in is refused with the reason.
fn messages(network: Option<Network>) -> Table {
    let link = |link: Option<LinkCost>, whom: &str| match link {
        Some(link) => Ok(Dynamic::from(Table::new(
            "a link",
            [
                ("start_up_s", link.cost.start_up_s),
                ("per_byte_s", link.cost.per_byte_s),
                ("eager_bytes", f64::from(link.eager_bytes)),
            ]
            .map(|(name, value)| (name.to_owned(), Ok(value.into()))),
        ))),
        None => Err(format!("messages to workers of {whom} were not measured")),
    };
    let bytes = |bytes: Option<u32>| bytes.map(|bytes| f64::from(bytes).into());
    let unknown = || "sizes of tasks are not known".to_owned();
    Table::new(
        "messages",
        [
            ("near", link(network.and_then(|network| network.near), "the master's host")),
            ("far", link(network.and_then(|network| network.far), "other hosts")),
            ("task_bytes", bytes(network.map(|network| network.task_bytes)).ok_or_else(unknown)),
            ("result_bytes", bytes(network.map(|network| network.result_bytes)).ok_or_else(unknown)),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    )
}

fn efficiency(known: Option<Efficiency>) -> Table {
    let values = known.map(|known| [known.parallel_efficiency, known.load_balance, known.communication_efficiency]);
    let entry = |(at, name): (usize, &&str)| {
        let value = values.map(|values| Dynamic::from(values[at]));
        ((*name).to_owned(), value.ok_or_else(|| "the ranks' times of no iteration are known yet".to_owned()))
    };
    Table::new("efficiency", EFFICIENCY.iter().enumerate().map(entry))
}

/// Adds the names that only the decision may use.
pub fn for_decision(
    scope: &mut Scope<'static>,
    tuning_points: &[TuningPointState],
    objective: f64,
    last: Option<Map>,
    state: Map,
) {
    let table = |what, f: &dyn Fn(&Now) -> Dynamic| {
        Table::new(
            what,
            tuning_points.iter().map(|tuning_point| {
                (tuning_point.label.clone(), tuning_point.state.as_ref().map(f).map_err(Clone::clone))
            }),
        )
    };
    let value = |value: &crate::Value| match value {
        crate::Value::Number(number) => Dynamic::from(*number),
        crate::Value::Text(text) => Dynamic::from(text.clone()),
    };
    scope.push_constant("tuning_points", table("tuning_points", &|(now, _)| value(now)));
    // Spelling of version 0.1.
    scope.push_constant("knobs", table("knobs", &|(now, _)| value(now)));
    scope.push_constant("least", table("least", &|(_, (least, _))| Dynamic::from(*least)));
    scope.push_constant("most", table("most", &|(_, (_, most))| Dynamic::from(*most)));
    scope.push_constant("objective", objective);
    scope.push_constant("last", last.map_or(Dynamic::UNIT, Dynamic::from));
    scope.push("state", state);
}

fn list(values: impl Iterator<Item = f64>) -> Array {
    values.take(LIST).map(Dynamic::from).collect()
}

fn point(measured: &[&PointWindow]) -> Table {
    let all = measured.iter().fold(PointWindow::default(), |mut sum, point| {
        let first = sum.timed == 0;
        sum.timed = sum.timed.saturating_add(point.timed);
        sum.count = sum.count.saturating_add(point.count);
        sum.sum += point.sum;
        sum.squares += point.squares;
        sum.minimum = if first { point.minimum } else { sum.minimum.min(point.minimum) };
        sum.maximum = if first { point.maximum } else { sum.maximum.max(point.maximum) };
        sum.value = sum.value.or(point.value);
        sum
    });
    let columns = POINT.iter().map(|name| {
        let of_rank: Option<Vec<f64>> = measured.iter().map(|point| field(point, name)).collect();
        let of_rank = of_rank.map(|values| Dynamic::from(list(values.into_iter())));
        ((*name).to_owned(), of_rank.ok_or_else(|| "only variables have a value".to_owned()))
    });
    let rank = ("rank".to_owned(), Ok(list(measured.iter().map(|point| f64::from(point.rank))).into()));
    let ranks = ("ranks".to_owned(), Ok(Dynamic::from(Table::new("ranks", columns.chain([rank])))));
    let totals = POINT.iter().map(|name| {
        let value = field(&all, name).map(Dynamic::from);
        ((*name).to_owned(), value.ok_or_else(|| "only variables have a value".to_owned()))
    });
    Table::new("a point", totals.chain([ranks]))
}

fn field(point: &PointWindow, name: &str) -> Option<f64> {
    let count = point.timed as f64;
    let mean = point.mean().unwrap_or(0.0);
    Some(match name {
        "count" => point.count as f64,
        "timed" => count,
        "sum" => point.sum,
        "mean" => mean,
        "sigma" if point.timed > 1 => ((point.squares - count * mean * mean) / (count - 1.0)).max(0.0).sqrt(),
        "sigma" => 0.0,
        "min" => point.minimum,
        "max" => point.maximum,
        _ => return point.value,
    })
}
