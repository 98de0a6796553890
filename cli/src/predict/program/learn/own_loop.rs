//! What a recording shows of a program with its own loop: its ranks' counted calls, and the ends of its messages.

use std::collections::BTreeMap;
use std::io::{self, Read};

use midrun_analyzer::JobId;
use midrun_analyzer::recording::{self, Reader};
use midrun_predict::program::Collective;
use midrun_predict::program::learnt::Link;
use midrun_predict::program::learnt::own_loop::{Messages, Seen};
use midrun_proto::v1;
use midrun_proto::v1::event::Kind;
use midrun_tunlets::Window;
use serde_json::Value;

/// Most stretches of a run whose times are samples.
const STRETCHES: usize = 10;
/// Label of the measure point that is the iteration itself.
const ITERATION: &str = "iteration";

/// Totals of one function's calls.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    count: u64,
    bytes: u64,
    time_ns: u64,
}

/// A rank's counters at one moment.
#[derive(Clone, Debug)]
struct Reading {
    time_ns: i128,
    /// Time outside MPI and midrun's frameworks since `MPI_Init`.
    useful_ns: u64,
    /// By function, where they were read, too.
    calls: Option<BTreeMap<String, Total>>,
}

/// The end of a message, and whether its call waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Sent,
    Posted,
    Received,
    /// By a wait, which does not show all.
    Arrived,
}

#[derive(Clone, Debug, Default)]
struct Rank {
    readings: Vec<Reading>,
    /// By function and class of its peer.
    calls: BTreeMap<(String, i32), Total>,
    /// Messages whose end was recorded here, by their kind and by the other rank: their number and bytes.
    ends: BTreeMap<(End, u32), (u64, u64)>,
}

/// All that was counted in a job.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    ranks: BTreeMap<u32, Rank>,
    /// Hosts in their order, and each rank's.
    hosts: Vec<String>,
    host_of: BTreeMap<u32, usize>,
    /// From the first mark of an iteration to the last one, on the analyzer's clock.
    span_ns: Option<(i128, i128)>,
    /// Begin and end of each iteration of a measure point, by rank, on the same clock. The first ones of a call period show no windows.
    measured_ns: BTreeMap<u32, Vec<(i128, i128)>>,
}

/// Shares of useful time of stretches that are about as long. Between two readings alone a rank may only have waited.
fn stretches(readings: &[&Reading]) -> Vec<f64> {
    let of_all_ns = readings.last().zip(readings.first()).map_or(0, |(last, first)| last.time_ns - first.time_ns);
    let least_ns = (of_all_ns / STRETCHES as i128).max(1);
    let mut ends: Vec<&Reading> = Vec::new();
    for reading in readings {
        if ends.last().is_none_or(|last| reading.time_ns - last.time_ns >= least_ns) {
            ends.push(reading);
        }
    }
    let share = |from: &Reading, to: &Reading| {
        to.useful_ns.saturating_sub(from.useful_ns) as f64 / (to.time_ns - from.time_ns) as f64
    };
    ends.windows(2).map(|pair| share(pair[0], pair[1])).collect()
}

impl Counted {
    /// Reads the counters of `job`.
    ///
    /// # Errors
    /// The system's.
    pub fn read<R: Read>(reader: Reader<R>, job: &JobId) -> io::Result<Counted> {
        let mut all = Counted::default();
        recording::batches(reader, job, |_, batch| {
            for rank in batch.joined.iter().filter_map(|joined| joined.id.as_ref()) {
                let known = all.hosts.iter().position(|host| *host == batch.node);
                let host = known.unwrap_or(all.hosts.len());
                if known.is_none() {
                    all.hosts.push(batch.node.clone());
                }
                all.host_of.insert(rank.rank, host);
            }
            let offset_ns = i128::from(batch.clock_offset_ns);
            recording::events(batch).for_each(|(rank, kind)| all.take(rank, offset_ns, kind));
        })?;
        Ok(all)
    }

