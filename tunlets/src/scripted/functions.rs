//! Functions that a script may call: the models of midrun-models, and statistics of lists.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use midrun_models::batches::{self, Batches, Rest};
use midrun_models::factoring::{daf_divisor, fac_divisor, imbalance_bound, least_chunk, static_excess};
use midrun_models::line::median;
use midrun_models::master_worker::{Model, Protocol, Rounding};
use midrun_models::order_statistics::{expected_chunk_maximum, expected_max_bound, expected_max_normal};
use rhai::{Array, Dynamic, Engine, EvalAltResult, Map};

type Answer<T> = Result<T, Box<EvalAltResult>>;

/// A function for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name and arguments.
    pub call: &'static str,
    /// Its value.
    pub gives: &'static str,
    /// Source of its formula; empty if there is none to cite.
    pub source: &'static str,
}

const fn function(call: &'static str, gives: &'static str, source: &'static str) -> Function {
    Function { call, gives, source }
}

const CHAPTER: &str = "César 2006, ch. III";

/// All functions, for `docs/tunlets.md`.
pub const FUNCTIONS: &[Function] = &[
    function(
        "balance_factor(first, variation, workers)",
        "share of the remaining tasks that a batch takes by dynamic adjusting factoring; first: is it the \
         first batch; variation: sigma/mu of a task",
        CHAPTER,
    ),
    function(
        "fac_factor(first, variation, workers, remaining)",
        "the same by factoring",
        "Hummel, Schonberg, Flynn 1992",
    ),
    function(
        "chunk_size(factor, remaining, workers)",
        "tasks of one chunk of a batch that takes this share, at least 1",
        CHAPTER,
    ),
    function(
        "batch_shares(variation, tasks, workers, batches)",
        "list: the share of all tasks for each of so many batches, by search",
        "",
    ),
    function(
        "batch_ratio(shares, variation, tasks, workers)",
        "iteration time / ideal that these shares are expected to give",
        "",
    ),
    function(
        "least_chunk(overhead_s, mean_s, workers)",
        "fewest tasks of a chunk that keep the master from being the bottleneck",
        CHAPTER,
    ),
    function("static_excess(variation, tasks, workers)", "share by which equal parts end above the ideal", CHAPTER),
    function("imbalance_bound(variation, workers)", "upper bound of the imbalance of one chunk per worker", CHAPTER),
    function("expected_max_normal(n)", "expected maximum of n standard normal numbers", ""),
    function(
        "expected_max(n, tasks, mean_s, sigma_s)",
        "expected time of the slowest of n chunks of so many tasks, seconds",
        "",
    ),
    function("expected_max_bound(mean, sigma, n)", "upper bound of the expected maximum of n numbers", CHAPTER),
    function(
        "iteration_time(model, n)",
        "Tt(n), expressions (7) to (9), seconds; model: #{start_up_s, per_byte_s, volume_bytes, master_share, \
          compute_s, prepare_s, protocol: \"async\" or \"sync\", growth: \"constant\", \"proportional\" or a share per worker}",
        CHAPTER,
    ),
    function("efficiency(model, n)", "Tc/(n Tt(n))", CHAPTER),
    function("pi(model, n)", "Pi(n) = n Tt(n)²/Tc, expression (17), seconds", CHAPTER),
    function("mcmc(model)", "most workers that the master can feed, expressions (10) to (12)", CHAPTER),
    function("n_opt(model)", "workers for the shortest iteration, expressions (13) to (16), not rounded", CHAPTER),
    function("pi_workers(model, most)", "the number of workers from 1 to most with the least Pi", CHAPTER),
    function(
        "total(list), mean(list), sigma(list), median(list), largest(list), smallest(list)",
        "of numbers; 0 of an empty list",
        "",
    ),
    function("clamp(x, low, high)", "x, or the end that it lies beyond", ""),
    function(
        "has(points, \"label\")",
        "whether a rank measured the point in this iteration; likewise has(tuning_points, …)",
        "",
    ),
];

