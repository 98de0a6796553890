//! Measures how near the simulation of programs comes to real runs of the examples, and of a pipeline by hand, on emulated hosts, how much
//! faster it is, and how large a program it can hold.
//!
//! One run under midrun shows what messages, dispatching a chunk and sleeping cost here; every prediction uses these same figures, and
//! none of the runs that it is compared with.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use midrun_benches::{Hosts, Launcher, numbers, prefix, run_under_midrun};
use midrun_predict::program::{Machine, Options, Outcome, Program, simulate};

/// Predicted against measured time of whole programs.
#[derive(Parser)]
struct Arguments {
    /// Emulated hosts with links of 100 Mbit/s to spread the ranks over (Open MPI; needs root); 0: this host alone.
    #[arg(long, default_value_t = 3)]
    hosts: u32,
    /// Runs of each program; their median counts.
    #[arg(long, default_value_t = 1)]
    repeats: usize,
    /// Only these programs, counted from 1.
    #[arg(long, value_delimiter = ',')]
    only: Vec<usize>,
    /// Also learn a description of each program from a recorded run, and predict by it
    #[arg(long)]
    learnt: bool,
    /// Which of: runs, size
    #[arg(long, value_delimiter = ',', default_value = "runs,size")]
    what: Vec<String>,
}

/// What one run has told of the machine.
struct Costs {
    /// `[inside]` and `[between]`.
    links: String,
    /// The master's time per chunk, seconds.
    overhead_s: f64,
    /// A task's time beyond its sleep, seconds.
    waking_s: f64,
}

