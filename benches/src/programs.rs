//! A generator of Master/Worker programs that no tunlet was written for, and their simulated runs.
//!
//! The distribution of task times, sizes, drift, noise, slow workers and message costs are drawn from a seed. The true task times go
//! through [`simulate::iteration_of`], the scheduler's own code; tunlets see windows only, and neither the law nor the costs
//! that workers and the machine add.

use clap::Args;
use midrun_models::batches::Batches;
use midrun_models::link::Cost;
use midrun_models::random::Random;
use midrun_models::simulate::{MessageTimes, SimInput, SimResult, iteration_of};
use midrun_scheduling::{TechniqueParameters, WorkerSpeed, in_turn};
use midrun_tunlets::{LinkCost, Network, Window};

use std::io::Write;

use crate::lasting::Disturbance;
use crate::{first_seed, master};

/// Aim for the worst total of a tuned run over that of the best fixed technique.
pub const WORST: f64 = 1.05;

/// Which programs a simulated bench draws.
#[derive(Args)]
pub struct Drawn {
    /// Programs.
    #[arg(long, default_value_t = 40)]
    pub programs: u64,
    /// Iterations of each.
    #[arg(long, default_value_t = 60)]
    pub iterations: u64,
    /// Most workers of a program.
    #[arg(long, default_value_t = 64)]
    workers: u32,
    /// First seed; the default is drawn from the clock and printed.
    #[arg(long)]
    seed: Option<u64>,
    /// In each program some iterations are of another kind than the others.
    #[arg(long)]
    in_turns: bool,
    /// One worker of each program takes five to thirty times as long as the others.
    #[arg(long)]
    one_slow: bool,
}

impl Drawn {
    /// So many programs that are `asked_for`, from the first seed on; says which.
    pub fn programs(&self, asked_for: impl Fn(&Program) -> bool) -> impl Iterator<Item = Program> {
        let (first, iterations, workers) = (first_seed(self.seed), self.iterations, self.workers);
        println!("{} programs from seed {first} on, {iterations} iterations", self.programs);
        let turns = move |seed| self.in_turns.then(|| Turn::draw(seed));
        let one_slow = self.one_slow;
        let drawn = (first..).map(move |seed| {
            let program = Program { turn: turns(seed), ..Program::draw(seed, iterations, workers) };
            let times = log(&mut Random::new(seed ^ 0x051a), 5.0, 30.0);
            Program { hosts: if one_slow { Hosts::One(times) } else { program.hosts }, ..program }
        });
        drawn.filter(asked_for).take(self.programs as usize)
    }
}

/// Distribution of the task times of one iteration, as multiples of their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Normal with this standard deviation, cut at 0.
    Normal(f64),
    /// Lognormal with this coefficient of variation.
    Lognormal(f64),
    /// Pareto with this exponent.
    Pareto(f64),
    /// One in ten takes ten times as long.
    Bimodal,
    /// From little to much along the index range.
    Rising,
    /// From much to little.
    Falling,
    /// A hump that moves by this share of the index range with each iteration.
    Wave(f64),
    /// A zone that spreads by this share with each iteration; hardly any work beside it.
    Fire(f64),
    /// The edges of such a zone, which starts anywhere and spreads by up to twice this share, more in one iteration than in another;
    /// what has burnt is ash.
    FireFront(f64),
    /// Drawn once, the same in each iteration: lognormal with this coefficient of variation.
    Persistent(f64),
    /// The first tenth takes nine tenths of the time.
    Front,
}

/// Iterations of another kind than the others.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// One in so many is.
    pub every: u64,
    /// Each is by chance, and not the last of so many.
    pub by_chance: bool,
    /// The law of their tasks, ...
    pub law: Law,
    /// ... which take so many times as long.
    pub times: f64,
}