/// Most workers that a function takes: its time grows with them.
const MOST_WORKERS: f64 = 4096.0;
/// A search of batches for this many workers and batches still is quick.
const MOST_BATCHES: f64 = 8.0;
/// Most tasks, and the largest deviation of one over their mean, that make sense.
const MOST_TASKS: f64 = 1e12;
/// See [`MOST_TASKS`].
const MOST_VARIATION: f64 = 1e6;
/// Drawn iterations of `batch_ratio`.
const RUNS: u64 = 4;

fn wrong<T>(what: impl Into<String>) -> Answer<T> {
    Err(what.into().into())
}

/// A number, whole or not.
pub fn number(value: &Dynamic) -> Option<f64> {
    value.as_float().ok().or_else(|| value.as_int().ok().map(|n| n as f64)).filter(|n| n.is_finite())
}

fn num(what: &str, value: &Dynamic) -> Answer<f64> {
    number(value).map_or_else(|| wrong(format!("{what} is no number, it is {value}")), Ok)
}

fn at_least(what: &str, value: &Dynamic, least: f64, most: f64) -> Answer<f64> {
    let number = num(what, value)?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        wrong(format!("{what} = {number} is not {least} to {most}"))
    }
}

fn workers(value: &Dynamic) -> Answer<u32> {
    Ok(at_least("the number of workers", value, 1.0, MOST_WORKERS)? as u32)
}

/// The slowness of so many workers that are alike.
fn equal(value: &Dynamic) -> Answer<Vec<f64>> {
    Ok(vec![1.0; workers(value)? as usize])
}

fn numbers(list: &Array) -> Answer<Vec<f64>> {
    list.iter().map(|value| num("an entry of the list", value)).collect()
}

fn list(values: impl IntoIterator<Item = f64>) -> Array {
    values.into_iter().map(Dynamic::from).collect()
}

fn share(divisor: f64) -> f64 {
    if divisor > 0.0 { (1.0 / divisor).min(1.0) } else { 1.0 }
}

fn sigma(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 }
}

fn model(map: &Map) -> Answer<Model> {
    const KEYS: [&str; 8] =
        ["start_up_s", "per_byte_s", "volume_bytes", "master_share", "compute_s", "prepare_s", "protocol", "growth"];
    if let Some(key) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return wrong(format!("a model has no `{key}`; it has {}", KEYS.join(", ")));
    }
    let number = |key: &str, or: Option<f64>| match (map.get(key), or) {
        (Some(value), _) => num(key, value),
        (None, Some(or)) => Ok(or),
        (None, None) => wrong(format!("the model lacks `{key}`")),
    };
    let word = |key: &str| map.get(key).map(ToString::to_string).unwrap_or_default();
    let model = Model {
        start_up_s: number("start_up_s", None)?,
        per_byte_s: number("per_byte_s", Some(0.0))?,
        volume_bytes: number("volume_bytes", Some(0.0))?,
        master_share: number("master_share", Some(0.5))?,
        compute_s: number("compute_s", None)?,
        prepare_s: number("prepare_s", Some(0.0))?,
        protocol: match word("protocol").as_str() {
            "" | "async" => Protocol::Async,
            "sync" => Protocol::Sync,
            other => return wrong(format!("protocol is \"async\" or \"sync\", not {other}")),
        },
        growth: match (word("growth").as_str(), map.get("growth")) {
            ("" | "constant", _) => 0.0,
            ("proportional", _) => 1.0,
            (_, Some(share)) if share.is_float() || share.is_int() => num("growth", share)?,
            (other, _) => return wrong(format!("growth is \"constant\", \"proportional\" or a share, not {other}")),
        },
    };
    model.checked().map_err(|error| error.to_string().into())
}

/// Operations that a search of batches counts for, some drawings, and a quadrature: about as long as so many of a script's take.
const SEARCH: u64 = 20_000;
const DRAWINGS: u64 = 1_000;
const QUADRATURE: u64 = 500;

