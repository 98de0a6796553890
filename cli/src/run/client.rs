//! The client of the analyzer: opens a job, prints its notices, closes it. It connects again whenever the analyzer was away.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use midrun_analyzer::limits::NOTICES;
use midrun_proto::tls::{self, Credentials};
use midrun_proto::token::ShowToken;
use midrun_proto::v1::admin_client::AdminClient;
use midrun_proto::v1::{CloseJobRequest, FollowRequest, Notice, OpenJobRequest, WatchRequest};
use midrun_vocabulary::names::SURVIVORS_ENDED;
use serde_json::{Value, json};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use super::console::Console;
use crate::usage::{Usage, say, usage};

/// One attempt to reach an analyzer may take this long; an analyzer silent for so long counts as away. The job's start waits as
/// long, to report a refusal before; afterwards opening goes on beside the job.
const PATIENCE: Duration = Duration::from_secs(1);
/// The one chance of an analyzer that is away when the job ends.
const LAST_CHANCE: Duration = Duration::from_millis(250);
/// Pause before a lost analyzer is asked again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// Largest summary accepted, bytes.
const SUMMARY_BYTES: usize = 256 << 20;

/// The connection to the analyzer of one job.
#[derive(Clone)]
pub struct Client {
    admin: AdminClient<InterceptedService<Channel, ShowToken>>,
    url: String,
    request: OpenJobRequest,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// The analyzer answered the last time it was asked.
    answers: AtomicBool,
    /// The launcher has ended: the job is not opened again.
    job_ended: AtomicBool,
    /// All ranks have ended but those of lost hosts.
    survivors_ended: AtomicBool,
}

impl Client {
    /// Opens the job; `token` is the analyzer's. An analyzer that does not answer at once is asked again by [`Client::watch`], while the job runs untuned.
    ///
    /// # Errors
    /// The analyzer refuses the request.
    pub async fn open(
        url: &str,
        token: &str,
        credentials: Option<&Credentials>,
        request: OpenJobRequest,
    ) -> anyhow::Result<Client> {
        let endpoint = patient(tls::endpoint(url, credentials).map_err(Usage)?);
        Client::open_over(endpoint.connect_lazy(), url, (token, credentials), request).await
    }

    /// As [`Client::open`], over a channel that is given.
    ///
    /// # Errors
    /// As of [`Client::open`].
    pub async fn open_over(
        channel: Channel,
        url: &str,
        (token, credentials): (&str, Option<&Credentials>),
        request: OpenJobRequest,
    ) -> anyhow::Result<Client> {
        let admin =
            AdminClient::with_interceptor(channel, ShowToken::new(token)).max_decoding_message_size(SUMMARY_BYTES);
        let mut client = Client { admin, url: url.to_owned(), request, state: Arc::default() };
        let untuned = "so the job runs untuned until it does";
        match tokio::time::timeout(PATIENCE, client.open_once()).await {
            Ok(Ok(())) => {}
            Ok(Err(status)) if is_refusal(&status) => {
                return usage(format!("the analyzer at {url} refuses: {}", status.message()));
            }
            Ok(Err(status)) => match tls::refusal(&status).or_else(|| tls::refused_by(url, credentials?, PATIENCE)) {
                Some(why) => say(format!("{url}: {why}, {untuned}")),
                None => say(format!("the analyzer at {url} does not answer ({}), {untuned}", reason(&status))),
            },
            Err(_) => say(format!("the analyzer at {url} does not answer, {untuned}")),
        }
        Ok(client)
    }

    async fn open_once(&mut self) -> Result<(), Status> {
        let opened = self.admin.open_job(self.request.clone()).await;
        self.state.answers.store(opened.is_ok(), Ordering::Relaxed);
        opened.map(drop)
    }

