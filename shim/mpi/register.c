/* register.c - the word of synchronized changes in a window of MPI memory on rank 0 (ADR 0021). The calls of the life cycle are collective over
 * MPI_COMM_WORLD; the exchange is one rank's, and needs nothing of rank 0's program but that it calls MPI now and then. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* As in shim/src/register.rs. */
enum { MADE, SHARED, UNABLE, FAILED };

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Win window = MPI_WIN_NULL;
static uint64_t word;

#ifdef OPEN_MPI
static const char OSC[] = "OMPI_MCA_osc";

/* The component osc/rdma of Open MPI 4.1 makes no window over TCP, and crashes in an exchange of rank 0 with itself. */
static int has_unfit_rdma(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  return PMPI_Get_library_version(version, &length) == MPI_SUCCESS && !strncmp(version, "Open MPI v4", 11);
}
#endif

/* Before MPI_Init: whoever asks for the window does without that component, unless the user has chosen the components. */
void midrun_register_prepare(void) {
#ifdef OPEN_MPI
  const char *asked = secure_getenv("MIDRUN_SYNCHRONIZED");
  if (asked && *asked && strcmp(asked, "0") && has_unfit_rdma()) setenv(OSC, "^rdma", 0);
#endif
}

/* Which threads may ask: 1 = any, 0 = the one that initialised MPI, -1 = one at a time, which nobody but the program can see to; -2 = none, because the
 * user has chosen Open MPI 4's osc/rdma. */
int midrun_register_threads(void) {
  int level = MPI_THREAD_SINGLE;
#ifdef OPEN_MPI
  const char *osc = secure_getenv(OSC);
  if (has_unfit_rdma() && (!osc || (strstr(osc, "rdma") != NULL) != (*osc == '^'))) return -2;
#endif
  if (PMPI_Query_thread(&level) != MPI_SUCCESS) return -1;
  return level == MPI_THREAD_MULTIPLE ? 1 : level == MPI_THREAD_SERIALIZED ? -1 : 0;
}

static int all_of(uint64_t *values, int count) {
  return PMPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_MAX, comm) == MPI_SUCCESS;
}

static void explain(int status, char *why, size_t bytes) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (PMPI_Error_string(status, text, &length) != MPI_SUCCESS) strcpy(text, "unknown error");
  text[strcspn(text, "\n")] = '\0';
  snprintf(why, bytes, "%s", text);
}

/* Collective. `able` says whether this rank can take part, `shared` identifies a word that it shares with others already: where all share one,
 * no window is made. Without one on all ranks there is none on any. `random` of some rank becomes the window's identity. `why`: of FAILED. */
int midrun_register_open(int able, uint64_t shared, uint64_t random, uint64_t *identity, char *why, size_t bytes) {
  int status;
  if (window != MPI_WIN_NULL || comm != MPI_COMM_NULL) return FAILED;
  status = PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  /* On the copy errors are returned here and do not reach the program's handler, which by default ends the job. */
  if (status == MPI_SUCCESS) status = midrun_comm_errors_return(comm);
  if (status != MPI_SUCCESS) return explain(status, why, bytes), FAILED;
  uint64_t all[4] = {!able, shared, ~shared, random};
  if (!all_of(all, 4)) return FAILED;
  if (shared && all[1] == ~all[2]) return PMPI_Comm_free(&comm), SHARED;
  if (all[0]) return PMPI_Comm_free(&comm), UNABLE;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  status = PMPI_Win_create(&word, rank == 0 ? (MPI_Aint)sizeof word : 0, (int)sizeof word, MPI_INFO_NULL, comm, &window);
  if (status == MPI_SUCCESS) status = midrun_win_errors_return(window);
  if (status == MPI_SUCCESS) status = PMPI_Win_lock_all(0, window);
  if (status != MPI_SUCCESS) explain(status, why, bytes);
  uint64_t failed = status != MPI_SUCCESS;
  if (!all_of(&failed, 1) || failed) {
    window = MPI_WIN_NULL; /* freeing it would be collective, and not every rank has it */
    return FAILED;
  }
  *identity = all[3];
  return MADE;
}

/* Puts `new` in the place of `current`; `found` gets what stood there. Returns 0, or -1 where MPI failed. Waits until rank 0 calls MPI, if that
 * MPI has no other way. */
int midrun_register_swap(uint64_t current, uint64_t new, uint64_t *found) {
  if (window == MPI_WIN_NULL || !midrun_mpi_ready()) return -1;
  if (PMPI_Compare_and_swap(&new, &current, found, MPI_UINT64_T, 0, 0, window) != MPI_SUCCESS) return -1;
  return PMPI_Win_flush(0, window) == MPI_SUCCESS ? 0 : -1;
}

/* Collective, before MPI_Finalize: rank 0 stays until no rank can ask any more. */
void midrun_register_close(void) {
  if (window == MPI_WIN_NULL || !midrun_mpi_ready()) return;
  PMPI_Win_unlock_all(window);
  PMPI_Win_free(&window);
  PMPI_Comm_free(&comm);
}