/// Gives all of them to the language; what takes long counts for more than one of the operations `used`.
pub fn register(engine: &mut Engine, used: &Arc<AtomicU64>) {
    let meter = |operations: u64| {
        let used = Arc::clone(used);
        move || used.fetch_add(operations, Ordering::Relaxed)
    };
    factoring(engine);
    searches(engine, meter(SEARCH), meter(DRAWINGS));
    order(engine, meter(QUADRATURE));
    master_worker(engine, meter(QUADRATURE));
    lists(engine);
}

fn factoring(engine: &mut Engine) {
    engine.register_fn("balance_factor", |first: bool, variation: Dynamic, n: Dynamic| -> Answer<f64> {
        Ok(share(daf_divisor(first, at_least("the variation", &variation, 0.0, MOST_VARIATION)?, workers(&n)?)))
    });
    engine.register_fn(
        "fac_factor",
        |first: bool, variation: Dynamic, n: Dynamic, remaining: Dynamic| -> Answer<f64> {
            let remaining = at_least("the number of tasks", &remaining, 0.0, MOST_TASKS)? as u64;
            Ok(share(fac_divisor(
                first,
                at_least("the variation", &variation, 0.0, MOST_VARIATION)?,
                workers(&n)?,
                remaining,
            )))
        },
    );
    engine.register_fn("chunk_size", |factor: Dynamic, remaining: Dynamic, n: Dynamic| -> Answer<f64> {
        let factor = at_least("the factor", &factor, 0.0, 1.0)?;
        let remaining = at_least("the number of tasks", &remaining, 0.0, MOST_TASKS)?;
        Ok((factor * remaining / f64::from(workers(&n)?)).floor().max(1.0))
    });
    engine.register_fn("least_chunk", |overhead_s: Dynamic, mean_s: Dynamic, n: Dynamic| -> Answer<f64> {
        Ok(least_chunk(num("overhead_s", &overhead_s)?, num("mean_s", &mean_s)?, workers(&n)?) as f64)
    });
    engine.register_fn("static_excess", |variation: Dynamic, tasks: Dynamic, n: Dynamic| -> Answer<f64> {
        let tasks = at_least("the number of tasks", &tasks, 0.0, MOST_TASKS)? as u64;
        Ok(static_excess(num("the variation", &variation)?, tasks, workers(&n)?))
    });
    engine.register_fn("imbalance_bound", |variation: Dynamic, n: Dynamic| -> Answer<f64> {
        Ok(imbalance_bound(num("the variation", &variation)?, workers(&n)?))
    });
}

fn searches(
    engine: &mut Engine,
    search: impl Fn() -> u64 + Send + Sync + 'static,
    drawings: impl Fn() -> u64 + Send + Sync + 'static,
) {
    engine.register_fn(
        "batch_shares",
        move |variation: Dynamic, tasks: Dynamic, n: Dynamic, count: Dynamic| -> Answer<Array> {
            search();
            let variation = at_least("the variation", &variation, 0.0, MOST_VARIATION)?;
            let tasks = at_least("the number of tasks", &tasks, 1.0, MOST_TASKS)? as u64;
            let count = at_least("the number of batches", &count, 1.0, MOST_BATCHES)? as usize;
            let found = batches::best(&batches::load(variation, tasks, &equal(&n)?), count, None, 0);
            Ok(found.map(|found| list(found.batches.shares_of_all())).unwrap_or_default())
        },
    );
    engine.register_fn(
        "batch_ratio",
        move |shares: Array, variation: Dynamic, tasks: Dynamic, n: Dynamic| -> Answer<f64> {
            drawings();
            let variation = at_least("the variation", &variation, 0.0, MOST_VARIATION)?;
            let tasks = at_least("the number of tasks", &tasks, 1.0, MOST_TASKS)? as u64;
            let shares: Vec<f64> = numbers(&shares)?.into_iter().take(MOST_BATCHES as usize).collect();
            let load = batches::load(variation, tasks, &equal(&n)?);
            Ok(batches::expected_ratio(&load, Batches::of_all(&shares, Rest::OneBatch), RUNS))
        },
    );
}