impl Turn {
    /// Draws one for the program of a seed.
    fn draw(seed: u64) -> Turn {
        let random = &mut Random::new(seed ^ 0x7042);
        let law = match random.below(5) {
            0 => Law::Front,
            1 => Law::Bimodal,
            2 => Law::Rising,
            3 => Law::Normal(random.uniform()),
            _ => Law::Lognormal(log(random, 0.3, 2.0)),
        };
        let every = 3 + random.below(12) as u64;
        Turn { every, by_chance: random.below(2) == 0, law, times: log(random, 0.3, 30.0) }
    }

    /// Whether an iteration of a program is one.
    fn is(&self, seed: u64, iteration: u64) -> bool {
        match self.by_chance {
            true => Random::new(seed ^ iteration.wrapping_mul(0x9e37_79b9)).below(self.every as usize) == 0,
            false => iteration % self.every == self.every - 1,
        }
    }
}

/// Change of the program over its run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drift {
    /// It stays alike.
    None,
    /// Tasks take so many times as long in the second half.
    Jump(f64),
    /// Tasks take so many times as long at the end, growing evenly.
    Growth(f64),
    /// Every ten iterations the law becomes normal with this standard deviation, and back.
    Flips(f64),
    /// The number of tasks varies by this share from iteration to iteration.
    Sizes(f64),
}

/// Speeds of the workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hosts {
    /// All alike.
    Even,
    /// This share of the workers takes so many times as long.
    Slow(f64, f64),
    /// Each worker's own speed, up to so many times as long.
    Mixed(f64),
    /// The last worker takes so many times as long.
    One(f64),
    /// The first half of the workers takes so many times as long in the middle third of the run.
    SlowForAWhile(f64),
}

/// A disturbance that comes and goes over several iterations, so that their scatter from one to the next shows only a part of it.
#[derive(Clone, Copy, Debug)]
pub struct Lasting {
    /// Standard deviation of the logarithm of what it makes of an iteration's time.
    pub deviation: f64,
    /// It decays by one part in so many with each iteration.
    pub iterations: f64,
    /// Tasks take so much longer or less, too; else iterations take longer by what is between them.
    pub of_tasks: bool,
}

/// A program: what is drawn of it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Everything that is drawn follows from it.
    pub seed: u64,
    /// Distribution of its task times.
    pub law: Law,
    /// Change over the run.
    pub drift: Drift,
    /// Speeds.
    pub hosts: Hosts,
    /// Tasks of an iteration.
    pub tasks: u64,
    /// Mean time of a task, seconds.
    pub mean_s: f64,
    /// Workers there are.
    pub workers: u32,
    /// The master's time per chunk, seconds.
    pub chunk_s: f64,
    /// A message's way, seconds, and the time of a task's bytes.
    pub message_s: (f64, f64),
    /// Time that each chunk costs its worker, unseen, seconds.
    pub unseen_s: f64,
    /// Standard deviation of what the machine adds to an iteration's time, a share.
    pub noise: f64,
    /// Share of the iterations that something else disturbs; they take up to twice as long.
    pub disturbed: f64,
    /// Share of the iterations in which something stalls the master alone, for up to nine times the ideal time.
    pub stalled: f64,
    /// A disturbance that lasts: another job on the node, cores that ranks share.
    pub lasting: Lasting,
    /// Tasks take longer by this share with all workers than with one (memory, caches).
    pub contention: f64,
    /// Iterations.
    pub iterations: u64,
    /// Some iterations are of another kind.
    pub turn: Option<Turn>,
    /// Number of its run, from 0. What is drawn in each iteration is drawn anew in each run; all else is the program's.
    pub run: u64,
}

fn log(random: &mut Random, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.uniform())
}

