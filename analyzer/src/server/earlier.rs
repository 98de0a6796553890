//! What an analyzer before this one has left: its inputs, which the core takes in before anything is served.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use midrun_vocabulary::{Clock, Count};
use tracing::subscriber::{NoSubscriber, with_default};

use crate::core::Core;
use crate::recording::{Earlier, End, Steps};

/// Inputs that are taken in between two looks at whether the analyzer shall end.
const INPUTS: u64 = 100;
/// How often the log says how far it is.
const LINE_EACH: Duration = Duration::from_secs(5);

/// A core that goes on where an earlier one was, and a clock that is not behind that one's. Nobody is served meanwhile.
pub(super) async fn take_in(new: impl Fn(u64) -> Core, earlier: Earlier, now_ns: &Clock) -> Option<(Core, Clock)> {
    // Revisions and numbers of actions count from where they counted then.
    let (mut core, mut steps) = (new(earlier.begun.last_action), Steps::of_log(earlier));
    // It was all logged when it happened. What a defect makes of it must not keep the analyzer from starting.
    let (begun, mut next_line) = (Instant::now(), LINE_EACH);
    let taken = loop {
        let part = with_default(NoSubscriber::default(), || {
            catch_unwind(AssertUnwindSafe(|| core.take_in(&mut steps, INPUTS)))
                .unwrap_or_else(|_| Err(std::io::Error::other("midrun failed")))
        });
        match part {
            Ok(false) => tokio::task::yield_now().await,
            Ok(true) => break Ok(()),
            Err(error) => break Err(error),
        }
        if begun.elapsed() >= next_line {
            next_line = begun.elapsed() + LINE_EACH;
            let mib = steps.bytes() >> 20;
            tracing::info!(mib, "the analyzer takes in what the one before had taken in; agents and commands wait");
        }
    };
    let (end, last_ns) = steps.end();
    let why = match (taken, end) {
        (Ok(()), End::Whole | End::Cut { .. } | End::Torn { .. }) => None,
        (Ok(()), damaged @ End::Damaged { .. }) => Some(damaged.to_string()),
        (Err(error), _) => Some(error.to_string()),
    };
    if let Some(why) = why {
        tracing::warn!(why, "the inputs of the analyzer before cannot be taken in: its jobs are measured anew");
        return None;
    }
    let jobs = Count(core.open_jobs().len() as u64, "job");
    let took_s = (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0;
    tracing::info!(
        frames = steps.frames(),
        mib = steps.bytes() >> 20,
        took_s,
        "the analyzer goes on with {jobs} of the one before"
    );
    // The host, too, may have been started again.
    let (clock, behind_ns) = (now_ns.clone(), last_ns.saturating_sub(now_ns.now()));
    Some((core, Clock::new(move || clock.now().saturating_add(behind_ns))))
}
