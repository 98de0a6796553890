/* fire_line.c - a Master/Worker program in the style of the simulators that MATE tuned; it knows nothing of midrun.
 *
 * The master's own loop cuts the sections of a fire line into batches: F0, F1 and F2 are the shares of what is left that the
 * first three take, each in equal parts to NW slaves; what the third leaves goes out in equal parts, too. The slaves loop on
 * receive and never call the master's function. At the end the master stops NW slaves, and no others.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TAG_WORK = 1, TAG_RESULT, TAG_STOP };

float F0 = 1.0f, F1 = 1.0f, F2 = 1.0f;
int NW = 0;
static int sections = 400, mean_us = 1000;
static double total;

/* The fire is fiercest at the end of the line; neighbours differ by a third. */
static int time_us(int section) {
  unsigned x = (unsigned)section * 2654435761u;
  return (int)((long)mean_us * (sections / 4 + section) * (5 + (x >> 16) % 3) / (6L * sections * 3 / 4));
}

__attribute__((noinline)) static double spread(int first, int count) {
  double sum = 0;
  long us = 0;
  for (int s = first; s < first + count; s++) us += time_us(s), sum += s;
  usleep((useconds_t)us);
  return sum;
}

static int chunk_of(int batch, int left) {
  float share = batch == 0 ? F0 : batch == 1 ? F1 : batch == 2 ? F2 : 1.0f;
  int chunk = (int)(share * (float)left / (float)NW);
  return chunk < 1 ? 1 : chunk;
}

__attribute__((noinline)) static void propagate(void) {
  int next = 0, out = 0, sent = 0, chunk = 0, work[2];
  double result;
  MPI_Status status;
  for (int to = 1; next < sections || out > 0;) {
    if (to > NW || next >= sections) {
      MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
      total += result, out--, to = status.MPI_SOURCE;
    }
    if (next < sections) {
      if (sent % NW == 0) chunk = chunk_of(sent / NW, sections - next);
      work[0] = next, work[1] = chunk < sections - next ? chunk : sections - next;
      next += work[1], out++, sent++;
      MPI_Send(work, 2, MPI_INT, to, TAG_WORK, MPI_COMM_WORLD);
      to = sent < NW ? sent + 1 : NW + 1;
    }
  }
}

static void slave(void) {
  int work[2];
  MPI_Status status;
  for (;;) {
    MPI_Recv(work, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == TAG_STOP) return;
    double sum = spread(work[0], work[1]);
    MPI_Send(&sum, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int rank, size, iterations = argc > 1 ? atoi(argv[1]) : 40;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  NW = size - 1;
  if (rank == 0) {
    for (int i = 0; i < iterations; i++) {
      double begin = MPI_Wtime();
      propagate();
      printf("iteration %d: %.4f s\n", i, MPI_Wtime() - begin);
      if (i == iterations - 1) printf("at the end F0 %.3f F1 %.3f F2 %.3f NW %d\n", F0, F1, F2, NW);
    }
    for (int w = 1; w <= NW; w++) MPI_Send(NULL, 0, MPI_INT, w, TAG_STOP, MPI_COMM_WORLD);
    printf("total %.0f\n", total);
  } else {
    slave();
  }
  MPI_Finalize();
  return 0;
}
