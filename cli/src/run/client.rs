//! The client of the analyzer: opens a job, prints its notices, closes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use midrun_proto::v1::admin_client::AdminClient;
use midrun_proto::v1::{CloseJobRequest, OpenJobRequest, WatchRequest};
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

use crate::logging::LogForm;
use crate::usage::{say, say_raw, usage};

/// An analyzer must open the job within this time.
const OPEN_DEADLINE: Duration = Duration::from_secs(3);
/// Pause before a lost analyzer is asked again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// Largest summary accepted, bytes.
const SUMMARY_BYTES: usize = 256 << 20;

/// The connection to the analyzer of one job.
#[derive(Clone)]
pub struct Client {
    admin: AdminClient<Channel>,
    request: OpenJobRequest,
    /// The launcher has ended: the job is not opened again.
    job_ended: Arc<AtomicBool>,
}

impl Client {
    /// Connects and opens the job. Returns `None` if the analyzer cannot be reached: the job then runs untuned.
    ///
    /// # Errors
    /// The analyzer refuses the request.
    pub async fn open(url: &str, request: OpenJobRequest) -> anyhow::Result<Option<Client>> {
        let endpoint = match Endpoint::from_shared(url.to_owned()) {
            Ok(endpoint) => endpoint.connect_timeout(OPEN_DEADLINE),
            Err(_) => return usage(format!("{url} is not the URL of an analyzer, such as http://node1:7741")),
        };
        let asked = request.clone();
        let opened = tokio::time::timeout(OPEN_DEADLINE, async {
            let channel = endpoint.connect().await.map_err(|error| tonic::Status::unavailable(error.to_string()))?;
            let mut admin = AdminClient::new(channel).max_decoding_message_size(SUMMARY_BYTES);
            admin.open_job(asked).await?;
            Ok::<_, tonic::Status>(admin)
        });
        let refused = |code| {
            matches!(code, Code::InvalidArgument | Code::Unauthenticated | Code::PermissionDenied | Code::AlreadyExists)
        };
        match opened.await {
            Ok(Ok(admin)) => Ok(Some(Client { admin, request, job_ended: Arc::default() })),
            Ok(Err(status)) if refused(status.code()) => {
                usage(format!("the analyzer at {url} refuses: {}", status.message()))
            }
            Ok(Err(status)) => {
                say(format!("the analyzer at {url} does not answer ({}), so the job runs untuned", status.message()));
                Ok(None)
            }
            Err(_) => {
                say(format!("the analyzer at {url} does not answer, so the job runs untuned"));
                Ok(None)
            }
        }
    }

    /// Prints the analyzer's notices until the job is closed. If the analyzer is lost, opens the job again at its successor,
    /// which must know the requested options, `--dry-run` above all.
    pub async fn watch(mut self, form: LogForm) {
        let mut printed = 0;
        loop {
            printed = self.watch_once(form, printed).await;
            if self.job_ended.load(Ordering::Relaxed) {
                return;
            }
            tokio::time::sleep(RETRY_PAUSE).await;
            if !self.job_ended.load(Ordering::Relaxed) && self.admin.open_job(self.request.clone()).await.is_ok() {
                printed = 0;
            }
        }
    }

    /// Prints notices until the stream ends, except the first `printed` ones. Returns the number printed in all.
    async fn watch_once(&mut self, form: LogForm, printed: usize) -> usize {
        let request = WatchRequest { job: self.request.job.clone(), token: self.request.token.clone() };
        let Ok(answer) = self.admin.watch(request).await else { return printed };
        let mut notices = answer.into_inner();
        let mut count = 0;
        while let Ok(Some(notice)) = notices.message().await {
            count += 1;
            match form {
                _ if count <= printed => {}
                LogForm::Text => say(notice.text),
                LogForm::Json => say_raw(&notice.json),
            }
        }
        count.max(printed)
    }

    /// Closes the job and returns its summary as JSON.
    ///
    /// # Errors
    /// The analyzer did not answer within `deadline`.
    pub async fn close(mut self, deadline: Duration) -> anyhow::Result<String> {
        self.job_ended.store(true, Ordering::Relaxed);
        let request = CloseJobRequest { job: self.request.job, token: self.request.token };
        let answer = tokio::time::timeout(deadline, self.admin.close_job(request)).await;
        match answer {
            Ok(Ok(reply)) => Ok(reply.into_inner().json),
            Ok(Err(status)) => anyhow::bail!("the analyzer gave no summary: {}", status.message()),
            Err(_) => anyhow::bail!("the analyzer gave no summary within {deadline:?}"),
        }
    }
}