    fn take(&mut self, rank: u32, offset_ns: i128, kind: Kind) {
        let at = |time_ns: u64| i128::from(time_ns) + offset_ns;
        let mut marked = |time_ns: i128| {
            let (first_ns, last_ns) = self.span_ns.unwrap_or((time_ns, time_ns));
            self.span_ns = Some((first_ns.min(time_ns), last_ns.max(time_ns)));
        };
        match kind {
            Kind::IterationBegun(begun) => marked(at(begun.time_ns)),
            Kind::IterationEnded(ended) => marked(at(ended.time_ns)),
            Kind::PointMeasured(point) if point.label == ITERATION && point.first_ns > 0 => {
                self.measured_ns.entry(rank).or_default().push((at(point.first_ns), at(point.last_ns)));
            }
            Kind::MpiCounted(counted) => self.on_counted(rank, offset_ns, counted),
            Kind::MessageMoved(moved) => {
                let ends = &mut self.ranks.entry(rank).or_default().ends;
                let kind = match (moved.received, moved.wait_ns) {
                    (false, None) => End::Sent,
                    (false, Some(_)) => End::Posted,
                    (true, None) => End::Received,
                    (true, Some(_)) => End::Arrived,
                };
                let end = ends.entry((kind, moved.peer)).or_default();
                *end = (end.0 + 1, end.1.saturating_add(moved.bytes));
            }
            _ => {}
        }
    }

    fn on_counted(&mut self, rank: u32, offset_ns: i128, counted: v1::MpiCounted) {
        let known = self.ranks.entry(rank).or_default();
        let read = !counted.calls.is_empty();
        for call in counted.calls {
            let total = Total { count: call.count, bytes: call.bytes, time_ns: call.time_ns };
            known.calls.insert((call.name, call.peer), total);
        }
        let mut calls: BTreeMap<String, Total> = BTreeMap::new();
        let messages = [SENDS, EXCHANGES, POSTS, RECEIVES].concat();
        // One to or from MPI_PROC_NULL is no message.
        let is_none = |name: &str, peer: i32| peer == v1::PeerClass::Local as i32 && messages.contains(&name);
        for ((name, peer), of) in known.calls.iter().filter(|((name, peer), _)| !is_none(name, *peer)) {
            let is_unknown = STARTS.contains(&name.as_str()) && *peer == v1::PeerClass::Any as i32;
            let sum = calls.entry(if is_unknown { UNKNOWN_START.to_owned() } else { name.clone() }).or_default();
            *sum =
                Total { count: sum.count + of.count, bytes: sum.bytes + of.bytes, time_ns: sum.time_ns + of.time_ns };
        }
        let elsewhere_ns = counted.waiting_ns.saturating_add(counted.mpi_ns).saturating_add(counted.framework_ns);
        let useful_ns = counted.time_ns.saturating_sub(counted.begun_ns).saturating_sub(elsewhere_ns);
        known.readings.push(Reading {
            time_ns: i128::from(counted.time_ns) + offset_ns,
            useful_ns,
            calls: read.then_some(calls),
        });
    }

    /// From the begin of the first iteration of the last `count` to the last one's end, on the analyzer's clock.
    fn iterated_ns(&self, count: u64) -> Option<(i128, i128)> {
        let Some(measured) = self.measured_ns.values().next() else { return self.span_ns };
        let first = measured.len().saturating_sub(count as usize);
        Some((measured.get(first)?.0, measured.last()?.1))
    }