    /// Prints the analyzer's notices until the job is closed. If the analyzer is lost, or was never reached, opens the job again.
    pub async fn watch(mut self, console: Arc<Console>) {
        let mut printed = Printed::default();
        let mut refusal = None;
        let mut is_away = !self.state.answers.load(Ordering::Relaxed);
        loop {
            if self.state.answers.load(Ordering::Relaxed) {
                self.watch_once(&console, &mut printed).await;
            }
            if self.state.job_ended.load(Ordering::Relaxed) {
                return;
            }
            tokio::time::sleep(RETRY_PAUSE).await;
            if self.state.job_ended.load(Ordering::Relaxed) {
                return;
            }
            match tokio::time::timeout(PATIENCE, self.open_once()).await {
                Ok(Ok(())) => {
                    self.tell(&console, &mut is_away, false);
                }
                Ok(Err(status)) if is_refusal(&status) && refusal.as_deref() != Some(status.message()) => {
                    say(format!("the analyzer refuses: {}", status.message()));
                    refusal = Some(status.message().to_owned());
                }
                Ok(Err(_)) => self.tell(&console, &mut is_away, true),
                Err(_) => {
                    self.state.answers.store(false, Ordering::Relaxed);
                    self.tell(&console, &mut is_away, true);
                }
            }
        }
    }

    /// Says that the analyzer has gone away, or is back, where that is new.
    fn tell(&self, console: &Console, was_away: &mut bool, is_away: bool) {
        if std::mem::replace(was_away, is_away) == is_away || self.state.job_ended.load(Ordering::Relaxed) {
            return;
        }
        let url = &self.url;
        let (event, text) = if is_away {
            let text =
                format!("the analyzer at {url} does not answer any more, so the job goes on untuned until it does");
            ("analyzer-away", text)
        } else {
            ("analyzer-back", format!("the analyzer at {url} answers again"))
        };
        console.notice(&Notice { text, json: json!({"event": event, "url": url}).to_string() });
    }

    /// Keeps the status line up until the job is closed. A lost analyzer is asked again, as long as it answers [`Client::watch`].
    pub async fn follow(mut self, console: Arc<Console>) {
        while !self.state.job_ended.load(Ordering::Relaxed) {
            let request = FollowRequest { job: self.request.job.clone(), token: self.request.token.clone() };
            if let Ok(answer) = self.admin.follow(request).await {
                let (mut updates, mut status) = (answer.into_inner(), serde_json::Value::Null);
                while let Ok(Some(update)) = updates.message().await {
                    let patch = serde_json::from_str(&update.json).unwrap_or_default();
                    midrun_analyzer::status::merge(&mut status, patch, 1);
                    console.status(&status);
                }
            }
            tokio::time::sleep(PATIENCE).await;
        }
    }

    /// Prints notices until the stream ends, except those that were printed.
    async fn watch_once(&mut self, console: &Console, printed: &mut Printed) {
        let request = WatchRequest { job: self.request.job.clone(), token: self.request.token.clone() };
        let Ok(answer) = self.admin.watch(request).await else {
            self.state.answers.store(false, Ordering::Relaxed);
            return;
        };
        let mut notices = answer.into_inner();
        let mut at = 0;
        loop {
            match notices.message().await {
                Ok(Some(notice)) => {
                    if event(&notice) == SURVIVORS_ENDED {
                        self.state.survivors_ended.store(true, Ordering::Relaxed);
                    }
                    if printed.is_new(at, &notice) {
                        console.notice(&notice);
                    }
                    at += 1;
                }
                Ok(None) => break,
                Err(_) => {
                    self.state.answers.store(false, Ordering::Relaxed);
                    break;
                }
            }
        }
    }

    /// Whether the launcher has nothing to wait for but hosts that are lost.
    pub fn survivors_ended(&self) -> bool {
        self.state.survivors_ended.load(Ordering::Relaxed)
    }

