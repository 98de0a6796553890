//! The summary of a job: written to a file as JSON, and printed to stderr as text.

mod clocks;
mod mpi_use;
mod result;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use midrun_tunlets::PER_PROGRESS;
use midrun_tunlets::confidence::LEVEL;
use midrun_vocabulary::{Count, Seconds, UnixTime, names};
use serde_json::Value;

use crate::figures::{of_master, of_progress};
use crate::text_file::refuse_unless_file;
use crate::usage::usage;
pub use mpi_use::lines as mpi_lines;
pub use result::lines as result_lines;

/// The text shows so many of the last decisions; the JSON has all of them.
const DECISIONS_SHOWN: usize = 8;

/// The file for the summary, checked to be writable.
#[derive(Debug)]
pub struct SummaryFile(PathBuf);

impl SummaryFile {
    /// Checks that a file can be written at `path`.
    ///
    /// # Errors
    /// A [`crate::usage::Usage`] with the reason why not.
    pub fn at(path: PathBuf) -> anyhow::Result<SummaryFile> {
        refuse_unless_file("--summary", &path)?;
        // One directory for the temporary file and for the summary, however the working directory is mounted.
        let file = SummaryFile(std::path::absolute(&path).unwrap_or(path));
        if let Err(error) = file.temporary() {
            return usage(format!("--summary {} cannot be written: {error}", file.0.display()));
        }
        Ok(file)
    }

    /// Writes the summary in one step: the file has all of it or is as it was before.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn write(&self, json: &str) -> anyhow::Result<()> {
        let name = || format!("cannot write the summary {}", self.0.display());
        let mut file = self.temporary().with_context(name)?;
        file.write_all(json.as_bytes()).and_then(|()| file.write_all(b"\n")).with_context(name)?;
        file.persist(&self.0).with_context(name)?;
        Ok(())
    }

    fn temporary(&self) -> std::io::Result<tempfile::NamedTempFile> {
        use std::os::unix::fs::PermissionsExt;
        let parent = self.0.parent().filter(|parent| !parent.as_os_str().is_empty());
        tempfile::Builder::new()
            .prefix(".midrun-summary-")
            .permissions(std::fs::Permissions::from_mode(0o666)) // the umask takes its part
            .tempfile_in(parent.unwrap_or(Path::new(".")))
    }
}

