/* pipe_plain - a pipeline written with MPI alone, to compare the framework with: pipe_plain STAGES MS BYTES INPUTS.
 *
 * Rank 0 sends and collects, the others receive, fill, sleep and send on, with one send in reserve. */
#define _GNU_SOURCE
#include "../../examples/timing.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { DEEP = 8 };

static void head(int last, char *data, int bytes, int inputs) {
  int64_t half = 0, begin = now_ns();
  for (int sent = 0, back = 0; back < inputs; back++) {
    for (; sent < inputs && sent < back + DEEP; sent++) MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data, bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (back == inputs / 2) half = now_ns();
  }
  int64_t end = now_ns();
  printf("{\"period_s\":%.9f,\"seconds\":%.6f}\n", (double)(end - half) * 1e-9 / (inputs - 1 - inputs / 2), (double)(end - begin) * 1e-9);
}

static void stage(int rank, int next, char *in, char *out[2], int bytes, int inputs, int64_t ns) {
  MPI_Request sending[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < inputs; i++) {
    MPI_Recv(in, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sleep_until(now_ns() + ns);
    MPI_Wait(&sending[i % 2], MPI_STATUS_IGNORE);
    memset(out[i % 2], in[0] + 1, (size_t)bytes);
    MPI_Isend(out[i % 2], bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD, &sending[i % 2]);
  }
  for (int k = 0; k < 2; k++) MPI_Wait(&sending[k], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int stages = argc == 5 ? atoi(argv[1]) : 0, bytes = argc == 5 ? atoi(argv[3]) : 0;
  if (stages < 1 || size != stages + 1 || bytes < 1) MPI_Abort(MPI_COMM_WORLD, 64);
  prctl(PR_SET_TIMERSLACK, 1000UL);
  char *in = calloc((size_t)bytes, 1), *out[2] = {calloc((size_t)bytes, 1), calloc((size_t)bytes, 1)};
  if (!in || !out[0] || !out[1]) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) head(stages, in, bytes, atoi(argv[4]));
  else stage(rank, rank == stages ? 0 : rank + 1, in, out, bytes, atoi(argv[4]), (int64_t)(atof(argv[2]) * 1e6));
  MPI_Finalize();
  return 0;
}
