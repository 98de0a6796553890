//! States in memory: each is the local states of all components in as few bits as they need, found by hashing.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Position of one component's local state in the packed words.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

/// Layout of packed states. A field never straddles two words.
#[derive(Debug)]
pub(super) struct Packing {
    fields: Vec<Field>,
    words: usize,
}

impl Packing {
    /// For components with so many local states each.
    pub(super) fn new(sizes: impl Iterator<Item = usize>) -> Self {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for size in sizes {
            let bits = usize::BITS - size.saturating_sub(1).leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            // A field of zero bits may begin beyond the word; its mask is empty.
            fields.push(Field { word, shift: used.min(u64::BITS - 1), mask: (1_u64 << bits) - 1 });
            used += bits;
        }
        Self { fields, words: word as usize + 1 }
    }

    pub(super) fn get(&self, state: &[u64], component: usize) -> u32 {
        let Field { word, shift, mask } = self.fields[component];
        ((state[word as usize] >> shift) & mask) as u32
    }

    pub(super) fn set(&self, state: &mut [u64], component: usize, local: u32) {
        let Field { word, shift, mask } = self.fields[component];
        let word = &mut state[word as usize];
        *word = (*word & !(mask << shift)) | (u64::from(local) << shift);
    }
}

/// All states found so far, numbered in the order of their discovery.
#[derive(Debug)]
pub(super) struct Store {
    packing: Packing,
    words: Vec<u64>,
    table: HashTable<u32>,
}

fn hash(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.iter().for_each(|word| hasher.write_u64(*word));
    hasher.finish()
}

impl Store {
    pub(super) fn new(packing: Packing) -> Self {
        Self { packing, words: Vec::new(), table: HashTable::new() }
    }

    pub(super) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// Words of one state.
    pub(super) fn width(&self) -> usize {
        self.packing.words
    }

    pub(super) fn len(&self) -> usize {
        self.words.len() / self.packing.words
    }

    pub(super) fn state(&self, number: usize) -> &[u64] {
        &self.words[number * self.packing.words..][..self.packing.words]
    }

    /// The local state of `component` in the state `number`.
    pub(super) fn local(&self, number: usize, component: usize) -> u32 {
        self.packing.get(self.state(number), component)
    }

    /// The number of `state`, a new one if it was not there.
    pub(super) fn number(&mut self, state: &[u64]) -> u32 {
        let width = self.packing.words;
        let words = &self.words;
        let at = |number: u32| &words[number as usize * width..][..width];
        let key = hash(state);
        if let Some(found) = self.table.find(key, |number| at(*number) == state) {
            return *found;
        }
        let number = (words.len() / width) as u32;
        self.table.insert_unique(key, number, |number| hash(at(*number)));
        self.words.extend_from_slice(state);
        number
    }

    /// Frees the index, which only discovery needs.
    pub(super) fn close(&mut self) {
        self.table = HashTable::new();
        self.words.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again_even_beyond_one_word() {
        let sizes = [1, 2, 3, 1, 70_000, 65_536, 5, 1 << 20, 9, 1, 300];
        let packing = Packing::new(sizes.into_iter());
        assert_eq!(packing.words, 2);
        let mut state = vec![0; packing.words];
        for round in 0..3 {
            let local = |component: usize| ((sizes[component] - 1) / (round + 1)) as u32;
            (0..sizes.len()).for_each(|component| packing.set(&mut state, component, local(component)));
            assert!((0..sizes.len()).all(|component| packing.get(&state, component) == local(component)));
        }
    }

    #[test]
    fn a_state_keeps_its_number() {
        let mut store = Store::new(Packing::new([1000, 1000].into_iter()));
        let numbers: Vec<u32> = (0..5000).map(|k| store.number(&[k % 1000])).collect();
        assert_eq!(store.len(), 1000);
        assert!(numbers.iter().enumerate().all(|(k, number)| *number as usize == k % 1000));
    }
}
