//! Log lines and notices about decisions, actions and overrides.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use midrun_tunlets::link::Cost;
use midrun_tunlets::{Judgement, PER_PROGRESS, Proposal, Refusal, Verdict, Worth};
use midrun_vocabulary::{Count, Seconds, Within};

use crate::actions::ActionStatus;
use crate::control::ControlLine;
use crate::decisions::{DecisionLine, Per};
use crate::events::{Link, WorkersLost};
use crate::ids::JobId;
use crate::in_flight::{By, Settlement};
use crate::notice::{Notice, finite};
use crate::period::Period;

/// A decision was taken.
pub(crate) fn decided(
    job: &JobId,
    number: u64,
    proposal: &Proposal,
    (per, master): (Per, Option<u32>),
    dry_run: bool,
) -> Notice {
    let (p, why) = (proposal, proposal.reason());
    tracing::info!(
        %job, decision = number, iteration = p.iteration, tunlet = &*p.tunlet,
        tuning_point = p.tuning_point, from = p.from, to = p.to, why,
        predicted_s = p.predicted_s, unchanged_s = p.unchanged_s, ranks = ?p.ranks, dry_run,
        "{}", if dry_run { "advice: this change would help" } else { "decided to change a tuning point" },
    );
    let text = format!(
        "{} {}{}: {}{} {} -> {}{}{}{}",
        per.window(),
        p.iteration,
        of(master),
        match (dry_run, p.trial) {
            (true, _) => "advice: ",
            (false, true) => "trial: ",
            (false, false) => "",
        },
        p.tuning_point,
        p.from,
        p.to,
        expected(p),
        if p.rather_than.is_empty() { "" } else { ", " },
        p.rather_than,
    );
    let json = json!({
        "event": "decision", "job": job.as_str(), "decision": number, "per": per, "iteration": p.iteration,
        "tunlet": p.tunlet, "tuning_point": p.tuning_point, "from": p.from, "to": p.to, "why": why,
        "per_progress": p.per_progress,
        "predicted_s": finite(p.predicted_s), "uncertainty": finite(p.uncertainty), "unchanged_s": finite(p.unchanged_s), "gain": p.gain, "rank": p.ranks.first(),
        "assignments": p.assignments, "trial": p.trial, "at_once": p.at_once, "dry_run": dry_run,
    });
    Notice { text, json }
}

/// Names the master whose iterations are counted, where there are several.
fn of(master: Option<u32>) -> String {
    master.map_or_else(String::new, |rank| format!(" of master {rank}"))
}

/// The expected times, where the tunlet predicts any, with one interval: that of the gain, in which both settings meet the same tasks, else
/// that of the time. The reason stands in the journal and in `midrun explain`: a line is short.
fn expected(p: &Proposal) -> String {
    if !p.predicted_s.is_finite() {
        return String::new();
    }
    let unchanged = if p.unchanged_s.is_finite() { format!("{} -> ", Seconds(p.unchanged_s)) } else { String::new() };
    let predicted = Seconds(p.predicted_s);
    let interval = match p.gain {
        Some((gain, half)) => {
            // What is gained is the objective's cost, which need not be time.
            let is_wanted = p.predicted_s > p.unchanged_s && p.worth != Worth::Due && !p.trial;
            let of = match () {
                () if p.over_kinds => " over all kinds of iterations",
                () if is_wanted => " by the objective",
                () => "",
            };
            format!(" (gain {:.1} % +- {:.1} %{of})", 100.0 * gain, 100.0 * half)
        }
        None if p.uncertainty > 0.0 => format!(" {}", Within(p.uncertainty)),
        None => String::new(),
    };
    format!(": expected {unchanged}{predicted}{}{interval}", unit(p.per_progress))
}

/// What times refer to, where that is no iteration.
fn unit(per_progress: bool) -> String {
    if per_progress { format!(" {PER_PROGRESS}") } else { String::new() }
}

/// Workers died, and the job goes on.
pub(crate) fn workers_lost(lost: &WorkersLost) -> String {
    let WorkersLost { iteration, workers, redone_tasks, left, .. } = *lost;
    let tasks = format!("{} handed out again", Count(redone_tasks, "task"));
    if workers == 0 {
        return format!("iteration {iteration}: {tasks}, which lost workers had taken");
    }
    let (workers, left) = (Count(workers, "worker"), Count(left, "worker"));
    format!("iteration {iteration}: {workers} lost, {tasks}, {left} left")
}

