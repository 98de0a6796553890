/* parts.h - the functions that the C files of the shim call in each other and in the Rust half. Each file calls only those above it:
 * reach.c and names.c; tools.c, peers.c, spawn.c, control.c and register.c; port.c; calls.c, fortran.c and wrappers.c. */
#ifndef PARTS_H
#define PARTS_H
#include <mpi.h>

/* Tag of the frameworks' messages, which use communicators of their own. */
enum { PORT_TAG = 77 };

/* reach.c */
int midrun_reach_mpi(void);
int midrun_handles_are_bound(void);
const char *midrun_our_mpi(void);
int midrun_mpi_ready(void);
int midrun_comm_errors_return(MPI_Comm comm);
int midrun_win_errors_return(MPI_Win win);

/* peers.c */
void midrun_peers_world(MPI_Group group);
int midrun_peers_ranks(MPI_Comm comm, int *ranks, int size);

/* spawn.c */
MPI_Comm midrun_spawn_comm(int child);
int midrun_spawned_here(void);
int midrun_spawned_number(void);
void midrun_spawned_begin(void);
MPI_Comm midrun_spawned_take(void);
void midrun_spawned_leave(void);

/* register.c */
void midrun_register_prepare(void);
void midrun_register_close(void);

/* port.c */
void midrun_failure_prepare(void);

/* shim/src/lifecycle.rs */
void midrun_shim_on_before_init(void);
void midrun_shim_on_init(int rank, int size, const char *mpi);
void midrun_shim_on_world(void);
void midrun_shim_on_finalize(void);
#endif
