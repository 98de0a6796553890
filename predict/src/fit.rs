//! Cost functions from measurements: one term of the parameters and a constant, chosen by cross-validation.
//!
//! A cost is `c`, `c g` or `c + d g`, where the term g is a power of a parameter, of its logarithm, or a product of two such
//! (the performance model normal form: Calotoiu, Hoefler, Poke, Wolf, *Using automated performance modeling to find scalability bugs in
//! complex codes*, SC 2013). Coefficients are those of least squares of the relative errors. Of all forms the one is taken whose
//! predictions of samples that were left out, one at a time, are nearest; of equals the shorter one.

use std::collections::BTreeMap;

/// Exponents of a parameter and of its logarithm to base 2.
const POWERS: [(f64, u32); 11] =
    [(1.0, 0), (0.5, 0), (2.0, 0), (3.0, 0), (-1.0, 0), (-0.5, 0), (0.0, 1), (1.0, 1), (1.5, 0), (2.0, 1), (-1.0, 1)];
/// Share by which a longer form must be nearer than a shorter one: what is nearer by less is rounding.
const NEARER: f64 = 1e-6;

/// One measurement: the parameters of its run, and the value, above 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// By name.
    pub parameters: BTreeMap<String, f64>,
    /// What was measured.
    pub value: f64,
}

/// A cost function.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// As an expression of the parameters.
    pub expression: String,
    /// Coefficients with their standard errors; the error is not known where there are as many coefficients as samples.
    pub coefficients: Vec<(f64, Option<f64>)>,
    /// Relative errors of the samples, each predicted from the others, in ascending order; empty for one sample.
    pub left_out: Vec<f64>,
}

impl Fitted {
    /// Median and worst relative error of samples that were left out.
    pub fn errors(&self) -> Option<(f64, f64)> {
        let worst = self.left_out.last()?;
        Some((self.left_out[self.left_out.len() / 2], *worst))
    }
}

/// A term: parameters with their powers; none is the constant 1.
type Term = Vec<(String, f64, u32)>;

/// The cost function of these samples; `None` without any, or where one is not above 0 and finite.
pub fn fit(samples: &[Sample]) -> Option<Fitted> {
    if samples.is_empty() || samples.iter().any(|sample| !(sample.value.is_finite() && sample.value > 0.0)) {
        return None;
    }
    let mut best: Option<(f64, Vec<Term>, Vec<f64>)> = None;
    for form in forms(samples) {
        let Some(left_out) = cross_validated(samples, &form) else { continue };
        let far: f64 = left_out.iter().map(|error| error * error).sum();
        if best.as_ref().is_none_or(|(least, ..)| far + 1e-24 < least * (1.0 - NEARER)) {
            best = Some((far, form, left_out));
        }
    }
    let (_, form, mut left_out) = best?;
    left_out.sort_by(f64::total_cmp);
    let values = solve(samples, &form)?;
    let coefficients = with_errors(samples, &form, &values);
    Some(Fitted { expression: expression(&form, &values), coefficients, left_out })
}

/// All forms that so many samples can tell apart, the shortest first.
fn forms(samples: &[Sample]) -> Vec<Vec<Term>> {
    let constant: Term = Vec::new();
    let mut names: Vec<&String> = samples.iter().flat_map(|sample| sample.parameters.keys()).collect();
    names.sort();
    names.dedup();
    let varies = |name: &&String| {
        let values: Vec<_> = samples.iter().filter_map(|sample| sample.parameters.get(*name)).collect();
        values.len() == samples.len() && values.iter().any(|value| *value != values[0])
    };
    let one = |name: &String| POWERS.map(|(power, log)| vec![(name.clone(), power, log)]);
    let singles: Vec<Vec<Term>> = names.into_iter().filter(varies).map(|name| one(name).to_vec()).collect();
    let mut terms: Vec<Term> = singles.iter().flatten().cloned().collect();
    for (index, left) in singles.iter().enumerate() {
        for right in &singles[index + 1..] {
            terms.extend(left.iter().flat_map(|a| right.iter().map(move |b| [a.clone(), b.clone()].concat())));
        }
    }
    let mut all = vec![vec![constant.clone()]];
    if samples.len() >= 3 {
        all.extend(terms.iter().map(|term| vec![term.clone()]));
    }
    if samples.len() >= 4 {
        all.extend(terms.into_iter().map(|term| vec![constant.clone(), term]));
    }
    all
}

/// The value of a term; not finite where it has none.
fn value(term: &Term, parameters: &BTreeMap<String, f64>) -> f64 {
    let one = |(name, power, log): &(String, f64, u32)| {
        let x = parameters.get(name).copied().unwrap_or(f64::NAN);
        x.powf(*power) * if *log > 0 { x.log2() } else { 1.0 }
    };
    term.iter().map(one).product()
}