/// Formats the summary as a few lines of text.
pub fn table(json: &str) -> String {
    let summary: Value = serde_json::from_str(json).unwrap_or_default();
    let number = |pointer: &str| summary.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let text = |key: &str| summary[key].as_str().unwrap_or("-").to_owned();
    let list = |key: &str| summary[key].as_array().cloned().unwrap_or_default();
    let mpi = summary["mpi"].as_str().filter(|mpi| !mpi.is_empty()).unwrap_or("no rank reported its MPI");
    let mut lines = vec![format!("job {} ({mpi})", text("job"))];
    let unseen = number("/unseen_ranks");
    if unseen > 0 {
        lines.push(format!(
            "{} ran untuned, since no agent saw them: their hosts may have no midrun, or another version of it",
            Count(unseen, "rank")
        ));
    }
    let unfollowed = number("/unfollowed_ranks");
    if unfollowed > 0 {
        lines.push(format!(
            "the end of {} was not seen, for their agent was lost or stopped: times, efficiencies and records are of what was seen before",
            Count(unfollowed, "rank")
        ));
    }
    let iterations = number("/iterations");
    let periods: Vec<f64> = list("period_s").iter().filter_map(Value::as_f64).collect();
    if !periods.is_empty() {
        lines.extend(stream(&summary, &periods));
    } else if iterations == 0 {
        let unseen = declared(&summary, "iteration").and_then(|line| {
            let [_, kind, function, ..] = &line.words[..] else { return None };
            let otherwise = "it is called in another thread than the one that initialised MPI";
            (kind == "function").then(|| line.unseen(&summary, &format!("no whole call of {function}"), otherwise))
        });
        lines.push(match number("/ranks") {
            0 => "no rank reported to an agent, so nothing was tuned".into(),
            ranks if summary["period_s"].is_array() => format!(
                "{}, a pipeline whose outputs were too few to measure: the first of each stream shows no time between two, and eight others, two \
                 for each rank that computes, in 20 ms or more make a window",
                Count(ranks, "rank")
            ),
            ranks if unseen.is_some() => format!(
                "{}, but no iterations: {}",
                Count(ranks, "rank"),
                unseen.unwrap_or_default()
            ),
            ranks if !summary["call_period"].is_null() => format!(
                "{}, but no iterations: the program marks none, and it ended before one was measured of the period of its MPI calls",
                Count(ranks, "rank")
            ),
            ranks if in_framework(&summary) => {
                format!("{}, but no iterations: none of the framework's has ended", Count(ranks, "rank"))
            }
            ranks if unfollowed == ranks => format!("{}, but no iterations before that", Count(ranks, "rank")),
            ranks => format!(
                "{}, but no iterations: the program neither uses a framework nor marks its iterations, and its MPI calls have no period",
                Count(ranks, "rank")
            ),
        });
        lines.extend(search(&summary["search"]));
        lines.extend(mpi_lines(&summary));
        return framed(&lines);
    }
    // Of several masters each has a line.
    let instances = instances(&summary);
    if iterations > 0 && instances.is_empty() {
        let workers = list("workers").last().and_then(Value::as_u64).unwrap_or(0);
        let counted = Count(iterations, "iteration");
        lines.push(if has_tasks(&summary) {
            // A program that cuts its batches by itself goes by no technique of midrun's.
            let technique = summary["technique"].as_str().filter(|technique| !technique.is_empty());
            let technique = technique.map_or(String::new(), |name| format!(", technique at the end: {name}"));
            format!("{counted}, {}{technique}", Count(workers, "worker"))
        } else {
            format!("{counted} on {}{}", Count(number("/ranks"), "rank"), ended_by(&summary["call_period"]))
        });
    }
    lines.extend(without_tasks(&summary));
    let skipped = number("/skipped_iterations");
    if skipped > 0 {
        lines.push(format!(
            "{} went unmeasured: when they began or ended is not known",
            Count(skipped, "further iteration")
        ));
    }
    let lost = number("/lost_workers");
    if lost > 0 {
        let (lost, redone) = (Count(lost, "worker"), Count(number("/redone_tasks"), "task"));
        lines.push(format!("{lost} lost, and the job went on: {redone} handed out again"));
    }
    let ends = if instances.is_empty() { ends(&summary) } else { None };
    lines.extend(instances);
    let earlier = list("decisions").len().saturating_sub(DECISIONS_SHOWN);
    if earlier > 0 {
        lines.push(format!("{} before these; midrun explain tells all", Count(earlier as u64, "decision")));
    }
    lines.extend(list("decisions").iter().skip(earlier).map(decision));
    lines.extend(ends);
    lines.extend(result::lines(&summary));
    if !list("decisions").is_empty() || number("/actions/sent") > 0 {
        lines.push(format!("{}; {}", decisions(&list("decisions")), actions(&summary)));
    }
    lines.extend(mpi_lines(&summary));
    lines.extend(clocks::line(&summary));
    let dropped = number("/records/dropped");
    lines.push(format!(
        "records: {} collected of {}, {dropped} dropped{}",
        number("/records/collected"),
        number("/records/produced"),
        lost_events(number("/events_dropped"))
    ));
    framed(&lines)
}

/// A line for each of several masters.
pub fn instances(summary: &Value) -> Vec<String> {
    summary["instances"].as_array().into_iter().flatten().filter_map(instance).collect()
}

fn instance(line: &Value) -> Option<String> {
    let seconds = |key: &str| line[key].as_array().cloned().unwrap_or_default();
    let times = pairs(&seconds("iteration_s"), &seconds("ideal_s"));
    let over =
        |(time, ideal): &(f64, f64)| format!("{}, {:+.1} % over ideal", Seconds(*time), 100.0 * (time / ideal - 1.0));
    Some(format!(
        "master {}: {}, {}, technique {}: first {}; last {}",
        line["master"],
        Count(line["iterations"].as_u64()?, "iteration"),
        Count(line["workers"].as_u64()?, "worker"),
        line["technique"].as_str()?,
        times.first().map_or("-".into(), over),
        times.last().map_or("-".into(), over),
    ))
}

/// Whether a rank was in a function of a framework.
fn in_framework(summary: &Value) -> bool {
    let ranks = summary["pop"]["ranks"].as_array().into_iter().flatten();
    ranks.into_iter().any(|rank| rank["framework_s"].as_f64().is_some_and(|time_s| time_s > 0.0))
}

/// What was lost after the agents had collected it.
fn lost_events(events: u64) -> String {
    if events == 0 { String::new() } else { format!("; {} lost on the way to the analyzer", Count(events, "event")) }
}

/// Whether the program distributed tasks. A summary of an older version does not say it.
pub fn has_tasks(summary: &Value) -> bool {
    let any = |key: &str| Some(summary[key].as_array()?.iter().filter_map(Value::as_f64).any(|x| x > 0.0));
    summary["messages_go_one_way"] != true && any("tasks").or(any("ideal_s")).unwrap_or(false)
}

/// A line of the points file.
struct DeclaredLine {
    number: u64,
    words: Vec<String>,
}

