//! Closed Master/Worker model: the time of a balanced iteration with n workers, and the best number of workers.
//!
//! César 2006, ch. III. A message of v bytes costs `start_up + per_byte v`; each worker gets `alpha V/n` bytes, returns
//! `(1 - alpha) V/n` and computes `Tc/n`. Seconds and bytes throughout; `n` is a number of workers, at least 1.

use crate::distribution::{fine, positive};

/// Behaviour of the master's sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Sends return before the worker has the message: below the MPI's eager limit.
    Async,
    /// Each send lasts as long as its bytes travel: above the eager limit.
    Sync,
}

/// Inputs of expressions (7) to (17).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Start-up time of one message, `mo`, seconds.
    pub start_up_s: f64,
    /// Time of one byte, `lambda`, seconds.
    pub per_byte_s: f64,
    /// Bytes of one iteration in both directions, `V`; with one worker where it grows.
    pub volume_bytes: f64,
    /// Share of V that the master sends, `alpha`, 0 to 1.
    pub master_share: f64,
    /// Compute time of all workers in one iteration, `Tc`, seconds.
    pub compute_s: f64,
    /// The master's time to prepare the next iteration, `mu_m`, seconds.
    pub prepare_s: f64,
    /// Behaviour of the master's sends.
    pub protocol: Protocol,
    /// Growth of V with each further worker, as a share of that with one: 0 = the workers share the same bytes, 1 = each brings
    /// its own.
    pub growth: f64,
}

/// How an optimum becomes a whole number of workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To the neighbour that is better.
    #[default]
    Best,
    /// Down, as the source's figures do (César 2006, figs 26 and 27).
    Down,
}

/// A value of a [`Model`] or pipeline outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be {allowed}")]
pub struct ModelError {
    /// Name of the value.
    pub what: &'static str,
    /// The allowed values.
    pub allowed: &'static str,
}

/// The error for `what` unless it is `good`.
pub(crate) fn need(good: bool, what: &'static str, allowed: &'static str) -> Result<(), ModelError> {
    if good { Ok(()) } else { Err(ModelError { what, allowed }) }
}

impl Model {
    /// Refuses what no program can have: NaN, infinite and negative values, a share beyond 1, no work, free messages.
    ///
    /// # Errors
    /// The first such value.
    pub fn checked(self) -> Result<Model, ModelError> {
        need(positive(self.start_up_s), "the start-up time of a message", "above 0")?;
        need(fine(self.per_byte_s), "the time of a byte", "0 or more")?;
        need(fine(self.volume_bytes), "the volume", "0 or more")?;
        need(fine(self.master_share) && self.master_share <= 1.0, "the master's share", "between 0 and 1")?;
        need(positive(self.compute_s), "the compute time", "above 0")?;
        need(fine(self.prepare_s), "the master's time to prepare", "0 or more")?;
        need(fine(self.growth) && self.growth <= 1.0, "the growth of the volume", "between 0 and 1 per worker")?;
        Ok(self)
    }

    /// V with `n` workers, bytes.
    fn volume(&self, n: f64) -> f64 {
        self.volume_bytes * (1.0 + self.growth * (n - 1.0))
    }

    /// True where a message's start-up time outweighs its bytes: then (7) and (10) hold instead of (8) and (11).
    pub fn start_up_dominates(&self, n: f64) -> bool {
        self.start_up_s >= self.per_byte_s * self.master_share * self.volume(n) / n
    }

    /// Tt(n): iteration time by (7), (8) or (9), seconds.
    pub fn iteration_s(&self, n: u32) -> f64 {
        self.time_s(f64::from(n.max(1)))
    }

    fn time_s(&self, n: f64) -> f64 {
        let bytes_s = self.per_byte_s * self.volume(n);
        let serial = (n - 1.0) * self.master_share + 1.0;
        let (messages, sending_s) = match self.protocol {
            Protocol::Async if self.start_up_dominates(n) => (n + 1.0, bytes_s),
            Protocol::Async => (2.0, serial * bytes_s),
            Protocol::Sync => (n + 1.0, serial * bytes_s),
        };
        messages * self.start_up_s + (sending_s + self.compute_s) / n + self.prepare_s
    }

    /// Efficiency Tc/(n Tt(n)), 0 to 1.
    pub fn efficiency(&self, n: u32) -> f64 {
        self.compute_s / (f64::from(n.max(1)) * self.iteration_s(n))
    }

    /// Pi(n) = n Tt(n)² / Tc (17), seconds: to be minimised. Past its minimum more workers cost more than they give.
    pub fn pi_s(&self, n: u32) -> f64 {
        self.iteration_s(n) / self.efficiency(n)
    }

    /// The most workers that the master can feed before the first answer is back, (10), (11), (12), not rounded.
    /// Infinite where there is no limit.
    pub fn mcmc(&self) -> f64 {
        // Where V grows the expressions are taken at the n they give: a fixed point.
        let mut n = 1.0;
        for _ in 0..200 {
            let next = self.mcmc_for(self.volume(n));
            if !next.is_finite() || (next - n).abs() <= 1e-9 * n {
                return next;
            }
            n = if self.growth == 0.0 { next } else { 0.5 * (n + next) };
        }
        n
    }

