//! The shared memory of one rank: made by the rank, opened and checked by its agent.

use crate::atomic::{HEAD, Mapped, Mapping, TAIL, sealed_bytes};
use crate::counters::{PAGE_WORDS, PAGES, Page};
use crate::layout::{
    COMMAND_RING, COMMAND_WORDS, COMMANDS, FIRST_LANE, LAYOUT_VERSION, MAGIC, MAX_LANES, MAX_RECORDS, RECORD_WORDS,
    TUNING_POINT_WORDS, TUNING_POINTS, TuningPointKind, TuningPointSlot, first_counter, header, lane_words,
    segment_bytes, text_to_words, words_to_text,
};
use crate::{CommandConsumer, CommandProducer, Consumer, Producer, ring};
use midrun_vocabulary::bounds::NAME_BYTES;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Why a segment could not be made or was refused.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// The system did not give the memory.
    #[error("shared memory: {0}")]
    System(#[from] std::io::Error),
    /// Somebody sent memory that is no segment of this layout, or a hostile one.
    #[error("the segment is refused: {0}")]
    Refused(&'static str),
}

/// The rank that made a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Ranks of `MPI_COMM_WORLD`.
    pub world_size: u32,
    /// Process id.
    pub pid: u32,
    /// Id of the job, at most 63 bytes (longer is cut).
    pub job: String,
    /// Number of its launch, as [`midrun_vocabulary::launch`] compares it; at most 63 bytes (longer is cut). Empty: unknown.
    pub launch: String,
    /// The MPI library as it names itself, at most 63 bytes (longer is cut).
    pub mpi: String,
    /// Time at which the rank started, CLOCK_MONOTONIC nanoseconds.
    pub start_ns: u64,
}

/// Counts of a rank's records so far, over all lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Records written or dropped.
    pub produced: u64,
    /// Records taken by an agent.
    pub collected: u64,
    /// Records dropped because a lane was full.
    pub dropped: u64,
}

/// Shared memory between one rank and its agent.
#[derive(Clone, Debug)]
pub struct Segment {
    mapping: Arc<Mapping>,
    lanes: u32,
    records: u64,
    identity: Identity,
}

impl Segment {
    /// Makes a sealed memfd with `lanes` lanes of `records_per_lane` records (a power of two), maps it, and returns
    /// it with the descriptor to be sent to the agent. Pages are taken from the system when first written.
    ///
    /// # Errors
    /// The system's; or [`SegmentError::Refused`] for numbers outside the layout's limits.
    pub fn create(identity: &Identity, lanes: u32, records_per_lane: u32) -> Result<(Segment, OwnedFd), SegmentError> {
        let (lane_count, records) = (u64::from(lanes), u64::from(records_per_lane));
        check_sizes(lane_count, records)?;
        let bytes = segment_bytes(lane_count, records);
        let (mapping, fd) = Mapping::create(c"midrun", bytes)?;
        let put = |at: usize, value: u64| mapping.word(at).store(value, Relaxed);
        put(header::MAGIC, MAGIC);
        put(header::LANES, lane_count);
        put(header::RECORDS, records);
        put(header::RANK, u64::from(identity.rank));
        put(header::WORLD_SIZE, u64::from(identity.world_size));
        put(header::PID, u64::from(identity.pid));
        put(header::START_NS, identity.start_ns);
        for (at, text) in
            [(header::JOB, &identity.job), (header::MPI, &identity.mpi), (header::LAUNCH, &identity.launch)]
        {
            for (i, word) in text_to_words::<8>(text).into_iter().enumerate() {
                put(at + i, word);
            }
        }
        // Written last: a segment without a version is not there yet.
        mapping.word(header::VERSION).store(LAYOUT_VERSION, Release); // SYNC V: pairs with open's load
        let segment = Segment { mapping: Arc::new(mapping), lanes, records, identity: identity.clone() };
        Ok((segment, fd))
    }