/// The lines of the points file that begin with this word.
fn all_declared<'s>(summary: &'s Value, first: &'s str) -> impl Iterator<Item = DeclaredLine> + 's {
    let lines = summary["points"]["declared"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let lines = (1..)
        .zip(lines)
        .map(|(number, line)| DeclaredLine { number, words: line.split_whitespace().map(str::to_owned).collect() });
    lines.filter(move |line| line.words.first().is_some_and(|word| word == first))
}

/// The first of them.
fn declared(summary: &Value, first: &str) -> Option<DeclaredLine> {
    all_declared(summary, first).next()
}

impl DeclaredLine {
    /// Why nothing was seen of it: ranks refused it, or what else may be the reason.
    fn unseen(&self, summary: &Value, what: &str, otherwise: &str) -> String {
        let mut refused = summary["points"]["refused"].as_array().into_iter().flatten();
        let own = refused.find(|refused| refused["line"] == self.number && refused["shed"] == false);
        match own.and_then(|refused| refused["why"].as_str()) {
            Some(why) => format!("line {} of the points was refused: {why}", self.number),
            None => format!(
                "{what} was seen, which the {} line of the points file names: the compiler may have made it part of its caller (noinline keeps \
                 it), or {otherwise}",
                self.words[0]
            ),
        }
    }
}

/// Why no task was seen or timed: though the program hands some out, or the points file says how to tune a Master/Worker program; `None` where
/// neither is so, or tasks were timed.
pub fn without_tasks(summary: &Value) -> Option<String> {
    if has_tasks(summary) {
        let ideal_s = summary["ideal_s"].as_array().filter(|ideal_s| !ideal_s.is_empty())?;
        return ideal_s.iter().all(|ideal_s| *ideal_s == 0.0).then(|| {
            "no worker says what its tasks take, so how they are handed out is not tuned: midrun_work_begin and midrun_work_end mark them, \
             or a work line of a points file names the function that computes them"
                .to_owned()
        });
    }
    let work = declared(summary, "work");
    if summary["messages_go_one_way"] == true {
        return work.map(|_| {
            "a work line says what computes the tasks that a master hands out, and here is no master: it tuned nothing"
                .to_owned()
        });
    }
    if let Some(line) = work.filter(|line| line.words.len() > 2) {
        let what = format!("no call of {} with tasks", line.words[2]);
        return Some(line.unseen(summary, &what, "its arguments are others"));
    }
    let of_worker =
        |label: &String| [names::CHUNK_TASKS, names::CHUNK_SHARE, names::OWN_WORKERS].contains(&label.as_str());
    let mut tuned = all_declared(summary, "tune").filter_map(|line| line.words.get(1).cloned());
    let label = tuned.find(of_worker)?;
    Some(format!(
        "{label} tunes a Master/Worker program, and the points file has no work line that says what computes its tasks"
    ))
}

/// What ends an iteration of a program that marks none.
fn ended_by(period: &Value) -> String {
    match (period["every"].as_u64(), period["call"].as_str()) {
        (Some(1), Some(call)) => format!(", each ended by {call}"),
        (Some(every), Some(call)) => format!(", each ended by {every} calls of {call}"),
        _ => String::new(),
    }
}

/// The line with the first and the last iteration; of iterations that nobody marked, that of all of them.
fn ends(summary: &Value) -> Option<String> {
    let list = |key: &str| summary[key].as_array().cloned().unwrap_or_default();
    let seconds: Vec<f64> = list("iteration_s").iter().filter_map(Value::as_f64).collect();
    let times = if has_tasks(summary) { pairs(&list("iteration_s"), &list("ideal_s")) } else { Vec::new() };
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        if !summary["call_period"].is_null() {
            return spread(seconds);
        }
        let (first, last) = seconds.first().zip(seconds.last())?;
        let ends = format!("first iteration {}; last {}", Seconds(*first), Seconds(*last));
        // One in ten is none of fewer.
        let spread = if seconds.len() < 10 { None } else { spread(seconds) };
        return Some([ends].into_iter().chain(spread).collect::<Vec<String>>().join("; "));
    };
    let line =
        |(time, ideal): &(f64, f64)| format!("{}, {:+.1} % over ideal", Seconds(*time), 100.0 * (time / ideal - 1.0));
    Some(format!("first iteration {}; last {}", line(first), line(last)))
}

/// The line with the middle iteration, and those that one in ten is faster and slower than.
fn spread(mut seconds: Vec<f64>) -> Option<String> {
    seconds.sort_by(f64::total_cmp);
    let part = |tenth: usize| seconds.get((seconds.len() * tenth / 10).min(seconds.len() - 1)).map(|s| Seconds(*s));
    let [low, middle, high] = [part(1)?, part(5)?, part(9)?];
    Some(format!("an iteration takes {middle} (median; 80 % of them take {low} to {high})"))
}