    fn mcmc_for(&self, volume: f64) -> f64 {
        let (mo, bytes_s, back_s) =
            (self.start_up_s, self.per_byte_s * volume, (1.0 - self.master_share) * self.per_byte_s * volume);
        let sent_s = self.master_share * bytes_s;
        match self.protocol {
            Protocol::Async => {
                let by_start_up = 1.0 + (1.0 + (back_s + self.compute_s) / mo).sqrt(); // (10)
                let per_message_s = sent_s - mo;
                let by_bytes = (bytes_s + self.compute_s) / per_message_s; // (11)
                match () {
                    () if self.start_up_dominates(by_start_up) => by_start_up,
                    () if per_message_s <= 0.0 => f64::INFINITY,
                    () => by_bytes,
                }
            }
            Protocol::Sync => {
                let b = sent_s - 2.0 * mo; // (12)
                let root = (b * b + 4.0 * mo * (bytes_s + self.compute_s)).sqrt();
                (root - b) / (2.0 * mo)
            }
        }
    }

    /// Workers for the shortest iteration, not rounded: (13) to (16), and where the derivative of (7), (8) or (9) is 0 if V grows by
    /// another share.
    pub fn n_opt(&self) -> f64 {
        let (mo, g, bytes_s) = (self.start_up_s, self.growth, self.per_byte_s * self.volume_bytes);
        // The parts of Tt that fall with n, and that grow with it.
        let (falls_s, grows_s) =
            ((1.0 - self.master_share) * (1.0 - g) * bytes_s + self.compute_s, self.master_share * g * bytes_s);
        match self.protocol {
            Protocol::Sync => (falls_s / (mo + grows_s)).sqrt(), // (14), (16)
            Protocol::Async => {
                let by_start_up = (((1.0 - g) * bytes_s + self.compute_s) / mo).sqrt(); // (13), (15)
                let by_bytes = (falls_s / grows_s).sqrt();
                match () {
                    () if self.start_up_dominates(by_start_up.max(1.0)) => by_start_up,
                    () if by_bytes.is_finite() && !self.start_up_dominates(by_bytes.max(1.0)) => by_bytes,
                    // (8) still falls where (7) takes over, or where the master is full.
                    () => ((1.0 - g) * self.master_share * bytes_s / (mo - grows_s)).min(self.mcmc()),
                }
            }
        }
        .max(1.0)
    }

    /// [`Model::n_opt`] as a whole number. Where the master is full before (8) has ended, it is not exceeded.
    pub fn fastest_workers(&self, rounding: Rounding) -> u32 {
        let n = self.n_opt();
        let (down, up) = (n.floor() as u32, n.ceil() as u32);
        let is_full = n == self.mcmc();
        if rounding == Rounding::Best && !is_full && self.iteration_s(up) < self.iteration_s(down) { up } else { down }
    }