/// Timing each call would cost more than its budget.
pub(crate) fn sampled(rank: u32, call: &str) -> String {
    format!(
        "rank {rank} calls {call} too often to time each call within the budget: some are timed and stand for the others; \
         numbers of calls stay exact, their times, bytes and peers are estimates"
    )
}

/// The period of a program that marks no iterations, as a sentence. Where only messages tell it, all exchanges of one iteration look
/// alike.
pub(crate) fn period(period: &Period, has_collective: bool) -> String {
    let of = |count: u64, name: &str| if count == 1 { name.to_owned() } else { format!("{count} {name}") };
    let about = |count: u64| if period.off(count) > 0.0 && count > 1 { "about " } else { "" };
    let calls: Vec<String> =
        period.calls.iter().map(|(name, count)| format!("{}{}", about(*count), of(*count, name))).collect();
    let sure = period.confidence.map_or_else(String::new, |sure| format!(", sure to {:.1} %", 100.0 * sure));
    let end = match period.every {
        1 => format!("each {} ends an iteration", period.call),
        every => format!("every {every} calls of {} end an iteration", period.call),
    };
    let period_s = Seconds(period.period_s);
    let otherwise = match period.others.len() {
        0 => String::new(),
        1 => " (1 rank makes another number of calls in it)".to_owned(),
        ranks => format!(" ({} make another number of calls in it)", Count(ranks, "rank")),
    };
    let doubt = if has_collective {
        String::new()
    } else {
        format!(
            "; an iteration of the program may be several of them (`iteration mpi {} every N` in a points file)",
            period.call
        )
    };
    format!(
        "the program marks no iterations; its MPI calls have a period of {period_s} ({}{sure}), so {end}{otherwise}{doubt}",
        calls.join(", ")
    )
}

/// The call that ended the iterations belongs to a phase of the program that is over, as a sentence.
pub(crate) fn period_ended(call: &str) -> String {
    format!(
        "{call}, which ended the iterations, is not called any more: midrun looks for another period of the MPI calls"
    )
}

/// Windows between the calls that end iterations take turns, as a sentence.
pub(crate) fn turns(period: &Period) -> String {
    format!(
        "the times between calls of {} take turns, so every {} of them end an iteration; it takes {}",
        period.call,
        period.every,
        Seconds(period.period_s)
    )
}

/// Cost of a message between ranks of a program with its own loop, as a sentence.
pub(crate) fn own_link(link: Link) -> String {
    let where_ = if link.same_host { "ranks of one host" } else { "hosts" };
    let Cost { start_up_s, start_up_error_s, per_byte_s, per_byte_error_s } = link.measured.cost;
    // Messages that are all of one size do not tell what a byte takes.
    let by_size = per_byte_s > 0.0 || per_byte_error_s > 0.0;
    let bytes = if by_size {
        format!(" and {:.4} (+- {:.4}) ns for a byte", per_byte_s * 1e9, per_byte_error_s * 1e9)
    } else {
        String::new()
    };
    format!(
        "a message between {where_} takes {} (+- {}){bytes}, by sends and receives of the program that match",
        Seconds(start_up_s),
        Seconds(start_up_error_s),
    )
}

/// Cost of a message as a sentence.
pub(crate) fn link(link: Link) -> String {
    let to = if link.same_host { "of the master's host" } else { "of another host" };
    let cost = link.measured.cost;
    let bytes = match cost.per_byte_s {
        s if s > 0.0 => format!("{:.0} Mbit/s for its bytes", 8e-6 / s),
        _ => "nothing measurable for its bytes".to_owned(),
    };
    let eager = match (link.measured.eager_bytes, link.measured.rendezvous_bytes) {
        (0, 0) => String::new(),
        (least, 0) => format!("; at least up to {least} bytes are sent without waiting for the receiver"),
        (least, most) => format!("; between {least} and {most} bytes the MPI begins to wait for the receiver"),
    };
    format!(
        "a message to a worker {to} takes {} (+- {}) and {bytes}{eager}",
        Seconds(cost.start_up_s),
        Seconds(cost.start_up_error_s),
    )
}

