//! The search space: the values of each tuning point, and constraints on their combinations.
//!
//! A text per tuning point: `block=8..256 step 8`, `block=8,16,32,64`, `share=0.1..0.9 step 0.05`, `algorithm=0..3 categorical`.
//! `together` at the end is not about what is searched but about how it is set. In a condition, a dot in a name is written `_`: `mw_factor < 0.5`. Bounds that are whole numbers need no step. Values are ordered unless `categorical` says that they are only names.

use crate::expression::{Condition, Expression};
use crate::random::Random;

/// Most tuning points.
pub const MOST_DIMENSIONS: usize = 16;
/// Most values of one.
pub const MOST_VALUES: usize = 100_000;
/// Most conditions.
pub const MOST_CONDITIONS: usize = 64;
/// Largest number of combinations that are enumerated.
const COUNTED: u64 = 1 << 16;
/// Draws for an allowed combination.
const DRAWS: usize = 10_000;

/// One tuning point.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Its values, ascending, at least one.
    pub values: Vec<f64>,
    /// The values are names: neighbours have nothing in common.
    pub categorical: bool,
    /// Nobody said the step between its values: they are the whole numbers of a range.
    pub steps_by_one: bool,
    /// The value must change on all ranks at one moment. The search itself ignores this.
    pub synchronized: bool,
}

/// A combination: the index of each dimension's value.
pub type Point = Vec<usize>;

/// A search space.
#[derive(Clone, Debug)]
pub struct Space {
    /// The tuning points.
    pub dimensions: Vec<Dimension>,
    constraints: Vec<Condition>,
}

/// A sentence with the text's mistake and the correct form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpaceError(pub String);

fn wrong<T>(sentence: impl Into<String>) -> Result<T, SpaceError> {
    Err(SpaceError(sentence.into()))
}

impl Dimension {
    /// Reads one.
    ///
    /// # Errors
    /// A sentence with the text and what would be right.
    pub fn parse(text: &str) -> Result<Dimension, SpaceError> {
        let shape = "expected is NAME=LEAST..MOST, with step STEP behind it, or NAME=NUMBER,NUMBER,…, and at the end categorical or \
                     synchronized, or both";
        let Some((name, rest)) = text.split_once('=') else { return wrong(format!("{text}: {shape}")) };
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return wrong(format!("{text}: {shape}"));
        }
        // `together` is the spelling of version 0.1.
        let (rest, [categorical, synchronized, together]) =
            words_behind(rest, ["categorical", "synchronized", "together"]);
        let synchronized = synchronized || together;
        let number = |word: &str| word.trim().parse().ok().filter(|x: &f64| x.is_finite());
        if let Some(word) =
            rest.split(',').find(|word| !word.contains("..") && !word.trim().is_empty() && number(word).is_none())
        {
            return wrong(format!("{text}: {} is no number: {shape}", word.trim()));
        }
        let steps_by_one = rest.contains("..") && !rest.contains("step");
        let values = match rest.split_once("..") {
            None => rest.split(',').map(number).collect::<Option<Vec<f64>>>(),
            Some((least, tail)) => {
                let (most, step) = match tail.split_once("step") {
                    Some((most, step)) => (most, Some(step)),
                    None => (tail, None),
                };
                match (number(least), number(most), step.map(number)) {
                    (Some(least), Some(most), None) if least.fract() != 0.0 || most.fract() != 0.0 => {
                        return wrong(format!(
                            "{text}: say the step, such as {least}..{most} step {}",
                            (most - least) / 10.0
                        ));
                    }
                    (Some(least), Some(most), None) => steps(text, least, most, 1.0)?,
                    (Some(least), Some(most), Some(Some(step))) => steps(text, least, most, step)?,
                    _ => None,
                }
            }
        };
        let Some(mut values) = values.filter(|values| !values.is_empty()) else {
            return wrong(format!("{text}: {shape}"));
        };
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() > MOST_VALUES {
            return wrong(format!("{text}: {} values, allowed are {MOST_VALUES}", values.len()));
        }
        Ok(Dimension { name: name.to_owned(), values, categorical, steps_by_one, synchronized })
    }

    /// The place of the value nearest to `value`.
    pub fn nearest(&self, value: f64) -> usize {
        let far = |at: &usize| (self.values[*at] - value).abs();
        (0..self.values.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    }
}

/// The text before the trailing `words`, and which of them are present.
fn words_behind<'a, const N: usize>(text: &'a str, words: [&str; N]) -> (&'a str, [bool; N]) {
    let (mut rest, mut there) = (text.trim(), [false; N]);
    while let Some((at, before)) = (0..N).find_map(|at| Some((at, rest.strip_suffix(words[at])?))) {
        (rest, there[at]) = (before.trim_end(), true);
    }
    (rest, there)
}

fn steps(text: &str, least: f64, most: f64, step: f64) -> Result<Option<Vec<f64>>, SpaceError> {
    if step <= 0.0 || least > most {
        return wrong(format!("{text}: a least value, a greater one, and a step above 0 are expected"));
    }
    let count = ((most - least) / step * (1.0 + 1e-12)).floor();
    if count >= MOST_VALUES as f64 {
        return wrong(format!("{text}: allowed are {MOST_VALUES} values, and a larger step makes fewer"));
    }
    // Rounded to what people write, so that 0.1 + 2 * 0.1 is 0.3.
    let tidy = |x: f64| (x * 1e12).round() / 1e12;
    let value =
        |k: usize| if step.fract() == 0.0 { least + k as f64 * step } else { tidy(least + k as f64 * step).min(most) };
    Ok(Some((0..=count as usize).map(value).collect()))
}

