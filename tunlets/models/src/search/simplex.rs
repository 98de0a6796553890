//! The simplex of Nelder and Mead on the values there are, then a walk over the neighbours of the best.

use super::observations::Observations;
use super::space::{Point, Space};
use crate::random::Random;

/// Steps that lead to nothing new before the simplex is taken to have collapsed.
const IDLE: usize = 60;
/// Part of a dimension that the first simplex spans.
const SPAN: f64 = 0.25;

/// A corner of the simplex: its position in value indices, and its time.
#[derive(Clone, Debug)]
struct Corner {
    at: Vec<f64>,
    time_s: f64,
}

#[derive(Clone, Debug)]
enum Step {
    /// Corner k of the first simplex, or after a shrink, is to be measured.
    Measure(usize),
    Reflect,
    Expand(Corner),
    Contract(Corner),
    Collapsed,
}

/// The state of a Nelder-Mead search.
#[derive(Clone, Debug)]
pub(super) struct Simplex {
    corners: Vec<Corner>,
    step: Step,
    random: Random,
    restarts: u32,
}

impl Simplex {
    /// Around `start`; after it has collapsed it begins so often elsewhere.
    pub(super) fn new(space: &Space, start: &Point, restarts: u32, random: Random) -> Simplex {
        let mut simplex = Simplex { corners: Vec::new(), step: Step::Measure(0), random, restarts };
        simplex.spread(space, start);
        simplex
    }

    fn spread(&mut self, space: &Space, start: &Point) {
        let at: Vec<f64> = start.iter().map(|place| *place as f64).collect();
        let mut all = vec![at.clone()];
        for (k, dimension) in space.dimensions.iter().enumerate() {
            let most = dimension.values.len() as f64 - 1.0;
            let far = (most * SPAN).max(1.0);
            let mut corner = at.clone();
            // To the side with more room.
            corner[k] += if at[k] * 2.0 <= most { far } else { -far };
            all.push(corner);
        }
        self.corners = all.into_iter().map(|at| Corner { at, time_s: f64::INFINITY }).collect();
        self.step = Step::Measure(0);
    }

    /// The next combination to be measured; `None`: the simplex and the walk over neighbours found nothing better.
    pub(super) fn next(&mut self, space: &Space, seen: &Observations) -> Option<Point> {
        for _ in 0..IDLE {
            if matches!(self.step, Step::Collapsed) {
                break;
            }
            if let Some(point) = self.advance(space, seen) {
                return Some(point);
            }
        }
        if let Some(point) = neighbour(space, seen) {
            return Some(point);
        }
        if self.restarts == 0 {
            return None;
        }
        self.restarts -= 1;
        let elsewhere = space.any(&mut self.random)?;
        self.spread(space, &elsewhere);
        (0..IDLE).find_map(|_| self.advance(space, seen))
    }

    /// One step as far as times are known; otherwise the combination whose time is needed.
    fn advance(&mut self, space: &Space, seen: &Observations) -> Option<Point> {
        let worst = self.corners.len() - 1;
        let step = std::mem::replace(&mut self.step, Step::Reflect);
        let needed = match &step {
            Step::Measure(k) => self.corners[*k].at.clone(),
            Step::Reflect => {
                self.corners.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
                if self.has_collapsed(space) {
                    self.step = Step::Collapsed;
                    return None;
                }
                self.along(-1.0)
            }
            Step::Expand(_) => self.along(-2.0),
            Step::Contract(reflected) if reflected.time_s < self.corners[worst].time_s => self.along(-0.5),
            Step::Contract(_) => self.along(0.5),
            Step::Collapsed => return None,
        };
        let corner = match known(space, seen, needed) {
            Ok(corner) => corner,
            Err(point) => {
                self.step = step;
                return Some(point);
            }
        };
        self.step = match step {
            Step::Measure(k) => {
                self.corners[k] = corner;
                if k == worst { Step::Reflect } else { Step::Measure(k + 1) }
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
            Step::Contract(_) => self.shrink(),
            Step::Collapsed => Step::Collapsed,
        };
        None
    }

    fn replace(&mut self, corner: Corner) -> Step {
        if let Some(worst) = self.corners.last_mut() {
            *worst = corner;
        }
        Step::Reflect
    }

    fn shrink(&mut self) -> Step {
        let best = self.corners[0].at.clone();
        for corner in &mut self.corners[1..] {
            corner.at.iter_mut().zip(&best).for_each(|(x, b)| *x = f64::midpoint(*x, *b));
        }
        Step::Measure(1)
    }

    /// On the line from the middle of all others towards the worst: -1 is its reflection.
    fn along(&self, share: f64) -> Vec<f64> {
        let (worst, others) = self.corners.split_last().map_or((&[][..], &[][..]), |(w, o)| (&w.at[..], o));
        let middle = |k: usize| others.iter().map(|corner| corner.at[k]).sum::<f64>() / others.len() as f64;
        (0..worst.len()).map(|k| middle(k) + share * (worst[k] - middle(k))).collect()
    }

    fn has_collapsed(&self, space: &Space) -> bool {
        let first = rounded(space, &self.corners[0].at);
        self.corners.iter().all(|corner| rounded(space, &corner.at) == first)
    }
}

fn rounded(space: &Space, at: &[f64]) -> Point {
    let place =
        |(x, dimension): (&f64, &super::Dimension)| x.round().clamp(0.0, dimension.values.len() as f64 - 1.0) as usize;
    at.iter().zip(&space.dimensions).map(place).collect()
}

/// The corner there, or the combination whose time is missing. A combination that the constraints forbid takes infinitely long.
fn known(space: &Space, seen: &Observations, at: Vec<f64>) -> Result<Corner, Point> {
    let point = rounded(space, &at);
    match seen.of(&point) {
        _ if !space.allows(&point) => Ok(Corner { at, time_s: f64::INFINITY }),
        Some(time_s) => Ok(Corner { at, time_s }),
        None => Err(point),
    }
}

/// A neighbour of the best combination that was not measured yet.
fn neighbour(space: &Space, seen: &Observations) -> Option<Point> {
    let (best, ..) = seen.ranking().into_iter().next()?;
    let steps = (0..best.len()).flat_map(|k| [(k, -1), (k, 1)]);
    let beside = |(k, step): (usize, isize)| {
        let mut point = best.clone();
        point[k] = point[k].checked_add_signed(step).filter(|at| *at < space.dimensions[k].values.len())?;
        (space.allows(&point) && seen.of(&point).is_none()).then_some(point)
    };
    steps.filter_map(beside).next()
}