    /// Ranks on each host, rank 0's first.
    pub fn hosts(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.hosts.len()];
        self.host_of.values().for_each(|host| ranks[*host] += 1);
        let first = self.host_of.get(&0).copied().unwrap_or(0).min(ranks.len().saturating_sub(1));
        if !ranks.is_empty() {
            ranks[..=first].rotate_right(1);
        }
        ranks
    }

    /// The run with these iterations.
    ///
    /// # Errors
    /// A part of a sentence: no iterations, too few readings, messages between unknown ranks, parts of all ranks.
    pub fn seen(
        &self,
        name: String,
        parameters: BTreeMap<String, f64>,
        iterations: &[Window],
        summary: &Value,
    ) -> Result<Seen, String> {
        // Windows may be missing, and what lies between iterations counts, too.
        let numbers = iterations.iter().map(|window| window.iteration);
        let count = 1 + numbers.clone().max().unwrap_or(0) - numbers.min().unwrap_or(0);
        let (Some((first_ns, last_ns)), false) = (self.iterated_ns(count), iterations.is_empty()) else {
            return Err("holds no iteration: mark them, or record a longer run whose calls have a period".to_owned());
        };
        let iteration_s = (last_ns - first_ns) as f64 * 1e-9 / count as f64;
        let scatter = deviation(&iterations.iter().map(|window| window.iteration_s).collect::<Vec<f64>>());
        let mut compute_s = Vec::new();
        let mut rates: Vec<BTreeMap<String, (f64, Total)>> = Vec::new();
        for (number, (rank, of)) in self.ranks.iter().enumerate() {
            if *rank as usize != number {
                return Err(format!("shows nothing of rank {number}"));
            }
            let inside = |reading: &&Reading| (first_ns..=last_ns).contains(&reading.time_ns);
            let readings: Vec<&Reading> = of.readings.iter().filter(inside).collect();
            let mut counts = readings.iter().filter_map(|reading| Some((reading.time_ns, reading.calls.as_ref()?)));
            let (Some((from_ns, before)), Some((to_ns, now))) = (counts.next(), counts.next_back()) else {
                let why = "is too short to fit: the calls of rank";
                return Err(format!("{why} {rank} were not read twice while it iterated: record some seconds"));
            };
            let iterations = (to_ns - from_ns) as f64 * 1e-9 / iteration_s;
            compute_s.push(stretches(&readings).into_iter().map(|share| share * iteration_s).collect());
            let since = |(name, now): (&String, &Total)| {
                let before = before.get(name).copied().unwrap_or_default();
                let total = Total {
                    count: now.count.saturating_sub(before.count),
                    bytes: now.bytes.saturating_sub(before.bytes),
                    time_ns: now.time_ns.saturating_sub(before.time_ns),
                };
                (total.count > 0).then(|| (name.clone(), (total.count as f64 / iterations, total)))
            };
            rates.push(now.iter().filter_map(since).collect());
        }
        let link = |same_host: bool| {
            let of = summary["links"].as_array()?.iter().find(|link| link["same_host"] == same_host)?;
            let (start_up_s, per_byte_s) = (of["start_up_s"].as_f64()?, of["per_byte_s"].as_f64()?);
            Some(Link { start_up_s, overhead_s: None, per_byte_s, eager_bytes: f64::INFINITY })
        };
        let (messages, collectives) = (self.messages(&rates)?, collectives(&rates)?);
        // Where no message met a receiver that waited, its way is not known: what its sender's call took is. Without any nobody needs it.
        let silent = messages.is_empty() && collectives.is_empty();
        let send_s = send_s(&rates);
        let call = |start_up_s| Link { start_up_s, overhead_s: None, per_byte_s: 0.0, eager_bytes: f64::INFINITY };
        let near = link(true).or_else(|| send_s.or(silent.then_some(0.0)).map(call));
        Ok(Seen {
            name,
            parameters,
            compute_s,
            messages,
            collectives,
            iteration_s,
            iteration_error_s: scatter / (iterations.len() as f64).sqrt(),
            hosts: self.hosts(),
            links: (near, link(false)),
            send_s,
        })
    }

    /// Messages by sender and receiver, from whichever end was recorded.
    fn messages(&self, rates: &[BTreeMap<String, (f64, Total)>]) -> Result<BTreeMap<(u32, u32), Messages>, String> {
        let mut messages = BTreeMap::new();
        // First by their senders: whom a rank sends most of its messages says more of them than whom another one has most from.
        for (kind, calls) in
            [(End::Sent, &[SENDS, EXCHANGES].concat()[..]), (End::Posted, POSTS), (End::Received, RECEIVES)]
        {
            for (rank, of) in rates.iter().enumerate() {
                let ends = || self.ends(rank, kind);
                let all: u64 = ends().map(|(_, (count, _))| count).sum();
                let per_iteration = if kind == End::Posted { self.posted(rank, of) } else { rate(of, calls) };
                for (peer, (count, bytes)) in ends() {
                    let received = kind == End::Received;
                    let pair = if received { (peer, rank as u32) } else { (rank as u32, peer) };
                    let rate = per_iteration * count as f64 / all as f64;
                    let of = Messages { rate, bytes: bytes as f64 / count as f64, buffered: kind != End::Sent };
                    let known: &mut Messages = messages.entry(pair).or_insert(Messages { rate: 0.0, ..of });
                    // What the sender does not tell, its receiver does.
                    let all_sent = known.rate + of.rate;
                    if all_sent > 0.0 && (known.rate == 0.0 || !received) {
                        known.bytes = (known.rate * known.bytes + of.rate * of.bytes) / all_sent;
                        known.rate = all_sent;
                        known.buffered &= of.buffered;
                    }
                }
            }
        }
        // Each sender's messages must be among those that were seen at one end.
        for (rank, of) in rates.iter().enumerate() {
            let sent = rate(of, &[SENDS, EXCHANGES, BUFFERED].concat()) + self.posted(rank, of);
            let known = messages.iter().filter(|((from, _), _)| *from == rank as u32).map(|(_, of)| of.rate);
            let seen: f64 = known.clone().sum();
            // Each pair's number is rounded.
            if (sent - seen).abs() >= 0.5 * (known.count().max(1) as f64) {
                return Err(format!(
                    "does not say whom rank {rank} sends {sent:.1} messages per iteration: the ranks of a message are known from blocking \
                     calls, MPI_Isend and MPI_Send_init, and of {seen:.1} here"
                ));
            }
        }
        Ok(messages)
    }

    /// Messages of a rank of one kind by the other rank: their number and bytes.
    fn ends(&self, rank: usize, kind: End) -> impl Iterator<Item = (u32, (u64, u64))> {
        let ends = self.ranks.get(&(rank as u32)).map(|of| &of.ends);
        ends.into_iter().flatten().filter(move |((of, _), _)| *of == kind).map(|((_, peer), of)| (*peer, *of))
    }

    /// Sends per iteration for which a rank does not wait where it begins them. Calls that start persistent requests count bytes, and no messages:
    /// how many they are follows from the bytes of those that were recorded.
    fn posted(&self, rank: usize, of: &BTreeMap<String, (f64, Total)>) -> f64 {
        let started = bytes_rate(of, STARTS);
        let (count, bytes) = self.ends(rank, End::Posted).fold((0, 0), |sum, (_, of)| (sum.0 + of.0, sum.1 + of.1));
        if started == 0.0 {
            rate(of, POSTS)
        } else if bytes == 0 {
            rate(of, POSTS) + rate(of, STARTS)
        } else {
            (bytes_rate(of, POSTS) + started) * count as f64 / bytes as f64
        }
    }
}

