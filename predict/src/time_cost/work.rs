//! Power shares of the branches of each fork, by the policy.

use super::structure::{Kind, Structure};
use super::{CostError, Policy};

/// For each fork the shares of its branches, which sum up to 1; nothing for other nodes.
pub fn shares(structure: &Structure) -> Result<Vec<Vec<f64>>, CostError> {
    let works = match structure.machine.policy {
        Policy::Proportional => Some(works(structure)?),
        Policy::Equal | Policy::User => None,
    };
    let of = |(number, node): (usize, &super::Node)| {
        let Kind::Fork { branches, weights } = &node.kind else {
            return Vec::new();
        };
        let weights = match (&works, structure.machine.policy) {
            (Some(works), _) => (0..branches.len()).map(|branch| inside(structure, works, (number, branch))).collect(),
            (None, Policy::User) if !weights.is_empty() => weights.clone(),
            _ => vec![1.0; branches.len()],
        };
        let sum: f64 = weights.iter().sum();
        let equal = 1.0 / branches.len() as f64;
        weights.iter().map(|weight| if sum > 0.0 { weight / sum } else { equal }).collect()
    };
    Ok(structure.nodes.iter().enumerate().map(of).collect())
}

/// Mean cost of all operations inside a branch.
fn inside(structure: &Structure, works: &[f64], branch: (usize, usize)) -> f64 {
    works.iter().zip(&structure.inside).filter(|(_, forks)| forks.contains(&branch)).map(|(work, _)| work).sum()
}

/// Mean cost of each node in one run: mean number of passages times cost.
fn works(structure: &Structure) -> Result<Vec<f64>, CostError> {
    let passages = passages(structure)?;
    let cost = |kind: &Kind| if let Kind::Operation { cost, .. } = kind { cost.mean_s() } else { 0.0 };
    Ok(structure.nodes.iter().zip(passages).map(|(node, passages)| cost(&node.kind) * passages).collect())
}

/// Mean number of passages v of each node: `v_j = [j is the start] + sum over i of v_i share(i -> j)`.
fn passages(structure: &Structure) -> Result<Vec<f64>, CostError> {
    let count = structure.nodes.len();
    let mut matrix = vec![vec![0.0; count + 1]; count];
    for (row, line) in matrix.iter_mut().enumerate() {
        line[row] = 1.0;
    }
    matrix[structure.start][count] = 1.0;
    for (from, node) in structure.nodes.iter().enumerate() {
        for (to, mut share) in ways(structure, &node.kind) {
            if let Kind::Join { .. } = structure.nodes[to].kind {
                share /= branches_of(structure, from);
            }
            matrix[to][from] -= share;
        }
    }
    solve(matrix).ok_or_else(|| CostError::Graph("a loop of the graph is never left".into()))
}

/// Ways out of a node with the mean share of its passages that go there.
fn ways(structure: &Structure, kind: &Kind) -> Vec<(usize, f64)> {
    match kind {
        Kind::Decision { ways } => ways.clone(),
        Kind::Flow { ways } => {
            let means: Vec<f64> = ways.iter().map(|way| way.1.mean(&structure.parameters)).collect();
            let sum: f64 = means.iter().sum();
            ways.iter().zip(means).map(|(way, mean)| (way.0, if sum > 0.0 { mean / sum } else { 0.0 })).collect()
        }
        _ => kind.ways().into_iter().map(|to| (to, 1.0)).collect(),
    }
}

/// Branches of the innermost fork around `node`, which a way into its join leaves; the node may be that fork itself.
fn branches_of(structure: &Structure, node: usize) -> f64 {
    let fork = match &structure.nodes[node].kind {
        Kind::Fork { .. } => node,
        _ => structure.inside[node].last().map_or(node, |(fork, _)| *fork),
    };
    structure.nodes[fork].kind.ways().len().max(1) as f64
}

/// Gauss elimination with pivots; the last column is the right side.
fn solve(mut matrix: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let count = matrix.len();
    for column in 0..count {
        let pivot = (column..count).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        let (above, below) = matrix.split_at_mut(column + 1);
        let row = &above[column];
        for line in below.iter_mut().filter(|line| line[column] != 0.0) {
            let factor = line[column] / row[column];
            line.iter_mut().zip(row).skip(column).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut solution = vec![0.0; count];
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|column| matrix[row][column] * solution[column]).sum();
        solution[row] = (matrix[row][count] - known) / matrix[row][row];
    }
    Some(solution)
}