/// The lines of a pipeline.
fn stream(summary: &Value, periods: &[f64]) -> Vec<String> {
    let patterns = summary["pattern"].as_array().cloned().unwrap_or_default();
    let last = patterns.last().and_then(|line| line["pattern"].as_str()).unwrap_or("-");
    let windows = periods.len();
    let mut lines = vec![format!("{}, pattern at the end: {last}", Count(windows as u64, "window"))];
    let (first_s, last_s) = (periods[0], periods[windows - 1]);
    let ideal = summary["ideal_period_s"]
        .as_f64()
        .map(|ideal_s| format!("; the model's best pattern would give {}", Seconds(ideal_s)));
    let farm = summary["farm"][0].as_str().zip(summary["farm"][1].as_f64());
    let farm = farm.map(|(pattern, s)| format!(", and with --technique farm {pattern} {}", Seconds(s)));
    lines.push(format!(
        "time per output: first window {}, last window {}{}{}",
        Seconds(first_s),
        Seconds(last_s),
        ideal.unwrap_or_default(),
        farm.unwrap_or_default()
    ));
    lines
}

/// The line of a search.
fn search(report: &Value) -> Option<String> {
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let names: Vec<String> = list("points").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let measured = report["measured"].as_u64()?;
    if let Some(trouble) = report["trouble"].as_str() {
        return Some(format!("search of {}: {trouble}", names.join(", ")));
    }
    // As people write them: a whole number has no point.
    let best = list("best").iter().filter_map(Value::as_f64).collect::<Vec<f64>>();
    let values: Vec<String> = names.iter().zip(best).map(|(name, value)| format!("{name} = {value}")).collect();
    let (Some(best_s), Some(start_s)) = (report["best_s"].as_f64(), report["start_s"].as_f64()) else {
        return Some(format!("search of {}: nothing was measured", names.join(", ")));
    };
    let measured = match report["turn"].as_u64() {
        Some(turn) if turn > 1 => {
            format!("{}, each the mean of {turn} iterations, which take turns", Count(measured, "measurement"))
        }
        _ => Count(measured, "measurement").to_string(),
    };
    let ended = report["ended"] == true;
    let unit = if report["per_progress"] == true { format!(" {PER_PROGRESS}") } else { String::new() };
    if report["best_is_start"] == true {
        let words = if ended { "found nothing better than" } else { "has not ended; so far nothing is better than" };
        let values = values.join(", ");
        return Some(format!(
            "search {words} the values at start, {values} ({}{unit}), in {measured}",
            Seconds(start_s)
        ));
    }
    let ended = if ended { "found" } else { "has not ended; best so far:" };
    let (best_s, start_s) = (Seconds(best_s), Seconds(start_s));
    let times = match report["best_is_sure"] == false {
        true => format!("{best_s}{unit}, and {start_s} at start: the difference may be chance"),
        false => format!("{best_s}{unit} instead of {start_s} at start"),
    };
    Some(format!("search {ended} {} ({times}) in {measured}", values.join(", ")))
}

/// The line with the advice for the next run.
fn advice(summary: &Value) -> Option<String> {
    let advice = &summary["advice"];
    let number = |key: &str| advice[key].as_f64();
    let (ranks, workers) = (number("ranks")?, number("workers")?);
    if number("uncertainty")? > 0.5 {
        return Some(format!(
            "{}; iterations differ too much to say how many ranks to ask for",
            advice["regime"].as_str()?
        ));
    }
    let per = advice["per"].as_str().unwrap_or("iteration");
    let what = match per {
        "output" => format!("{workers} that compute"),
        _ => Count(workers as u64, "worker").to_string(),
    };
    let again = if summary["ranks"].as_f64() == Some(ranks) { " again" } else { "" };
    let own_chunks =
        advice["own_chunks"].as_str().map(|chunks| format!(", if the program hands out {chunks} there, too"));
    let technique = advice["technique"].as_str().map(|technique| format!(", with {technique}, which was not set here"));
    let assumed: String = technique.into_iter().chain(own_chunks).collect();
    // What holds up these ranks would hold up more of them.
    let run_delay = summary["pop"]["run_delay"].as_f64().filter(|share| *share > 1.0 - LEVEL);
    let cores = run_delay.map(|share| {
        format!(", where each rank has a core; here they had none for {:.0} % of the time", 100.0 * share)
    });
    let master_works = number("master_works_s").zip(number("iteration_now_s")).map(|(works_s, now_s)| {
        let (works, now) = (Seconds(works_s), Seconds(now_s));
        format!("; with the ranks of this run, {works} instead of {now} if the master computes, too (MIDRUN_MW_MASTER_WORKS)")
    });
    Some(format!(
        "{}; next time ask for {ranks} ranks{again} ({what}): {} per {per} are expected there, +- {:.0} %{}{}{}",
        advice["regime"].as_str()?,
        Seconds(number("iteration_s")?),
        100.0 * number("uncertainty")?,
        assumed,
        cores.unwrap_or_default(),
        master_works.unwrap_or_default(),
    ))
}