/// A proposal could not even be sent.
pub(crate) fn withheld(job: &JobId, number: u64, iteration: u64, why: &str) -> Notice {
    tracing::warn!(%job, decision = number, iteration, why, "a decision was not sent");
    Notice {
        text: format!("iteration {iteration}: not sent: {why}"),
        json: json!({"event": "not-sent", "job": job.as_str(), "decision": number, "iteration": iteration, "why": why}),
    }
}

/// A tunlet refused to do something, or was refused.
pub(crate) fn refused(job: &JobId, refusal: &Refusal) -> Notice {
    let Refusal { tunlet, iteration, why, .. } = refusal;
    tracing::info!(%job, tunlet, iteration, why, "a tunlet refused, or was refused");
    Notice {
        text: format!("iteration {iteration}: {tunlet}: refused: {why}"),
        json: json!({"event": "refusal", "job": job.as_str(), "tunlet": tunlet, "iteration": iteration, "why": why}),
    }
}

/// An action ended at a safe point, or before it.
pub(crate) fn settled(job: &JobId, settlement: &Settlement, per: Per, iteration: Option<u64>) -> Notice {
    let (action, rank) = (settlement.action.id.0, settlement.action.rank);
    let after = settlement.latency_ms.unwrap_or_default();
    let text = if settlement.status == ActionStatus::Applied {
        let late = if settlement.late { ", though it had been given up" } else { "" };
        let at = iteration.map_or("in".to_owned(), |iteration| format!("at {} {iteration},", per.safe_point()));
        let error_ms = settlement.latency_error_ms;
        let error = error_ms.map_or(String::new(), |error_ms| format!(" (+- {error_ms:.1} ms)"));
        let sentence = format!("applied {at} rank {rank}, {after:.1} ms{error} after the decision{late}");
        tracing::info!(%job, action, decision = settlement.by.decision(), iteration, rank, latency_ms = after, error_ms, "{sentence}");
        sentence
    } else {
        let sentence = format!("rank {rank}: {}", settlement.status.as_str());
        // A job that ends while an action is on its way is no reason to warn.
        if settlement.status == ActionStatus::Undeliverable {
            tracing::info!(%job, action, decision = settlement.by.decision(), rank, "{sentence}");
        } else {
            tracing::warn!(%job, action, decision = settlement.by.decision(), rank, "{sentence}");
        }
        sentence
    };
    let mut json = settled_json(job, settlement, iteration);
    json["text"] = text.as_str().into();
    Notice { text, json }
}

/// The same for programs.
pub(crate) fn settled_json(job: &JobId, settlement: &Settlement, iteration: Option<u64>) -> Value {
    json!({
        "event": "action-settled", "job": job.as_str(), "action": settlement.action.id.0, "decision": settlement.by.decision(),
        "rank": settlement.action.rank, "applied": settlement.status == ActionStatus::Applied, "iteration": iteration,
        "latency_ms": settlement.latency_ms, "latency_error_ms": settlement.latency_error_ms, "late": settlement.late,
    })
}

