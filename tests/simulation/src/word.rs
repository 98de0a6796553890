//! The owner's word: what was asked for and acknowledged, and what therefore must not happen to a job.

use std::collections::{BTreeMap, BTreeSet};

use midrun_scheduling::Technique;
use midrun_vocabulary::names;

use crate::job::{Job, Kind};
use crate::owner::{Ask, Reply};
use crate::rank::Came;

/// What was on its way when an answer was given has come by then, nanoseconds: longer than any message is held.
const GRACE_NS: u64 = 5_000_000_000;

/// A value that was set by hand.
#[derive(Debug)]
struct Held {
    value: f64,
    since_ns: u64,
    /// The ranks that were named as those that have it.
    ranks: BTreeSet<u64>,
}

/// See the module. Times are of the simulation, nanoseconds.
#[derive(Debug, Default)]
pub struct Word {
    /// Since when the tunlets are surely not to decide.
    quiet_ns: Option<u64>,
    /// The mode that was asked for last, with whether the answer came.
    mode: Option<(Ask, bool)>,
    /// Values that were set by hand.
    held: BTreeMap<&'static str, Held>,
    /// Every value that was ever asked for.
    asked: Vec<(&'static str, f64)>,
    /// Since when an analyzer knows the owner's options.
    opened_ns: Option<u64>,
}

impl Word {
    /// The agents of the job know the options from the start.
    pub fn known_from_the_start() -> Word {
        Word { opened_ns: Some(0), ..Word::default() }
    }

    /// Something is asked for: from now on it may be so.
    pub fn on_ask(&mut self, ask: &Ask) {
        match ask {
            Ask::Freeze | Ask::Pause => self.mode = Some((ask.clone(), false)),
            Ask::Resume => {
                (self.mode, self.quiet_ns) = (Some((Ask::Resume, false)), None);
                self.held.clear();
            }
            Ask::Set { point, value, .. } => {
                self.held.remove(point);
                self.asked.push((point, *value));
            }
            Ask::Status | Ask::Close => {}
        }
        if *ask == Ask::Pause {
            // Values go back to those at start.
            self.held.clear();
        }
    }

    /// An answer came.
    pub fn on_reply(&mut self, now_ns: u64, ask: &Ask, reply: &Reply, is_dry_run: bool) {
        let Reply::Done(line) = reply else { return };
        match ask {
            Ask::Freeze | Ask::Pause => {
                self.mode = Some((ask.clone(), true));
                self.quiet_ns.get_or_insert(now_ns);
            }
            Ask::Resume => self.mode = Some((Ask::Resume, true)),
            Ask::Set { point, value, .. } => {
                let changes = reply_changes(line);
                let ranks =
                    changes.filter(|change| change["applied"] == true).filter_map(|change| change["rank"].as_u64());
                self.held.insert(point, Held { value: *value, since_ns: now_ns, ranks: ranks.collect() });
            }
            Ask::Status if line["dry_run"] == is_dry_run => {
                self.opened_ns.get_or_insert(now_ns);
            }
            Ask::Status | Ask::Close => {}
        }
    }

    /// An action came to a rank. Returns why it must not.
    pub fn objection(&self, job: &Job, rank: u32, came: &Came) -> Option<String> {
        let is_owners = |(name, value): &(&str, f64)| self.asked.iter().any(|(n, v)| n == name && v == value);
        let back = |(name, value): &(&str, f64)| {
            let starts = |point: &crate::rank::Point| point.name == *name && point.start == *value;
            job.ranks.iter().any(|rank| rank.points.iter().any(starts))
        };
        let since = |ns: u64| came.at_ns > ns + GRACE_NS;
        let what = || format!("action {} ({:?}) came to job {}", came.action, came.values, job.name);
        if came.values.is_empty() {
            return None;
        }
        let is_back = matches!(self.mode, Some((Ask::Pause, _))) && came.values.iter().all(back);
        if self.opened_ns.is_some_and(|ns| ns == 0 || since(ns))
            && !is_back
            && let Some(why) = against_options(job, came)
        {
            return Some(format!("{}, {why}", what()));
        }
        if self.quiet_ns.is_some_and(since) && !is_back && !came.values.iter().all(is_owners) {
            return Some(format!("{}, whose tunlets decide nothing: {:?}", what(), self.mode));
        }
        for (name, value) in &came.values {
            if let Some(held) = self.held.get(name)
                && *value != held.value
                && held.ranks.contains(&u64::from(rank))
                && since(held.since_ns)
            {
                return Some(format!("{}, where {name} = {} was set by hand", what(), held.value));
            }
        }
        None
    }

    /// What the job's state must show. Returns what is missing.
    pub fn missing(&self, job: &Job, status: &serde_json::Value) -> Option<String> {
        let mode = match &self.mode {
            Some((Ask::Freeze, true)) => "frozen",
            Some((Ask::Pause, true)) => "paused",
            Some((_, false)) => return None,
            _ => "tuned",
        };
        if status["mode"] != mode {
            return Some(format!("the mode is {}, and {mode} was acknowledged", status["mode"]));
        }
        if status["dry_run"] != job.request.dry_run {
            return Some(format!("dry_run is {}", status["dry_run"]));
        }
        for (name, Held { value, ranks, .. }) in &self.held {
            for rank in job.living().filter(|rank| ranks.contains(&u64::from(rank.number))) {
                if rank.value(name) != Some(*value) {
                    let found = rank.value(name);
                    return Some(format!("{name} of rank {} is {found:?}, and {value} was acknowledged", rank.number));
                }
            }
            let points = status["tuning_points"].as_array().into_iter().flatten();
            if !points.clone().any(|point| point["name"] == *name && point["held"] == true) {
                return Some(format!("nobody knows any more that {name} was set by hand"));
            }
        }
        None
    }
}

fn reply_changes(line: &serde_json::Value) -> impl Iterator<Item = &serde_json::Value> {
    line["changes"].as_array().into_iter().flatten()
}

/// Why an action is against the options with which the job was opened.
fn against_options(job: &Job, came: &Came) -> Option<String> {
    if job.request.dry_run {
        return Some("which is a dry run".into());
    }
    if job.kind != Kind::MasterWorker {
        return None;
    }
    let value = |name: &str| came.values.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    let technique = Technique::parse(&job.request.technique).map(|technique| f64::from(technique.code()));
    if let (Some(wanted), Some(found)) = (technique, value(names::TECHNIQUE))
        && wanted != found
    {
        return Some(format!("whose owner asked for technique {wanted}"));
    }
    let most = f64::from(job.request.max_workers);
    (most > 0.0 && value(names::WORKERS).is_some_and(|workers| workers > most))
        .then(|| format!("whose owner allows {most} workers"))
}
