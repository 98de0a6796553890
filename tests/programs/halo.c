/* halo.c - a grid of ranks that knows nothing of midrun: each computes, then exchanges with its neighbours, by one kind of calls. The outer ranks have
 * MPI_PROC_NULL for a neighbour, or skip its calls. Nonblocking calls are waited for, or only tested (tested). Persistent requests are started one by one (start) or all at once (startall); their messages to the
 * right are three times as long.
 *
 * halo ITERATIONS blocking|nonblocking|tested|exchange|red-black|pipeline|start|startall [skip] [COLUMNS]
 */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 1000, SIDES = 4 };
static char out[SIDES][3 * BYTES], in[SIDES][3 * BYTES];
static MPI_Request kept[2 * SIDES];

/* Makes a request to receive from each side, and one to send there. Returns their number. */
static int persistent(const int *next_to, int sides, int skip) {
  int count = 0;
  for (int half = 0; half < 2; half++) {
    for (int k = 0; k < sides; k++) {
      int rightwards = half == 0 ? k == 0 : k == 1;
      if (skip && next_to[k] == MPI_PROC_NULL) continue;
      if (half == 0) MPI_Recv_init(in[k], rightwards ? 3 * BYTES : BYTES, MPI_BYTE, next_to[k], 0, MPI_COMM_WORLD, &kept[count++]);
      else MPI_Send_init(out[k], rightwards ? 3 * BYTES : BYTES, MPI_BYTE, next_to[k], 0, MPI_COMM_WORLD, &kept[count++]);
    }
  }
  return count;
}

int main(int argc, char **argv) {
  int rank, size;
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int iterations = atoi(argv[1]), skip = argc > 3 && !strcmp(argv[3], "skip"), columns = argc > 4 ? atoi(argv[4]) : size;
  int is_blocking = !strcmp(argv[2], "blocking"), is_exchange = !strcmp(argv[2], "exchange");
  int is_red_black = !strcmp(argv[2], "red-black"), is_pipeline = !strcmp(argv[2], "pipeline");
  int column = rank % columns, row = rank / columns;
  /* Left, right, above, below. */
  int next_to[SIDES] = {column > 0 ? rank - 1 : MPI_PROC_NULL, column + 1 < columns ? rank + 1 : MPI_PROC_NULL,
                        row > 0 ? rank - columns : MPI_PROC_NULL, rank + columns < size ? rank + columns : MPI_PROC_NULL};
  int sides = columns < size ? SIDES : 2;
  int is_tested = !strcmp(argv[2], "tested");
  int is_start = !strcmp(argv[2], "start"), is_startall = !strcmp(argv[2], "startall");
  int starts = is_start || is_startall ? persistent(next_to, sides, skip) : 0;
  int sends_first = !is_red_black || (column + row) % 2 == 0;
  for (int i = 0; i < iterations; i++) {
    MPI_Request requests[2 * SIDES];
    MPI_Status statuses[2 * SIDES];
    int posted = 0;
    if (is_pipeline && rank > 0) MPI_Recv(in[0], BYTES, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (is_pipeline) {
      if (rank + 1 < size) MPI_Send(out[0], BYTES, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
      continue;
    }
    if (is_startall) MPI_Startall(starts, kept);
    for (int k = 0; is_start && k < starts; k++) MPI_Start(&kept[k]);
    if (starts) {
      MPI_Waitall(starts, kept, statuses);
      continue;
    }
    for (int half = 0; half < 2; half++) {
      for (int k = 0; k < sides; k++) {
        int to = next_to[k], from = skip ? to : next_to[k ^ 1]; /* from the other side, or with one neighbour at a time */
        if (skip && to == MPI_PROC_NULL) continue;
        if (is_exchange) {
          if (half == 1) continue;
          MPI_Sendrecv(out[k], BYTES, MPI_BYTE, to, 0, in[k], BYTES, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (is_blocking || is_red_black) {
          if ((half == 0) == sends_first) MPI_Send(out[k], BYTES, MPI_BYTE, to, 0, MPI_COMM_WORLD);
          else MPI_Recv(in[k], BYTES, MPI_BYTE, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (half == 0) MPI_Isend(out[k], BYTES, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[posted++]);
        else MPI_Irecv(in[k], BYTES, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[posted++]);
      }
    }
    for (int done = 0; is_tested && !done; sched_yield()) MPI_Testall(posted, requests, &done, statuses);
    if (is_tested) MPI_Barrier(MPI_COMM_WORLD); /* a safe point */
    else MPI_Waitall(posted, requests, statuses);
  }
  for (int k = 0; k < starts; k++) MPI_Request_free(&kept[k]);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