/// The actions of one decision ended, on several ranks, each at an iteration, as far as it is known.
pub(crate) fn all_settled(job: &JobId, by: By, per: Per, all: &[(Settlement, Option<u64>)]) -> Notice {
    let mut ended: BTreeMap<&str, Vec<&(Settlement, Option<u64>)>> = BTreeMap::new();
    for one in all {
        ended.entry(one.0.status.as_str()).or_default().push(one);
    }
    let sentence = |of: &Vec<&(Settlement, Option<u64>)>| {
        let on = ranks(&of.iter().map(|(settlement, _)| settlement.action.rank).collect::<Vec<_>>());
        if of[0].0.status != ActionStatus::Applied {
            return format!("{on}: {}", of[0].0.status.as_str());
        }
        let iterations = of.iter().filter_map(|(_, iteration)| *iteration);
        let at = match (iterations.clone().min(), iterations.max()) {
            (Some(first), Some(last)) if first < last => format!("at {}s {first} to {last},", per.safe_point()),
            (Some(one), _) => format!("at {} {one},", per.safe_point()),
            _ => "in".to_owned(),
        };
        let latencies = of.iter().filter_map(|(settlement, _)| settlement.latency_ms);
        let (least, most) = latencies.fold((f64::INFINITY, 0.0_f64), |(low, high), ms| (low.min(ms), high.max(ms)));
        let errors = of.iter().filter_map(|(settlement, _)| settlement.latency_error_ms);
        let error = errors.reduce(f64::max).map_or(String::new(), |ms| format!(" (+- {ms:.1} ms)"));
        let range = if of.len() == 1 { format!("{most:.1}") } else { format!("{least:.1} to {most:.1}") };
        format!("applied {at} {on}, {range} ms{error} after the decision")
    };
    let text = ended.values().map(sentence).collect::<Vec<_>>().join("; ");
    let decision = by.decision();
    let is_bad = |(settlement, _): &(Settlement, Option<u64>)| {
        // A job that ends while an action is on its way is no reason to warn.
        !matches!(settlement.status, ActionStatus::Applied | ActionStatus::Undeliverable)
    };
    if all.iter().any(is_bad) {
        tracing::warn!(%job, decision, "{text}");
    } else {
        tracing::info!(%job, decision, "{text}");
    }
    let actions: Vec<Value> =
        all.iter().map(|(settlement, iteration)| settled_json(job, settlement, *iteration)).collect();
    let json = json!({"event": "actions-settled", "job": job.as_str(), "decision": decision, "actions": actions, "text": text});
    Notice { text, json }
}

/// A longer time was expected and measured: the change was made for something else.
fn is_longer(line: &DecisionLine) -> bool {
    let times = line.predicted_s.zip(line.unchanged_s).zip(line.measured_s);
    times.is_some_and(|((predicted_s, unchanged_s), measured_s)| predicted_s.min(measured_s) > unchanged_s)
}

/// For which shares of the time the rank that lacked a core longest had none before a change and with it, where these are what makes its verdict uncertain.
fn without_cores(run_delays: Option<(f64, f64)>) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let shares = run_delays.map(|(before, since)| (percent(before), percent(since)));
    // What looks the same is no reason.
    let text =
        |(before, since)| format!("; a rank had no core for {since} of the time, before the change for {before}");
    shares.filter(|(before, since)| before != since).map(text).unwrap_or_default()
}

/// Later windows judged a decision.
pub(crate) fn judged(job: &JobId, line: &DecisionLine, judgement: &Judgement, iteration: u64) -> Notice {
    let times = beside_prediction(line, judgement);
    tracing::info!(
        %job, decision = judgement.decision, iteration, tunlet = line.tunlet, tuning_point = line.tuning_point,
        from = line.from, to = line.to, predicted_s = line.predicted_s, measured_s = line.measured_s,
        verdict = line.verdict, apart = judgement.apart, run_delays = ?judgement.run_delays, "the outcome of a decision",
    );
    let found = |share| format!(" (no difference found: at most {:.1} %)", 100.0 * share);
    let found = judgement.apart.map(found).unwrap_or_default();
    let times = format!("{times}{}", without_cores(judgement.run_delays));
    let outcome = match judgement.verdict {
        Verdict::Left => times,
        Verdict::RolledBack => format!("rolled back to {}{found}: {times}", line.from),
        Verdict::Kept if is_longer(line) => format!("kept{found}, longer as expected: {times}"),
        // The work of iterations differs: a longer time alone is no loss.
        Verdict::Kept if found.is_empty() && line.measured_s > line.unchanged_s => {
            format!("kept, for no loss is sure: {times}")
        }
        other => format!("{}{found}: {times}", other.as_str()),
    };
    Notice {
        text: format!("{} {iteration}{}: {outcome}", line.per.window(), of(line.master)),
        json: json!({
            "event": "outcome", "job": job.as_str(), "decision": judgement.decision, "iteration": iteration,
            "measured_s": line.measured_s, "predicted_s": line.predicted_s, "verdict": line.verdict, "apart": judgement.apart,
            "run_delays": judgement.run_delays,
        }),
    }
}

