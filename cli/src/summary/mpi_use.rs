//! What the ranks do in MPI, in words: the efficiencies, where the time goes, and masters with their workers.

use midrun_vocabulary::bounds::COUNTED_THREADS;
use midrun_vocabulary::{Count, Seconds};
use serde_json::Value;

/// The MPI functions that take most of the time are named, so many.
const FUNCTIONS_NAMED: usize = 3;

/// The lines of any program whose MPI calls were counted.
pub fn lines(summary: &Value) -> Vec<String> {
    let mut lines: Vec<String> = efficiency(&summary["pop"]).into_iter().collect();
    lines.extend(run_delay(&summary["pop"]));
    lines.extend(pipeline(summary).or_else(|| longest(&summary["pop"])));
    lines.extend(functions(summary));
    lines.extend(sampled(summary));
    lines.extend(summary["teams"].as_array().into_iter().flatten().filter_map(team));
    lines.extend(where_to_begin(summary));
    lines
}

/// How a program becomes one that midrun tunes, where it is seen to be one that could be.
fn where_to_begin(summary: &Value) -> Option<String> {
    let is_seen = !summary["teams"].is_null() || !summary["call_period"].is_null();
    let is_asked =
        ["points", "search"].iter().any(|key| !summary[*key].is_null()) || summary["controls"][0].is_object();
    let is_tuned = super::in_framework(summary) || super::has_tasks(summary) || summary["decisions"][0].is_object();
    (is_seen && !is_asked && !is_tuned).then(|| {
        "nothing of it is tuned: midrun inspect ./PROGRAM lists what could be, with a points file to begin with"
            .to_owned()
    })
}

/// The line of the POP efficiencies of the whole run.
fn efficiency(pop: &Value) -> Option<String> {
    let percent = |key: &str| pop[key].as_f64().map(|share| format!("{:.1} %", 100.0 * share));
    Some(format!(
        "POP efficiencies: parallel {} = load balance {} x communication {}",
        percent("parallel_efficiency")?,
        percent("load_balance")?,
        percent("communication_efficiency")?,
    ))
}

/// What the ranks waited for cores, if that is a percent of the time. Linux does not say when: what fits into the time inside MPI, where ranks may poll,
/// may have held up nothing.
fn run_delay(pop: &Value) -> Option<String> {
    let share = pop["run_delay"].as_f64().filter(|share| *share >= 0.01)?;
    let s = |rank: &Value, key: &str| rank[key].as_f64().unwrap_or(0.0);
    let (mut computing_s, mut all_s) = (0.0, 0.0);
    for rank in pop["ranks"].as_array().into_iter().flatten() {
        let inside_s = s(rank, "waiting_s") + s(rank, "mpi_s") + s(rank, "framework_s");
        computing_s += (s(rank, "run_delay_s") - inside_s).max(0.0);
        all_s += s(rank, "useful_s") + inside_s;
    }
    let least = if all_s > 0.0 { computing_s / all_s } else { 0.0 };
    let what = match least >= 0.01 {
        true => format!(
            ", {:.0} % at least while they computed: they are more than the cores, or other programs or a hypervisor use them",
            100.0 * least
        ),
        false => ": perhaps only while they waited in MPI, where that holds up nothing".to_owned(),
    };
    Some(format!("ranks were ready to run and had no core for {:.0} % of the time{what}", 100.0 * share))
}

/// The line of a pipeline that uses no framework: its slowest rank sets the pace.
fn pipeline(summary: &Value) -> Option<String> {
    let ranks = summary["pop"]["ranks"].as_array().filter(|_| summary["messages_go_one_way"] == true)?;
    let useful_s = |rank: &&Value| rank["useful_s"].as_f64().unwrap_or(0.0);
    let slowest = ranks.iter().max_by(|a, b| useful_s(a).total_cmp(&useful_s(b)))?;
    let runtime_s = summary["pop"]["runtime_s"].as_f64().filter(|runtime_s| *runtime_s > 0.0)?;
    Some(format!(
        "messages go one way from rank to rank, as in a pipeline, and it is no faster than rank {}, which computes for {:.1} % of the time; \
         midrun replicates such a stage where the program uses its pipeline framework",
        slowest["rank"],
        100.0 * useful_s(&slowest) / runtime_s
    ))
}

