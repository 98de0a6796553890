//! The families: what an overview of an analyzer or of an agent says, by the names that docs/metrics.md lists.

use std::collections::BTreeMap;
use std::fmt;

use midrun_analyzer::overview::Overview;
use serde_json::Value;

use super::exposition::Families;

/// OpenMetrics text of these figures.
///
/// # Errors
/// As of [`Families::into_text`].
pub fn text(analyzer: Option<&Overview>, agent: Option<&midrun_agent::Overview>) -> Result<String, fmt::Error> {
    let mut families = Families::default();
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    families.gauge("midrun_build_info", "Version of midrun", &version, Some(1.0));
    if let Some(overview) = analyzer {
        of_analyzer(overview, &mut families);
    }
    if let Some(overview) = agent {
        of_agent(overview, &mut families);
    }
    families.into_text()
}

fn of_analyzer(overview: &Overview, to: &mut Families) {
    let (stats, jobs) = (overview.stats, overview.jobs.len());
    to.gauge("midrun_analyzer_jobs", "Jobs that are open", &[], Some(jobs as f64));
    for (outcome, batches) in
        [("taken", stats.batches), ("repeated", stats.batches_repeated), ("missing", stats.batches_missing)]
    {
        let help = "Batches of agents by what became of them";
        to.counter("midrun_analyzer_batches", help, &[("outcome", outcome)], Some(batches as f64));
    }
    for (reason, events) in
        [("invalid", stats.events_invalid), ("foreign", stats.events_foreign), ("unplaced", stats.events_unplaced)]
    {
        let help = "Events of agents that were dropped";
        to.counter("midrun_analyzer_events_dropped", help, &[("reason", reason)], Some(events as f64));
    }
    for (what, refused) in [("link", stats.links_refused), ("call", stats.calls_refused)] {
        let help = "Links of agents and calls of people that were refused";
        to.counter("midrun_analyzer_refused", help, &[("what", what)], Some(refused as f64));
    }
    for status in &overview.jobs {
        of_job(status, to);
    }
}

fn of_agent(overview: &midrun_agent::Overview, to: &mut Families) {
    let stats = overview.stats;
    for (name, help, value) in [
        ("midrun_agent_ranks", "Ranks that are attached", overview.attached),
        ("midrun_agent_connected", "1 while an analyzer takes the batches", usize::from(overview.connected)),
        ("midrun_agent_queued_batches", "Batches that the analyzer has not acknowledged", overview.queued_batches),
        (
            "midrun_agent_queued_bytes",
            "Size of the batches that the analyzer has not acknowledged",
            overview.queued_bytes,
        ),
    ] {
        to.gauge(name, help, &[], Some(value as f64));
    }
    for (name, help, value) in [
        ("midrun_agent_ranks_attached", "Ranks that attached", stats.ranks),
        ("midrun_agent_batches", "Batches made", stats.batches),
        ("midrun_agent_events_dropped", "Events dropped because the analyzer did not take them", stats.events_dropped),
        ("midrun_agent_records_rejected", "Records that make no sense", stats.records_rejected),
        ("midrun_agent_actions_delivered", "Actions put into command rings", stats.actions_delivered),
    ] {
        to.counter(name, help, &[], Some(value as f64));
    }
}