fn order(engine: &mut Engine, slow: impl Fn() -> u64 + Clone + Send + Sync + 'static) {
    let again = slow.clone();
    engine.register_fn("expected_max_normal", move |n: Dynamic| -> Answer<f64> {
        slow();
        Ok(expected_max_normal(workers(&n)?))
    });
    let slowest = move |n: &Dynamic, [tasks, mean_s, sigma_s]: [&Dynamic; 3], skewness: Option<f64>| -> Answer<f64> {
        again();
        let tasks = at_least("the number of tasks", tasks, 1.0, 1e9)? as u32;
        let mean_s = at_least("mean_s", mean_s, 0.0, 1e9)?;
        let sigma_s = at_least("sigma_s", sigma_s, 0.0, 1e9)?;
        let of = (mean_s, sigma_s);
        Ok(if mean_s > 0.0 { expected_chunk_maximum(workers(n)?, tasks, of, skewness) } else { 0.0 })
    };
    let skewed = slowest.clone();
    engine.register_fn(
        "expected_max",
        move |n: Dynamic, tasks: Dynamic, mean_s: Dynamic, sigma_s: Dynamic| -> Answer<f64> {
            slowest(&n, [&tasks, &mean_s, &sigma_s], None)
        },
    );
    engine.register_fn(
        "expected_max",
        move |n: Dynamic, tasks: Dynamic, mean_s: Dynamic, sigma_s: Dynamic, skewness: Dynamic| -> Answer<f64> {
            let skewness = num("skewness", &skewness)?;
            skewed(&n, [&tasks, &mean_s, &sigma_s], Some(skewness))
        },
    );
    engine.register_fn("expected_max_bound", |mean: Dynamic, sigma: Dynamic, n: Dynamic| -> Answer<f64> {
        Ok(expected_max_bound(num("mean", &mean)?, num("sigma", &sigma)?, workers(&n)?))
    });
}

fn master_worker(engine: &mut Engine, slow: impl Fn() -> u64 + Send + Sync + 'static) {
    engine.register_fn("iteration_time", |m: Map, n: Dynamic| -> Answer<f64> {
        Ok(model(&m)?.iteration_s(workers(&n)?))
    });
    engine.register_fn("efficiency", |m: Map, n: Dynamic| -> Answer<f64> { Ok(model(&m)?.efficiency(workers(&n)?)) });
    engine.register_fn("pi", |m: Map, n: Dynamic| -> Answer<f64> { Ok(model(&m)?.pi_s(workers(&n)?)) });
    engine.register_fn("mcmc", |m: Map| -> Answer<f64> { Ok(model(&m)?.mcmc()) });
    engine.register_fn("n_opt", |m: Map| -> Answer<f64> { Ok(model(&m)?.n_opt()) });
    engine.register_fn("pi_workers", move |m: Map, most: Dynamic| -> Answer<f64> {
        slow();
        Ok(f64::from(model(&m)?.pi_workers(workers(&most)?, Rounding::Best)))
    });
}

fn lists(engine: &mut Engine) {
    fn of(engine: &mut Engine, name: &str, f: fn(&[f64]) -> f64) {
        engine.register_fn(name, move |values: Array| -> Answer<f64> {
            let values = numbers(&values)?;
            Ok(if values.is_empty() { 0.0 } else { f(&values) })
        });
    }
    of(engine, "total", |values| values.iter().sum());
    of(engine, "mean", |values| values.iter().sum::<f64>() / values.len() as f64);
    of(engine, "sigma", sigma);
    of(engine, "median", |values| median(values.to_vec()));
    of(engine, "largest", |values| values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    of(engine, "smallest", |values| values.iter().copied().fold(f64::INFINITY, f64::min));
    engine.register_fn("clamp", |x: Dynamic, low: Dynamic, high: Dynamic| -> Answer<f64> {
        let (low, high) = (num("low", &low)?, num("high", &high)?);
        if low > high { wrong(format!("clamp: {low} is above {high}")) } else { Ok(num("x", &x)?.clamp(low, high)) }
    });
}