/// The rank that the others wait for, where they lose more by that than by communication.
fn longest(pop: &Value) -> Option<String> {
    if pop["load_balance"].as_f64()? >= pop["communication_efficiency"].as_f64()? {
        return None;
    }
    let useful_s = |rank: &&Value| rank["useful_s"].as_f64().unwrap_or(0.0);
    let ranks = pop["ranks"].as_array()?;
    let longest = ranks.iter().max_by(|a, b| useful_s(a).total_cmp(&useful_s(b)))?;
    let mean_s = ranks.iter().map(|rank| useful_s(&rank)).sum::<f64>() / ranks.len() as f64;
    Some(format!(
        "rank {} computes longest: {}; the ranks' mean is {}",
        longest["rank"],
        Seconds(useful_s(&longest)),
        Seconds(mean_s)
    ))
}

/// The line of the functions that take the ranks' time.
fn functions(summary: &Value) -> Option<String> {
    let ranks = summary["pop"]["ranks"].as_array()?;
    let part = |rank: &Value, key: &str| rank[key].as_f64().unwrap_or(0.0);
    let sum = |keys: &[&str]| -> f64 { ranks.iter().flat_map(|rank| keys.iter().map(|key| part(rank, key))).sum() };
    let in_mpi_s = sum(&["waiting_s", "mpi_s"]);
    let all_s = in_mpi_s + sum(&["useful_s", "framework_s"]);
    let of_function = |(name, classes): (&String, &Value)| {
        let classes = classes.as_object().into_iter().flat_map(serde_json::Map::values);
        (name.clone(), classes.filter_map(|class| class["time_s"].as_f64()).sum::<f64>())
    };
    let mut functions: Vec<(String, f64)> = summary["mpi_calls"].as_object()?.iter().map(of_function).collect();
    functions.sort_by(|a, b| b.1.total_cmp(&a.1));
    let percent = |seconds: f64| format!("{:.1} %", 100.0 * seconds / all_s);
    let named = functions.iter().take(FUNCTIONS_NAMED).map(|(name, seconds)| format!("{name} {}", percent(*seconds)));
    let named: Vec<String> = named.filter(|text| !text.ends_with(" 0.0 %")).collect();
    if named.is_empty() || all_s <= 0.0 {
        return None;
    }
    Some(format!("MPI takes {} of the ranks' time: {}", percent(in_mpi_s), named.join(", ")))
}

/// Which function was called too often to time each of its calls, of several the one that was called most.
fn sampled(summary: &Value) -> Option<String> {
    let of_function = |(name, classes): (&String, &Value)| {
        let classes: Vec<&Value> = classes.as_object().into_iter().flat_map(serde_json::Map::values).collect();
        let sum = |key: &str| classes.iter().filter_map(|class| class[key].as_u64()).sum::<u64>();
        (name.clone(), sum("count"), sum("timed"))
    };
    // Each thread may have been read in a call that was timed when it ended.
    let under_way = summary["ranks"].as_u64().unwrap_or(0) * COUNTED_THREADS as u64;
    let is_sampled = |(_, count, timed): &(String, u64, u64)| *timed > 0 && count.saturating_sub(*timed) > under_way;
    let all = summary["mpi_calls"].as_object()?.iter().map(of_function).filter(is_sampled);
    let each = |(name, count, timed): (String, u64, u64)| (name, count, (count as f64 / timed as f64).round());
    let (name, _, each) = all.map(each).filter(|(.., each)| *each > 1.0).max_by_key(|of| of.1)?;
    Some(format!(
        "timing each call would have taken too long: 1 of {each} calls of {name} was timed and stands for the others; numbers of calls are exact"
    ))
}

