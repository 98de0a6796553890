//! Searches values of tuning points that no model describes: asks for a combination, is told how long it took.
//!
//! A Gaussian process says what the times so far make expected of every combination, and how surely ([`process`]). The next one measured is
//! that which is worth most: what knowing its time is expected to save in the iterations to come ([`gradient`]), less what
//! measuring it is expected to lose (the knowledge gradient for on-line learning, Ryzhov, Powell, Frazier 2012). So a combination that
//! is clearly worse is left after one measurement, one that is hardly worse is measured again, and the search is over where
//! nothing more is to be gained. Seeded: the same times give the same questions.
//!
//! [`space`] what is searched, [`observations`] the measured times, [`candidates`] what is compared, and [`engine`] which puts them together.

mod candidates;
mod check;
mod engine;
mod gradient;
mod observations;
mod process;
mod space;

#[cfg(test)]
mod tests;

pub use engine::{Ask, Best, Expected, Known, Plan, Search, WHOLE};
pub use space::{Dimension, MOST_DIMENSIONS, MOST_VALUES, Point, Space, SpaceError};