const RECEIVES: &[&str] = &["MPI_Recv"];
const SENDS: &[&str] = &["MPI_Send", "MPI_Ssend", "MPI_Rsend"];
const EXCHANGES: &[&str] = &["MPI_Sendrecv", "MPI_Sendrecv_replace"];
const POSTS: &[&str] = &["MPI_Isend", "MPI_Issend", "MPI_Irsend"];
const STARTS: &[&str] = &["MPI_Start", "MPI_Startall"];
/// Calls that started a request of which nothing is known.
const UNKNOWN_START: &str = "MPI_Start of an unknown request";
const BUFFERED: &[&str] = &["MPI_Bsend", "MPI_Ibsend", UNKNOWN_START];

/// The standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// Calls of these functions per iteration.
fn rate(of: &BTreeMap<String, (f64, Total)>, names: &[&str]) -> f64 {
    of.iter().filter(|(name, _)| names.contains(&name.as_str())).map(|(_, (rate, _))| rate).sum()
}

/// Bytes of their messages per iteration.
fn bytes_rate(of: &BTreeMap<String, (f64, Total)>, names: &[&str]) -> f64 {
    let of = of.iter().filter(|(name, _)| names.contains(&name.as_str()));
    of.map(|(_, (rate, total))| rate * total.bytes as f64 / total.count as f64).sum()
}