/// A real program and its description.
struct Case {
    ranks: u32,
    /// The example and its options.
    command: String,
    /// `run` and the elements.
    program: String,
    /// Iterations, or inputs: the parameter of a learnt description, and its value.
    repeats: (&'static str, u32),
}

fn main() -> Result<()> {
    let a = Arguments::parse();
    if a.what.iter().any(|what| what == "runs") {
        a.runs()?;
    }
    if a.what.iter().any(|what| what == "size") {
        size()?;
    }
    Ok(())
}

/// Mean times of tasks and stages are in milliseconds.
fn cases(costs: &Costs) -> Vec<Case> {
    let Costs { overhead_s, waking_s, .. } = costs;
    let farm = |workers: u32, tasks: u32, (dist, mean_ms, sigma_pct): (&str, f64, f64), technique: &str, bytes: u32| {
        let (mean_s, sigma_s) = (mean_ms * 1e-3, mean_ms * sigma_pct * 1e-5);
        let time = match dist {
            "exponential" => format!("exponential({mean_s})"),
            _ if sigma_pct > 0.0 => format!("max(0, normal({mean_s}, {sigma_s}))"),
            _ => mean_s.to_string(),
        };
        let (back, ranks) = (bytes.max(8), workers + 1);
        Case {
            ranks,
            repeats: ("iterations", 3),
            command: format!(
                "mw_synthetic --tasks {tasks} --iterations 3 --mean-us {} --sigma-pct {sigma_pct} --dist {dist} --bytes {bytes} \
                 --technique {technique} --json",
                mean_ms * 1e3
            ),
            program: format!(
                "run = ['steps']\n[element.steps]\nkind = 'loop'\ncount = 3\ndo = ['farm']\n[element.farm]\nkind = 'master-worker'\n\
                 tasks = {tasks}\ntask_s = '{time} + {waking_s}'\ntechnique = '{technique}'\noverhead_s = {overhead_s}\n\
                 task_bytes = {bytes}\nresult_bytes = {back}\n"
            ),
        }
    };
    let nbody = |workers: u32, bodies: u32, pace_us: u32| Case {
        ranks: workers + 1,
        repeats: ("iterations", 5),
        command: format!("nbody --bodies {bodies} --steps 5 --pace {pace_us} --technique dpf"),
        program: format!(
            "run = ['steps']\n[element.steps]\nkind = 'loop'\ncount = 5\ndo = ['positions', 'forces']\n[element.positions]\n\
             kind = 'broadcast'\nbytes = {}\n[element.forces]\nkind = 'master-worker'\ntasks = {bodies}\n\
             task_s = {}\noverhead_s = {overhead_s}\nresult_bytes = 24\n",
            24 * bodies,
            f64::from(pace_us) * 1e-6 + waking_s
        ),
    };
    let stream = |stages: &[(f64, u32)], sigma_pct: f64, bytes: u32, inputs: u32| {
        let list: Vec<String> = stages.iter().map(|(ms, _)| ms.to_string()).collect();
        let of = |(k, (_, replicas)): (usize, &(f64, u32))| {
            if *replicas > 1 { format!("{k}x{replicas}") } else { k.to_string() }
        };
        let pattern: Vec<String> = stages.iter().enumerate().map(of).collect();
        let stage = |(ms, replicas): &(f64, u32)| {
            let (mean_s, sigma_s) = (ms * 1e-3, ms * sigma_pct * 1e-5);
            let time = format!("max(0, normal({mean_s}, {sigma_s})) + {waking_s}");
            format!("{{ compute_s = '{time}', bytes = {bytes}, replicas = {replicas} }}")
        };
        let tables: Vec<String> = stages.iter().map(stage).collect();
        Case {
            ranks: stages.iter().map(|(_, replicas)| replicas).sum::<u32>() + 1,
            repeats: ("inputs", inputs),
            command: format!(
                "pipe_synthetic --stages {} --pattern {} --bytes {bytes} --inputs {inputs} --sigma-pct {sigma_pct} --json",
                list.join(","),
                pattern.join(",")
            ),
            program: format!(
                "run = ['flow']\n[element.flow]\nkind = 'pipeline'\ninputs = {inputs}\ninput_bytes = {bytes}\nstages = [{}]\n",
                tables.join(", ")
            ),
        }
    };
    let by_hand = |stages: u32, ms: f64, bytes: u32, inputs: u32| Case {
        ranks: stages + 1,
        repeats: ("iterations", inputs),
        command: format!("pipe_plain {stages} {ms} {bytes} {inputs}"),
        program: format!(
            "run = ['fill', 'drain', 'stage']\n[parameters]\ninputs = {inputs}\nbytes = {bytes}\n\
             [element.fill]\nkind = 'loop'\nwhen = 'rank == 0'\ncount = 'min(8, inputs)'\ndo = ['first']\n\
             [element.first]\nkind = 'send'\nto = 1\nbytes = 'bytes'\n\
             [element.drain]\nkind = 'loop'\nwhen = 'rank == 0'\ncount = 'inputs'\nindex = 'i'\ndo = ['back', 'more']\n\
             [element.back]\nkind = 'receive'\nfrom = 'processes - 1'\n\
             [element.more]\nkind = 'send'\nwhen = 'i + 8 < inputs'\nto = 1\nbytes = 'bytes'\n\
             [element.stage]\nkind = 'loop'\nwhen = 'rank > 0'\ncount = 'inputs'\ndo = ['take', 'work', 'on']\n\
             [element.take]\nkind = 'receive'\nfrom = 'rank - 1'\n\
             [element.work]\nkind = 'compute'\nseconds = {}\n\
             [element.on]\nkind = 'send'\nto = '(rank + 1) % processes'\nbytes = 'bytes'\nmode = 'buffered'\n",
            ms * 1e-3 + waking_s
        ),
    };
    let source = |replicas: [u32; 5]| [10.0, 40.0, 30.0, 20.0, 10.0].into_iter().zip(replicas).collect::<Vec<_>>();
    vec![
        farm(4, 400, ("normal", 20.0, 0.0), "none", 0),
        farm(8, 800, ("normal", 20.0, 40.0), "none", 0),
        farm(8, 800, ("normal", 20.0, 40.0), "ss", 0),
        farm(16, 2400, ("normal", 10.0, 80.0), "gss", 0),
        farm(16, 2400, ("normal", 10.0, 80.0), "dpf", 0),
        farm(24, 2400, ("exponential", 20.0, 0.0), "fac2", 0),
        farm(24, 4800, ("normal", 5.0, 20.0), "dpf", 0),
        farm(24, 4800, ("normal", 2.0, 0.0), "ss", 0),
        farm(8, 800, ("normal", 10.0, 0.0), "dpf", 4096),
        farm(16, 1600, ("normal", 10.0, 20.0), "none", 4096),
        nbody(8, 400, 10_000),
        nbody(16, 800, 5000),
        stream(&source([1, 1, 1, 1, 1]), 0.0, 1000, 100),
        stream(&source([1, 2, 2, 1, 1]), 0.0, 1000, 200),
        stream(&source([1, 4, 3, 2, 1]), 0.0, 1000, 300),
        stream(&source([1, 4, 3, 2, 1]), 40.0, 10_000, 300),
        stream(&[(10.0, 1), (10.0, 1), (10.0, 1)], 0.0, 100_000, 300),
        stream(&[(20.0, 1), (40.0, 2), (20.0, 1)], 20.0, 150_000, 150),
        stream(&[(5.0, 1), (20.0, 4), (5.0, 1)], 20.0, 64, 600),
        by_hand(3, 10.0, 64, 300),
        by_hand(5, 5.0, 10_000, 500),
        by_hand(8, 20.0, 40_000, 200),
    ]
}

impl Arguments {
    fn launcher(&self, hosts: Option<&Hosts>, ranks: u32) -> Result<Launcher> {
        match hosts {
            Some(hosts) => hosts.launcher(ranks, false),
            None => Launcher::local("openmpi", ranks, false),
        }
    }

