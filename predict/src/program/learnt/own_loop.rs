//! Programs with a loop of their own, whose iterations are marked or found: computation by rank, messages, collective communication.
//!
//! Seen are each rank's time outside MPI, its counted calls, and the two ends of some messages. The order of the calls inside an iteration
//! is not: of the orders in which programs exchange messages ([`Order`]) the one is taken whose prediction is nearest to what was measured.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Link, Options, Precision, Quantity, Repeats, Run, learn};
use crate::program::Collective;
use crate::state_diagram::LEVEL;
use midrun_models::chance::normal_quantile;

/// Iterations that a description is asked for; the time that twice as many take beyond is theirs without filling and draining.
const ITERATIONS: u32 = 100;
/// Fewest receivers, or senders, of one rank that are written as a loop.
const STAR: usize = 3;

/// Messages from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Messages {
    /// Per iteration.
    pub rate: f64,
    /// Bytes of one.
    pub bytes: f64,
    /// Whether its sender does not wait: `MPI_Isend` and its like.
    pub buffered: bool,
}

/// What was seen of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// What the run is called.
    pub name: String,
    /// Its parameters.
    pub parameters: BTreeMap<String, f64>,
    /// By rank: time outside MPI per iteration, seconds, in each stretch of the run.
    pub compute_s: Vec<Vec<f64>>,
    /// By sender and receiver.
    pub messages: BTreeMap<(u32, u32), Messages>,
    /// How often per iteration, and bytes of one.
    pub collectives: BTreeMap<Collective, (f64, f64)>,
    /// Mean time of an iteration, seconds.
    pub iteration_s: f64,
    /// Its standard error.
    pub iteration_error_s: f64,
    /// Ranks on each host, rank 0's first.
    pub hosts: Vec<u32>,
    /// Messages within rank 0's host, and to others.
    pub links: (Option<Link>, Option<Link>),
    /// Mean time of a call that sends, seconds.
    pub send_s: Option<f64>,
}

/// The order in which ranks exchange messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All compute, then exchange.
    Lockstep,
    /// Each computes what was sent to it an iteration earlier.
    Ahead,
    /// Rank 0 computes and sends, the others compute what they receive, and answer.
    InTurn,
}

/// What the measured times told of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The order of its messages.
    pub order: Order,
    /// A send holds its sender for as long as the call took on average, not only for as long as a message takes: the cores are crowded, or
    /// its receiver is waited for.
    pub held: bool,
}

impl Order {
    /// What it is, as a part of a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Order::Lockstep => "ranks compute, then exchange messages",
            Order::Ahead => "ranks compute what was sent to them an iteration earlier",
            Order::InTurn => "rank 0 sends, the others compute and answer",
        }
    }
}

/// The runs with their elements in the order that is nearest to what was measured.
///
/// # Errors
/// A sentence: runs on different numbers of ranks, or such as [`learn`] refuses.
pub fn runs(seen: &[Seen]) -> Result<(Vec<Run>, Finding), String> {
    let last = seen.last().ok_or("there is no run to learn from")?;
    if let Some(other) = seen.iter().find(|run| run.compute_s.len() != last.compute_s.len()) {
        let (less, more) = (other.compute_s.len(), last.compute_s.len());
        return Err(format!("{} ran on {less} ranks, {} on {more}: name runs on as many", other.name, last.name));
    }
    let shape = Shape::of(last);
    let orders = match last.messages.is_empty() {
        true => vec![Finding { order: Order::Lockstep, held: false }],
        false => [false, true]
            .into_iter()
            .flat_map(|held| [Order::Lockstep, Order::Ahead, Order::InTurn].map(|order| Finding { order, held }))
            .collect(),
    };
    let mut best: Option<(f64, Vec<Run>, Finding)> = None;
    let mut refused = String::new();
    // What the measured times cannot tell apart is the order named first.
    let error = |run: &Seen| (run.iteration_error_s / run.iteration_s).powi(2);
    let error = seen.iter().map(error).sum::<f64>().sqrt();
    for found in orders {
        let runs: Vec<Run> = seen.iter().map(|run| shape.run(run, found)).collect();
        let learnt = learn(&runs)?;
        let off = |run: &Run| {
            let (time_s, _) = learnt.foresee(run, &Options::default(), &Precision::default())?;
            Ok((time_s / run.measured_s).ln().powi(2))
        };
        // An order may leave everyone waiting.
        match runs.iter().map(off).sum::<Result<f64, String>>().map(f64::sqrt) {
            Ok(off) if best.as_ref().is_none_or(|(least, ..)| off + error < *least) => best = Some((off, runs, found)),
            Ok(_) => {}
            Err(why) => refused = why,
        }
    }
    best.map(|(_, runs, found)| (runs, found)).ok_or(refused)
}

