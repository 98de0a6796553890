//! The library in each rank: records what happens, applies what was decided.
//!
//! It lives in another program's process and fails open: any doubt switches it off for the rest of the run, and the program
//! goes on as if it were not there. `include/midrun.h` is its face; `mpi/*.c`, compiled once per MPI, connect it with MPI.
//!
//! The modules stand on floors: each one uses only modules of the floors below. Where a lower module must act on a higher
//! one, the higher one registers a callback: a [`tuning_points::Setter`], a [`safe_point::Listener`].

// The callers of the C API are outside: what `include/midrun.h` asks of them is the safety contract.
#![allow(clippy::missing_safety_doc)]

// Floor 0: values that need nothing of ours, the C half, the start that an earlier run gives.
mod c_half;
mod iterations;
mod launch_id;
mod measuring;
mod start;
mod status;
mod stderr;

// Floor 1: MPI for the frameworks, the state of the process.
mod mpi;
mod state;

// Floor 2: the clock, which switches off where it was set back.
mod clock;

// Floor 3: the boundary to C, the socket to the agent, starting processes, each thread's ring, the registry of tuning points.
mod agent_link;
mod guard;
mod spawn;
mod thread_ring;
mod tuning_points;

// Floor 4: commands that wait, typed records, the scheduling in force, sentences.
mod pending_commands;
mod records;
mod scheduling;
mod texts;

// Floor 5: changes that all ranks apply at the same iteration, and where their outcome stands.
mod register;
mod synchronized;

// Floor 6: where commands are applied.
mod safe_point;

// Floor 7: variables of the program and of MPI, and the program's MPI calls.
mod controls;
mod expose;
mod mpi_calls;

// Floor 8: what is measured and tuned without the program's help.
mod points;

// Floor 9: the program's own iterations.
mod markers;

// Floor 10: the frameworks.
mod frameworks;

// Floor 11: attached at MPI_Init, detached at MPI_Finalize.
mod lifecycle;