    /// The nodes with so many ranks each, as the launcher deals them out; sleeping ranks have a core each.
    fn machine(&self, costs: &Costs, ranks: u32) -> Result<Machine> {
        let hosts = self.hosts.max(1);
        let slots = |k: u32| (ranks / hosts + u32::from(k < ranks % hosts)).max(1);
        let nodes: String = (0..hosts).map(|k| format!("[[node]]\ncores = 1000\nslots = {}\n", slots(k))).collect();
        Ok(Machine::from_toml(&(nodes + costs.links.as_str()))?)
    }

    fn runs(&self) -> Result<()> {
        let hosts = (self.hosts > 0).then(|| Hosts::up(self.hosts, "100mbit")).transpose()?;
        let costs = self.costs(hosts.as_ref())?;
        println!("{}dispatch {:.1} us, waking {:.1} us\n", costs.links, 1e6 * costs.overhead_s, 1e6 * costs.waking_s);
        println!(
            "{:>2} {:>11} {:>11} {:>7} {:>7} {:>10} {:>9}  program",
            "", "measured s", "predicted s", "error", "learnt", "by", "faster"
        );
        let (mut errors, mut ratios, mut learnt) = (Vec::new(), Vec::new(), Vec::new());
        for (k, case) in cases(&costs).iter().enumerate() {
            if !self.only.is_empty() && !self.only.contains(&(k + 1)) {
                continue;
            }
            let mut times: Vec<f64> =
                (0..self.repeats).map(|_| self.measured_s(hosts.as_ref(), case)).collect::<Result<_>>()?;
            times.sort_by(f64::total_cmp);
            let measured_s = times[times.len() / 2];
            let machine = self.machine(&costs, case.ranks)?;
            let (predicted_s, by_s) = predicted(case, &machine)?;
            let (error, faster) = (predicted_s / measured_s - 1.0, measured_s / by_s);
            let also = match self.learnt {
                true => self.learnt_s(hosts.as_ref(), case).map(|s| s / measured_s - 1.0),
                false => Err(anyhow::anyhow!("")),
            };
            let learnt_text = also.as_ref().map_or("-".to_owned(), |error| format!("{:+.1}%", 100.0 * error));
            println!(
                "{:>2} {measured_s:>11.4} {predicted_s:>11.4} {:>+6.1}% {learnt_text:>7} {:>7.1} us {faster:>9.0}  {} ranks: {}",
                k + 1,
                100.0 * error,
                1e6 * by_s,
                case.ranks,
                case.command
            );
            match also {
                Ok(also) => learnt.push((also.abs(), error.abs())),
                Err(why) if self.learnt => println!("   not learnt: {why:#}"),
                Err(_) => {}
            }
            errors.push(error.abs());
            ratios.push(faster);
        }
        errors.sort_by(f64::total_cmp);
        ratios.sort_by(f64::total_cmp);
        let average = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        println!(
            "\n{} programs: error {:.2} % on average, {:.2} % at worst; evaluated {:.0} to {:.0} times faster than run, median {:.0}",
            errors.len(),
            100.0 * average,
            100.0 * errors.last().copied().unwrap_or(f64::NAN),
            ratios.first().copied().unwrap_or(f64::NAN),
            ratios.last().copied().unwrap_or(f64::NAN),
            ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
        );
        if !learnt.is_empty() {
            let mean = |of: fn(&(f64, f64)) -> f64| 100.0 * learnt.iter().map(of).sum::<f64>() / learnt.len() as f64;
            let worst = |of: fn(&(f64, f64)) -> f64| 100.0 * learnt.iter().map(of).fold(0.0, f64::max);
            println!(
                "{} learnt: error {:.2} % on average, {:.2} % at worst; written by hand {:.2} %, {:.2} %",
                learnt.len(),
                mean(|of| of.0),
                worst(|of| of.0),
                mean(|of| of.1),
                worst(|of| of.1)
            );
        }
        Ok(())
    }