/// Once, several times, or every few iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rate {
    Times(u32),
    Every(u32),
}

/// `None` of what does not belong to the iterations: less than once in as many as are asked for.
fn rate(per_iteration: f64) -> Option<Rate> {
    match per_iteration {
        rate if rate >= 0.5 => Some(Rate::Times(rate.round() as u32)),
        rate if rate * f64::from(ITERATIONS) >= 1.0 => Some(Rate::Every((1.0 / rate).round() as u32)),
        _ => None,
    }
}

/// Messages of one kind: an element that sends them, and one that receives them.
struct Flow {
    pairs: Vec<(u32, u32)>,
    rate: Rate,
    buffered: bool,
}

/// What is alike in all runs.
struct Shape {
    ranks: u32,
    /// Ranks that compute equally long.
    classes: Vec<BTreeSet<u32>>,
    flows: Vec<Flow>,
    collectives: Vec<(Collective, Rate)>,
}

impl Shape {
    fn of(seen: &Seen) -> Shape {
        let collectives = seen.collectives.iter().filter_map(|(kind, (times, _))| Some((*kind, rate(*times)?)));
        Shape {
            ranks: seen.compute_s.len() as u32,
            classes: classes(&seen.compute_s),
            flows: flows(&seen.messages),
            collectives: collectives.collect(),
        }
    }

    fn run(&self, seen: &Seen, Finding { order, held }: Finding) -> Run {
        let mut quantities = Vec::new();
        for (k, class) in self.classes.iter().enumerate() {
            let of = |rank: &u32| seen.compute_s.get(*rank as usize).into_iter().flatten().copied();
            quantities.push(Quantity::new(format!("compute_s{k}"), "s", class.iter().flat_map(of).collect()));
        }
        for (k, flow) in self.flows.iter().enumerate() {
            let bytes = flow.pairs.iter().filter_map(|pair| seen.messages.get(pair)).map(|of| of.bytes).collect();
            quantities.push(Quantity::new(format!("bytes{k}"), "B", bytes));
        }
        for (kind, _) in self.collectives.iter().filter(|(kind, _)| *kind != Collective::Barrier) {
            let bytes = seen.collectives.get(kind).map(|(_, bytes)| *bytes).into_iter().collect();
            quantities.push(Quantity::new(format!("{}_bytes", kind.word()), "B", bytes));
        }
        Run {
            name: seen.name.clone(),
            parameters: seen.parameters.clone(),
            own: Vec::new(),
            quantities,
            repeats: Repeats::Overlapping("iterations", ITERATIONS),
            measured_s: seen.iteration_s,
            processes: self.ranks.to_string(),
            hosts: seen.hosts.clone(),
            elements: self.elements(order),
            links: (
                seen.links.0.map(|link| sending(link, seen.send_s, held)),
                seen.links.1.map(|link| sending(link, seen.send_s, held)),
            ),
        }
    }

    fn elements(&self, order: Order) -> String {
        let mut text = Text { ranks: self.ranks, ..Text::default() };
        let everybody: BTreeSet<u32> = (0..self.ranks).collect();
        let owner = BTreeSet::from([0]);
        let others: BTreeSet<u32> = (1..self.ranks).collect();
        let (mut before, mut body, mut after) = (Vec::new(), Vec::new(), Vec::new());
        match order {
            Order::Lockstep => {
                self.compute(&mut text, &everybody, "", &mut body);
                self.exchange(&mut text, (&everybody, &everybody), |_| true, &mut body);
            }
            Order::Ahead => {
                // What comes less than once an iteration has no iteration before.
                let often = |flow: &Flow| matches!(flow.rate, Rate::Times(_));
                let none = BTreeSet::new();
                self.exchange(&mut text, (&none, &everybody), often, &mut body);
                after.clone_from(&body);
                self.compute(&mut text, &everybody, "", &mut body);
                let sends = body.len();
                self.exchange(&mut text, (&everybody, &none), often, &mut body);
                before.extend_from_slice(&body[sends..]);
                self.exchange(&mut text, (&everybody, &everybody), |flow| !often(flow), &mut body);
            }
            Order::InTurn => {
                self.compute(&mut text, &owner, "", &mut body);
                self.exchange(&mut text, (&owner, &others), |_| true, &mut body);
                self.compute(&mut text, &others, "_answer", &mut body);
                self.exchange(&mut text, (&others, &owner), |_| true, &mut body);
            }
        }
        for (kind, rate) in &self.collectives {
            let bytes = format!("bytes = \"{}_bytes\"\n", kind.word());
            let keys = if *kind == Collective::Barrier { "" } else { &bytes };
            text.element(kind.word(), kind.word(), &everybody, *rate, keys, &mut body);
        }
        let list = |names: &[String]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let run = [before, vec!["iterations".to_owned()], after].concat();
        format!(
            "run = [{}]\n\n[element.iterations]\nkind = \"loop\"\ncount = \"iterations\"\nindex = \"iteration\"\ndo = [{}]\n{}",
            list(&run),
            list(&body),
            text.elements
        )
    }

