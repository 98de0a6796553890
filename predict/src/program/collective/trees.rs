//! Trees: from the root to the leaves, and back.

use super::{Algorithm, Part};
use crate::program::messages::Step;

/// The place of a process in a tree; processes are counted from the root.
struct Place {
    parent: Option<usize>,
    /// Children with the number of processes below and including each, the largest first.
    children: Vec<(usize, usize)>,
}

impl Part {
    /// Number in the tree whose root is 0, and back.
    fn relative(&self) -> usize {
        (self.rank + self.processes - self.root) % self.processes
    }

    fn absolute(&self, relative: usize) -> usize {
        (relative + self.root) % self.processes
    }

    fn place(&self, tree: Algorithm) -> Place {
        let (own, processes) = (self.relative(), self.processes);
        match tree {
            Algorithm::Linear if own == 0 => {
                Place { parent: None, children: (1..processes).map(|child| (child, 1)).collect() }
            }
            Algorithm::Linear => Place { parent: Some(0), children: Vec::new() },
            Algorithm::Chain => {
                let next = (own + 1 < processes).then_some((own + 1, processes - own - 1));
                Place { parent: own.checked_sub(1), children: next.into_iter().collect() }
            }
            Algorithm::Binary => {
                let children = [2 * own + 1, 2 * own + 2].into_iter().filter(|child| *child < processes);
                Place {
                    parent: own.checked_sub(1).map(|k| k / 2),
                    children: children.map(|child| (child, 1)).collect(),
                }
            }
            Algorithm::Knomial => nomial(own, processes, 4),
            _ => nomial(own, processes, 2),
        }
    }

    /// From the root to the leaves; with `parts`, each subtree gets the bytes of all its processes.
    pub(super) fn down(&self, tree: Algorithm, parts: bool, at_once: bool) -> Vec<Step> {
        let Place { parent, children } = self.place(tree);
        let to = |(child, below): &(usize, usize)| {
            (self.absolute(*child), self.bytes * if parts { *below as f64 } else { 1.0 })
        };
        let mut steps: Vec<Step> = parent.map(|parent| Self::receive(self.absolute(parent))).into_iter().collect();
        if at_once && children.len() > 1 {
            let sends = children.iter().map(to).collect();
            steps.push(Step::Exchange { sends, receives: Vec::new(), collective: true });
        } else {
            steps.extend(children.iter().map(to).map(|(to, bytes)| Self::send(to, bytes)));
        }
        steps
    }

    /// From the leaves to the root; with `parts`, each subtree sends the bytes of all its processes.
    pub(super) fn up(&self, tree: Algorithm, parts: bool, combining: bool) -> Vec<Step> {
        let Place { parent, children } = self.place(tree);
        let mut steps = Vec::new();
        for (child, _) in children.iter().rev() {
            steps.push(Self::receive(self.absolute(*child)));
            steps.extend(Self::combine(self.combine_s).filter(|_| combining));
        }
        let own = 1 + children.iter().map(|(_, below)| below).sum::<usize>();
        let bytes = self.bytes * if parts { own as f64 } else { 1.0 };
        steps.extend(parent.map(|parent| Self::send(self.absolute(parent), bytes)));
        steps
    }
}

/// A process's parent lacks its lowest digit that is not 0, in numbers of this radix.
fn nomial(own: usize, processes: usize, radix: usize) -> Place {
    let (mut parent, mut digit) = (None, 1);
    while digit < processes {
        if !own.is_multiple_of(digit * radix) {
            parent = Some(own - own % (digit * radix));
            break;
        }
        digit *= radix;
    }
    let mut children = Vec::new();
    while digit > 1 {
        digit /= radix;
        let of_digit = (1..radix).map(|k| own + k * digit).filter(|child| *child < processes);
        children.extend(of_digit.map(|child| (child, digit.min(processes - child))));
    }
    Place { parent, children }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tree_reaches_every_process_once_with_the_parts_below_it() {
        for processes in 1..40 {
            for root in [0, processes - 1] {
                for tree in
                    [Algorithm::Linear, Algorithm::Chain, Algorithm::Binary, Algorithm::Binomial, Algorithm::Knomial]
                {
                    let part = |rank| Part { rank, processes, root, bytes: 1.0, combine_s: 0.0 };
                    let mut parents = vec![None; processes];
                    for rank in 0..processes {
                        let of = part(rank);
                        for (child, _) in of.place(tree).children {
                            assert_eq!(parents[of.absolute(child)].replace(rank), None);
                        }
                    }
                    for (rank, parent) in parents.iter().enumerate() {
                        let of = part(rank);
                        assert_eq!(*parent, of.place(tree).parent.map(|up| of.absolute(up)), "{tree:?} {rank}");
                    }
                    assert_eq!(parents.iter().filter(|parent| parent.is_none()).count(), 1);
                    // Numbers below: those of the children and the child itself. (Binary trees carry whole messages only.)
                    for rank in (0..processes).filter(|_| tree != Algorithm::Binary) {
                        let of = part(rank);
                        for (child, below) in of.place(tree).children {
                            let inner: usize = part(of.absolute(child)).place(tree).children.iter().map(|c| c.1).sum();
                            assert_eq!(below, 1 + inner, "{tree:?} {processes}");
                        }
                    }
                }
            }
        }
    }
}