/// Coefficients of least relative squares; `None` where they are not determined.
fn solve<'s>(samples: impl IntoIterator<Item = &'s Sample>, form: &[Term]) -> Option<Vec<f64>> {
    let (mut aa, mut ab, mut bb, mut ay, mut by, mut count) = (0.0, 0.0, 0.0, 0.0, 0.0, 0_usize);
    for sample in samples {
        let a = value(&form[0], &sample.parameters) / sample.value;
        let b = form.get(1).map_or(0.0, |term| value(term, &sample.parameters) / sample.value);
        (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
        (ay, by) = (ay + a, by + b);
        count += 1;
    }
    let solved = match form.len() {
        1 => vec![ay / aa],
        _ => {
            let determinant = aa * bb - ab * ab;
            if count < 2 || determinant.is_nan() || determinant <= 1e-12 * aa * bb {
                return None;
            }
            vec![(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant]
        }
    };
    // A cost that falls below 0 somewhere is none.
    solved.iter().all(|c| c.is_finite() && *c >= 0.0).then_some(solved)
}

fn predicted(form: &[Term], coefficients: &[f64], sample: &Sample) -> f64 {
    form.iter().zip(coefficients).map(|(term, c)| c * value(term, &sample.parameters)).sum()
}

/// The relative error of each sample, predicted from the others.
fn cross_validated(samples: &[Sample], form: &[Term]) -> Option<Vec<f64>> {
    if samples.len() == 1 {
        return Some(Vec::new());
    }
    let error = |(index, sample): (usize, &Sample)| {
        let others = samples.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, sample)| sample);
        let coefficients = solve(others, form)?;
        let error = (predicted(form, &coefficients, sample) / sample.value - 1.0).abs();
        error.is_finite().then_some(error)
    };
    samples.iter().enumerate().map(error).collect()
}

/// Standard errors from the scatter of the samples about the fit.
fn with_errors(samples: &[Sample], form: &[Term], coefficients: &[f64]) -> Vec<(f64, Option<f64>)> {
    let freedom = samples.len().saturating_sub(form.len());
    let off: f64 =
        samples.iter().map(|sample| (predicted(form, coefficients, sample) / sample.value - 1.0).powi(2)).sum();
    let sums = |k: usize, l: usize| -> f64 {
        let x = |k: usize, sample: &Sample| value(&form[k], &sample.parameters) / sample.value;
        samples.iter().map(|sample| x(k, sample) * x(l, sample)).sum()
    };
    let inverse = |k: usize| match form.len() {
        1 => 1.0 / sums(0, 0),
        _ => sums(1 - k, 1 - k) / (sums(0, 0) * sums(1, 1) - sums(0, 1).powi(2)),
    };
    let error = |k: usize| (freedom > 0).then(|| (off / freedom as f64 * inverse(k)).sqrt());
    coefficients.iter().enumerate().map(|(k, c)| (*c, error(k))).collect()
}

fn expression(form: &[Term], coefficients: &[f64]) -> String {
    let factor = |(name, power, log): &(String, f64, u32)| {
        let power = match *power {
            0.0 => None,
            1.0 => Some(name.clone()),
            power => Some(format!("{name} ^ ({power})")),
        };
        let log = (*log > 0).then(|| format!("log2({name})"));
        power.into_iter().chain(log).collect::<Vec<_>>().join(" * ")
    };
    let summand = |(term, c): (&Term, &f64)| {
        let factors = term.iter().map(factor);
        std::iter::once(format!("{c:.6e}")).chain(factors).collect::<Vec<_>>().join(" * ")
    };
    form.iter().zip(coefficients).map(summand).collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples(law: impl Fn(f64, f64) -> f64, points: &[(f64, f64)]) -> Vec<Sample> {
        let one = |(n, m): &(f64, f64)| {
            let parameters = BTreeMap::from([("m".to_owned(), *m), ("n".to_owned(), *n)]);
            Sample { parameters, value: law(*n, *m) }
        };
        points.iter().map(one).collect()
    }

    const GRID: [(f64, f64); 6] = [(10.0, 3.0), (20.0, 3.0), (40.0, 5.0), (80.0, 2.0), (120.0, 8.0), (160.0, 4.0)];

    #[test]
    fn laws_are_found_from_their_values() {
        let of = |law: fn(f64, f64) -> f64| fit(&samples(law, &GRID)).unwrap();
        assert_eq!(of(|_, _| 7.0).expression, "7.000000e0");
        assert_eq!(of(|n, _| 2e-6 * n * n).expression, "2.000000e-6 * n ^ (2)");
        assert_eq!(of(|n, _| 1e-3 + 2e-6 * n * n * n).expression, "1.000000e-3 + 2.000000e-6 * n ^ (3)");
        assert_eq!(of(|n, _| 3.0 * n * n.log2()).expression, "3.000000e0 * n * log2(n)");
        assert_eq!(of(|n, m| 0.5 * n * m).expression, "5.000000e-1 * m * n");
        assert!(of(|n, m| 1.0 + n / m).errors().unwrap().1 < 1e-9);
    }

    #[test]
    fn what_is_left_out_tells_how_far_a_cost_is_off() {
        // Two samples cannot tell a law from a constant: each predicts the other by its own value.
        let two = fit(&samples(|n, _| n, &GRID[..2])).unwrap();
        assert_eq!(two.left_out.len(), 2);
        assert!((two.errors().unwrap().1 - 1.0).abs() < 1e-12, "{two:?}");
        let one = fit(&samples(|n, _| n, &GRID[..1])).unwrap();
        assert_eq!((one.errors(), one.expression.as_str()), (None, "1.000000e1"));
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&samples(|_, _| 0.0, &GRID)), None);
    }

    proptest! {
        #[test]
        fn a_fit_of_scattered_values_is_near_their_law_and_names_the_scatter(
            noise in prop::collection::vec(-0.02_f64..0.02, 6), power in 0_usize..4,
        ) {
            let power = [0.0, 1.0, 2.0, 3.0][power];
            let mut all = samples(|n, _| 1e-4 * n.powf(power), &GRID);
            all.iter_mut().zip(&noise).for_each(|(sample, by)| sample.value *= 1.0 + by);
            let fitted = fit(&all).unwrap();
            let (median, worst) = fitted.errors().unwrap();
            prop_assert!(median <= worst && worst < 0.15, "{:?}", fitted);
            let parsed = midrun_models::expression::Expression::parse(&fitted.expression);
            prop_assert!(parsed.is_ok(), "{}", fitted.expression);
        }
    }
}
