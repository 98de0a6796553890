//! A number of things as text.

use core::fmt;

/// Formats a number with the thing that it counts: `1 iteration`, `3 iterations`.
#[derive(Clone, Copy, Debug)]
pub struct Count<N>(pub N, pub &'static str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Count<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == N::from(1) { "" } else { "s" };
        write!(f, "{} {}{plural}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::Count;
    use std::string::ToString;

    #[test]
    fn one_thing_has_no_plural() {
        let texts = [0_u32, 1, 2].map(|number| Count(number, "window").to_string());
        assert_eq!(texts, ["0 windows", "1 window", "2 windows"]);
    }
}
