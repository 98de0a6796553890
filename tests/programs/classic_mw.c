/* classic_mw.c - a Master/Worker program as they are written without any framework: knows nothing of midrun.
 *
 * The master hands the tasks of an iteration out in batches: F0, F1 and F2 are the shares of the first three, each in
 * equal parts to NW workers; the rest goes task by task. Prints a sum of all results that no tuning may change.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TAG_WORK = 1, TAG_RESULT, TAG_STOP };

#ifndef FIRST
#define FIRST 0.4
#endif
double F0 = FIRST, F1 = 0.3, F2 = 0.2;
int NW = 0;
char technique[32] = "batches";
static int tasks = 200, size, rank;
static double total;
int flushed;

__attribute__((noinline)) void flush_results(void) { flushed++; }

__attribute__((noinline)) static long compute(long task, int weight) {
  unsigned long x = (unsigned long)task * 2654435761u + 12345;
  for (int i = 0; i < 2000 * weight; i++) x = x * 6364136223846793005ul + 1442695040888963407ul;
  return (long)(x >> 40);
}

__attribute__((noinline)) static long compute_slowly(long task, int weight) {
  long first = compute(task + 1000000, weight);
  return first < 0 ? first : compute(task, weight);
}

__attribute__((noinline)) static long chunk_of(int batch, long left) {
  double share = batch == 0 ? F0 : batch == 1 ? F1 : batch == 2 ? F2 : 0;
  long chunk = (long)(share * tasks / NW);
  if (chunk < 1) chunk = 1;
  return chunk < left ? chunk : left;
}

__attribute__((noinline)) static void master(long first_task) {
  long next = 0, out = 0, work[2];
  double result;
  MPI_Status status;
  int chunks = 0;
  for (int w = 1; w <= NW && next < tasks; w++, chunks++) {
    work[0] = first_task + next, work[1] = chunk_of(0, tasks - next);
    next += work[1], out++;
    MPI_Send(work, 2, MPI_LONG, w, TAG_WORK, MPI_COMM_WORLD);
  }
  while (out > 0) {
    MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
    total += result, out--;
    if (next < tasks) {
      work[0] = first_task + next, work[1] = chunk_of(chunks++ / NW, tasks - next);
      next += work[1], out++;
      MPI_Send(work, 2, MPI_LONG, status.MPI_SOURCE, TAG_WORK, MPI_COMM_WORLD);
    }
  }
  for (int w = 1; w < size; w++) MPI_Send(NULL, 0, MPI_LONG, w, TAG_STOP, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void worker(void) {
  long work[2];
  MPI_Status status;
  for (;;) {
    MPI_Recv(work, 2, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == TAG_STOP) return;
    double sum = 0;
    for (long t = work[0]; t < work[0] + work[1]; t++) sum += (double)compute(t, 1 + (int)(t % 7));
    MPI_Send(&sum, 1, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
  }
}

__attribute__((noinline)) void iterate(int number) {
  if (rank == 0)
    master((long)number * tasks);
  else
    worker();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int iterations = argc > 1 ? atoi(argv[1]) : 20;
  NW = size - 1;
  int pause_us = argc > 2 ? atoi(argv[2]) : 0; /* between two iterations, as for output */
  for (int i = 0; i < iterations; i++) {
    iterate(i);
    if (pause_us) usleep((useconds_t)pause_us);
  }
  if (rank == 0) {
    printf("total %.0f\n", total);
    printf("end F0 %.3f F1 %.3f NW %d technique %s\n", F0, F1, NW, technique);
    if (flushed) printf("flushed %d\n", flushed);
  }
  MPI_Finalize();
  if (rank == 0) printf("after F0 %.3f technique %s\n", F0, technique);
  return 0;
}