    /// Closes the job and returns its summary as JSON. An analyzer that is away already is given one chance only.
    ///
    /// # Errors
    /// The analyzer did not answer within `deadline`.
    pub async fn close(mut self, deadline: Duration) -> anyhow::Result<String> {
        self.state.job_ended.store(true, Ordering::Relaxed);
        let deadline = if self.state.answers.load(Ordering::Relaxed) { deadline } else { LAST_CHANCE };
        let request = CloseJobRequest { job: self.request.job.clone(), token: self.request.token.clone() };
        let answer = tokio::time::timeout(deadline, self.admin.close_job(request)).await;
        match answer {
            Ok(Ok(reply)) => Ok(reply.into_inner().json),
            Ok(Err(status)) => anyhow::bail!("the analyzer gave no summary: {}", reason(&status)),
            Err(_) => anyhow::bail!("the analyzer gave no summary within {deadline:?}"),
        }
    }
}

/// The notices that were printed, in the order of their stream. Each stream of an analyzer begins with the job's first one. The analyzer
/// to which a connection was lost has the same again; another one tells another story, from the first notice that differs on. What comes
/// behind as many as an analyzer remembers comes once.
#[derive(Default)]
struct Printed(Vec<u64>);

impl Printed {
    /// Whether the notice at this place of its stream has not been printed; then it is taken for printed.
    fn is_new(&mut self, at: usize, notice: &Notice) -> bool {
        if at >= NOTICES {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        (&notice.text, &notice.json).hash(&mut hasher);
        let hash = hasher.finish();
        if self.0.get(at) == Some(&hash) {
            return false;
        }
        self.0.truncate(at);
        self.0.push(hash);
        true
    }
}

/// After a partition a connection can stay dead without an end: unanswered pings end it, and the next call makes a new one.
pub fn patient(endpoint: Endpoint) -> Endpoint {
    endpoint
        .connect_timeout(PATIENCE)
        .http2_keep_alive_interval(PATIENCE)
        .keep_alive_timeout(PATIENCE)
        .keep_alive_while_idle(true)
}

/// What happened, as programs read it.
fn event(notice: &Notice) -> String {
    let json: Value = serde_json::from_str(&notice.json).unwrap_or_default();
    json["event"].as_str().unwrap_or_default().to_owned()
}

fn is_refusal(status: &Status) -> bool {
    let code = status.code();
    matches!(code, Code::InvalidArgument | Code::Unauthenticated | Code::PermissionDenied | Code::AlreadyExists)
}

fn reason(status: &Status) -> String {
    status.source().map_or_else(|| status.message().to_owned(), tls::cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_analyzer_that_is_found_again_repeats_nothing_and_another_one_is_heard_from_where_it_differs() {
        let mut printed = Printed::default();
        let mut stream = |texts: &[&str]| -> Vec<String> {
            let notices = texts.iter().map(|text| Notice { text: (*text).to_owned(), json: String::new() });
            let new = notices.enumerate().filter(|(at, notice)| printed.is_new(*at, notice));
            new.map(|(_, notice)| notice.text).collect()
        };
        assert_eq!(stream(&["open", "a", "b"]), ["open", "a", "b"]);
        assert_eq!(stream(&["open", "a", "b", "open", "c"]), ["open", "c"]);
        // The connection is lost before all has come again.
        assert_eq!(stream(&["open", "a"]), [""; 0]);
        assert_eq!(stream(&["open", "a", "b", "open", "c", "d"]), ["d"]);
        assert_eq!(stream(&["open", "b"]), ["b"]);
        assert_eq!(stream(&["open", "b", "d"]), ["d"]);
    }

    #[test]
    fn of_notices_without_an_end_a_bounded_number_is_remembered() {
        let mut printed = Printed::default();
        let notice = |at: usize| Notice { text: at.to_string(), json: String::new() };
        assert!((0..4 * NOTICES).all(|at| printed.is_new(at, &notice(at))));
        assert!((0..NOTICES).all(|at| !printed.is_new(at, &notice(at))), "an analyzer that is found again");
        assert_eq!(printed.0.len(), NOTICES);
    }
}
