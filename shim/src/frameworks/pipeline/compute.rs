//! The stages of one item, one after the other.

use super::message::{HEADER_BYTES, Item, Out, Refused};
use super::rank::Rank;
use crate::{clock, status};
use std::ffi::c_int;

/// Why an item failed: in the header's `bytes`, which an item without payloads does not need.
pub mod failure {
    pub const RETURNED: u64 = 0;
    pub const OUTPUTS: u64 = 1;
    pub const MEMORY: u64 = 2;
}

impl Rank {
    pub(super) fn cancel(&mut self, item: Item, status: c_int) -> Item {
        let (item, buffer) = item.emptied(status);
        self.recycle(buffer);
        item
    }

    /// Runs the stages of the item's group. What comes out is for the next group, or failed and for the sink.
    pub(super) fn compute(&mut self, mut item: Item) -> Item {
        let stages = self.route(&item.header).map_or(0..0, |route| route.first..route.first + route.stages);
        self.meter.begin(clock::now_ns());
        for stage in stages {
            let mut out = Out::new(self.post.buffer());
            if let Err((status, why)) = self.run(stage, &item, &mut out) {
                let mut failed = self.cancel(item, status);
                (failed.header.stage, failed.header.bytes) = (stage as u32, why);
                return failed;
            }
            let made = out.finish(&item.header);
            let (_, used) = std::mem::replace(&mut item, made).emptied(status::OK);
            self.recycle(used);
            self.next[stage] = item.header.input + 1;
            self.meter.stage(clock::now_ns(), stage, item.header.input - self.base, item.len() - HEADER_BYTES);
        }
        item.header.route += 1;
        item
    }

    /// One stage, once per payload.
    fn run(&self, stage: usize, item: &Item, out: &mut Out) -> Result<(), (c_int, u64)> {
        let many = self.config.stages[stage].many;
        for payload in item.payloads() {
            let before = out.allow(if many { usize::MAX } else { 1 });
            let returned = self.config.run(stage, item.header.input - self.base, payload, out);
            let emitted = out.count() - before;
            match (returned, out.refused) {
                (0, Some(Refused::Memory)) => return Err((status::ERR_MEMORY, failure::MEMORY)),
                (0, None) if many || emitted == 1 => {}
                (0, _) => return Err((status::ERR_TASK, failure::OUTPUTS)),
                (status, _) => return Err((status, failure::RETURNED)),
            }
        }
        Ok(())
    }
}