    /// Maps a segment that a rank sent, after checking its seals, size, version and every number in its header.
    ///
    /// # Errors
    /// [`SegmentError::Refused`] with the reason when it is not what [`Segment::create`] makes.
    pub fn open(fd: OwnedFd) -> Result<Segment, SegmentError> {
        let bytes = sealed_bytes(&fd)?.ok_or(SegmentError::Refused("it is not sealed memory of ordinary pages"))?;
        let most = segment_bytes(u64::from(MAX_LANES), u64::from(MAX_RECORDS)) as u64;
        if bytes < 8 * FIRST_LANE as u64 || bytes > most || bytes % 8 != 0 {
            return Err(SegmentError::Refused("its size is none that a segment has"));
        }
        let mapping = Mapping::new(fd.as_fd(), bytes as usize)?;
        let get = |at: usize| mapping.word(at).load(Relaxed);
        // SYNC V: pairs with create's store
        if mapping.word(header::VERSION).load(Acquire) != LAYOUT_VERSION || get(header::MAGIC) != MAGIC {
            return Err(SegmentError::Refused("its layout is of another version of midrun"));
        }
        let (lanes, records) = (get(header::LANES), get(header::RECORDS));
        check_sizes(lanes, records)?;
        if segment_bytes(lanes, records) as u64 != bytes {
            return Err(SegmentError::Refused("its size does not fit its lanes"));
        }
        let number = |at: usize, what| u32::try_from(get(at)).map_err(|_| SegmentError::Refused(what));
        let text = |at: usize, what| {
            words_to_text(&std::array::from_fn::<u64, 8, _>(|i| get(at + i))).ok_or(SegmentError::Refused(what))
        };
        let identity = Identity {
            rank: number(header::RANK, "its rank is no rank")?,
            world_size: number(header::WORLD_SIZE, "its world size is no number of ranks")?,
            pid: number(header::PID, "its process id is none")?,
            job: text(header::JOB, "its job id is not text")?,
            launch: text(header::LAUNCH, "its launch is not text")?,
            mpi: text(header::MPI, "its MPI's name is not text")?,
            start_ns: get(header::START_NS),
        };
        if identity.rank >= identity.world_size {
            return Err(SegmentError::Refused("its rank is outside its world"));
        }
        Ok(Segment { mapping: Arc::new(mapping), lanes: lanes as u32, records, identity })
    }