/// The measured time beside the predicted one and beside that without the change, which alone tells whether the change paid.
fn beside_prediction(line: &DecisionLine, judgement: &Judgement) -> String {
    let (is_left, measured_s) = (judgement.verdict == Verdict::Left, judgement.measured_s);
    let without = line.unchanged_s.map(|s| format!("; without the change {}", Seconds(s)));
    let predicted = line.predicted_s.map(|predicted_s| {
        let interval = line.uncertainty.map(|share| format!(" {}", Within(share))).unwrap_or_default();
        let is_outside =
            !is_left && line.uncertainty.is_some_and(|share| !Within(share).holds(measured_s, predicted_s));
        let outside = if is_outside { "outside the " } else { "" };
        format!(" ({outside}predicted {}{interval}{})", Seconds(predicted_s), without.unwrap_or_default())
    });
    let what = if is_left { "left after" } else { "measured" };
    format!("{what} {}{}{}", Seconds(measured_s), unit(line.per_progress), predicted.unwrap_or_default())
}

/// A manual override has ended.
pub(crate) fn controlled(job: &JobId, line: &ControlLine) -> Notice {
    tracing::info!(%job, control = line.control, done = line.done, "user: {}", line.text);
    let mut json = json!(line);
    json["event"] = "controlled".into();
    json["job"] = job.as_str().into();
    Notice { text: format!("user: {}", line.text), json }
}

/// Ranks for people: `rank 3`, `ranks 0-3 and 7`.
pub(crate) fn ranks(ranks: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    // Agents report them in any order.
    for rank in &ranks.iter().copied().collect::<std::collections::BTreeSet<u32>>() {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*rank) => *last = *rank,
            _ => parts.push((*rank, *rank)),
        }
    }
    let part = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let words: Vec<String> = parts.iter().map(part).collect();
    let word = if ranks.len() == 1 { "rank" } else { "ranks" };
    match words.split_last() {
        Some((last, [])) => format!("{word} {last}"),
        Some((last, rest)) => format!("{word} {} and {last}", rest.join(", ")),
        None => "no rank".into(),
    }
}

