//! The simplex of Nelder and Mead (1965) on whole numbers, as Active Harmony uses it: one measurement per corner, no noise
//! assumed. The peer of a search.

/// A corner: its place, and the time that was measured there.
#[derive(Clone, Debug)]
struct Corner {
    at: Vec<f64>,
    time_s: f64,
}

#[derive(Clone, Debug)]
enum Step {
    /// Corner k is to be measured: of the first simplex, or after it shrank.
    Measure(usize),
    Reflect,
    Expand(Corner),
    Contract(Corner),
    /// All corners are one: the best stays.
    Collapsed,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Simplex {
    range: (f64, f64),
    corners: Vec<Corner>,
    step: Step,
    asked: Vec<f64>,
}

/// Part of the range that the first simplex spans.
const SPAN: f64 = 0.25;

impl Simplex {
    /// Around `start`, whose coordinates lie in `range`.
    pub fn new(start: &[f64], range: (f64, f64)) -> Simplex {
        let corner = |at| Corner { at, time_s: f64::INFINITY };
        let mut corners = vec![corner(start.to_vec())];
        for k in 0..start.len() {
            let mut at = start.to_vec();
            let far = (range.1 - range.0) * SPAN;
            at[k] += if at[k] + far <= range.1 { far } else { -far };
            corners.push(corner(at));
        }
        Simplex { range, corners, step: Step::Measure(0), asked: start.to_vec() }
    }

    fn on_grid(&self, at: &[f64]) -> Vec<f64> {
        at.iter().map(|x| x.round().clamp(self.range.0, self.range.1)).collect()
    }

    /// Takes in the time of the place asked for last, at first that of the start; the place to measure next.
    pub fn next(&mut self, time_s: f64) -> Vec<f64> {
        if matches!(self.step, Step::Collapsed) {
            return self.asked.clone();
        }
        let at = self.place();
        self.advance(Corner { at, time_s });
        self.asked = match self.step {
            Step::Collapsed => self.on_grid(&self.corners[0].at),
            _ => self.on_grid(&self.place()),
        };
        self.asked.clone()
    }

    /// The place that the present step measures.
    fn place(&self) -> Vec<f64> {
        let worst = self.corners.len() - 1;
        match &self.step {
            Step::Measure(k) => self.corners[*k].at.clone(),
            Step::Reflect => self.along(-1.0),
            Step::Expand(_) => self.along(-2.0),
            Step::Contract(reflected) if reflected.time_s < self.corners[worst].time_s => self.along(-0.5),
            Step::Contract(_) => self.along(0.5),
            Step::Collapsed => self.corners[0].at.clone(),
        }
    }

    fn advance(&mut self, corner: Corner) {
        let worst = self.corners.len() - 1;
        self.step = match std::mem::replace(&mut self.step, Step::Reflect) {
            Step::Measure(k) => {
                self.corners[k] = corner;
                if k == worst { self.reflect() } else { Step::Measure(k + 1) }
            }
            Step::Reflect if corner.time_s < self.corners[0].time_s => Step::Expand(corner),
            Step::Reflect if corner.time_s < self.corners[worst - 1].time_s => self.replace(corner),
            Step::Reflect => Step::Contract(corner),
            Step::Expand(reflected) => {
                let better = if corner.time_s < reflected.time_s { corner } else { reflected };
                self.replace(better)
            }
            Step::Contract(reflected) if corner.time_s < reflected.time_s.min(self.corners[worst].time_s) => {
                self.replace(corner)
            }
            Step::Contract(_) => {
                let best = self.corners[0].at.clone();
                for corner in &mut self.corners[1..] {
                    corner.at.iter_mut().zip(&best).for_each(|(x, b)| *x = f64::midpoint(*x, *b));
                }
                if self.has_collapsed() { Step::Collapsed } else { Step::Measure(1) }
            }
            Step::Collapsed => Step::Collapsed,
        };
    }

    fn replace(&mut self, corner: Corner) -> Step {
        if let Some(worst) = self.corners.last_mut() {
            *worst = corner;
        }
        self.reflect()
    }

    fn reflect(&mut self) -> Step {
        self.corners.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        if self.has_collapsed() { Step::Collapsed } else { Step::Reflect }
    }

    /// On the line from the middle of all others towards the worst: -1 is its reflection.
    fn along(&self, share: f64) -> Vec<f64> {
        let (worst, others) = self.corners.split_last().map_or((&[][..], &[][..]), |(w, o)| (&w.at[..], o));
        let middle = |k: usize| others.iter().map(|corner| corner.at[k]).sum::<f64>() / others.len() as f64;
        (0..worst.len()).map(|k| middle(k) + share * (worst[k] - middle(k))).collect()
    }

    fn has_collapsed(&self) -> bool {
        let first = self.on_grid(&self.corners[0].at);
        self.corners.iter().all(|corner| self.on_grid(&corner.at) == first)
    }
}
