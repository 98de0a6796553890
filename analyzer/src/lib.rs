//! The analyzer: windows, tunlets, decisions.