impl Program {
    /// Draws a program with at most so many workers.
    pub fn draw(seed: u64, iterations: u64, most_workers: u32) -> Program {
        let random = &mut Random::new(seed);
        let law = match random.below(10) {
            0 | 1 => Law::Normal(random.uniform()),
            2 => Law::Lognormal(log(random, 0.3, 3.0)),
            3 => Law::Pareto(1.5 + 2.0 * random.uniform()),
            4 => Law::Bimodal,
            5 => Law::Rising,
            6 => Law::Falling,
            7 => Law::Wave(0.05 * random.uniform()),
            8 => {
                let step = 0.01 * random.uniform();
                if random.below(2) == 0 { Law::Fire(step) } else { Law::FireFront(step) }
            }
            _ => Law::Persistent(log(random, 0.3, 2.0)),
        };
        let drift = match random.below(10) {
            0..=4 => Drift::None,
            5 => Drift::Jump(log(random, 0.1, 10.0)),
            6 | 7 => Drift::Growth(log(random, 0.2, 5.0)),
            8 => Drift::Flips(random.uniform()),
            _ => Drift::Sizes(random.uniform() * 0.5),
        };
        let hosts = match random.below(8) {
            0..=3 => Hosts::Even,
            4 => Hosts::Slow(0.1 + 0.5 * random.uniform(), log(random, 1.5, 4.0)),
            5 | 6 => Hosts::Mixed(log(random, 1.2, 3.0)),
            _ => Hosts::SlowForAWhile(log(random, 1.5, 4.0)),
        };
        let workers = log(random, 2.0, f64::from(most_workers) + 0.99) as u32;
        let each = log(random, 5.0, 500.0);
        Program {
            seed,
            law,
            drift,
            hosts,
            tasks: (each * f64::from(workers)).min(20_000.0) as u64,
            mean_s: log(random, 5e-4, 2e-2),
            workers,
            chunk_s: log(random, 2e-6, 6e-5),
            message_s: (log(random, 1e-5, 2e-4), log(random, 1e-8, 1e-5)),
            unseen_s: if random.below(3) == 0 { log(random, 1e-5, 1e-3) } else { 0.0 },
            noise: log(random, 1e-3, 3e-2),
            disturbed: if random.below(3) == 0 { 0.1 * random.uniform() } else { 0.0 },
            contention: if random.below(4) == 0 { 0.5 * random.uniform() } else { 0.0 },
            // Drawn last: the seeds of before draw the programs of before.
            stalled: if random.below(4) == 0 { 0.05 * random.uniform() } else { 0.0 },
            lasting: Lasting {
                deviation: if random.below(3) == 0 { log(random, 0.01, 0.2) } else { 0.0 },
                iterations: log(random, 3.0, 30.0),
                of_tasks: random.below(2) == 0,
            },
            iterations,
            turn: None,
            run: 0,
        }
    }

    /// Number of an iteration among those of all runs.
    fn of_all(&self, iteration: u64) -> u64 {
        iteration.wrapping_add(self.run << 32)
    }

    /// Whether all iterations have the same law, wherever the work is, on the same hosts.
    pub fn stays_alike(&self) -> bool {
        self.drift == Drift::None
            && self.turn.is_none()
            && !matches!(self.law, Law::Wave(_) | Law::Fire(_) | Law::FireFront(_))
            && !matches!(self.hosts, Hosts::SlowForAWhile(_))
    }

