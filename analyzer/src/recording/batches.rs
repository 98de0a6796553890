//! What agents reported of one job, or of some, out of all that a recording has.

use std::io::{self, Read};

use midrun_proto::v1::event::Kind;
use midrun_proto::v1::recorded::What;
use midrun_proto::v1::{self, from_agent};

use super::{End, Reader};
use crate::ids::JobId;

/// Leaves in a batch what is of jobs that `is_of` names.
pub(super) fn keep_jobs(batch: &mut v1::Batch, is_of: impl Fn(&str) -> bool) {
    let is_kept = |id: &Option<v1::RankId>| id.as_ref().is_some_and(|id| is_of(&id.job));
    batch.joined.retain(|rank| is_kept(&rank.id));
    batch.reports.retain(|report| is_kept(&report.id));
    batch.left.retain(|rank| is_kept(&rank.id));
}

/// Shows `take` what each batch has of `job`, in order, and when it came, nanoseconds. Returns what kind of end the recording has.
///
/// # Errors
/// The file cannot be read.
pub fn batches<R: Read>(mut reader: Reader<R>, job: &JobId, mut take: impl FnMut(u64, v1::Batch)) -> io::Result<End> {
    while let Some((now_ns, what)) = reader.next_frame()? {
        let What::Said(v1::LinkSaid { message: Some(message), .. }) = what else { continue };
        let Some(from_agent::Message::Batch(mut batch)) = message.message else { continue };
        keep_jobs(&mut batch, |name| name == job.as_str());
        take(now_ns, batch);
    }
    Ok(reader.end())
}

/// Each event that a batch reports, with its rank.
pub fn events(batch: v1::Batch) -> impl Iterator<Item = (u32, Kind)> {
    let reports = batch.reports.into_iter().filter_map(|report| Some((report.id?.rank, report.events)));
    reports.flat_map(|(rank, events)| events.into_iter().filter_map(move |event| Some((rank, event.kind?))))
}
