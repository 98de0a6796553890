//! Asks a running analyzer for a job's summary so far.

use std::time::Duration;

use anyhow::Context;
use midrun_proto::v1::SummaryRequest;
use midrun_proto::v1::admin_client::AdminClient;
use tonic::transport::Endpoint;

use crate::usage::{Usage, usage};

/// An analyzer must answer within this time.
const DEADLINE: Duration = Duration::from_secs(5);
/// Largest summary accepted, bytes.
const SUMMARY_BYTES: usize = 256 << 20;

/// The summary of `job`.
///
/// # Errors
/// The analyzer does not answer, or has no such job.
pub fn summary(job: &str, args: &super::Args) -> anyhow::Result<serde_json::Value> {
    let url = args.analyzer.clone().unwrap_or_default();
    let token = args.token_file.as_deref().map(crate::analyzer::read_token).transpose()?.unwrap_or_default();
    let Ok(endpoint) = Endpoint::from_shared(url.clone()) else {
        return usage(format!("{url} is not the URL of an analyzer, such as http://node1:7741"));
    };
    let request = SummaryRequest { job: job.to_owned(), token };
    let asked = async {
        let channel = endpoint.connect_timeout(DEADLINE).connect().await.map_err(|error| error.to_string())?;
        let mut admin = AdminClient::new(channel).max_decoding_message_size(SUMMARY_BYTES);
        let answer = tokio::time::timeout(DEADLINE, admin.get_summary(request)).await;
        let answer = answer.map_err(|_| "no answer came".to_owned())?;
        Ok::<String, String>(answer.map_err(|status| status.message().to_owned())?.into_inner().json)
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start threads")?;
    let json = runtime.block_on(asked).map_err(|why| Usage(format!("the analyzer at {url}: {why}")))?;
    Ok(serde_json::from_str(&json)?)
}