    /// True task times of an iteration on a worker of speed 1, seconds.
    pub fn times_s(&self, iteration: u64) -> Vec<f64> {
        let random = &mut Random::new(self.seed.wrapping_mul(1_000_003).wrapping_add(self.of_all(iteration)));
        let passed = iteration as f64 / self.iterations.max(1) as f64;
        let (mut law, mut mean_s, mut tasks) = (self.law, self.mean_s, self.tasks);
        match self.drift {
            Drift::None => {}
            Drift::Jump(times) => mean_s *= if passed < 0.5 { 1.0 } else { times },
            Drift::Growth(times) => mean_s *= times.powf(passed),
            Drift::Flips(deviation) if (iteration / 10) % 2 == 1 => law = Law::Normal(deviation),
            Drift::Flips(_) => {}
            Drift::Sizes(share) => tasks = (tasks as f64 * (1.0 + share * (2.0 * random.uniform() - 1.0))) as u64,
        }
        if let Some(turn) = self.turn.filter(|turn| turn.is(self.seed, self.of_all(iteration))) {
            (law, mean_s) = (turn.law, mean_s * turn.times);
        }
        let fixed = &mut Random::new(self.seed);
        let lognormal = |random: &mut Random, variation: f64| {
            let square = (1.0 + variation * variation).ln();
            (square.sqrt() * random.normal() - square / 2.0).exp()
        };
        let spreading = &mut Random::new(self.seed ^ 0xf17e);
        let origin = spreading.uniform();
        let spread: f64 = (0..=iteration).map(|_| 2.0 * spreading.uniform()).sum();
        let mut one = |index: u64| {
            let at = (index as f64 + 0.5) / tasks as f64;
            match law {
                Law::Normal(deviation) => (1.0 + deviation * random.normal()).max(0.0),
                Law::Lognormal(variation) => lognormal(random, variation),
                Law::Pareto(exponent) => (exponent - 1.0) / exponent * random.uniform().powf(-1.0 / exponent),
                Law::Bimodal => [0.526, 5.26][usize::from(random.below(10) == 0)],
                Law::Rising => 2.0 * at,
                Law::Falling => 2.0 - 2.0 * at,
                Law::Wave(step) => {
                    let away = (at - step * iteration as f64).rem_euclid(1.0) - 0.5;
                    0.2 + 3.2 * (-away * away / 0.02).exp()
                }
                Law::Fire(step) => {
                    let burns = (at - 0.4).abs() < 0.03 + step * iteration as f64;
                    if burns { 4.0 * (0.5 + random.uniform()) } else { 0.04 * random.uniform() }
                }
                Law::FireFront(step) => {
                    let edge = 0.03 + step * spread;
                    let burns = (0.0..0.03 + step).contains(&(edge - (at - origin).abs()));
                    if burns { 8.0 * (0.5 + random.uniform()) } else { 0.04 * random.uniform() }
                }
                Law::Persistent(variation) => lognormal(fixed, variation),
                Law::Front if at < 0.1 => 9.0,
                Law::Front => 1.0 / 9.0,
            }
        };
        (0..tasks.max(1)).map(|index| (one(index) * mean_s).max(1e-7)).collect()
    }

    /// Time per task of each worker in an iteration, relative to the fastest kind.
    pub fn slowness(&self, iteration: u64) -> Vec<f64> {
        let random = &mut Random::new(self.seed ^ 0x5eed);
        let third = iteration * 3 / self.iterations.max(1);
        let all = f64::from(self.workers);
        let one = |worker: u32| match self.hosts {
            Hosts::Even => 1.0,
            Hosts::Slow(share, times) if f64::from(worker) < share * all => times,
            Hosts::Slow(..) => 1.0,
            Hosts::Mixed(most) => 1.0 + (most - 1.0) * random.uniform(),
            Hosts::One(times) if worker + 1 == self.workers => times,
            Hosts::One(_) => 1.0,
            Hosts::SlowForAWhile(times) if third == 1 && worker < self.workers / 2 => times,
            Hosts::SlowForAWhile(_) => 1.0,
        };
        (0..self.workers).map(one).collect()
    }

    /// All work of each iteration by all workers, at their speeds, seconds: nothing is faster.
    pub fn ideals_s(&self) -> Vec<f64> {
        let of_one = |iteration| {
            let speed: f64 = self.slowness(iteration).iter().map(|slow| 1.0 / slow).sum();
            self.times_s(iteration).iter().sum::<f64>() / speed
        };
        (0..self.iterations).map(of_one).collect()
    }

    /// The sum of [`Program::ideals_s`], seconds.
    pub fn ideal_s(&self) -> f64 {
        self.ideals_s().iter().sum()
    }