    fn compute(&self, text: &mut Text, who: &BTreeSet<u32>, ending: &str, to: &mut Vec<String>) {
        for (k, class) in self.classes.iter().enumerate() {
            let ranks: BTreeSet<u32> = class & who;
            let seconds = format!("seconds = \"compute_s{k}\"\n");
            text.element(&format!("compute{k}{ending}"), "compute", &ranks, Rate::Times(1), &seconds, to);
        }
    }

    /// What these senders send, and these receivers receive.
    fn exchange(
        &self,
        text: &mut Text,
        (senders, receivers): (&BTreeSet<u32>, &BTreeSet<u32>),
        which: impl Fn(&Flow) -> bool,
        to: &mut Vec<String>,
    ) {
        let chosen = || self.flows.iter().enumerate().filter(|(_, flow)| which(flow));
        for (k, Flow { pairs, rate, buffered }) in chosen() {
            let mode = if *buffered { "mode = \"buffered\"\n" } else { "" };
            let of: Vec<(u32, u32)> = pairs.iter().copied().filter(|(from, _)| senders.contains(from)).collect();
            let keys = |to: String| format!("to = \"{to}\"\nbytes = \"bytes{k}\"\n{mode}");
            text.towards(&format!("send{k}"), "send", &of, *rate, keys, to);
        }
        for (k, Flow { pairs, rate, .. }) in chosen() {
            let back = pairs.iter().map(|(from, to)| (*to, *from)).filter(|(to, _)| receivers.contains(to));
            let of: Vec<(u32, u32)> = back.collect();
            text.towards(&format!("receive{k}"), "receive", &of, *rate, |from| format!("from = \"{from}\"\n"), to);
        }
    }
}

/// Elements as they are written.
#[derive(Default)]
struct Text {
    ranks: u32,
    elements: String,
    names: BTreeSet<String>,
}

impl Text {
    /// Writes an element of these ranks, once for each name; of no rank none.
    fn element(&mut self, name: &str, kind: &str, who: &BTreeSet<u32>, rate: Rate, keys: &str, to: &mut Vec<String>) {
        if who.is_empty() {
            return;
        }
        // The same flow may stand twice, by different ranks.
        let mut name = name.to_owned();
        while !self.names.insert(name.clone()) {
            name.push('b');
        }
        let mut when: Vec<String> = condition(who, self.ranks).into_iter().collect();
        if let Rate::Every(every) = rate {
            when = when.into_iter().map(|ranks| format!("({ranks})")).collect();
            when.push(format!("iteration % {every} == {}", every - 1));
        }
        let when = match when.is_empty() {
            true => String::new(),
            false => format!("when = \"{}\"\n", when.join(" and ")),
        };
        let inner = match rate {
            Rate::Times(times) if times > 1 => {
                let inner = format!("{name}_each");
                let _ = write!(
                    self.elements,
                    "\n[element.{name}]\nkind = \"loop\"\n{when}count = {times}\ndo = [\"{inner}\"]\n\n[element.{inner}]\nkind = \"{kind}\"\n{keys}"
                );
                self.names.insert(inner);
                to.push(name);
                return;
            }
            _ => &name,
        };
        let _ = write!(self.elements, "\n[element.{inner}]\nkind = \"{kind}\"\n{when}{keys}");
        to.push(name);
    }