/// The line of a start that an earlier run gave.
pub fn start(start: &Value) -> Option<String> {
    let seconds = |key: &str| start[key].as_f64().map(Seconds);
    let measured = seconds("measured_s").zip(seconds("expected_s"));
    let (verdict, reason) = (start["verdict"].as_str()?, start["reason"].as_str());
    let because = reason.map(|reason| format!(", because {reason}"));
    let times = measured.map(|(measured, expected)| format!(" (expected {expected}, measured {measured})"));
    Some(format!(
        "start remembered from the run of {}: {}, {} per {}: {verdict}{}{}",
        UnixTime(start["remembered_unix_s"].as_u64()?),
        start["setting"].as_str()?,
        seconds("remembered_s")?,
        start["per"].as_str().unwrap_or("iteration"),
        because.unwrap_or_default(),
        times.unwrap_or_default(),
    ))
}

/// The line of one decision with its verdict.
fn decision(decision: &Value) -> String {
    let text = |key: &str| decision[key].as_str().unwrap_or("-").to_owned();
    let per = decision["per"].as_str().unwrap_or("iteration");
    let measured =
        decision["measured_s"].as_f64().map_or("not measured".into(), |s| format!("measured {}", Seconds(s)));
    // A search predicts nothing.
    let predicted = decision["predicted_s"].as_f64().map(|s| format!("predicted {}, ", Seconds(s)));
    format!(
        "{} {}{}: {} {} -> {}: {} ({}{measured}{})",
        if per == "output" { "window" } else { "iteration" },
        decision["iteration"],
        of_master(decision),
        text("tuning_point"),
        text("from"),
        text("to"),
        text("verdict"),
        predicted.unwrap_or_default(),
        of_progress(decision),
    )
}

fn decisions(list: &[Value]) -> String {
    let mut words: Vec<String> = Vec::new();
    for verdict in ["kept", "tried", "left", "rolled-back", "advised", "not-applied", "open"] {
        let count = list.iter().filter(|decision| decision["verdict"] == verdict).count();
        if count > 0 {
            words.push(format!("{count} {verdict}"));
        }
    }
    match list.len() {
        0 => "no decisions".into(),
        count => format!("{} ({})", Count(count as u64, "decision"), words.join(", ")),
    }
}

fn actions(summary: &Value) -> String {
    let count = |key: &str| summary["actions"][key].as_u64().unwrap_or(0);
    let (sent, applied) = (count("sent"), count("applied"));
    let mut line =
        format!("actions: {sent} sent, {applied} applied, {} refused, {} expired", count("refused"), count("expired"));
    if count("undelivered") > 0 {
        line += &format!(", {} not delivered", count("undelivered"));
    }
    line
}

fn pairs(times: &[Value], ideals: &[Value]) -> Vec<(f64, f64)> {
    let both = times.iter().zip(ideals).filter_map(|(time, ideal)| Some((time.as_f64()?, ideal.as_f64()?)));
    both.filter(|(_, ideal)| *ideal > 0.0).collect()
}