    /// Writes what `benches/c/drawn.h` reads: tasks and speeds of each iteration. Noise, contention and unseen time are the machine's in
    /// a real run, and the bytes of a task are those that a link of 1 GB/s carries in its message time.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let bytes = (self.message_s.1 * 1e9) as u64;
        for whole in [self.iterations, u64::from(self.workers), bytes] {
            out.write_all(&whole.to_ne_bytes())?;
        }
        out.write_all(&self.chunk_s.to_ne_bytes())?;
        for iteration in 0..self.iterations {
            let times = self.times_s(iteration);
            out.write_all(&(times.len() as u64).to_ne_bytes())?;
            for number in self.slowness(iteration).into_iter().chain(times) {
                out.write_all(&number.to_ne_bytes())?;
            }
        }
        Ok(())
    }

    /// A run of it, before its first iteration.
    pub fn start(&self) -> Run<'_> {
        let mut disturbances = Random::new(self.of_all(self.seed) ^ 0x51ee);
        let lasting = Disturbance::drawn(self.lasting.deviation, self.lasting.iterations, &mut disturbances);
        let speeds = vec![WorkerSpeed::default(); self.workers as usize];
        Run { program: self, iteration: 0, speeds, moments: None, disturbances, lasting }
    }

    fn window(
        &self,
        iteration: u64,
        tasks: u64,
        result: &SimResult,
        ranks: &[u32],
        setting: &TechniqueParameters,
    ) -> Window {
        let (start_up_s, byte_s) = self.message_s;
        let cost =
            Cost { start_up_s, start_up_error_s: 0.05 * start_up_s, per_byte_s: byte_s / 8.0, per_byte_error_s: 0.0 };
        let near = Some(LinkCost { cost, samples: 20, trips: 100, ..LinkCost::default() });
        let network = Some(Network { near, far: None, task_bytes: 8, result_bytes: 8 });
        let mut window = master::window(iteration, tasks, result, ranks, setting, self.chunk_s);
        window.per_worker.iter_mut().for_each(|work| work.far = Some(false));
        Window { prepare_s: Some(1e-4), network, ..window }
    }
}

/// A run of a program. As the real master does, it carries what it measured of workers and tasks from iteration to iteration.
pub struct Run<'a> {
    program: &'a Program,
    iteration: u64,
    /// By worker.
    speeds: Vec<WorkerSpeed>,
    /// Mean and standard deviation of the tasks of the last iteration, seconds.
    moments: Option<(f64, f64)>,
    disturbances: Random,
    /// In the next iteration.
    lasting: Disturbance,
}

