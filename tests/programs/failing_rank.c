/* failing_rank MODE - a Master/Worker program whose rank 2 fails in the middle of its first chunk of iteration 1, while others wait.
 *
 * MODE: abort (MPI_Abort 42), code (exit 3), leave (exit 0 without MPI_Finalize), send (an MPI call fails; the communicator's own error
 * handler is asked, as MPI does), send-abort (the same with MPI_ERRORS_RETURN, and the program aborts with 5 when iterate says so).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <midrun.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode;
static int rank, broken;

/* Found before MPI's own by whoever calls it. */
int PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  if (broken) return MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER), MPI_ERR_OTHER;
  int (*real)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = dlsym(RTLD_NEXT, "PMPI_Isend");
  return real(data, count, type, to, tag, comm, request);
}

static int compute(void *user, uint64_t iteration, uint64_t first, uint64_t count, const void *tasks, void *results) {
  (void)user, (void)first, (void)count, (void)tasks, (void)results;
  usleep(2000);
  if (rank != 2 || iteration != 1) return 0;
  if (!strcmp(mode, "abort")) MPI_Abort(MPI_COMM_WORLD, 42);
  if (!strcmp(mode, "code")) exit(3);
  if (!strcmp(mode, "leave")) exit(0);
  broken = 1;
  return 0;
}

int main(int argc, char **argv) {
  int status = 0;
  mode = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(mode, "send-abort")) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  midrun_mw_t *mw;
  midrun_mw_config_t config = {.struct_size = sizeof config, .compute = compute};
  if (midrun_mw_create(&mw, &config)) return 9;
  for (int i = 0; i < 4 && !status; i++) status = midrun_mw_iterate(mw, 200);
  if (status < 0) {
    fprintf(stderr, "rank %d: %s\n", rank, midrun_status_text(status));
    usleep(300000); /* MPICH's launcher may lose what a rank wrote just before it aborts, also without midrun. */
    MPI_Abort(MPI_COMM_WORLD, 5);
  }
  midrun_mw_destroy(&mw);
  MPI_Finalize();
  return 0;
}
