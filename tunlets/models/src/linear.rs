//! Factors of symmetric positive matrices (Cholesky's).

/// The lower triangle `L` of `L Lᵀ`, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor(Vec<Vec<f64>>);

/// Sum of the products.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Factor {
    /// Factor of the matrix whose lower triangle has these rows; `None` where it is not positive.
    pub(crate) fn of(mut rows: Vec<Vec<f64>>) -> Option<Factor> {
        for k in 0..rows.len() {
            let (above, rest) = rows.split_at_mut(k);
            let row = &mut rest[0];
            for (j, other) in above.iter().enumerate() {
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let square = row[k] - dot(&row[..k], &row[..k]);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            row[k] = square.sqrt();
            row.truncate(k + 1);
        }
        Some(Factor(rows))
    }

    /// `x` of `L x = b`.
    pub(crate) fn below(&self, b: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(b.len());
        for (row, b) in self.0.iter().zip(b) {
            let k = x.len();
            x.push((b - dot(&row[..k], &x)) / row[k]);
        }
        x
    }

    /// Logarithm of the determinant of `L Lᵀ`.
    pub(crate) fn ln_determinant(&self) -> f64 {
        2.0 * self.0.iter().enumerate().map(|(k, row)| row[k].ln()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_solves_and_has_the_determinant_of_its_matrix() {
        let factor = Factor::of(vec![vec![4.0], vec![2.0, 5.0]]).unwrap();
        assert_eq!(factor.below(&[4.0, 6.0]), [2.0, 2.0]);
        assert!((factor.ln_determinant() - 16.0_f64.ln()).abs() < 1e-12);
        assert!(Factor::of(vec![vec![1.0], vec![2.0, 1.0]]).is_none());
    }
}
