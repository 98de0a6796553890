//! A disturbance that lasts over several iterations, such as another job on the same node or a clock that slows down.

use midrun_models::random::Random;

/// An autoregressive process of first order, in logarithms of times.
#[derive(Clone, Copy, Debug)]
pub struct Disturbance {
    /// Logarithm of what it makes of an iteration's time now.
    pub now: f64,
    deviation: f64,
    /// Share of it that the next iteration keeps.
    kept: f64,
}

impl Disturbance {
    /// Of this standard deviation; it decays by one part in so many with each iteration.
    pub fn drawn(deviation: f64, iterations: f64, random: &mut Random) -> Disturbance {
        Disturbance { now: deviation * random.normal(), deviation, kept: 1.0 - 1.0 / iterations }
    }

    /// Goes on to the next iteration.
    pub fn advance(&mut self, random: &mut Random) {
        let anew = (1.0 - self.kept * self.kept).sqrt() * self.deviation;
        self.now = self.kept * self.now + anew * random.normal();
    }
}