    /// The number of workers within `1..=most` and the MCMC that minimises Pi: the whole number, or the root of its derivative
    /// rounded down.
    pub fn pi_workers(&self, most: u32, rounding: Rounding) -> u32 {
        let most = (self.mcmc().floor().max(1.0) as u32).min(most.max(1));
        let better = |best: u32, n: u32| if self.pi_s(n) < self.pi_s(best) { n } else { best };
        let best = (1..=most).fold(1, better);
        // The root lies within one of the best whole number; below this one where Pi grows there.
        let pi = |n: f64| n * self.time_s(n).powi(2);
        let step = f64::EPSILON.cbrt() * f64::from(best);
        let is_past = pi(f64::from(best) + step) > pi(f64::from(best) - step);
        if rounding == Rounding::Down && is_past { (best - 1).max(1) } else { best }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The source's network: mo = 1 ms, lambda = 1 us/B, alpha = 0.9.
    fn model(volume_bytes: f64, compute_ms: f64, protocol: Protocol) -> Model {
        Model {
            start_up_s: 1e-3,
            per_byte_s: 1e-6,
            volume_bytes,
            master_share: 0.9,
            compute_s: compute_ms * 1e-3,
            prepare_s: 0.0,
            protocol,
            growth: 0.0,
        }
    }

    const MIB: f64 = 1_048_576.0;

    #[test]
    fn iteration_times_are_those_of_the_source() {
        let m = model(4096.0, 1600.0, Protocol::Async);
        for (n, ms) in [(15, 122.939_733), (20, 101.2048), (30, 84.469_867), (40, 81.1024)] {
            assert!((m.iteration_s(n) * 1e3 - ms).abs() < 1e-5, "{n}: {}", m.iteration_s(n) * 1e3);
        }
        assert_eq!(m.n_opt().floor(), 40.0);
        assert_eq!(m.pi_workers(400, Rounding::Best), 23);
        assert!((m.iteration_s(23) * 1e3 - 93.7433).abs() < 1e-4);
    }

    #[test]
    fn limits_and_optima_are_those_of_the_source() {
        let small = model(1024.0, 2000.0, Protocol::Async);
        assert_eq!((small.n_opt().floor(), small.mcmc().floor()), (44.0, 45.0));
        let large = model(MIB, 2000.0, Protocol::Async);
        assert_eq!((large.mcmc().floor(), large.n_opt().floor()), (3.0, 3.0));
        assert_eq!(model(MIB, 2000.0, Protocol::Sync).n_opt().floor(), 45.0);
        let growing = Model { growth: 1.0, ..model(1024.0, 2000.0, Protocol::Sync) };
        assert_eq!(growing.n_opt().floor(), 32.0);
    }

    #[test]
    fn whole_numbers_are_the_better_neighbours_and_on_request_those_of_the_source() {
        // T4.F26: Pi minimum printed 10, root 10.84. T4.F27: 22, root 22.80; n_opt 44 of 44.7.
        let f26 = model(204_800.0, 2000.0, Protocol::Async);
        let f27 = model(20_480.0, 2000.0, Protocol::Sync);
        let pi = |m: &Model| [Rounding::Best, Rounding::Down].map(|rounding| m.pi_workers(200, rounding));
        assert_eq!((pi(&f26), pi(&f27)), ([11, 10], [23, 22]));
        assert_eq!([Rounding::Best, Rounding::Down].map(|rounding| f27.fastest_workers(rounding)), [45, 44]);
        // One more worker is a good deal faster where few are best.
        let few = model(0.0, 5.0, Protocol::Async);
        assert!((few.n_opt() - 5.0_f64.sqrt()).abs() < 1e-12);
        let some = model(0.0, 3.6, Protocol::Async);
        assert_eq!((some.fastest_workers(Rounding::Best), some.fastest_workers(Rounding::Down)), (2, 1));
        assert!(some.iteration_s(1) > 1.15 * some.iteration_s(2));
    }

    #[test]
    fn between_constant_and_proportional_lies_a_growth_by_a_share() {
        let of = |growth| Model { growth, ..model(10_240.0, 5000.0, Protocol::Sync) };
        let n: Vec<u32> = [0.0, 0.1, 0.3, 1.0].map(|growth| of(growth).fastest_workers(Rounding::Best)).into();
        assert!(n.is_sorted_by(|a, b| a > b), "{n:?}");
        assert!((of(0.1).volume(11.0) / 10_240.0 - 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_no_program_can_have_is_refused_by_name() {
        let good = model(1024.0, 2000.0, Protocol::Async);
        assert!(good.checked().is_ok());
        let error = Model { compute_s: 0.0, ..good }.checked().unwrap_err();
        assert_eq!(error.to_string(), "the compute time must be above 0");
        for bad in [
            Model { start_up_s: f64::NAN, ..good },
            Model { per_byte_s: -1.0, ..good },
            Model { volume_bytes: f64::INFINITY, ..good },
            Model { master_share: 1.1, ..good },
            Model { prepare_s: f64::NAN, ..good },
            Model { growth: 1.1, ..good },
        ] {
            assert!(bad.checked().is_err());
        }
    }

    proptest! {
        /// The closed expressions are minima of Tt: no neighbour is more than rounding better.
        #[test]
        fn n_opt_is_where_the_iteration_is_shortest(
            compute_ms in 10.0_f64..5000.0, volume in 0.0_f64..4096.0, sync in any::<bool>(), growth in 0.0_f64..=1.0,
        ) {
            let protocol = if sync { Protocol::Sync } else { Protocol::Async };
            let m = Model { growth, ..model(volume / (1.0 + 7.0 * growth), compute_ms, protocol) };
            let n = m.n_opt();
            let best = m.iteration_s(m.fastest_workers(Rounding::Best));
            for other in 1..400 {
                prop_assert!(best <= m.iteration_s(other) * (1.0 + 1e-9), "{n} and {other}");
            }
        }

        #[test]
        fn pi_has_its_minimum_at_or_before_the_fastest(
            compute_ms in 1.0_f64..10_000.0, volume in 0.0_f64..1e7, share in 0.0_f64..=1.0, sync in any::<bool>(),
        ) {
            let protocol = if sync { Protocol::Sync } else { Protocol::Async };
            let m = Model { master_share: share, ..model(volume, compute_ms, protocol) }.checked().unwrap();
            let most = m.mcmc().floor().clamp(1.0, 500.0) as u32;
            let fastest = (1..=most).min_by(|a, b| m.iteration_s(*a).total_cmp(&m.iteration_s(*b))).unwrap();
            prop_assert!(m.pi_workers(500, Rounding::Best) <= fastest);
            prop_assert!(m.mcmc() >= 1.0 && m.n_opt() >= 1.0);
            prop_assert!((1..=most).all(|n| m.efficiency(n) > 0.0 && m.efficiency(n) <= 1.0 + 1e-9));
        }
    }
}
