//! The POP efficiencies: how much of the processes' time was useful work.
//!
//! The POP Centre of Excellence (Performance Optimisation and Productivity, "POP Standard Metrics for Parallel Performance
//! Analysis", pop-coe.eu) defines, with the *useful* time of a process the one that it spends outside MPI:
//!
//! - load balance = mean of the useful times / their maximum
//! - communication efficiency = maximum of the useful times / run time
//! - parallel efficiency = load balance x communication efficiency = mean of the useful times / run time
//!
//! Beside them, the share of the time that the processes were ready to run and had no core (the *run delay* of Linux): other programs use
//! the hosts, or a hypervisor, or there are more ranks than cores.

use serde::Serialize;

/// Efficiencies of a set of processes; see the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Efficiency {
    /// 1 = all have equally much to do.
    pub load_balance: f64,
    /// 1 = the process with most to do is never in MPI.
    pub communication_efficiency: f64,
    /// Their product.
    pub parallel_efficiency: f64,
    /// Mean over the processes of run delay / time: over the run; or, of an iteration, as it was last read, and without what can have passed inside MPI,
    /// where a process that polls holds up nothing.
    pub run_delay: f64,
}

impl Efficiency {
    /// From the processes' useful times and the run time, seconds, without run delay. `None` where nothing was useful.
    pub fn of(useful_s: &[f64], runtime_s: f64) -> Option<Efficiency> {
        let longest_s = useful_s.iter().copied().fold(0.0, f64::max);
        let mean_s = useful_s.iter().sum::<f64>() / useful_s.len().max(1) as f64;
        let (load_balance, communication_efficiency) = (mean_s / longest_s, longest_s / runtime_s);
        (longest_s > 0.0 && runtime_s > 0.0).then_some(Efficiency {
            load_balance,
            communication_efficiency,
            parallel_efficiency: load_balance * communication_efficiency,
            run_delay: 0.0,
        })
    }

    /// With the processes' run delays as shares of their time.
    pub fn with_run_delay(self, shares: &[f64]) -> Efficiency {
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        Efficiency { run_delay: mean.clamp(0.0, 1.0), ..self }
    }
}