    /// The rank that made it.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Number of lanes: rings of one thread each.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    fn lane(&self, lane: u32) -> Mapped {
        assert!(lane < self.lanes, "lane {lane} of {}", self.lanes);
        let control = FIRST_LANE + lane as usize * lane_words(self.records);
        Mapped::new(self.mapping.clone(), control, self.records, RECORD_WORDS)
    }

    fn command_ring(&self) -> Mapped {
        Mapped::new(self.mapping.clone(), COMMAND_RING, COMMANDS, COMMAND_WORDS)
    }

    /// The writing end of a lane; at most one may be in use.
    ///
    /// # Panics
    /// When there is no such lane.
    pub fn producer(&self, lane: u32) -> Producer {
        ring::Producer::resume(self.lane(lane))
    }

    /// The reading end of a lane, where the last reader stopped; at most one may be in use.
    ///
    /// # Panics
    /// When there is no such lane.
    pub fn consumer(&self, lane: u32) -> Consumer {
        ring::Consumer::resume(self.lane(lane))
    }

    /// The writing end of the command ring; at most one may be in use.
    pub fn command_producer(&self) -> CommandProducer {
        ring::Producer::resume(self.command_ring())
    }

    /// The reading end of the command ring; at most one may be in use.
    pub fn command_consumer(&self) -> CommandConsumer {
        ring::Consumer::resume(self.command_ring())
    }

    /// Enters a tuning point into the table and returns its number; `None` when the table is full or the name too long.
    /// Only the rank calls this, from one thread at a time.
    pub fn declare_tuning_point(&self, tuning_point: &TuningPointSlot) -> Option<u32> {
        let count = self.mapping.word(header::TUNING_POINT_COUNT).load(Relaxed);
        if count >= TUNING_POINTS as u64 || tuning_point.name.len() > NAME_BYTES || tuning_point.name.is_empty() {
            return None;
        }
        let at = header::TUNING_POINT_TABLE + count as usize * TUNING_POINT_WORDS;
        let numbers =
            [tuning_point.minimum, tuning_point.maximum, tuning_point.declared, tuning_point.value].map(f64::to_bits);
        let words = text_to_words::<4>(&tuning_point.name).into_iter().chain([tuning_point.kind as u64]).chain(numbers);
        for (i, word) in words.enumerate() {
            self.mapping.word(at + i).store(word, Relaxed);
        }
        self.mapping.word(header::TUNING_POINT_COUNT).store(count + 1, Release); // SYNC K: pairs with tuning_point_count
        Some(count as u32)
    }

    /// Writes a tuning point's present value, for the agent to see.
    pub fn set_tuning_point_value(&self, tuning_point: u32, value: f64) {
        if (tuning_point as usize) < TUNING_POINTS {
            let at = header::TUNING_POINT_TABLE + tuning_point as usize * TUNING_POINT_WORDS + 8;
            self.mapping.word(at).store(value.to_bits(), Relaxed);
        }
    }

    /// Writes the value that a tuning point has as the program starts, which is its present one, for the agent to see.
    pub fn set_tuning_point_start(&self, tuning_point: u32, value: f64) {
        if (tuning_point as usize) < TUNING_POINTS {
            let at = header::TUNING_POINT_TABLE + tuning_point as usize * TUNING_POINT_WORDS + 7;
            self.mapping.word(at).store(value.to_bits(), Relaxed);
            self.mapping.word(at + 1).store(value.to_bits(), Relaxed);
        }
    }

    /// Writes the smallest and largest value a tuning point takes now, for the agent to see.
    pub fn set_tuning_point_range(&self, tuning_point: u32, (minimum, maximum): (f64, f64)) {
        if (tuning_point as usize) < TUNING_POINTS {
            let at = header::TUNING_POINT_TABLE + tuning_point as usize * TUNING_POINT_WORDS + 5;
            self.mapping.word(at).store(minimum.to_bits(), Relaxed);
            self.mapping.word(at + 1).store(maximum.to_bits(), Relaxed);
        }
    }

    /// Number of tuning points that the rank has declared.
    pub fn tuning_point_count(&self) -> u32 {
        // SYNC K: pairs with declare_tuning_point
        self.mapping.word(header::TUNING_POINT_COUNT).load(Acquire).min(TUNING_POINTS as u64) as u32
    }

    /// The tuning points with their numbers. Entries that make no sense are left out.
    pub fn tuning_points(&self) -> Vec<(u32, TuningPointSlot)> {
        (0..self.tuning_point_count()).filter_map(|number| Some((number, self.tuning_point(number)?))).collect()
    }

    /// Words of a tuning point's smallest value, largest and start value: three loads, to see whether [`Segment::tuning_point`] has news.
    pub fn tuning_point_words(&self, number: u32) -> [u64; 3] {
        [5, 6, 7].map(|i| self.tuning_point_word(number, i))
    }

    fn tuning_point_word(&self, number: u32, word: usize) -> u64 {
        self.mapping.word(header::TUNING_POINT_TABLE + number as usize * TUNING_POINT_WORDS + word).load(Relaxed)
    }

    /// One of the first [`Segment::tuning_point_count`] tuning points; `None` where its entry makes no sense.
    pub fn tuning_point(&self, number: u32) -> Option<TuningPointSlot> {
        let word = |i: usize| self.tuning_point_word(number, i);
        let name = words_to_text(&[word(0), word(1), word(2), word(3)]).filter(|name| !name.is_empty())?;
        let [minimum, maximum, declared, value] = [5, 6, 7, 8].map(|i| f64::from_bits(word(i)));
        let sane = minimum <= maximum && declared.is_finite() && value.is_finite();
        let kind = TuningPointKind::from_word(word(4))?;
        sane.then_some(TuningPointSlot { name, kind, minimum, maximum, declared, value })
    }

    /// Counts of the rank's records so far. The peer wrote the numbers; they may be nonsense.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for lane in 0..self.lanes {
            use crate::atomic::{RingMemory, RingWord};
            let ring = self.lane(lane);
            let written = ring.load(RingWord::Head, Relaxed);
            let dropped = ring.load(RingWord::Dropped, Relaxed);
            totals.produced = totals.produced.wrapping_add(written).wrapping_add(dropped);
            totals.dropped = totals.dropped.wrapping_add(dropped);
            totals.collected = totals.collected.wrapping_add(ring.load(RingWord::Tail, Relaxed));
        }
        totals
    }

    /// The rank reached MPI_Finalize, at `now_ns`.
    pub fn set_finalized(&self, now_ns: u64) {
        self.mapping.word(header::FINALIZED).store(now_ns.max(1), Release);
    }

    /// Whether the rank reached MPI_Finalize.
    pub fn finalized(&self) -> bool {
        self.finalized_ns().is_some()
    }

    /// Time at which it did, nanoseconds.
    pub fn finalized_ns(&self) -> Option<u64> {
        Some(self.mapping.word(header::FINALIZED).load(Acquire)).filter(|ns| *ns > 0)
    }

    /// The agent puts this action into the command ring. The number outlives the agent.
    pub fn note_action(&self, action: u64) {
        self.mapping.word(header::LAST_ACTION).fetch_max(action, Relaxed);
    }

    /// The newest action that an agent has put into the command ring; 0 = none. The peer may have written nonsense.
    pub fn last_action(&self) -> u64 {
        self.mapping.word(header::LAST_ACTION).load(Relaxed)
    }

    /// A page of counters for the thread that writes it; at most one may be in use.
    ///
    /// # Panics
    /// When there is no such page.
    pub fn own_page(&self, page: usize) -> Page {
        let counted = self.page(page);
        self.mapping.word(header::COUNTER_PAGES).fetch_max(page as u64 + 1, Release); // SYNC P: pairs with pages
        counted
    }

    /// The pages of counters that were ever in use.
    pub fn pages(&self) -> Vec<Page> {
        // SYNC P: pairs with own_page
        let used = self.mapping.word(header::COUNTER_PAGES).load(Acquire).min(PAGES as u64);
        (0..used as usize).map(|page| self.page(page)).collect()
    }

    fn page(&self, page: usize) -> Page {
        assert!(page < PAGES, "page {page} of {PAGES}");
        let at = first_counter(u64::from(self.lanes), self.records) + page * PAGE_WORDS;
        Page::new(self.mapping.clone(), at)
    }

    /// One call was not counted, for want of a page.
    pub fn miss_call(&self) {
        self.mapping.word(header::UNCOUNTED).fetch_add(1, Relaxed);
    }

    /// Calls that were not counted, for want of a page.
    pub fn missed_calls(&self) -> u64 {
        self.mapping.word(header::UNCOUNTED).load(Relaxed)
    }

    /// Whether there is a command: two loads.
    #[inline]
    pub fn has_command(&self) -> bool {
        let word = |at: usize| self.mapping.word(COMMAND_RING + at).load(Relaxed);
        word(HEAD) != word(TAIL)
    }
}

fn check_sizes(lanes: u64, records: u64) -> Result<(), SegmentError> {
    if lanes == 0 || lanes > u64::from(MAX_LANES) {
        return Err(SegmentError::Refused("the number of lanes is outside 1 to 4"));
    }
    if !records.is_power_of_two() || records > u64::from(MAX_RECORDS) {
        return Err(SegmentError::Refused("the records of a lane are no power of two up to 8192"));
    }
    Ok(())
}