/// Mean time of a call that sends, seconds.
fn send_s(rates: &[BTreeMap<String, (f64, Total)>]) -> Option<f64> {
    let names = [SENDS, POSTS, STARTS, BUFFERED].concat();
    let sends = rates.iter().flatten().filter(|(name, _)| names.contains(&name.as_str()));
    let (count, time_ns) = sends.fold((0, 0), |(count, ns), (_, (_, of))| (count + of.count, ns + of.time_ns));
    (count > 0).then(|| time_ns as f64 * 1e-9 / count as f64)
}

/// Collective communication of all ranks.
fn collectives(rates: &[BTreeMap<String, (f64, Total)>]) -> Result<BTreeMap<Collective, (f64, f64)>, String> {
    let mut found: BTreeMap<Collective, (f64, f64)> = BTreeMap::new();
    for (kind, word) in [
        (Collective::Barrier, "barrier"),
        (Collective::Broadcast, "bcast"),
        (Collective::Reduce, "reduce"),
        (Collective::Allreduce, "allreduce"),
        (Collective::Gather, "gather"),
        (Collective::Scatter, "scatter"),
        (Collective::Allgather, "allgather"),
        (Collective::Alltoall, "alltoall"),
    ] {
        let names = [format!("MPI_{}{}", word[..1].to_uppercase(), &word[1..]), format!("MPI_I{word}")];
        let is = |name: &String| names.iter().any(|known| name == known || *name == format!("{known}v"));
        let by_rank = rates.iter().map(|of| {
            let calls = of.iter().filter(|(name, _)| is(name));
            calls.fold((0.0, 0, 0), |(rate, count, bytes), (_, (more, of))| {
                (rate + more, count + of.count, bytes + of.bytes)
            })
        });
        let by_rank: Vec<(f64, u64, u64)> = by_rank.collect();
        let most = by_rank.iter().map(|of| of.0).fold(0.0, f64::max);
        let least = by_rank.iter().map(|of| of.0).fold(f64::INFINITY, f64::min);
        if most >= 0.5 && most - least >= 0.5 {
            return Err(format!(
                "has {}, which not all ranks call as often: only communication of all ranks can be described",
                names[0]
            ));
        }
        let (count, bytes) = by_rank.iter().fold((0, 0), |(count, bytes), of| (count + of.1, bytes + of.2));
        if count > 0 {
            let rate = by_rank.iter().map(|of| of.0).sum::<f64>() / by_rank.len() as f64;
            found.insert(kind, (rate, bytes as f64 / count as f64));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_that_showed_no_windows_are_not_in_the_time_of_those_that_did() {
        let mut all = Counted::default();
        for (rank, number) in (0..2).flat_map(|rank| (0..10).map(move |number| (rank, number))) {
            let (first_ns, last_ns) = (1 + 100 * number, 1 + 100 * (number + 1));
            let point = v1::PointMeasured { label: ITERATION.to_owned(), first_ns, last_ns, ..Default::default() };
            all.take(rank, 5, Kind::PointMeasured(point));
        }
        assert_eq!(all.iterated_ns(4), Some((606, 1006)), "six of ten were of a period that was not sure yet");
        assert_eq!(all.iterated_ns(99), Some((6, 1006)));
    }

    #[test]
    fn a_stretch_is_longer_than_one_wait() {
        // Half of the time is useful; of two readings a millisecond apart the rank had only waited between them.
        let of = |ms: i128| Reading { time_ns: ms * 1_000_000, useful_ns: (ms as u64) * 500_000, calls: None };
        let mut readings: Vec<Reading> = (0..8).map(|n| of(200 * n)).collect();
        readings.insert(3, Reading { time_ns: 401_000_000, ..of(400) });
        let shares = stretches(&readings.iter().collect::<Vec<_>>());
        assert!(shares.len() == 7 && shares.iter().all(|share| (share - 0.5).abs() < 1e-9), "{shares:?}");
        assert!(stretches(&[]).is_empty() && stretches(&[&of(1)]).is_empty());
        assert!(stretches(&[&of(1), &of(1)]).is_empty(), "no time between them");
    }
}
