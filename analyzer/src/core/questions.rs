//! Questions of the admin service, and the core's answers.

use midrun_tunlets::TuningOptions;
use serde_json::json;

use super::{Closed, Core};
use crate::context::Ctx;
use crate::control::Control;
use crate::ids::{AskId, JobId};
use crate::input::{Answer, Output, Question};
use crate::job::Job;
use crate::limits;

impl Core {
    pub(super) fn on_question(&mut self, now: u64, ask: AskId, question: Question, out: &mut Vec<Output>) {
        let answer = match question {
            Question::OpenJob { job, token, options, dry_run } => self.open(now, job, token, options, dry_run, out),
            Question::Watch { job, token } => self.watch(job, &token),
            Question::GetSummary { job, token } => self.summary(now, &job, &token),
            Question::CloseJob { job, token } => match self.close(now, ask, &job, &token) {
                Some(answer) => answer,
                None => {
                    self.on_time(now, &job, out);
                    return;
                }
            },
            Question::ListJobs { token } => self.list(&token),
            Question::GetStatus { job, token } => self.status(now, &job, &token),
            Question::Follow { job, token, after } => self.follow(now, &job, &token, after),
            Question::Control { job, token, control } => match self.control(ask, &job, &token, control) {
                Some(answer) => answer,
                None => {
                    self.on_time(now, &job, out);
                    return;
                }
            },
        };
        if matches!(answer, Answer::Denied(_) | Answer::Full(_) | Answer::Invalid(_)) {
            self.stats.calls_refused += 1;
        }
        out.push(Output::Answer { ask, answer });
    }

    fn open(
        &mut self,
        now: u64,
        id: JobId,
        token: String,
        options: TuningOptions,
        dry_run: bool,
        out: &mut Vec<Output>,
    ) -> Answer {
        let options = self.config.completed(options);
        let tunlet = match self.maker.make(&options) {
            Ok(tunlet) => tunlet,
            Err(error) => return Answer::Invalid(error.to_string()),
        };
        let spec = self.spec(token, options, dry_run, true);
        let is_theirs = self.jobs.get(&id).is_none_or(|job| self.may(&spec.token, &job.spec.token));
        if let Some(job) = self.jobs.get_mut(&id) {
            if !is_theirs || !job.reopen(now, spec, tunlet) {
                return Answer::Invalid(format!("job {id} is running already: choose another name"));
            }
        } else {
            if self.jobs.len() >= limits::JOBS {
                return Answer::Full(format!("{} jobs are open, which is the limit", limits::JOBS));
            }
            self.closed.retain(|closed| closed.line.job != id);
            self.insert(Job::new(now, id.clone(), spec, tunlet, self.last_action));
        }
        if let Some(job) = self.jobs.get(&id) {
            let how = if job.spec.dry_run { ", advice only" } else { "" };
            let ctx = &mut Ctx { now, job: id.clone(), links: &self.agents, out };
            ctx.life("job-opened", format!("job {id} is open{how}"), json!({"dry_run": job.spec.dry_run}));
        }
        Answer::Opened
    }

    fn watch(&self, job: JobId, token: &str) -> Answer {
        if let Some(open) = self.jobs.get(&job) {
            return match self.denied(token, &open.spec.token, &job) {
                Some(no) => no,
                None => Answer::Watching { job, past: open.history().all(), ended: false },
            };
        }
        match self.closed_job(&job, token) {
            Ok(closed) => Answer::Watching { job, past: closed.history.all(), ended: true },
            Err(no) => no,
        }
    }

    fn summary(&self, now: u64, job: &JobId, token: &str) -> Answer {
        if let Some(open) = self.jobs.get(job) {
            let no = self.denied(token, &open.spec.token, job);
            return no.unwrap_or_else(|| Answer::Summary(open.summary(now).to_json()));
        }
        match self.closed_job(job, token) {
            Ok(closed) => Answer::Summary(closed.summary.clone()),
            Err(no) => no,
        }
    }

    // None: answered when the job is over.
    fn close(&mut self, now: u64, ask: AskId, id: &JobId, token: &str) -> Option<Answer> {
        let Some(job) = self.jobs.get(id) else {
            return Some(self.summary(now, id, token));
        };
        if let Some(no) = self.denied(token, &job.spec.token, id) {
            return Some(no);
        }
        let job = self.jobs.get_mut(id)?;
        let full = !job.on_close(now, ask);
        full.then(|| Answer::Full("too many callers wait for this job to close".into()))
    }

    fn status(&self, now: u64, id: &JobId, token: &str) -> Answer {
        match self.jobs.get(id) {
            Some(job) => {
                let no = self.denied(token, &job.spec.token, id);
                no.unwrap_or_else(|| Answer::Status(Box::new(job.status(now, None))))
            }
            None => self.closed_job(id, token).map_or_else(|no| no, |_| Answer::Unknown(format!("job {id} has ended"))),
        }
    }

    fn follow(&self, now: u64, id: &JobId, token: &str, after: u64) -> Answer {
        match self.jobs.get(id) {
            Some(job) => {
                let no = self.denied(token, &job.spec.token, id);
                no.unwrap_or_else(|| Answer::Status(Box::new(job.status(now, Some(after)))))
            }
            None => self.closed_job(id, token).map_or_else(
                |no| no,
                |closed| {
                    let mut status = closed.status.clone();
                    let seen = status["windows_seen"].as_u64().unwrap_or(0);
                    if let Some(windows) = status["windows"].as_array_mut() {
                        let new = usize::try_from(seen.saturating_sub(after)).unwrap_or(usize::MAX);
                        windows.drain(..windows.len().saturating_sub(new));
                    }
                    Answer::Status(Box::new(status))
                },
            ),
        }
    }

    // None: answered when its ranks have answered.
    fn control(&mut self, ask: AskId, id: &JobId, token: &str, control: Control) -> Option<Answer> {
        let Some(job) = self.jobs.get(id) else {
            return Some(self.status(0, id, token));
        };
        if let Some(no) = self.denied(token, &job.spec.token, id) {
            return Some(no);
        }
        let taken = self.jobs.get_mut(id)?.on_control(ask, control);
        (!taken).then(|| Answer::Full(format!("{} controls of this job wait already", limits::CONTROLS_PER_JOB)))
    }

    fn list(&self, token: &str) -> Answer {
        let open = self.jobs.values().filter(|job| self.may(token, &job.spec.token)).map(|job| job.line(false));
        let closed =
            self.closed.iter().filter(|closed| self.may(token, &closed.token)).map(|closed| closed.line.clone());
        Answer::Jobs(closed.chain(open).collect())
    }

    fn denied(&self, token: &str, of_job: &str, job: &JobId) -> Option<Answer> {
        (!self.may(token, of_job)).then(|| Answer::Denied(format!("the token is not the one of job {job}")))
    }

    fn closed_job(&self, job: &JobId, token: &str) -> Result<&Closed, Answer> {
        let found = self.closed.iter().find(|closed| closed.line.job == *job);
        let closed = found.ok_or_else(|| Answer::Unknown(format!("there is no job {job}")))?;
        self.denied(token, &closed.token, job).map_or(Ok(closed), Err)
    }
}
