//! Bytes of problems and results, aligned as C asks of any type.

/// Bytes that begin at a multiple of 16.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    words: Vec<u128>,
    bytes: usize,
}

impl Buffer {
    /// So many zeros; `None` when memory lacks.
    pub fn zeros(bytes: usize) -> Option<Buffer> {
        let (mut words, count) = (Vec::new(), bytes.div_ceil(size_of::<u128>()));
        words.try_reserve_exact(count).ok()?;
        words.resize(count, 0);
        Some(Buffer { words, bytes })
    }

    /// A copy; `None` when memory lacks.
    pub fn of(bytes: &[u8]) -> Option<Buffer> {
        let mut buffer = Buffer::zeros(bytes.len())?;
        buffer.as_mut().copy_from_slice(bytes);
        Some(buffer)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the words hold at least so many bytes, and any byte is valid.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.bytes) }
    }
}

impl AsMut<[u8]> for Buffer {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_aligned_and_what_memory_cannot_hold_is_refused() {
        for bytes in [0, 1, 15, 16, 17, 1000] {
            let mut buffer = Buffer::zeros(bytes).unwrap();
            buffer.as_mut().fill(7);
            assert_eq!((buffer.as_ref().len(), buffer.as_ref().as_ptr() as usize % 16), (bytes, 0));
            assert!(Buffer::of(buffer.as_ref()).unwrap().as_ref().iter().all(|byte| *byte == 7));
        }
        assert!(Buffer::zeros(usize::MAX - 15).is_none());
    }
}
