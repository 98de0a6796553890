//! Measured figures: record path, hand-out quality, time to action.
