//! The memory seam: shared-memory layout and rings between a rank and its agent.
