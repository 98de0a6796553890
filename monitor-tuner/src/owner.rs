//! Copies of what the owners of this node's jobs have set. The agent does not act on them: it shows them to every analyzer that it
//! links to.

use midrun_proto::v1::OwnerSettings;
use std::collections::{BTreeMap, BTreeSet};

/// The newest copy of each job.
#[derive(Debug, Default)]
pub struct Owners {
    copies: BTreeMap<String, OwnerSettings>,
    /// The job that this agent was started for: its copy stays, also between two of its programs.
    own: Option<String>,
}

impl Owners {
    /// With what the owner of this agent's job has set at its start.
    pub fn new(own: Option<OwnerSettings>) -> Self {
        let job = own.as_ref().map(|settings| settings.job.clone());
        Owners { copies: own.into_iter().map(|settings| (settings.job.clone(), settings)).collect(), own: job }
    }

    /// Keeps a newer copy, if `attached` says that the job has ranks here. An analyzer that does not know the job's options does not
    /// take them away.
    pub fn keep(&mut self, mut settings: OwnerSettings, attached: bool) {
        let known = self.copies.get(&settings.job);
        if !attached && known.is_none() {
            return;
        }
        settings.options = settings.options.or_else(|| known.and_then(|known| known.options.clone()));
        self.copies.insert(settings.job.clone(), settings);
    }

    /// Forgets the jobs without ranks here; `attached` are those that have some.
    pub fn retain(&mut self, attached: &BTreeSet<&str>) {
        let own = self.own.as_deref();
        self.copies.retain(|job, _| own == Some(job) || attached.contains(job.as_str()));
    }

    /// All copies.
    pub fn all(&self) -> Vec<OwnerSettings> {
        self.copies.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midrun_proto::v1::OpenJobRequest;

    fn settings(job: &str, version: u64, options: Option<OpenJobRequest>) -> OwnerSettings {
        OwnerSettings { job: job.into(), version, options, ..OwnerSettings::default() }
    }

    #[test]
    fn copies_of_jobs_with_ranks_are_kept_and_options_once_known_stay() {
        let dry_run = Some(OpenJobRequest { dry_run: true, ..OpenJobRequest::default() });
        let mut owners = Owners::new(Some(settings("own", 0, dry_run.clone())));
        owners.keep(settings("own", 3, None), false);
        owners.keep(settings("other", 1, None), true);
        owners.keep(settings("strange", 1, None), false);
        assert_eq!(owners.all(), [settings("other", 1, None), settings("own", 3, dry_run.clone())]);
        owners.retain(&BTreeSet::new());
        assert_eq!(owners.all(), [settings("own", 3, dry_run)]);
    }
}