impl Space {
    /// Reads a space: texts of tuning points, and conditions over their names such as `a * b <= 1024`.
    ///
    /// # Errors
    /// A sentence with the text and what would be right.
    ///
    /// ```
    /// use midrun_models::search::Space;
    /// let space = Space::parse(["a=1..8", "b=16,32,64"], ["a * b <= 128"])?;
    /// assert_eq!(space.allowed_points(100).map(|points| points.len()), Some(14));
    /// # Ok::<(), midrun_models::search::SpaceError>(())
    /// ```
    pub fn parse<'a>(
        points: impl IntoIterator<Item = &'a str>,
        constraints: impl IntoIterator<Item = &'a str>,
    ) -> Result<Space, SpaceError> {
        // Before they are read: a short text may name many values.
        let points: Vec<&str> = points.into_iter().collect();
        if points.is_empty() || points.len() > MOST_DIMENSIONS {
            return wrong(format!("{} tuning points, allowed are 1 to {MOST_DIMENSIONS}", points.len()));
        }
        let dimensions: Vec<Dimension> = points.into_iter().map(Dimension::parse).collect::<Result<_, _>>()?;
        let names: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        if let Some(at) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
            return wrong(format!("{} is named twice", names[at]));
        }
        // A dot ends a name in expressions.
        let written: Vec<String> = names.iter().map(|name| name.replace('.', "_")).collect();
        let written: Vec<&str> = written.iter().map(String::as_str).collect();
        let condition = |text: &str| {
            let parsed = Expression::parse(text).map_err(|error| SpaceError(format!("{text}: {error}")))?;
            Condition::new(&parsed, &written).map_err(|what| SpaceError(format!("{text}: {what}")))
        };
        let constraints: Vec<&str> = constraints.into_iter().collect();
        if constraints.len() > MOST_CONDITIONS {
            return wrong(format!("{} conditions, allowed are {MOST_CONDITIONS}", constraints.len()));
        }
        let constraints = constraints.into_iter().map(condition).collect::<Result<_, _>>()?;
        let space = Space { dimensions, constraints };
        if space.any(&mut Random::new(0)).is_none() {
            return wrong("the constraints leave no combination of values");
        }
        Ok(space)
    }

    /// The same with only the values that a tuning point takes, which may be `whole` numbers only; `None` where it takes
    /// none of them.
    pub fn within(mut self, dimension: usize, (least, most): (f64, f64), whole: bool) -> Option<Space> {
        let takes = |value: &f64| (least..=most).contains(value) && (!whole || value.fract() == 0.0);
        self.dimensions[dimension].values.retain(takes);
        let left = self.dimensions.iter().all(|dimension| !dimension.values.is_empty());
        left.then_some(self).filter(|space| space.any(&mut Random::new(0)).is_some())
    }

    /// Combinations, allowed or not; the largest number where there are more.
    pub fn size(&self) -> u64 {
        self.dimensions.iter().fold(1, |size: u64, dimension| size.saturating_mul(dimension.values.len() as u64))
    }

    /// The values of a combination.
    pub fn values(&self, point: &Point) -> Vec<f64> {
        point.iter().zip(&self.dimensions).map(|(at, dimension)| dimension.values[*at]).collect()
    }

    /// The combination of the values nearest to `values`, whether it is allowed or not.
    pub fn nearest(&self, values: &[f64]) -> Point {
        values.iter().zip(&self.dimensions).map(|(value, dimension)| dimension.nearest(*value)).collect()
    }

    /// The combination of exactly these values, if there is one and it is allowed.
    pub fn exactly(&self, values: &[f64]) -> Option<Point> {
        let whole = values.len() == self.dimensions.len();
        let point = self.nearest(values);
        (whole && self.values(&point) == values && self.allows(&point)).then_some(point)
    }

    /// True where all constraints hold.
    pub fn allows(&self, point: &Point) -> bool {
        let values = self.values(point);
        self.constraints.iter().all(|condition| condition.holds(&values))
    }

    /// All allowed combinations in order; `None` where they are more than `most`, or too many to look.
    pub fn allowed_points(&self, most: usize) -> Option<Vec<Point>> {
        if self.size() > COUNTED {
            return None;
        }
        let mut all = Vec::new();
        let mut point = vec![0; self.dimensions.len()];
        loop {
            if self.allows(&point) {
                all.push(point.clone());
                if all.len() > most {
                    return None;
                }
            }
            let Some(at) = (0..point.len()).rev().find(|at| point[*at] + 1 < self.dimensions[*at].values.len()) else {
                return Some(all);
            };
            point[at] += 1;
            point[at + 1..].fill(0);
        }
    }

    /// A random allowed combination; `None` where none is found.
    pub fn any(&self, random: &mut Random) -> Option<Point> {
        let draw = |random: &mut Random| {
            self.dimensions.iter().map(|dimension| random.below(dimension.values.len())).collect()
        };
        (0..DRAWS).map(|_| draw(random)).find(|point| self.allows(point)).or_else(|| {
            let all = self.allowed_points(COUNTED as usize)?;
            all.get(random.below(all.len())).cloned()
        })
    }
}