impl Run<'_> {
    /// The next iteration, with so many workers, the fastest of them, under a setting.
    pub fn iterate(&mut self, workers: u32, setting: &TechniqueParameters) -> Window {
        let mut taking_part: Vec<(usize, f64)> =
            self.program.slowness(self.iteration).into_iter().enumerate().collect();
        taking_part.sort_by(|a, b| a.1.total_cmp(&b.1));
        taking_part.truncate(workers.clamp(1, self.program.workers) as usize);
        taking_part.sort_by_key(|(worker, _)| *worker);
        let order = in_turn(setting.kind, self.iteration, taking_part.len());
        let taking_part: Vec<(usize, f64)> = order.map(|worker| taking_part[worker]).collect();
        self.compute(&taking_part, None, setting).0
    }

    /// The next iteration of the program if it knew nothing of midrun, with its first so many workers, and cut these batches: whole chunks are timed,
    /// of messages and of the master nothing is measured.
    pub fn iterate_own(&mut self, workers: u32, batches: Batches) -> Window {
        let all = self.program.slowness(self.iteration).into_iter().enumerate();
        let taking_part: Vec<(usize, f64)> = all.take(workers.max(1) as usize).collect();
        let (mut window, result) = self.compute(&taking_part, Some(batches), &TechniqueParameters::FALLBACK);
        let square = |busy_s: f64, tasks: u64| busy_s * busy_s / tasks as f64;
        for work in &mut window.per_worker {
            (work.tasks_timed, work.sum_sq_s2) = (false, 0.0);
            work.each_chunk.iter_mut().for_each(|chunk| chunk.sum_sq_s2 = square(chunk.busy_s, chunk.tasks));
        }
        for chunk in &result.log {
            window.per_worker[chunk.worker as usize].sum_sq_s2 += square(chunk.busy_s, chunk.count);
        }
        Window { master_busy_s: 0.0, prepare_s: None, network: None, ..window }
    }

    fn compute(
        &mut self,
        taking_part: &[(usize, f64)],
        batches: Option<Batches>,
        setting: &TechniqueParameters,
    ) -> (Window, SimResult) {
        let (program, iteration) = (self.program, self.iteration);
        let times = program.times_s(iteration);
        let input = SimInput { batches, ..self.input(&times, taking_part) };
        let mut result = iteration_of(&times, &input, setting);
        let random = &mut Random::new(program.seed.wrapping_add(program.of_all(iteration)).wrapping_mul(0x9e37_79b9));
        // The machine's noise makes an iteration longer, never shorter; what disturbs one iteration alone disturbs its tasks, too.
        let late = (program.noise * random.normal()).abs().exp();
        let more = if random.uniform() < program.disturbed { 1.0 + random.uniform() } else { 1.0 };
        let stalled = if random.uniform() < program.stalled { 9.0 * random.uniform() } else { 0.0 };
        let ideal_s = result.iteration_s / result.ratio();
        let (lasting, of_tasks) = match program.lasting.of_tasks {
            true => (self.lasting.now.exp(), more * self.lasting.now.exp()),
            false => (self.lasting.now.abs().exp(), more),
        };
        result.iteration_s = result.iteration_s * late * more * lasting + stalled * ideal_s;
        result.log.iter_mut().for_each(|chunk| {
            chunk.busy_s *= of_tasks;
            chunk.sum_sq_s2 *= of_tasks * of_tasks;
        });
        self.lasting.advance(&mut self.disturbances);
        self.learn(&result, taking_part);
        self.iteration += 1;
        let ranks: Vec<u32> = taking_part.iter().map(|(worker, _)| *worker as u32 + 1).collect();
        let window = program.window(iteration, times.len() as u64, &result, &ranks, setting);
        (window, result)
    }

    fn input(&self, times: &[f64], taking_part: &[(usize, f64)]) -> SimInput {
        let program = self.program;
        let crowd = taking_part.len() as f64 / f64::from(program.workers);
        let dearer = 1.0 + program.contention * crowd;
        let (start_up_s, byte_s) = program.message_s;
        let message = MessageTimes { latency_s: start_up_s, send_s: byte_s, back_s: byte_s, eager_tasks: u64::MAX };
        SimInput {
            workers: taking_part.len() as u32,
            mean_s: times.iter().sum::<f64>() / times.len() as f64,
            slowness: taking_part.iter().map(|(_, slow)| slow * dearer).collect(),
            measured: taking_part.iter().map(|(worker, _)| self.speeds[*worker]).collect(),
            moments: self.moments,
            overhead_s: program.chunk_s,
            message_times: vec![message; taking_part.len()],
            unexplained_s: program.unseen_s,
            first: self.moments.is_none(),
            ..SimInput::default()
        }
    }

    /// What the framework's master keeps of an iteration.
    fn learn(&mut self, result: &SimResult, taking_part: &[(usize, f64)]) {
        let mut all = WorkerSpeed::default();
        for chunk in &result.log {
            let (worker, _) = taking_part[chunk.worker as usize];
            self.speeds[worker].add_chunk(chunk.count, chunk.busy_s, chunk.sum_sq_s2);
            all.add_chunk(chunk.count, chunk.busy_s, chunk.sum_sq_s2);
        }
        self.speeds.iter_mut().for_each(|speed| *speed = speed.faded());
        self.moments = Some((all.mean_s, all.var_s2.sqrt()));
    }
}