fn framed(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("midrun:   {line}")).collect();
    format!("midrun: summary\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_what_was_decided_and_gained() {
        let json = r#"{"job":"j","mpi":"Open MPI 4.1.4","ranks":9,"iterations":2,"iteration_s":[1.1,1.01],"ideal_s":[1.0,1.0],
            "workers":[8,8],"technique":"daf","decisions":[{"verdict":"kept"}],"records":{"produced":5,"collected":5,"dropped":0},
            "actions":{"sent":1,"applied":1,"refused":0,"expired":0}}"#;
        let table = table(json);
        for part in
            ["2 iterations, 8 workers", "+10.0 % over ideal", "+1.0 %", "1 decision (1 kept)", "5 collected of 5"]
        {
            assert!(table.contains(part), "{part} is missing in:\n{table}");
        }
        let lossy = super::table(&json.replace("\"technique\"", "\"events_dropped\":263,\"technique\""));
        assert!(lossy.contains("0 dropped; 263 events lost on the way to the analyzer"), "{lossy}");
        assert!(!table.contains("lost on the way") && !table.contains("unmeasured"), "{table}");
        let late = super::table(&json.replace("\"technique\"", "\"skipped_iterations\":100,\"technique\""));
        assert!(late.contains("100 further iterations went unmeasured"), "{late}");
        let searched = super::table(&json.replace("\"technique\"", "\"search\":{\"measured\":1},\"technique\""));
        assert!(!searched.contains("for the same work"), "its last iteration may be a trial: {searched}");
        let taskless = super::table(&json.replace("\"workers\"", "\"tasks\":[0,0],\"workers\""));
        for invented in ["technique", "worker", "ideal", "for the same work"] {
            assert!(!taskless.contains(invented), "{invented} is invented: {taskless}");
        }
        assert!(taskless.contains("2 iterations on 9 ranks\n") && taskless.contains("iteration 1.100 s; last 1.010 s"));
        let one = super::table(&json.replace("[8,8]", "[1,1]"));
        assert!(one.contains("2 iterations, 1 worker, technique"), "{one}");
    }

    #[test]
    fn a_decision_that_came_too_late_for_its_job_is_not_called_measured_or_expired() {
        let json = r#"{"job":"j","ranks":2,"iterations":1,"iteration_s":[1.1],"ideal_s":[1.0],"tasks":[10],"workers":[1],
            "decisions":[{"iteration":0,"tuning_point":"technique","from":"none","to":"daf","verdict":"not-applied","predicted_s":0.5}],
            "actions":{"sent":1,"applied":0,"refused":0,"expired":0,"undelivered":1}}"#;
        let table = table(json);
        for part in ["1 iteration, 1 worker", "(predicted 0.500 s, not measured)", "0 expired, 1 not delivered"] {
            assert!(table.contains(part), "{part} is missing in:\n{table}");
        }
    }

    #[test]
    fn a_pipeline_is_reported_in_times_per_output() {
        let json = r#"{"job":"j","mpi":"Open MPI 4.1.4","ranks":9,"iterations":0,"period_s":[0.4,0.1],"ideal_period_s":0.1,"farm":["0-1x8",0.08],
            "pattern":[{"input":0,"pattern":"0,1"},{"input":9,"pattern":"0,1x4"}],
            "decisions":[{"per":"output","iteration":3,"tuning_point":"pattern","from":"0,1","to":"0,1x4","verdict":"kept",
            "predicted_s":0.1,"measured_s":0.102}]}"#;
        let table = table(json);
        for part in [
            "2 windows, pattern at the end: 0,1x4",
            "first window 0.400 s, last window 0.100 s; the model's best pattern would give 0.100 s, and with --technique farm 0-1x8 80.0 ms",
            "window 3: pattern 0,1 -> 0,1x4: kept (predicted 0.100 s, measured 0.102 s)",
        ] {
            assert!(table.contains(part), "{part} is missing in:\n{table}");
        }
    }

    #[test]
    fn a_search_is_reported_with_its_best_values_and_its_gain() {
        let json = r#"{"job":"j","iterations":9,"workers":[2],"search":{"points":["block","kind"],"best":[64.0,1.0],"best_s":0.1,
            "start_s":0.25,"measured":33,"ended":true,"trouble":null},
            "decisions":[{"iteration":3,"tuning_point":"block","from":"8","to":"16","verdict":"tried","measured_s":0.2}]}"#;
        let table = table(json);
        for part in [
            "search found block = 64, kind = 1 (0.100 s instead of 0.250 s at start) in 33 measurements",
            "iteration 3: block 8 -> 16: tried (measured 0.200 s)",
            "1 decision (1 tried)",
        ] {
            assert!(table.contains(part), "{part} is missing in:\n{table}");
        }
        assert_eq!(
            search(&serde_json::json!({"points": ["a"], "measured": 3, "trouble": "x"})).unwrap(),
            "search of a: x"
        );
        assert_eq!(search(&Value::Null), None);
        let report = |more: Value| {
            let mut report = serde_json::json!({"points": ["a"], "measured": 5, "ended": true, "best": [0.5],
                "best_s": 0.1, "start_s": 0.1, "trouble": null});
            report.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            search(&report).unwrap()
        };
        let start = report(serde_json::json!({"best_is_start": true}));
        assert_eq!(start, "search found nothing better than the values at start, a = 0.5 (0.100 s), in 5 measurements");
        let chance = report(serde_json::json!({"best_is_sure": false, "start_s": 0.11}));
        assert!(chance.contains("(0.100 s, and 0.110 s at start: the difference may be chance)"), "{chance}");
        let by_progress = report(serde_json::json!({"per_progress": true, "start_s": 0.3}));
        assert_eq!(
            by_progress,
            "search found a = 0.5 (0.100 s per unit of progress instead of 0.300 s at start) in 5 measurements"
        );
        let turns = report(serde_json::json!({"turn": 2, "start_s": 0.3}));
        assert_eq!(
            turns,
            "search found a = 0.5 (0.100 s instead of 0.300 s at start) in 5 measurements, each the mean of 2 iterations, which take turns"
        );
        let silent = report(serde_json::json!({"measured": 0, "best": null, "best_s": null, "start_s": null}));
        assert_eq!(silent, "search of a: nothing was measured");
    }

    #[test]
    fn a_line_of_the_points_file_of_which_nothing_was_seen_is_told_with_the_ranks_reason() {
        let of = |refused: Value| {
            let summary = serde_json::json!({"ranks": 4, "iterations": 0, "decisions": [], "points": {"refused": refused, "measured": [],
                "declared": ["", "work function g first 1 int tasks 2 int", "iteration function f"]}});
            (table(&summary.to_string()), without_tasks(&summary).unwrap())
        };
        let (iterations, tasks) = of(serde_json::json!([]));
        assert!(iterations.contains("no iterations: no whole call of f was seen"), "{iterations}");
        assert!(tasks.contains("no call of g with tasks was seen"), "{tasks}");
        let refused = |line: u32| serde_json::json!({"line": line, "why": format!("there is no {line}"), "shed": false, "ranks": [0]});
        let (iterations, tasks) = of(serde_json::json!([refused(2), refused(3)]));
        assert!(iterations.contains("no iterations: line 3 of the points was refused: there is no 3"), "{iterations}");
        assert_eq!(tasks, "line 2 of the points was refused: there is no 2");
    }

    #[test]
    fn tasks_that_nobody_timed_are_said_to_be_untuned() {
        let of = |ideal_s: Value| without_tasks(&serde_json::json!({"tasks": [8, 8], "ideal_s": ideal_s}));
        let none = of(serde_json::json!([0.0, 0.0])).unwrap();
        assert!(none.contains("midrun_work_begin and midrun_work_end mark them"), "{none}");
        assert_eq!([of(serde_json::json!([0.0, 0.1])), of(serde_json::json!([])), of(Value::Null)], [None, None, None]);
    }

    #[test]
    fn a_program_whose_framework_ends_no_iteration_is_not_said_to_have_none() {
        let of = |framework_s: f64| {
            let pop = serde_json::json!({"ranks": [{"rank": 0, "framework_s": framework_s}]});
            table(&serde_json::json!({"ranks": 2, "iterations": 0, "decisions": [], "pop": pop}).to_string())
        };
        assert!(of(2.0).contains("2 ranks, but no iterations: none of the framework's has ended"), "{}", of(2.0));
        assert!(of(0.0).contains("neither uses a framework nor marks its iterations"), "{}", of(0.0));
        let torn = serde_json::json!({"ranks": 2, "unfollowed_ranks": 2, "iterations": 0, "decisions": []});
        let torn = table(&torn.to_string());
        assert!(torn.contains("2 ranks, but no iterations before that") && !torn.contains("neither"), "{torn}");
    }

    #[test]
    fn of_many_decisions_the_last_ones_are_shown_and_the_others_counted() {
        let decision =
            serde_json::json!({"iteration": 3, "tuning_point": "a", "from": "1", "to": "2", "verdict": "kept"});
        let of = |count: usize| {
            let decisions = vec![decision.clone(); count];
            table(&serde_json::json!({"ranks": 2, "iterations": 9, "decisions": decisions}).to_string())
        };
        assert!(!of(DECISIONS_SHOWN).contains("before these"));
        let many = of(DECISIONS_SHOWN + 2);
        assert!(many.contains("2 decisions before these; midrun explain tells all"), "{many}");
        assert_eq!(many.matches("iteration 3: a 1 -> 2").count(), DECISIONS_SHOWN, "{many}");
    }

    #[test]
    fn each_of_several_masters_has_a_line() {
        let times = serde_json::json!({"iterations": 2, "iteration_s": [1.0, 1.0], "ideal_s": [0.8, 0.8]});
        let master = |rank: u32| {
            let mut line = serde_json::json!({"master": rank, "workers": 3, "technique": "gss"});
            line.as_object_mut().unwrap().extend(times.as_object().cloned().unwrap());
            line
        };
        let mut summary = serde_json::json!({"ranks": 8, "iteration": [0, 1], "tasks": [8, 8], "workers": [3, 3], "decisions": [],
            "instances": [master(0), master(4)]});
        summary.as_object_mut().unwrap().extend(times.as_object().cloned().unwrap());
        let text = table(&summary.to_string());
        let line = "2 iterations, 3 workers, technique gss: first 1.000 s, +25.0 % over ideal; last 1.000 s, +25.0 % over ideal";
        for part in [&format!("master 0: {line}"), &format!("master 4: {line}"), "master 0: midrun changed nothing"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("first iteration"), "{text}");
    }

    #[test]
    fn an_advice_that_is_the_number_of_this_run_says_so() {
        let advised = |ranks: u32| {
            let advice = serde_json::json!({"ranks": 33, "workers": 32, "iteration_s": 0.219, "uncertainty": 0.11, "regime": "compute-bound"});
            super::advice(&serde_json::json!({"ranks": ranks, "advice": advice})).unwrap()
        };
        assert!(
            advised(33).starts_with("compute-bound; next time ask for 33 ranks again (32 workers): "),
            "{}",
            advised(33)
        );
        assert!(advised(9).starts_with("compute-bound; next time ask for 33 ranks (32 workers): "), "{}", advised(9));
        let own = serde_json::json!({"ranks": 33, "workers": 32, "iteration_s": 0.2, "uncertainty": 0.1, "regime": "x", "own_chunks": "chunks of 40"});
        let own = super::advice(&serde_json::json!({"ranks": 9, "advice": own})).unwrap();
        assert!(own.ends_with("expected there, +- 10 %, if the program hands out chunks of 40 there, too"), "{own}");
        let few =
            serde_json::json!({"ranks": 33, "workers": 32, "iteration_s": 0.2, "uncertainty": 0.1, "regime": "x"});
        let few = serde_json::json!({"ranks": 9, "advice": few, "pop": {"run_delay": 0.59}});
        let text = super::advice(&few).unwrap();
        assert!(
            text.ends_with("+- 10 %, where each rank has a core; here they had none for 59 % of the time"),
            "{text}"
        );
        let idle = serde_json::json!({"ranks": 3, "workers": 2, "iteration_s": 0.3, "iteration_now_s": 0.3, "uncertainty": 0.1, "regime": "x",
            "master_works_s": 0.2});
        let text = super::advice(&serde_json::json!({"ranks": 3, "advice": idle})).unwrap();
        let said = "; with the ranks of this run, 0.200 s instead of 0.300 s if the master computes, too (MIDRUN_MW_MASTER_WORKS)";
        assert!(text.ends_with(said), "{text}");
    }

    #[test]
    fn a_job_without_iterations_says_so() {
        assert!(table(r#"{"iterations":0,"ranks":4}"#).contains("no iterations"));
        assert!(
            table(r#"{"iterations":0,"ranks":4,"period_s":[]}"#)
                .contains("4 ranks, a pipeline whose outputs were too few")
        );
        assert!(table(r#"{"iterations":0,"ranks":0}"#).contains("no rank"));
    }

    #[test]
    fn the_efficiencies_of_any_program_are_reported() {
        let json = r#"{"iterations":0,"ranks":4,"pop":{"load_balance":0.75,"communication_efficiency":0.8,
            "parallel_efficiency":0.6}}"#;
        let line = "POP efficiencies: parallel 60.0 % = load balance 75.0 % x communication 80.0 %";
        assert!(table(json).contains(line), "{}", table(json));
        assert!(!table(r#"{"iterations":0,"ranks":4,"pop":null}"#).contains("POP"));
    }

    #[test]
    fn a_remembered_start_is_told_with_what_became_of_it() {
        let kept = serde_json::json!({"remembered_unix_s": 1_700_000_000, "setting": "daf, 8 workers", "remembered_s": 0.131,
            "expected_s": 0.13, "uncertainty": 0.02, "measured_s": 0.132, "verdict": "kept", "reason": null});
        let line = "start remembered from the run of 2023-11-14 22:13 UTC: daf, 8 workers, 0.131 s per iteration: kept (expected 0.130 s, measured 0.132 s)";
        assert_eq!(start(&kept).as_deref(), Some(line));
        let unused = serde_json::json!({"remembered_unix_s": 0, "setting": "daf, 8 workers", "remembered_s": 0.131, "expected_s": null,
            "measured_s": null, "verdict": "not-used", "reason": "the program chose its own technique"});
        assert!(start(&unused).unwrap().ends_with(": not-used, because the program chose its own technique"));
        assert_eq!(start(&Value::Null), None);
    }

    #[test]
    fn a_summary_takes_the_place_of_no_device_pipe_or_directory() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        for place in [&pipe, dir.path(), Path::new("/dev/null")] {
            let refused = SummaryFile::at(place.to_owned()).unwrap_err().to_string();
            assert!(refused.contains(&format!("{} is no file", place.display())), "{refused}");
        }
    }

    #[test]
    fn a_summary_that_cannot_be_written_is_found_before_the_job() {
        let refused = SummaryFile::at("/no/such/directory/s.json".into()).unwrap_err().to_string();
        assert!(refused.contains("/no/such/directory/s.json"), "{refused}");
        let dir = tempfile::tempdir().unwrap();
        let file = SummaryFile::at(dir.path().join("s.json")).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "checking leaves nothing behind");
        file.write("{}").unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("s.json")).unwrap(), "{}\n");
    }
}
