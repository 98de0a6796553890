/* asked.c - a Master/Worker program whose workers ask for work; it knows nothing of midrun.
 *
 * In each time step the master answers each question with the next CHUNK cells, or with SHARE of an equal part of those that are left. Front cells, which are dear, lie side by side and move slowly. All
 * ranks know the steps, but none marks them.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TAG_CELLS = 1, TAG_ASK }; /* for the first step */
enum { CELLS = 400, FRONT = 60 };

int CHUNK = CELLS;
double SHARE;

static int next_chunk(int left, int workers) {
  int chunk = SHARE > 0 ? (int)(SHARE * left / workers) : CHUNK;
  return left < 1 ? 0 : chunk < 1 ? 1 : chunk < left ? chunk : left;
}

/* A cell of the front takes ten times as long. */
static int time_us(int step, int cell) {
  int behind = (cell - step + CELLS) % CELLS;
  return behind < FRONT ? 1000 : 100;
}

__attribute__((noinline)) static double evaluate(int step, int first, int count) {
  double sum = 0;
  long us = 0;
  for (int cell = first; cell < first + count; cell++) us += time_us(step, cell), sum += cell;
  usleep((useconds_t)us);
  return sum;
}

/* The same by where it ends, as loops over ranges are written. */
__attribute__((noinline)) static double evaluate_range(int step, int first, int end) {
  return evaluate(step, first, end - first);
}

/* A waiting rank sleeps, so that many of them fit on two cores. */
static void await(int from, int tag) {
  for (int there = 0;;) {
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there) return;
    usleep(50);
  }
}

__attribute__((noinline)) static double answer(int step, int workers) {
  double result, sum = 0;
  MPI_Status status;
  for (int next = 0, stopped = 0; stopped < workers;) {
    /* Who was stopped asks for the next step already. */
    await(MPI_ANY_SOURCE, TAG_ASK + step);
    MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_ASK + step, MPI_COMM_WORLD, &status);
    sum += result;
    int cells[3] = {step, next, next_chunk(CELLS - next, workers)};
    next += cells[2], stopped += cells[2] == 0;
    MPI_Send(cells, 3, MPI_INT, status.MPI_SOURCE, TAG_CELLS, MPI_COMM_WORLD);
  }
  return sum;
}

__attribute__((noinline)) static void ask(int step) {
  double result = 0;
  for (int cells[3];;) {
    MPI_Send(&result, 1, MPI_DOUBLE, 0, TAG_ASK + step, MPI_COMM_WORLD);
    await(0, TAG_CELLS);
    MPI_Recv(cells, 3, MPI_INT, 0, TAG_CELLS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (cells[2] == 0) return;
    result = evaluate_range(cells[0], cells[1], cells[1] + cells[2]);
  }
}

int main(int argc, char **argv) {
  int rank, size, steps = argc > 1 ? atoi(argv[1]) : 40;
  double total = 0;
  if (argc > 2) CHUNK = atoi(argv[2]);
  if (argc > 3) SHARE = atof(argv[3]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; step++) {
    if (rank == 0) total += answer(step, size - 1);
    else ask(step);
  }
  if (rank == 0) printf("at the end CHUNK %d\ntotal %.0f\n", CHUNK, total);
  MPI_Finalize();
  return 0;
}
