//! Searches values of tuning points that no model describes: asks for a combination, is told how long it took.
//!
//! Few combinations are tried one by one, the better half again and again until one is left (successive halving, Jamieson and
//! Talwalkar 2016). More of them: the simplex of Nelder and Mead (1965), rounded to the values there are, never measuring one
//! twice, with a walk over the neighbours at its end; or differential evolution (Storn and Price 1997), which names without
//! an order need. Times scatter: a combination close to the best is measured up to three times and counts by its median, one
//! that is clearly worse or better is not. At the end the best is measured afresh against the values at start, and the better
//! of the two stands. Seeded: the same times give the same questions.
//!
//! [`space`] what is searched, [`observations`] the measured times, then the methods, and [`engine`] which puts them together.

mod engine;
mod evolution;
mod halving;
mod observations;
mod simplex;
mod space;

#[cfg(test)]
mod tests;

pub use engine::{Ask, Best, Method, Plan, Search};
pub use space::{Dimension, MOST_DIMENSIONS, MOST_VALUES, Point, Space, SpaceError};