/// In a replay, the recorded run changed something that the replay did not decide.
pub(crate) fn recorded_change(job: &JobId, number: u64, per: Per, values: &str) -> Notice {
    let text = format!("{} {number}: the recorded run went its own way: {values}", per.safe_point());
    let json = json!({"event": "recorded-change", "job": job.as_str(), "iteration": number, "text": text});
    Notice { text, json }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::{Action, Phase};
    use crate::ids::ActionId;
    use midrun_tunlets::link::Cost;

    #[test]
    fn ranks_are_listed_by_their_runs() {
        let lists: [&[u32]; 4] = [&[], &[3], &[2, 1, 3, 0, 7], &[0, 2, 4, 5]];
        assert_eq!(lists.map(ranks), ["no rank", "rank 3", "ranks 0-3 and 7", "ranks 0, 2 and 4-5"]);
    }

    #[test]
    fn a_decision_says_what_it_was_preferred_to() {
        let job = JobId::new("j").expect("an id");
        let words = |rather_than: &str| {
            let (from, to, predicted_s) = ("1".into(), "2".into(), f64::NAN);
            let (tuning_point, why, rather_than) = ("k".into(), "so".into(), rather_than.into());
            let proposal = Proposal { tuning_point, from, to, predicted_s, why, rather_than, ..Proposal::default() };
            let notice = decided(&job, 0, &proposal, (Per::Iteration, None), false);
            (notice.text, notice.json["why"].clone())
        };
        assert_eq!(words(""), ("iteration 0: k 1 -> 2".into(), "so".into()));
        assert_eq!(words("rather than b"), ("iteration 0: k 1 -> 2, rather than b".into(), "so; rather than b".into()));
    }

    #[test]
    fn the_actions_of_a_decision_on_many_ranks_are_one_line() {
        let job = JobId::new("j").expect("an id");
        let one = |rank: u32, status, iteration, latency_ms: Option<f64>| {
            let action = Action {
                id: ActionId(u64::from(rank)),
                job: job.clone(),
                rank,
                assignments: Vec::new(),
                at_once: false,
                decided_ns: 0,
                deadline_ns: 0,
                phase: Phase::Apply,
            };
            let latency_error_ms = latency_ms.map(|_| 0.2);
            (Settlement { action, by: By::Decision(0), status, latency_ms, latency_error_ms, late: false }, iteration)
        };
        let applied = |rank, iteration, ms| one(rank, ActionStatus::Applied, Some(iteration), Some(ms));
        let text = |all: &[(Settlement, Option<u64>)]| all_settled(&job, By::Decision(0), Per::Iteration, all).text;
        let all = [applied(0, 3, 31.2), applied(1, 4, 34.3), applied(2, 4, 33.0)];
        assert_eq!(
            text(&all),
            "applied at iterations 3 to 4, ranks 0-2, 31.2 to 34.3 ms (+- 0.2 ms) after the decision"
        );
        let some =
            [applied(0, 3, 31.2), one(1, ActionStatus::Expired, None, None), one(2, ActionStatus::Expired, None, None)];
        let text = text(&some);
        assert!(
            text.starts_with("applied at iteration 3, rank 0, ") && text.contains("; ranks 1-2: expired"),
            "{text}"
        );
    }

    #[test]
    fn an_outcome_says_where_it_lies_outside_what_was_predicted() {
        let line = |measured_s, uncertainty| DecisionLine {
            per: Per::Iteration,
            per_progress: false,
            iteration: 1,
            master: None,
            tunlet: String::new(),
            tuning_point: String::new(),
            from: String::new(),
            to: String::new(),
            why: String::new(),
            predicted_s: Some(0.5),
            uncertainty,
            unchanged_s: None,
            measured_s: Some(measured_s),
            verdict: String::new(),
            applied_iteration: None,
            reason: None,
        };
        let judged = |measured_s, verdict| Judgement::new(0, measured_s, verdict);
        let text = |measured_s, uncertainty| {
            beside_prediction(&line(measured_s, uncertainty), &judged(measured_s, Verdict::Kept))
        };
        assert_eq!(text(0.54, Some(0.1)), "measured 0.540 s (predicted 0.500 s +- 10 %)");
        assert_eq!(text(0.56, Some(0.1)), "measured 0.560 s (outside the predicted 0.500 s +- 10 %)");
        assert_eq!(text(0.2, None), "measured 0.200 s (predicted 0.500 s)");
        assert_eq!(text(0.2, Some(2.0)), "measured 0.200 s (predicted 0.500 s within a factor of 3.0)");
        let left = beside_prediction(&line(0.2, Some(0.1)), &judged(0.2, Verdict::Left));
        assert_eq!(left, "left after 0.200 s (predicted 0.500 s +- 10 %)");
        let by_progress =
            beside_prediction(&DecisionLine { per_progress: true, ..line(0.2, None) }, &judged(0.2, Verdict::Tried));
        assert_eq!(by_progress, "measured 0.200 s per unit of progress (predicted 0.500 s)");
        let proposal = Proposal { predicted_s: 0.5, unchanged_s: 0.6, per_progress: true, ..Proposal::default() };
        assert_eq!(expected(&proposal), ": expected 0.600 s -> 0.500 s per unit of progress");
    }

    #[test]
    fn a_period_of_messages_alone_may_be_a_part_of_an_iteration() {
        let calls = [("MPI_Irecv".to_owned(), 1), ("MPI_Send".to_owned(), 5)].into();
        let mut found = Period {
            call: "MPI_Irecv".into(),
            every: 2,
            calls,
            seen: 99.0,
            period_s: 0.003,
            confidence: Some(0.999),
            others: BTreeMap::new(),
        };
        let text = period(&found, false);
        assert!(
            text.ends_with("may be several of them (`iteration mpi MPI_Irecv every N` in a points file)"),
            "{text}"
        );
        assert!(period(&found, true).ends_with("so every 2 calls of MPI_Irecv end an iteration"));
        assert!(text.contains("(MPI_Irecv, 5 MPI_Send, sure"), "{text}");
        found.seen = 8.0;
        assert!(period(&found, true).contains("(MPI_Irecv, about 5 MPI_Send, sure"));
    }

    #[test]
    fn a_link_on_which_bytes_cost_nothing_has_no_endless_bandwidth() {
        let text = |per_byte_s| {
            let cost = Cost { start_up_s: 5e-5, start_up_error_s: 1e-6, per_byte_s, per_byte_error_s: 0.0 };
            let measured = midrun_tunlets::LinkCost { cost, ..midrun_tunlets::LinkCost::default() };
            link(Link { same_host: true, measured })
        };
        assert!(text(8e-8).contains("and 100 Mbit/s for its bytes"), "{}", text(8e-8));
        assert!(text(0.0).ends_with("nothing measurable for its bytes"), "{}", text(0.0));
    }
}
