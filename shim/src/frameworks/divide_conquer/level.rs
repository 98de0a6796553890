//! What the problems of one depth took: from this the analyzer forecasts other cut-off depths.

use super::words::Words;

/// Times of several problems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    pub count: u64,
    pub sum_ns: u64,
    /// Sum of the squared times, seconds squared.
    pub squares_s2: f64,
    pub shortest_ns: u64,
    pub longest_ns: u64,
}

impl Default for Times {
    fn default() -> Times {
        Times { count: 0, sum_ns: 0, squares_s2: 0.0, shortest_ns: u64::MAX, longest_ns: 0 }
    }
}

impl Times {
    /// Adds one.
    pub fn add(&mut self, ns: u64) {
        let squares_s2 = (ns as f64 * 1e-9).powi(2);
        self.join(&Times { count: 1, sum_ns: ns, squares_s2, shortest_ns: ns, longest_ns: ns });
    }

    /// Adds all of another.
    pub fn join(&mut self, more: &Times) {
        self.count += more.count;
        self.sum_ns = self.sum_ns.saturating_add(more.sum_ns);
        self.squares_s2 += more.squares_s2;
        self.shortest_ns = self.shortest_ns.min(more.shortest_ns);
        self.longest_ns = self.longest_ns.max(more.longest_ns);
    }
}

/// The problems of one depth, of those that were timed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Each problem with all its parts: `divide`, the parts, `combine`; or `base`.
    pub solve: Times,
    /// `divide` and `combine` of each problem that was divided.
    pub own: Times,
    /// Each problem that was solved as it is.
    pub base: Times,
    /// Bytes of the problems, and of their results.
    pub problem_bytes: u64,
    pub result_bytes: u64,
}

impl Level {
    /// Adds all of another.
    pub fn join(&mut self, more: &Level) {
        self.solve.join(&more.solve);
        self.own.join(&more.own);
        self.base.join(&more.base);
        self.problem_bytes = self.problem_bytes.saturating_add(more.problem_bytes);
        self.result_bytes = self.result_bytes.saturating_add(more.result_bytes);
    }

    /// Appends it to a message.
    pub fn write(&self, to: &mut Vec<u8>) {
        let times = |t: &Times| [t.count, t.sum_ns, t.squares_s2.to_bits(), t.shortest_ns, t.longest_ns];
        let words = [times(&self.solve), times(&self.own), times(&self.base)];
        let bytes = [self.problem_bytes, self.result_bytes];
        words.into_iter().flatten().chain(bytes).for_each(|word| to.extend_from_slice(&word.to_le_bytes()));
    }

    /// Reads what [`Level::write`] wrote; `None` at the end of the message.
    pub fn read(from: &mut Words<'_>) -> Option<Level> {
        let mut times = || {
            let [count, sum_ns, squares, shortest_ns, longest_ns] = from.take()?;
            Some(Times { count, sum_ns, squares_s2: f64::from_bits(squares), shortest_ns, longest_ns })
        };
        let (solve, own, base) = (times()?, times()?, times()?);
        let [problem_bytes, result_bytes] = from.take()?;
        Some(Level { solve, own, base, problem_bytes, result_bytes })
    }
}

/// Adds `more` to what is known of `depth`.
pub fn join(levels: &mut Vec<Level>, depth: usize, more: &Level) {
    if levels.len() <= depth {
        levels.resize(depth + 1, Level::default());
    }
    levels[depth].join(more);
}