    /// Writes elements for pairs of a rank and its peer: by the peer's distance, or, where one rank has many, as a loop.
    fn towards(
        &mut self,
        name: &str,
        kind: &str,
        pairs: &[(u32, u32)],
        rate: Rate,
        keys: impl Fn(String) -> String,
        to: &mut Vec<String>,
    ) {
        let mut peers: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (rank, peer) in pairs {
            peers.entry(*rank).or_default().insert(*peer);
        }
        let mut by_distance: BTreeMap<i64, BTreeSet<u32>> = BTreeMap::new();
        for (rank, peers) in peers {
            let (first, last) = (peers.first().copied().unwrap_or(0), peers.last().copied().unwrap_or(0));
            if peers.len() >= STAR && (last - first) as usize == peers.len() - 1 {
                let (index, inner) = (format!("{name}_of{rank}"), format!("{name}_from{rank}_each"));
                let keys = keys(format!("{index} + {first}"));
                let mut body = Vec::new();
                self.element(&inner, kind, &BTreeSet::from_iter(0..self.ranks), Rate::Times(1), &keys, &mut body);
                let looped =
                    format!("count = {}\nindex = \"{index}\"\ndo = [\"{}\"]\n", peers.len(), body.join("\", \""));
                self.element(&format!("{name}_from{rank}"), "loop", &BTreeSet::from([rank]), rate, &looped, to);
            } else {
                for peer in peers {
                    by_distance.entry(i64::from(peer) - i64::from(rank)).or_default().insert(rank);
                }
            }
        }
        for (at, (distance, ranks)) in by_distance.into_iter().enumerate() {
            let name = if at == 0 { name.to_owned() } else { format!("{name}_{at}") };
            let sign = if distance < 0 { '-' } else { '+' };
            self.element(&name, kind, &ranks, rate, &keys(format!("rank {sign} {}", distance.abs())), to);
        }
    }
}

/// That a rank is among these; `None` where all are.
fn condition(ranks: &BTreeSet<u32>, all: u32) -> Option<String> {
    if ranks.len() == all as usize {
        return None;
    }
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *rank => *last = *rank,
            _ => spans.push((*rank, *rank)),
        }
    }
    let one = |(first, last): (u32, u32)| match (first, last) {
        (first, last) if first == last => format!("rank == {first}"),
        (0, last) => format!("rank <= {last}"),
        (first, last) if last + 1 == all => format!("rank >= {first}"),
        (first, last) => format!("(rank >= {first} and rank <= {last})"),
    };
    Some(spans.into_iter().map(one).collect::<Vec<_>>().join(" or "))
}

/// The link whose sender is busy for as long as its calls took, at most for a message's start-up unless it is held longer.
fn sending(link: Link, send_s: Option<f64>, held: bool) -> Link {
    let start_up_s = if held { link.start_up_s.max(send_s.unwrap_or(0.0)) } else { link.start_up_s };
    Link { start_up_s, overhead_s: send_s.map(|s| s.min(start_up_s)), ..link }
}

/// Ranks whose times do not differ beyond chance at the confidence level, by their least rank.
fn classes(compute_s: &[Vec<f64>]) -> Vec<BTreeSet<u32>> {
    let far = normal_quantile(0.5 + 0.5 * LEVEL);
    // Mean and its variance.
    let of = |values: &Vec<f64>| {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / (count - 1.0).max(1.0) / count)
    };
    let mut ranks: Vec<(u32, (f64, f64))> =
        compute_s.iter().enumerate().map(|(rank, v)| (rank as u32, of(v))).collect();
    ranks.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let mut classes: Vec<(BTreeSet<u32>, f64, f64)> = Vec::new();
    for (rank, (mean, variance)) in ranks {
        match classes.last_mut() {
            Some((class, sum, variances))
                if {
                    let count = class.len() as f64;
                    mean - *sum / count <= far * (variance + *variances / (count * count)).sqrt()
                } =>
            {
                class.insert(rank);
                (*sum, *variances) = (*sum + mean, *variances + variance);
            }
            _ => classes.push((BTreeSet::from([rank]), mean, variance)),
        }
    }
    let mut classes: Vec<BTreeSet<u32>> = classes.into_iter().map(|(class, ..)| class).collect();
    classes.sort();
    classes
}

