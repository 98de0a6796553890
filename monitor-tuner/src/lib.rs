//! The agent: one per node, drains the rings, delivers the actions.
