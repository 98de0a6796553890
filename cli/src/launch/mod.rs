//! The command to start: where its launcher and programs are, and which MPI they use.

pub mod command_line;
pub mod launchers;
pub mod mpi;
