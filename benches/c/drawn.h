/* drawn.h - a program whose task times were drawn beforehand.
 *
 * Its file holds, in the machine's order of bytes: iterations, workers and bytes per task (uint64_t), the master's time per chunk (double,
 * seconds); then for each iteration its tasks (uint64_t), each worker's time for a task relative to the fastest (double), and the tasks' times
 * (double, seconds). Tasks sleep. Where rank 0 computes, too, it is the last of the workers.
 */
#ifndef DRAWN_H
#define DRAWN_H
#include "../../examples/timing.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static struct { uint64_t iterations, workers, bytes; double chunk_s; } head;
static uint64_t *tasks;   /* by iteration */
static double **slowness; /* by iteration and worker */
static double **times;    /* by iteration and task */
static int rank;

static void *read_many(FILE *file, size_t count, size_t size) {
  void *all = malloc(count * size + 1);
  if (!all || fread(all, size, count, file) != count) {
    fprintf(stderr, "drawn: the file ends early\n");
    exit(65);
  }
  return all;
}

/* Begins MPI and reads the file. */
static void begin_drawn(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *file = *argc > 1 ? fopen((*argv)[1], "rb") : NULL;
  if (!file || fread(&head, sizeof head, 1, file) != 1) {
    fprintf(stderr, "drawn: a file with task times is expected\n");
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
  tasks = calloc(head.iterations, sizeof *tasks);
  slowness = calloc(head.iterations, sizeof *slowness);
  times = calloc(head.iterations, sizeof *times);
  if (!tasks || !slowness || !times) MPI_Abort(MPI_COMM_WORLD, 1);
  for (uint64_t i = 0; i < head.iterations; i++) {
    if (fread(&tasks[i], sizeof *tasks, 1, file) != 1) MPI_Abort(MPI_COMM_WORLD, 65);
    slowness[i] = read_many(file, head.workers, sizeof(double));
    times[i] = read_many(file, tasks[i], sizeof(double));
  }
  fclose(file);
  prctl(PR_SET_TIMERSLACK, 1000UL);
}

static void sleep_task(uint64_t iteration, uint64_t task) {
  double slow = slowness[iteration][((uint64_t)rank + head.workers - 1) % head.workers];
  sleep_until(now_ns() + (int64_t)(1e9 * slow * times[iteration][task]));
}
#endif
