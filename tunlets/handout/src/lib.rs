//! How Master/Worker tasks are handed out: the distribution policies, pure and allocation-free.
//!
//! The shim runs this code in the master to cut the next chunk; the models run the same code to
//! simulate what a policy would do. One piece of code, so a prediction speaks of what really runs.
