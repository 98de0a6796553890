//! The library in each rank: records what happens, applies what was decided.