/// The text at `key`; empty where there is none.
fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// A job, by the status that viewers follow (docs/summary.md).
fn of_job(status: &Value, to: &mut Families) {
    let job = ("job_id", word(status, "job"));
    let info = [
        job,
        ("mpi", word(status, "mpi")),
        ("tunlet", word(status, "tunlet")),
        ("mode", word(status, "mode")),
        ("technique", word(status, "technique")),
        ("pattern", word(status, "pattern")),
    ];
    to.gauge("midrun_job_info", "What tunes the job, and how it runs now", &info, Some(1.0));
    to.gauge("midrun_job_age_seconds", "Time since the analyzer saw the job first", &[job], status["wall_s"].as_f64());
    let steps = "Iterations measured";
    to.counter("midrun_iterations", steps, &[job], status["iterations"].as_f64());
    to.counter("midrun_outputs", "Outputs of a stream", &[job], status["outputs"].as_f64());
    if let Some(window) = list(status, "windows").last() {
        let per = ("per", word(status, "per"));
        let help = "Time of the newest iteration, or between two outputs";
        to.gauge("midrun_window_seconds", help, &[job, per], window["time_s"].as_f64());
        let help = "Task time of the newest iteration / workers: no technique is faster";
        to.gauge("midrun_window_ideal_seconds", help, &[job, per], window["ideal_s"].as_f64());
    }
    of_ranks(job, status, to);
    let lost = "Events that agents and analyzer dropped";
    to.counter("midrun_events_dropped", lost, &[job], status["events_dropped"].as_f64());
    let by_key = |to: &mut Families, key: &str, name, help, label| {
        for (outcome, value) in status[key].as_object().into_iter().flatten() {
            to.counter(name, help, &[job, (label, outcome)], value.as_f64());
        }
    };
    by_key(to, "records", "midrun_records", "Records of the ranks by what became of them", "outcome");
    by_key(to, "actions", "midrun_actions", "Actions by what became of them", "outcome");
    for (verdict, decisions) in status["verdicts"].as_object().into_iter().flatten() {
        let labels = [job, ("verdict", verdict.as_str())];
        to.gauge("midrun_decisions", "Decisions that the summary lists", &labels, decisions.as_f64());
    }
    for (kind, value) in status["pop"].as_object().into_iter().flatten() {
        let labels = [job, ("kind", kind.as_str())];
        to.gauge("midrun_efficiency_ratio", "POP efficiencies of the run so far", &labels, value.as_f64());
    }
    for (number, stage) in list(status, "stages").iter().enumerate() {
        let number = number.to_string();
        let labels = [job, ("stage", number.as_str()), ("name", word(stage, "name"))];
        let help = "Time of a stage for one input";
        to.gauge("midrun_stage_compute_seconds", help, &labels, stage["compute_s"].as_f64());
        let help = "Time between two outputs that a stage alone allows";
        to.gauge("midrun_stage_period_seconds", help, &labels, stage["tr_s"].as_f64());
        to.gauge("midrun_stage_replicas", "Ranks that compute a stage", &labels, stage["replicas"].as_f64());
    }
}

/// Ranks by state, and how busy each host is: one series per rank would be too many.
fn of_ranks(job: (&'static str, &str), status: &Value, to: &mut Families) {
    let mut states: BTreeMap<&str, f64> = BTreeMap::new();
    let mut hosts: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for line in list(status, "workers") {
        *states.entry(word(line, "state")).or_default() += 1.0;
        if let Some(busy) = line["busy"].as_f64().filter(|_| matches!(word(line, "state"), "working" | "master")) {
            hosts.entry(word(line, "node")).or_default().push(busy);
        }
    }
    for (state, ranks) in states {
        to.gauge("midrun_ranks", "Ranks by what they do", &[job, ("state", state)], Some(ranks));
    }
    for (host, busy) in hosts {
        let mean = busy.iter().sum::<f64>() / busy.len() as f64;
        let help = "Part of the newest window that the ranks of a host computed, without parked ones";
        to.gauge("midrun_busy_ratio", help, &[job, ("host", host)], Some(mean));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(jobs: Vec<Value>) -> String {
        text(Some(&Overview { jobs, ..Overview::default() }), None).unwrap()
    }

    #[test]
    fn a_job_without_any_figures_gives_no_samples_that_are_not_known() {
        let text = shown(vec![json!({"job": "j1", "windows": [], "pop": null, "stages": [], "wall_s": null})]);
        assert!(text.contains("midrun_analyzer_jobs 1.0\n") && text.ends_with("# EOF\n"), "{text}");
        assert!(!text.contains("midrun_window_seconds") && !text.contains("null") && !text.contains("NaN"), "{text}");
    }

    #[test]
    fn several_jobs_share_a_family_and_what_they_are_called_cannot_break_the_text() {
        let job = |name: &str| {
            json!({"job": name, "iterations": 3, "workers": [
                {"state": "working", "busy": 0.5, "node": "n1"}, {"state": "working", "busy": 1.0, "node": "n1"},
                {"state": "parked", "busy": 0.0, "node": "n1"}]})
        };
        let text = shown(vec![job("a"), job("b\"} 7\nevil 1\n\\")]);
        assert_eq!(text.matches("# TYPE midrun_iterations counter").count(), 1, "{text}");
        assert!(text.contains(r#"midrun_iterations_total{job_id="a"} 3"#), "{text}");
        assert!(text.contains(r#"midrun_iterations_total{job_id="b\"} 7\nevil 1\n\\"} 3"#), "{text}");
        assert!(text.contains(r#"midrun_ranks{job_id="a",state="parked"} 1"#), "{text}");
        assert!(text.contains(r#"midrun_busy_ratio{job_id="a",host="n1"} 0.75"#), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("evil")), "{text}");
    }

    #[test]
    fn an_agent_shows_its_counts() {
        let overview = midrun_agent::Overview { attached: 4, connected: true, ..Default::default() };
        let text = text(None, Some(&overview)).unwrap();
        assert!(text.contains("midrun_agent_ranks 4.0\n") && text.contains("midrun_agent_connected 1.0\n"), "{text}");
        assert!(text.contains("# TYPE midrun_agent_batches counter\n"), "{text}");
        assert!(!text.contains("midrun_analyzer"), "{text}");
    }
}