/// The line of a master and its workers.
fn team(team: &Value) -> Option<String> {
    let percent = |key: &str| team[key].as_f64().map(|share| format!("{:.1} %", 100.0 * share));
    let busy = percent("master_busy").zip(team["most_workers"].as_u64());
    Some(format!(
        "{} exchange messages with rank {} alone ({}), as workers do with a master: they compute for {} of the time, load balance {}{}{}",
        Count(team["worker_count"].as_u64()?, "rank"),
        team["master"],
        percent("share")?,
        percent("computing")?,
        percent("load_balance")?,
        team["regime"].as_str().map_or(String::new(), |regime| format!("; {regime}")),
        busy.map_or(String::new(), |(busy, most)| {
            let wait = match most {
                0 => "even one worker would wait for it".to_owned(),
                _ => format!("more than {} like these would wait for it", Count(most, "worker")),
            };
            format!("; rank {} is busy for {busy}, and {wait}", team["master"])
        }),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rank_that_polls_without_a_core_is_not_said_to_be_held_up() {
        let rank = |useful_s: f64, delay_s: f64| json!({"useful_s": useful_s, "waiting_s": 9.0 - useful_s, "mpi_s": 1.0, "run_delay_s": delay_s});
        let said = |ranks: Vec<Value>, share: f64| run_delay(&json!({"run_delay": share, "ranks": ranks}));
        let polls = said(vec![rank(5.0, 3.0), rank(6.0, 3.0)], 0.3).unwrap();
        assert!(
            polls.ends_with(
                "no core for 30 % of the time: perhaps only while they waited in MPI, where that holds up nothing"
            ),
            "{polls}"
        );
        let computes = said(vec![rank(5.0, 3.0), rank(9.0, 5.0)], 0.4).unwrap();
        assert!(
            computes.contains("no core for 40 % of the time, 20 % at least while they computed: they are more"),
            "{computes}"
        );
        assert_eq!(said(vec![rank(5.0, 0.0)], 0.0), None);
    }

    #[test]
    fn a_team_that_nobody_tunes_says_what_limits_it_and_where_to_begin() {
        let team = json!({"master": 0, "worker_count": 4, "share": 1.0, "computing": 0.9, "load_balance": 0.95, "master_busy": 0.1,
            "most_workers": 36, "regime": "compute-bound"});
        let said = lines(&json!({"teams": [team.clone()]}));
        assert!(
            said[0].ends_with(
                "load balance 95.0 %; compute-bound; rank 0 is busy for 10.0 %, and more than 36 workers like these would wait for it"
            ),
            "{said:?}"
        );
        assert!(said[1].contains("midrun inspect ./PROGRAM"), "{said:?}");
        for (key, value) in
            [("points", json!({})), ("search", json!({})), ("decisions", json!([{}])), ("tasks", json!([9]))]
        {
            let mut summary = json!({"teams": [team.clone()]});
            summary[key] = value;
            assert_eq!(lines(&summary).len(), 1, "{key}");
        }
    }

    #[test]
    fn calls_that_stand_for_others_are_said_to() {
        let of = |count: u64, timed: u64| json!({"local": {"count": count, "timed": timed, "time_s": 0.0}});
        let said = |calls: Value| sampled(&json!({"ranks": 2, "mpi_calls": calls}));
        let all = json!({"MPI_Iprobe": of(6000, 20), "MPI_Test": of(900, 3), "MPI_Send": of(9000, 9000)});
        assert!(said(all).unwrap().contains("1 of 300 calls of MPI_Iprobe was timed"));
        assert_eq!(said(json!({"MPI_Send": of(9000, 9000)})), None);
        assert_eq!(said(json!({"MPI_Send": of(2, 1)})), None, "it may have been under way");
        assert_eq!(sampled(&Value::Null), None);
    }

    #[test]
    fn the_functions_that_take_most_time_are_named() {
        let calls =
            |time_s: f64| json!({"same_host": {"count": 9, "time_s": time_s / 2.0}, "local": {"time_s": time_s / 2.0}});
        let rank = |rank: u32, useful_s: f64| json!({"rank": rank, "useful_s": useful_s, "waiting_s": 9.0 - useful_s, "mpi_s": 1.0});
        let mut summary = json!({
            "mpi_calls": {"MPI_Wait": calls(4.0), "MPI_Send": calls(1.0), "MPI_Irecv": calls(0.5), "MPI_Wtime": calls(1e-6)},
            "pop": {"load_balance": 0.75, "communication_efficiency": 0.8, "parallel_efficiency": 0.6,
                "ranks": [rank(0, 6.0), rank(1, 8.0)]}});
        let expected = [
            "POP efficiencies: parallel 60.0 % = load balance 75.0 % x communication 80.0 %",
            "rank 1 computes longest: 8.000 s; the ranks' mean is 7.000 s",
            "MPI takes 30.0 % of the ranks' time: MPI_Wait 20.0 %, MPI_Send 5.0 %, MPI_Irecv 2.5 %",
        ];
        assert_eq!(lines(&summary), expected);
        summary["pop"]["load_balance"] = json!(0.9);
        summary["mpi_calls"] = json!({"MPI_Wtime": calls(1e-6)});
        assert_eq!(lines(&summary).len(), 1, "the ranks are even, and no function takes any time worth naming");
        assert_eq!(lines(&json!({"pop": null})), [""; 0]);
        summary["messages_go_one_way"] = json!(true);
        summary["pop"]["runtime_s"] = json!(10.0);
        let line = &lines(&summary)[1];
        assert!(line.contains("no faster than rank 1, which computes for 80.0 % of the time"), "{line}");
    }
}
