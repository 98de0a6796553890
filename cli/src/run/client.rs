//! Asks an analyzer: open the job, watch it, close it.

use std::time::Duration;

use midrun_proto::v1::admin_client::AdminClient;
use midrun_proto::v1::{CloseJobRequest, OpenJobRequest, WatchRequest};
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

use crate::logging::LogForm;
use crate::usage::{say, say_raw, usage};

/// An analyzer must answer to opening within this time.
const OPEN_DEADLINE: Duration = Duration::from_secs(3);
/// Largest summary accepted, bytes.
const SUMMARY_BYTES: usize = 256 << 20;

/// A job at an analyzer.
#[derive(Clone)]
pub struct Client {
    admin: AdminClient<Channel>,
    job: String,
    token: String,
}

impl Client {
    /// Connects and opens the job. None: the analyzer cannot be reached, so the job goes on untuned.
    ///
    /// # Errors
    /// The analyzer refuses the request as it stands.
    pub async fn open(url: &str, request: OpenJobRequest) -> anyhow::Result<Option<Client>> {
        let endpoint = match Endpoint::from_shared(url.to_owned()) {
            Ok(endpoint) => endpoint.connect_timeout(OPEN_DEADLINE),
            Err(_) => return usage(format!("{url} is not the URL of an analyzer, such as http://node1:7741")),
        };
        let (job, token) = (request.job.clone(), request.token.clone());
        let opened = tokio::time::timeout(OPEN_DEADLINE, async {
            let channel = endpoint.connect().await.map_err(|error| tonic::Status::unavailable(error.to_string()))?;
            let mut admin = AdminClient::new(channel).max_decoding_message_size(SUMMARY_BYTES);
            admin.open_job(request).await?;
            Ok::<_, tonic::Status>(admin)
        });
        let refused = |code| {
            matches!(code, Code::InvalidArgument | Code::Unauthenticated | Code::PermissionDenied | Code::AlreadyExists)
        };
        match opened.await {
            Ok(Ok(admin)) => Ok(Some(Client { admin, job, token })),
            Ok(Err(status)) if refused(status.code()) => {
                usage(format!("the analyzer at {url} refuses: {}", status.message()))
            }
            Ok(Err(status)) => {
                say(format!(
                    "the analyzer at {url} does not answer ({}), so the job goes on untuned",
                    status.message()
                ));
                Ok(None)
            }
            Err(_) => {
                say(format!("the analyzer at {url} does not answer, so the job goes on untuned"));
                Ok(None)
            }
        }
    }

    /// Prints what the analyzer tells about the job until the job is closed.
    pub async fn watch(mut self, form: LogForm) {
        let request = WatchRequest { job: self.job, token: self.token };
        let Ok(answer) = self.admin.watch(request).await else {
            return;
        };
        let mut notices = answer.into_inner();
        while let Ok(Some(notice)) = notices.message().await {
            match form {
                LogForm::Text => say(notice.text),
                LogForm::Json => say_raw(&notice.json),
            }
        }
    }

    /// Closes the job.
    ///
    /// # Errors
    /// The analyzer did not answer within `deadline`.
    pub async fn close(mut self, deadline: Duration) -> anyhow::Result<String> {
        let request = CloseJobRequest { job: self.job, token: self.token };
        let answer = tokio::time::timeout(deadline, self.admin.close_job(request)).await;
        match answer {
            Ok(Ok(reply)) => Ok(reply.into_inner().json),
            Ok(Err(status)) => anyhow::bail!("the analyzer gave no summary: {}", status.message()),
            Err(_) => anyhow::bail!("the analyzer gave no summary within {deadline:?}"),
        }
    }
}