    /// The time of the program by a description that is learnt from a recorded run of it, seconds.
    fn learnt_s(&self, hosts: Option<&Hosts>, case: &Case) -> Result<f64> {
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("run.rec");
        let launcher = self.launcher(hosts, case.ranks)?;
        let (name, count) = case.repeats;
        // The period of a program that marks nothing has to be found first.
        let command = match case.command.strip_suffix(&format!(" {count}")) {
            Some(rest) if name == "iterations" => format!("{rest} {}", 4 * count),
            _ => case.command.clone(),
        };
        let application: Vec<String> = example(&command).split_whitespace().map(str::to_owned).collect();
        let flags = ["--dry-run".to_owned(), "--record".to_owned(), file.display().to_string()];
        run_under_midrun(&flags, &launcher, &application)?;
        let line = ["predict", "program", "--json", "--from"];
        let output = Command::new(prefix().join("bin/midrun")).args(line).arg(&file).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "{}", said.trim());
        let learnt: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let text = |key: &str| learnt[key].as_str().with_context(|| format!("no {key}"));
        let mut program = Program::from_toml(text("program")?)?;
        program.set(name, f64::from(count))?;
        Ok(simulate(&program, &Machine::from_toml(text("machine")?)?, &Options::default())?.total_s)
    }

    /// One run of another load than those to be predicted, with its recording.
    fn costs(&self, hosts: Option<&Hosts>) -> Result<Costs> {
        const WORKERS: u32 = 12;
        const TASKS: u32 = 1200;
        const MEAN_S: f64 = 5e-3;
        let launcher = self.launcher(hosts, WORKERS + 1)?;
        let command = format!(
            "mw_synthetic --tasks {TASKS} --iterations 5 --mean-us 5000 --sigma-pct 0 --bytes 64 --technique ss"
        );
        let application: Vec<String> = example(&command).split_whitespace().map(str::to_owned).collect();
        let summary = run_under_midrun(&["--dry-run".to_owned()], &launcher, &application)?;
        let median = |key: &str| {
            let mut values = numbers(&summary, key);
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().with_context(|| format!("no {key} in the summary"))
        };
        // One task is one chunk here.
        let overhead_s = median("master_busy_s")? / f64::from(TASKS);
        let links = summary["links"].as_array().context("no links in the summary")?;
        let table = |name: &str, same_host: bool| {
            let link = links.iter().find(|link| link["same_host"] == same_host)?;
            let (start_up_s, per_byte_s) = (link["start_up_s"].as_f64()?, link["per_byte_s"].as_f64()?);
            let eager = link["eager_bytes"].as_f64().map_or(String::new(), |bytes| format!("eager = '{bytes}'\n"));
            let overhead_s = overhead_s.min(start_up_s);
            Some(format!(
                "[{name}]\nstart_up = '{start_up_s}s'\noverhead = '{overhead_s}s'\nper_byte = '{per_byte_s}s'\n{eager}"
            ))
        };
        let inside = table("inside", true).or_else(|| table("inside", false)).context("no link was measured")?;
        let between = table("between", false).unwrap_or_default();
        let waking_s = median("ideal_s")? * f64::from(WORKERS) / f64::from(TASKS) - MEAN_S;
        Ok(Costs { links: inside + between.as_str(), overhead_s, waking_s: waking_s.max(0.0) })
    }

    /// The program's own time, seconds.
    fn measured_s(&self, hosts: Option<&Hosts>, case: &Case) -> Result<f64> {
        let Launcher { before, mut words } = self.launcher(hosts, case.ranks)?;
        if hosts.is_some() {
            words.truncate(words.len() - 2); // not under midrun
        }
        let line: Vec<String> = before.into_iter().chain(words).collect();
        let output = Command::new(&line[0])
            .args(&line[1..])
            .args(example(&case.command).split_whitespace())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let what = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "{}: {said}{what}", case.command);
        let last = said.lines().last().context("no output")?;
        let time_s = match serde_json::from_str::<serde_json::Value>(last) {
            Ok(line) => line["total_s"].as_f64().or(line["seconds"].as_f64()),
            Err(_) => last.strip_prefix("total ").and_then(|rest| rest.split(' ').next()?.parse().ok()),
        };
        time_s.with_context(|| format!("no time in: {last}"))
    }
}

