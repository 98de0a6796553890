//! Scope of a script: the values of a window, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhai::{Array, Dynamic, Engine, EvalAltResult, Map, Scope};

use super::limits::LIST;
use crate::{PointWindow, Window, WorkerWork};

/// Values by name. One that is not there is refused with those that are, one that cannot be had with the reason.
#[derive(Clone)]
pub struct Table {
    what: &'static str,
    entries: Arc<BTreeMap<String, Result<Dynamic, String>>>,
}

impl Table {
    /// A table called `what` in sentences.
    pub fn new(what: &'static str, entries: impl IntoIterator<Item = (String, Result<Dynamic, String>)>) -> Table {
        Table { what, entries: Arc::new(entries.into_iter().collect()) }
    }

    fn get(&mut self, name: &str) -> Result<Dynamic, Box<EvalAltResult>> {
        match self.entries.get(name) {
            Some(Ok(value)) => Ok(value.clone()),
            Some(Err(why)) => Err(why.clone().into()),
            None => {
                let names: Vec<&str> = self.entries.keys().map(String::as_str).collect();
                Err(format!("{} has no {name}; it has {}", self.what, names.join(", ")).into())
            }
        }
    }

    fn has(&mut self, name: &str) -> bool {
        self.entries.get(name).is_some_and(Result::is_ok)
    }
}

/// Lets scripts look into tables.
pub fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Table>("table");
    engine.register_indexer_get(|table: &mut Table, name: &str| table.get(name));
    engine.register_fn("has", |table: &mut Table, name: &str| table.has(name));
}

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
/// What a measure point has.
pub const POINT: [&str; 8] = ["count", "timed", "sum", "mean", "sigma", "min", "max", "value"];
/// Names that are not numbers.
pub const OTHERS: [(&str, &str); 9] = [
    ("technique", "name of the hand-out technique in force"),
    ("work", "lists over the workers: work.rank, work.tasks, work.chunks, work.busy_s"),
    (
        "points",
        "points.LABEL.count, timed, sum, mean, sigma, min, max, value over all ranks, points.LABEL.ranks.… as lists",
    ),
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
    scope.push_constant("technique", window.setting.kind.name().to_owned());
    let of_work =
        |f: fn(&WorkerWork) -> f64| -> Result<Dynamic, String> { Ok(list(window.per_worker.iter().map(f)).into()) };
    let columns: [fn(&WorkerWork) -> f64; 4] =
        [|w| f64::from(w.rank), |w| w.tasks as f64, |w| w.chunks as f64, |w| w.busy_s];
    let work = WORK.iter().zip(columns).map(|(name, column)| ((*name).to_owned(), of_work(column)));
    scope.push_constant("work", Table::new("work", work));
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
