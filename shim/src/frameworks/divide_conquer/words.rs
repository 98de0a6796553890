//! Reads messages word by word.

/// Words of a message, read one after another.
pub struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// Reads from the beginning.
    pub fn new(message: &'a [u8]) -> Words<'a> {
        Words(message)
    }

    /// The next words; `None` at the end.
    pub fn take<const N: usize>(&mut self) -> Option<[u64; N]> {
        let here = self.bytes(8 * N)?;
        let word = |k: usize| u64::from_le_bytes(std::array::from_fn(|b| here[8 * k + b]));
        Some(std::array::from_fn(word))
    }

    /// The next bytes; `None` at the end.
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (here, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(here)
    }
}