fn example(command: &str) -> String {
    let directory = if command.starts_with("pipe_plain") { "benches" } else { "examples" };
    prefix().join(format!("../../{directory}/build/openmpi")).join(command).display().to_string()
}

/// The predicted time, and the median time it takes to read and evaluate the description, seconds.
fn predicted(case: &Case, machine: &Machine) -> Result<(f64, f64)> {
    let text = format!("processes = {}\n{}", case.ranks, case.program);
    let mut times = Vec::new();
    let mut total_s = f64::NAN;
    for _ in 0..11 {
        let begin = Instant::now();
        total_s = simulate(&Program::from_toml(&text)?, machine, &Options::default())?.total_s;
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok((total_s, times[times.len() / 2]))
}

/// Peak resident memory of this process so far.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kib| kib / 1024.0)
}

/// Programs that no machine here can hold, on nodes of 64 cores.
fn size() -> Result<()> {
    let machine = Machine::from_toml(
        "node = [{ count = 20000, cores = 64 }]\ninside = { start_up = '1us', per_byte = '0.1ns', eager = '4KiB' }\n\
         between = { start_up = '3us', overhead = '0.5us', per_byte = '0.1ns', eager = '16KiB' }",
    )?;
    let farm = "run = ['steps']\n[element.steps]\nkind = 'loop'\ncount = 10\ndo = ['farm']\n[element.farm]\nkind = 'master-worker'\n\
                tasks = 1e6\ntask_s = 'max(0, normal(0.1, 0.04))'\ntechnique = 'dpf'\noverhead_s = 2e-6\ntask_bytes = 64\n";
    let by_hand = "run = ['master', 'rest', 'worker']\n[parameters]\nchunks = 20\n\
                   [element.master]\nkind = 'loop'\nwhen = 'rank == 0'\ncount = 'chunks * (processes - 1)'\nindex = 'i'\n\
                   do = ['give', 'take']\n[element.give]\nkind = 'send'\nto = 'i % (processes - 1) + 1'\nbytes = 640\n\
                   [element.take]\nkind = 'receive'\nwhen = 'i >= processes - 1'\n\
                   [element.rest]\nkind = 'loop'\nwhen = 'rank == 0'\ncount = 'processes - 1'\ndo = ['last']\n\
                   [element.last]\nkind = 'receive'\n\
                   [element.worker]\nkind = 'loop'\nwhen = 'rank > 0'\ncount = 'chunks'\ndo = ['get', 'work', 'back']\n\
                   [element.get]\nkind = 'receive'\nfrom = 0\n[element.work]\nkind = 'compute'\nseconds = 'max(0, normal(1, 0.2))'\n\
                   [element.back]\nkind = 'send'\nto = 0\nbytes = 80\n";
    let stencil = include_str!("../../../examples/models/stencil.toml");
    println!("\n{:>9} {:>12} {:>11} {:>8} {:>9}  program", "processes", "simulated s", "events", "in s", "peak MiB");
    for (name, processes, text) in [
        ("Master/Worker element, 10 x 1 000 000 tasks, DPF", 10_000, farm),
        ("Master/Worker by messages, 20 chunks per worker", 10_000, by_hand),
        ("examples/models/stencil.toml", 10_000, stencil),
    ] {
        let text = match text.starts_with("run") {
            true => format!("processes = {processes}\n{text}"),
            false => text.replace("workers = 8", &format!("workers = {processes}")).replace("= 4000", "= 40000"),
        };
        let begin = Instant::now();
        let Outcome { total_s, events, .. } = simulate(&Program::from_toml(&text)?, &machine, &Options::default())?;
        let (by_s, peak) = (begin.elapsed().as_secs_f64(), peak_mib().unwrap_or(f64::NAN));
        println!("{processes:>9} {total_s:>12.3} {events:>11} {by_s:>8.3} {peak:>9.0}  {name}");
    }
    Ok(())
}