/// Messages of one rate, one mode and one size from rank to rank belong together.
fn flows(messages: &BTreeMap<(u32, u32), Messages>) -> Vec<Flow> {
    let mut flows: BTreeMap<(Rate, bool, u64), Vec<(u32, u32)>> = BTreeMap::new();
    for (pair, of) in messages {
        if let Some(rate) = rate(of.rate) {
            flows.entry((rate, of.buffered, of.bytes.round() as u64)).or_default().push(*pair);
        }
    }
    flows.into_iter().map(|((rate, buffered, _), pairs)| Flow { pairs, rate, buffered }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    const LINK: Link = Link { start_up_s: 1e-5, overhead_s: None, per_byte_s: 1e-9, eager_bytes: f64::INFINITY };

    fn seen(compute_s: &[f64], messages: &[((u32, u32), f64)], iteration_s: f64) -> Seen {
        let of = |(pair, rate): &((u32, u32), f64)| (*pair, Messages { rate: *rate, bytes: 1000.0, buffered: false });
        Seen {
            name: "run.rec".to_owned(),
            parameters: BTreeMap::new(),
            compute_s: compute_s.iter().map(|s| vec![0.99 * s, *s, 1.01 * s]).collect(),
            messages: messages.iter().map(of).collect(),
            collectives: BTreeMap::new(),
            iteration_s,
            iteration_error_s: 1e-3 * iteration_s,
            hosts: vec![compute_s.len() as u32],
            links: (Some(LINK), None),
            send_s: Some(1e-6),
        }
    }

    fn foreseen_s(of: &Seen) -> (f64, Order, String) {
        let (runs, Finding { order, held }) = runs(std::slice::from_ref(of)).unwrap();
        assert_eq!(held, of.send_s > Some(1e-3));
        let learnt = learn(&runs).unwrap();
        let (time_s, interval) = learnt.foresee(&runs[0], &Options::default(), &Precision::default()).unwrap();
        assert_eq!(interval, None);
        assert!(Program::from_toml(&learnt.program).is_ok());
        (time_s, order, learnt.program)
    }

    #[test]
    fn the_order_of_messages_is_the_one_that_takes_what_was_measured() {
        // Three workers compute one after the other, or at once.
        let star: Vec<_> = (1..4).flat_map(|w| [((0, w), 1.0), ((w, 0), 1.0)]).collect();
        let (time_s, order, program) = foreseen_s(&seen(&[0.01, 0.02, 0.02, 0.02], &star, 0.0301));
        assert_eq!(order, Order::InTurn);
        assert!((time_s - 0.03).abs() < 2e-4, "{time_s}");
        assert!(program.contains("count = 3\nindex = \"send0_of0\""), "{program}");
        let (time_s, order, _) = foreseen_s(&seen(&[0.01, 0.02, 0.02, 0.02], &star, 0.0201));
        assert_eq!(order, Order::Lockstep);
        assert!((time_s - 0.02).abs() < 2e-4, "{time_s}");
    }

    #[test]
    fn senders_that_their_calls_held_are_seen_by_the_time_that_it_took() {
        let chain: Vec<_> = (0..3).flat_map(|r| [((r, r + 1), 1.0), ((r + 1, r), 1.0)]).collect();
        let mut of = seen(&[0.01; 4], &chain, 0.014);
        of.send_s = Some(0.002);
        let (time_s, ..) = foreseen_s(&of);
        assert!((time_s - 0.014).abs() < 2e-4, "{time_s}");
    }

    #[test]
    fn ranks_that_compute_alike_are_one_element_and_neighbours_are_a_distance() {
        let chain: Vec<_> = (0..7).flat_map(|r| [((r, r + 1), 1.0), ((r + 1, r), 1.0)]).collect();
        let mut compute_s = [0.01; 8];
        compute_s[3] = 0.02;
        let (_, _, program) = foreseen_s(&seen(&compute_s, &chain, 0.02));
        for line in
            ["when = \"rank <= 2 or rank >= 4\"", "when = \"rank == 3\"", "to = \"rank + 1\"", "to = \"rank - 1\""]
        {
            assert!(program.contains(line), "{line}: {program}");
        }
        assert_eq!(program.matches("kind = \"send\"").count(), 2);
    }

    #[test]
    fn what_comes_every_few_iterations_is_described_so() {
        let mut of = seen(&[0.01; 4], &[((0, 1), 2.0), ((1, 0), 0.25)], 0.01);
        of.collectives = BTreeMap::from([(Collective::Allreduce, (0.1, 8.0)), (Collective::Barrier, (1e-4, 0.0))]);
        let (_, _, program) = foreseen_s(&of);
        for part in ["count = 2", "(rank == 1) and iteration % 4 == 3", "when = \"iteration % 10 == 9\""] {
            assert!(program.contains(part), "{part}: {program}");
        }
        assert!(!program.contains("barrier"));
    }

    #[test]
    fn runs_on_other_numbers_of_ranks_are_refused_with_both() {
        let (less, more) = (seen(&[0.01; 2], &[], 0.01), seen(&[0.01; 4], &[], 0.01));
        assert!(runs(&[less, more]).unwrap_err().contains("on 2 ranks, run.rec on 4"));
    }
}
